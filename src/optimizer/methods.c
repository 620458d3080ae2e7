#include "optimizer/methods.h"

#include <string.h>

#include "base/names.h"

#define SET(k, t) \
  { .key = (k), .text = (t), .location = "method" }

static const gannet_method automatic = {
    .name = "auto",
    .summary =
        "the recommended default: a portfolio of gp-noisy and quadratic, in batches also gp-draws, "
        "with physics also pinn-bo, in long campaigns also an evolution strategy",
    .source = "measured on a broad set of functions: docs/benchmarks.md",
    .use = "always, unless the row of another method names your case",
    .with_equations = "pinn-bo",
    .with_objectives = "gp-nehvi",
    .defaults = {SET("portfolio", "[gp-noisy, quadratic, gp-draws, lq-cma]")},
};

static const gannet_method neural_bo = {
    .name = "neural-bo",
    .summary =
        "tangent kernel of a neural network, pathwise Thompson draws, calibrated exploration",
    .source =
        "Neural-BO (Phan-Trong, Tran-The, Gupta 2023), with pathwise instead of pointwise draws",
    .use =
        "large batches in little time; alone it is ahead of other single methods on some smooth "
        "functions of up to 10 variables, and behind auto",
    .defaults = {SET("surrogate.type", "tangent-kernel"), SET("acquisition.type", "thompson")},
};

static const gannet_method neural_bo_pointwise = {
    .name = "neural-bo-pointwise",
    .summary = "tangent kernel of a ReLU network, an independent normal draw at every candidate",
    .source = "Neural-BO (Phan-Trong, Tran-The, Gupta 2023), algorithm 1, with the linearised mean",
    .use = "to compare with the paper; neural-bo has draws that can be polished",
    .defaults = {SET("surrogate.type", "tangent-kernel"), SET("surrogate.kernel", "network"),
                 SET("surrogate.activation", "relu"), SET("surrogate.width", "500"),
                 SET("transform", "none"), SET("acquisition.type", "thompson-pointwise")},
};

static const gannet_method neural_bo_published = {
    .name = "neural-bo-published",
    .summary =
        "a ReLU network trained by gradient descent, independent normal draws, nothing learnt",
    .source = "Neural-BO (Phan-Trong, Tran-The, Gupta 2023), algorithm 1, section 7.1",
    .use = "to reproduce the paper",
    .defaults = {SET("surrogate.type", "tangent-kernel"), SET("surrogate.kernel", "network"),
                 SET("surrogate.activation", "relu"), SET("surrogate.width", "500"),
                 SET("surrogate.lift", "flat"), SET("surrogate.bias", "1"),
                 SET("surrogate.input_scale", "1"), SET("surrogate.amplitude", "0.5"),
                 SET("surrogate.noise", "0.005"), SET("surrogate.mean", "trained"),
                 SET("surrogate.trainer", "sgd"), SET("transform", "none"),
                 SET("acquisition.type", "thompson-pointwise"),
                 SET("acquisition.exploration", "1")},
};

static const gannet_method neural_ts = {
    .name = "neural-ts",
    .summary = "an ensemble of trained networks, each of which proposes its own minimiser",
    .source = "sample-then-optimise batch neural Thompson sampling (Dai et al. 2022)",
    .use =
        "to compare with trained networks; behind neural-bo wherever both were measured, and many "
        "times as slow",
    .defaults = {SET("surrogate.type", "ensemble"), SET("acquisition.type", "thompson")},
};

static const gannet_method neural_greedy = {
    .name = "neural-greedy",
    .summary = "networks trained on perturbed values, each of which proposes its own minimiser",
    .source = "NeuralGreedy (Paria et al. 2022)",
    .use =
        "to reproduce papers; no better than neural-bo on noisy functions, and many times as slow",
    .defaults = {SET("surrogate.type", "ensemble"), SET("surrogate.prior", "none"),
                 SET("surrogate.members", "4"), SET("acquisition.type", "thompson"),
                 SET("acquisition.exploration", "1")},
};

