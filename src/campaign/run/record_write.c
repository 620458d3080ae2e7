#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "campaign/run/record.h"
#include "evaluate/contract/json_text.h"
#include "gannet/version.h"

static const char *const origins[] = {"initial", "method", "user"};

/* Text of an object, which is released; a NULL object is an allocation that failed on the way. */
static gannet_err to_text(json_t *object, char **text) {
  const gannet_err err =
      gannet_json_text(object, JSON_COMPACT | JSON_REAL_PRECISION(17), "a journal record", text);
  json_decref(object);
  return err;
}

/* Takes both; NULL when one of them is, or when there is no memory: a list that is too short must
 * not get into the journal. */
static json_t *append(json_t *array, json_t *value) {
  if (json_array_append_new(array, value) == 0) return array;
  json_decref(array);
  return NULL;
}

static json_t *set(json_t *object, const char *key, json_t *value) {
  if (json_object_set_new(object, key, value) == 0) return object;
  json_decref(object);
  return NULL;
}

/* JSON knows no infinities and no NAN; they travel as texts. */
static json_t *number(double value) {
  char text[32];
  if (isfinite(value)) return json_real(value);
  (void)snprintf(text, sizeof text, "%g", value);
  return json_string(text);
}

static json_t *numbers(int n, const double *values) {
  json_t *array = json_array();
  for (int i = 0; i < n; ++i) array = append(array, number(values[i]));
  return array;
}

static json_t *hex(uint64_t bits) {
  char text[20];
  (void)snprintf(text, sizeof text, "%016llx", (unsigned long long)bits);
  return json_string(text);
}

/* Texts from outside (host names, last words of a simulation) need not be UTF-8. */
static json_t *lenient(const char *text) {
  char mended[GANNET_REASON_SIZE];
  (void)snprintf(mended, sizeof mended, "%s", text);
  gannet_utf8_mend(mended);
  return json_string(mended);
}

gannet_err gannet_record_campaign(const gannet_problem *problem, const char *name, uint64_t seed,
                                  uint64_t fingerprint, char **text) {
  json_t *variables = json_array(), *constraints = json_array();
  for (int v = 0; v < problem->spec.n_variables; ++v)
    variables = append(variables, json_string(problem->spec.variables[v].name));
  for (int k = 0; k < problem->spec.n_constraints; ++k)
    constraints = append(constraints, json_string(problem->spec.constraints[k].name));
  return to_text(json_pack("{ss ss ss sI so so so}", "record", "campaign", "gannet", GANNET_VERSION,
                           "name", name, "seed", (json_int_t)seed, "variables", variables,
                           "constraints", constraints, "fingerprint", hex(fingerprint)),
                 text);
}

static json_t *state_value(const gannet_state_value *value) {
  switch (value->kind) {
    case GANNET_STATE_REAL:
      return number(value->number);
    case GANNET_STATE_WHOLE:
      return json_integer((json_int_t)value->number);
    case GANNET_STATE_TEXT:
      return json_string(value->text);
    default:
      return json_null();
  }
}

/* The object that has a name within another one, made when it is not there; NULL passes. */
static json_t *within(json_t *object, const char *name, size_t length) {
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
    json_t *inner = slash ? within(object, name, (size_t)(slash - name)) : object;
    if (slash) name = slash + 1;
    const char *dot = strchr(name, '.');
    if (dot) inner = within(inner, name, (size_t)(dot - name));
    if (dot) name = dot + 1;
    if (json_object_set_new(inner, name, state_value(&state->value[i])) == 0) continue;
    json_decref(object);
    object = NULL;
  }
  return object;
}

