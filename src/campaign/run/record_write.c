#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "campaign/run/record_words.h"
#include "evaluate/contract/json_text.h"
#include "gannet/version.h"
#include "problem/outputs.h"

/* Text of an object, which is released; a NULL object is an allocation that failed on the way. */
static gannet_err to_text(json_t *object, char **text) {
  const gannet_err err =
      gannet_json_text(object, JSON_COMPACT | JSON_REAL_PRECISION(17), "a journal record", text);
  json_decref(object);
  return err;
}

/* Takes both; NULL when one of them is, or when there is no memory: a list that is too short must
 * not get into the journal. */
static json_t *add_item(json_t *array, json_t *value) {
  if (json_array_append_new(array, value) == 0) return array;
  json_decref(array);
  return NULL;
}

static json_t *set_member(json_t *object, const char *key, json_t *value) {
  if (json_object_set_new(object, key, value) == 0) return object;
  json_decref(object);
  return NULL;
}

/* JSON knows no infinities and no NAN; they travel as texts. */
static json_t *json_of_number(double value) {
  char text[32];
  if (isfinite(value)) return json_real(value);
  (void)snprintf(text, sizeof text, "%g", value);
  return json_string(text);
}

static json_t *json_of_numbers(int n, const double *values) {
  json_t *array = json_array();
  for (int i = 0; i < n; ++i) array = add_item(array, json_of_number(values[i]));
  return array;
}

static json_t *bits_text(uint64_t bits) {
  char text[20];
  (void)snprintf(text, sizeof text, "%016llx", (unsigned long long)bits);
  return json_string(text);
}

/* Texts from outside (host names, last words of a simulation) need not be UTF-8. */
static json_t *mended_text(const char *text) {
  char mended[GANNET_REASON_SIZE];
  (void)snprintf(mended, sizeof mended, "%s", text);
  gannet_utf8_mend(mended);
  return json_string(mended);
}

gannet_err gannet_record_campaign(const gannet_problem *problem, const char *name, uint64_t seed,
                                  uint64_t fingerprint, char **text) {
  json_t *variables = json_array(), *constraints = json_array();
  for (int v = 0; v < problem->spec.n_variables; ++v)
    variables = add_item(variables, json_string(problem->spec.variables[v].name));
  for (int k = 0; k < problem->spec.n_constraints; ++k)
    constraints = add_item(constraints, json_string(problem->spec.constraints[k].name));
  return to_text(json_pack("{ss ss ss sI so so so}", "record", "campaign", "gannet", GANNET_VERSION,
                           "name", name, "seed", (json_int_t)seed, "variables", variables,
                           "constraints", constraints, "fingerprint", bits_text(fingerprint)),
                 text);
}

static json_t *state_value(const gannet_state_value *value) {
  switch (value->kind) {
    case GANNET_STATE_REAL:
      return json_of_number(value->number);
    case GANNET_STATE_WHOLE:
      return json_integer((json_int_t)value->number);
    case GANNET_STATE_TEXT:
      return json_string(value->text);
    default:
      return json_null();
  }
}

/* The object that has a name within another one, made when it is not there; NULL passes. */
static json_t *object_within(json_t *object, const char *name, size_t length) {
  char key[GANNET_STATE_NAME];
  (void)snprintf(key, sizeof key, "%.*s", (int)length, name);
  json_t *inner = json_object_get(object, key);
  if (inner || !object) return inner;
  inner = json_object();
  return json_object_set_new(object, key, inner) == 0 ? inner : NULL;
}

/* "gp-ei/objective.log_noise" is {"gp-ei": {"objective": {"log_noise": ...}}}. */
static json_t *state_object(const gannet_state *state) {
  json_t *object = json_object();
  for (int i = 0; i < state->n && object; ++i) {
    const char *name = state->value[i].name, *slash = strchr(name, '/');
    json_t *inner = slash ? object_within(object, name, (size_t)(slash - name)) : object;
    if (slash) name = slash + 1;
    const char *dot = slash ? strchr(name, '.') : NULL; /* as read_state_values puts it together */
    if (dot) inner = object_within(inner, name, (size_t)(dot - name));
    if (dot) name = dot + 1;
    if (json_object_set_new(inner, name, state_value(&state->value[i])) == 0) continue;
    json_decref(object);
    object = NULL;
  }
  return object;
}

