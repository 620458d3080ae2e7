/* Moments of the physics-informed model and their gradients: with K = L L^T by blocks,
 *
 *   mean = s phi(x) . w,   sd^2 = s^2 (|phi(x)|^2 - |L^-1 k(x)|^2).
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/models/pinn/pinn.h"

pinn *pinn_with_workspace(const void *state) {
  pinn *s;
  memcpy(&s, &state, sizeof s);
  return s;
}

gannet_err pinn_tile_features(pinn *s, int m, const double *x) {
  const pinn_rows rows = {.plan = &s->value, .n_points = m, .x = x, .n_rows = m};
  return pinn_network_features(s->network, &rows, pinn_is_trained(s) ? s->w : NULL, s->tile);
}

gannet_err pinn_tile_values(pinn *s, int m, const double *x, const double *w, double *values) {
  const double scale = exp(0.5 * s->hyper[PINN_AMPLITUDE]);
  if (pinn_is_trained(s)) {
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
  pinn *s = pinn_with_workspace(state);
  for (int first = 0; first < m; first += PINN_TILE) {
    const int n = m - first < PINN_TILE ? m - first : PINN_TILE;
    const double *at = x + (size_t)first * (size_t)s->d;
    if (sd || !pinn_is_trained(s)) GANNET_TRY(pinn_tile_features(s, n, at));
    GANNET_TRY(pinn_tile_values(s, n, at, s->w, mean + first));
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
    code = pinn_network_features(s->network, &rows, pinn_is_trained(s) ? s->w : NULL, s->tile);
  if (code == GANNET_OK) gannet_gemv_n(s->d, s->p, scale, s->tile, s->p, v, 0, gradient);
  gannet_free(&one);
  gannet_free(&point);
  return code;
}

gannet_err pinn_function_slopes(pinn *s, const double *x, const double *w, double *gradient) {
  if (!pinn_is_trained(s)) return feature_slopes(s, x, w, gradient);
  const double scale = exp(0.5 * s->hyper[PINN_AMPLITUDE]);
  const pinn_rows rows = {.plan = &s->slope, .n_points = 1, .x = x};
  GANNET_TRY(pinn_network_jets(s->network, &rows, w, gradient));
  for (int k = 0; k < s->d; ++k) gradient[k] *= scale;
  return GANNET_OK;
}

/* sd^2 / s^2 = phi . v with v = phi - Phi^T K^-1 Phi phi, and half its gradient is phi'. v. */
gannet_err pinn_predict_gradient(const void *state, const double *x, double *mean, double *sd,
                                 double *mean_gradient, double *sd_gradient) {
  pinn *s = pinn_with_workspace(state);
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
  return pinn_function_slopes(s, x, s->w, mean_gradient);
}
