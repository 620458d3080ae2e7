#include "search/merit_rank.h"

#include <math.h>

#include "base/memory.h"

bool gannet_merit_rank_is_better(const gannet_merit_rank *a, const gannet_merit_rank *b) {
  if (a->violation != b->violation) return a->violation < b->violation;
  if (a->value != b->value) return a->value < b->value;
  return a->id < b->id;
}

int gannet_merit_rank_insert(const gannet_merit_rank *one, int most, int n,
                             gannet_merit_rank *best) {
  if (n == most && !gannet_merit_rank_is_better(one, &best[n - 1])) return n;
  const int length = n < most ? n + 1 : n;
  int at = length - 1;
  for (; at > 0 && gannet_merit_rank_is_better(one, &best[at - 1]); --at) best[at] = best[at - 1];
  best[at] = *one;
  return length;
}

/* Mean |c| of every bound over the results that have it, 1 where that is 0.
 *
 * bounds, n  scratch  [n_bounds]
 */
static void measure_scales(const gannet_history *history, int64_t first, double *scale,
                           double *bounds, double *n) {
  const gannet_problem *problem = gannet_history_problem(history);
  for (int j = 0; j < problem->n_bounds; ++j) scale[j] = n[j] = 0;
  for (int64_t id = first; id < gannet_history_count(history); ++id) {
    if (!gannet_history_is_sound(history, id)) continue;
    gannet_problem_bounds(problem, gannet_history_constraints(history, id), bounds);
    for (int j = 0; j < problem->n_bounds; ++j) n[j] += !isnan(bounds[j]);
  }
  for (int64_t id = first; id < gannet_history_count(history); ++id) {
    if (!gannet_history_is_sound(history, id)) continue;
    gannet_problem_bounds(problem, gannet_history_constraints(history, id), bounds);
    for (int j = 0; j < problem->n_bounds; ++j)
      if (!isnan(bounds[j])) scale[j] += fmin(fabs(bounds[j]), 1e300) / n[j];
  }
  for (int j = 0; j < problem->n_bounds; ++j)
    if (!(scale[j] > 0)) scale[j] = 1;
}

gannet_err gannet_merit_rank_all(const gannet_history *history, int64_t first,
                                 gannet_merit_rank *merits) {
  const gannet_problem *problem = gannet_history_problem(history);
  const size_t n_bounds = (size_t)problem->n_bounds;
  double *scale = NULL;
  GANNET_TRY(gannet_alloc(3 * n_bounds, sizeof *scale, &scale));
  double *bounds = scale + n_bounds;
  measure_scales(history, first, scale, bounds, bounds + n_bounds);
  for (int64_t id = 0; id < gannet_history_count(history); ++id) {
    merits[id] = (gannet_merit_rank){id, INFINITY, INFINITY};
    if (id < first || !gannet_history_is_sound(history, id)) continue;
    if (gannet_history_get(history, id)->elsewhere) continue;
    const double objective = gannet_history_get(history, id)->objective;
    if (!isnan(objective)) merits[id].value = gannet_problem_flip(problem, objective);
    merits[id].violation = 0;
    gannet_problem_bounds(problem, gannet_history_constraints(history, id), bounds);
    /* fmax: what is missing is not known to be violated. */
    for (int j = 0; j < problem->n_bounds; ++j)
      merits[id].violation += log1p(fmin(fmax(bounds[j], 0), 1e300) / scale[j]);
  }
  gannet_free(&scale);
  return GANNET_OK;
}
