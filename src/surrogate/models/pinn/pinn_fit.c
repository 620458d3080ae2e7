/* The search for the hyperparameters of the physics-informed model.
 *
 * The equations are known beforehand, so the evidence that counts is that of the observations given
 * the equations, p(y | u): an equation with right side 0 would otherwise prefer functions that are
 * 0. With S and the innovations e = y - E(y | u), both in units of the prior,
 *
 *   -log p = (n/2) log s^2 + (1/2) log det S + (1/2) e^T S^-1 e / s^2,
 *
 * and the best s^2 has a closed form. lambda_1 is searched on a grid: each value costs n^3 and
 * leaves the factor of the equations alone. The scales of the network are searched on grids, one
 * after the other.
 *
 * The same search without equations, p(y), tells whether the equations agree with the results
 * (log_evidence_ratio). Both likelihoods are then those with coarse noise, of at least a thousandth
 * of the variance of y: otherwise the error that a network leaves of right equations would count
 * where many exact results lie close together.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "linalg/blas.h"
#include "surrogate/models/pinn/pinn.h"

enum {
  GRID = 8,
  SHARES = 5,
  EDGES = 2,
  LAMBDAS = 16, /* most values of lambda_1 */
  /* with fewer rows of equations the search without equations would take too large a share */
  LEAST_ROWS = 120,
  ROWS_PER_OBSERVATION = 4
};

static const double coarse_noise = 1e-3; /* in units of the variance of y */
static const double grid[GRID] = {0.5, 1, 2, 4, 8, 16, 32, 64};
static const double shares[SHARES] = {0, 0.1, 0.5, 0.9, 1};
static const double edges[EDGES] = {0, PINN_GRADING};

typedef struct {
  double value;  /* -log p minus the logarithms of priors; INFINITY = not known, or impossible */
  double coarse; /* -log p with coarse noise */
  double hyper[PINN_HYPER];
} trial;

/* -log of weak priors: scales of a few oscillations in the box; few solutions have structure of all
 * sizes at the edges. */
static double minus_log_prior(const pinn *s, const double *hyper) {
  const double scale = hyper[PINN_SCALE] - log(2), single = hyper[PINN_SINGLE] - log(4);
  const bool two = s->options->single_width != 0 && s->d > 1;
  const double graded = hyper[PINN_EDGE] > 0 ? log(2) : 0;
  return graded + 0.5 * scale * scale / 9 + (two ? 0.5 * single * single / 9 : 0);
}

/* -log p(y | u) for one lambda_1, with the best amplitude; s->n >= 1. */
static gannet_err likelihood_at(pinn *s, double lambda1, const double *innovation, double *value,
                                double *amplitude) {
  double *solved = s->alpha_u;
  *value = INFINITY;
  s->lambda1 = lambda1;
  const gannet_err code = pinn_factorise_u(s);
  if (code == GANNET_ERR_NUMERIC) {
    gannet_error_clear();
    return GANNET_OK;
  }
  GANNET_TRY(code);
  memcpy(solved, innovation, (size_t)s->n * sizeof *solved);
  gannet_cholesky_forward(s->factor_u, 1, solved, s->n);
  const double squares = gannet_dot(s->n, solved, solved);
  *amplitude = (squares + 1) / (s->n + 1);
  *value = 0.5 * (s->n + 1) * log(*amplitude) + 0.5 * gannet_cholesky_logdet(s->factor_u);
  return GANNET_OK;
}

/* y - E(y | u), in units of y. */
static void innovations(pinn *s, double *out) {
  const double scale = exp(0.5 * s->hyper[PINN_AMPLITUDE]);
  for (int i = 0; i < s->n; ++i) out[i] = s->target_u[i];
  if (s->r > 0) {
    memcpy(s->alpha_r, s->target_r, (size_t)s->r * sizeof *s->alpha_r);
    gannet_cholesky_forward(s->factor_r, 1, s->alpha_r, s->r);
    gannet_gemv_n(s->n, s->r, -1, s->cross, s->r, s->alpha_r, 1, out);
  }
  for (int i = 0; i < s->n; ++i) out[i] *= scale;
}

