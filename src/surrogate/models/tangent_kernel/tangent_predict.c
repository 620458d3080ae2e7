/* Moments of the tangent-kernel model and their gradients, in the dual form: with L L^T = K +
 * lambda I,
 *
 *   mean(x) = k(x)^T alpha,   cov(x, z) = s^2 (k(x, z) - (L^-1 k(x)) . (L^-1 k(z))).
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/models/tangent_kernel/tangent_kernel.h"

enum { BLOCK = GANNET_TANGENT_BLOCK };

const double *tangent_alpha_of(const tangent_model *t) {
  tangent_alpha *alpha = t->alpha;
  const gannet_cholesky *factor = gannet_factor_replicated(t->factor);
  if (alpha->known || !factor) return alpha->values;
  memcpy(alpha->values, t->y, (size_t)t->n * sizeof *alpha->values);
  gannet_cholesky_solve(factor, 1, alpha->values, t->n);
  alpha->known = true;
  return alpha->values;
}

gannet_err tangent_block_kernel(const tangent_model *t, int m, const double *x, double *diagonal) {
  if (!t->options->network) {
    gannet_analytic_points_cross(t->limit, m, x, t->cross, t->n, diagonal);
    if (t->share > 0)
      tangent_additive_mix_cross(t->additive, t->share, m, x, t->cross, t->n, diagonal);
    return GANNET_OK;
  }
  t->tile->n = 0;
  GANNET_TRY(gannet_tangent_extend(t->net, m, x, t->tile));
  gannet_tangent_diagonal(t->net, t->tile, 0, m, diagonal);
  if (t->n > 0) gannet_tangent_kernel(t->net, t->tile, 0, m, &t->data, t->n, t->cross, t->n);
  return GANNET_OK;
}

/* var = s^2 (k(x,x) - |L^-1 k(x)|^2). Leaves L^-1 k in cross. */
static gannet_err block_moments(const tangent_model *t, int m, const double *x, double *mean,
                                double *sd) {
  const int n = t->n;
  const double *alpha = n > 0 && !t->trained ? tangent_alpha_of(t) : NULL;
  GANNET_TRY(tangent_block_kernel(t, m, x, sd));
  for (int i = 0; i < m; ++i)
    mean[i] = alpha ? gannet_dot(n, t->cross + (size_t)i * (size_t)n, alpha) : 0;
  if (t->trained) tangent_mean_add(t->trained, m, x, 1, mean, m);
  GANNET_TRY(gannet_factor_forward(t->factor, m, t->cross, n));
  for (int i = 0; i < m; ++i) {
    const double *row = t->cross + (size_t)i * (size_t)n;
    const double gained = n > 0 ? gannet_dot(n, row, row) : 0;
    sd[i] = sqrt(t->amplitude * fmax(0, sd[i] - gained));
  }
  return GANNET_OK;
}

void tangent_add_cross(const tangent_model *t, double share, int m, const double *x, int q,
                       const double *weights, double *values, int ldv) {
  if (t->n == 0) return;
  gannet_analytic_points_cross(t->limit, m, x, t->cross, t->n, NULL);
  if (share > 0) tangent_additive_mix_cross(t->additive, share, m, x, t->cross, t->n, NULL);
  for (int j = 0; j < q; ++j)
    for (int i = 0; i < m; ++i)
      values[(size_t)j * (size_t)ldv + (size_t)i] +=
          gannet_dot(t->n, t->cross + (size_t)i * (size_t)t->n, weights + (size_t)j * (size_t)t->n);
}

static void mean_values(const tangent_model *t, int m, const double *x, double *mean) {
  if (t->options->network && !t->trained) {
    gannet_tangent_values(t->net, &t->mean, m, x, mean, m);
    return;
  }
  memset(mean, 0, (size_t)m * sizeof *mean);
  if (t->trained) {
    tangent_mean_add(t->trained, m, x, 1, mean, m);
    return;
  }
  for (int first = 0; first < m; first += BLOCK)
    tangent_add_cross(t, t->share, m - first < BLOCK ? m - first : BLOCK,
                      x + (size_t)first * (size_t)t->d, 1, tangent_alpha_of(t), mean + first, m);
}

