/* Moments by the dual form, and draws of whole functions. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/tangent_kernel.h"

enum { BLOCK = GANNET_TANGENT_BLOCK };

/* Sd from the triangular solve: var = s^2 (k(x,x) - |L^-1 k(x)|^2). Leaves L^-1 k in cross. */
static gannet_err block_sd(const tangent_model *t, int m, const double *x, double *sd) {
  t->tile->n = 0;
  GANNET_TRY(gannet_tangent_extend(t->net, m, x, t->tile));
  gannet_tangent_diagonal(t->net, t->tile, 0, m, sd);
  if (t->n > 0) {
    gannet_tangent_kernel(t->net, t->tile, 0, m, &t->data, t->n, t->cross, t->n);
    gannet_cholesky_forward(t->factor, m, t->cross, t->n);
  }
  for (int i = 0; i < m; ++i) {
    const double *row = t->cross + (size_t)i * (size_t)t->n;
    const double gained = t->n > 0 ? gannet_dot(t->n, row, row) : 0;
    sd[i] = sqrt(t->amplitude * fmax(0, sd[i] - gained));
  }
  return GANNET_OK;
}

gannet_err tangent_predict(const void *state, int m, const double *x, double *mean, double *sd) {
  const tangent_model *t = state;
  gannet_tangent_values(t->net, &t->mean, m, x, mean, m);
  if (!sd) return GANNET_OK;
  for (int first = 0; first < m; first += BLOCK) {
    const int rows = m - first < BLOCK ? m - first : BLOCK;
    GANNET_TRY(block_sd(t, rows, x + (size_t)first * (size_t)t->d, sd + first));
  }
  return GANNET_OK;
}

/* With delta = phi(x0) - Phi^T beta, beta = (K + lambda I)^-1 k(x0), the variance is s^2
 * phi(x0).delta at x0, and half its gradient is that of x -> s^2 phi(x).delta. */
gannet_err tangent_predict_gradient(const void *state, const double *x, double *mean, double *sd,
                                    double *mean_gradient, double *sd_gradient) {
  const tangent_model *t = state;
  const double one = 1;
  double variance = 0, *beta = t->work;
  gannet_tangent_gradient(t->net, &t->mean, 0, x, mean, mean_gradient);
  GANNET_TRY(block_sd(t, 1, x, sd));
  memset(sd_gradient, 0, (size_t)t->d * sizeof *sd_gradient);
  if (!(*sd > 0)) return GANNET_OK;
  GANNET_TRY(gannet_tangent_transpose(t->net, t->tile, &one, 1, 0, t->spread));
  if (t->n > 0) {
    for (int i = 0; i < t->n; ++i) beta[i] = -t->cross[i];
    gannet_cholesky_backward(t->factor, 1, beta, t->n);
    GANNET_TRY(gannet_tangent_transpose(t->net, &t->data, beta, t->n, 1, t->spread));
  }
  gannet_tangent_gradient(t->net, t->spread, 0, x, &variance, sd_gradient);
  for (int k = 0; k < t->d; ++k) sd_gradient[k] *= t->amplitude / *sd;
  return GANNET_OK;
}

/* Matheron's rule: delta_j = e s (omega_j - Phi^T (K + lambda I)^-1 (Phi omega_j + eps_j)) + Phi^T
 * alpha with omega_j ~ N(0, I), eps_j ~ N(0, lambda I), in one solve with q right-hand sides. */
static gannet_err matheron(tangent_model *t, int q, double scale, int64_t iteration,
                           double *coefficients) {
  const size_t n = (size_t)t->n;
  const double root = sqrt(t->lambda);
  double *noise = t->work;
  gannet_tangent_apply(t->net, &t->data, &t->draws, coefficients, t->n);
  for (int j = 0; j < q; ++j) {
    double *row = coefficients + (size_t)j * n;
    gannet_random_normal(tangent_stream(t, GANNET_FOR_NOISE, iteration, j), 0, n, noise);
    for (size_t i = 0; i < n; ++i) row[i] += root * noise[i];
  }
  if (n > 0) gannet_cholesky_solve(t->factor, q, coefficients, t->n);
  for (int j = 0; j < q; ++j)
    for (size_t i = 0; i < n; ++i)
      coefficients[(size_t)j * n + i] = t->alpha[i] - scale * coefficients[(size_t)j * n + i];
  return gannet_tangent_transpose(t->net, &t->data, coefficients, t->n, scale, &t->draws);
}

gannet_err tangent_sample(void *state, int q, double exploration, int64_t iteration) {
  tangent_model *t = state;
  double *coefficients = NULL;
  GANNET_TRY(gannet_tangent_directions_reserve(t->net, q, &t->draws));
  GANNET_TRY(
      gannet_tangent_prior(t->net, tangent_stream(t, GANNET_FOR_PRIOR, iteration, 0), &t->draws));
  GANNET_TRY(gannet_alloc((size_t)q * (size_t)t->n, sizeof *coefficients, &coefficients));
  const gannet_err code = matheron(t, q, exploration * sqrt(t->amplitude), iteration, coefficients);
  gannet_free(&coefficients);
  return code;
}

gannet_err tangent_draw_values(const void *state, int m, const double *x, double *values, int ldv) {
  const tangent_model *t = state;
  gannet_tangent_values(t->net, &t->draws, m, x, values, ldv);
  return GANNET_OK;
}

gannet_err tangent_draw_gradient(const void *state, int draw, const double *x, double *value,
                                 double *gradient) {
  const tangent_model *t = state;
  gannet_tangent_gradient(t->net, &t->draws, draw, x, value, gradient);
  return GANNET_OK;
}

/* Rasmussen and Williams 2006, eqs. (5.10)-(5.12): squared standardised leave-one-out residual
 * alpha_i^2 / (s^2 ((K + lambda I)^-1)_ii). Clipped: with few points it can be anything. */
gannet_err tangent_calibration(void *state, double *scale) {
  tangent_model *t = state;
  double sum = 0, *diagonal = t->work;
  if (t->n < 2) return GANNET_OK;
  GANNET_TRY(gannet_cholesky_inverse_diagonal(t->factor, diagonal));
  for (int i = 0; i < t->n; ++i) sum += t->alpha[i] * t->alpha[i] / diagonal[i];
  *scale = fmin(10, fmax(0.1, sqrt(sum / (t->amplitude * t->n))));
  return GANNET_OK;
}