/* likelihood_at for every lambda_1; ranks that make the model together make some of them each. */
static gannet_err likelihoods_at(pinn *s, int n, const double *lambda1, const double *innovation,
                                 double *value, double *amplitude) {
  const gannet_context *context = s->context;
  const gannet_stride own = gannet_stride_of(context->rank, context->np, s->ranks_share);
  gannet_err code = GANNET_OK;
  s->ranks_share = false;
  for (int i = own.first; i < n && code == GANNET_OK; i += own.step)
    code = likelihood_at(s, lambda1[i], innovation, &value[i], &amplitude[i]);
  s->ranks_share = own.shared;
  GANNET_TRY(pinn_agree(s, code));
  if (!s->ranks_share) return GANNET_OK;
  GANNET_TRY(gannet_partition_gather(context->comm, (size_t)n, value));
  return gannet_partition_gather(context->comm, (size_t)n, amplitude);
}

/* Choose the lambda_1 of least value with its amplitude; where the noise is known, the lambda_1
 * that agrees best with it. */
static void choose_lambda(const pinn *s, int n, const double *lambda1, const double *values,
                          const double *amplitudes, trial *t) {
  double best = INFINITY;
  for (int i = 0; i < n; ++i) {
    if (!isfinite(values[i])) continue;
    const double noise = lambda1[i] * amplitudes[i], from = log(lambda1[i] / 1e-6);
    const double value = values[i] + 0.5 * from * from / 64;
    double rank = value;
    if (!isnan(s->noise_var))
      rank = fabs(log(noise / fmax(s->noise_var, s->options->noise_floor * amplitudes[i])));
    if (rank >= best) continue;
    best = rank;
    t->value = value + minus_log_prior(s, t->hyper);
    t->hyper[PINN_AMPLITUDE] = log(amplitudes[i]);
    t->hyper[PINN_NOISE] = log(noise);
  }
}

/* Least -log p over lambda_1 with amplitudes that make its noise coarse, from the values and best
 * amplitudes of likelihoods_at: where the best amplitude is too small, a larger one takes its
 * place. A known noise is not made smaller. */
static double coarse_value(const pinn *s, int n, const double *lambda1, const double *values,
                           const double *amplitudes) {
  const double half = 0.5 * (s->n + 1);
  double mean = 0, square = 0, least = INFINITY;
  for (int i = 0; i < s->n; ++i) mean += s->y[i] / s->n;
  for (int i = 0; i < s->n; ++i) square += (s->y[i] - mean) * (s->y[i] - mean) / s->n;
  const double noise = fmax(coarse_noise * square, isnan(s->noise_var) ? 0 : s->noise_var);
  for (int i = 0; i < n; ++i) {
    if (!isfinite(values[i])) continue;
    const double ratio = fmax(1, noise / (lambda1[i] * amplitudes[i]));
    least = fmin(least, values[i] + half * (log(ratio) + 1 / ratio - 1));
  }
  return least;
}

/* The evidence at the scales of a trial, whose amplitude and noise are chosen here. */
static gannet_err evaluate_trial(pinn *s, trial *t) {
  double lambda1[LAMBDAS] = {0}, values[LAMBDAS] = {0}, amplitudes[LAMBDAS] = {0};
  double *innovation = s->work;
  int n = 0;
  t->value = t->coarse = INFINITY;
  memcpy(s->hyper, t->hyper, sizeof s->hyper);
  GANNET_TRY(pinn_set_scales(s));
  const gannet_err code = pinn_condition(s, true);
  if (code == GANNET_ERR_NUMERIC) gannet_error_clear();
  if (code != GANNET_OK) return code == GANNET_ERR_NUMERIC ? GANNET_OK : code;
  innovations(s, innovation);
  for (double next = s->options->noise_floor; next < 2; next *= 10) lambda1[n++] = next;
  GANNET_TRY(likelihoods_at(s, n, lambda1, innovation, values, amplitudes));
  choose_lambda(s, n, lambda1, values, amplitudes, t);
  t->coarse = coarse_value(s, n, lambda1, values, amplitudes);
  return GANNET_OK;
}

