/* Kernel rows, moments and covariances of a Gaussian process: Rasmussen and Williams 2006, eqs.
 * (2.25), (2.26). With X the data, alpha = K^-1 (y - mean) and K = L L^T,
 *
 *   mean(x) = mean + k(x, X) alpha,   cov(x, z) = k(x, z) - (L^-1 k(X, x)) . (L^-1 k(X, z)).
 *
 * The estimated mean is held: its own uncertainty is not counted.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/models/gp/gp.h"

/* Rows of g->cross when gradients at a few points are wanted: kernels from row 0 on, then slopes.
 */
enum { SLOPE_ROWS = GP_FEW, WORK_ROW = 2 * GP_FEW };

_Static_assert((int)WORK_ROW < (int)GP_BLOCK, "cross has rows for all of these");

static double *block_norms(const gp *g) {
  return g->block + (size_t)GP_BLOCK * (size_t)g->d;
}

static double *cross_row(const gp *g, int i) {
  return g->cross + (size_t)i * (size_t)g->n;
}

void gp_scale(const gp *g, int m, const double *x, double *z, double *norm) {
  const int d = g->d;
  for (int i = 0; i < m; ++i)
    for (int k = 0; k < d; ++k) {
      const size_t at = (size_t)i * (size_t)d + (size_t)k;
      z[at] = (x[at] - 0.5) / g->length[k];
    }
  if (norm) gannet_row_norms(m, d, z, norm);
}

void gp_transpose(int n, int d, const double *z, double *across) {
  for (size_t i = 0; i < (size_t)n; ++i)
    for (size_t k = 0; k < (size_t)d; ++k) across[k * (size_t)n + i] = z[i * (size_t)d + k];
}

void gp_scale_block(const gp *g, int m, const double *x) {
  gp_scale(g, m, x, g->block, block_norms(g));
}

void gp_to_kernel(const gp *g, int n, double *row) {
  g->kernel->value(n, row, row);
  for (int j = 0; j < n; ++j) row[j] *= g->variance;
}

void gp_cross(const gp *g, int m) {
  if (g->n == 0) return;
  gannet_gemm_nt_by_groups(GP_BLOCK, g->n, g->d, -2, g->block, g->z, g->cross, g->n, g->rest);
  for (int i = 0; i < m; ++i) {
    gannet_add_norms(g->n, block_norms(g)[i], g->norm, cross_row(g, i));
    gp_to_kernel(g, g->n, cross_row(g, i));
  }
}

void gp_cross_one(const gp *g, int point) {
  const int n = g->n;
  double *row = cross_row(g, point), *slope = cross_row(g, SLOPE_ROWS + point);
  gannet_gemv_t(g->d, n, -2, g->across, n, g->block + (size_t)point * (size_t)g->d, 0, row);
  gannet_add_norms(n, block_norms(g)[point], g->norm, row);
  g->kernel->both(n, row, row, slope);
  for (int i = 0; i < n; ++i) {
    row[i] *= g->variance;
    slope[i] *= g->variance;
  }
}

/* d r^2 / dx_k = 2 (z_k - z_ik) / length_k */
void gp_cross_gradient(const gp *g, int point, const double *weight, double *gradient) {
  const int n = g->n, d = g->d;
  double *by = cross_row(g, WORK_ROW), sum = 0;
  const double *slope = cross_row(g, SLOPE_ROWS + point),
               *at = g->block + (size_t)point * (size_t)d;
  for (int i = 0; i < n; ++i) {
    by[i] = -2 * weight[i] * slope[i];
    sum -= by[i];
  }
  for (int k = 0; k < d; ++k) gradient[k] = sum * at[k];
  gannet_gemv_n(d, n, 1, g->across, n, by, 1, gradient);
  for (int k = 0; k < d; ++k) gradient[k] /= g->length[k];
}

/* At the points of a block: the mean, and the variance by one triangular solve per point. */
static gannet_err predict_block(const gp *g, int m, const double *x, double *mean, double *sd) {
  const int n = g->n;
  const gannet_cholesky *factor = NULL;
  if (sd) GANNET_TRY(gannet_factor_whole(g->factor, &factor));
  gp_scale_block(g, m, x);
  gp_cross(g, m);
  for (int i = 0; i < m; ++i) mean[i] = g->mean + gannet_dot(n, cross_row(g, i), g->solved);
  if (!sd) return GANNET_OK;
  gannet_cholesky_forward(factor, m, g->cross, n);
  for (int i = 0; i < m; ++i) {
    const double *row = cross_row(g, i);
    sd[i] = sqrt(fmax(0, g->variance - gannet_dot(n, row, row)));
  }
  return GANNET_OK;
}

gannet_err gp_predict(const void *state, int m, const double *x, double *mean, double *sd) {
  const gp *g = state;
  if (g->n == 0) {
    for (int i = 0; i < m; ++i) mean[i] = g->mean;
    for (int i = 0; sd && i < m; ++i) sd[i] = sqrt(g->variance);
    return GANNET_OK;
  }
  for (int first = 0; first < m; first += GP_BLOCK) {
    const int rows = m - first < GP_BLOCK ? m - first : GP_BLOCK;
    GANNET_TRY(predict_block(g, rows, x + (size_t)first * (size_t)g->d, mean + first,
                             sd ? sd + first : NULL));
  }
  return GANNET_OK;
}

