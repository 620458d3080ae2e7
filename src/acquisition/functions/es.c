/* Entropy search: how much the entropy of p_min, the probability of each reference point to be the
 * minimiser, is expected to fall by an observation at a point (Hennig and Schuler 2012, eq. (9)
 * with the loss of eq. (6) as the entropy, over a discretisation).
 *
 * Monte-Carlo takes the place of the paper's expectation propagation. With f = m + L u the function
 * on the reference points, L L^T its covariance, u ~ N(0, I), and s^2 = sd^2 + noise the variance
 * of the observation, an observation of standardised value z moves every sample by Matheron's rule:
 *
 *   f_k -> f_k + b (z - zeta_k),  b = cov(r, x) / s,  zeta_k = a . u_k + sqrt(1 - a . a) e_k,
 *   a = L^-1 b,
 *
 * where zeta_k is the observation in sample k. Samples are the same for all points; the expectation
 * over z is a trapezoidal sum. */
#include <math.h>
#include <string.h>

#include "acquisition/draws.h"
#include "acquisition/registry.h"
#include "base/memory.h"
#include "linalg/blas.h"
#include "linalg/cholesky.h"

enum { NODES = 9 };
static const double node_step = 0.8; /* from -3.2 to 3.2 */

typedef struct {
  gannet_acq_draws draws; /* first: see acquisition.h, wants_reference */
  int samples;
} es_options;

static const gannet_option es_table[] = {
    GANNET_ACQ_DRAWS_OPTION(offsetof(es_options, draws.draws)),
    {.key = "samples",
     .type = GANNET_INTEGER,
     .offset = offsetof(es_options, samples),
     .fallback = "256",
     .lower = 2,
     .upper = 1e6,
     .help = "samples of the function on the reference points"},
    {0}};

typedef struct {
  const gannet_acq_reference *reference;
  int samples;
  gannet_cholesky *factor;
  double *normal; /* [samples][n] u, then [samples] e */
  double *value;  /* [samples][n] f */
  double *work;   /* [2 n + 2 samples] */
  int *count;     /* [n] */
  double jitter;  /* added to the diagonal of the covariance */
  double entropy; /* entropy of p_min before the observation */
} es_work;

static void release(void *work) {
  es_work *w = work;
  if (!w) return;
  gannet_cholesky_destroy(&w->factor);
  gannet_free(&w->normal);
  gannet_free(&w->value);
  gannet_free(&w->work);
  gannet_free(&w->count);
  gannet_free(&w);
}

/* Rows of the covariance with jitter: a gannet_kernel_rows. */
static gannet_err covariance_rows(void *user, int first, int rows, double *k, int ldk) {
  const es_work *w = user;
  const size_t n = (size_t)w->reference->n;
  for (int i = 0; i < rows; ++i) {
    const size_t row = (size_t)(first + i);
    double *to = k + (size_t)i * (size_t)ldk;
    memcpy(to, w->reference->covariance + row * n, (row + 1) * sizeof *to);
    to[row] += w->jitter;
  }
  return GANNET_OK;
}

/* Reference points may coincide, and covariances may be estimates: the diagonal is raised until
 * there is a factor. */
static gannet_err factorise_covariance(es_work *w) {
  const int n = w->reference->n;
  double size = 1e-300;
  for (int i = 0; i < n; ++i)
    size = fmax(size, w->reference->covariance[(size_t)i * (size_t)n + (size_t)i]);
  for (w->jitter = 1e-10 * size; w->jitter < 2 * size; w->jitter *= 10) {
    const gannet_err code = gannet_cholesky_extend(w->factor, n, covariance_rows, w);
    if (code != GANNET_ERR_NUMERIC) return code;
    gannet_error_clear();
    gannet_cholesky_clear(w->factor);
  }
  return GANNET_RAISE(GANNET_ERR_NUMERIC, "covariance of %d reference points", n);
}

/* Entropy of p_min when every sample k is moved by b (z - zeta[k]); b NULL = not moved. */
static double moved_entropy(es_work *w, const double *b, const double *zeta, double z) {
  const int n = w->reference->n;
  memset(w->count, 0, (size_t)n * sizeof *w->count);
  for (int k = 0; k < w->samples; ++k) {
    const double *f = w->value + (size_t)k * (size_t)n, step = b ? z - zeta[k] : 0;
    double least = INFINITY;
    int at = 0;
    for (int i = 0; i < n; ++i) {
      const double value = b ? f[i] + b[i] * step : f[i];
      if (value < least) least = value, at = i;
    }
    ++w->count[at];
  }
  double entropy = 0;
  for (int i = 0; i < n; ++i) {
    const double p = (double)w->count[i] / w->samples;
    if (p > 0) entropy -= p * log(p);
  }
  return entropy;
}