static const gannet_method neural_ei = {
    .name = "neural-ei",
    .summary = "tangent kernel of a neural network, expected improvement",
    .source = "the surrogate of neural-bo with LogEI (Ament et al. 2023)",
    .use = "single evaluations without wide plateaus, on which it fails; behind auto",
    .defaults = {SET("surrogate.type", "tangent-kernel"), SET("acquisition.type", "log-ei")},
};

static const gannet_method gp_ts = {
    .name = "gp-ts",
    .summary = "Gaussian process, pathwise Thompson draws",
    .source = "Wilson et al. 2020 (decoupled sampling)",
    .use =
        "wide, rugged or noisy functions of about 10 variables, and large batches in little time",
    .defaults = {SET("surrogate.type", "gp"), SET("acquisition.type", "thompson")},
};

static const gannet_method gp_ei = {
    .name = "gp-ei",
    .summary = "Gaussian process, expected improvement, earlier points of a batch fantasised",
    .source = "Jones, Schonlau, Welch 1998; LogEI of Ament et al. 2023",
    .use = "a strong baseline on smooth functions; fails on wide, rugged ones",
    .defaults = {SET("surrogate.type", "gp"), SET("acquisition.type", "log-ei")},
};

/* What the Gaussian processes of `auto` have in common. */
#define QUICK_GP                                                    \
  SET("surrogate.type", "gp"), SET("surrogate.restarts", "2"),      \
      SET("surrogate.fit_evaluations", "40"), SET("refit", "0.05"), \
      SET("search.candidates", "1000")
#define QUICK_WARPED_GP QUICK_GP, SET("surrogate.lengthscales", "ard")

static const gannet_method gp_nehvi = {
    .name = "gp-nehvi",
    .summary =
        "several objectives: Gaussian processes, expected improvement of the hypervolume of the "
        "front",
    .source = "qNEHVI (Daulton, Balandat, Bakshy 2021), its logarithm of Ament et al. 2023",
    .use = "two to five objectives, where auto chooses it",
    .defaults = {QUICK_GP, SET("surrogate.lengthscales", "ard"), SET("surrogate.features", "512"),
                 SET("acquisition.type", "nehvi"), SET("search.starts", "2"),
                 SET("search.polish", "30")},
};

static const gannet_method parego = {
    .name = "parego",
    .summary = "several objectives combined by weighted norms, with other weights for every point",
    .source = "ParEGO (Knowles 2006), with LogEI of Ament et al. 2023",
    .use = "a baseline with several objectives; on no problem significantly better than auto",
    .defaults = {SET("surrogate.type", "gp"), SET("surrogate.lengthscales", "ard"),
                 SET("acquisition.type", "parego")},
};

static const gannet_method gp_logei_warped = {
    .name = "gp-logei-warped",
    .summary = "Matern-5/2 with a lengthscale per variable, LogEI on the log-warped objective",
    .source = "the strongest single model of docs/benchmarks.md; LogEI of Ament et al. 2023",
    .use = "smooth functions of few variables, when one model alone is wanted",
    .defaults = {SET("surrogate.type", "gp"), SET("surrogate.lengthscales", "ard"),
                 SET("acquisition.type", "log-ei"), SET("transform", "log"), SET("refit", "0")},
};

static const gannet_method gp_warped = {
    .name = "gp-warped",
    .summary = "gp-logei-warped at a third of its cost: fewer candidates, starts and refits",
    .source = "LogEI of Ament et al. 2023; docs/benchmarks.md",
    .use = "as gp-logei-warped, in a third of the time",
    .defaults = {QUICK_WARPED_GP, SET("transform", "log"), SET("acquisition.type", "log-ei")},
};

static const gannet_method gp_noisy = {
    .name = "gp-noisy",
    .summary =
        "gp-warped with pooled lengthscales and a test for noise; uses augmented improvement once "
        "it finds some",
    .source = "Huang, Allen, Notz, Zeng 2006; docs/benchmarks.md",
    .use = "as gp-warped, where results may be noisy; a part of auto",
    .defaults = {QUICK_WARPED_GP, SET("surrogate.lengthscale_prior", "pooled"),
                 SET("transform", "log-then-none"), SET("surrogate.noisy_start", "suspected"),
                 SET("acquisition.type", "log-aei"), SET("acquisition.least_noise", "0.01")},
};

