#include "optimizer/propose/crash_guard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "problem/runs.h"
#include "problem/variable_constraints.h"

/* Times that the way from the best evaluation to a point is halved. */
enum { HALVINGS = 6 };

/* A place counts as known to crash when the nearest bad evaluation is at most so many times as far
 * as the nearest one that worked. Squared: distances are. */
static const double reach_squared = 2 * 2;

static bool is_any_bad(const gannet_history *history) {
  const int64_t count = gannet_history_count(history);
  int64_t id = 0;
  while (id < count && !gannet_history_is_bad(history, id)) ++id;
  return id < count;
}

static double squared_distance(const gannet_history *history, int64_t id, const double *x) {
  const int d = gannet_history_problem(history)->d;
  const double *y = gannet_history_x_unit(history, id);
  double sum = 0;
  for (int k = 0; k < d; ++k) sum += (x[k] - y[k]) * (x[k] - y[k]);
  return sum;
}

/* Whether an evaluation tells where the simulation works. */
static bool tells(const gannet_history *history, int64_t id) {
  return gannet_history_is_bad(history, id) ||
         gannet_history_get(history, id)->status == GANNET_EVAL_DONE;
}

static bool is_known_to_crash(const gannet_history *history, const double *x) {
  double worked = INFINITY, bad = INFINITY;
  for (int64_t id = 0; id < gannet_history_count(history); ++id) {
    if (!tells(history, id)) continue;
    double *least = gannet_history_is_bad(history, id) ? &bad : &worked;
    *least = fmin(*least, squared_distance(history, id, x));
  }
  return bad <= reach_squared * worked;
}

gannet_err gannet_crash_guard(const gannet_history *history, int n, double *points,
                              double *scores) {
  const gannet_problem *problem = gannet_history_problem(history);
  const size_t d = (size_t)problem->d;
  const int64_t feasible = gannet_history_best(history);
  const int64_t id = feasible >= 0 ? feasible : gannet_history_least_violation(history);
  double *moved = NULL;
  memset(scores, 0, (size_t)n * sizeof *scores);
  if (id < 0 || !is_any_bad(history)) return GANNET_OK;
  const double *best = gannet_history_x_unit(history, id);
  GANNET_TRY(gannet_alloc(d, sizeof *moved, &moved));
  for (int i = 0; i < n; ++i) {
    double *x = points + (size_t)i * d, part = 1;
    bool crashes = is_known_to_crash(history, x);
    for (int halving = 0; crashes && halving < HALVINGS; ++halving) {
      part *= 0.5;
      for (size_t k = 0; k < d; ++k) moved[k] = best[k] + part * (x[k] - best[k]);
      gannet_problem_snap(problem, 1, moved);
      if (problem->variable_constraints) gannet_allowed_repair(problem, best, NULL, NULL, moved);
      crashes = is_known_to_crash(history, moved);
      if (!crashes) memcpy(x, moved, d * sizeof *x);
    }
    scores[i] = crashes ? -1 : 0;
  }
  gannet_free(&moved);
  return GANNET_OK;
}

typedef struct {
  double distance; /* squared */
  int64_t id;
  bool is_bad;
} neighbour;

static int compare_neighbours(const void *one, const void *other) {
  const neighbour *a = one, *b = other;
  if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
  return a->id < b->id ? -1 : a->id > b->id;
}

gannet_err gannet_crash_guard_is_at_edge(const gannet_history *history, bool *is_at_edge) {
  const int d = gannet_history_problem(history)->d, looked_at = 4 * (d + 1);
  const int64_t count = gannet_history_count(history), best = gannet_history_best(history);
  neighbour *all = NULL;
  int64_t n = 0;
  int n_bad = 0;
  *is_at_edge = false;
  if (best < 0 || !is_any_bad(history)) return GANNET_OK;
  const double *x = gannet_history_x_unit(history, best);
  GANNET_TRY(gannet_alloc((size_t)count, sizeof *all, &all));
  for (int64_t id = 0; id < count; ++id) {
    if (!tells(history, id)) continue;
    all[n++] =
        (neighbour){squared_distance(history, id, x), id, gannet_history_is_bad(history, id)};
  }
  qsort(all, (size_t)n, sizeof *all, compare_neighbours);
  for (int64_t i = 0; i < n && i < looked_at; ++i) n_bad += all[i].is_bad;
  *is_at_edge = 4 * n_bad >= looked_at;
  gannet_free(&all);
  return GANNET_OK;
}
