#include "optimizer/replicates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problem/objectives.h"
#include "problem/pool.h"

/* One evaluation of so many may run a design again. */
enum { SHARE = 4 };

enum { FRONT_MOST = 256 /* designs of a front that are looked at, the first ones */ };

/* Runs that the design of a row lacks: none when a change has left it outside of what is allowed,
 * or off the list of candidates. */
static int count_missing(const gannet_history *h, int64_t row, const gannet_runs *runs) {
  const gannet_problem *problem = gannet_history_problem(h);
  const int64_t wanted = gannet_history_replicates(h);
  double square = 0;
  if (gannet_history_get(h, row)->elsewhere) return 0;
  if (problem->pool)
    (void)gannet_pool_nearest(problem->pool, problem, gannet_history_x_unit(h, row), &square);
  if (square > 0) return 0;
  return runs->is_bad || runs->n_asked >= wanted ? 0 : (int)(wanted - runs->n_asked);
}

/* The last row that was proposed and counts; -1 = none. */
static int64_t find_last(const gannet_history *h) {
  for (int64_t id = gannet_history_count(h); id-- > 0;) {
    const gannet_evaluation *row = gannet_history_get(h, id);
    if (row->status != GANNET_EVAL_DISCARDED && row->origin != GANNET_ORIGIN_IMPORT &&
        row->origin != GANNET_ORIGIN_USER)
      return id;
  }
  return -1;
}

/* The two feasible designs with the best means, whether or not other runs are under way; with
 * fewer, id = -1. */
static void find_leaders(const gannet_history *h, gannet_runs leaders[2]) {
  const gannet_problem *problem = gannet_history_problem(h);
  leaders[0] = leaders[1] = (gannet_runs){.id = -1};
  for (int64_t id = 0; id < gannet_history_count(h); ++id) {
    gannet_runs runs;
    if (gannet_history_get(h, id)->elsewhere || !gannet_runs_stands(h, id)) continue;
    gannet_runs_find(h, id, NULL, &runs);
    if (runs.id < 0 || runs.is_bad || runs.violation != 0) continue;
    const double value = gannet_problem_flip(problem, runs.objective);
    int at = 2;
    while (at > 0 && (leaders[at - 1].id < 0 ||
                      value < gannet_problem_flip(problem, leaders[at - 1].objective)))
      --at;
    if (at == 0) leaders[1] = leaders[0];
    if (at < 2) leaders[at] = runs;
  }
}

/* Designs that no other one dominates, by their means. */
typedef struct {
  int n;
  gannet_runs runs[FRONT_MOST];
  double y[FRONT_MOST][GANNET_OBJECTIVES_MOST];
} mean_front;

static bool dominates(int m, const double *a, const double *b) {
  bool is_better = false;
  for (int k = 0; k < m; ++k) {
    if (a[k] > b[k]) return false;
    is_better = is_better || a[k] < b[k];
  }
  return is_better;
}

/* The front by ascending id, without memory of its own: an ask plans its points on every rank. */
static void find_front(const gannet_history *h, mean_front *front) {
  const int m = gannet_problem_n_objectives(gannet_history_problem(h));
  double y[GANNET_OBJECTIVES_MOST];
  front->n = 0;
  for (int64_t id = 0; id < gannet_history_count(h); ++id) {
    bool is_dominated = false;
    int kept = 0;
    if (!gannet_runs_are_feasible(h, id)) continue;
    gannet_runs_objectives(h, id, y, NULL);
    for (int i = 0; i < front->n && !is_dominated; ++i) is_dominated = dominates(m, front->y[i], y);
    if (is_dominated) continue;
    for (int i = 0; i < front->n; ++i) {
      if (dominates(m, y, front->y[i])) continue;
      front->runs[kept] = front->runs[i];
      memcpy(front->y[kept++], front->y[i], sizeof y);
    }
    front->n = kept;
    if (kept == FRONT_MOST) continue;
    gannet_runs_find(h, id, NULL, &front->runs[kept]);
    memcpy(front->y[kept], y, sizeof y);
    front->n += 1;
  }
}

/* Missing runs that come before new designs: of the last one, and of the leading one; of several
 * objectives, of the first one on the front that lacks some.
 *
 * row  out  [2] rows of these designs
 * n    out  [2] runs that they lack
 */
static void find_due(const gannet_history *h, int64_t row[2], int n[2]) {
  gannet_runs last, leaders[2];
  row[0] = row[1] = -1;
  n[0] = n[1] = 0;
  if (gannet_history_replicates(h) <= 1) return;
  row[0] = find_last(h);
  if (row[0] >= 0 && gannet_history_get(h, row[0])->origin != GANNET_ORIGIN_START) {
    gannet_runs_find(h, row[0], NULL, &last);
    n[0] = count_missing(h, row[0], &last);
  }
  mean_front front = {0};
  const gannet_runs *found = front.runs;
  if (gannet_problem_n_objectives(gannet_history_problem(h)) > 1) {
    find_front(h, &front);
  } else {
    find_leaders(h, leaders);
    found = leaders;
    front.n = leaders[0].id >= 0;
  }
  for (int i = 0; i < front.n && n[1] == 0; ++i) {
    const bool is_last = row[0] >= 0 && gannet_history_first_run(h, row[0]) ==
                                            gannet_history_first_run(h, found[i].id);
    row[1] = found[i].id;
    if (!is_last) n[1] = count_missing(h, row[1], &found[i]);
  }
}

/* By how much a design is better than another one where it is best, in standard errors of their
 * difference: > 1 it is not dominated, < -1 it is, and in between nobody knows.
 *
 * variance, power  in  [m] gannet_runs_variance
 */
