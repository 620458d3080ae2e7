#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/run/record_words.h"
#include "problem/outputs.h"

static int position_in(const char *const *words, const char *word) {
  for (int i = 0; word && words[i]; ++i)
    if (strcmp(word, words[i]) == 0) return i;
  return -1;
}

/* Read a number. One that is not finite is a text. A missing number is never taken for zero. */
static gannet_err read_number(const json_t *value, const char *what, double *number) {
  const char *text = json_string_value(value);
  char *end = NULL;
  if (json_is_number(value)) {
    *number = json_number_value(value);
    return GANNET_OK;
  }
  if (text) *number = strtod(text, &end);
  GANNET_REQUIRE(text && end != text && !*end, GANNET_ERR_DAMAGED, "%s is not a number", what);
  return GANNET_OK;
}

static gannet_err read_numbers(const json_t *array, const char *what, size_t n, double *values) {
  GANNET_REQUIRE(json_is_array(array) && json_array_size(array) == n, GANNET_ERR_DAMAGED,
                 "%s: %zu numbers, expected %zu", what, json_array_size(array), n);
  for (size_t i = 0; i < n; ++i)
    GANNET_TRY(read_number(json_array_get(array, i), what, &values[i]));
  return GANNET_OK;
}

static gannet_err read_whole(const json_t *value, const char *what, int64_t *whole) {
  GANNET_REQUIRE(json_is_integer(value), GANNET_ERR_DAMAGED, "%s is not a whole number", what);
  *whole = json_integer_value(value);
  return GANNET_OK;
}

static gannet_err read_int(const json_t *value, const char *what, int *number) {
  int64_t whole = 0;
  GANNET_TRY(read_whole(value, what, &whole));
  GANNET_REQUIRE(INT_MIN <= whole && whole <= INT_MAX, GANNET_ERR_DAMAGED, "%s is out of range",
                 what);
  *number = (int)whole;
  return GANNET_OK;
}

/* Sixty-four bits as hexadecimal digits. */
static gannet_err read_bits(const json_t *value, const char *what, uint64_t *bits) {
  const char *text = json_string_value(value);
  char *end = NULL;
  if (text) *bits = strtoull(text, &end, 16);
  GANNET_REQUIRE(text && end == text + 16 && !*end, GANNET_ERR_DAMAGED, "%s is not 16 digits",
                 what);
  return GANNET_OK;
}

static gannet_err read_campaign(const json_t *object, gannet_record *record) {
  const char *name = json_string_value(json_object_get(object, "name"));
  int64_t seed = 0;
  GANNET_REQUIRE(name, GANNET_ERR_DAMAGED, "the name is missing");
  GANNET_TRY(
      read_bits(json_object_get(object, "fingerprint"), "fingerprint", &record->fingerprint));
  GANNET_TRY(read_whole(json_object_get(object, "seed"), "seed", &seed));
  record->seed = (uint64_t)seed;
  return gannet_copy_text(name, &record->name);
}

/* Numbers that are not finite are texts, too. */
static gannet_err read_state_value(const char *name, const json_t *json, gannet_state *state) {
  const char *text = json_string_value(json);
  double value = NAN;
  if (json_is_null(json)) return gannet_state_put(state, "", name, GANNET_STATE_ABSENT, NAN);
  if (json_is_integer(json))
    return gannet_state_put(state, "", name, GANNET_STATE_WHOLE, (double)json_integer_value(json));
  if (text && strcmp(text, "nan") != 0 && strcmp(text, "-nan") != 0 && strcmp(text, "inf") != 0 &&
      strcmp(text, "-inf") != 0)
    return gannet_state_put_text(state, "", name, text);
  GANNET_TRY(read_number(json, name, &value));
  return gannet_state_put(state, "", name, GANNET_STATE_REAL, value);
}

/* Values of an object and of those within it, whose names follow on its own: "gp-ei/" and
 * "gp-ei/objective.". */
