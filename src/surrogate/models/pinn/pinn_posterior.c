/* Moments, draws and calibration of the conditioned model. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "linalg/blas.h"
#include "surrogate/models/pinn/pinn.h"

static bool is_trained(const pinn *s) {
  return s->mode == PINN_TRAINED;
}

/* The model without const: operations that do not change it write to its workspaces. */
static pinn *with_workspace(const void *state) {
  pinn *s;
  memcpy(&s, &state, sizeof s);
  return s;
}

/* Features of m <= PINN_TILE points into s->tile. */
static gannet_err tile_features(pinn *s, int m, const double *x) {
  const pinn_rows rows = {.plan = &s->value, .n_points = m, .x = x, .n_rows = m};
  return pinn_network_features(s->network, &rows, is_trained(s) ? s->w : NULL, s->tile);
}

/* Values at m points of the function with weights w. A linear model takes them from s->tile, which
 * tile_features made for these points. */
static gannet_err tile_values(pinn *s, int m, const double *x, const double *w, double *values) {
  const double scale = exp(0.5 * s->hyper[PINN_AMPLITUDE]);
  if (is_trained(s)) {
    const pinn_rows rows = {.plan = &s->value, .n_points = m, .x = x, .n_rows = m};
    GANNET_TRY(pinn_network_jets(s->network, &rows, w, values));
    for (int i = 0; i < m; ++i) values[i] *= scale;
  } else {
    gannet_gemv_n(m, s->p, scale, s->tile, s->p, w, 0, values);
  }
  return GANNET_OK;
}

/* K = L L^T by blocks: the two parts of L^-1 k for the m features in s->tile, [m][r] and [m][n]. */
static void whiten_tile(pinn *s, int m, double **part_r, double **part_u) {
  const int r = s->r, n = s->n, p = s->p;
  double *kr = s->work, *ku = kr + (size_t)PINN_TILE * (size_t)r;
  if (r > 0) {
    gannet_gemm_nt(m, r, p, 1, s->tile, p, s->omega, p, 0, kr, r);
    gannet_cholesky_forward(s->factor_r, m, kr, r);
  }
  if (n > 0) {
    gannet_gemm_nt(m, n, p, 1, s->tile, p, s->phi, p, 0, ku, n);
    if (r > 0) gannet_gemm_nt(m, n, r, -1, kr, r, s->cross, r, 1, ku, n);
    gannet_cholesky_forward(s->factor_u, m, ku, n);
  }
  *part_r = kr;
  *part_u = ku;
}

static void tile_sd(pinn *s, int m, double *sd) {
  const double scale = exp(0.5 * s->hyper[PINN_AMPLITUDE]);
  double *kr = NULL, *ku = NULL;
  whiten_tile(s, m, &kr, &ku);
  for (int i = 0; i < m; ++i) {
    const double *row = s->tile + (size_t)i * (size_t)s->p;
    const double *a = kr + (size_t)i * (size_t)s->r, *b = ku + (size_t)i * (size_t)s->n;
    double left = gannet_dot(s->p, row, row);
    if (s->r > 0) left -= gannet_dot(s->r, a, a);
    if (s->n > 0) left -= gannet_dot(s->n, b, b);
    sd[i] = scale * sqrt(fmax(0, left));
  }
}

gannet_err pinn_predict(const void *state, int m, const double *x, double *mean, double *sd) {
  pinn *s = with_workspace(state);
  for (int first = 0; first < m; first += PINN_TILE) {
    const int n = m - first < PINN_TILE ? m - first : PINN_TILE;
    const double *at = x + (size_t)first * (size_t)s->d;
    if (sd || !is_trained(s)) GANNET_TRY(tile_features(s, n, at));
    GANNET_TRY(tile_values(s, n, at, s->w, mean + first));
    if (sd) tile_sd(s, n, sd + first);
  }
  return GANNET_OK;
}

