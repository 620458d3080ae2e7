/* Results that the caller tells: of points that were asked for, of its own points, and of related
 * problems. They are checked on every rank before the first of them is taken over. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain_environment.h"
#include "optimizer/optimizer_impl.h"
#include "optimizer/rank_digest.h"
#include "problem/objectives.h"
#include "problem/outputs.h"

/* The objectives as a record has them: the first one apart, the others behind the constraints. */
static gannet_err take_objectives(const gannet_problem *problem, const gannet_result *result,
                                  gannet_result_record *record) {
  const int n = gannet_problem_n_objectives(problem);
  GANNET_REQUIRE(
      n == 1 || isnan(result->objective) || result->objective == 0, GANNET_ERR_ARG,
      "objective = %g, but there are %d objectives; expected their values in objectives, "
      "and 0 or NAN here",
      result->objective, n);
  if (n == 1) record->objective = result->objective;
  if (!result->objectives) return GANNET_OK;
  record->objective = result->objectives[0];
  for (int m = 1; m < n; ++m)
    record->constraints[gannet_problem_objective_quantity(problem, m) - 1] = result->objectives[m];
  return GANNET_OK;
}

/* Check that all values of a complete result, or some of a partial one, are given.
 *
 * finite  out  none of those that are given is infinite, nor NAN where all should be there
 */
static gannet_err check_values(const gannet_problem *problem, const gannet_result *result,
                               const gannet_result_record *record, bool *finite) {
  const bool is_partial = result->outcome == GANNET_RESULT_PARTIAL;
  const int several = gannet_problem_n_objectives(problem);
  int known = 0, missing = -1;
  *finite = true;
  for (int i = 0; i <= problem->spec.n_constraints; ++i) {
    const double value = i > 0 ? record->constraints[i - 1] : record->objective;
    const bool is_objective = gannet_problem_quantity_objective(problem, i) >= 0;
    const bool has_place =
        is_objective ? several == 1 || result->objectives : result->constraints != NULL;
    known += isfinite(value);
    *finite = *finite && (isfinite(value) || (is_partial && isnan(value)));
    if (missing < 0 && !is_partial && !has_place && isnan(value)) missing = i;
  }
  GANNET_REQUIRE(!is_partial || known > 0 || !*finite, GANNET_ERR_ARG,
                 "outcome GANNET_RESULT_PARTIAL without any value; expected the objective or a "
                 "constraint");
  if (missing < 0) return GANNET_OK;
  GANNET_REQUIRE(gannet_problem_quantity_objective(problem, missing) < 0, GANNET_ERR_ARG,
                 "objectives is a null pointer, and no quantity has a value of %s; with outcome "
                 "GANNET_RESULT_OK expected the values of %d objectives",
                 gannet_problem_quantity_name(problem, missing), several);
  return GANNET_RAISE(GANNET_ERR_ARG,
                      "constraints is a null pointer; with outcome GANNET_RESULT_OK expected the "
                      "values of %d constraints",
                      gannet_problem_n_bounded(problem));
}

gannet_err gannet_optimizer_read_result(const gannet_problem *problem, const gannet_result *result,
                                        gannet_result_record *record) {
  const int n = gannet_problem_n_bounded(problem);
  bool finite = true;
  gannet_result_clear(problem->spec.n_constraints, record);
  record->id = result->id;
  GANNET_REQUIRE(
      result->outcome == GANNET_RESULT_OK || result->outcome == GANNET_RESULT_CANNOT_RUN ||
          result->outcome == GANNET_RESULT_FAILED || result->outcome == GANNET_RESULT_PARTIAL,
      GANNET_ERR_ARG, "outcome = %d, expected GANNET_RESULT_OK, _CANNOT_RUN, _FAILED or _PARTIAL",
      (int)result->outcome);
  GANNET_REQUIRE(result->n_quantities >= 0, GANNET_ERR_ARG, "n_quantities = %d",
                 result->n_quantities);
  if (result->n_quantities > 0) GANNET_REQUIRE_POINTER(result->quantities, "quantities");
  if (result->outcome == GANNET_RESULT_CANNOT_RUN) record->status = GANNET_EVAL_CANNOT_RUN;
  if (result->outcome != GANNET_RESULT_OK && result->outcome != GANNET_RESULT_PARTIAL)
    return GANNET_OK;
  GANNET_TRY(take_objectives(problem, result, record));
  if (result->constraints && n > 0)
    memcpy(record->constraints, result->constraints, (size_t)n * sizeof *record->constraints);
  for (int i = 0; i < result->n_quantities; ++i)
    GANNET_TRY(gannet_result_report(problem, &result->quantities[i], record));
  GANNET_TRY(check_values(problem, result, record, &finite));
  if (!finite) gannet_quantities_release(&record->reported);
  record->status = finite ? GANNET_EVAL_DONE : GANNET_EVAL_FAILED;
  record->run.crashed = !finite;
  return GANNET_OK;
}