/* f = m + L u, row by row. The factor only solves, so L u is made as C L^-T u with C = L L^T. */
static void draw_samples(es_work *w) {
  const int n = w->reference->n;
  const size_t size = (size_t)w->samples * (size_t)n;
  memcpy(w->value, w->normal, size * sizeof *w->value);
  gannet_cholesky_backward(w->factor, w->samples, w->value, n);
  for (int k = 0; k < w->samples; ++k) {
    double *row = w->value + (size_t)k * (size_t)n;
    memcpy(w->work, row, (size_t)n * sizeof *row);
    gannet_gemv_n(n, n, 1, w->reference->covariance, n, w->work, w->jitter, row);
    for (int i = 0; i < n; ++i) row[i] += w->reference->mean[i];
  }
}

static gannet_err prepare(const void *options, const gannet_acq_state *state, void **work) {
  const es_options *o = options;
  const gannet_acq_reference *reference = state->reference;
  const size_t n = (size_t)reference->n, samples = (size_t)o->samples;
  es_work *w = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *w, &w));
  *work = w;
  w->reference = reference;
  w->samples = o->samples;
  GANNET_TRY(gannet_alloc(samples * (n + 1), sizeof(double), &w->normal));
  GANNET_TRY(gannet_alloc(samples * n, sizeof(double), &w->value));
  GANNET_TRY(gannet_alloc(2 * n + 2 * samples, sizeof(double), &w->work));
  GANNET_TRY(gannet_alloc(n, sizeof *w->count, &w->count));
  GANNET_TRY(gannet_cholesky_create(&w->factor));
  GANNET_TRY(factorise_covariance(w));
  gannet_random_normal(w->reference->stream, 0, samples * (n + 1), w->normal);
  draw_samples(w);
  w->entropy = moved_entropy(w, NULL, NULL, 0);
  return GANNET_OK;
}

/* Expected fall of the entropy by an observation with this b. */
static double information(es_work *w, const double *b) {
  const int n = w->reference->n;
  double *a = w->work + n, *zeta = a + n, left = 0, sum = 0, weights = 0;
  const double *extra = w->normal + (size_t)w->samples * (size_t)n;
  memcpy(a, b, (size_t)n * sizeof *a);
  gannet_cholesky_forward(w->factor, 1, a, n);
  left = sqrt(fmax(0, 1 - gannet_dot(n, a, a)));
  gannet_gemv_n(w->samples, n, 1, w->normal, n, a, 0, zeta);
  for (int k = 0; k < w->samples; ++k) zeta[k] += left * extra[k];
  for (int j = 0; j < NODES; ++j) {
    const double z = node_step * (j - NODES / 2), weight = exp(-0.5 * z * z);
    sum += weight * moved_entropy(w, b, zeta, z);
    weights += weight;
  }
  return w->entropy - sum / weights;
}

static void look_ahead(void *work, int m, const double *mean, const double *sd,
                       const double *covariance, double *score) {
  es_work *w = work;
  const int n = w->reference->n;
  (void)mean;
  for (int p = 0; p < m; ++p) {
    const double variance = sd[p] * sd[p] + w->reference->noise_var;
    const double factor = variance > 0 ? 1 / sqrt(variance) : 0;
    for (int i = 0; i < n; ++i) w->work[i] = factor * covariance[(size_t)p * (size_t)n + (size_t)i];
    score[p] = log(fmax(information(w, w->work), 1e-12));
  }
}

const gannet_acq_type gannet_acq_es = {
    .name = "es",
    .summary = "information about the minimiser by Monte-Carlo (entropy search; its logarithm)",
    .source = "Hennig, Schuler 2012",
    .kind = GANNET_ACQ_LOOKAHEAD,
    .gain = GANNET_ACQ_LOG_GAIN,
    .options = es_table,
    .options_size = sizeof(es_options),
    .wants_reference = true,
    .rough = true,
    .prepare = prepare,
    .look_ahead = look_ahead,
    .release = release,
};