/* At m <= GP_FEW points, whose kernels are solved for at once. */
static gannet_err predict_few(const gp *g, int m, const double *x, double *mean, double *sd,
                              double *mean_gradients, double *sd_gradients) {
  const int n = g->n;
  const size_t d = (size_t)g->d;
  gp_scale_block(g, m, x);
  for (int i = 0; i < m; ++i) {
    gp_cross_one(g, i);
    mean[i] = g->mean + gannet_dot(n, cross_row(g, i), g->solved);
    gp_cross_gradient(g, i, g->solved, mean_gradients + (size_t)i * d);
  }
  GANNET_TRY(gannet_factor_forward(g->factor, m, g->cross, n));
  for (int i = 0; i < m; ++i) {
    const double *row = cross_row(g, i);
    sd[i] = sqrt(fmax(0, g->variance - gannet_dot(n, row, row)));
  }
  GANNET_TRY(gannet_factor_backward(g->factor, m, g->cross, n));
  for (int i = 0; i < m; ++i) {
    if (sd[i] <= 0) continue;
    double *gradient = sd_gradients + (size_t)i * d;
    gp_cross_gradient(g, i, cross_row(g, i), gradient);
    for (size_t k = 0; k < d; ++k) gradient[k] /= -sd[i];
  }
  return GANNET_OK;
}

gannet_err gp_predict_gradients(const void *state, int m, const double *x, double *mean, double *sd,
                                double *mean_gradients, double *sd_gradients) {
  const gp *g = state;
  const size_t d = (size_t)g->d;
  memset(mean_gradients, 0, (size_t)m * d * sizeof *mean_gradients);
  memset(sd_gradients, 0, (size_t)m * d * sizeof *sd_gradients);
  for (int i = 0; i < m; ++i) {
    mean[i] = g->mean;
    sd[i] = sqrt(g->variance);
  }
  for (int first = 0; first < m && g->n > 0; first += GP_FEW) {
    const size_t at = (size_t)first * d;
    GANNET_TRY(predict_few(g, m - first < GP_FEW ? m - first : GP_FEW, x + at, mean + first,
                           sd + first, mean_gradients + at, sd_gradients + at));
  }
  return GANNET_OK;
}

/* Scaled points into g->block, L^-1 k(X, .) into g->cross. */
static void solve_block(const gp *g, const gannet_cholesky *factor, int m, const double *x) {
  gp_scale_block(g, m, x);
  if (g->n == 0) return;
  gp_cross(g, m);
  gannet_cholesky_forward(factor, m, g->cross, g->n);
}

/* The second points z of a covariance. */
typedef struct {
  double *scaled; /* [n][d] */
  double *norm;   /* [n] squared norms of these */
  double *solved; /* [n][data] L^-1 k(X, z) */
} others;

static gannet_err prepare_others(const gp *g, const gannet_cholesky *factor, int n, const double *z,
                                 others *o) {
  const size_t d = (size_t)g->d, data = (size_t)g->n;
  GANNET_TRY(gannet_alloc((size_t)n * d, sizeof(double), &o->scaled));
  GANNET_TRY(gannet_alloc((size_t)n, sizeof(double), &o->norm));
  GANNET_TRY(gannet_alloc((size_t)n * data, sizeof(double), &o->solved));
  for (int first = 0; first < n; first += GP_BLOCK) {
    const int m = n - first < GP_BLOCK ? n - first : GP_BLOCK;
    const size_t at = (size_t)first, rows = (size_t)m;
    solve_block(g, factor, m, z + at * d);
    memcpy(o->scaled + at * d, g->block, rows * d * sizeof(double));
    memcpy(o->norm + at, block_norms(g), rows * sizeof(double));
    if (data > 0) memcpy(o->solved + at * data, g->cross, rows * data * sizeof(double));
  }
  return GANNET_OK;
}

gannet_err gp_covariance(const void *state, int m, const double *x, int n, const double *z,
                         double *covariance) {
  const gp *g = state;
  const gannet_cholesky *factor = NULL;
  others o = {0};
  if (g->n > 0) GANNET_TRY(gannet_factor_whole(g->factor, &factor));
  const gannet_err code = prepare_others(g, factor, n, z, &o);
  for (int first = 0; first < m && code == GANNET_OK; first += GP_BLOCK) {
    const int rows = m - first < GP_BLOCK ? m - first : GP_BLOCK;
    double *to = covariance + (size_t)first * (size_t)n;
    solve_block(g, factor, rows, x + (size_t)first * (size_t)g->d);
    gannet_row_distances(rows, n, g->d, g->block, block_norms(g), o.scaled, o.norm, to, n);
    gp_to_kernel(g, rows * n, to);
    if (g->n > 0) gannet_gemm_nt(rows, n, g->n, -1, g->cross, g->n, o.solved, g->n, 1, to, n);
  }
  gannet_free(&o.scaled);
  gannet_free(&o.norm);
  gannet_free(&o.solved);
  return code;
}
