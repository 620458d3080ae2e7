/* The kernel between points and the data of a Gaussian process. */
#include <string.h>

#include "linalg/blas.h"
#include "surrogate/gp.h"

/* Rows of g->cross at a few points. */
enum { KERNEL = 0, SLOPE = GP_FEW, WEIGHT = 2 * GP_FEW };

_Static_assert((int)WEIGHT < (int)GP_BLOCK, "cross has rows for all of these");

static double *norms_of(const gp *g) {
  return g->block + (size_t)GP_BLOCK * (size_t)g->d;
}

static double *row_of(const gp *g, int i) {
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

void gp_turn(int n, int d, const double *z, double *across) {
  for (size_t i = 0; i < (size_t)n; ++i)
    for (size_t k = 0; k < (size_t)d; ++k) across[k * (size_t)n + i] = z[i * (size_t)d + k];
}

void gp_take_block(const gp *g, int m, const double *x) {
  gp_scale(g, m, x, g->block, norms_of(g));
}

void gp_to_kernel(const gp *g, int n, double *row) {
  g->kernel->value(n, row, row);
  for (int j = 0; j < n; ++j) row[j] *= g->variance;
}

void gp_cross(const gp *g, int m) {
  if (g->n == 0) return;
  gannet_gemm_nt_by_groups(GP_BLOCK, g->n, g->d, -2, g->block, g->z, g->cross, g->n, g->rest);
  for (int i = 0; i < m; ++i) {
    gannet_add_norms(g->n, norms_of(g)[i], g->norm, row_of(g, i));
    gp_to_kernel(g, g->n, row_of(g, i));
  }
}

void gp_cross_one(const gp *g, int point) {
  const int n = g->n;
  double *row = row_of(g, KERNEL + point), *slope = row_of(g, SLOPE + point);
  gannet_gemv_t(g->d, n, -2, g->across, n, g->block + (size_t)point * (size_t)g->d, 0, row);
  gannet_add_norms(n, norms_of(g)[point], g->norm, row);
  g->kernel->both(n, row, row, slope);
  for (int i = 0; i < n; ++i) {
    row[i] *= g->variance;
    slope[i] *= g->variance;
  }
}

/* d r^2 / dx_k = 2 (z_k - z_ik) / length_k */
void gp_cross_gradient(const gp *g, int point, const double *weight, double *gradient) {
  const int n = g->n, d = g->d;
  double *by = row_of(g, WEIGHT), sum = 0;
  const double *slope = row_of(g, SLOPE + point), *at = g->block + (size_t)point * (size_t)d;
  for (int i = 0; i < n; ++i) {
    by[i] = -2 * weight[i] * slope[i];
    sum -= by[i];
  }
  for (int k = 0; k < d; ++k) gradient[k] = sum * at[k];
  gannet_gemv_n(d, n, 1, g->across, n, by, 1, gradient);
  for (int k = 0; k < d; ++k) gradient[k] /= g->length[k];
}