gannet_err gannet_record_propose(const gannet_history *history,
                                 const gannet_proposed_rows *proposal, char **text) {
  const int v = gannet_history_problem(history)->spec.n_variables;
  const gannet_evaluation *row = gannet_history_get(history, proposal->end - 1);
  json_t *points = json_array();
  int n_start = 0;
  while (gannet_history_get(history, proposal->first + n_start)->origin != row->origin) ++n_start;
  for (int64_t id = proposal->first; id < proposal->end; ++id)
    points = add_item(points, json_of_numbers(v, gannet_history_x_user(history, id)));
  json_t *object =
      json_pack("{ss sI ss sI so}", "record", "propose", "batch", (json_int_t)row->batch, "origin",
                record_origins[row->origin], "first", (json_int_t)proposal->first, "x", points);
  if (n_start > 0) object = set_member(object, "start", json_integer(n_start));
  if (proposal->stated == GANNET_STATED_WHOLE)
    object = set_member(object, "state", state_object(proposal->state));
  if (proposal->stated == GANNET_STATED_POSITIONAL)
    object =
        set_member(object, "state", json_of_numbers(proposal->n_positional, proposal->positional));
  if (proposal->stated == GANNET_STATED_CHANGES)
    object = set_member(object, "changes", state_object(proposal->state));
  if (proposal->learned) object = set_member(object, "learned", state_object(proposal->learned));
  bool has_starts = false;
  json_t *starts = json_array();
  for (int64_t id = proposal->first; proposal->ticket && id < proposal->end; ++id) {
    has_starts = has_starts || proposal->ticket[id].start_from >= 0;
    starts = add_item(starts, json_integer((json_int_t)proposal->ticket[id].start_from));
  }
  if (has_starts)
    object = set_member(object, "start_from", starts);
  else
    json_decref(starts);
  if (isfinite(proposal->seconds))
    object = set_member(object, "seconds", json_real(proposal->seconds));
  return to_text(object, text);
}

gannet_err gannet_record_state_of(const gannet_state *state, char **text) {
  return to_text(json_pack("{ss so}", "record", "state", "state", state_object(state)), text);
}

gannet_err gannet_record_submit(int n, const int64_t *ids, const int *attempts,
                                const uint64_t *nonces, char **text) {
  json_t *runs = json_array();
  for (int i = 0; i < n; ++i)
    runs =
        add_item(runs, json_pack("[I i o]", (json_int_t)ids[i], attempts[i], bits_text(nonces[i])));
  return to_text(json_pack("{ss so}", "record", "submit", "runs", runs), text);
}

static json_t *run_object(const gannet_run_record *run) {
  json_t *object = json_object();
  for (const gannet_struct_field *field = record_run_fields; field->name; ++field) {
    json_t *value = NULL;
    if (field->optional && !*gannet_struct_field_get_text(field, run)) continue;
    if (record_is_failure(field))
      value = json_string(gannet_failure_text(run->failure));
    else if (gannet_struct_field_is_real(field))
      value = json_of_number(gannet_struct_field_get_real(field, run));
    else if (field->type == GANNET_STRUCT_TEXT)
      value = mended_text(gannet_struct_field_get_text(field, run));
    else if (field->type == GANNET_STRUCT_TRUTH)
      value = json_boolean(gannet_struct_field_get_whole(field, run));
    else
      value = json_integer(gannet_struct_field_get_whole(field, run));
    object = set_member(object, field->name, value);
  }
  return object;
}

/* A number, or an object where there is more about it. */
static json_t *reported_value(int n_variables, const gannet_reported *item) {
  if (item->sd == 0 && !item->gradient) return json_of_number(item->value);
  json_t *object = set_member(json_object(), "value", json_of_number(item->value));
  if (item->sd > 0) object = set_member(object, "sd", json_of_number(item->sd));
  if (item->gradient)
    object = set_member(object, "gradient", json_of_numbers(n_variables, item->gradient));
  return object;
}

/* Add the status of a result and its numbers to an object; NULL passes. */
static json_t *add_outcome(json_t *object, const gannet_problem_spec *spec,
                           const gannet_result_record *result) {
  json_t *reported = result->reported.n > 0 ? json_object() : NULL;
  object = set_member(object, "status", json_string(gannet_eval_status_text(result->status)));
  if (result->status == GANNET_EVAL_DONE) {
    object = set_member(object, "objective", json_of_number(result->objective));
    object = set_member(object, "constraints",
                        json_of_numbers(spec->n_constraints, result->constraints));
  }
  for (int i = 0; i < result->reported.n; ++i) {
    const gannet_reported *item = &result->reported.item[i];
    reported = set_member(reported, item->name, reported_value(spec->n_variables, item));
  }
  return result->reported.n > 0 ? set_member(object, "reported", reported) : object;
}

static json_t *result_object(const gannet_problem *problem, const gannet_result_record *result) {
  json_t *object = json_pack("{ss sI sb so}", "record", "result", "id", (json_int_t)result->id,
                             "final", (int)!result->retry, "run", run_object(&result->run));
  return add_outcome(object, &problem->spec, result);
}

gannet_err gannet_record_result(const gannet_problem *problem, const gannet_result_record *result,
                                char **text) {
  return to_text(result_object(problem, result), text);
}

