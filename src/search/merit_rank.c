#include "search/merit_rank.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "pareto/front.h"
#include "problem/objectives.h"
#include "problem/runs.h"

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

typedef struct {
  int rank;    /* of non-dominated sorting */
  double y;    /* in one objective */
  double room; /* between its neighbours of the same rank, summed over the objectives */
  gannet_merit_rank *merit;
} ranked_design;

static int by_rank_and_value(const void *a, const void *b) {
  const ranked_design *left = a, *right = b;
  if (left->rank != right->rank) return left->rank < right->rank ? -1 : 1;
  if (left->y != right->y) return left->y < right->y ? -1 : 1;
  return (left->merit->id > right->merit->id) - (left->merit->id < right->merit->id);
}

/* Add what objective k says of the room around every design. y: [n][m] */
static void add_room(int n, int m, int k, const gannet_merit_rank *merits, const double *y,
                     const int *row, ranked_design *list) {
  for (int i = 0; i < n; ++i) list[i].y = y[row[list[i].merit - merits] * m + k];
  qsort(list, (size_t)n, sizeof *list, by_rank_and_value);
  for (int first = 0, end; first < n; first = end) {
    for (end = first + 1; end < n && list[end].rank == list[first].rank;) ++end;
    const double range = gannet_problem_excess(list[end - 1].y, list[first].y);
    list[first].room = list[end - 1].room = INFINITY;
    for (int i = first + 1; i < end - 1 && range > 0; ++i)
      list[i].room += gannet_problem_excess(list[i + 1].y, list[i - 1].y) / range;
  }
}

/* Replace the values of feasible designs: by the rank of non-dominated sorting, and by a share
 * below 1 that is less the more room there is around a design among those of its rank (the crowding
 * distance of Deb et al. 2002). Designs that lack an objective are in no order with others and have
 * no value.
 *
 * row   -  [count] scratch: the row of y, by id
 * list  -  [count] scratch
 */
static gannet_err rank_several(const gannet_history *history, gannet_merit_rank *merits, int *row,
                               int *rank, double *y, ranked_design *list) {
  const int64_t count = gannet_history_count(history);
  const int m = gannet_problem_n_objectives(gannet_history_problem(history));
  int n = 0;
  for (int64_t id = 0; id < count; ++id) {
    if (merits[id].violation > 0 || isinf(merits[id].value)) continue;
    double *values = y + (ptrdiff_t)n * m;
    gannet_runs_objectives(history, id, values, NULL);
    int known = 0;
    while (known < m && !isnan(values[known])) ++known;
    if (known < m) {
      merits[id].value = INFINITY;
      continue;
    }
    list[n].merit = &merits[id];
    row[id] = n++;
  }
  GANNET_TRY(gannet_pareto_ranks(n, m, y, rank));
  for (int i = 0; i < n; ++i) list[i].rank = rank[i];
  for (int k = 0; k < m; ++k) add_room(n, m, k, merits, y, row, list);
  for (int i = 0; i < n; ++i)
    list[i].merit->value = list[i].rank < 0 ? INFINITY : list[i].rank + 1 / (2 + list[i].room);
  return GANNET_OK;
}

static gannet_err allocate_and_rank(const gannet_history *history, gannet_merit_rank *merits) {
  const size_t count = (size_t)gannet_history_count(history);
  const size_t m = (size_t)gannet_problem_n_objectives(gannet_history_problem(history));
  int *row = NULL;
  double *y = NULL;
  ranked_design *list = NULL;
  gannet_err err = gannet_alloc(2 * count, sizeof *row, &row);
  if (err == GANNET_OK) err = gannet_alloc(count * m, sizeof *y, &y);
  if (err == GANNET_OK) err = gannet_alloc(count, sizeof *list, &list);
  if (err == GANNET_OK) err = rank_several(history, merits, row, row + count, y, list);
  gannet_free(&row);
  gannet_free(&y);
  gannet_free(&list);
  return err;
}

gannet_err gannet_merit_rank_all(const gannet_history *history, int64_t first,
                                 gannet_merit_rank *merits) {
  const gannet_problem *problem = gannet_history_problem(history);
  const size_t n_bounds = (size_t)problem->n_bounds;
  double *scale = NULL;
  const size_t n_constraints = (size_t)problem->spec.n_constraints;
  gannet_runs runs;
  GANNET_TRY(gannet_alloc(3 * n_bounds + n_constraints, sizeof *scale, &scale));
  double *bounds = scale + n_bounds, *mean = bounds + 2 * n_bounds;
  measure_scales(history, first, scale, bounds, bounds + n_bounds);
  for (int64_t id = 0; id < gannet_history_count(history); ++id) {
    merits[id] = (gannet_merit_rank){id, INFINITY, INFINITY};
    if (id < first || !gannet_history_is_sound(history, id)) continue;
    if (gannet_history_get(history, id)->elsewhere) continue;
    if (!gannet_runs_stands(history, id)) continue;
    gannet_runs_find(history, id, mean, &runs);
    const double objective =
        runs.n > 0 ? runs.objective : gannet_history_get(history, id)->objective;
    if (!isnan(objective)) merits[id].value = gannet_problem_flip(problem, objective);
    merits[id].violation = 0;
    gannet_problem_bounds(problem, runs.n > 0 ? mean : gannet_history_constraints(history, id),
                          bounds);
    /* fmax: what is missing is not known to be violated. */
    for (int j = 0; j < problem->n_bounds; ++j)
      merits[id].violation += log1p(fmin(fmax(bounds[j], 0), 1e300) / scale[j]);
  }
  gannet_free(&scale);
  return gannet_problem_n_objectives(problem) > 1 ? allocate_and_rank(history, merits) : GANNET_OK;
}
