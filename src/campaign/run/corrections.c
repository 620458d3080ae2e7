#include "campaign/run/corrections.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/partition.h"
#include "evaluate/contract/json_text.h"
#include "evaluate/result_record.h"
#include "problem/objectives.h"
#include "problem/outputs.h"

static const char *const kinds[] = {"discard", "correct", "retry"};
static const char *const done_words[] = {"discarded", "corrected", "to be run again"};
static const int64_t longest_request = 1 << 20; /* bytes */

void gannet_correction_request_release(gannet_correction_request *request) {
  gannet_free(&request->id);
  gannet_quantities_release(&request->values);
  gannet_quantities_release(&request->constraints);
}

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

/* Requests as text. */

/* A number, or an object where it has a standard deviation; null = it is missing. */
static json_t *value_object(const gannet_reported *item) {
  if (isnan(item->value)) return json_null();
  if (item->sd == 0) return json_real(item->value);
  return json_pack("{sf sf}", "value", item->value, "sd", item->sd);
}

static gannet_err read_value(const char *name, const json_t *value, gannet_quantities *values) {
  const json_t *number = json_is_object(value) ? json_object_get(value, "value") : value;
  const gannet_quantity quantity = {.name = name,
                                    .value = json_is_null(number) ? NAN : json_number_value(number),
                                    .sd = json_number_value(json_object_get(value, "sd"))};
  GANNET_REQUIRE(json_is_number(number) || json_is_null(value), GANNET_ERR_INPUT,
                 "%s must be a number", name);
  return gannet_quantities_set(values, 0, &quantity);
}

static gannet_err read_values(const json_t *object, const char *key, gannet_quantities *values) {
  const char *name = NULL;
  json_t *value = NULL;
  gannet_err err = GANNET_OK;
  json_object_foreach(json_object_get(object, key), name, value) if (err == GANNET_OK) err =
      read_value(name, value, values);
  return err;
}

static json_t *values_object(const gannet_quantities *values) {
  json_t *object = json_object();
  for (int i = 0; i < values->n; ++i)
    (void)json_object_set_new(object, values->item[i].name, value_object(&values->item[i]));
  return object;
}

gannet_err gannet_correction_request_text(const gannet_correction_request *request, char **text) {
  char key[20];
  (void)snprintf(key, sizeof key, "%016" PRIx64, request->note.key);
  json_t *ids = json_array();
  for (int i = 0; i < request->n; ++i)
    (void)json_array_append_new(ids, json_integer(request->id[i]));
  json_t *object = json_pack("{ss sb sb so so so sf ss ss ss}", "what", kinds[request->kind],
                             "undo", (int)request->undo, "all_failed", (int)request->all_failed,
                             "ids", ids, "values", values_object(&request->values), "constraints",
                             values_object(&request->constraints), "when", request->note.when,
                             "who", request->note.who, "why", request->note.why, "key", key);
  const gannet_err err =
      gannet_json_text(object, JSON_COMPACT | JSON_REAL_PRECISION(17), "a request", text);
  json_decref(object);
  return err;
}

static gannet_err read_request(const json_t *object, gannet_correction_request *request) {
  const char *what = json_string_value(json_object_get(object, "what"));
  const char *who = json_string_value(json_object_get(object, "who"));
  const char *why = json_string_value(json_object_get(object, "why"));
  const char *key = json_string_value(json_object_get(object, "key"));
  const json_t *ids = json_object_get(object, "ids");
  int kind = 2;
  while (kind >= 0 && (!what || strcmp(what, kinds[kind]) != 0)) --kind;
  GANNET_REQUIRE(kind >= 0 && who && why && key && json_is_array(ids), GANNET_ERR_INPUT,
                 "it lacks what a correction needs");
  request->kind = (gannet_correction_kind)kind;
  request->undo = json_is_true(json_object_get(object, "undo"));
  request->all_failed = json_is_true(json_object_get(object, "all_failed"));
  request->note.when = json_number_value(json_object_get(object, "when"));
  request->note.key = strtoull(key, NULL, 16);
  (void)snprintf(request->note.who, sizeof request->note.who, "%s", who);
  (void)snprintf(request->note.why, sizeof request->note.why, "%s", why);
  GANNET_TRY(gannet_alloc(json_array_size(ids), sizeof *request->id, &request->id));
  for (; request->n < (int)json_array_size(ids); ++request->n) {
    const json_t *id = json_array_get(ids, (size_t)request->n);
    GANNET_REQUIRE(json_is_integer(id), GANNET_ERR_INPUT, "an id must be a whole number");
    request->id[request->n] = json_integer_value(id);
  }
  GANNET_TRY(read_values(object, "values", &request->values));
  return read_values(object, "constraints", &request->constraints);
}

