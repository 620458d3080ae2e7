/* Phase II of GO-UCB: the ball of weights (w - w_t)^T Sigma_t (w - w_t) <= beta_t.
 *
 *   Sigma_t = lambda I + sum_{i<t} g_i g_i^T,  g_i = df(x_i; w_i)/dw at the weights of round i,
 *   w_t = Sigma_t^-1 (sum_i g_i (g_i . w_i + y_i - f_i(w_i)) + lambda w_0)
 *       = w_0 + Sigma_t^-1 sum_i g_i (y_i - f_i(w_i) + g_i . (w_i - w_0)),
 *
 * that is, an extended Kalman filter. The observations that the regression has seen are linearised
 * at its own w_0. What the network cannot represent counts as noise: with less noise than its
 * misfit the step from w_0 would leave the range of the linearisation.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/parametric.h"

int parametric_first_row(const parametric *m, int n) {
  const int learned = (int)m->hyper[PARAMETRIC_LEARNED];
  return !m->options->discard ? 0 : learned < n ? learned : n;
}

/* Gradient and target of observation i at the weights m->w. */
static void add_row(parametric *m, int i, int row) {
  const size_t p = (size_t)m->p;
  double value = 0, *g = m->phi + (size_t)row * p;
  two_layer_features(&m->net, m->w, 1, m->z + (size_t)i * (size_t)m->net.d, m->work, &value, g);
  m->target[row] = m->y[i] - value + gannet_dot(m->p, g, m->w) -
                   gannet_dot(m->p, g, m->hyper + PARAMETRIC_WEIGHTS);
}

double parametric_ridge(const parametric *m) {
  const double horizon = fmax(2, m->options->horizon), logarithm = log(horizon);
  if (m->options->schedule == PARAMETRIC_PAPER) return sqrt(horizon) * logarithm * logarithm;
  return m->noise / exp(m->hyper[PARAMETRIC_PRIOR]);
}

/* Condition on rows, and move the weights to w_t. */
static gannet_err condition(parametric *m, int rows, int keep) {
  GANNET_TRY(gannet_features_condition(m->posterior, rows, m->phi, parametric_ridge(m), keep > 0));
  gannet_features_mean(m->posterior, m->target, m->w);
  for (int k = 0; k < m->p; ++k) m->w[k] += m->hyper[PARAMETRIC_WEIGHTS + k];
  m->n_rows = rows;
  return GANNET_OK;
}

double parametric_loss(const parametric *m, int n) {
  const double *w0 = m->hyper + PARAMETRIC_WEIGHTS, lambda = parametric_ridge(m);
  double sum = 0, values[TWO_LAYER_ROWS];
  for (int k = 0; k < m->p; ++k) sum += lambda * (m->w[k] - w0[k]) * (m->w[k] - w0[k]);
  for (int first = 0; first < n; first += TWO_LAYER_ROWS) {
    const int rows = n - first < TWO_LAYER_ROWS ? n - first : TWO_LAYER_ROWS;
    two_layer_values(&m->net, m->w, rows, m->z + (size_t)first * (size_t)m->net.d, m->work, values);
    for (int i = 0; i < rows; ++i)
      sum += (m->y[first + i] - values[i]) * (m->y[first + i] - values[i]);
  }
  return sum;
}

/* The observations of the regression, linearised at w_0. Their common step is halved until the
 * network itself, not only its linearisation, follows them better than at w_0; targets are scaled
 * with it, so that later steps build on the same. */
static gannet_err start_over(parametric *m, int n, int left_out) {
  const double *w0 = m->hyper + PARAMETRIC_WEIGHTS;
  const size_t p = (size_t)m->p;
  double share = 1, total = 1;
  memcpy(m->w, w0, p * sizeof *w0);
  const double at_start = parametric_loss(m, n);
  for (int i = left_out; i < n; ++i) add_row(m, i, i - left_out);
  GANNET_TRY(condition(m, n - left_out, 0));
  while (share > 0 && n > left_out && !(parametric_loss(m, n) <= at_start)) {
    share = total > 1e-3 ? 0.5 : 0;
    total *= share;
    for (int i = 0; i < n - left_out; ++i) m->target[i] *= share;
    for (size_t k = 0; k < p; ++k) m->w[k] = w0[k] + share * (m->w[k] - w0[k]);
  }
  return GANNET_OK;
}

gannet_err parametric_accumulate(parametric *m, int n, int keep) {
  const int learned = (int)m->hyper[PARAMETRIC_LEARNED], left_out = parametric_first_row(m, n);
  const int at_start = learned < n ? learned : n;
  const double given = isnan(m->noise_var) ? exp(m->hyper[PARAMETRIC_NOISE]) : m->noise_var;
  m->noise = fmax(exp(m->hyper[PARAMETRIC_MISFIT]), given);
  if (m->sums.used) return parametric_sums_accumulate(m, n, keep);
  if (keep < at_start || keep == 0) {
    keep = 0;
    GANNET_TRY(start_over(m, at_start, left_out));
    keep = at_start;
  }
  for (int i = keep; i < n; ++i) {
    add_row(m, i, i - left_out);
    GANNET_TRY(condition(m, i - left_out + 1, i - left_out));
  }
  return GANNET_OK;
}
