/* Draws of a Gaussian process by decoupled sampling: Wilson et al. 2020, eq. (12).
 *
 *   f(x) = mean + prior(x) + k(x, X) K^-1 (y - mean - prior(X) - noise)
 *
 * The prior part is a sum of random Fourier features (Rahimi and Recht 2007), a cosine and a sine
 * of each frequency, so that its variance is right at every point; the correction by the data is
 * exact.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "linalg/blas.h"
#include "surrogate/models/gp/gp.h"

void gp_release_draws(gp *g) {
  gannet_free(&g->draws.frequency);
  gannet_free(&g->draws.across);
  gannet_free(&g->draws.normal);
  gannet_free(&g->draws.weight);
  gannet_free(&g->draws.update);
  gannet_free(&g->draws.feature);
  gannet_free(&g->draws.values);
  gannet_free(&g->draws.sum);
  g->draws = (gp_draws){0};
}

static gannet_err allocate_draws(gp *g, int q) {
  gp_draws *w = &g->draws;
  const size_t half = (size_t)(g->options->features + 1) / 2;
  w->half = (int)half;
  GANNET_TRY(gannet_alloc(half * (size_t)g->d, sizeof(double), &w->frequency));
  GANNET_TRY(gannet_alloc(half * (size_t)g->d, sizeof(double), &w->across));
  GANNET_TRY(gannet_alloc((size_t)(g->d + g->kernel->freedom), sizeof(double), &w->normal));
  GANNET_TRY(gannet_alloc((size_t)q * 2 * half, sizeof(double), &w->weight));
  GANNET_TRY(gannet_alloc(2 * (size_t)q * (size_t)g->n, sizeof(double), &w->update));
  GANNET_TRY(gannet_alloc((size_t)GP_BLOCK * 2 * half, sizeof(double), &w->feature));
  GANNET_TRY(gannet_alloc((size_t)GP_BLOCK * (size_t)q, sizeof(double), &w->values));
  GANNET_TRY(gannet_alloc((size_t)g->n, sizeof(double), &w->sum));
  w->q = q;
  return GANNET_OK;
}

/* Normal vectors, divided by the root of a chi-squared number per degree of freedom where the
 * spectral density is a Student t. Row j of the stream holds d normals and those of its
 * chi-squared. */
static void draw_frequencies(gp *g, int64_t iteration, const gannet_stride *own) {
  const gp_draws *w = &g->draws;
  const int d = g->d, freedom = g->kernel->freedom;
  const uint64_t row = (uint64_t)(d + freedom);
  const gannet_stream stream = gannet_stream_of(g->streams, GANNET_FOR_PRIOR, iteration, 0);
  for (int j = own->first; j < w->half; j += own->step) {
    double *to = w->frequency + (size_t)j * (size_t)d, sum = 0;
    gannet_random_normal(stream, (uint64_t)j * row, row, w->normal);
    for (int k = 0; k < freedom; ++k) sum += w->normal[d + k] * w->normal[d + k];
    const double scale = freedom > 0 ? sqrt(freedom / sum) : 1;
    for (int k = 0; k < d; ++k) to[k] = scale * w->normal[k];
  }
}

/* Cosines, then sines, of all points of g->block. */
static void make_features(const gp *g) {
  const gp_draws *w = &g->draws;
  const int half = w->half;
  gannet_gemm_nt(GP_BLOCK, half, g->d, 1, g->block, g->d, w->frequency, g->d, 0, w->feature,
                 2 * half);
  for (int i = 0; i < GP_BLOCK; ++i) {
    double *row = w->feature + (size_t)i * 2 * (size_t)half;
    gannet_waves(half, row, row, row + half);
  }
}

/* Prior values at data points into update [q][n]. */
static void prior_at_data(gp *g, const gannet_stride *own) {
  const gp_draws *w = &g->draws;
  const size_t d = (size_t)g->d;
  for (int first = own->first * GP_BLOCK; first < g->n; first += own->step * GP_BLOCK) {
    const int rows = g->n - first < GP_BLOCK ? g->n - first : GP_BLOCK;
    memcpy(g->block, g->z + (size_t)first * d, (size_t)rows * d * sizeof *g->z);
    make_features(g);
    gannet_gemm_nt(w->q, rows, 2 * w->half, 1, w->weight, 2 * w->half, w->feature, 2 * w->half, 0,
                   w->update + first, g->n);
  }
}

