#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/record.h"

static const char *const kinds[] = {"campaign", "propose", "submit", "result", "tell", NULL};
static const char *const origins[] = {"initial", "method", "user", NULL};

static int position(const char *word, const char *const *words) {
  for (int i = 0; word && words[i]; ++i)
    if (strcmp(word, words[i]) == 0) return i;
  return -1;
}

static double number(const json_t *value) {
  return json_is_string(value) ? strtod(json_string_value(value), NULL) : json_number_value(value);
}

static gannet_err read_numbers(const json_t *array, size_t n, double *values) {
  GANNET_REQUIRE(json_array_size(array) == n, GANNET_ERR_DAMAGED, "%zu numbers, expected %zu",
                 json_array_size(array), n);
  for (size_t i = 0; i < n; ++i) values[i] = number(json_array_get(array, i));
  return GANNET_OK;
}

static gannet_err read_campaign(const json_t *object, gannet_record *record) {
  const char *name = json_string_value(json_object_get(object, "name"));
  const char *fingerprint = json_string_value(json_object_get(object, "fingerprint"));
  GANNET_REQUIRE(name && fingerprint, GANNET_ERR_DAMAGED, "name or fingerprint is missing");
  record->fingerprint = strtoull(fingerprint, NULL, 16);
  return gannet_copy_text(name, &record->name);
}

static gannet_err read_propose(const gannet_problem *problem, const json_t *object,
                               gannet_record *record) {
  const json_t *points = json_object_get(object, "x"), *state = json_object_get(object, "state");
  const size_t n = json_array_size(points), v = (size_t)problem->spec.n_variables;
  const int origin = position(json_string_value(json_object_get(object, "origin")), origins);
  GANNET_REQUIRE(n > 0 && origin >= 0, GANNET_ERR_DAMAGED, "no points or no origin");
  record->n = (int)n;
  record->origin = (gannet_origin)origin;
  record->batch = json_integer_value(json_object_get(object, "batch"));
  record->first = json_integer_value(json_object_get(object, "first"));
  GANNET_TRY(gannet_alloc(n * v, sizeof *record->x, &record->x));
  for (size_t i = 0; i < n; ++i)
    GANNET_TRY(read_numbers(json_array_get(points, i), v, record->x + i * v));
  record->n_state = (int)json_array_size(state);
  GANNET_TRY(gannet_alloc((size_t)record->n_state, sizeof *record->state, &record->state));
  return read_numbers(state, (size_t)record->n_state, record->state);
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
    const char *nonce = json_string_value(json_array_get(run, 2));
    GANNET_REQUIRE(nonce, GANNET_ERR_DAMAGED, "an attempt without a nonce");
    record->id[i] = json_integer_value(json_array_get(run, 0));
    record->attempt[i] = (int)json_integer_value(json_array_get(run, 1));
    record->nonce[i] = strtoull(nonce, NULL, 16);
  }
  return GANNET_OK;
}

static void read_text(const json_t *object, const char *key, char *text, size_t size) {
  const char *value = json_string_value(json_object_get(object, key));
  (void)snprintf(text, size, "%s", value ? value : "");
}

static void read_run(const json_t *object, gannet_run_record *run) {
  run->submitted = number(json_object_get(object, "submitted"));
  run->started = number(json_object_get(object, "started"));
  run->ended = number(json_object_get(object, "ended"));
  run->attempts = (int)json_integer_value(json_object_get(object, "attempts"));
  run->exit_code = (int)json_integer_value(json_object_get(object, "exit"));
  run->signal = (int)json_integer_value(json_object_get(object, "signal"));
  run->slot = (int)json_integer_value(json_object_get(object, "slot"));
  read_text(object, "host", run->host, sizeof run->host);
  read_text(object, "job", run->job, sizeof run->job);
  read_text(object, "reason", run->reason, sizeof run->reason);
}

static int status_of(const char *word) {
  for (int i = 0; word && i < GANNET_EVAL_STATUS_COUNT; ++i)
    if (strcmp(word, gannet_eval_status_text((gannet_eval_status)i)) == 0) return i;
  return -1;
}

static gannet_err read_result(const gannet_problem *problem, const json_t *object,
                              gannet_record *record) {
  gannet_ended *ended = &record->ended;
  const int status = status_of(json_string_value(json_object_get(object, "status")));
  const size_t k = (size_t)problem->spec.n_constraints;
  GANNET_REQUIRE(status > 0, GANNET_ERR_DAMAGED, "a result without a known status");
  ended->id = json_integer_value(json_object_get(object, "id"));
  ended->final = json_is_true(json_object_get(object, "final"));
  ended->status = (gannet_eval_status)status;
  ended->objective = NAN;
  read_run(json_object_get(object, "run"), &ended->run);
  GANNET_TRY(gannet_alloc(k, sizeof *record->values, &record->values));
  ended->constraints = record->values;
  if (ended->status != GANNET_EVAL_DONE) return GANNET_OK;
  ended->objective = number(json_object_get(object, "objective"));
  return read_numbers(json_object_get(object, "constraints"), k, record->values);
}

static gannet_err read_tell(const json_t *object, gannet_record *record) {
  const json_t *ids = json_object_get(object, "ids");
  record->n = (int)json_array_size(ids);
  GANNET_TRY(gannet_alloc((size_t)record->n, sizeof *record->id, &record->id));
  for (int i = 0; i < record->n; ++i)
    record->id[i] = json_integer_value(json_array_get(ids, (size_t)i));
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
  gannet_free(&record->state);
  gannet_free(&record->id);
  gannet_free(&record->attempt);
  gannet_free(&record->nonce);
  gannet_free(&record->values);
}