static const gannet_method gp_draws = {
    .name = "gp-draws",
    .summary = "gp-ts at a third of its cost; in portfolios, from six points at once",
    .source = "Wilson et al. 2020; docs/benchmarks.md",
    .use = "a part of auto in batches",
    .defaults = {QUICK_GP, SET("transform", "log-then-none"), SET("acquisition.type", "thompson"),
                 SET("least_batch", "6")},
};

static const gannet_method gp_ucb = {
    .name = "gp-ucb",
    .summary = "Gaussian process, lower confidence bound, earlier points of a batch fantasised",
    .source = "Srinivas et al. 2010; Desautels et al. 2014 for batches",
    .use =
        "a baseline; on wide noisy functions ahead of gp-ei, and behind draws up to 20 variables",
    .defaults = {SET("surrogate.type", "gp"), SET("acquisition.type", "lcb"),
                 SET("acquisition.exploration", "2")},
};

static const gannet_method gp_pi = {
    .name = "gp-pi",
    .summary = "Gaussian process, probability of improvement, earlier points of a batch fantasised",
    .source = "Kushner 1964",
    .use = "a baseline",
    .defaults = {SET("surrogate.type", "gp"), SET("acquisition.type", "pi"),
                 SET("acquisition.margin", "0.1")},
};

static const gannet_method gp_mes = {
    .name = "gp-mes",
    .summary = "Gaussian process, information about the minimum value",
    .source = "max-value entropy search (Wang, Jegelka 2017)",
    .use = "to compare acquisitions; not measured against auto",
    .defaults = {SET("surrogate.type", "gp"), SET("acquisition.type", "mes"),
                 SET("search.candidates", "4000")},
};

static const gannet_method gp_pes = {
    .name = "gp-pes",
    .summary = "Gaussian process, information about the minimiser by expectation propagation",
    .source = "predictive entropy search (Hernandez-Lobato, Hoffman, Ghahramani 2014)",
    .use = "to compare acquisitions; not measured against auto",
    .defaults = {SET("surrogate.type", "gp"), SET("acquisition.type", "pes"),
                 SET("search.candidates", "4000")},
};

static const gannet_method gp_es = {
    .name = "gp-es",
    .summary = "Gaussian process, information about the minimiser by Monte-Carlo",
    .source = "entropy search (Hennig, Schuler 2012)",
    .use = "to compare acquisitions; not measured against auto",
    .defaults = {SET("surrogate.type", "gp"), SET("acquisition.type", "es"),
                 SET("search.candidates", "3000")},
};

static const gannet_method gp_kg = {
    .name = "gp-kg",
    .summary = "Gaussian process, expected decrease of the lowest mean",
    .source = "knowledge gradient (Frazier, Powell, Dayanik 2009)",
    .use = "to compare acquisitions; not measured against auto",
    .defaults = {SET("surrogate.type", "gp"), SET("acquisition.type", "kg"),
                 SET("search.candidates", "4000")},
};

static const gannet_method go_ucb = {
    .name = "go-ucb",
    .summary = "a sigmoid network, optimism over a ball of its weights",
    .source =
        "Global Optimization with Parametric Function Approximation (Liu, Wang 2023), with a "
        "calibrated ball and the exact minimum over it",
    .use =
        "few evaluations with categories and integers, where it is level with auto, or an "
        "objective that such a network represents; far behind Gaussian processes on others",
    .defaults = {SET("surrogate.type", "parametric"), SET("acquisition.type", "optimism"),
                 SET("acquisition.exploration", "0.5")},
};