static int compare_numbers(const void *a, const void *b) {
  const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
  return (left > right) - (left < right);
}

static gannet_err require_told_once(int n, const gannet_result *results) {
  int64_t *id = NULL;
  int i = 1;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *id, &id));
  for (int k = 0; k < n; ++k) id[k] = results[k].id;
  if (n > 1) qsort(id, (size_t)n, sizeof *id, compare_numbers);
  while (i < n && id[i] != id[i - 1]) ++i;
  const int64_t twice = i < n ? id[i] : -1;
  gannet_free(&id);
  GANNET_REQUIRE(twice < 0, GANNET_ERR_ARG, "evaluation %lld is told twice", (long long)twice);
  return GANNET_OK;
}

/* Results as the history takes them. */
typedef struct {
  int n;
  gannet_result_record *record; /* [n] */
  double *constraints;          /* [n][n_constraints] of the records */
} told_results;

static gannet_err create_told(const gannet_problem *problem, int n, told_results *told) {
  const size_t k = (size_t)problem->spec.n_constraints;
  GANNET_REQUIRE(n >= 0, GANNET_ERR_ARG, "n = %d results", n);
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *told->record, &told->record));
  told->n = n;
  GANNET_TRY(gannet_alloc((size_t)n * k, sizeof *told->constraints, &told->constraints));
  for (int i = 0; i < n; ++i) told->record[i].constraints = told->constraints + (size_t)i * k;
  return GANNET_OK;
}

static void release_told(told_results *told) {
  gannet_results_release(told->n, told->record);
  gannet_free(&told->record);
  gannet_free(&told->constraints);
}

/* All are checked before the first is taken over. */
static gannet_err read_results(const gannet_optimizer *o, int n, const gannet_result *results,
                               told_results *told) {
  GANNET_TRY(create_told(o->problem, n, told));
  if (n > 0) GANNET_REQUIRE_POINTER(results, "results");
  for (int i = 0; i < n; ++i) {
    GANNET_TRY(gannet_optimizer_read_result(o->problem, &results[i], &told->record[i]));
    GANNET_TRY(gannet_optimizer_find_row(o, results[i].id, &told->record[i].id));
    const gannet_eval_status status = gannet_history_get(o->history, told->record[i].id)->status;
    GANNET_REQUIRE(status == GANNET_EVAL_PENDING || status == GANNET_EVAL_FAILED, GANNET_ERR_STATE,
                   "evaluation %lld already has the result '%s'; a correction replaces it",
                   (long long)results[i].id, gannet_eval_status_phrase(status));
  }
  return require_told_once(n, results);
}

/* The results are the same on all ranks, so all fail or none. */
static gannet_err enter_results(gannet_optimizer *o, const told_results *told) {
  uint64_t digest = 0;
  gannet_err err = GANNET_OK;
  for (int i = 0; i < told->n; ++i)
    digest = gannet_rank_digest_result(digest, o->problem, &told->record[i]);
  GANNET_TRY(gannet_same(o->context->comm, &digest, sizeof digest, "results that are told"));
  for (int i = 0; i < told->n && err == GANNET_OK; ++i)
    err = gannet_history_tell(o->history, &told->record[i]);
  return gannet_agree(o->context->comm, err);
}