gannet_err tangent_predict(const void *state, int m, const double *x, double *mean, double *sd) {
  const tangent_model *t = state;
  if (!sd) {
    mean_values(t, m, x, mean);
    return GANNET_OK;
  }
  for (int first = 0; first < m; first += BLOCK) {
    const int rows = m - first < BLOCK ? m - first : BLOCK;
    GANNET_TRY(block_moments(t, rows, x + (size_t)first * (size_t)t->d, mean + first, sd + first));
  }
  return GANNET_OK;
}

/* With delta = phi(x0) - Phi^T beta, beta = (K + lambda I)^-1 k(x0), the variance is s^2
 * phi(x0).delta at x0, and half its gradient is that of x -> s^2 phi(x).delta. */
static gannet_err network_sd_gradient(const tangent_model *t, const double *x,
                                      const double *minus_beta, double *gradient) {
  const double one = 1;
  double variance = 0;
  GANNET_TRY(gannet_tangent_transpose(t->net, t->tile, &one, 1, 0, t->spread));
  if (t->n > 0)
    GANNET_TRY(gannet_tangent_transpose(t->net, &t->data, minus_beta, t->n, 1, t->spread));
  gannet_tangent_gradient(t->net, t->spread, 0, x, &variance, gradient);
  return GANNET_OK;
}

/* The gradient of own k(x,x) + k(x)^T c, for the infinite kernel. */
static void infinite_gradient(const tangent_model *t, const double *x, double own, const double *c,
                              double *gradient) {
  double unused = 0;
  gannet_analytic_points_gradient(t->limit, x, own, c, &unused, gradient);
  if (t->share > 0) tangent_additive_mix_gradient(t->additive, t->share, x, own, c, gradient);
}

/* At the point of row i of cross, which holds -(K + lambda I)^-1 k(x). */
static gannet_err gradients_at(const tangent_model *t, int i, const double *x, double *mean,
                               double sd, double *mean_gradient, double *sd_gradient) {
  const double *minus_beta = t->cross + (size_t)i * (size_t)t->n;
  if (t->trained)
    *mean = tangent_mean_gradient(t->trained, x, mean_gradient);
  else if (t->options->network)
    gannet_tangent_gradient(t->net, &t->mean, 0, x, mean, mean_gradient);
  else
    infinite_gradient(t, x, 0, tangent_alpha_of(t), mean_gradient);
  memset(sd_gradient, 0, (size_t)t->d * sizeof *sd_gradient);
  if (!(sd > 0)) return GANNET_OK;
  if (t->options->network)
    GANNET_TRY(network_sd_gradient(t, x, minus_beta, sd_gradient));
  else
    infinite_gradient(t, x, 0.5, minus_beta, sd_gradient);
  for (int k = 0; k < t->d; ++k) sd_gradient[k] *= t->amplitude / sd;
  return GANNET_OK;
}

static gannet_err predict_some(const tangent_model *t, int m, const double *x, double *mean,
                               double *sd, double *mean_gradients, double *sd_gradients) {
  const size_t d = (size_t)t->d;
  GANNET_TRY(block_moments(t, m, x, mean, sd));
  /* -(K + lambda I)^-1 k(x) instead of L^-1 k(x), in cross */
  GANNET_TRY(gannet_factor_backward(t->factor, m, t->cross, t->n));
  for (size_t i = 0; i < (size_t)m * (size_t)t->n; ++i) t->cross[i] = -t->cross[i];
  for (int i = 0; i < m; ++i)
    GANNET_TRY(gradients_at(t, i, x + (size_t)i * d, mean + i, sd[i],
                            mean_gradients + (size_t)i * d, sd_gradients + (size_t)i * d));
  return GANNET_OK;
}