static gannet_err read_state_values(json_t *object, const char *part, int depth,
                                    gannet_state *state) {
  char name[GANNET_STATE_NAME];
  const char *key;
  json_t *value;
  json_object_foreach(object, key, value) {
    const bool inner = json_is_object(value) && depth < 2;
    const char *end = !inner ? "" : depth == 0 ? "/" : ".";
    GANNET_REQUIRE(snprintf(name, sizeof name, "%s%s%s", part, key, end) < (int)sizeof name,
                   GANNET_ERR_DAMAGED, "the name '%.60s' in a state is too long", key);
    GANNET_TRY(inner ? read_state_values(value, name, depth + 1, state)
                     : read_state_value(name, value, state));
  }
  return GANNET_OK;
}

/* All of the optimiser's state or what changed of it; version 0.1.0 wrote an array. */
static gannet_err read_state(const json_t *object, gannet_record *record) {
  json_t *whole = json_object_get(object, "state"), *changes = json_object_get(object, "changes");
  if (json_is_array(whole)) {
    record->stated = GANNET_STATED_POSITIONAL;
    record->n_positional = (int)json_array_size(whole);
    GANNET_TRY(gannet_alloc((size_t)record->n_positional, sizeof *record->positional,
                            &record->positional));
    return read_numbers(whole, "state", (size_t)record->n_positional, record->positional);
  }
  record->stated = whole     ? GANNET_STATED_WHOLE
                   : changes ? GANNET_STATED_CHANGES
                             : GANNET_STATED_NOTHING;
  return read_state_values(whole ? whole : changes, "", 0, &record->state);
}

static gannet_err read_propose(const gannet_problem *problem, const json_t *object,
                               gannet_record *record) {
  const json_t *points = json_object_get(object, "x");
  const size_t n = json_array_size(points), v = (size_t)problem->spec.n_variables;
  const int origin =
      position_in(record_origins, json_string_value(json_object_get(object, "origin")));
  GANNET_REQUIRE(n > 0 && origin >= 0, GANNET_ERR_DAMAGED, "no points or no origin");
  record->n = (int)n;
  record->origin = (gannet_origin)origin;
  const json_t *start = json_object_get(object, "start"); /* where the batch begins with some */
  if (start) GANNET_TRY(read_int(start, "start", &record->n_start));
  GANNET_TRY(read_whole(json_object_get(object, "batch"), "batch", &record->batch));
  GANNET_TRY(read_whole(json_object_get(object, "first"), "first", &record->first));
  GANNET_TRY(gannet_alloc(n * v, sizeof *record->x, &record->x));
  for (size_t i = 0; i < n; ++i)
    GANNET_TRY(read_numbers(json_array_get(points, i), "x", v, record->x + i * v));
  const json_t *seconds = json_object_get(object, "seconds"); /* older journals have none */
  record->seconds = NAN;
  if (seconds) GANNET_TRY(read_number(seconds, "seconds", &record->seconds));
  const json_t *starts = json_object_get(object, "start_from");
  if (starts) {
    GANNET_REQUIRE(json_array_size(starts) == n, GANNET_ERR_DAMAGED,
                   "start_from: %zu numbers, expected %zu", json_array_size(starts), n);
    GANNET_TRY(gannet_alloc(n, sizeof *record->start_from, &record->start_from));
    for (size_t i = 0; i < n; ++i)
      GANNET_TRY(read_whole(json_array_get(starts, i), "start_from", &record->start_from[i]));
  }
  json_t *learned = json_object_get(object, "learned");
  record->is_rewritten = learned != NULL;
  GANNET_TRY(read_state_values(learned, "", 0, &record->learned));
  return read_state(object, record);
}

static gannet_err read_submit(const json_t *object, gannet_record *record) {
  const json_t *runs = json_object_get(object, "runs");
  const size_t n = json_array_size(runs);
  record->n = (int)n;
  GANNET_TRY(gannet_alloc(n, sizeof *record->id, &record->id));
  GANNET_TRY(gannet_alloc(n, sizeof *record->attempt, &record->attempt));
  GANNET_TRY(gannet_alloc(n, sizeof *record->nonce, &record->nonce));
  for (size_t i = 0; i < n; ++i) {
    const json_t *run = json_array_get(runs, i);
    GANNET_TRY(read_whole(json_array_get(run, 0), "id", &record->id[i]));
    GANNET_TRY(read_int(json_array_get(run, 1), "attempt", &record->attempt[i]));
    GANNET_TRY(read_bits(json_array_get(run, 2), "nonce", &record->nonce[i]));
  }
  return GANNET_OK;
}

