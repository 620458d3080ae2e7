/* Logarithm of the expected improvement, log sd + log h(z): the same maximiser, but neither the
 * value nor the gradient vanishes far from the maximiser. Ament et al. 2023, "Unexpected
 * improvements to expected improvement for Bayesian optimization", eqs. (7)-(9). */
#include <math.h>

#include "acquisition/improvement.h"
#include "acquisition/registry.h"
#include "base/normal.h"

static const gannet_option option_table[] = {
    GANNET_ACQ_MARGIN_OPTION(offsetof(gannet_acq_margin, margin)), {0}};

static void score(const void *options, const gannet_acq_state *state, int m, const double *mean,
                  const double *sd, double *scores) {
  for (int i = 0; i < m; ++i) {
    const gannet_acq_improvement g = gannet_acq_improvement_of(options, state, mean[i], sd[i]);
    scores[i] = log(g.sd) + gannet_normal_log_improvement(g.z);
  }
}

/* d EI / d mean = -cdf(z) and d EI / d sd = pdf(z), divided by EI = sd h(z). */
static void partials(const void *options, const gannet_acq_state *state, double mean, double sd,
                     double *by_mean, double *by_sd) {
  const gannet_acq_improvement g = gannet_acq_improvement_of(options, state, mean, sd);
  *by_mean = -gannet_normal_cdf_over_improvement(g.z) / g.sd;
  *by_sd = gannet_normal_pdf_over_improvement(g.z) / g.sd;
}

const gannet_acq_type gannet_acq_log_ei = {
    .name = "log-ei",
    .summary = "logarithm of the expected improvement, which never underflows",
    .source = "Ament et al. 2023, eq. (9)",
    .kind = GANNET_ACQ_MOMENTS,
    .gain = GANNET_ACQ_LOG_GAIN,
    .options = option_table,
    .options_size = sizeof(gannet_acq_margin),
    .score = score,
    .shape = GANNET_ACQ_RISING,
    .partials = partials,
};

/* Several objectives become one by a norm, which is improved like a single objective. */
const gannet_acq_type gannet_acq_parego = {
    .name = "parego",
    .summary =
        "log-ei of the augmented Chebyshev norm of several objectives, with other weights for "
        "every point",
    .source = "ParEGO (Knowles 2006), with LogEI of Ament et al. 2023",
    .kind = GANNET_ACQ_MOMENTS,
    .gain = GANNET_ACQ_LOG_GAIN,
    .options = option_table,
    .options_size = sizeof(gannet_acq_margin),
    .score = score,
    .shape = GANNET_ACQ_RISING,
    .scalarises = true,
    .partials = partials,
};
