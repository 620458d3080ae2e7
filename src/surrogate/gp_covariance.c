/* cov(x, z) = k(x, z) - (L^-1 k(X, x)) . (L^-1 k(X, z)); the estimated mean is held. */
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/gp.h"

/* The other points: scaled, with norms, and L^-1 k(X, z). */
typedef struct {
  double *scaled, *norm, *solved;
} others;

static void drop(others *o) {
  gannet_free(&o->scaled);
  gannet_free(&o->norm);
  gannet_free(&o->solved);
}

static const double *norms_of_block(const gp *g) {
  return g->block + (size_t)GP_BLOCK * (size_t)g->d;
}

/* Scaled points into g->block, L^-1 k(X, .) into g->cross. */
static void solve_block(const gp *g, const gannet_cholesky *factor, int m, const double *x) {
  gp_take_block(g, m, x);
  if (g->n == 0) return;
  gp_cross(g, m);
  gannet_cholesky_forward(factor, m, g->cross, g->n);
}

static gannet_err make(const gp *g, const gannet_cholesky *factor, int n, const double *z,
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
    memcpy(o->norm + at, norms_of_block(g), rows * sizeof(double));
    if (data > 0) memcpy(o->solved + at * data, g->cross, rows * data * sizeof(double));
  }
  return GANNET_OK;
}

static void block(const gp *g, const others *o, int m, int n, double *covariance) {
  const size_t length = (size_t)m * (size_t)n;
  gannet_row_distances(m, n, g->d, g->block, norms_of_block(g), o->scaled, o->norm, covariance, n);
  gp_to_kernel(g, (int)length, covariance);
  if (g->n > 0) gannet_gemm_nt(m, n, g->n, -1, g->cross, g->n, o->solved, g->n, 1, covariance, n);
}

gannet_err gp_covariance(const void *state, int m, const double *x, int n, const double *z,
                         double *covariance) {
  const gp *g = state;
  const gannet_cholesky *factor = NULL;
  others o = {0};
  if (g->n > 0) GANNET_TRY(gannet_factor_whole(g->factor, &factor));
  const gannet_err code = make(g, factor, n, z, &o);
  for (int first = 0; first < m && code == GANNET_OK; first += GP_BLOCK) {
    const int rows = m - first < GP_BLOCK ? m - first : GP_BLOCK;
    solve_block(g, factor, rows, x + (size_t)first * (size_t)g->d);
    block(g, &o, rows, n, covariance + (size_t)first * (size_t)n);
  }
  drop(&o);
  return code;
}
