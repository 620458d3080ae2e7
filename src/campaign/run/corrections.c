#include "campaign/run/corrections.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/names.h"
#include "evaluate/result_record.h"
#include "problem/objectives.h"
#include "problem/outputs.h"

static const char *const done_words[] = {"discarded", "corrected", "to be run again"};

void gannet_correction_format(const gannet_correction *correction, char *text, size_t size) {
  static const char *const words[] = {"discarded", "corrected", "run again"};
  const gannet_correction_note *note = &correction->note, *undo = &correction->undo;
  char when[40];
  gannet_clock_format(note->when, when, sizeof when);
  const int used = snprintf(text, size, "%s on %s by %s%s%s", words[correction->kind], when,
                            note->who, note->why[0] ? ": " : "", note->why);
  if (!isfinite(undo->when) || used < 0 || (size_t)used >= size) return;
  gannet_clock_format(undo->when, when, sizeof when);
  (void)snprintf(text + used, size - (size_t)used, "; taken back on %s by %s%s%s", when, undo->who,
                 undo->why[0] ? ": " : "", undo->why);
}

/* Whether a request can be made. */

/* What to do about the last correction of an evaluation instead. */
static gannet_err check_undo(const gannet_problem *problem,
                             const gannet_correction_request *request, int64_t id,
                             const gannet_correction *last) {
  char text[400];
  GANNET_REQUIRE(
      last, GANNET_ERR_INPUT,
      "--id: evaluation %lld has no correction to take back; `gannet status` lists what there is",
      (long long)id);
  gannet_correction_format(last, text, sizeof text);
  GANNET_REQUIRE(last->kind == request->kind, GANNET_ERR_INPUT,
                 "--id: the last correction of evaluation %lld is that it was %s; take that back "
                 "with gannet %s --undo",
                 (long long)id, text, gannet_correction_words[last->kind]);
  GANNET_REQUIRE(last->before.status != GANNET_EVAL_DONE ||
                     gannet_result_count_known(problem, &last->before) > 0,
                 GANNET_ERR_INPUT,
                 "--id: since the campaign was changed, the earlier result of evaluation %lld has "
                 "none of the numbers that are needed; gannet correct adds them",
                 (long long)id);
  for (int i = 0; last->before.status == GANNET_EVAL_DONE && i <= problem->spec.n_constraints; ++i)
    GANNET_REQUIRE(!isinf(i > 0 ? last->before.constraints[i - 1] : last->before.objective),
                   GANNET_ERR_INPUT,
                   "--id: since the campaign was changed, %s of the earlier result of evaluation "
                   "%lld is not finite; gannet correct gives another value",
                   gannet_problem_quantity_name(problem, i), (long long)id);
  return GANNET_OK;
}

static gannet_err check_evaluation(const gannet_ledger *ledger,
                                   const gannet_correction_request *request, int64_t id) {
  GANNET_REQUIRE(ledger->n > 0, GANNET_ERR_INPUT,
                 "--id: the campaign has no evaluations yet; `gannet run` makes some");
  GANNET_REQUIRE(0 <= id && id < ledger->n, GANNET_ERR_INPUT,
                 "--id: there is no evaluation %lld; expected 0 to %lld", (long long)id,
                 (long long)ledger->n - 1);
  const gannet_ticket *ticket = &ledger->ticket[id];
  const gannet_correction *last = gannet_ledger_find_correction(ledger, id);
  char text[400];
  if (request->undo) return check_undo(ledger->problem, request, id, last);
  if (last) gannet_correction_format(last, text, sizeof text);
  GANNET_REQUIRE(ticket->result.status != GANNET_EVAL_DISCARDED || !last, GANNET_ERR_INPUT,
                 "--id: evaluation %lld was already %s; take that back with gannet discard --undo",
                 (long long)id, text);
  GANNET_REQUIRE(request->kind != GANNET_CORRECTION_VALUES || ticket->has_result, GANNET_ERR_INPUT,
                 "--id: evaluation %lld has no result yet, so there is nothing to correct; gannet "
                 "tell reports one, gannet discard ends it",
                 (long long)id);
  GANNET_REQUIRE(request->kind != GANNET_CORRECTION_RETRY || ticket->has_result, GANNET_ERR_INPUT,
                 "--id: evaluation %lld has no result yet: it will run in any case", (long long)id);
  return GANNET_OK;
}