gannet_err gannet_correction_request_parse(const char *text, gannet_correction_request *request) {
  json_t *object = json_loads(text, 0, NULL);
  GANNET_REQUIRE(object, GANNET_ERR_INPUT, "it must be JSON");
  const gannet_err err = read_request(object, request);
  json_decref(object);
  if (err == GANNET_ERR_MEMORY || err == GANNET_OK) return err;
  return GANNET_RAISE(GANNET_ERR_INPUT,
                      "not a request that gannet wrote: %s; make the correction again",
                      gannet_error_detail());
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
                 (long long)id, text, kinds[last->kind]);
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

/* Requests in files. */

static gannet_err request_path(const char *directory, uint64_t key, const char *end, char *path) {
  char name[60];
  (void)snprintf(name, sizeof name, "requests/%016" PRIx64 ".%s", key, end);
  return gannet_join_path(directory, name, path, PATH_MAX);
}

gannet_err gannet_corrections_post(const char *directory,
                                   const gannet_correction_request *request) {
  char path[PATH_MAX], folder[PATH_MAX], *text = NULL;
  GANNET_TRY(gannet_join_path(directory, "requests", folder, sizeof folder));
  GANNET_TRY(gannet_make_directory(folder));
  GANNET_TRY(request_path(directory, request->note.key, "json", path));
  GANNET_TRY(gannet_correction_request_text(request, &text));
  const gannet_err err = gannet_file_replace(path, text, strlen(text));
  gannet_free(&text);
  return err;
}

gannet_err gannet_corrections_look(const char *directory, uint64_t key, bool *has_answer,
                                   char *answer) {
  char path[PATH_MAX], *text = NULL;
  size_t size = 0;
  *has_answer = false;
  GANNET_TRY(request_path(directory, key, "answer", path));
  if (access(path, F_OK)) return GANNET_OK;
  GANNET_TRY(gannet_file_read(path, &text, &size));
  (void)unlink(path);
  *has_answer = true;
  const bool is_made = text[0] == '+';
  (void)snprintf(answer, GANNET_ANSWER_SIZE, "%s", text[0] ? text + 1 : "");
  gannet_free(&text);
  GANNET_REQUIRE(is_made, GANNET_ERR_INPUT, "%s", answer);
  return GANNET_OK;
}

bool gannet_corrections_withdraw(const char *directory, uint64_t key) {
  char path[PATH_MAX];
  if (request_path(directory, key, "json", path) == GANNET_OK) return unlink(path) == 0;
  gannet_error_clear();
  return false;
}

/* A request that was found. */
typedef struct {
  double when;
  uint64_t key;
  char *text;
} found_request;

/* The earliest request, on rank 0; text = NULL when there is none. What cannot be read waits for
 * the next look. */
