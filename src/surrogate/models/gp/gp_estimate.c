/* Estimates of draws and moments of a Gaussian process (surrogate/estimates.h).
 *
 * The kernel is tabulated as a function of the squared distance, which saves a root. Matern kernels
 * are not smooth functions of it: where that table is not good enough, or needs more
 * pieces, the kernel is tabulated as a function of the distance.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "surrogate/models/gp/gp.h"

enum { POINTS = GANNET_ESTIMATES_POINTS };

/* Shares of the variance: below least the kernel counts as constant; most_error is the largest
 * error that a table may have. */
static const double least = 1e-13, most_error = 1e-9;

/* An estimator of a process. */
typedef struct {
  gannet_estimator_base base; /* its model is a gp, its points are scaled */
  gannet_kernel_sums *prior;  /* of draws */
  gannet_kernel_sums *update; /* of draws; NULL without data */
} gp_estimator;

static void destroy_estimator(void *work) {
  gp_estimator *e = work;
  gannet_kernel_sums_destroy(&e->prior);
  gannet_kernel_sums_destroy(&e->update);
  gannet_moment_sums_destroy(&e->base.moments);
  gannet_estimates_release(&e->base.space);
  gannet_free(&e);
}

/* The kernel by squared distance. A table asks for it a little below 0, too. */
static void by_square(const void *user, int n, const double *x, double *y) {
  const gp *g = user;
  for (int i = 0; i < n; ++i) y[i] = fabs(x[i]);
  g->kernel->value(n, y, y);
  for (int i = 0; i < n; ++i) y[i] *= g->variance;
}

static void by_distance(const void *user, int n, const double *x, double *y) {
  for (int i = 0; i < n; ++i) {
    const double square = x[i] * x[i];
    by_square(user, 1, &square, &y[i]);
  }
}

/* Largest squared distance in the cube, or where the kernel is gone. */
static double reach_of(const gp *g) {
  double reach = 0, here = 0;
  for (int k = 0; k < g->d; ++k) reach += 1 / (g->length[k] * g->length[k]);
  for (;; reach *= 0.8) {
    const double nearer = 0.8 * reach;
    g->kernel->value(1, &nearer, &here);
    if (!(here <= least)) return reach; /* one that is not a number ends here */
  }
}

/* The kernel with the data as a list for sums; false when no table is good enough. */
static bool kernel_list(gp *g, gannet_sums_list *list) {
  gp_table *made = &g->made;
  const double reach = reach_of(g), most = most_error * g->variance;
  if (made->variance != g->variance || made->reach != reach) {
    gannet_table rooted;
    *made = (gp_table){.variance = g->variance, .reach = reach, .kind = GANNET_SUMS_OF_SQUARE};
    made->good =
        gannet_table_fit(by_square, g, reach, false, &made->table) && made->table.error <= most;
    if (gannet_table_fit(by_distance, g, sqrt(reach), false, &rooted) &&
        (!made->good || rooted.pieces < made->table.pieces)) {
      made->kind = GANNET_SUMS_OF_DISTANCE;
      made->table = rooted;
      made->good = true;
    }
  }
  *list = (gannet_sums_list){made->kind, &made->table, g->d, g->n, g->z};
  return made->good;
}

/* Cosines and sines of frequencies: numbers of half turns for the strips. */
static gannet_err prepare_prior(const gp_draws *w, int d, gannet_kernel_sums **sums) {
  static const double pi = 3.14159265358979323846;
  const size_t length = (size_t)w->half * (size_t)d;
  double *half_turns = NULL;
  GANNET_TRY(gannet_alloc(length, sizeof *half_turns, &half_turns));
  for (size_t i = 0; i < length; ++i) half_turns[i] = w->frequency[i] / pi;
  const gannet_sums_list list = {GANNET_SUMS_OF_WAVES, NULL, d, w->half, half_turns};
  const gannet_err err = gannet_kernel_sums_prepare(&list, w->q, w->weight, sums);
  gannet_free(&half_turns);
  return err;
}

static gannet_err prepare_draws(void *work, bool *able) {
  gp_estimator *e = work;
  gp *g = e->base.model;
  gannet_sums_list list;
  *able = g->n == 0 || kernel_list(g, &list);
  if (!*able) return GANNET_OK;
  if (g->n > 0)
    GANNET_TRY(gannet_kernel_sums_prepare(&list, g->draws.q, g->draws.update, &e->update));
  GANNET_TRY(prepare_prior(&g->draws, g->d, &e->prior));
  return gannet_estimates_reserve(g->d, g->draws.q, &e->base.space);
}