/* Replace --failed by the evaluations that it means. */
static gannet_err list_failed(const gannet_ledger *ledger, gannet_correction_request *request) {
  GANNET_TRY(gannet_alloc((size_t)ledger->n, sizeof *request->id, &request->id));
  for (int64_t id = 0; id < ledger->n; ++id) {
    const gannet_correction *last = gannet_ledger_find_correction(ledger, id);
    const bool wanted = request->undo ? last && last->kind == GANNET_CORRECTION_RETRY
                                      : ledger->ticket[id].result.status == GANNET_EVAL_FAILED;
    if (wanted) request->id[request->n++] = id;
  }
  GANNET_REQUIRE(request->n > 0, GANNET_ERR_INPUT, "%s",
                 request->undo ? "--failed: no evaluation was asked to run again"
                               : "--failed: no evaluation failed; --id N runs again an evaluation "
                                 "that has a result or cannot run");
  return GANNET_OK;
}

static gannet_err check_ids(const gannet_ledger *ledger, const gannet_correction_request *request) {
  GANNET_REQUIRE(request->n > 0, GANNET_ERR_INPUT, "--id: expected the number of an evaluation");
  for (int i = 0; i < request->n; ++i) {
    GANNET_TRY(check_evaluation(ledger, request, request->id[i]));
    for (int k = 0; k < i; ++k)
      GANNET_REQUIRE(request->id[k] != request->id[i], GANNET_ERR_INPUT,
                     "--id: evaluation %lld is given twice; leave one out",
                     (long long)request->id[i]);
  }
  return GANNET_OK;
}

/* New values. */

static gannet_err raise_unknown(const gannet_ledger *ledger, const char *name) {
  const gannet_problem *problem = ledger->problem;
  const int n = problem->spec.n_constraints;
  const char **known = NULL;
  char list[400] = "";
  size_t used = 0;
  int count = 0;
  GANNET_TRY(gannet_alloc((size_t)(n + ledger->n_columns + 2), sizeof *known, &known));
  for (int i = 0; i <= n; ++i) known[count++] = gannet_problem_quantity_name(problem, i);
  for (int i = 0; i < ledger->n_columns; ++i)
    if (!ledger->column[i].kind) known[count++] = ledger->column[i].name;
  const char *near = gannet_nearest(name, known);
  for (int i = 0; i < count && used < sizeof list; ++i) {
    const int more = snprintf(list + used, sizeof list - used, " %s", known[i]);
    used += more > 0 ? (size_t)more : 0;
  }
  const gannet_err err =
      near ? GANNET_RAISE(GANNET_ERR_INPUT,
                          "no evaluation has a quantity '%s'; did you mean '%s'? Known:%s", name,
                          near, list)
           : GANNET_RAISE(GANNET_ERR_INPUT, "no evaluation has a quantity '%s'; known:%s", name,
                          list);
  gannet_free(&known);
  return err;
}

/* Put a value into a result, NAN = it is missing. The new value has the standard deviation that it
 * is given with, and without one (sd 0) that of the old value; the gradient, which is that of the
 * wrong value, is lost. */
