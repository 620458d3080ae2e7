#include "optimizer/settled.h"

#include <math.h>

#include "base/memory.h"
#include "search/standing.h"

/* Largest distance along any variable, as a share of its range. Where the objective is smooth,
 * values at one place differ by about the square of that, in units of what it varies by over the
 * ranges. */
static const double reach = 1e-3;

bool gannet_settled_is_place(int d, const double *x, const double *other) {
  double far = 0;
  for (int k = 0; k < d; ++k) far = fmax(far, fabs(x[k] - other[k]));
  return far <= reach;
}

/* The best `most` of the feasible ones, in order; fewer when there are fewer. */
static int64_t find_best(int64_t n, const gannet_standing *standing, int64_t most,
                         const gannet_standing **best) {
  int64_t have = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (standing[i].violation > 0) continue;
    int64_t at = have;
    while (at > 0 && gannet_standing_is_better(&standing[i], best[at - 1])) --at;
    if (at == most) continue;
    have += have < most;
    for (int64_t j = have - 1; j > at; --j) best[j] = best[j - 1];
    best[at] = &standing[i];
  }
  return have;
}

static gannet_err compare(const gannet_history *history, int64_t most, gannet_standing *standing,
                          const gannet_standing **best, int64_t *id) {
  const int d = gannet_history_problem(history)->d;
  GANNET_TRY(gannet_standing_all(history, 0, standing));
  if (find_best(gannet_history_count(history), standing, most, best) < most) return GANNET_OK;
  const double *first = gannet_history_x_unit(history, best[0]->id);
  bool settled = true;
  for (int64_t j = 1; j < most && settled; ++j)
    settled = gannet_settled_is_place(d, first, gannet_history_x_unit(history, best[j]->id));
  if (settled) *id = best[0]->id;
  return GANNET_OK;
}

gannet_err gannet_settled_find(const gannet_history *history, int64_t *id) {
  const int64_t most = gannet_history_problem(history)->d + 1;
  gannet_standing *standing = NULL;
  const gannet_standing **best = NULL;
  *id = -1;
  if (gannet_history_count_told(history) < 2 * most) return GANNET_OK;
  gannet_err err = gannet_alloc((size_t)gannet_history_count(history), sizeof *standing, &standing);
  if (err == GANNET_OK) err = gannet_alloc((size_t)most, sizeof *best, &best);
  if (err == GANNET_OK) err = compare(history, most, standing, best, id);
  gannet_free(&best);
  gannet_free(&standing);
  return err;
}
