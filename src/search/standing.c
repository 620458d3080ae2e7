#include "search/standing.h"

#include <math.h>

#include "base/memory.h"

bool gannet_standing_is_better(const gannet_standing *a, const gannet_standing *b) {
  if (a->violation != b->violation) return a->violation < b->violation;
  if (a->value != b->value) return a->value < b->value;
  return a->id < b->id;
}

int gannet_standing_insert(const gannet_standing *one, int most, int n, gannet_standing *best) {
  if (n == most && !gannet_standing_is_better(one, &best[n - 1])) return n;
  const int length = n < most ? n + 1 : n;
  int at = length - 1;
  for (; at > 0 && gannet_standing_is_better(one, &best[at - 1]); --at) best[at] = best[at - 1];
  best[at] = *one;
  return length;
}

/* scale: [n_bounds] means of |c|; bounds: [n_bounds] scratch. */
static void learn_scales(const gannet_history *history, int64_t first, double *scale,
                         double *bounds) {
  const gannet_problem *problem = gannet_history_problem(history);
  double n = 0;
  for (int64_t id = first; id < gannet_history_count(history); ++id)
    n += gannet_history_is_sound(history, id);
  for (int j = 0; j < problem->n_bounds; ++j) scale[j] = 0;
  for (int64_t id = first; id < gannet_history_count(history); ++id) {
    if (!gannet_history_is_sound(history, id)) continue;
    gannet_problem_bounds(problem, gannet_history_constraints(history, id), bounds);
    for (int j = 0; j < problem->n_bounds; ++j) scale[j] += fmin(fabs(bounds[j]), 1e300) / n;
  }
  for (int j = 0; j < problem->n_bounds; ++j)
    if (!(scale[j] > 0)) scale[j] = 1;
}

static gannet_standing standing_of(const gannet_history *history, int64_t id, const double *scale,
                                   double *bounds) {
  const gannet_problem *problem = gannet_history_problem(history);
  gannet_standing made = {id, 0, 0};
  made.value = gannet_problem_flip(problem, gannet_history_get(history, id)->objective);
  gannet_problem_bounds(problem, gannet_history_constraints(history, id), bounds);
  for (int j = 0; j < problem->n_bounds; ++j)
    made.violation += log1p(fmin(fmax(bounds[j], 0), 1e300) / scale[j]);
  return made;
}

gannet_err gannet_standing_all(const gannet_history *history, int64_t first,
                               gannet_standing *standing) {
  const size_t n_bounds = (size_t)gannet_history_problem(history)->n_bounds;
  double *scale = NULL;
  GANNET_TRY(gannet_alloc(2 * n_bounds, sizeof *scale, &scale));
  learn_scales(history, first, scale, scale + n_bounds);
  for (int64_t id = 0; id < gannet_history_count(history); ++id)
    standing[id] = id >= first && gannet_history_is_sound(history, id)
                       ? standing_of(history, id, scale, scale + n_bounds)
                       : (gannet_standing){id, INFINITY, INFINITY};
  gannet_free(&scale);
  return GANNET_OK;
}