static gannet_err set_value(const gannet_ledger *ledger, const gannet_reported *given,
                            gannet_result_record *result) {
  const gannet_problem *problem = ledger->problem;
  const int index = gannet_problem_find_quantity(problem, given->name);
  const gannet_formula *formula = index >= 0 ? gannet_problem_formula(problem, index) : NULL;
  const char *name = index == 0 ? gannet_problem_reported_name(problem, 0) : given->name;
  bool is_known = index >= 0;
  for (int i = 0; i < ledger->n_columns && !is_known; ++i)
    is_known = !ledger->column[i].kind && strcmp(ledger->column[i].name, given->name) == 0;
  GANNET_REQUIRE(problem->spec.n_objectives == 0 || strcmp(given->name, "objective") != 0,
                 GANNET_ERR_INPUT,
                 "--objective: the campaign has several objectives; give --quantity %s=VALUE",
                 gannet_problem_quantity_name(problem, 0));
  if (!is_known) return raise_unknown(ledger, given->name);
  GANNET_REQUIRE(!formula, GANNET_ERR_INPUT,
                 "%s is computed from '%.100s'; correct the quantities in it", given->name,
                 formula->text);
  GANNET_REQUIRE(!isinf(given->value), GANNET_ERR_INPUT, "%s is %g, expected a finite number",
                 given->name, given->value);
  if (index >= 0)
    *(index > 0 ? &result->constraints[index - 1] : &result->objective) = given->value;
  const gannet_reported *old = gannet_quantities_find(&result->reported, name);
  if (index >= 0 && !old && given->sd == 0) return GANNET_OK;
  const double sd = given->sd > 0 ? given->sd : old ? old->sd : 0;
  const gannet_quantity quantity = {
      .name = name, .value = given->value, .sd = isnan(given->value) ? 0 : sd};
  return gannet_quantities_set(&result->reported, problem->spec.n_variables, &quantity);
}

/* Whether the user called an objective a constraint. */
static gannet_err check_constraints(const gannet_problem *problem,
                                    const gannet_quantities *constraints) {
  const bool several = problem->spec.n_objectives > 0;
  for (int i = 0; i < constraints->n; ++i) {
    const char *name = constraints->item[i].name;
    const int index = gannet_problem_find_quantity(problem, name);
    GANNET_REQUIRE(index < 0 || gannet_problem_quantity_objective(problem, index) < 0,
                   GANNET_ERR_INPUT, "--constraint: '%s' is an objective; give --%s%s%sVALUE", name,
                   several ? "quantity " : "objective", several ? name : "", several ? "=" : " ");
  }
  return GANNET_OK;
}

/* The result of an evaluation with some other values.
 *
 * result  out  zeroed but for its constraints, [n_constraints]; to be released
 */
static gannet_err make_result(const gannet_ledger *ledger, const gannet_correction_request *request,
                              gannet_result_record *result) {
  const gannet_problem *problem = ledger->problem;
  const gannet_result_record *before = &ledger->ticket[request->id[0]].result;
  const int n = problem->spec.n_constraints;
  gannet_result_clear(n, result);
  result->id = before->id;
  result->run = before->run;
  if (before->status == GANNET_EVAL_DONE) {
    result->objective = before->objective;
    if (n > 0) memcpy(result->constraints, before->constraints, (size_t)n * sizeof(double));
  } else {
    result->run.reason[0] = '\0';
  }
  GANNET_TRY(
      gannet_quantities_copy(&before->reported, problem->spec.n_variables, &result->reported));
  for (int i = 0; i <= n; ++i)
    if (gannet_problem_formula(problem, i))
      *(i > 0 ? &result->constraints[i - 1] : &result->objective) = NAN;
  GANNET_TRY(check_constraints(problem, &request->constraints));
  for (int i = 0; i < request->values.n; ++i)
    GANNET_TRY(set_value(ledger, &request->values.item[i], result));
  /* What the result lacked, or is said to lack, may be missing. */
  const bool was_done = before->status == GANNET_EVAL_DONE;
  bool is_said = was_done && gannet_problem_find_missing(problem, 0, before->objective,
                                                         before->constraints) >= 0;
  for (int i = 0; i < request->values.n; ++i)
    is_said = is_said || isnan(request->values.item[i].value);
  const char *objective = problem->spec.n_objectives > 0 ? "--quantity" : "--objective";
  for (int i = 0; i <= n && !is_said; ++i) {
    const bool is_objective = gannet_problem_quantity_objective(problem, i) >= 0;
    const char *name = gannet_problem_quantity_name(problem, i);
    const double value = i > 0 ? result->constraints[i - 1] : result->objective;
    GANNET_REQUIRE(gannet_problem_formula(problem, i) || !isnan(value), GANNET_ERR_INPUT,
                   "evaluation %lld has no value of %s, which a result needs; give it, too: %s %s",
                   (long long)result->id, name, is_objective ? objective : "--constraint",
                   is_objective && problem->spec.n_objectives == 0 ? "VALUE" : "NAME=VALUE");
  }
  const gannet_lack lack = is_said ? GANNET_LACK_SAID : GANNET_LACK_NOTHING;
  if (gannet_result_compute(problem, lack, result))
    gannet_result_check_numbers(problem, lack, result);
  GANNET_REQUIRE(result->status == GANNET_EVAL_DONE, GANNET_ERR_INPUT, "%s", result->run.reason);
  result->run.failure = GANNET_FAILURE_NONE;
  result->run.crashed = false;
  return GANNET_OK;
}