static const gannet_method go_ucb_published = {
    .name = "go-ucb-published",
    .summary = "go-ucb with the published ball and its exact minimum; set surrogate.horizon",
    .source = "Global Optimization with Parametric Function Approximation (Liu, Wang 2023)",
    .use = "to reproduce the paper; on its functions f2 and f3 worse than random points",
    .defaults = {SET("surrogate.type", "parametric"), SET("surrogate.lift", "flat"),
                 SET("surrogate.schedule", "paper"), SET("surrogate.first_phase", "discarded"),
                 SET("acquisition.type", "optimism"), SET("acquisition.exploration", "1"),
                 SET("refit", "10"), SET("transform", "none")},
};

static const gannet_method dngo = {
    .name = "dngo",
    .summary = "Bayesian linear regression on a trained network, expected improvement",
    .source = "DNGO (Snoek et al. 2015), with LogEI of Ament et al. 2023",
    .use = "to reproduce papers; behind neural-bo on noisy functions",
    .defaults = {SET("surrogate.type", "linear-head"), SET("acquisition.type", "log-ei")},
};

static const gannet_method forest_ei = {
    .name = "forest-ei",
    .summary = "a forest of random trees, expected improvement",
    .source = "SMAC (Hutter, Hoos, Leyton-Brown 2011), with LogEI of Ament et al. 2023",
    .use =
        "many categories and integers, where it is level with auto; behind neural-bo on real "
        "variables",
    .defaults = {SET("surrogate.type", "forest"), SET("acquisition.type", "log-ei")},
};

static const gannet_method neural_cbo = {
    .name = "neural-cbo",
    .summary = "tangent kernels, expected improvement where lower bounds of constraints allow it",
    .source =
        "Neural-CBO (thesis of Phan-Trong, chapter 4), algorithm 3; improvement under noise: "
        "Huang et al. 2006",
    .use =
        "constraints, noise and few evaluations, where a design just outside a constraint is good "
        "enough",
    .defaults = {SET("surrogate.type", "tangent-kernel"), SET("acquisition.type", "log-aei"),
                 SET("acquisition.constraints", "inside"), SET("transform", "none")},
};

static const gannet_method turbo = {
    .name = "turbo-1",
    .summary = "Gaussian process with a lengthscale per variable, Thompson draws in a trust region",
    .source = "TuRBO-1 (Eriksson et al. 2019), with pathwise draws",
    .use = "ten or more variables and a long campaign that narrows one basin down",
    .defaults = {SET("surrogate.type", "gp"), SET("surrogate.lengthscales", "ard"),
                 SET("acquisition.type", "thompson"), SET("region.type", "trust")},
};

static const gannet_method scbo = {
    .name = "scbo",
    .summary = "turbo-1 for constraints: draws of their models decide where a point is feasible",
    .source = "SCBO (Eriksson, Poloczek 2021), with pathwise draws",
    .use = "as turbo-1, with constraints",
    .defaults = {SET("surrogate.type", "gp"), SET("surrogate.lengthscales", "ard"),
                 SET("acquisition.type", "thompson"), SET("acquisition.constraints", "draws"),
                 SET("region.type", "trust")},
};

static const gannet_method gp_ei_trust = {
    .name = "gp-ei-trust",
    .summary =
        "Gaussian process with a lengthscale per variable, expected improvement in a trust region",
    .source = "the parts of gp-ei and turbo-1",
    .use = "as turbo-1, one point at a time; ahead of auto on clusters of five atoms",
    .defaults = {SET("surrogate.type", "gp"), SET("surrogate.lengthscales", "ard"),
                 SET("acquisition.type", "log-ei"), SET("region.type", "trust")},
};

static const gannet_method neural_trust = {
    .name = "neural-trust",
    .summary = "neural-bo in a trust region",
    .source = "the parts of neural-bo and turbo-1",
    .use = "as turbo-1; with noise it was ahead of it on Levy and Ackley in 20 variables",
    .defaults = {SET("surrogate.type", "tangent-kernel"), SET("acquisition.type", "thompson"),
                 SET("region.type", "trust")},
};

