/* Posterior mean and standard deviation of a Gaussian process, with gradients: Rasmussen and
 * Williams 2006, eqs. (2.25), (2.26). */
#include <math.h>
#include <string.h>

#include "linalg/blas.h"
#include "surrogate/gp.h"

/* At the points of a block: the mean, and the variance by one triangular solve per point. */
static gannet_err predict_block(const gp *g, int m, const double *x, double *mean, double *sd) {
  const int n = g->n;
  const gannet_cholesky *factor = NULL;
  if (sd) GANNET_TRY(gannet_factor_whole(g->factor, &factor));
  gp_take_block(g, m, x);
  gp_cross(g, m);
  for (int i = 0; i < m; ++i)
    mean[i] = g->mean + gannet_dot(n, g->cross + (size_t)i * (size_t)n, g->solved);
  if (!sd) return GANNET_OK;
  gannet_cholesky_forward(factor, m, g->cross, n);
  for (int i = 0; i < m; ++i) {
    const double *row = g->cross + (size_t)i * (size_t)n;
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

/* K alpha = y - mean, with the noise on the diagonal of K alone. */
bool gp_fitted(const void *state, double *mean) {
  const gp *g = state;
  if (gannet_inducing_points(g->inducing) > 0) return false;
  for (int i = 0; i < g->n; ++i) mean[i] = g->y[i] - g->noise * g->solved[i];
  return true;
}

/* At m <= GP_FEW points, whose kernels are solved for together. */
static gannet_err predict_few(const gp *g, int together, int m, const double *x, double *mean,
                              double *sd, double *mean_gradients, double *sd_gradients) {
  const int n = g->n;
  const size_t d = (size_t)g->d;
  gp_take_block(g, m, x);
  for (int i = 0; i < m; ++i) {
    gp_cross_one(g, i);
    mean[i] = g->mean + gannet_dot(n, g->cross + (size_t)i * (size_t)n, g->solved);
    gp_cross_gradient(g, i, g->solved, mean_gradients + (size_t)i * d);
  }
  GANNET_TRY(gannet_factor_forward(g->factor, together, m, g->cross, n));
  for (int i = 0; i < m; ++i) {
    const double *row = g->cross + (size_t)i * (size_t)n;
    sd[i] = sqrt(fmax(0, g->variance - gannet_dot(n, row, row)));
  }
  GANNET_TRY(gannet_factor_backward(g->factor, together, m, g->cross, n));
  for (int i = 0; i < m; ++i) {
    if (sd[i] <= 0) continue;
    double *gradient = sd_gradients + (size_t)i * d;
    gp_cross_gradient(g, i, g->cross + (size_t)i * (size_t)n, gradient);
    for (size_t k = 0; k < d; ++k) gradient[k] /= -sd[i];
  }
  return GANNET_OK;
}

gannet_err gp_predict_gradients(const void *state, int together, int m, const double *x,
                                double *mean, double *sd, double *mean_gradients,
                                double *sd_gradients) {
  const gp *g = state;
  const size_t d = (size_t)g->d;
  memset(mean_gradients, 0, (size_t)m * d * sizeof *mean_gradients);
  memset(sd_gradients, 0, (size_t)m * d * sizeof *sd_gradients);
  for (int i = 0; i < m; ++i) {
    mean[i] = g->mean;
    sd[i] = sqrt(g->variance);
  }
  if (together > 0) return predict_few(g, together, m, x, mean, sd, mean_gradients, sd_gradients);
  for (int first = 0; first < m && g->n > 0; first += GP_FEW) {
    const size_t at = (size_t)first * d;
    GANNET_TRY(predict_few(g, 0, m - first < GP_FEW ? m - first : GP_FEW, x + at, mean + first,
                           sd + first, mean_gradients + at, sd_gradients + at));
  }
  return GANNET_OK;
}

bool gp_gains_together(const void *state) {
  const gp *g = state;
  return gannet_factor_gains_together(g->factor);
}