/* Evaluate trials: first one per rank in turn, then the rest by all ranks together. All ranks get
 * all results. */
static gannet_err evaluate_trials(pinn *s, int n, trial *trials) {
  const gannet_context *context = s->context;
  const int alone = pinn_count_alone(s, n);
  gannet_err code = GANNET_OK;
  for (int i = context->rank; i < alone && code == GANNET_OK; i += context->np)
    code = evaluate_trial(s, &trials[i]);
  GANNET_TRY(gannet_agree(context->comm, code));
  s->ranks_share = true;
  for (int i = alone; i < n && code == GANNET_OK; ++i) code = evaluate_trial(s, &trials[i]);
  s->ranks_share = false;
  GANNET_TRY(code);
  for (int i = 0; i < n; ++i)
    GANNET_TRY_MPI(MPI_Bcast(&trials[i], sizeof *trials, MPI_BYTE, i < alone ? i % context->np : 0,
                             context->comm));
  for (int i = 0; i < n; ++i) s->coarse = fmin(s->coarse, trials[i].coarse);
  return GANNET_OK;
}

/* Evaluate trials, and replace the best trial by better ones; of equal trials the first stays. */
static gannet_err improve_best(pinn *s, int n, trial *trials, trial *best) {
  GANNET_TRY(evaluate_trials(s, n, trials));
  for (int i = 0; i < n; ++i)
    if (trials[i].value < best->value) *best = trials[i];
  return GANNET_OK;
}

static bool learns_share(const pinn *s) {
  return s->d > 1 && s->options->single_width != 0 && isnan(s->options->single_share);
}

/* Trials of all scales of one half of the network: 0 is the wide part, 1 the narrow parts. When the
 * share is learnt the other half gets none. Returns the number of trials, 0 for a half that a given
 * share leaves out. */
static int list_scales(const pinn *s, int half, const trial *from, trial *trials) {
  const int which = half == 0 ? PINN_SCALE : PINN_SINGLE;
  const double unit = half == 0 ? sqrt(s->d) : 1;
  const bool given = !isnan(half == 0 ? s->options->input_scale : s->options->single_scale);
  if (!learns_share(s) && from->hyper[PINN_SHARE] == 1 - half) return 0;
  const int n = given ? 1 : GRID;
  for (int i = 0; i < n; ++i) {
    trials[i] = *from;
    if (learns_share(s)) trials[i].hyper[PINN_SHARE] = half;
    if (!given) trials[i].hyper[which] = log(grid[i] / unit);
  }
  return n;
}

/* The best scales of both halves, with all shares between. */
static gannet_err search_shares(pinn *s, const trial *wide, const trial *narrow, trial *best) {
  const bool learns = learns_share(s);
  const int n = learns ? SHARES - 2 : 1;
  trial trials[SHARES];
  for (int i = 0; i < n; ++i) {
    trials[i] = *best;
    trials[i].hyper[PINN_SCALE] = wide->hyper[PINN_SCALE];
    trials[i].hyper[PINN_SINGLE] = narrow->hyper[PINN_SINGLE];
    if (learns) trials[i].hyper[PINN_SHARE] = shares[i + 1];
  }
  return improve_best(s, n, trials, best);
}

/* All scales of the wide part alone and of the narrow parts alone; then shares between. With a
 * given share, all scales of one half beside the present scale of the other; then the best of both.
 */
static gannet_err search_scales(pinn *s, trial *best) {
  trial trials[2 * GRID];
  const int n_wide = list_scales(s, 0, best, trials);
  const int n = n_wide + list_scales(s, 1, best, trials + n_wide);
  GANNET_TRY(evaluate_trials(s, n, trials));
  const trial *wide = NULL, *narrow = NULL;
  for (int i = 0; i < n; ++i) {
    const trial **which = i < n_wide ? &wide : &narrow;
    if (!*which || trials[i].value < (*which)->value) *which = &trials[i];
    if (trials[i].value < best->value) *best = trials[i];
  }
  return wide && narrow ? search_shares(s, wide, narrow, best) : GANNET_OK;
}