/* Texts may be missing, as may failure, which older journals of version 0.1 do not have. */
static gannet_err read_run(const json_t *object, gannet_run_record *run) {
  for (const gannet_struct_field *field = record_run_fields; field->name; ++field) {
    const json_t *value = json_object_get(object, field->name);
    const char *text = json_string_value(value);
    double real = 0;
    int whole = 0;
    if (record_is_failure(field)) {
      whole = GANNET_FAILURE_COUNT - 1;
      while (whole > 0 && (!text || strcmp(text, gannet_failure_text((gannet_failure)whole)) != 0))
        --whole;
      run->failure = (gannet_failure)whole;
    } else if (gannet_struct_field_is_real(field)) {
      GANNET_TRY(read_number(value, field->name, &real));
      GANNET_TRY(gannet_struct_field_set_real(field, real, run));
    } else if (field->type == GANNET_STRUCT_TEXT) {
      gannet_struct_field_set_text(field, text ? text : "", run);
    } else if (field->type == GANNET_STRUCT_TRUTH) {
      GANNET_TRY(gannet_struct_field_set_whole(field, json_is_true(value), run));
    } else {
      GANNET_TRY(read_int(value, field->name, &whole));
      GANNET_TRY(gannet_struct_field_set_whole(field, whole, run));
    }
  }
  return GANNET_OK;
}

/* gradient  scratch  [n_variables] */
static gannet_err read_reported_value(int n_variables, const char *name, const json_t *value,
                                      double *gradient, gannet_quantities *list) {
  gannet_quantity quantity = {.name = name};
  const json_t *sd = json_object_get(value, "sd"), *slopes = json_object_get(value, "gradient");
  const bool is_object = json_is_object(value);
  GANNET_TRY(
      read_number(is_object ? json_object_get(value, "value") : value, name, &quantity.value));
  if (sd) GANNET_TRY(read_number(sd, "sd", &quantity.sd));
  if (slopes) GANNET_TRY(read_numbers(slopes, "gradient", (size_t)n_variables, gradient));
  if (slopes) quantity.gradient = gradient;
  return gannet_quantities_set(list, n_variables, &quantity);
}

static gannet_err read_reported(int n_variables, json_t *object, gannet_quantities *list) {
  const char *name = NULL;
  json_t *value = NULL;
  double *gradient = NULL;
  gannet_err err = gannet_alloc((size_t)n_variables, sizeof *gradient, &gradient);
  json_object_foreach(object, name, value) if (err == GANNET_OK) err =
      read_reported_value(n_variables, name, value, gradient, list);
  gannet_free(&gradient);
  return err;
}

/* result  inout  its constraints point at [n_constraints] */
static gannet_err read_outcome(const gannet_problem *problem, const json_t *object,
                               gannet_result_record *result) {
  const char *word = json_string_value(json_object_get(object, "status"));
  gannet_eval_status status = GANNET_EVAL_PENDING;
  GANNET_REQUIRE(word && gannet_eval_status_find(word, &status) && status != GANNET_EVAL_PENDING,
                 GANNET_ERR_DAMAGED, "a result without a known status");
  result->status = status;
  result->objective = NAN;
  GANNET_TRY(read_reported(problem->spec.n_variables, json_object_get(object, "reported"),
                           &result->reported));
  if (result->status != GANNET_EVAL_DONE) return GANNET_OK;
  GANNET_TRY(read_number(json_object_get(object, "objective"), "objective", &result->objective));
  return read_numbers(json_object_get(object, "constraints"), "constraints",
                      (size_t)problem->spec.n_constraints, result->constraints);
}

static gannet_err read_result(const gannet_problem *problem, const json_t *object,
                              gannet_record *record) {
  gannet_result_record *result = &record->result;
  GANNET_TRY(read_whole(json_object_get(object, "id"), "id", &result->id));
  result->retry = !json_is_true(json_object_get(object, "final"));
  GANNET_TRY(
      gannet_alloc((size_t)problem->spec.n_constraints, sizeof *record->values, &record->values));
  result->constraints = record->values;
  GANNET_TRY(read_outcome(problem, object, result));
  return read_run(json_object_get(object, "run"), &result->run);
}