gannet_err tangent_predict_gradients(const void *state, int m, const double *x, double *mean,
                                     double *sd, double *mean_gradients, double *sd_gradients) {
  const tangent_model *t = state;
  const int most = t->options->network ? 1 : BLOCK; /* tile keeps the features of one point */
  for (int first = 0; first < m; first += most) {
    const size_t at = (size_t)first * (size_t)t->d;
    GANNET_TRY(predict_some(t, m - first < most ? m - first : most, x + at, mean + first,
                            sd + first, mean_gradients + at, sd_gradients + at));
  }
  return GANNET_OK;
}

/* The other points: as a list that the kernel can be taken with, and L^-1 k(z). */
typedef struct {
  int n;
  gannet_tangent_features features; /* kernel: network */
  gannet_analytic_points *limit;    /* kernel: infinite */
  tangent_additive *additive;       /* its additive part, or NULL */
  double *solved;                   /* [n][data] */
  double *prior;                    /* [BLOCK][n] */
} others;

static gannet_err create_limit(const tangent_model *t, int n, const double *z, others *o) {
  const gannet_analytic_shape shape = {.activation = gannet_activations[t->options->activation],
                                       .layers = t->options->layers,
                                       .d = t->d,
                                       .embedding = (gannet_embedding_kind)t->options->lift};
  double *rho = t->slope, bias = 0;
  tangent_scales(t, t->hyper, rho, &bias);
  GANNET_TRY(gannet_analytic_points_create(&shape, &o->limit));
  gannet_analytic_points_set_inputs(o->limit, rho, bias);
  if (t->share > 0) {
    GANNET_TRY(tangent_additive_create(&shape, &o->additive));
    GANNET_TRY(
        tangent_additive_set(o->additive, exp(t->hyper[tangent_additive_at(t, TANGENT_NARROW)])));
    GANNET_TRY(tangent_additive_extend(o->additive, n, z));
  }
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

static gannet_err prepare_others(const tangent_model *t, int n, const double *z, others *o) {
  const size_t data = (size_t)t->n;
  o->n = n;
  GANNET_TRY(gannet_alloc((size_t)n * data, sizeof(double), &o->solved));
  GANNET_TRY(gannet_alloc(BLOCK * (size_t)n, sizeof(double), &o->prior));
  if (t->options->network)
    GANNET_TRY(gannet_tangent_extend(t->net, n, z, &o->features));
  else
    GANNET_TRY(create_limit(t, n, z, o));
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
  if (o->additive) tangent_additive_mix_cross(o->additive, t->share, m, x, o->prior, n, NULL);
  memcpy(covariance, o->prior, (size_t)m * (size_t)n * sizeof *covariance);
  if (t->n > 0) gannet_gemm_nt(m, n, t->n, -1, t->cross, t->n, o->solved, t->n, 1, covariance, n);
  for (size_t i = 0; i < (size_t)m * (size_t)n; ++i) covariance[i] *= t->amplitude;
  return GANNET_OK;
}

gannet_err tangent_covariance(const void *state, int m, const double *x, int n, const double *z,
                              double *covariance) {
  const tangent_model *t = state;
  others o = {0};
  gannet_err code = prepare_others(t, n, z, &o);
  for (int first = 0; first < m && code == GANNET_OK; first += BLOCK) {
    const int rows = m - first < BLOCK ? m - first : BLOCK;
    code = block(t, &o, rows, x + (size_t)first * (size_t)t->d,
                 covariance + (size_t)first * (size_t)n);
  }
  gannet_tangent_release(&o.features);
  gannet_analytic_points_destroy(&o.limit);
  tangent_additive_destroy(&o.additive);
  gannet_free(&o.solved);
  gannet_free(&o.prior);
  return code;
}