/* Gradients of the features at one point, a row per coordinate, dotted with v. */
static gannet_err feature_slopes(pinn *s, const double *x, const double *v, double *gradient) {
  const size_t d = (size_t)s->d;
  const double scale = exp(0.5 * s->hyper[PINN_AMPLITUDE]);
  double *one = NULL;
  int *point = NULL;
  gannet_err code = gannet_alloc(d * d, sizeof *one, &one);
  if (code == GANNET_OK) code = gannet_alloc(d, sizeof *point, &point);
  for (size_t k = 0; code == GANNET_OK && k < d; ++k) one[k * d + k] = 1;
  const pinn_rows rows = {
      .plan = &s->slope, .n_points = 1, .x = x, .n_rows = s->d, .point = point, .coefficient = one};
  if (code == GANNET_OK)
    code = pinn_network_features(s->network, &rows, is_trained(s) ? s->w : NULL, s->tile);
  if (code == GANNET_OK) gannet_gemv_n(s->d, s->p, scale, s->tile, s->p, v, 0, gradient);
  gannet_free(&one);
  gannet_free(&point);
  return code;
}

/* Gradient by x of the function with weights w. */
static gannet_err function_slopes(pinn *s, const double *x, const double *w, double *gradient) {
  if (!is_trained(s)) return feature_slopes(s, x, w, gradient);
  const double scale = exp(0.5 * s->hyper[PINN_AMPLITUDE]);
  const pinn_rows rows = {.plan = &s->slope, .n_points = 1, .x = x};
  GANNET_TRY(pinn_network_jets(s->network, &rows, w, gradient));
  for (int k = 0; k < s->d; ++k) gradient[k] *= scale;
  return GANNET_OK;
}

/* sd^2 / s^2 = phi . v with v = phi - Phi^T K^-1 Phi phi, and half its gradient is phi'. v. */
gannet_err pinn_predict_gradient(const void *state, const double *x, double *mean, double *sd,
                                 double *mean_gradient, double *sd_gradient) {
  pinn *s = with_workspace(state);
  const int r = s->r, n = s->n;
  double *kr = NULL, *ku = NULL;
  GANNET_TRY(pinn_predict(state, 1, x, mean, sd));
  whiten_tile(s, 1, &kr, &ku);
  if (n > 0) gannet_cholesky_backward(s->factor_u, 1, ku, n);
  if (r > 0 && n > 0) gannet_gemv_t(n, r, -1, s->cross, r, ku, 1, kr);
  if (r > 0) gannet_cholesky_backward(s->factor_r, 1, kr, r);
  memcpy(s->trial, s->tile, (size_t)s->p * sizeof *s->trial);
  if (r > 0) gannet_gemv_t(r, s->p, -1, s->omega, s->p, kr, 1, s->trial);
  if (n > 0) gannet_gemv_t(n, s->p, -1, s->phi, s->p, ku, 1, s->trial);
  GANNET_TRY(feature_slopes(s, x, s->trial, sd_gradient));
  const double scale = exp(0.5 * s->hyper[PINN_AMPLITUDE]);
  for (int k = 0; k < s->d; ++k) sd_gradient[k] *= *sd > 0 ? scale / *sd : 0;
  return function_slopes(s, x, s->w, mean_gradient);
}

/* Draw j by Matheron's rule: the solve for a prior draw e w_0 and targets moved by e times a draw
 * of their noise. A trained network goes on from these weights by Gauss-Newton (randomise, then
 * optimise: Bardsley et al. 2014), which is the same rule where the network is linear in them. */
static gannet_err draw_weights(pinn *s, double e, int64_t iteration, int j, double *noise,
                               double *w) {
  double *shift_r = noise, *shift_u = noise + s->r, *prior = s->prior;
  const size_t r = (size_t)s->r, n = (size_t)s->n;
  gannet_random_normal(gannet_stream_of(s->streams, GANNET_FOR_PRIOR, iteration, j), 0,
                       (size_t)s->p, prior);
  gannet_random_normal(gannet_stream_of(s->streams, GANNET_FOR_NOISE, iteration, j), 0, r + n,
                       noise);
  for (int k = 0; k < s->p; ++k) prior[k] *= e;
  for (size_t i = 0; i < r; ++i) shift_r[i] *= -e * sqrt(s->known->lambda2);
  for (size_t i = 0; i < n; ++i) shift_u[i] *= -e * sqrt(s->lambda1);
  const pinn_pull pull = {prior, shift_r, shift_u, 3};
  pinn_solve(s, &pull, w);
  if (!is_trained(s)) return GANNET_OK;
  GANNET_TRY(pinn_descend(s, &pull, w));
  return pinn_relinearise(s);
}