static gannet_err read_import(const gannet_problem *problem, const json_t *object,
                              gannet_record *record) {
  const json_t *points = json_object_get(object, "x"), *told = json_object_get(object, "results");
  const char *from = json_string_value(json_object_get(object, "from"));
  const size_t n = json_array_size(points), v = (size_t)problem->spec.n_variables;
  const size_t k = (size_t)problem->spec.n_constraints;
  gannet_import *import = &record->import;
  GANNET_REQUIRE(from && json_array_size(told) == n, GANNET_ERR_DAMAGED,
                 "no file, or not as many results as points");
  GANNET_TRY(gannet_copy_text(from, &import->from));
  GANNET_TRY(read_bits(json_object_get(object, "digest"), "digest", &import->digest));
  GANNET_TRY(read_whole(json_object_get(object, "refused"), "refused", &import->n_refused));
  GANNET_TRY(read_whole(json_object_get(object, "imported"), "imported", &import->n_imported));
  GANNET_TRY(read_whole(json_object_get(object, "batch"), "batch", &record->batch));
  GANNET_TRY(read_whole(json_object_get(object, "first"), "first", &record->first));
  GANNET_TRY(gannet_alloc(n * v, sizeof *record->x, &record->x));
  GANNET_TRY(gannet_alloc(n * k, sizeof *record->values, &record->values));
  GANNET_TRY(gannet_alloc(n, sizeof *record->told, &record->told));
  record->n = (int)n;
  for (size_t i = 0; i < n; ++i) {
    gannet_result_record *result = &record->told[i];
    const json_t *one = json_array_get(told, i);
    const char *reason = json_string_value(json_object_get(one, "reason"));
    GANNET_TRY(read_numbers(json_array_get(points, i), "x", v, record->x + i * v));
    result->constraints = record->values + i * k;
    result->run = gannet_run_unknown();
    GANNET_TRY(read_outcome(problem, one, result));
    for (size_t c = 0; c <= k && result->status == GANNET_EVAL_DONE; ++c)
      GANNET_REQUIRE(!isinf(c < k ? result->constraints[c] : result->objective), GANNET_ERR_DAMAGED,
                     "imported result %zu is not finite", i);
    if (result->status != GANNET_EVAL_DONE) result->run.failure = GANNET_FAILURE_WORD;
    (void)snprintf(result->run.reason, sizeof result->run.reason, "%s", reason ? reason : "");
  }
  return GANNET_OK;
}

static gannet_err read_related(const gannet_problem *problem, const json_t *object,
                               gannet_record *record) {
  const json_t *points = json_object_get(object, "x");
  const char *from = json_string_value(json_object_get(object, "from"));
  const json_t *constraints = json_object_get(object, "constraints");
  const size_t n = json_array_size(points), v = (size_t)problem->spec.n_variables;
  const size_t k = (size_t)problem->spec.n_constraints;
  gannet_import *import = &record->import;
  GANNET_REQUIRE(from, GANNET_ERR_DAMAGED, "no file");
  GANNET_TRY(gannet_copy_text(from, &import->from));
  GANNET_TRY(read_bits(json_object_get(object, "digest"), "digest", &import->digest));
  GANNET_TRY(read_whole(json_object_get(object, "refused"), "refused", &import->n_refused));
  GANNET_TRY(gannet_alloc(n * v, sizeof *import->related.x, &import->related.x));
  GANNET_TRY(gannet_alloc(n, sizeof *import->related.objective, &import->related.objective));
  import->is_related = true;
  import->related.n = (int)n;
  import->n_imported = (int64_t)n;
  GANNET_TRY(read_numbers(json_object_get(object, "objective"), "objective", n,
                          import->related.objective));
  for (size_t i = 0; i < n; ++i)
    GANNET_TRY(read_numbers(json_array_get(points, i), "x", v, import->related.x + i * v));
  if (!constraints) return GANNET_OK;
  GANNET_TRY(
      gannet_alloc(n * k, sizeof *import->related.constraints, &import->related.constraints));
  for (size_t i = 0; i < n; ++i)
    GANNET_TRY(read_numbers(json_array_get(constraints, i), "constraints", k,
                            import->related.constraints + i * k));
  return GANNET_OK;
}

