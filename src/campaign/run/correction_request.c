/* Requests of corrections as text. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/run/corrections.h"
#include "evaluate/contract/json_text.h"

const char *const gannet_correction_words[] = {"discard", "correct", "retry"};

void gannet_correction_request_release(gannet_correction_request *request) {
  gannet_free(&request->id);
  gannet_quantities_release(&request->values);
  gannet_quantities_release(&request->constraints);
}

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
  json_t *object = json_pack(
      "{ss sb sb so so so sf ss ss ss}", "what", gannet_correction_words[request->kind], "undo",
      (int)request->undo, "all_failed", (int)request->all_failed, "ids", ids, "values",
      values_object(&request->values), "constraints", values_object(&request->constraints), "when",
      request->note.when, "who", request->note.who, "why", request->note.why, "key", key);
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
  while (kind >= 0 && (!what || strcmp(what, gannet_correction_words[kind]) != 0)) --kind;
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