/* Weights of the features [q][2 half], of standard deviation sqrt(variance / half). */
static void draw_weights(gp *g, int64_t iteration, const gannet_stride *own) {
  const gp_draws *w = &g->draws;
  const size_t features = 2 * (size_t)w->half;
  const double scale = sqrt(g->variance / w->half);
  for (int j = own->first; j < w->q; j += own->step) {
    double *row = w->weight + (size_t)j * features;
    gannet_random_normal(gannet_stream_of(g->streams, GANNET_FOR_PRIOR, iteration, 1 + j), 0,
                         features, row);
    for (size_t k = 0; k < features; ++k) row[k] *= scale;
  }
}

/* update = K^-1 (y - mean) - exploration K^-1 (prior + noise). */
static gannet_err make_updates(gp *g, double exploration, int64_t iteration,
                               const gannet_stride *own) {
  const gp_draws *w = &g->draws;
  const size_t n = (size_t)g->n;
  prior_at_data(g, own);
  GANNET_TRY(gannet_inducing_perturb(g->inducing, g->noise, own,
                                     gannet_stream_of(g->streams, GANNET_FOR_NOISE, iteration, 0),
                                     w->q, g->n, w->update));
  GANNET_TRY(gannet_factor_solve(g->factor, w->q, w->update, g->n));
  for (int j = 0; j < w->q; ++j) {
    double *row = w->update + (size_t)j * n;
    for (size_t i = 0; i < n; ++i) row[i] = g->solved[i] - exploration * row[i];
  }
  return GANNET_OK;
}

/* Draws with fewer numbers are made by every rank: messages would take longer. */
enum { NUMBERS_ALONE = 1 << 13 };

static gannet_err draw_prior(gp *g, int64_t iteration, const gannet_stride *own) {
  const gp_draws *w = &g->draws;
  const MPI_Comm comm = g->context->comm;
  draw_frequencies(g, iteration, own);
  draw_weights(g, iteration, own);
  if (own->shared) {
    GANNET_TRY(gannet_partition_gather(comm, (size_t)w->half * (size_t)g->d, w->frequency));
    GANNET_TRY(gannet_partition_gather(comm, 2 * (size_t)w->q * (size_t)w->half, w->weight));
  }
  gp_transpose(w->half, g->d, w->frequency, w->across);
  return GANNET_OK;
}

gannet_err gp_sample(void *state, int q, double exploration, int64_t iteration) {
  gp *g = state;
  gp_release_draws(g);
  GANNET_TRY(gannet_agree(g->context->comm, allocate_draws(g, q)));
  const size_t weights = (size_t)q * 2 * (size_t)g->draws.half;
  const gannet_stride own =
      gannet_stride_of(g->context->rank, g->context->np,
                       (double)weights + (double)q * (double)g->n >= NUMBERS_ALONE);
  GANNET_TRY(draw_prior(g, iteration, &own));
  if (g->n > 0) GANNET_TRY(make_updates(g, exploration, iteration, &own));
  for (size_t k = 0; k < weights; ++k) g->draws.weight[k] *= exploration;
  return GANNET_OK;
}

/* All of a block, so that every point has the same bits in any place; m of them are wanted. */
static void block_values(const gp *g, int m, double *values, int ldv) {
  const gp_draws *w = &g->draws;
  make_features(g);
  gannet_gemm_nt(w->q, GP_BLOCK, 2 * w->half, 1, w->weight, 2 * w->half, w->feature, 2 * w->half, 0,
                 w->values, GP_BLOCK);
  if (g->n > 0) {
    gp_cross(g, GP_BLOCK);
    gannet_gemm_nt(w->q, GP_BLOCK, g->n, 1, w->update, g->n, g->cross, g->n, 1, w->values,
                   GP_BLOCK);
  }
  for (int j = 0; j < w->q; ++j)
    for (int i = 0; i < m; ++i)
      values[(size_t)j * (size_t)ldv + (size_t)i] = w->values[j * GP_BLOCK + i] + g->mean;
}

