/* cov(x, z) = s^2 (k(x, z) - (L^-1 k(x)) . (L^-1 k(z))). */
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/tangent_kernel.h"

enum { BLOCK = GANNET_TANGENT_BLOCK };

/* The other points: as a list that the kernel can be taken with, and L^-1 k(z). */
typedef struct {
  int n;
  gannet_tangent_features features; /* kernel: network */
  gannet_analytic_points *limit;    /* kernel: infinite */
  double *solved;                   /* [n][data] */
  double *prior;                    /* [BLOCK][n] */
} others;

static void drop(others *o) {
  gannet_tangent_release(&o->features);
  gannet_analytic_points_destroy(&o->limit);
  gannet_free(&o->solved);
  gannet_free(&o->prior);
}

static gannet_err make_limit(const tangent_model *t, int n, const double *z, others *o) {
  const gannet_analytic_shape shape = {.activation = gannet_activations[t->options->activation],
                                       .layers = t->options->layers,
                                       .d = t->d,
                                       .embedding = (gannet_embedding_kind)t->options->lift};
  double *rho = t->slope, bias = 0;
  tangent_scales(t, t->hyper, rho, &bias);
  GANNET_TRY(gannet_analytic_points_create(&shape, &o->limit));
  gannet_analytic_points_set_inputs(o->limit, rho, bias);
  return gannet_analytic_points_extend(o->limit, n, z);
}

/* L^-1 k(x) of a block into t->cross; features of the block into t->tile for kernel: network. */
static gannet_err solve_block(const tangent_model *t, int m, const double *x) {
  const gannet_cholesky *factor = NULL;
  double diagonal[BLOCK];
  GANNET_TRY(gannet_factor_whole(t->factor, &factor));
  GANNET_TRY(tangent_block_kernel(t, m, x, diagonal));
  if (t->n > 0) gannet_cholesky_forward(factor, m, t->cross, t->n);
  return GANNET_OK;
}

static gannet_err make(const tangent_model *t, int n, const double *z, others *o) {
  const size_t data = (size_t)t->n;
  o->n = n;
  GANNET_TRY(gannet_alloc((size_t)n * data, sizeof(double), &o->solved));
  GANNET_TRY(gannet_alloc(BLOCK * (size_t)n, sizeof(double), &o->prior));
  if (t->options->network)
    GANNET_TRY(gannet_tangent_extend(t->net, n, z, &o->features));
  else
    GANNET_TRY(make_limit(t, n, z, o));
  for (int first = 0; first < n; first += BLOCK) {
    const int rows = n - first < BLOCK ? n - first : BLOCK;
    GANNET_TRY(solve_block(t, rows, z + (size_t)first * (size_t)t->d));
    if (data > 0)
      memcpy(o->solved + (size_t)first * data, t->cross, (size_t)rows * data * sizeof(double));
  }
  return GANNET_OK;
}

static gannet_err block(const tangent_model *t, const others *o, int m, const double *x,
                        double *covariance) {
  const int n = o->n;
  GANNET_TRY(solve_block(t, m, x));
  if (t->options->network)
    gannet_tangent_kernel(t->net, t->tile, 0, m, &o->features, n, o->prior, n);
  else
    gannet_analytic_points_cross(o->limit, m, x, o->prior, n, NULL);
  memcpy(covariance, o->prior, (size_t)m * (size_t)n * sizeof *covariance);
  if (t->n > 0) gannet_gemm_nt(m, n, t->n, -1, t->cross, t->n, o->solved, t->n, 1, covariance, n);
  for (size_t i = 0; i < (size_t)m * (size_t)n; ++i) covariance[i] *= t->amplitude;
  return GANNET_OK;
}

gannet_err tangent_covariance(const void *state, int m, const double *x, int n, const double *z,
                              double *covariance) {
  const tangent_model *t = state;
  others o = {0};
  gannet_err code = make(t, n, z, &o);
  for (int first = 0; first < m && code == GANNET_OK; first += BLOCK) {
    const int rows = m - first < BLOCK ? m - first : BLOCK;
    code = block(t, &o, rows, x + (size_t)first * (size_t)t->d,
                 covariance + (size_t)first * (size_t)n);
  }
  drop(&o);
  return code;
}
