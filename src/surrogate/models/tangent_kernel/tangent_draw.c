/* Draws of whole functions from the tangent-kernel model, by Matheron's rule. With e exploration,
 * omega_j ~ N(0, I) and eps_j ~ N(0, lambda I),
 *
 *   draw_j = e s phi(x) . omega_j + k(x)^T c_j,
 *   c_j = (K + lambda I)^-1 (y - e s (Phi omega_j + eps_j)),
 *
 * which takes one solve for all draws. With the kernel of the network both terms are one direction,
 * e s omega_j + Phi^T c_j; with the infinite kernel c_j is kept (decoupled sampling, Wilson et al.
 * 2020), and phi is that of another network in every batch: E[phi(x) . phi(x')] = k(x, x'). A
 * trained mean takes the place of that of y.
 *
 * With an additive part the draw of the prior is sqrt(1 - share) phi(x) . omega_j + sqrt(share)
 * a_j, a_j a draw with kernel A. What c_j adds is split alike: the additive part of a draw is kept
 * as functions of single coordinates, and update has (1 - share) c_j.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "surrogate/models/tangent_kernel/tangent_kernel.h"

enum { BLOCK = GANNET_TANGENT_BLOCK };

/* With the kernel of the infinite network each rank makes the features of its blocks of long lists,
 * from so many points on. */
enum { FEATURES_ALONE = 512 };

/* Draws with fewer random numbers are made by every rank: messages would take longer. */
enum { NUMBERS_ALONE = 1 << 15 };

/* The weights c_j, and with the kernel of the network the directions. */
static gannet_err solve_for_draws(tangent_model *t, int q, double scale) {
  const size_t n = (size_t)t->n;
  double *c = t->update;
  for (int j = 0; j < q; ++j)
    for (size_t i = 0; i < n; ++i)
      c[(size_t)j * n + i] = (t->trained ? 0 : t->y[i]) - scale * c[(size_t)j * n + i];
  if (n > 0) GANNET_TRY(gannet_factor_solve(t->factor, q, c, t->n));
  if (t->share > 0) /* the additive part takes its share of the weights */
    GANNET_TRY(tangent_additive_update(t->additive, t->context, scale * sqrt(t->share), t->share, c,
                                       tangent_alpha_of(t)));
  for (size_t i = 0; t->share > 0 && i < (size_t)q * n; ++i) c[i] *= 1 - t->share;
  const gannet_tangent_features none = {0};
  return gannet_tangent_transpose(t->net, t->options->network ? &t->data : &none, c, t->n,
                                  scale * sqrt(1 - t->share), &t->draws);
}

gannet_err tangent_sample(void *state, int q, double exploration, int64_t iteration) {
  tangent_model *t = state;
  const MPI_Comm comm = t->context->comm;
  const bool infinite = !t->options->network;
  /* Of the making of draws ranks share the draws, and blocks of points. */
  const double numbers = (double)q * ((double)gannet_tangent_parameters(t->net) + (double)t->n);
  const gannet_stride own =
      gannet_stride_of(t->context->rank, t->context->np,
                       (infinite && t->n >= FEATURES_ALONE) || numbers >= NUMBERS_ALONE);
  gannet_free(&t->update);
  gannet_err err = gannet_alloc(2 * (size_t)q * (size_t)t->n, sizeof *t->update, &t->update);
  if (err == GANNET_OK && infinite) { /* another network, and its features of the data */
    gannet_tangent_redraw(t->net, gannet_stream_of(t->streams, GANNET_FOR_WEIGHTS, iteration, 0));
    err = gannet_tangent_make_some(t->net, t->n, gannet_analytic_points_inputs(t->limit), own.first,
                                   own.step, &t->data);
  }
  if (err == GANNET_OK) err = gannet_tangent_directions_reserve(t->net, q, &t->draws);
  if (err == GANNET_OK)
    err = gannet_tangent_prior_some(t->net,
                                    gannet_stream_of(t->streams, GANNET_FOR_PRIOR, iteration, 0),
                                    own.first, own.step, &t->draws);
  if (err == GANNET_OK && t->share > 0)
    err = tangent_additive_prior(t->additive, q,
                                 gannet_stream_of(t->streams, GANNET_FOR_PRIOR, iteration, 0));
  GANNET_TRY(gannet_agree(comm, err));
  if (own.shared) GANNET_TRY(gannet_partition_gather(comm, t->draws.n_numbers, t->draws.numbers));
  /* update = Phi omega_j + eps_j */
  gannet_tangent_apply(t->net, &t->data, own.first, own.step, &t->draws, t->update, t->n);
  if (t->share > 0) {
    for (size_t i = 0; i < (size_t)q * (size_t)t->n; ++i) t->update[i] *= sqrt(1 - t->share);
    tangent_additive_add_at_data(t->additive, sqrt(t->share), &own, t->update, t->n);
  }
  GANNET_TRY(gannet_inducing_perturb(t->inducing, t->lambda, &own,
                                     gannet_stream_of(t->streams, GANNET_FOR_NOISE, iteration, 0),
                                     q, t->n, t->update));
  return solve_for_draws(t, q, exploration * sqrt(t->amplitude));
}

/* The deviation is that of the directions, and of c_j from alpha. */
gannet_err tangent_shrink_draw(void *state, int draw, double factor) {
  tangent_model *t = state;
  const bool network = t->options->network;
  const double *alpha = t->trained || network || t->n == 0 ? NULL : tangent_alpha_of(t);
  double *c = t->update + (size_t)draw * (size_t)t->n;
  if (t->share > 0) tangent_additive_shrink(t->additive, draw, factor);
  gannet_tangent_directions_shrink(t->net, draw, factor, network && !t->trained ? &t->mean : NULL,
                                   &t->draws);
  for (int i = 0; i < t->n; ++i) {
    const double about = alpha ? (1 - t->share) * alpha[i] : 0;
    c[i] = about + factor * (c[i] - about);
  }
  return GANNET_OK;
}

gannet_err tangent_draw_values(const void *state, int m, const double *x, double *values, int ldv) {
  const tangent_model *t = state;
  gannet_tangent_values(t->net, &t->draws, m, x, values, ldv);
  for (int first = 0; first < m && !t->options->network; first += BLOCK)
    tangent_add_cross(t, 0, m - first < BLOCK ? m - first : BLOCK, x + (size_t)first * (size_t)t->d,
                      t->draws.q, t->update, values + first, ldv);
  if (t->trained) tangent_mean_add(t->trained, m, x, t->draws.q, values, ldv);
  if (t->share > 0) tangent_additive_add_draws(t->additive, 1, m, x, values, ldv);
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
  if (t->share > 0) tangent_additive_add_slope(t->additive, draw, x, value, gradient);
  return GANNET_OK;
}
