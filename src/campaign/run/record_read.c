#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/run/record.h"

static const char *const kinds[] = {"campaign", "propose", "submit", "result",
                                    "tell",     "state",   NULL};
static const char *const origins[] = {"initial", "method", "user", NULL};

static int position(const char *word, const char *const *words) {
  for (int i = 0; word && words[i]; ++i)
    if (strcmp(word, words[i]) == 0) return i;
  return -1;
}

/* What is not finite travels as a text. A missing number is never taken for zero. */
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
static gannet_err read_value(const char *name, const json_t *json, gannet_state *state) {
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
static gannet_err read_values(json_t *object, const char *part, int depth, gannet_state *state) {
  char name[GANNET_STATE_NAME];
  const char *key;
  json_t *value;
  json_object_foreach(object, key, value) {
    const bool inner = json_is_object(value) && depth < 2;
    const char *end = !inner ? "" : depth == 0 ? "/" : ".";
    GANNET_REQUIRE(snprintf(name, sizeof name, "%s%s%s", part, key, end) < (int)sizeof name,
                   GANNET_ERR_DAMAGED, "the name '%.60s' in a state is too long", key);
    GANNET_TRY(inner ? read_values(value, name, depth + 1, state) : read_value(name, value, state));
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
  return read_values(whole ? whole : changes, "", 0, &record->state);
}

static gannet_err read_propose(const gannet_problem *problem, const json_t *object,
                               gannet_record *record) {
  const json_t *points = json_object_get(object, "x");
  const size_t n = json_array_size(points), v = (size_t)problem->spec.n_variables;
  const int origin = position(json_string_value(json_object_get(object, "origin")), origins);
  GANNET_REQUIRE(n > 0 && origin >= 0, GANNET_ERR_DAMAGED, "no points or no origin");
  record->n = (int)n;
  record->origin = (gannet_origin)origin;
  GANNET_TRY(read_whole(json_object_get(object, "batch"), "batch", &record->batch));
  GANNET_TRY(read_whole(json_object_get(object, "first"), "first", &record->first));
  GANNET_TRY(gannet_alloc(n * v, sizeof *record->x, &record->x));
  for (size_t i = 0; i < n; ++i)
    GANNET_TRY(read_numbers(json_array_get(points, i), "x", v, record->x + i * v));
  const json_t *seconds = json_object_get(object, "seconds"); /* older journals have none */
  record->seconds = NAN;
  if (seconds) GANNET_TRY(read_number(seconds, "seconds", &record->seconds));
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

static void read_text(const json_t *object, const char *key, char *text, size_t size) {
  const char *value = json_string_value(json_object_get(object, key));
  (void)snprintf(text, size, "%s", value ? value : "");
}

/* Journals of gannet 0.1 before this member existed have none. */
static gannet_failure failure_of(const char *word) {
  for (int i = 0; word && i < GANNET_FAILURE_COUNT; ++i)
    if (strcmp(word, gannet_failure_text((gannet_failure)i)) == 0) return (gannet_failure)i;
  return GANNET_FAILURE_NONE;
}

static gannet_err read_run(const json_t *object, gannet_run_record *run) {
  GANNET_TRY(read_number(json_object_get(object, "submitted"), "submitted", &run->submitted));
  GANNET_TRY(read_number(json_object_get(object, "started"), "started", &run->started));
  GANNET_TRY(read_number(json_object_get(object, "ended"), "ended", &run->ended));
  GANNET_TRY(read_int(json_object_get(object, "attempts"), "attempts", &run->attempts));
  GANNET_TRY(read_int(json_object_get(object, "exit"), "exit", &run->exit_code));
  GANNET_TRY(read_int(json_object_get(object, "signal"), "signal", &run->signal));
  GANNET_TRY(read_int(json_object_get(object, "slot"), "slot", &run->slot));
  read_text(object, "host", run->host, sizeof run->host);
  read_text(object, "job", run->job, sizeof run->job);
  read_text(object, "reason", run->reason, sizeof run->reason);
  run->failure = failure_of(json_string_value(json_object_get(object, "failure")));
  run->crashed = json_is_true(json_object_get(object, "crashed"));
  return GANNET_OK;
}

static gannet_err read_result(const gannet_problem *problem, const json_t *object,
                              gannet_record *record) {
  gannet_ended *ended = &record->ended;
  const char *word = json_string_value(json_object_get(object, "status"));
  gannet_eval_status status = GANNET_EVAL_PENDING;
  const size_t k = (size_t)problem->spec.n_constraints;
  GANNET_REQUIRE(word && gannet_eval_status_find(word, &status) && status != GANNET_EVAL_PENDING,
                 GANNET_ERR_DAMAGED, "a result without a known status");
  GANNET_TRY(read_whole(json_object_get(object, "id"), "id", &ended->id));
  ended->final = json_is_true(json_object_get(object, "final"));
  ended->status = status;
  ended->objective = NAN;
  GANNET_TRY(read_run(json_object_get(object, "run"), &ended->run));
  GANNET_TRY(gannet_alloc(k, sizeof *record->values, &record->values));
  ended->constraints = record->values;
  if (ended->status != GANNET_EVAL_DONE) return GANNET_OK;
  GANNET_TRY(read_number(json_object_get(object, "objective"), "objective", &ended->objective));
  return read_numbers(json_object_get(object, "constraints"), "constraints", k, record->values);
}

static gannet_err read_tell(const json_t *object, gannet_record *record) {
  const json_t *ids = json_object_get(object, "ids");
  record->n = (int)json_array_size(ids);
  GANNET_TRY(gannet_alloc((size_t)record->n, sizeof *record->id, &record->id));
  for (int i = 0; i < record->n; ++i)
    GANNET_TRY(read_whole(json_array_get(ids, (size_t)i), "id", &record->id[i]));
  return GANNET_OK;
}

static gannet_err read_object(const gannet_problem *problem, const json_t *object,
                              gannet_record *record) {
  const char *word = json_string_value(json_object_get(object, "record"));
  const int kind = position(word, kinds);
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

void gannet_record_release(gannet_record *record) {
  gannet_free(&record->name);
  gannet_free(&record->x);
  gannet_state_release(&record->state);
  gannet_free(&record->positional);
  gannet_free(&record->id);
  gannet_free(&record->attempt);
  gannet_free(&record->nonce);
  gannet_free(&record->values);
}