static const gannet_method neural_additive = {
    .name = "neural-additive",
    .summary = "neural-bo that also learns a function of each single variable, where that fits",
    .source = "neural-bo with additive kernels as of Duvenaud, Nickisch, Rasmussen 2011",
    .use =
        "an objective that is nearly a sum of functions of single variables, when every point must "
        "come from a draw of its own, as in large batches (not measured); else neural-additive-ei",
    .defaults = {SET("surrogate.type", "tangent-kernel"), SET("surrogate.additive", "auto"),
                 SET("acquisition.type", "thompson")},
};

static const gannet_method neural_additive_ei = {
    .name = "neural-additive-ei",
    .summary = "neural-additive with expected improvement, earlier points of a batch fantasised",
    .source = "the surrogate of neural-additive with LogEI (Ament et al. 2023)",
    .use =
        "ten or more variables without noise, and an objective that is nearly a sum of functions "
        "of single variables; alone, or beside the members of auto",
    .defaults = {SET("surrogate.type", "tangent-kernel"), SET("surrogate.additive", "auto"),
                 SET("surrogate.restarts", "2"), SET("surrogate.fit_evaluations", "40"),
                 SET("refit", "0.05"), SET("search.candidates", "1000"),
                 SET("transform", "log-then-none"), SET("acquisition.type", "log-ei")},
};

static const gannet_method cei = {
    .name = "cei",
    .summary = "Gaussian process, expected improvement times the probability of feasibility",
    .source = "Gardner et al. 2014; LogEI of Ament et al. 2023",
    .use = "a baseline with constraints",
    .defaults = {SET("surrogate.type", "gp"), SET("acquisition.type", "log-ei"),
                 SET("acquisition.constraints", "probability")},
};

static const gannet_method configopt = {
    .name = "configopt",
    .summary =
        "Gaussian process, least lower bound of the objective where those of constraints "
        "allow it",
    .source = "CONFIG (Xu et al. 2023)",
    .use = "as neural-cbo; its designs lie next to the constraint, often on the wrong side",
    .defaults = {SET("surrogate.type", "gp"), SET("acquisition.type", "lcb"),
                 SET("acquisition.exploration", "2"), SET("acquisition.constraints", "bounds")},
};

static const gannet_method ucb_c = {
    .name = "ucb-c",
    .summary = "Gaussian process, as configopt with bounds that widen with the evaluations",
    .source =
        "UCB-C (Nguyen et al. 2024), all functions evaluated together; rate: Kandasamy et "
        "al. 2015",
    .use = "a baseline with constraints, as configopt",
    .defaults = {SET("surrogate.type", "gp"), SET("acquisition.type", "lcb"),
                 SET("acquisition.exploration", "1"), SET("acquisition.growth", "log"),
                 SET("acquisition.constraints", "bounds")},
};

static const gannet_method admmbo = {
    .name = "admmbo",
    .summary = "Gaussian process, objective and feasibility improved in turn, tied by multipliers",
    .source = "ADMMBO (Ariafar et al. 2019), with one feasible point for all constraints",
    .use = "a baseline with constraints",
    .defaults = {SET("surrogate.type", "gp"), SET("acquisition.type", "admm")},
};

static const gannet_method pinn_bo = {
    .name = "pinn-bo",
    .summary = "network held to differential equations of the objective, Thompson draws",
    .source = "PINN-BO (thesis of Phan-Trong, chapter 5), algorithm 4, in closed form",
    .use = "an objective that obeys known differential equations",
    .defaults = {SET("surrogate.type", "pinn"), SET("acquisition.type", "thompson"),
                 SET("surrogate.exploit", "0.1"), SET("search.sweeps", "3"), SET("initial", "4"),
                 SET("refit", "0.1")},
};

static const gannet_method pinn_bo_trained = {
    .name = "pinn-bo-trained",
    .summary = "network trained on the data and differential equations of the objective",
    .source = "PINN-BO (thesis of Phan-Trong, chapter 5), algorithm 4, trained by Gauss-Newton",
    .use = "to compare with trained networks; pinn-bo needs no training",
    .defaults = {SET("surrogate.type", "pinn"), SET("surrogate.fit", "trained"),
                 SET("acquisition.type", "thompson"), SET("surrogate.exploit", "0.1"),
                 SET("search.sweeps", "3"), SET("initial", "4"), SET("refit", "0.3")},
};

