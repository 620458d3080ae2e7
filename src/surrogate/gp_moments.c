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

gannet_err gp_predict_gradient(const void *state, const double *x, double *mean, double *sd,
                               double *mean_gradient, double *sd_gradient) {
  const gp *g = state;
  const int n = g->n;
  const gannet_cholesky *factor = NULL;
  double *solved = g->solved + n; /* L^-1 k(X, x), then K^-1 k(X, x) */
  memset(mean_gradient, 0, (size_t)g->d * sizeof *mean_gradient);
  memset(sd_gradient, 0, (size_t)g->d * sizeof *sd_gradient);
  *mean = g->mean;
  *sd = sqrt(g->variance);
  if (n == 0) return GANNET_OK;
  GANNET_TRY(gannet_factor_whole(g->factor, &factor));
  gp_take_block(g, 1, x);
  gp_cross_one(g);
  *mean += gannet_dot(n, g->cross, g->solved);
  gp_cross_gradient(g, g->solved, mean_gradient);
  memcpy(solved, g->cross, (size_t)n * sizeof *solved);
  gannet_cholesky_forward(factor, 1, solved, n);
  *sd = sqrt(fmax(0, g->variance - gannet_dot(n, solved, solved)));
  if (*sd <= 0) return GANNET_OK;
  gannet_cholesky_backward(factor, 1, solved, n);
  gp_cross_gradient(g, solved, sd_gradient);
  for (int k = 0; k < g->d; ++k) sd_gradient[k] /= -*sd;
  return GANNET_OK;
}
