/* What a result changes in a history. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "problem/history_impl.h"
#include "problem/objectives.h"
#include "problem/outputs.h"

static gannet_err check_values(const gannet_history *h, const gannet_result_record *result) {
  const int n = h->problem->spec.n_constraints;
  int known = !isnan(result->objective);
  GANNET_REQUIRE(!isinf(result->objective), GANNET_ERR_ARG, "objective = %g is not finite",
                 result->objective);
  for (int k = 0; k < n; ++k) {
    GANNET_REQUIRE(result->constraints && !isinf(result->constraints[k]), GANNET_ERR_ARG,
                   "constraint %s is not finite", h->problem->spec.constraints[k].name);
    known += !isnan(result->constraints[k]);
  }
  GANNET_REQUIRE(known > 0, GANNET_ERR_ARG, "neither the objective nor a constraint is known");
  return GANNET_OK;
}

/* Take the standard deviations of a row that is done from what was reported with it. */
static void take_error_bars(gannet_history *h, int64_t id) {
  const int n = h->problem->spec.n_constraints;
  double *sd = h->sd + id * (n + 1);
  for (int i = 0; i <= n; ++i) {
    const char *name = gannet_problem_reported_name(h->problem, i);
    const gannet_reported *item = gannet_quantities_find(&h->reported[id], name);
    sd[i] = item ? item->sd : 0;
  }
}

/* Take a row out of the order of arrival: its late result arrives now, not when the evaluation was
 * given up. */
static void forget_arrival(gannet_history *h, int64_t id) {
  int64_t at = 0;
  while (h->order[at] != id) ++at;
  h->n_told -= 1;
  memmove(h->order + at, h->order + at + 1, (size_t)(h->n_told - at) * sizeof *h->order);
}

/* Whether a value beats the one kept for another id; the lower id on a tie. */
static bool beats(double value, int64_t id, double kept, int64_t kept_id) {
  return kept_id < 0 || value < kept || (value == kept && id < kept_id);
}

static void keep_best(gannet_history *h, int64_t id) {
  const double value = gannet_problem_flip(h->problem, h->row[id].objective);
  const double excess = gannet_history_violation(h, id);
  if (h->row[id].elsewhere || gannet_problem_find_missing(h->problem, 0, h->row[id].objective,
                                                          gannet_history_constraints(h, id)) >= 0)
    return;
  if (beats(excess, id, h->violation, h->least_violation)) {
    h->violation = excess;
    h->least_violation = id;
  }
  if (!gannet_history_is_feasible(h, id) || !beats(value, id, h->best_value, h->best)) return;
  h->best_value = value;
  h->best = id;
}

/* Objective m of a row, minimised. */
static double value_of(const gannet_history *h, int64_t id, int m) {
  double y[GANNET_OBJECTIVES_MOST];
  gannet_history_objectives(h, id, y);
  return y[m];
}

static void compare_constraints(gannet_history *h, int64_t id) {
  if (gannet_problem_find_missing(h->problem, 1, NAN, gannet_history_constraints(h, id)) >= 0)
    return;
  const double *first = gannet_history_constraints(h, h->first_done < 0 ? id : h->first_done);
  const double *value = gannet_history_constraints(h, id);
  if (h->first_done < 0) h->first_done = id;
  for (int k = 0; k < h->problem->spec.n_constraints; ++k)
    h->is_varied = h->is_varied || value[k] != first[k];
}

/* Whether another run of the same design, made on purpose (replicates), has the same value of
 * objective m. A simulation without noise repeats its value, which is no sign of a penalty. */
static bool repeats_value(const gannet_history *h, int64_t id, int m) {
  if (h->replicates == 1) return false;
  for (int64_t run = h->same->first[id]; run >= 0; run = h->same->next[run])
    if (run != id && h->row[run].status == GANNET_EVAL_DONE &&
        value_of(h, run, m) == value_of(h, id, m))
      return true;
  return false;
}

/* Take objective m of a row that is done into account where penalties are told from values. A gap
 * is looked for among all results while there are few, or else the one that was found last stays.
 */
