#include "optimizer/replicates.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "problem/front.h"
#include "problem/objectives.h"
#include "problem/pool.h"

/* One evaluation of so many may run a design again. */
enum { SHARE = 4 };

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

/* Missing runs that come before new designs: of the last one, and of the leading one; of several
 * objectives, of the first one on the front that lacks some.
 *
 * row  out  [2] rows of these designs
 * n    out  [2] runs that they lack; also after an error, without those of the front
 */
static gannet_err find_due(const gannet_history *h, int64_t row[2], int n[2]) {
  const bool several = gannet_problem_n_objectives(gannet_history_problem(h)) > 1;
  gannet_runs last, leaders[2];
  gannet_front front = {0};
  row[0] = row[1] = -1;
  n[0] = n[1] = 0;
  if (gannet_history_replicates(h) <= 1) return GANNET_OK;
  row[0] = find_last(h);
  if (row[0] >= 0 && gannet_history_get(h, row[0])->origin != GANNET_ORIGIN_START) {
    gannet_runs_find(h, row[0], NULL, &last);
    n[0] = count_missing(h, row[0], &last);
  }
  if (several)
    GANNET_TRY(gannet_front_find(h, &front));
  else
    find_leaders(h, leaders);
  const int n_leading = several ? front.n : leaders[0].id >= 0;
  for (int i = 0; i < n_leading && n[1] == 0; ++i) {
    if (several) gannet_runs_find(h, front.id[i], NULL, &leaders[0]);
    const bool is_last = row[0] >= 0 && gannet_history_first_run(h, row[0]) ==
                                            gannet_history_first_run(h, leaders[0].id);
    row[1] = leaders[0].id;
    if (!is_last) n[1] = count_missing(h, row[1], &leaders[0]);
  }
  gannet_front_release(&front);
  return GANNET_OK;
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

/* The design of which it is least known whether the front dominates it, or the one of the front to
 * which it is compared: that with fewer runs. -1 = all is known, or a run is under way.
 *
 * runs  in  [front->n] of the designs of the front
 */
static int64_t find_least_known(const gannet_history *h, const gannet_front *front,
                                const gannet_runs *runs) {
  const int m = front->m;
  double variance[GANNET_OBJECTIVES_MOST], y[GANNET_OBJECTIVES_MOST], least = 1;
  int power[GANNET_OBJECTIVES_MOST];
  int64_t chosen = -1;
  for (int k = 0; k < m; ++k) variance[k] = gannet_runs_variance(h, k, &power[k]);
  for (int64_t id = 0; id < gannet_history_count(h); ++id) {
    double lead = INFINITY;
    int64_t fewer = -1;
    gannet_runs own;
    if (!gannet_runs_are_feasible(h, id)) continue;
    gannet_runs_find(h, id, NULL, &own);
    gannet_runs_objectives(h, id, y, NULL);
    for (int i = 0; i < front->n; ++i) {
      if (runs[i].id == own.id) continue;
      const double one =
          find_lead(m, variance, power, y, &own, front->y + (ptrdiff_t)i * m, &runs[i]);
      if (!(one < lead)) continue;
      lead = one;
      fewer = runs[i].n < own.n ? runs[i].id : own.id;
      if (own.is_waiting || runs[i].is_waiting) fewer = -1;
    }
    if (fewer < 0 || !(fabs(lead) < least)) continue;
    least = fabs(lead);
    chosen = fewer;
  }
  return chosen;
}

/* The design that is worth another run with several objectives, -1 = none. */
static gannet_err choose_repeated_of_front(const gannet_history *h, int64_t *chosen) {
  gannet_front front = {0};
  gannet_runs *runs = NULL;
  *chosen = -1;
  gannet_err err = gannet_front_find(h, &front);
  if (err == GANNET_OK) err = gannet_alloc((size_t)front.n, sizeof *runs, &runs);
  for (int i = 0; err == GANNET_OK && i < front.n; ++i) {
    gannet_runs_find(h, front.id[i], NULL, &runs[i]);
    if (*chosen < 0 && runs[i].n < 2 && !runs[i].is_waiting) *chosen = runs[i].id;
  }
  if (err == GANNET_OK && *chosen < 0) *chosen = find_least_known(h, &front, runs);
  gannet_free(&runs);
  gannet_front_release(&front);
  return err;
}

/* The design that is worth another run, -1 = none. */
static gannet_err choose_repeated(const gannet_history *h, int q, int64_t *chosen) {
  gannet_runs leaders[2];
  const int64_t kept = gannet_history_count_kept(h);
  const int64_t repeated = kept - gannet_runs_count_designs(h, false);
  *chosen = -1;
  if (SHARE * (repeated + 1) > kept + q) return GANNET_OK;
  if (gannet_problem_n_objectives(gannet_history_problem(h)) > 1)
    return choose_repeated_of_front(h, chosen);
  find_leaders(h, leaders);
  const gannet_runs *one = &leaders[0], *other = &leaders[1];
  if (one->id < 0 || one->is_waiting) return GANNET_OK;
  if (one->n < 2) *chosen = one->id;
  if (one->n < 2 || other->id < 0 || other->is_waiting) return GANNET_OK;
  int power = 0;
  const double variance = gannet_runs_variance(h, 0, &power);
  const double gap = ldexp(one->objective, -power) - ldexp(other->objective, -power);
  if (gap * gap < variance * (1 / (double)one->n + 1 / (double)other->n))
    *chosen = other->n < one->n ? other->id : one->id;
  return GANNET_OK;
}

gannet_err gannet_replicates_plan(const gannet_history *h, int q, bool by_models, int64_t *row,
                                  int *n_new) {
  const int replicates = gannet_history_replicates(h);
  int64_t due[2], repeated;
  int n[2], at = 0, new = 0;
  GANNET_TRY(find_due(h, due, n));
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < n[i] && at < q; ++k) row[at++] = due[i];
  while (at < q) {
    for (int k = 0; k < (replicates > 1 ? replicates : 1) && at < q; ++k) row[at++] = -1 - new;
    new += 1;
  }
  *n_new = new;
  if (replicates != GANNET_AUTO || !by_models) return GANNET_OK;
  GANNET_TRY(choose_repeated(h, q, &repeated));
  if (repeated < 0) return GANNET_OK;
  row[q - 1] = repeated;
  *n_new = new - 1;
  return GANNET_OK;
}

gannet_err gannet_replicates_find_new(const gannet_history *h, gannet_new_rows *rows) {
  const int replicates = gannet_history_replicates(h);
  int64_t due[2];
  int n[2];
  const gannet_err err = find_due(h, due, n);
  *rows = (gannet_new_rows){gannet_history_count(h) + n[0] + n[1], replicates > 1 ? replicates : 1};
  return err;
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

gannet_err gannet_replicates_count_left(const gannet_history *h, int64_t *left) {
  const int replicates = gannet_history_replicates(h);
  int64_t due[2], start;
  int n[2];
  *left = gannet_history_count_left(h);
  if (*left == INT64_MAX || replicates <= 1) return GANNET_OK;
  const gannet_err err = find_due(h, due, n);
  *left = *left * replicates + n[0] + n[1] + gannet_replicates_due_of_start(h, &start);
  return err;
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
