/* Estimates of draws and moments of the tangent-kernel model (surrogate/estimates.h). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "surrogate/models/tangent_kernel/tangent_kernel.h"

enum { POINTS = GANNET_ESTIMATES_POINTS };

_Static_assert((int)GANNET_MOMENT_GROUP == (int)GANNET_TANGENT_BLOCK,
               "predict makes moments by such groups");

/* Free all but prior_sums, the network's copy: its tables depend on the activation alone. */
static void release_sums(tangent_model *t) {
  gannet_kernel_sums_destroy(&t->update_sums);
  gannet_moment_sums_destroy(&t->moment_sums);
  gannet_estimates_release(&t->estimates);
}

void tangent_release_estimates(tangent_model *t) {
  gannet_unit_sums_destroy(&t->prior_sums);
  release_sums(t);
}

size_t tangent_estimate_bytes(const tangent_model *t) {
  return gannet_unit_sums_bytes(t->prior_sums) + gannet_kernel_sums_bytes(t->update_sums) +
         gannet_moment_sums_bytes(t->moment_sums) + gannet_estimates_bytes(&t->estimates);
}

gannet_err tangent_estimate_prepare(void *state, bool *able) {
  tangent_model *t = state;
  gannet_sums_list list;
  *able = false;
  release_sums(t);
  if (t->trained) return GANNET_OK; /* its values depend on the other points of a call */
  GANNET_TRY(gannet_unit_sums_prepare(t->net, &t->draws, &t->prior_sums));
  if (!t->prior_sums) return GANNET_OK;
  if (!t->options->network) {
    if (!gannet_analytic_points_list(t->limit, &list)) return GANNET_OK;
    GANNET_TRY(gannet_kernel_sums_prepare(&list, t->draws.q, t->update, &t->update_sums));
  }
  GANNET_TRY(gannet_estimates_reserve(t->d + 1, t->draws.q, &t->estimates));
  *able = true;
  return GANNET_OK;
}

/* What estimates of moments begin with; false when there are none. */
static gannet_err prepare_moments(tangent_model *t, gannet_sums_list *list,
                                  const gannet_cholesky **factor, bool *able) {
  *able = false;
  release_sums(t);
  if (t->trained || t->options->network || t->n == 0) return GANNET_OK;
  if (!gannet_analytic_points_list(t->limit, list)) return GANNET_OK;
  GANNET_TRY(gannet_factor_whole(t->factor, factor));
  for (int k = 0; k < t->d; ++k) t->slope[k] = 0.5; /* the same anywhere on the sphere */
  gannet_analytic_points_cross(t->limit, 1, t->slope, NULL, 0, &t->own_kernel);
  *able = true;
  return gannet_estimates_reserve(t->d + 1, 2, &t->estimates);
}

gannet_err tangent_moments_prepare(void *state, bool *able) {
  tangent_model *t = state;
  const gannet_cholesky *factor = NULL;
  gannet_sums_list list;
  GANNET_TRY(prepare_moments(t, &list, &factor, able));
  if (*able)
    GANNET_TRY(gannet_moment_sums_prepare(&list, factor, tangent_alpha_of(t), &t->moment_sums));
  *able = t->moment_sums != NULL;
  return GANNET_OK;
}

static gannet_err prepare_pivots(tangent_model *t, const double *pivots, gannet_moment_pivots *sums,
                                 bool *able) {
  enum { BLOCK = GANNET_TANGENT_BLOCK };
  const size_t n = (size_t)t->n;
  double own[BLOCK];
  GANNET_TRY(prepare_moments(t, &sums->list, &sums->factor, able));
  if (!*able) return GANNET_OK;
  sums->alpha = tangent_alpha_of(t);
  GANNET_TRY(gannet_alloc((size_t)sums->m * n, sizeof *sums->k, &sums->k));
  for (int first = 0; first < sums->m; first += BLOCK) {
    const int rows = sums->m - first < BLOCK ? sums->m - first : BLOCK;
    GANNET_TRY(tangent_block_kernel(t, rows, pivots + (size_t)first * (size_t)t->d, own));
    memcpy(sums->k + (size_t)first * n, t->cross, (size_t)rows * n * sizeof *sums->k);
  }
  return GANNET_OK;
}

gannet_err tangent_variance_upper_bound_prepare(void *state, int n_pivots, const double *pivots,
                                                bool *able) {
  tangent_model *t = state;
  gannet_moment_pivots sums = {.context = t->context, .m = n_pivots};
  gannet_err err = prepare_pivots(t, pivots, &sums, able);
  err = gannet_moment_sums_prepare_pivots(&sums, err, able, &t->moment_sums);
  gannet_free(&sums.k);
  return err;
}

gannet_err tangent_variance_upper_bound(const void *state, int m, const double *x,
                                        double *variance) {
  enum { BLOCK = GANNET_TANGENT_BLOCK };
  const tangent_model *t = state;
  double part[BLOCK];
  for (int first = 0; first < m; first += BLOCK) {
    const int rows = m - first < BLOCK ? m - first : BLOCK;
    double *own = variance + first;
    GANNET_TRY(tangent_block_kernel(t, rows, x + (size_t)first * (size_t)t->d, own));
    gannet_moment_sums_explained(t->moment_sums, rows, t->cross, part);
    for (int i = 0; i < rows; ++i) own[i] = t->amplitude * fmax(0, own[i] - part[i]);
  }
  return GANNET_OK;
}

void tangent_draw_estimates(const void *state, int m, const double *x, double *values, int ldv) {
  const tangent_model *t = state;
  const gannet_estimates *e = &t->estimates;
  for (int first = 0; first < m; first += POINTS) {
    const int points = m - first < POINTS ? m - first : POINTS;
    gannet_analytic_points_embed(t->limit, points, x + (size_t)first * (size_t)t->d, e->z);
    const int n_strips = gannet_estimates_pack(e, points);
    gannet_unit_sums_values(t->prior_sums, n_strips, e->strips, e->values);
    if (t->update_sums) gannet_kernel_sums_add(t->update_sums, n_strips, e->strips, e->values);
    gannet_estimates_unpack(e, points, values + first, ldv);
  }
}

void tangent_moment_estimates(const void *state, int m, const double *x, double *mean,
                              double *variance) {
  const tangent_model *t = state;
  const gannet_moment_scale scale = {0, t->own_kernel, t->amplitude};
  for (int first = 0; first < m; first += POINTS) {
    const int points = m - first < POINTS ? m - first : POINTS;
    gannet_analytic_points_embed(t->limit, points, x + (size_t)first * (size_t)t->d,
                                 t->estimates.z);
    gannet_moment_sums_estimate(t->moment_sums, &scale, &t->estimates, points, mean + first,
                                variance + first);
  }
}
