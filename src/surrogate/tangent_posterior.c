/* Moments by the dual form, and draws of whole functions. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "linalg/blas.h"
#include "surrogate/tangent_mean.h"

enum { BLOCK = GANNET_TANGENT_BLOCK };

gannet_err tangent_block_kernel(const tangent_model *t, int m, const double *x, double *diagonal) {
  if (!t->options->network) {
    gannet_analytic_points_cross(t->limit, m, x, t->cross, t->n, diagonal);
    return GANNET_OK;
  }
  t->tile->n = 0;
  GANNET_TRY(gannet_tangent_extend(t->net, m, x, t->tile));
  gannet_tangent_diagonal(t->net, t->tile, 0, m, diagonal);
  if (t->n > 0) gannet_tangent_kernel(t->net, t->tile, 0, m, &t->data, t->n, t->cross, t->n);
  return GANNET_OK;
}

/* var = s^2 (k(x,x) - |L^-1 k(x)|^2). Leaves L^-1 k in cross. */
static gannet_err block_moments(const tangent_model *t, int together, int m, const double *x,
                                double *mean, double *sd) {
  const int n = t->n;
  const double *alpha = n > 0 && !t->trained ? tangent_alpha_of(t) : NULL;
  if (m > 0) GANNET_TRY(tangent_block_kernel(t, m, x, sd));
  for (int i = 0; i < m; ++i)
    mean[i] = alpha ? gannet_dot(n, t->cross + (size_t)i * (size_t)n, alpha) : 0;
  if (t->trained && m > 0) tangent_mean_add(t->trained, m, x, 1, mean, m);
  GANNET_TRY(gannet_factor_forward(t->factor, together, m, t->cross, n));
  for (int i = 0; i < m; ++i) {
    const double *row = t->cross + (size_t)i * (size_t)n;
    const double gained = n > 0 ? gannet_dot(n, row, row) : 0;
    sd[i] = sqrt(t->amplitude * fmax(0, sd[i] - gained));
  }
  return GANNET_OK;
}

/* K applied to weights [q][n] at a block: values[j][i] = (beta) + sum_k k(x_i, x_k) weights[j][k].
 */
static void block_update(const tangent_model *t, int m, const double *x, int q,
                         const double *weights, double *values, int ldv) {
  if (t->n == 0) return;
  gannet_analytic_points_cross(t->limit, m, x, t->cross, t->n, NULL);
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
    block_update(t, m - first < BLOCK ? m - first : BLOCK, x + (size_t)first * (size_t)t->d, 1,
                 tangent_alpha_of(t), mean + first, m);
}

gannet_err tangent_predict(const void *state, int m, const double *x, double *mean, double *sd) {
  const tangent_model *t = state;
  if (!sd) {
    mean_values(t, m, x, mean);
    return GANNET_OK;
  }
  for (int first = 0; first < m; first += BLOCK) {
    const int rows = m - first < BLOCK ? m - first : BLOCK;
    GANNET_TRY(
        block_moments(t, 0, rows, x + (size_t)first * (size_t)t->d, mean + first, sd + first));
  }
  return GANNET_OK;
}