static gannet_err read_tell(const json_t *object, gannet_record *record) {
  const json_t *ids = json_object_get(object, "ids");
  const size_t n = json_array_size(ids);
  record->n = (int)n;
  GANNET_TRY(gannet_alloc(n, sizeof *record->id, &record->id));
  for (size_t i = 0; i < n; ++i)
    GANNET_TRY(read_whole(json_array_get(ids, i), "id", &record->id[i]));
  return GANNET_OK;
}

static gannet_err read_stop(const json_t *object, gannet_record *record) {
  const char *reason = json_string_value(json_object_get(object, "reason"));
  GANNET_REQUIRE(reason, GANNET_ERR_DAMAGED, "a stop without a reason");
  return gannet_copy_text(reason, &record->reason);
}

static gannet_err read_note(const json_t *object, gannet_correction_note *note) {
  const char *who = json_string_value(json_object_get(object, "who"));
  const char *why = json_string_value(json_object_get(object, "why"));
  (void)snprintf(note->who, sizeof note->who, "%s", who ? who : "");
  (void)snprintf(note->why, sizeof note->why, "%s", why ? why : "");
  GANNET_TRY(read_number(json_object_get(object, "when"), "when", &note->when));
  return read_bits(json_object_get(object, "key"), "key", &note->key);
}

/* A result, or the run of an evaluation that has none. */
static gannet_err read_before(const gannet_problem *problem, const json_t *object,
                              gannet_record *record) {
  if (json_object_get(object, "status")) return read_result(problem, object, record);
  GANNET_TRY(
      gannet_alloc((size_t)problem->spec.n_constraints, sizeof *record->values, &record->values));
  record->result.constraints = record->values;
  gannet_result_clear(problem->spec.n_constraints, &record->result);
  record->result.status = GANNET_EVAL_PENDING;
  return read_run(object, &record->result.run);
}

gannet_err gannet_record_parse_before(const gannet_problem *problem, const char *text,
                                      gannet_record *record) {
  json_t *object = json_loads(text, 0, NULL);
  GANNET_REQUIRE(object, GANNET_ERR_DAMAGED, "the result before a correction is no JSON");
  const gannet_err err = read_before(problem, object, record);
  json_decref(object);
  return err;
}

static gannet_err read_correct(const gannet_problem *problem, const json_t *object,
                               gannet_record *record) {
  gannet_correction *made = &record->correction;
  const json_t *before = json_object_get(object, "before");
  const json_t *undone = json_object_get(object, "undone");
  const int kind =
      position_in(record_corrections, json_string_value(json_object_get(object, "what")));
  GANNET_REQUIRE(kind >= 0, GANNET_ERR_DAMAGED, "an unknown kind of correction");
  made->kind = (gannet_correction_kind)kind;
  made->undo.when = NAN;
  record->undo = json_is_true(json_object_get(object, "undo"));
  GANNET_TRY(read_tell(object, record));
  GANNET_TRY(read_note(object, &made->note));
  if (undone) GANNET_TRY(read_note(undone, &made->undo));
  record->is_made = before != NULL;
  if (before) {
    made->was_told = json_is_true(json_object_get(object, "told"));
    GANNET_TRY(read_before(problem, before, record));
    made->had_result = record->result.status != GANNET_EVAL_PENDING;
    return GANNET_OK;
  }
  const json_t *result = json_object_get(object, "result");
  return result ? read_result(problem, result, record) : GANNET_OK;
}

static gannet_err copy_member(const json_t *object, const char *key, char **text) {
  const char *value = json_string_value(json_object_get(object, key));
  return value ? gannet_copy_text(value, text) : GANNET_OK;
}

static gannet_err read_change(const json_t *object, gannet_record *record) {
  gannet_revision *revision = &record->revision;
  const char *who = json_string_value(json_object_get(object, "who"));
  const json_t *items = json_object_get(object, "items");
  GANNET_REQUIRE(json_is_array(items), GANNET_ERR_DAMAGED, "it does not say what was changed");
  GANNET_TRY(read_number(json_object_get(object, "when"), "when", &revision->when));
  GANNET_TRY(
      read_bits(json_object_get(object, "fingerprint"), "fingerprint", &revision->fingerprint));
  (void)snprintf(revision->who, sizeof revision->who, "%s", who ? who : "");
  for (size_t i = 0; i < json_array_size(items); ++i) {
    const json_t *item = json_array_get(items, i);
    const char *key = json_string_value(json_array_get(item, 0));
    GANNET_REQUIRE(key, GANNET_ERR_DAMAGED, "change %zu has no key", i);
    GANNET_TRY(gannet_change_list_add(&revision->list, key,
                                      json_string_value(json_array_get(item, 1)),
                                      json_string_value(json_array_get(item, 2))));
  }
  GANNET_TRY(copy_member(object, "before", &record->before));
  return copy_member(object, "after", &record->after);
}