static gannet_err find_earliest(const gannet_campaign *campaign, found_request *earliest) {
  char folder[PATH_MAX], path[PATH_MAX];
  struct dirent *entry;
  *earliest = (found_request){.when = INFINITY};
  if (campaign->ignores_requests) return GANNET_OK;
  GANNET_TRY(gannet_campaign_path(campaign, "requests", folder));
  DIR *open = opendir(folder);
  if (!open) return GANNET_OK;
  while ((entry = readdir(open))) {
    char *end = NULL;
    found_request one = {.key = strtoull(entry->d_name, &end, 16)};
    gannet_correction_request request = {0};
    if (end != entry->d_name + 16 || strcmp(end, ".json") != 0) continue;
    if (gannet_join_path(folder, entry->d_name, path, sizeof path) != GANNET_OK ||
        gannet_file_read_within(path, longest_request, GANNET_ERR_INPUT, &one.text, NULL) !=
            GANNET_OK) {
      gannet_error_clear();
      continue;
    }
    if (gannet_correction_request_parse(one.text, &request) == GANNET_OK)
      one.when = request.note.when;
    else
      gannet_error_clear(); /* it gets an answer, too */
    gannet_correction_request_release(&request);
    const bool is_earlier =
        one.when < earliest->when || (one.when == earliest->when && one.key < earliest->key);
    if (!earliest->text || is_earlier) {
      gannet_free(&earliest->text);
      *earliest = one;
    } else {
      gannet_free(&one.text);
    }
  }
  (void)closedir(open);
  return GANNET_OK;
}

/* The answer is there before the request goes: whoever asked never finds neither. Where files
 * cannot be written or removed, no further request is looked for: the campaign goes on. */
static void answer_request(gannet_campaign *campaign, uint64_t key, bool is_refused,
                           const char *answer) {
  char path[PATH_MAX], text[GANNET_ANSWER_SIZE + 4];
  (void)snprintf(text, sizeof text, "%c%s", is_refused ? '-' : '+', answer);
  gannet_err err = request_path(campaign->directory, key, "answer", path);
  if (err == GANNET_OK) err = gannet_file_replace(path, text, strlen(text));
  if (err == GANNET_OK && gannet_corrections_withdraw(campaign->directory, key)) return;
  if (err == GANNET_OK) err = gannet_raise_errno("remove the request of", path);
  gannet_log(campaign->context, GANNET_LOG_WARNING,
             "%s: corrections of a campaign that runs are not taken any more",
             gannet_error_message());
  gannet_error_clear();
  campaign->ignores_requests = true;
}

static gannet_err make_found(gannet_campaign *campaign, const char *text, char *answer) {
  gannet_correction_request request = {0};
  gannet_err err = gannet_correction_request_parse(text, &request);
  if (err == GANNET_OK) err = gannet_corrections_make(campaign, &request, answer);
  gannet_correction_request_release(&request);
  if (err == GANNET_ERR_INPUT)
    (void)snprintf(answer, GANNET_ANSWER_SIZE, "%s", gannet_error_detail());
  return err;
}

/* Make one request, whose text all ranks get. */
static gannet_err take_one(gannet_campaign *campaign, found_request *found, int size, int *n) {
  const gannet_context *context = campaign->context;
  char answer[GANNET_ANSWER_SIZE] = "";
  gannet_err err = GANNET_OK;
  if (context->rank != 0) err = gannet_alloc((size_t)size, 1, &found->text);
  GANNET_TRY(gannet_agree(context->comm, err));
  GANNET_TRY(gannet_bytes_broadcast(context->comm, 0, (size_t)size, found->text));
  err = make_found(campaign, found->text, answer);
  const bool is_refused = err == GANNET_ERR_INPUT; /* on all ranks alike */
  if (is_refused) gannet_error_clear();
  if (!is_refused) GANNET_TRY(gannet_agree(context->comm, err));
  *n += !is_refused;
  err = gannet_agree(context->comm, gannet_ledger_sync(&campaign->ledger));
  if (err == GANNET_OK && context->rank == 0)
    answer_request(campaign, found->key, is_refused, answer);
  return err;
}

gannet_err gannet_corrections_take(gannet_campaign *campaign, int *n) {
  const gannet_context *context = campaign->context;
  *n = 0;
  for (;;) {
    found_request found = {0};
    gannet_err err = GANNET_OK;
    if (context->rank == 0) err = find_earliest(campaign, &found);
    int size = err == GANNET_OK && found.text ? (int)strlen(found.text) + 1 : err ? -1 : 0;
    GANNET_TRY_MPI(MPI_Bcast(&size, 1, MPI_INT, 0, context->comm));
    if (size < 0) return gannet_agree(context->comm, err);
    if (size > 0) err = take_one(campaign, &found, size, n);
    gannet_free(&found.text);
    if (size == 0 || err != GANNET_OK) return err;
  }
}
