/* Estimates of draws and moments of the tangent-kernel model (surrogate/estimates.h). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "surrogate/models/tangent_kernel/tangent_kernel.h"

enum { POINTS = GANNET_ESTIMATES_POINTS };

_Static_assert((int)GANNET_MOMENT_GROUP == (int)GANNET_TANGENT_BLOCK,
               "predict makes moments by such groups");

/* An estimator of the model. */
typedef struct {
  gannet_estimator_base base; /* its model is a tangent_model, its points are embedded */
  gannet_unit_sums *prior;    /* of draws */
  gannet_kernel_sums *update; /* of draws; NULL for a network's own features */
  double own;                 /* k(x, x) */
} tangent_estimator;

static void destroy_estimator(void *work) {
  tangent_estimator *e = work;
  gannet_unit_sums_destroy(&e->prior);
  gannet_kernel_sums_destroy(&e->update);
  gannet_moment_sums_destroy(&e->base.moments);
  gannet_estimates_release(&e->base.space);
  gannet_free(&e);
}

/* Values of a trained network depend on the other points of a call. */
static gannet_err prepare_draws(void *work, bool *able) {
  tangent_estimator *e = work;
  tangent_model *t = e->base.model;
  gannet_sums_list list;
  if (t->trained) return GANNET_OK;
  GANNET_TRY(gannet_unit_sums_prepare(t->net, &t->tables, &t->draws, &e->prior));
  if (!e->prior) return GANNET_OK;
  if (!t->options->network) {
    if (!gannet_analytic_points_list(t->limit, &list)) return GANNET_OK;
    GANNET_TRY(gannet_kernel_sums_prepare(&list, t->draws.q, t->update, &e->update));
  }
  *able = true;
  return gannet_estimates_reserve(t->d + 1, t->draws.q, &e->base.space);
}

/* What estimates of moments and upper bounds begin with; false when there are none. */
static gannet_err prepare_list(tangent_estimator *e, gannet_sums_list *list,
                               const gannet_cholesky **factor, bool *able) {
  tangent_model *t = e->base.model;
  *able = false;
  /* the kernel with an additive part is no function of a product */
  if (t->trained || t->options->network || t->n == 0 || t->share > 0) return GANNET_OK;
  if (!gannet_analytic_points_list(t->limit, list)) return GANNET_OK;
  GANNET_TRY(gannet_factor_whole(t->factor, factor));
  for (int k = 0; k < t->d; ++k) t->slope[k] = 0.5; /* the same anywhere on the sphere */
  gannet_analytic_points_cross(t->limit, 1, t->slope, NULL, 0, &e->own);
  *able = true;
  return gannet_estimates_reserve(t->d + 1, 2, &e->base.space);
}

static gannet_err prepare_moments(void *work, bool *able) {
  tangent_estimator *e = work;
  const gannet_cholesky *factor = NULL;
  gannet_sums_list list;
  GANNET_TRY(prepare_list(e, &list, &factor, able));
  if (!*able) return GANNET_OK;
  GANNET_TRY(
      gannet_moment_sums_prepare(&list, factor, tangent_alpha_of(e->base.model), &e->base.moments));
  *able = e->base.moments != NULL;
  return GANNET_OK;
}

static gannet_err prepare_pivots(void *work, const double *pivots, gannet_moment_pivots *sums,
                                 bool *able) {
  enum { BLOCK = GANNET_TANGENT_BLOCK };
  tangent_estimator *e = work;
  const tangent_model *t = e->base.model;
  const size_t n = (size_t)t->n;
  double own[BLOCK];
  GANNET_TRY(prepare_list(e, &sums->list, &sums->factor, able));
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

static int embed_points(const tangent_estimator *e, int m, int first, const double *x) {
  const int points = m - first < POINTS ? m - first : POINTS;
  const tangent_model *t = e->base.model;
  gannet_analytic_points_embed(t->limit, points, x + (size_t)first * (size_t)t->d, e->base.space.z);
  return points;
}

static void estimate_draws(void *work, int m, const double *x, double *values, int ldv) {
  tangent_estimator *e = work;
  const tangent_model *t = e->base.model;
  const gannet_estimates *space = &e->base.space;
  for (int first = 0; first < m; first += POINTS) {
    const int points = embed_points(e, m, first, x);
    const int n_strips = gannet_estimates_pack(space, points);
    gannet_unit_sums_values(e->prior, n_strips, space->strips, space->values);
    if (e->update) gannet_kernel_sums_add(e->update, n_strips, space->strips, space->values);
    gannet_estimates_unpack(space, points, values + first, ldv);
    if (t->share > 0)
      tangent_additive_add_draws(t->additive, 1, points, x + (size_t)first * (size_t)t->d,
                                 values + first, ldv);
  }
}

static void estimate_moments(void *work, int m, const double *x, double *mean, double *variance) {
  tangent_estimator *e = work;
  const tangent_model *t = e->base.model;
  const gannet_moment_scale scale = {0, e->own, t->amplitude};
  for (int first = 0; first < m; first += POINTS) {
    const int points = embed_points(e, m, first, x);
    gannet_moment_sums_estimate(e->base.moments, &scale, &e->base.space, points, mean + first,
                                variance + first);
  }
}

static gannet_err find_upper_bounds(void *work, int m, const double *x, double *variance) {
  enum { BLOCK = GANNET_TANGENT_BLOCK };
  const tangent_estimator *e = work;
  const tangent_model *t = e->base.model;
  double part[BLOCK];
  for (int first = 0; first < m; first += BLOCK) {
    const int rows = m - first < BLOCK ? m - first : BLOCK;
    double *own = variance + first;
    GANNET_TRY(tangent_block_kernel(t, rows, x + (size_t)first * (size_t)t->d, own));
    gannet_moment_sums_explained(e->base.moments, rows, t->cross, part);
    for (int i = 0; i < rows; ++i) own[i] = t->amplitude * fmax(0, own[i] - part[i]);
  }
  return GANNET_OK;
}

gannet_err tangent_make_estimator(void *state, const gannet_estimator_spec *spec,
                                  gannet_estimator *estimator) {
  static const gannet_estimator_type type = {estimate_draws, estimate_moments, find_upper_bounds,
                                             destroy_estimator};
  static const gannet_estimator_preparation by = {sizeof(tangent_estimator), prepare_draws,
                                                  prepare_moments, prepare_pivots};
  tangent_model *t = state;
  return gannet_estimator_prepare(t->context, t, &by, &type, spec, estimator);
}