/* Draws first, first + step, .. below end. */
static gannet_err sample_range(pinn *s, int first, int step, int end, double exploration,
                               int64_t iteration) {
  const double nu = s->options->schedule == PINN_PAPER ? s->hyper[PINN_NU] : 1;
  double *noise = NULL;
  gannet_err code = gannet_alloc((size_t)(s->r + s->n), sizeof *noise, &noise);
  if (s->together) code = pinn_agree(s, code);
  for (int j = first; j < end && code == GANNET_OK; j += step)
    code = draw_weights(s, nu * exploration * ((iteration + j) % 2 ? s->options->exploit : 1),
                        iteration, j, noise, s->draws + (size_t)j * (size_t)s->p);
  gannet_free(&noise);
  return code;
}

/* First ranks make one draw each, in turn; then all ranks make the rest together. */
gannet_err pinn_sample(void *state, int q, double exploration, int64_t iteration) {
  pinn *s = state;
  const gannet_context *context = s->context;
  const int alone = pinn_count_alone(s, q);
  const size_t p = (size_t)s->p;
  s->q = 0;
  gannet_free(&s->draws);
  gannet_err code = gannet_alloc((size_t)q * p, sizeof(double), &s->draws);
  if (code == GANNET_OK)
    code = sample_range(s, context->rank, context->np, alone, exploration, iteration);
  GANNET_TRY(gannet_agree(context->comm, code));
  GANNET_TRY(gannet_partition_gather(context->comm, (size_t)alone * p, s->draws));
  s->together = true;
  code = sample_range(s, alone, 1, q, exploration, iteration);
  s->together = false;
  GANNET_TRY(code);
  for (int j = alone; j < q; ++j) /* processors of other kinds might round otherwise */
    GANNET_TRY_MPI(MPI_Bcast(s->draws + (size_t)j * p, s->p, MPI_DOUBLE, 0, context->comm));
  s->q = q;
  return GANNET_OK;
}

gannet_err pinn_draw_values(const void *state, int m, const double *x, double *values, int ldv) {
  pinn *s = with_workspace(state);
  const double scale = exp(0.5 * s->hyper[PINN_AMPLITUDE]);
  for (int first = 0; first < m; first += PINN_TILE) {
    const int n = m - first < PINN_TILE ? m - first : PINN_TILE;
    const double *at = x + (size_t)first * (size_t)s->d;
    if (!is_trained(s)) {
      GANNET_TRY(tile_features(s, n, at));
      gannet_gemm_nt(s->q, n, s->p, scale, s->draws, s->p, s->tile, s->p, 0, values + first, ldv);
      continue;
    }
    for (int j = 0; j < s->q; ++j)
      GANNET_TRY(tile_values(s, n, at, s->draws + (size_t)j * (size_t)s->p,
                             values + (size_t)j * (size_t)ldv + (size_t)first));
  }
  return GANNET_OK;
}

gannet_err pinn_draw_gradient(const void *state, int j, const double *x, double *value,
                              double *gradient) {
  pinn *s = with_workspace(state);
  const double *w = s->draws + (size_t)j * (size_t)s->p;
  if (!is_trained(s)) GANNET_TRY(tile_features(s, 1, x));
  GANNET_TRY(tile_values(s, 1, x, w, value));
  return function_slopes(s, x, w, gradient);
}

/* Leave-one-out residuals of the observations, the equations being kept: (K^-1)_uu = S^-1. */
gannet_err pinn_calibration(void *state, double *scale) {
  pinn *s = state;
  double sum = 0;
  if (s->n < 2) return GANNET_OK;
  gannet_cholesky_inverse_diagonal(s->factor_u, s->work);
  for (int i = 0; i < s->n; ++i) sum += s->alpha_u[i] * s->alpha_u[i] / s->work[i];
  *scale = fmin(10, fmax(0.1, sqrt(sum / s->n)));
  return GANNET_OK;
}