gannet_err gp_draw_values(const void *state, int m, const double *x, double *values, int ldv) {
  const gp *g = state;
  for (int first = 0; first < m; first += GP_BLOCK) {
    const int rows = m - first < GP_BLOCK ? m - first : GP_BLOCK;
    gp_scale_block(g, rows, x + (size_t)first * (size_t)g->d);
    block_values(g, rows, values + first, ldv);
  }
  return GANNET_OK;
}

/* From the prior: d sum_j (a_j cos w_j.z + b_j sin w_j.z) / dz = sum_j (b_j cos - a_j sin) w_j. */
static void prior_gradient(const gp *g, const double *weight, double *value, double *gradient) {
  const int d = g->d, half = g->draws.half;
  double *cosine = g->draws.feature, *sine = cosine + half;
  gannet_gemv_t(d, half, 1, g->draws.across, half, g->block, 0, cosine);
  gannet_waves(half, cosine, cosine, sine);
  *value = gannet_dot(2 * half, weight, cosine);
  for (int j = 0; j < half; ++j) cosine[j] = weight[half + j] * cosine[j] - weight[j] * sine[j];
  gannet_gemv_n(d, half, 1, g->draws.across, half, cosine, 0, gradient);
  for (int k = 0; k < d; ++k) gradient[k] /= g->length[k];
}

gannet_err gp_draw_gradient(const void *state, int draw, const double *x, double *value,
                            double *gradient) {
  const gp *g = state;
  const gp_draws *w = &g->draws;
  const double *update = w->update + (size_t)draw * (size_t)g->n;
  gp_scale_block(g, 1, x);
  prior_gradient(g, w->weight + (size_t)draw * 2 * (size_t)w->half, value, gradient);
  *value += g->mean;
  if (g->n == 0) return GANNET_OK;
  double *more = g->block + g->d; /* the place of another point */
  gp_cross_one(g, 0);
  *value += gannet_dot(g->n, update, g->cross);
  gp_cross_gradient(g, 0, update, more);
  for (int k = 0; k < g->d; ++k) gradient[k] += more[k];
  return GANNET_OK;
}

gannet_err gp_draws_at(const void *state, const double *x, double *values) {
  const gp *g = state;
  const gp_draws *w = &g->draws;
  double *cosine = w->feature, *sine = cosine + w->half;
  gp_scale_block(g, 1, x);
  gannet_gemv_t(g->d, w->half, 1, w->across, w->half, g->block, 0, cosine);
  gannet_waves(w->half, cosine, cosine, sine);
  gannet_gemv_n(w->q, 2 * w->half, 1, w->weight, 2 * w->half, cosine, 0, values);
  if (g->n > 0) {
    gp_cross_one(g, 0);
    gannet_gemv_n(w->q, g->n, 1, w->update, g->n, g->cross, 1, values);
  }
  for (int j = 0; j < w->q; ++j) values[j] += g->mean;
  return GANNET_OK;
}

/* The gradient of one function whose weights are the weighted sums of those of all draws. */
gannet_err gp_draws_slope(const void *state, const double *x, const double *weights,
                          double *gradient) {
  const gp *g = state;
  const gp_draws *w = &g->draws;
  double *of_features = w->feature + 2 * (size_t)w->half; /* the place of another point */
  double value = 0;
  gp_scale_block(g, 1, x);
  gannet_gemv_t(w->q, 2 * w->half, 1, w->weight, 2 * w->half, weights, 0, of_features);
  prior_gradient(g, of_features, &value, gradient);
  if (g->n == 0) return GANNET_OK;
  double *of_data = w->sum, *more = g->block + g->d;
  gannet_gemv_t(w->q, g->n, 1, w->update, g->n, weights, 0, of_data);
  gp_cross_one(g, 0);
  gp_cross_gradient(g, 0, of_data, more);
  for (int k = 0; k < g->d; ++k) gradient[k] += more[k];
  return GANNET_OK;
}
