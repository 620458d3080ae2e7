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

void gp_release_estimates(gp *g) {
  gannet_kernel_sums_destroy(&g->prior_sums);
  gannet_kernel_sums_destroy(&g->update_sums);
  gannet_moment_sums_destroy(&g->moment_sums);
  gannet_estimates_release(&g->estimates);
}

size_t gp_estimate_bytes(const gp *g) {
  return gannet_kernel_sums_bytes(g->prior_sums) + gannet_kernel_sums_bytes(g->update_sums) +
         gannet_moment_sums_bytes(g->moment_sums) + gannet_estimates_bytes(&g->estimates);
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
static gannet_err prepare_prior(gp *g) {
  static const double pi = 3.14159265358979323846;
  const gp_draws *w = &g->draws;
  const size_t length = (size_t)w->half * (size_t)g->d;
  double *half_turns = NULL;
  GANNET_TRY(gannet_alloc(length, sizeof *half_turns, &half_turns));
  for (size_t i = 0; i < length; ++i) half_turns[i] = w->frequency[i] / pi;
  const gannet_sums_list list = {GANNET_SUMS_OF_WAVES, NULL, g->d, w->half, half_turns};
  const gannet_err err = gannet_kernel_sums_prepare(&list, w->q, w->weight, &g->prior_sums);
  gannet_free(&half_turns);
  return err;
}

gannet_err gp_estimate_prepare(void *state, bool *able) {
  gp *g = state;
  gannet_sums_list list;
  *able = false;
  gp_release_estimates(g);
  if (g->n > 0) {
    if (!kernel_list(g, &list)) return GANNET_OK;
    GANNET_TRY(gannet_kernel_sums_prepare(&list, g->draws.q, g->draws.update, &g->update_sums));
  }
  GANNET_TRY(prepare_prior(g));
  GANNET_TRY(gannet_estimates_reserve(g->d, g->draws.q, &g->estimates));
  *able = true;
  return GANNET_OK;
}

/* What estimates of moments begin with; false when there are none. */
static gannet_err prepare_moments(gp *g, gannet_sums_list *list, const gannet_cholesky **factor,
                                  bool *able) {
  *able = false;
  gp_release_estimates(g);
  if (g->n == 0 || !kernel_list(g, list)) return GANNET_OK;
  GANNET_TRY(gannet_factor_whole(g->factor, factor));
  *able = true;
  return gannet_estimates_reserve(g->d, 2, &g->estimates);
}

gannet_err gp_moments_prepare(void *state, bool *able) {
  gp *g = state;
  const gannet_cholesky *factor = NULL;
  gannet_sums_list list;
  GANNET_TRY(prepare_moments(g, &list, &factor, able));
  if (*able) GANNET_TRY(gannet_moment_sums_prepare(&list, factor, g->solved, &g->moment_sums));
  *able = g->moment_sums != NULL;
  return GANNET_OK;
}

/* The kernel between m points and the data into k. */
static void pivot_kernel(const gp *g, int m, const double *x, double *k) {
  const size_t n = (size_t)g->n;
  for (int first = 0; first < m; first += GP_BLOCK) {
    const int rows = m - first < GP_BLOCK ? m - first : GP_BLOCK;
    gp_scale_block(g, rows, x + (size_t)first * (size_t)g->d);
    gp_cross(g, rows);
    memcpy(k + (size_t)first * n, g->cross, (size_t)rows * n * sizeof *k);
  }
}

static gannet_err prepare_pivots(gp *g, const double *pivots, gannet_moment_pivots *sums,
                                 bool *able) {
  GANNET_TRY(prepare_moments(g, &sums->list, &sums->factor, able));
  if (!*able) return GANNET_OK;
  sums->alpha = g->solved;
  GANNET_TRY(gannet_alloc((size_t)sums->m * (size_t)g->n, sizeof *sums->k, &sums->k));
  pivot_kernel(g, sums->m, pivots, sums->k);
  return GANNET_OK;
}

gannet_err gp_variance_upper_bound_prepare(void *state, int n_pivots, const double *pivots,
                                           bool *able) {
  gp *g = state;
  gannet_moment_pivots sums = {.context = g->context, .m = n_pivots};
  gannet_err err = prepare_pivots(g, pivots, &sums, able);
  err = gannet_moment_sums_prepare_pivots(&sums, err, able, &g->moment_sums);
  gannet_free(&sums.k);
  return err;
}

gannet_err gp_variance_upper_bound(const void *state, int m, const double *x, double *variance) {
  const gp *g = state;
  for (int first = 0; first < m; first += GP_BLOCK) {
    const int rows = m - first < GP_BLOCK ? m - first : GP_BLOCK;
    gp_scale_block(g, rows, x + (size_t)first * (size_t)g->d);
    gp_cross(g, rows);
    gannet_moment_sums_explained(g->moment_sums, rows, g->cross, variance + first);
    for (int i = first; i < first + rows; ++i) variance[i] = fmax(0, g->variance - variance[i]);
  }
  return GANNET_OK;
}

/* Some points, scaled. */
static int scale_points(const gp *g, int m, int first, const double *x) {
  const int points = m - first < POINTS ? m - first : POINTS;
  gp_scale(g, points, x + (size_t)first * (size_t)g->d, g->estimates.z, NULL);
  return points;
}

void gp_draw_estimates(const void *state, int m, const double *x, double *values, int ldv) {
  const gp *g = state;
  const gannet_estimates *e = &g->estimates;
  for (int first = 0; first < m; first += POINTS) {
    const int points = scale_points(g, m, first, x), n_strips = gannet_estimates_pack(e, points);
    for (int i = 0; i < n_strips * GANNET_STRIP_LANES * e->each; ++i) e->values[i] = g->mean;
    gannet_kernel_sums_add(g->prior_sums, n_strips, e->strips, e->values);
    if (g->update_sums) gannet_kernel_sums_add(g->update_sums, n_strips, e->strips, e->values);
    gannet_estimates_unpack(e, points, values + first, ldv);
  }
}

void gp_moment_estimates(const void *state, int m, const double *x, double *mean,
                         double *variance) {
  const gp *g = state;
  const gannet_moment_scale scale = {g->mean, g->variance, 1};
  for (int first = 0; first < m; first += POINTS) {
    const int points = scale_points(g, m, first, x);
    gannet_moment_sums_estimate(g->moment_sums, &scale, &g->estimates, points, mean + first,
                                variance + first);
  }
}