gannet_err gannet_optimizer_tell(gannet_optimizer *o, int n, const gannet_result *results) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  told_results told = {0};
  GANNET_REQUIRE_POINTER(o, "optimizer");
  gannet_err err = gannet_agree(o->context->comm, read_results(o, n, results, &told));
  if (err == GANNET_OK) err = enter_results(o, &told);
  release_told(&told);
  return err;
}

static gannet_err read_own_point(const gannet_problem *problem, const double *x_user,
                                 const gannet_result *result, told_results *told) {
  GANNET_REQUIRE_POINTER(x_user, "x_user");
  GANNET_REQUIRE_POINTER(result, "result");
  GANNET_TRY(create_told(problem, 1, told));
  GANNET_TRY(gannet_optimizer_read_result(problem, result, told->record));
  told->record->id = -1;
  return GANNET_OK;
}

static gannet_err propose_own_point(gannet_optimizer *o, const double *x_user,
                                    gannet_result_record *record) {
  uint64_t digest = gannet_rank_digest_result(0, o->problem, record);
  digest = gannet_rank_digest_numbers(digest, o->problem->spec.n_variables, x_user);
  GANNET_TRY(gannet_same(o->context->comm, &digest, sizeof digest, "a result that is told"));
  gannet_err err =
      gannet_history_enter(o->history, x_user, o->batch, GANNET_ORIGIN_USER, &record->id);
  if (err == GANNET_OK) err = gannet_history_tell(o->history, record);
  return gannet_agree(o->context->comm, err);
}

static gannet_err enter_own_point(gannet_optimizer *o, const double *given,
                                  gannet_result_record *record) {
  const size_t v = (size_t)o->problem->spec.n_variables;
  double *x_user = NULL;
  gannet_err err = gannet_alloc(v, sizeof *x_user, &x_user);
  if (err == GANNET_OK) {
    memcpy(x_user, given, v * sizeof *x_user);
    err = gannet_problem_complete(o->problem, x_user);
  }
  err = gannet_agree(o->context->comm, err);
  if (err == GANNET_OK) err = propose_own_point(o, x_user, record);
  gannet_free(&x_user);
  return err;
}

gannet_err gannet_optimizer_tell_point(gannet_optimizer *o, const double *x_user,
                                       const gannet_result *result, int64_t *id) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  told_results told = {0};
  GANNET_REQUIRE_POINTER(o, "optimizer");
  gannet_err err =
      gannet_agree(o->context->comm, read_own_point(o->problem, x_user, result, &told));
  if (err == GANNET_OK) err = enter_own_point(o, x_user, told.record);
  if (err == GANNET_OK && id) *id = gannet_discarded_id(&o->discarded, told.record->id);
  release_told(&told);
  return err;
}

static gannet_err check_related(const gannet_optimizer *o, int n, const double *x_user,
                                const void *results, const char *name) {
  const gannet_problem_spec *spec = &o->problem->spec;
  const int most = INT_MAX / (spec->n_variables + spec->n_constraints);
  GANNET_REQUIRE_POINTER(x_user, "x_user");
  GANNET_REQUIRE_POINTER(results, name);
  GANNET_REQUIRE(n >= 0 && n <= most, GANNET_ERR_ARG, "n = %d results, expected 0 to %d", n, most);
  return GANNET_OK;
}

gannet_err gannet_optimizer_enter_related(gannet_optimizer *o, const gannet_related_rows *rows) {
  const gannet_problem_spec *spec = &o->problem->spec;
  uint64_t digest =
      gannet_rank_digest_numbers((uint64_t)rows->n, rows->n * spec->n_variables, rows->x);
  digest = gannet_rank_digest_numbers(digest, rows->n, rows->objective);
  if (rows->constraints)
    digest = gannet_rank_digest_numbers(digest, rows->n * spec->n_constraints, rows->constraints);
  GANNET_TRY(gannet_same(o->context->comm, &digest, sizeof digest, "results of a related problem"));
  return gannet_agree(o->context->comm, gannet_related_add(o->related, rows));
}

