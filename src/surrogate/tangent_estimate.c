/* Estimates of draws and of moments, by strips of points, for a scan that re-scores its leaders
 * (search/screen.h).
 */
#include <math.h>

#include "base/memory.h"
#include "surrogate/tangent_kernel.h"

/* Points that are worked at once; a multiple of all lanes, of which there are at least eight. */
enum { POINTS = 256 };

_Static_assert(POINTS <= GANNET_MOMENT_STRIPS * 8, "moments of so many points are made at once");
_Static_assert((int)GANNET_MOMENT_GROUP == (int)GANNET_TANGENT_BLOCK,
               "predict makes moments by such groups");

/* All but the network's copy, whose tables depend on its activation alone. */
static void release_sums(tangent_model *t) {
  gannet_kernel_sums_destroy(&t->update_sums);
  gannet_moment_sums_destroy(&t->moment_sums);
  gannet_free(&t->estimate_z);
  gannet_free(&t->estimate_values);
  gannet_free(&t->estimate_strips);
}

void tangent_estimate_release(tangent_model *t) {
  gannet_unit_sums_destroy(&t->prior_sums);
  release_sums(t);
}

/* Numbers of a point in estimate_values. */
static size_t values_of(const tangent_model *t) {
  return t->moment_sums ? 2 : (size_t)t->draws.q;
}

size_t tangent_estimate_bytes(const tangent_model *t) {
  const size_t inputs = (size_t)t->d + 1, numbers = inputs + values_of(t);
  return gannet_unit_sums_bytes(t->prior_sums) + gannet_kernel_sums_bytes(t->update_sums) +
         gannet_moment_sums_bytes(t->moment_sums) +
         (t->estimate_z ? POINTS * (numbers * sizeof(double) + inputs * t->strips->size) : 0);
}

static gannet_err make_workspace(tangent_model *t) {
  const size_t inputs = (size_t)t->d + 1;
  GANNET_TRY(gannet_alloc(POINTS * inputs, sizeof *t->estimate_z, &t->estimate_z));
  GANNET_TRY(gannet_alloc(POINTS * values_of(t), sizeof *t->estimate_values, &t->estimate_values));
  return gannet_alloc(POINTS * inputs, t->strips->size, &t->estimate_strips);
}

gannet_err tangent_estimate_prepare(void *state, gannet_precision precision, bool *able) {
  tangent_model *t = state;
  *able = false;
  release_sums(t);
  t->strips = gannet_strips_of(precision);
  if (t->trained) return GANNET_OK; /* its values depend on the other points of a call */
  GANNET_TRY(gannet_unit_sums_prepare(t->net, precision, &t->draws, &t->prior_sums));
  if (!t->prior_sums) return GANNET_OK;
  if (!t->options->network) {
    GANNET_TRY(
        gannet_kernel_sums_prepare(t->limit, precision, t->draws.q, t->update, &t->update_sums));
    if (!t->update_sums) return GANNET_OK;
  }
  GANNET_TRY(make_workspace(t));
  *able = true;
  return GANNET_OK;
}

gannet_err tangent_moments_prepare(void *state, gannet_precision precision, bool *able) {
  tangent_model *t = state;
  const gannet_cholesky *factor = NULL;
  *able = false;
  release_sums(t);
  t->strips = gannet_strips_of(precision);
  if (t->trained || t->options->network || t->n == 0) return GANNET_OK;
  GANNET_TRY(gannet_factor_whole(t->factor, &factor));
  GANNET_TRY(gannet_moment_sums_prepare(t->limit, precision, factor, t->alpha, &t->moment_sums));
  if (!t->moment_sums) return GANNET_OK;
  for (int k = 0; k < t->d; ++k) t->slope[k] = 0.5; /* the same anywhere on the sphere */
  gannet_analytic_points_cross(t->limit, 1, t->slope, NULL, 0, &t->own_kernel);
  GANNET_TRY(make_workspace(t));
  *able = true;
  return GANNET_OK;
}

/* Some points into estimate_strips. Returns the number of strips. */
static int make_strips(const tangent_model *t, int points, const double *x) {
  const int inputs = t->d + 1, lanes = t->strips->lanes;
  const gannet_strips_source lifted = {t->estimate_z, (size_t)inputs, 1};
  gannet_analytic_points_lift(t->limit, points, x, t->estimate_z);
  t->strips->pack(points, inputs, &lifted, lanes, t->estimate_strips);
  return (points + lanes - 1) / lanes;
}

/* values: [q][ldv] from [strips][q][lanes]. */
static void unpack(int m, int q, int lanes, const double *from, double *values, int ldv) {
  for (int i = 0; i < m; ++i) {
    const double *strip = from + (ptrdiff_t)(i / lanes) * q * lanes + i % lanes;
    for (ptrdiff_t j = 0; j < q; ++j) values[j * ldv + i] = strip[j * lanes];
  }
}

void tangent_draw_estimates(const void *state, int m, const double *x, double *values, int ldv) {
  const tangent_model *t = state;
  for (int first = 0; first < m; first += POINTS) {
    const int points = m - first < POINTS ? m - first : POINTS;
    const int n_strips = make_strips(t, points, x + (size_t)first * (size_t)t->d);
    gannet_unit_sums_values(t->prior_sums, n_strips, t->estimate_strips, t->estimate_values);
    if (t->update_sums)
      gannet_kernel_sums_add(t->update_sums, n_strips, t->estimate_strips, t->estimate_values);
    unpack(points, t->draws.q, t->strips->lanes, t->estimate_values, values + first, ldv);
  }
}

void tangent_moment_estimates(const void *state, int m, const double *x, double *mean,
                              double *variance) {
  const tangent_model *t = state;
  const double *explained = t->estimate_values + POINTS;
  for (int first = 0; first < m; first += POINTS) {
    const int points = m - first < POINTS ? m - first : POINTS;
    const int n_strips = make_strips(t, points, x + (size_t)first * (size_t)t->d);
    gannet_moment_sums_values(t->moment_sums, n_strips, t->estimate_strips, t->estimate_values,
                              t->estimate_values + POINTS);
    for (int i = 0; i < points; ++i) {
      mean[first + i] = t->estimate_values[i];
      variance[first + i] =
          isfinite(explained[i]) ? t->amplitude * fmax(0, t->own_kernel - explained[i]) : NAN;
    }
  }
}