/* Making a request. */

static void tell_what_was_done(const gannet_correction_request *request, char *answer) {
  enum { MOST = 12 };
  char ids[300] = "";
  size_t used = 0;
  for (int i = 0; i < request->n && i < MOST; ++i)
    used += (size_t)snprintf(ids + used, sizeof ids - used, "%s%lld", i ? ", " : "",
                             (long long)request->id[i]);
  if (request->n > MOST)
    (void)snprintf(ids + used, sizeof ids - used, " and %d more", request->n - MOST);
  const char *plural = request->n == 1 ? "" : "s", *join = request->note.why[0] ? ": " : "";
  if (request->undo && request->kind == GANNET_CORRECTION_VALUES) /* earlier ones stay */
    (void)snprintf(answer, GANNET_ANSWER_SIZE,
                   "the last correction%s of evaluation%s %s %s undone%s%s", plural, plural, ids,
                   request->n == 1 ? "is" : "are", join, request->note.why);
  else
    (void)snprintf(answer, GANNET_ANSWER_SIZE, "evaluation%s %s %s %s%s%s%s", plural, ids,
                   request->n == 1 ? "is" : "are", request->undo ? "no longer " : "",
                   done_words[request->kind], join, request->note.why);
}

gannet_err gannet_corrections_make(gannet_campaign *campaign,
                                   const gannet_correction_request *given, char *answer) {
  gannet_ledger *ledger = &campaign->ledger;
  const bool has_values = given->kind == GANNET_CORRECTION_VALUES && !given->undo;
  gannet_correction_request request = *given; /* with ids of its own where they are listed here */
  gannet_result_record result = {0};
  gannet_err err = GANNET_OK;
  bool was_made = false;
  for (int i = 0; i < ledger->n_corrections && !was_made; ++i) {
    const gannet_correction *c = &ledger->correction[i];
    was_made = c->note.key == given->note.key ||
               (isfinite(c->undo.when) && c->undo.key == given->note.key);
  }
  if (given->all_failed && !was_made) {
    request.id = NULL;
    request.n = 0;
    err = list_failed(ledger, &request);
  }
  if (err == GANNET_OK && !was_made) {
    err = check_ids(ledger, &request);
    if (err == GANNET_OK)
      err = gannet_alloc((size_t)ledger->problem->spec.n_constraints, sizeof(double),
                         &result.constraints);
    if (err == GANNET_OK && has_values) err = make_result(ledger, &request, &result);
    const gannet_correction_order order = {request.kind, request.undo, request.n,
                                           request.id,   request.note, &result};
    if (err == GANNET_OK) err = gannet_campaign_correct(campaign, &order);
  }
  if (err == GANNET_OK) tell_what_was_done(&request, answer);
  if (was_made) (void)snprintf(answer, GANNET_ANSWER_SIZE, "the correction was made already");
  if (err == GANNET_OK && campaign->context)
    gannet_log(campaign->context, GANNET_LOG_INFO, "%s (%s)", answer, request.note.who);
  if (given->all_failed && !was_made) gannet_free(&request.id);
  gannet_quantities_release(&result.reported);
  gannet_free(&result.constraints);
  return err;
}