gannet_err gannet_record_propose(const gannet_history *history, const gannet_proposal *proposal,
                                 char **text) {
  const int v = gannet_history_problem(history)->spec.n_variables;
  const gannet_evaluation *row = gannet_history_get(history, proposal->first);
  json_t *points = json_array();
  for (int64_t id = proposal->first; id < proposal->end; ++id)
    points = append(points, numbers(v, gannet_history_x_user(history, id)));
  json_t *object =
      json_pack("{ss sI ss sI so}", "record", "propose", "batch", (json_int_t)row->batch, "origin",
                origins[row->origin], "first", (json_int_t)proposal->first, "x", points);
  if (proposal->stated == GANNET_STATED_WHOLE)
    object = set(object, "state", state_object(proposal->state));
  if (proposal->stated == GANNET_STATED_POSITIONAL)
    object = set(object, "state", numbers(proposal->n_positional, proposal->positional));
  if (proposal->stated == GANNET_STATED_CHANGES)
    object = set(object, "changes", state_object(proposal->state));
  if (isfinite(proposal->seconds)) object = set(object, "seconds", json_real(proposal->seconds));
  return to_text(object, text);
}

gannet_err gannet_record_state_of(const gannet_state *state, char **text) {
  return to_text(json_pack("{ss so}", "record", "state", "state", state_object(state)), text);
}

gannet_err gannet_record_submit(int n, const int64_t *ids, const int *attempts,
                                const uint64_t *nonces, char **text) {
  json_t *runs = json_array();
  for (int i = 0; i < n; ++i)
    runs = append(runs, json_pack("[I i o]", (json_int_t)ids[i], attempts[i], hex(nonces[i])));
  return to_text(json_pack("{ss so}", "record", "submit", "runs", runs), text);
}

static json_t *run_object(const gannet_run_record *run) {
  return json_pack("{so so so si si si si so so so ss sb}", "submitted", number(run->submitted),
                   "started", number(run->started), "ended", number(run->ended), "attempts",
                   run->attempts, "exit", run->exit_code, "signal", run->signal, "slot", run->slot,
                   "host", lenient(run->host), "job", lenient(run->job), "reason",
                   lenient(run->reason), "failure", gannet_failure_text(run->failure), "crashed",
                   (int)run->crashed);
}

gannet_err gannet_record_result(int n_constraints, const gannet_ended *ended, char **text) {
  json_t *object =
      json_pack("{ss sI sb ss so}", "record", "result", "id", (json_int_t)ended->id, "final",
                (int)ended->final, "status", gannet_eval_status_text(ended->status), "run",
                run_object(&ended->run));
  if (ended->status == GANNET_EVAL_DONE) {
    object = set(object, "objective", number(ended->objective));
    object = set(object, "constraints", numbers(n_constraints, ended->constraints));
  }
  return to_text(object, text);
}

gannet_err gannet_record_tell(int n, const int64_t *ids, char **text) {
  json_t *list = json_array();
  for (int i = 0; i < n; ++i) list = append(list, json_integer(ids[i]));
  return to_text(json_pack("{ss so}", "record", "tell", "ids", list), text);
}

static uint64_t mix_text(uint64_t digest, const char *text) {
  const uint64_t pair[2] = {digest, gannet_hash(text, strlen(text))};
  return gannet_hash(pair, sizeof pair);
}

static uint64_t mix_numbers(uint64_t digest, double a, double b, int c) {
  double triple[3] = {a, b, c};
  uint64_t pair[2] = {digest, gannet_hash(triple, sizeof triple)};
  return gannet_hash(pair, sizeof pair);
}

uint64_t gannet_problem_fingerprint(const gannet_problem *problem) {
  uint64_t digest = (uint64_t)problem->spec.goal;
  for (int v = 0; v < problem->spec.n_variables; ++v) {
    const gannet_variable *variable = &problem->spec.variables[v];
    digest = mix_text(digest, variable->name);
    digest = mix_numbers(digest, variable->lower, variable->upper,
                         8 * (int)variable->type + (int)variable->scale);
    for (int i = 0; i < variable->n_values; ++i) digest = mix_text(digest, variable->values[i]);
  }
  for (int k = 0; k < problem->spec.n_constraints; ++k) {
    digest = mix_text(digest, problem->spec.constraints[k].name);
    digest = mix_numbers(digest, problem->spec.constraints[k].lower,
                         problem->spec.constraints[k].upper, -1);
  }
  return digest;
}
