/* Predictive entropy search: how much the entropy of an observation at a point falls when the
 * minimiser is known,
 *
 *   score = log (1/2 log(sd^2 + noise) - (1/S) sum_s 1/2 log(v_s + noise)),
 *
 * where v_s is the variance of the function's value given that the minimiser *_s of posterior draw
 * s is the minimiser (Hernandez-Lobato, Hoffman and Ghahramani 2014, eqs. (2), (10)). Two
 * conditions say so: f(r_j) >= f(*_s) for every other reference point, imposed by expectation
 * propagation with a site per point (Rasmussen and Williams 2006, algorithm 3.5); and f(x) >=
 * f(*_s), imposed by the moments of a truncated normal (eq. (9)).
 *
 * Deviation: the paper asks for a vanishing gradient and a positive diagonal of the Hessian at the
 * minimiser, and for a value below the data; here the other reference points, a discretisation that
 * contains the best observed point, stand for all three. */
#include <math.h>
#include <string.h>

#include "acquisition/draws.h"
#include "acquisition/functions/pes/pes.h"
#include "acquisition/registry.h"
#include "base/memory.h"
#include "base/normal.h"
#include "linalg/blas.h"

static const gannet_option option_table[] = {
    GANNET_ACQ_DRAWS_OPTION(offsetof(gannet_acq_draws, draws)), {0}};

enum { ROWS = 64 };

typedef struct {
  const gannet_acq_reference *reference;
  int count;            /* different minimisers */
  gannet_pes_given *at; /* [count] */
  double *g, *zg;       /* [ROWS][n] */
  double *logs;         /* [ROWS] */
  double tiny;          /* added to variances: no observation tells everything */
} pes_work;

static void release(void *work) {
  pes_work *w = work;
  if (!w) return;
  for (int s = 0; w->at && s < w->count; ++s) gannet_pes_release(&w->at[s]);
  gannet_free(&w->at);
  gannet_free(&w->g);
  gannet_free(&w->zg);
  gannet_free(&w->logs);
  gannet_free(&w);
}

/* Draws that share their minimiser count as one with their number as weight. */
static gannet_err condition_on_minimisers(pes_work *w) {
  const gannet_acq_reference *r = w->reference;
  for (int s = 0; s < r->n_minimisers; ++s) {
    int same = 0;
    while (same < w->count && w->at[same].minimiser != r->minimiser[s]) ++same;
    if (same == w->count) {
      w->count += 1;
      GANNET_TRY(gannet_pes_condition(r, r->minimiser[s], &w->at[same]));
    }
    w->at[same].weight += 1.0 / r->n_minimisers;
  }
  return GANNET_OK;
}

static gannet_err prepare(const void *options, const gannet_acq_state *state, void **work) {
  const gannet_acq_reference *reference = state->reference;
  (void)options;
  pes_work *w = NULL;
  const size_t n = (size_t)reference->n;
  GANNET_TRY(gannet_alloc(1, sizeof *w, &w));
  *work = w;
  w->reference = reference;
  for (size_t i = 0; i < n; ++i) w->tiny = fmax(w->tiny, reference->covariance[i * n + i]);
  w->tiny = fmax(1e-10 * w->tiny, 1e-300);
  GANNET_TRY(gannet_alloc((size_t)reference->n_minimisers, sizeof *w->at, &w->at));
  GANNET_TRY(gannet_alloc(ROWS * n, sizeof *w->g, &w->g));
  GANNET_TRY(gannet_alloc(ROWS * n, sizeof *w->zg, &w->zg));
  GANNET_TRY(gannet_alloc(ROWS, sizeof *w->logs, &w->logs));
  return condition_on_minimisers(w);
}

/* Add weight log(v_s + noise) of one minimiser to w->logs at m <= ROWS points. */
static void add_given(pes_work *w, const gannet_pes_given *at, int m, const double *mean,
                      const double *sd, const double *covariance) {
  const int n = w->reference->n;
  const double noise = w->reference->noise_var + w->tiny;
  for (int p = 0; p < m; ++p) {
    const double *c = covariance + (size_t)p * (size_t)n;
    double *g = w->g + (size_t)p * (size_t)n;
    for (int j = 0; j < n; ++j) g[j] = c[j] - c[at->minimiser];
  }
  gannet_gemm_nn(m, n, n, 1, w->g, n, at->z, n, 0, w->zg, n);
  for (int p = 0; p < m; ++p) {
    const double *g = w->g + (size_t)p * (size_t)n, *zg = w->zg + (size_t)p * (size_t)n;
    const double own = fmax(0, sd[p] * sd[p] - gannet_dot(n, g, zg));
    const double shared =
        covariance[(size_t)p * (size_t)n + (size_t)at->minimiser] - gannet_dot(n, zg, at->h);
    const double gap = mean[p] + gannet_dot(n, g, at->w) - at->mean;
    w->logs[p] += at->weight * log(gannet_pes_truncated(own, at->variance, shared, gap) + noise);
  }
}

static void look_ahead(void *work, int m, const double *mean, const double *sd,
                       const double *covariance, double *score) {
  pes_work *w = work;
  for (int first = 0; first < m; first += ROWS) {
    const int rows = m - first < ROWS ? m - first : ROWS;
    memset(w->logs, 0, ROWS * sizeof *w->logs);
    for (int s = 0; s < w->count; ++s)
      add_given(w, &w->at[s], rows, mean + first, sd + first,
                covariance + (size_t)first * (size_t)w->reference->n);
    for (int p = 0; p < rows; ++p) {
      const double variance = sd[first + p] * sd[first + p];
      const double before = log(variance + w->reference->noise_var + w->tiny);
      score[first + p] = log(fmax(0.5 * (before - w->logs[p]), 1e-12));
    }
  }
}

const gannet_acq_type gannet_acq_pes = {
    .name = "pes",
    .summary =
        "information about the minimiser by expectation propagation (predictive entropy "
        "search; its logarithm)",
    .source = "Hernandez-Lobato, Hoffman, Ghahramani 2014, eqs. (2), (9), (10)",
    .kind = GANNET_ACQ_LOOKAHEAD,
    .gain = GANNET_ACQ_LOG_GAIN,
    .options = option_table,
    .options_size = sizeof(gannet_acq_draws),
    .wants_reference = true,
    .prepare = prepare,
    .look_ahead = look_ahead,
    .release = release,
};