static void note_value(gannet_history *h, int64_t id, int m) {
  gannet_gap_result results[GANNET_GAP_RESULTS];
  const double value = value_of(h, id, m);
  int n = 0;
  if (isnan(value)) return;
  if (!repeats_value(h, id, m)) gannet_penalty_note(&h->penalty[m], value);
  h->n_values[m] += 1;
  if (h->n_values[m] > GANNET_GAP_RESULTS) {
    gannet_gap_note(&h->gap[m], value);
    return;
  }
  for (int64_t i = 0; i < h->n_told && n < GANNET_GAP_RESULTS; ++i) {
    const int64_t done = h->order[i];
    const double y = h->row[done].status == GANNET_EVAL_DONE ? value_of(h, done, m) : NAN;
    if (!isnan(y)) results[n++] = (gannet_gap_result){y, gannet_history_x_unit(h, done)};
  }
  gannet_gap_find(&h->gap[m], n, results, h->problem->d);
}

static void compare_row_with_gaps(gannet_history *h, int64_t id) {
  int known = 0, above = 0;
  if (h->row[id].status != GANNET_EVAL_DONE) return;
  for (int m = 0; m < h->several; ++m) {
    const double y = value_of(h, id, m);
    known += !isnan(y);
    above += y >= h->parted_at[m];
  }
  if (above != 0 && above != known) h->is_parted_alike = false;
  if (known == h->several && above == 0 && gannet_history_is_feasible(h, id))
    h->is_feasible_below = true;
}

/* Whether the gaps of several objectives part the same rows: then a feasible row below them
 * dominates all rows above, and no front reaches across. A front may reach across a gap of some.
 * Where no gap has moved, only the row that was told last is new. */
static bool compare_gaps(gannet_history *h) {
  int64_t count;
  bool all = true, moved = false;
  for (int m = 0; m < h->several; ++m) {
    const double least = gannet_gap_least(&h->gap[m], &count);
    all = all && isfinite(least);
    moved = moved || least != h->parted_at[m];
    h->parted_at[m] = least;
  }
  if (!all) return false;
  if (moved) {
    h->is_parted_alike = true;
    h->is_feasible_below = false;
  }
  for (int64_t i = moved ? 0 : h->n_told - 1; i < h->n_told; ++i)
    compare_row_with_gaps(h, h->order[i]);
  return h->is_parted_alike && h->is_feasible_below;
}

gannet_err gannet_history_tell(gannet_history *h, const gannet_result_record *result) {
  const int64_t id = result->id;
  const gannet_eval_status status = result->status;
  GANNET_REQUIRE(0 <= id && id < h->n, GANNET_ERR_ARG, "evaluation %lld was never proposed",
                 (long long)id);
  GANNET_REQUIRE(status == GANNET_EVAL_DONE || status == GANNET_EVAL_CANNOT_RUN ||
                     status == GANNET_EVAL_FAILED || status == GANNET_EVAL_DISCARDED,
                 GANNET_ERR_ARG, "status %d is not an outcome", (int)status);
  gannet_evaluation *row = &h->row[id];
  GANNET_REQUIRE(row->status == GANNET_EVAL_PENDING || row->status == GANNET_EVAL_FAILED,
                 GANNET_ERR_STATE, "evaluation %lld already has the result '%s'", (long long)id,
                 gannet_eval_status_phrase(row->status));
  if (status == GANNET_EVAL_DONE) GANNET_TRY(check_values(h, result));
  GANNET_TRY(
      gannet_quantities_copy(&result->reported, h->problem->spec.n_variables, &h->reported[id]));
  if (row->status == GANNET_EVAL_FAILED) forget_arrival(h, id);
  h->order[h->n_told++] = id;
  h->n_status[row->status] -= 1;
  h->n_status[status] += 1;
  row->status = status;
  row->run = result->run;
  if (status == GANNET_EVAL_DISCARDED) gannet_history_count_listed(h, id, -1);
  if (status != GANNET_EVAL_DONE) return GANNET_OK;
  const int k = h->problem->spec.n_constraints;
  /* One NAN for all that is missing: equal results have equal bits. */
  row->objective = isnan(result->objective) ? NAN : result->objective;
  for (int i = 0; i < k; ++i)
    h->constraint[id * k + i] = isnan(result->constraints[i]) ? NAN : result->constraints[i];
  take_error_bars(h, id);
  h->n_feasible += gannet_history_is_feasible(h, id);
  compare_constraints(h, id);
  h->n_objectives += !isnan(row->objective);
  for (int m = 0; m < h->several; ++m) note_value(h, id, m);
  h->gaps_agree = h->several > 1 && compare_gaps(h);
  if (isnan(row->objective)) return GANNET_OK;
  h->n_error_bars += *gannet_history_sd(h, id) > 0;
  keep_best(h, id);
  return GANNET_OK;
}