static double find_lead(int m, const double *variance, const int *power, const double *y,
                        const gannet_runs *runs, const double *other_y, const gannet_runs *other) {
  double lead = -INFINITY;
  for (int k = 0; k < m; ++k) {
    const double error = sqrt(variance[k] * (1 / (double)runs->n + 1 / (double)other->n));
    const double better = ldexp(other_y[k], -power[k]) - ldexp(y[k], -power[k]);
    lead = fmax(lead, better == 0 ? 0 : better / error);
  }
  return lead;
}

/* The design that is worth another run with several objectives, -1 = none. */
static int64_t choose_repeated_of_front(const gannet_history *h) {
  const int m = gannet_problem_n_objectives(gannet_history_problem(h));
  double variance[GANNET_OBJECTIVES_MOST], y[GANNET_OBJECTIVES_MOST], least = 1;
  int power[GANNET_OBJECTIVES_MOST];
  mean_front front;
  int64_t chosen = -1;
  find_front(h, &front);
  for (int i = 0; i < front.n; ++i)
    if (front.runs[i].n < 2 && !front.runs[i].is_waiting) return front.runs[i].id;
  for (int k = 0; k < m; ++k) variance[k] = gannet_runs_variance(h, k, &power[k]);
  for (int64_t id = 0; id < gannet_history_count(h); ++id) {
    double lead = INFINITY;
    int64_t fewer = -1;
    gannet_runs runs;
    if (!gannet_runs_are_feasible(h, id)) continue;
    gannet_runs_find(h, id, NULL, &runs);
    gannet_runs_objectives(h, id, y, NULL);
    for (int i = 0; i < front.n; ++i) {
      if (front.runs[i].id == runs.id) continue;
      const double one = find_lead(m, variance, power, y, &runs, front.y[i], &front.runs[i]);
      if (!(one < lead)) continue;
      lead = one;
      fewer = front.runs[i].n < runs.n ? front.runs[i].id : runs.id;
      if (runs.is_waiting || front.runs[i].is_waiting) fewer = -1;
    }
    if (fewer < 0 || !(fabs(lead) < least)) continue;
    least = fabs(lead);
    chosen = fewer;
  }
  return chosen;
}

/* The design that is worth another run, -1 = none. */
static int64_t choose_repeated(const gannet_history *h, int q) {
  gannet_runs leaders[2];
  const int64_t kept = gannet_history_count_kept(h);
  const int64_t repeated = kept - gannet_runs_count_designs(h, false);
  if (SHARE * (repeated + 1) > kept + q) return -1;
  if (gannet_problem_n_objectives(gannet_history_problem(h)) > 1)
    return choose_repeated_of_front(h);
  find_leaders(h, leaders);
  const gannet_runs *one = &leaders[0], *other = &leaders[1];
  if (one->id < 0 || one->is_waiting) return -1;
  if (one->n < 2) return one->id;
  if (other->id < 0 || other->is_waiting) return -1;
  int power = 0;
  const double variance = gannet_runs_variance(h, 0, &power);
  const double gap = ldexp(one->objective, -power) - ldexp(other->objective, -power);
  if (!(gap * gap < variance * (1 / (double)one->n + 1 / (double)other->n))) return -1;
  return other->n < one->n ? other->id : one->id;
}

int gannet_replicates_plan(const gannet_history *h, int q, bool by_models, int64_t *row) {
  const int replicates = gannet_history_replicates(h);
  int64_t due[2];
  int n[2], at = 0, new = 0;
  find_due(h, due, n);
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < n[i] && at < q; ++k) row[at++] = due[i];
  while (at < q) {
    for (int k = 0; k < (replicates > 1 ? replicates : 1) && at < q; ++k) row[at++] = -1 - new;
    new += 1;
  }
  if (replicates != GANNET_AUTO || !by_models) return new;
  const int64_t repeated = choose_repeated(h, q);
  if (repeated < 0) return new;
  row[q - 1] = repeated;
  return new - 1;
}

int64_t gannet_replicates_row_of(const gannet_history *h, int i) {
  const int replicates = gannet_history_replicates(h);
  int64_t due[2];
  int n[2];
  find_due(h, due, n);
  return gannet_history_count(h) + n[0] + n[1] + (int64_t)i * (replicates > 1 ? replicates : 1);
}

int gannet_replicates_due_of_start(const gannet_history *h, int64_t *row) {
  gannet_runs runs;
  *row = -1;
  if (gannet_history_replicates(h) <= 1) return 0;
  *row = find_last(h);
  if (*row < 0 || gannet_history_get(h, *row)->origin != GANNET_ORIGIN_START) return 0;
  gannet_runs_find(h, *row, NULL, &runs);
  return count_missing(h, *row, &runs);
}

int64_t gannet_replicates_count_left(const gannet_history *h) {
  const int64_t left = gannet_history_count_left(h);
  const int replicates = gannet_history_replicates(h);
  int64_t due[2], start;
  int n[2];
  if (left == INT64_MAX || replicates <= 1) return left;
  find_due(h, due, n);
  return left * replicates + n[0] + n[1] + gannet_replicates_due_of_start(h, &start);
}

void gannet_replicates_check(const gannet_optimizer_options *options, const gannet_problem *problem,
                             const char *location, gannet_complaints *complaints) {
  char number[16] = "auto";
  const int replicates = options->method.replicates;
  if (replicates == 1 || !gannet_problem_is_exact(problem)) return;
  if (replicates != GANNET_AUTO) (void)snprintf(number, sizeof number, "%d", replicates);
  gannet_complain(complaints, location,
                  "replicates: %s, but noise: 0 says that a design gives the same values whenever "
                  "it runs; expected 1, or noise: auto",
                  number);
}