static gannet_err prepare_moments(void *work, bool *able) {
  gp_estimator *e = work;
  gp *g = e->base.model;
  const gannet_cholesky *factor = NULL;
  gannet_sums_list list;
  if (g->n == 0 || !kernel_list(g, &list)) return GANNET_OK;
  GANNET_TRY(gannet_factor_whole(g->factor, &factor));
  GANNET_TRY(gannet_estimates_reserve(g->d, 2, &e->base.space));
  GANNET_TRY(gannet_moment_sums_prepare(&list, factor, g->solved, &e->base.moments));
  *able = e->base.moments != NULL;
  return GANNET_OK;
}

/* What upper bounds need besides the sums: the kernel between the pivots and the data. */
static gannet_err prepare_pivots(void *work, const double *pivots, gannet_moment_pivots *sums,
                                 bool *able) {
  gp_estimator *e = work;
  gp *g = e->base.model;
  const size_t n = (size_t)g->n;
  if (g->n == 0 || !kernel_list(g, &sums->list)) return GANNET_OK;
  GANNET_TRY(gannet_factor_whole(g->factor, &sums->factor));
  GANNET_TRY(gannet_estimates_reserve(g->d, 2, &e->base.space));
  GANNET_TRY(gannet_alloc((size_t)sums->m * n, sizeof *sums->k, &sums->k));
  sums->alpha = g->solved;
  *able = true;
  for (int first = 0; first < sums->m; first += GP_BLOCK) {
    const int rows = sums->m - first < GP_BLOCK ? sums->m - first : GP_BLOCK;
    gp_scale_block(g, rows, pivots + (size_t)first * (size_t)g->d);
    gp_cross(g, rows);
    memcpy(sums->k + (size_t)first * n, g->cross, (size_t)rows * n * sizeof *sums->k);
  }
  return GANNET_OK;
}

/* Some points, scaled. */
static int scale_points(const gp_estimator *e, int m, int first, const double *x) {
  const int points = m - first < POINTS ? m - first : POINTS;
  const gp *g = e->base.model;
  gp_scale(g, points, x + (size_t)first * (size_t)g->d, e->base.space.z, NULL);
  return points;
}

static void estimate_draws(void *work, int m, const double *x, double *values, int ldv) {
  gp_estimator *e = work;
  const gp *g = e->base.model;
  const gannet_estimates *space = &e->base.space;
  for (int first = 0; first < m; first += POINTS) {
    const int points = scale_points(e, m, first, x);
    const int n_strips = gannet_estimates_pack(space, points);
    for (int i = 0; i < n_strips * GANNET_STRIP_LANES * space->each; ++i)
      space->values[i] = g->mean;
    gannet_kernel_sums_add(e->prior, n_strips, space->strips, space->values);
    if (e->update) gannet_kernel_sums_add(e->update, n_strips, space->strips, space->values);
    gannet_estimates_unpack(space, points, values + first, ldv);
  }
}

static void estimate_moments(void *work, int m, const double *x, double *mean, double *variance) {
  gp_estimator *e = work;
  const gp *g = e->base.model;
  const gannet_moment_scale scale = {g->mean, g->variance, 1};
  for (int first = 0; first < m; first += POINTS) {
    const int points = scale_points(e, m, first, x);
    gannet_moment_sums_estimate(e->base.moments, &scale, &e->base.space, points, mean + first,
                                variance + first);
  }
}

static gannet_err find_upper_bounds(void *work, int m, const double *x, double *variance) {
  const gp_estimator *e = work;
  const gp *g = e->base.model;
  for (int first = 0; first < m; first += GP_BLOCK) {
    const int rows = m - first < GP_BLOCK ? m - first : GP_BLOCK;
    gp_scale_block(g, rows, x + (size_t)first * (size_t)g->d);
    gp_cross(g, rows);
    gannet_moment_sums_explained(e->base.moments, rows, g->cross, variance + first);
    for (int i = first; i < first + rows; ++i) variance[i] = fmax(0, g->variance - variance[i]);
  }
  return GANNET_OK;
}

gannet_err gp_make_estimator(void *state, const gannet_estimator_spec *spec,
                             gannet_estimator *estimator) {
  static const gannet_estimator_type type = {estimate_draws, estimate_moments, find_upper_bounds,
                                             destroy_estimator};
  static const gannet_estimator_preparation by = {sizeof(gp_estimator), prepare_draws,
                                                  prepare_moments, prepare_pivots};
  return gannet_estimator_prepare(((gp *)state)->context, state, &by, &type, spec, estimator);
}