static const gannet_method pinn_ei = {
    .name = "pinn-ei",
    .summary = "network held to differential equations of the objective, expected improvement",
    .source = "the surrogate of pinn-bo with LogEI (Ament et al. 2023)",
    .use = "to compare acquisitions; behind pinn-bo on two of three heated plates",
    .defaults = {SET("surrogate.type", "pinn"), SET("acquisition.type", "log-ei"),
                 SET("initial", "4"), SET("refit", "0.3")},
};

static const gannet_method sobol = {
    .name = "sobol",
    .summary = "a scrambled Sobol sequence, no model",
    .source = "Sobol 1967; Joe, Kuo 2008; Owen 1995",
    .use = "designs that fill the box, and a baseline",
    .defaults = {SET("acquisition.type", "sobol")},
};

static const gannet_method uniform = {
    .name = "random",
    .summary = "uniform random points, no model",
    .source = "the baseline of every comparison",
    .use = "a baseline of every comparison",
    .defaults = {SET("acquisition.type", "random")},
};

static const gannet_method quadratic = {
    .name = "quadratic",
    .summary = "quadratic models around the best point, minimised in a trust region",
    .source = "Powell 2002; Conn, Scheinberg, Vicente 2009; with Bayesian regression",
    .use = "ill-conditioned valleys without noise, when a local minimum is enough",
    .defaults = {SET("acquisition.type", "quadratic")},
};

static const gannet_method lq_cma = {
    .name = "lq-cma",
    .summary = "an evolution strategy, CMA-ES, whose populations are ranked by a quadratic model",
    .source = "lq-CMA-ES (Hansen 2019), with the model in the metric of the covariance",
    .use = "ridges without noise and more than 50 evaluations per variable",
    .defaults = {SET("acquisition.type", "lq-cma")},
};

static const gannet_method pair = {
    .name = "portfolio",
    .summary =
        "the methods named in `portfolio` share the evaluations; each learns from all results",
    .source = "portfolios of acquisitions: Hoffman, Brochu, de Freitas 2011",
    .use = "several methods of your choice together",
    .defaults = {SET("portfolio", "[gp-ei, neural-bo]")},
};

const gannet_method *const gannet_methods[] = {
    &automatic,
    &neural_bo,
    &neural_bo_pointwise,
    &neural_bo_published,
    &neural_ts,
    &neural_greedy,
    &neural_ei,
    &gp_ts,
    &gp_ei,
    &gp_nehvi,
    &parego,
    &gp_logei_warped,
    &gp_warped,
    &gp_noisy,
    &gp_draws,
    &gp_ucb,
    &gp_pi,
    &gp_mes,
    &gp_pes,
    &gp_es,
    &gp_kg,
    &go_ucb,
    &go_ucb_published,
    &dngo,
    &forest_ei,
    &turbo,
    &scbo,
    &gp_ei_trust,
    &neural_trust,
    &neural_additive,
    &neural_additive_ei,
    &neural_cbo,
    &cei,
    &configopt,
    &ucb_c,
    &admmbo,
    &pinn_bo,
    &pinn_bo_trained,
    &pinn_ei,
    &pair,
    &quadratic,
    &lq_cma,
    &sobol,
    &uniform,
    NULL,
};

gannet_err gannet_method_find(const char *name, const gannet_method **method) {
  int index = 0;
  GANNET_TRY(gannet_name_find("method", name, (const void *const *)gannet_methods, &index));
  *method = gannet_methods[index];
  return GANNET_OK;
}

const char *gannet_method_default(const gannet_method *method, const char *key) {
  for (const gannet_setting *s = method->defaults; s->key; ++s)
    if (strcmp(s->key, key) == 0) return s->text;
  return NULL;
}

const char *gannet_method_portfolio(const gannet_method *method) {
  return gannet_method_default(method, "portfolio");
}