/* Half a step of the grid up and down in each scale that counts, and neighbouring shares. */
static gannet_err search_near(pinn *s, trial *best) {
  trial trials[6];
  int n = 0;
  const double share = best->hyper[PINN_SHARE];
  for (int sign = -1; sign <= 1; sign += 2) {
    const double step = sign * log(sqrt(2));
    if (share < 1 && isnan(s->options->input_scale)) {
      trials[n] = *best;
      trials[n++].hyper[PINN_SCALE] += step;
    }
    if (share > 0 && isnan(s->options->single_scale)) {
      trials[n] = *best;
      trials[n++].hyper[PINN_SINGLE] += step;
    }
    for (int i = 0; learns_share(s) && i < SHARES; ++i)
      if (shares[i] == share && i + sign >= 0 && i + sign < SHARES) {
        trials[n] = *best;
        trials[n++].hyper[PINN_SHARE] = shares[i + sign];
      }
  }
  return n > 0 ? improve_best(s, n, trials, best) : GANNET_OK;
}

/* Whether the search may grade the inputs. A given scale is one of inputs as they are. */
static bool learns_grading(const pinn *s) {
  return isnan(s->options->grading) && isnan(s->options->input_scale) &&
         s->d <= PINN_GRADED_VARIABLES && s->r > 0;
}

/* search_scales with every grading of the inputs. */
static gannet_err search_all(pinn *s, trial *best) {
  const trial from = *best;
  if (!learns_grading(s)) return search_scales(s, best);
  for (int i = 0; i < EDGES; ++i) {
    trial found = from;
    found.hyper[PINN_EDGE] = edges[i];
    GANNET_TRY(search_scales(s, &found));
    if (found.value < best->value) *best = found;
  }
  return GANNET_OK;
}

/* log_evidence_ratio: s->coarse of the search with equations, which ends here, against that of all
 * scales without equations. Equations that are not linear get none: they are linearised where the
 * observations led. */
static gannet_err compare_without_equations(pinn *s, const trial *best) {
  const gannet_pde_residuals *residuals = s->known;
  const double with = s->coarse;
  const int r = s->r;
  if (r < LEAST_ROWS || r < ROWS_PER_OBSERVATION * s->n || !residuals->linear) return GANNET_OK;
  trial trials[2 * GRID], plain = *best;
  plain.hyper[PINN_EDGE] = isnan(s->options->grading) ? 0 : s->options->grading;
  const int n_wide = list_scales(s, 0, &plain, trials);
  const int n = n_wide + list_scales(s, 1, &plain, trials + n_wide);
  s->coarse = INFINITY;
  s->known = NULL;
  s->r = 0;
  const gannet_err code = evaluate_trials(s, n, trials);
  s->known = residuals;
  s->r = r;
  GANNET_TRY(code);
  if (isfinite(with) && isfinite(s->coarse)) s->log_evidence_ratio = with - s->coarse;
  return GANNET_OK;
}

/* Search all scales when the observations have grown enough, and nearby scales always. */
static gannet_err search_hyper(pinn *s, trial *best) {
  /* only once points have come near an edge do they show whether grading pays */
  const double growth = learns_grading(s) ? 1.5 : 2;
  if (s->n >= growth * best->hyper[PINN_LEARNED]) {
    GANNET_TRY(search_all(s, best));
    if (s->known) GANNET_TRY(compare_without_equations(s, best));
    best->hyper[PINN_LEARNED] = s->n;
  } else {
    trial now = *best;
    GANNET_TRY(improve_best(s, 1, &now, best));
  }
  return isfinite(best->value) ? search_near(s, best) : GANNET_OK;
}

gannet_err pinn_learn(pinn *s) {
  trial best = {.value = INFINITY};
  memcpy(best.hyper, s->hyper, sizeof best.hyper);
  s->log_evidence_ratio = 0;
  s->coarse = INFINITY;
  s->mode = PINN_CLOSED; /* the network linearised at its start decides */
  const gannet_err code = search_hyper(s, &best);
  s->mode = (pinn_mode)s->options->mode;
  s->stale = true; /* trials have left their rows and factors */
  GANNET_TRY(code);
  memcpy(s->hyper, best.hyper, sizeof s->hyper);
  return GANNET_OK;
}