gannet_err gannet_record_import(const gannet_problem *problem, const gannet_import *import,
                                int64_t first, int64_t batch, int n, const double *x,
                                const gannet_result_record *results, char **text) {
  const int v = problem->spec.n_variables;
  json_t *points = json_array(), *told = json_array();
  char from[PATH_MAX]; /* a path need not be UTF-8 */
  (void)snprintf(from, sizeof from, "%s", import->from);
  gannet_utf8_mend(from);
  for (int i = 0; i < n; ++i) {
    json_t *one = add_outcome(json_object(), &problem->spec, &results[i]);
    if (results[i].run.reason[0])
      one = set_member(one, "reason", mended_text(results[i].run.reason));
    points = add_item(points, json_of_numbers(v, x + (ptrdiff_t)i * v));
    told = add_item(told, one);
  }
  return to_text(
      json_pack("{ss ss so sI sI sI sI so so}", "record", "import", "from", from, "digest",
                bits_text(import->digest), "refused", (json_int_t)import->n_refused, "imported",
                (json_int_t)import->n_imported, "batch", (json_int_t)batch, "first",
                (json_int_t)first, "x", points, "results", told),
      text);
}

gannet_err gannet_record_related(const gannet_problem *problem, const gannet_import *import,
                                 char **text) {
  const int v = problem->spec.n_variables, k = problem->spec.n_constraints;
  json_t *points = json_array();
  char from[PATH_MAX];
  (void)snprintf(from, sizeof from, "%s", import->from);
  gannet_utf8_mend(from);
  for (int i = 0; i < import->related.n; ++i)
    points = add_item(points, json_of_numbers(v, import->related.x + (ptrdiff_t)i * v));
  json_t *object =
      json_pack("{ss ss so sI so so}", "record", "related", "from", from, "digest",
                bits_text(import->digest), "refused", (json_int_t)import->n_refused, "x", points,
                "objective", json_of_numbers(import->related.n, import->related.objective));
  if (import->related.constraints) {
    json_t *constraints = json_array();
    for (int i = 0; i < import->related.n; ++i)
      constraints =
          add_item(constraints, json_of_numbers(k, import->related.constraints + (ptrdiff_t)i * k));
    object = set_member(object, "constraints", constraints);
  }
  return to_text(object, text);
}

static json_t *set_note(json_t *object, const gannet_correction_note *note) {
  object = set_member(object, "when", json_real(note->when));
  object = set_member(object, "who", mended_text(note->who));
  object = set_member(object, "why", mended_text(note->why));
  return set_member(object, "key", bits_text(note->key));
}

gannet_err gannet_record_correct(const gannet_problem *problem,
                                 const gannet_correction_order *order, char **text) {
  json_t *list = json_array();
  for (int i = 0; i < order->n; ++i) list = add_item(list, json_integer(order->ids[i]));
  json_t *object =
      json_pack("{ss ss sb so}", "record", "correct", "what", record_corrections[order->kind],
                "undo", (int)order->undo, "ids", list);
  object = set_note(object, &order->note);
  if (order->kind == GANNET_CORRECTION_VALUES && !order->undo)
    object = set_member(object, "result", result_object(problem, order->result));
  return to_text(object, text);
}

static json_t *before_object(const gannet_problem *problem, const gannet_result_record *result) {
  return result->status == GANNET_EVAL_PENDING ? run_object(&result->run)
                                               : result_object(problem, result);
}

gannet_err gannet_record_before(const gannet_problem *problem, const gannet_result_record *result,
                                char **text) {
  return to_text(before_object(problem, result), text);
}

gannet_err gannet_record_correction(const gannet_problem *problem, const gannet_correction *made,
                                    char **text) {
  json_t *object =
      json_pack("{ss ss s[I] sb}", "record", "correct", "what", record_corrections[made->kind],
                "ids", (json_int_t)made->id, "told", (int)made->was_told);
  object = set_note(object, &made->note);
  object = set_member(object, "before", before_object(problem, &made->before));
  if (isfinite(made->undo.when))
    object = set_member(object, "undone", set_note(json_object(), &made->undo));
  return to_text(object, text);
}

gannet_err gannet_record_change(const gannet_revision *revision, const char *before,
                                const char *after, char **text) {
  json_t *items = json_array();
  for (int i = 0; i < revision->list.n; ++i) {
    const gannet_change_item *item = &revision->list.item[i];
    items = add_item(items, json_pack("[s s? s?]", item->key, item->before, item->now));
  }
  json_t *object = json_pack("{ss sf so so so}", "record", "change", "when", revision->when, "who",
                             mended_text(revision->who), "items", items, "fingerprint",
                             bits_text(revision->fingerprint));
  if (before) object = set_member(object, "before", json_string(before));
  if (after) object = set_member(object, "after", json_string(after));
  return to_text(object, text);
}

gannet_err gannet_record_tell(int n, const int64_t *ids, char **text) {
  json_t *list = json_array();
  for (int i = 0; i < n; ++i) list = add_item(list, json_integer(ids[i]));
  return to_text(json_pack("{ss so}", "record", "tell", "ids", list), text);
}

gannet_err gannet_record_stop(const char *reason, char **text) {
  return to_text(json_pack("{ss so}", "record", "stop", "reason", mended_text(reason)), text);
}