gannet_err gannet_record_find_problem(const char *payload, size_t length, bool is_after,
                                      char **description) {
  static const char begin[] = "{\"record\":\"change\"";
  *description = NULL;
  if (length < sizeof begin || memcmp(payload, begin, sizeof begin - 1) != 0) return GANNET_OK;
  json_t *object = json_loadb(payload, length, 0, NULL);
  const gannet_err err = copy_member(object, is_after ? "after" : "before", description);
  json_decref(object);
  return err;
}

gannet_err gannet_record_find_owner(const char *payload, size_t length, uint64_t *seed,
                                    char **name) {
  gannet_record record = {0};
  json_t *object = json_loadb(payload, length, 0, NULL);
  const gannet_err err = read_campaign(object, &record);
  json_decref(object);
  *seed = record.seed;
  *name = record.name;
  return err;
}

gannet_err gannet_record_find_fingerprint(const char *payload, size_t length,
                                          uint64_t *fingerprint) {
  json_t *object = json_loadb(payload, length, 0, NULL);
  const gannet_err err =
      read_bits(json_object_get(object, "fingerprint"), "fingerprint", fingerprint);
  json_decref(object);
  return err;
}

static gannet_err read_object(const gannet_problem *problem, const json_t *object,
                              gannet_record *record) {
  const char *word = json_string_value(json_object_get(object, "record"));
  const int kind = position_in(record_kinds, word);
  GANNET_REQUIRE(kind >= 0, GANNET_ERR_DAMAGED, "unknown kind of record '%s'", word ? word : "");
  record->kind = (gannet_record_kind)kind;
  switch (record->kind) {
    case GANNET_RECORD_CAMPAIGN:
      return read_campaign(object, record);
    case GANNET_RECORD_PROPOSE:
      return read_propose(problem, object, record);
    case GANNET_RECORD_SUBMIT:
      return read_submit(object, record);
    case GANNET_RECORD_RESULT:
      return read_result(problem, object, record);
    case GANNET_RECORD_STATE:
      return read_state(object, record);
    case GANNET_RECORD_STOP:
      return read_stop(object, record);
    case GANNET_RECORD_IMPORT:
      return read_import(problem, object, record);
    case GANNET_RECORD_CORRECT:
      return read_correct(problem, object, record);
    case GANNET_RECORD_CHANGE:
      return read_change(object, record);
    case GANNET_RECORD_RELATED:
      return read_related(problem, object, record);
    default:
      return read_tell(object, record);
  }
}

gannet_err gannet_record_parse(const gannet_problem *problem, const char *payload, size_t length,
                               gannet_record *record) {
  json_error_t error;
  json_t *object = json_loadb(payload, length, 0, &error);
  GANNET_REQUIRE(object, GANNET_ERR_DAMAGED, "not JSON: %s", error.text);
  const gannet_err err = read_object(problem, object, record);
  json_decref(object);
  return err;
}

void gannet_import_release(gannet_import *import) {
  gannet_free(&import->from);
  gannet_related_rows_release(&import->related);
}

void gannet_record_release(gannet_record *record) {
  gannet_free(&record->name);
  gannet_free(&record->x);
  gannet_state_release(&record->state);
  gannet_state_release(&record->learned);
  gannet_free(&record->positional);
  gannet_free(&record->start_from);
  gannet_free(&record->id);
  gannet_free(&record->attempt);
  gannet_free(&record->nonce);
  gannet_free(&record->values);
  gannet_free(&record->reason);
  gannet_quantities_release(&record->result.reported);
  gannet_import_release(&record->import);
  if (record->told) gannet_results_release(record->n, record->told);
  gannet_free(&record->told);
  gannet_change_list_release(&record->revision.list);
  gannet_free(&record->before);
  gannet_free(&record->after);
}