/* (K + lambda I) alpha = y */
bool tangent_fitted(const void *state, double *mean) {
  const tangent_model *t = state;
  if (t->trained || gannet_inducing_points(t->inducing) > 0) return false;
  const double *alpha = tangent_alpha_of(t);
  for (int i = 0; i < t->n; ++i) mean[i] = t->y[i] - t->lambda * alpha[i];
  return true;
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

/* -(K + lambda I)^-1 k(x) of m points instead of L^-1 k(x), in cross. */
static gannet_err end_solve(const tangent_model *t, int together, int m) {
  GANNET_TRY(gannet_factor_backward(t->factor, together, m, t->cross, t->n));
  for (size_t i = 0; i < (size_t)m * (size_t)t->n; ++i) t->cross[i] = -t->cross[i];
  return GANNET_OK;
}

/* Once the solve has ended, of the point of row i of cross. */
static gannet_err gradients_at(const tangent_model *t, int i, const double *x, double *mean,
                               double sd, double *mean_gradient, double *sd_gradient) {
  const double *minus_beta = t->cross + (size_t)i * (size_t)t->n;
  double unused = 0;
  if (t->trained)
    *mean = tangent_mean_gradient(t->trained, x, mean_gradient);
  else if (t->options->network)
    gannet_tangent_gradient(t->net, &t->mean, 0, x, mean, mean_gradient);
  else
    gannet_analytic_points_gradient(t->limit, x, 0, tangent_alpha_of(t), &unused, mean_gradient);
  memset(sd_gradient, 0, (size_t)t->d * sizeof *sd_gradient);
  if (!(sd > 0)) return GANNET_OK;
  if (t->options->network)
    GANNET_TRY(network_sd_gradient(t, x, minus_beta, sd_gradient));
  else
    gannet_analytic_points_gradient(t->limit, x, 0.5, minus_beta, &unused, sd_gradient);
  for (int k = 0; k < t->d; ++k) sd_gradient[k] *= t->amplitude / sd;
  return GANNET_OK;
}

static gannet_err predict_some(const tangent_model *t, int together, int m, const double *x,
                               double *mean, double *sd, double *mean_gradients,
                               double *sd_gradients) {
  const size_t d = (size_t)t->d;
  GANNET_TRY(block_moments(t, together, m, x, mean, sd));
  GANNET_TRY(end_solve(t, together, m));
  for (int i = 0; i < m; ++i)
    GANNET_TRY(gradients_at(t, i, x + (size_t)i * d, mean + i, sd[i],
                            mean_gradients + (size_t)i * d, sd_gradients + (size_t)i * d));
  return GANNET_OK;
}

gannet_err tangent_predict_gradients(const void *state, int together, int m, const double *x,
                                     double *mean, double *sd, double *mean_gradients,
                                     double *sd_gradients) {
  const tangent_model *t = state;
  const int most = t->options->network ? 1 : BLOCK; /* tile keeps the features of one point */
  if (together > 0) return predict_some(t, together, m, x, mean, sd, mean_gradients, sd_gradients);
  for (int first = 0; first < m; first += most) {
    const size_t at = (size_t)first * (size_t)t->d;
    GANNET_TRY(predict_some(t, 0, m - first < most ? m - first : most, x + at, mean + first,
                            sd + first, mean_gradients + at, sd_gradients + at));
  }
  return GANNET_OK;
}

bool tangent_gains_together(const void *state) {
  const tangent_model *t = state;
  return !t->options->network && gannet_factor_gains_together(t->factor);
}

/* Draws with fewer random numbers are made by every rank: messages would take longer. */
enum { NUMBERS_ALONE = 1 << 15 };

/* Of the making of draws ranks share the draws, and blocks of points. */
static gannet_stride share_of(const tangent_model *t, int q) {
  const double numbers = (double)q * ((double)gannet_tangent_parameters(t->net) + (double)t->n);
  return gannet_stride_of(t->context->rank, t->context->np,
                          tangent_shares_features(t, t->n) || numbers >= NUMBERS_ALONE);
}

static gannet_err draw_prior(tangent_model *t, int q, int64_t iteration, const gannet_stride *own) {
  gannet_free(&t->update);
  GANNET_TRY(gannet_alloc(2 * (size_t)q * (size_t)t->n, sizeof *t->update, &t->update));
  GANNET_TRY(gannet_tangent_directions_reserve(t->net, q, &t->draws));
  return gannet_tangent_prior_some(t->net,
                                   gannet_stream_of(t->streams, GANNET_FOR_PRIOR, iteration, 0),
                                   own->first, own->step, &t->draws);
}

/* update = Phi omega_j + eps_j. */
static gannet_err perturb(tangent_model *t, int q, int64_t iteration, const gannet_stride *own) {
  gannet_tangent_apply_some(t->net, &t->data, own->first, own->step, &t->draws, t->update, t->n);
  return gannet_inducing_perturb(t->inducing, t->lambda, own,
                                 gannet_stream_of(t->streams, GANNET_FOR_NOISE, iteration, 0), q,
                                 t->n, t->update);
}

/* Matheron's rule, with e exploration, omega_j ~ N(0, I), eps_j ~ N(0, lambda I):
 *
 *   draw_j = e s phi(x) . omega_j + k(x)^T c_j,
 *   c_j = (K + lambda I)^-1 (y - e s (Phi omega_j + eps_j)),
 *
 * one solve for all draws. The kernel of the network makes both terms one direction e s omega_j +
 * Phi^T c_j; the infinite one keeps c_j (decoupled sampling, Wilson et al. 2020). A trained mean
 * takes the place of that of y. */
static gannet_err matheron(tangent_model *t, int q, double scale) {
  const size_t n = (size_t)t->n;
  double *c = t->update;
  for (int j = 0; j < q; ++j)
    for (size_t i = 0; i < n; ++i)
      c[(size_t)j * n + i] = (t->trained ? 0 : t->y[i]) - scale * c[(size_t)j * n + i];
  if (n > 0) GANNET_TRY(gannet_factor_solve(t->factor, q, c, t->n));
  const gannet_tangent_features none = {0};
  return gannet_tangent_transpose(t->net, t->options->network ? &t->data : &none, c, t->n, scale,
                                  &t->draws);
}

gannet_err tangent_sample(void *state, int q, double exploration, int64_t iteration) {
  tangent_model *t = state;
  const MPI_Comm comm = t->context->comm;
  const gannet_stride own = share_of(t, q);
  GANNET_TRY(gannet_agree(comm, draw_prior(t, q, iteration, &own)));
  if (own.shared) GANNET_TRY(gannet_partition_gather(comm, t->draws.n_numbers, t->draws.numbers));
  GANNET_TRY(perturb(t, q, iteration, &own));
  return matheron(t, q, exploration * sqrt(t->amplitude));
}

gannet_err tangent_draw_values(const void *state, int m, const double *x, double *values, int ldv) {
  const tangent_model *t = state;
  gannet_tangent_values(t->net, &t->draws, m, x, values, ldv);
  for (int first = 0; first < m && !t->options->network; first += BLOCK)
    block_update(t, m - first < BLOCK ? m - first : BLOCK, x + (size_t)first * (size_t)t->d,
                 t->draws.q, t->update, values + first, ldv);
  if (t->trained) tangent_mean_add(t->trained, m, x, t->draws.q, values, ldv);
  return GANNET_OK;
}

gannet_err tangent_draw_gradient(const void *state, int draw, const double *x, double *value,
                                 double *gradient) {
  const tangent_model *t = state;
  double more = 0, *more_gradient = t->slope;
  gannet_tangent_gradient(t->net, &t->draws, draw, x, value, gradient);
  if (t->trained) {
    *value += tangent_mean_gradient(t->trained, x, more_gradient);
    for (int k = 0; k < t->d; ++k) gradient[k] += more_gradient[k];
  }
  if (t->options->network) return GANNET_OK;
  gannet_analytic_points_gradient(t->limit, x, 0, t->update + (size_t)draw * (size_t)t->n, &more,
                                  more_gradient);
  *value += more;
  for (int k = 0; k < t->d; ++k) gradient[k] += more_gradient[k];
  return GANNET_OK;
}

/* Rasmussen and Williams 2006, eqs. (5.10)-(5.12): squared standardised leave-one-out residual
 * alpha_i^2 / (s^2 ((K + lambda I)^-1)_ii). Clipped: with few points it can be anything. */
gannet_err tangent_calibration(void *state, double *scale) {
  tangent_model *t = state;
  double sum = 0, *diagonal = t->work;
  if (t->n < 2) return GANNET_OK;
  GANNET_TRY(gannet_factor_inverse_diagonal(t->factor, diagonal));
  const double *alpha = tangent_alpha_of(t);
  for (int i = 0; i < t->n; ++i) sum += alpha[i] * alpha[i] / diagonal[i];
  *scale = fmin(10, fmax(0.1, sqrt(sum / (t->amplitude * t->n))));
  return GANNET_OK;
}
