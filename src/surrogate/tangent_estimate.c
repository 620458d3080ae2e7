/* Estimates of draws, by strips of points, for a scan that re-scores its leaders (search/screen.h).
 */
#include "base/memory.h"
#include "surrogate/tangent_kernel.h"

/* Points that are worked at once; a multiple of all lanes. */
enum { POINTS = 256 };

/* All but the network's copy, whose tables depend on its activation alone. */
static void release_draws(tangent_model *t) {
  gannet_kernel_sums_destroy(&t->update_sums);
  gannet_free(&t->estimate_z);
  gannet_free(&t->estimate_values);
  gannet_free(&t->estimate_strips);
}

void tangent_estimate_release(tangent_model *t) {
  gannet_unit_sums_destroy(&t->prior_sums);
  release_draws(t);
}

size_t tangent_estimate_bytes(const tangent_model *t) {
  const size_t inputs = (size_t)t->d + 1, q = (size_t)t->draws.q;
  const size_t workspace =
      t->estimate_z ? POINTS * ((inputs + q) * sizeof(double) + inputs * t->strips->size) : 0;
  return gannet_unit_sums_bytes(t->prior_sums) + gannet_kernel_sums_bytes(t->update_sums) +
         workspace;
}

gannet_err tangent_estimate_prepare(void *state, gannet_precision precision, bool *able) {
  tangent_model *t = state;
  const size_t inputs = (size_t)t->d + 1, q = (size_t)t->draws.q;
  *able = false;
  release_draws(t);
  t->strips = gannet_strips_of(precision);
  if (t->trained) return GANNET_OK; /* its values depend on the other points of a call */
  GANNET_TRY(gannet_unit_sums_prepare(t->net, precision, &t->draws, &t->prior_sums));
  if (!t->prior_sums) return GANNET_OK;
  if (!t->options->network) {
    GANNET_TRY(
        gannet_kernel_sums_prepare(t->limit, precision, t->draws.q, t->update, &t->update_sums));
    if (!t->update_sums) return GANNET_OK;
  }
  GANNET_TRY(gannet_alloc(POINTS * inputs, sizeof *t->estimate_z, &t->estimate_z));
  GANNET_TRY(gannet_alloc(POINTS * q, sizeof *t->estimate_values, &t->estimate_values));
  GANNET_TRY(gannet_alloc(POINTS * inputs, t->strips->size, &t->estimate_strips));
  *able = true;
  return GANNET_OK;
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
  const int inputs = t->d + 1, q = t->draws.q, lanes = t->strips->lanes;
  for (int first = 0; first < m; first += POINTS) {
    const int points = m - first < POINTS ? m - first : POINTS;
    const int n_strips = (points + lanes - 1) / lanes;
    const gannet_strips_source lifted = {t->estimate_z, (size_t)inputs, 1};
    gannet_analytic_points_lift(t->limit, points, x + (size_t)first * (size_t)t->d, t->estimate_z);
    t->strips->pack(points, inputs, &lifted, lanes, t->estimate_strips);
    gannet_unit_sums_values(t->prior_sums, n_strips, t->estimate_strips, t->estimate_values);
    if (t->update_sums)
      gannet_kernel_sums_add(t->update_sums, n_strips, t->estimate_strips, t->estimate_values);
    unpack(points, q, lanes, t->estimate_values, values + first, ldv);
  }
}