static gannet_err take_related(gannet_optimizer *o, const gannet_related_rows *rows) {
  const bool several = gannet_problem_n_objectives(o->problem) > 1;
  GANNET_TRY(gannet_optimizer_enter_related(o, rows));
  if (!gannet_optimizer_options_use_related(&o->options, several))
    gannet_log(o->context, GANNET_LOG_WARNING,
               "method '%s' does not model %s objective, and does not use the results of a related "
               "problem; choose another method, such as auto",
               o->options.method.method, several ? "every" : "the");
  return GANNET_OK;
}

gannet_err gannet_optimizer_tell_related(gannet_optimizer *o, int n, const double *x_user,
                                         const double *objective) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  GANNET_REQUIRE_POINTER(o, "optimizer");
  const int several = gannet_problem_n_objectives(o->problem);
  GANNET_REQUIRE(several == 1, GANNET_ERR_STATE,
                 "the problem has %d objectives; use gannet_optimizer_tell_related_results",
                 several);
  GANNET_TRY(gannet_agree(o->context->comm, check_related(o, n, x_user, objective, "objective")));
  /* Which are only read. */
  const gannet_related_rows rows = {n, (double *)(uintptr_t)x_user, (double *)(uintptr_t)objective,
                                    NULL};
  return take_related(o, &rows);
}

/* What a result does not have is NAN, whichever its outcome. */
static gannet_err read_related(const gannet_problem *problem, int i, const gannet_result *result,
                               gannet_related_rows *rows) {
  const int k = problem->spec.n_constraints, bounded = gannet_problem_n_bounded(problem);
  const int several = gannet_problem_n_objectives(problem);
  gannet_result given = *result;
  gannet_result_record record = {.constraints = rows->constraints + (ptrdiff_t)i * k};
  GANNET_REQUIRE(
      given.outcome == GANNET_RESULT_OK || given.outcome == GANNET_RESULT_PARTIAL, GANNET_ERR_INPUT,
      "result %d of a related problem: outcome = %d, expected GANNET_RESULT_OK or _PARTIAL; leave "
      "out designs without any values",
      i + 1, (int)given.outcome);
  given.outcome = GANNET_RESULT_PARTIAL; /* constraints may be missing */
  bool any = given.n_quantities != 0 || !isnan(given.objective);
  for (int c = 0; given.constraints && c < bounded; ++c) any = any || !isnan(given.constraints[c]);
  for (int m = 0; given.objectives && m < several; ++m) any = any || !isnan(given.objectives[m]);
  if (!any) { /* which is refused with its number when all have been read */
    gannet_result_clear(k, &record);
    rows->objective[i] = NAN;
    return GANNET_OK;
  }
  const gannet_err err = gannet_optimizer_read_result(problem, &given, &record);
  rows->objective[i] = record.objective;
  gannet_quantities_release(&record.reported);
  return err;
}

gannet_err gannet_optimizer_tell_related_results(gannet_optimizer *o, int n, const double *x_user,
                                                 const gannet_result *results) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  GANNET_REQUIRE_POINTER(o, "optimizer");
  GANNET_TRY(gannet_agree(o->context->comm, check_related(o, n, x_user, results, "results")));
  gannet_related_rows rows = {.n = n, .x = (double *)(uintptr_t)x_user}; /* only read */
  const size_t k = (size_t)o->problem->spec.n_constraints;
  gannet_err err = gannet_alloc((size_t)n, sizeof *rows.objective, &rows.objective);
  if (err == GANNET_OK)
    err = gannet_alloc((size_t)n * k, sizeof *rows.constraints, &rows.constraints);
  for (int i = 0; i < n && err == GANNET_OK; ++i)
    err = read_related(o->problem, i, &results[i], &rows);
  err = gannet_agree(o->context->comm, err);
  if (err == GANNET_OK) err = take_related(o, &rows);
  gannet_free(&rows.objective);
  gannet_free(&rows.constraints);
  return err;
}
