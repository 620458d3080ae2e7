/* The directory of an attempt: what is written into it before the launch, and attempt.json, which
 * tells who runs it. */
#include "evaluate/contract/contract.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "evaluate/contract/case_folder.h"
#include "evaluate/contract/json_text.h"
#include "evaluate/places/place_words.h"
#include "evaluate/result_record.h"

gannet_err gannet_contract_directory(const gannet_contract *contract, int64_t id, char *path,
                                     size_t size) {
  char name[32];
  (void)snprintf(name, sizeof name, "%06lld", (long long)id);
  return gannet_join_path(contract->evaluations, name, path, size);
}

typedef enum { PLAIN, WHOLE, LASTING } care;

/* Write a file without fsync: what a crash of the machine loses is written again by the next
 * attempt.
 */
static gannet_err write_plain(const char *directory, const char *name, const char *bytes,
                              size_t size, mode_t mode) {
  char path[PATH_MAX];
  GANNET_TRY(gannet_join_path(directory, name, path, sizeof path));
  int file = -1;
  GANNET_TRY(gannet_file_create(path, mode, &file));
  gannet_err err = gannet_write_all(file, bytes, size, path);
  if (close(file) && err == GANNET_OK) err = gannet_raise_errno("close", path);
  return err;
}

static json_t *json_of(const gannet_variable *variable, double value) {
  if (!isfinite(value)) return json_null();
  switch (gannet_variable_kind(variable)) {
    case GANNET_FIELD_WHOLE:
      return json_integer((json_int_t)value);
    case GANNET_FIELD_TRUTH:
      return json_boolean(value != 0);
    case GANNET_FIELD_TEXT_KIND:
      return json_string(variable->values[(int)value]);
    default:
      return json_real(value);
  }
}

static gannet_err write_object(json_t *object, const char *directory, const char *name, care how) {
  char path[PATH_MAX], *text = NULL;
  gannet_err err = gannet_join_path(directory, name, path, sizeof path);
  if (err == GANNET_OK)
    err = gannet_json_text(object, JSON_INDENT(2) | JSON_REAL_PRECISION(17), path, &text);
  if (err == GANNET_OK)
    err = how == LASTING ? gannet_file_replace(path, text, strlen(text))
          : how == WHOLE ? gannet_file_put(path, text, strlen(text))
                         : write_plain(directory, name, text, strlen(text), 0666);
  gannet_free(&text);
  return err;
}

static gannet_err write_params_json(const gannet_problem *problem, const double *x,
                                    const char *directory) {
  json_t *object = json_object();
  GANNET_REQUIRE(object, GANNET_ERR_MEMORY, "params.json of %s", directory);
  gannet_err err = GANNET_OK;
  for (int k = 0; k < problem->spec.n_variables && err == GANNET_OK; ++k) {
    const gannet_variable *variable = &problem->spec.variables[k];
    if (json_object_set_new(object, variable->name, json_of(variable, x[k])) == 0) continue;
    /* jansson takes no other text and does not tell that from a lack of memory. */
    const bool is_bad_text =
        gannet_variable_has_words(variable) && !gannet_utf8_is_valid(variable->values[(int)x[k]]);
    err = is_bad_text
              ? GANNET_RAISE(GANNET_ERR_INPUT,
                             "variable '%s': its value is not valid UTF-8; write the campaign "
                             "file as UTF-8",
                             variable->name)
              : GANNET_RAISE(GANNET_ERR_MEMORY, "params.json: variable '%s'", variable->name);
  }
  if (err == GANNET_OK) err = write_object(object, directory, "params.json", PLAIN);
  json_decref(object);
  return err;
}

/* Write params.in: lines "name value", for shells and Fortran. */
static gannet_err write_params_in(const gannet_problem *problem, const gannet_bindings *bindings,
                                  const char *directory) {
  const int first = bindings->n - problem->spec.n_variables; /* the variables come last */
  size_t size = 1, used = 0;
  char *text = NULL;
  for (int i = first; i < bindings->n; ++i)
    size += strlen(bindings->item[i].name) + strlen(bindings->item[i].text) + 2;
  GANNET_TRY(gannet_alloc(size, 1, &text));
  for (int i = first; i < bindings->n; ++i)
    used += (size_t)snprintf(text + used, size - used, "%s %s\n", bindings->item[i].name,
                             bindings->item[i].text);
  const gannet_err err = write_plain(directory, "params.in", text, used, 0666);
  gannet_free(&text);
  return err;
}

static gannet_err render_templates(const gannet_contract *contract, const gannet_bindings *bindings,
                                   const char *directory) {
  for (int i = 0; i < contract->templates->n; ++i) {
    char path[PATH_MAX];
    const char *name = contract->templates->item[i];
    const char *start = name[0] == '/' ? "" : contract->input_directory;
    GANNET_TRY(gannet_join_path(start, name, path, sizeof path));
    GANNET_TRY(gannet_contract_render(contract, path, bindings, directory));
  }
  return GANNET_OK;
}

gannet_err gannet_attempt_write(const char *directory, const gannet_attempt_runner *runner) {
  char name[20], host[GANNET_HOST_SIZE];
  (void)snprintf(name, sizeof name, "%016llx", (unsigned long long)runner->nonce);
  gannet_host_name(host);
  json_t *object = json_pack("{s:i, s:s, s:i, s:s, s:f}", "attempt", runner->attempt, "nonce", name,
                             "pid", runner->pid, "host", host, "started", runner->started);
  GANNET_REQUIRE(object, GANNET_ERR_MEMORY, "attempt.json of %s", directory);
  gannet_err err = GANNET_OK;
  int failed = runner->slot >= 0 && json_object_set_new(object, "slot", json_integer(runner->slot));
  if (runner->submitted > 0 && !failed)
    failed = json_object_set_new(object, "submitted", json_real(runner->submitted));
  if (runner->job && !failed) failed = json_object_set_new(object, "job", json_string(runner->job));
  if (runner->place && !failed)
    failed = json_object_set_new(object, "place", json_string(runner->place));
  if (runner->submission && !failed)
    failed = json_object_update_new(
        object, json_pack("{s:s, s:i, s:i}", "shipment", runner->submission->submission, "element",
                          runner->submission->element, "runs", runner->submission->runs));
  const gannet_process_identity process = gannet_process_identify(runner->pid);
  if (process.start > 0 && !failed)
    failed = json_object_update_new(
        object,
        json_pack("{s:I, s:s}", "process_start", (json_int_t)process.start, "boot", process.boot));
  if (failed) err = GANNET_RAISE(GANNET_ERR_MEMORY, "attempt.json of %s", directory);
  if (err == GANNET_OK)
    err = write_object(object, directory, "attempt.json", runner->durable ? LASTING : WHOLE);
  json_decref(object);
  return err;
}

static json_t *load_attempt(const char *directory) {
  char path[PATH_MAX];
  if (gannet_join_path(directory, "attempt.json", path, sizeof path) != GANNET_OK) return NULL;
  return gannet_json_read(path);
}

bool gannet_attempt_has_nonce(const char *directory, uint64_t nonce, char *job, size_t size) {
  char name[20];
  json_t *object = load_attempt(directory);
  const char *text = json_string_value(json_object_get(object, "nonce"));
  const char *found = json_string_value(json_object_get(object, "job"));
  (void)snprintf(name, sizeof name, "%016llx", (unsigned long long)nonce);
  (void)snprintf(job, size, "%s", found ? found : "");
  const bool same = text && strcmp(text, name) == 0;
  json_decref(object);
  return same;
}

/* The nonce and the job that attempt.json names; 0 and "" when it names none. */
static uint64_t nonce_of(const json_t *object, char *job, size_t size) {
  const char *text = json_string_value(json_object_get(object, "nonce"));
  const char *found = json_string_value(json_object_get(object, "job"));
  (void)snprintf(job, size, "%s", found ? found : "");
  return text ? strtoull(text, NULL, 16) : 0;
}

/* The file is read once, as the next attempt may replace it at any moment. */
bool gannet_attempt_read(const char *directory, gannet_attempt_info *sight) {
  json_t *object = load_attempt(directory);
  const char *host = json_string_value(json_object_get(object, "host"));
  const char *submission = json_string_value(json_object_get(object, "shipment"));
  const char *boot = json_string_value(json_object_get(object, "boot"));
  const char *place = json_string_value(json_object_get(object, "place"));
  const json_t *slot = json_object_get(object, "slot"), *began = json_object_get(object, "started"),
               *given = json_object_get(object, "submitted");
  memset(sight, 0, sizeof *sight);
  sight->nonce = nonce_of(object, sight->job, sizeof sight->job);
  sight->attempt = (int)json_integer_value(json_object_get(object, "attempt"));
  sight->pid = (int)json_integer_value(json_object_get(object, "pid"));
  sight->slot = json_is_integer(slot) ? (int)json_integer_value(slot) : -1;
  sight->started = json_is_number(began) ? json_number_value(began) : NAN;
  sight->submitted = json_is_number(given) ? json_number_value(given) : NAN;
  sight->process.start = (long long)json_integer_value(json_object_get(object, "process_start"));
  (void)snprintf(sight->process.boot, sizeof sight->process.boot, "%s", boot ? boot : "");
  (void)snprintf(sight->place, sizeof sight->place, "%s", place ? place : "");
  (void)snprintf(sight->host, sizeof sight->host, "%s", host ? host : "");
  if (!sight->job[0] && submission) (void)snprintf(sight->job, sizeof sight->job, "%s", submission);
  const bool found = object != NULL;
  json_decref(object);
  return found;
}

void gannet_attempt_read_submission(const char *directory, gannet_submission_element *element) {
  json_t *object = load_attempt(directory);
  const char *name = NULL;
  memset(element, 0, sizeof *element);
  if (!object || json_unpack(object, "{s:s, s:i, s:i}", "shipment", &name, "element",
                             &element->element, "runs", &element->runs))
    name = NULL;
  if (name) (void)snprintf(element->submission, sizeof element->submission, "%s", name);
  json_decref(object);
}

uint64_t gannet_attempt_nonce(const char *directory, char *job, size_t size) {
  json_t *object = load_attempt(directory);
  const uint64_t nonce = nonce_of(object, job, size);
  json_decref(object);
  return nonce;
}

/* Find a name that is free in both directories: attempt-2, or attempt-2.1 when that exists. */
static gannet_err find_free_name(const char *old, const char *fresh, int attempt, char *path) {
  char name[48];
  struct stat about;
  for (int again = 0; again < 10000; ++again) {
    (void)snprintf(name, sizeof name, again ? "attempt-%d.%d" : "attempt-%d", attempt, again);
    GANNET_TRY(gannet_join_path(old, name, path, PATH_MAX));
    if (lstat(path, &about) == 0) continue;
    GANNET_TRY(gannet_join_path(fresh, name, path, PATH_MAX));
    if (lstat(path, &about)) return GANNET_OK;
  }
  return GANNET_RAISE(GANNET_ERR_EXISTS, "no free name for an attempt in '%s'", old);
}

/* Move attempts from one directory to another: they lie beside each other, not inside each other.
 */
static gannet_err move_attempts(const char *from, const char *to) {
  char old[PATH_MAX], new[PATH_MAX];
  gannet_err err = GANNET_OK;
  DIR *all = opendir(from);
  if (!all) return gannet_raise_errno("open", from);
  for (struct dirent *entry; err == GANNET_OK && (entry = readdir(all));) {
    if (strncmp(entry->d_name, "attempt-", 8) != 0) continue;
    err = gannet_join_path(from, entry->d_name, old, sizeof old);
    if (err == GANNET_OK) err = gannet_join_path(to, entry->d_name, new, sizeof new);
    if (err == GANNET_OK && rename(old, new)) err = gannet_raise_errno("rename", old);
  }
  (void)closedir(all);
  return err;
}

/* Finish what an earlier process began that ended while it set an attempt aside. Other names that
 * begin like that of an attempt are the simulation's. */
static gannet_err finish_setting_aside(const char *fresh, const char *directory) {
  char earlier[PATH_MAX];
  struct stat about;
  gannet_err err = GANNET_OK;
  DIR *all = opendir(fresh);
  if (!all) return gannet_raise_errno("open", fresh);
  for (struct dirent *entry; err == GANNET_OK && (entry = readdir(all));) {
    if (strncmp(entry->d_name, "attempt-", 8) != 0 || !isdigit((unsigned char)entry->d_name[8]))
      continue;
    err = gannet_join_path(fresh, entry->d_name, earlier, sizeof earlier);
    if (err == GANNET_OK && lstat(earlier, &about) == 0 && S_ISDIR(about.st_mode))
      err = move_attempts(earlier, fresh);
  }
  (void)closedir(all);
  return err == GANNET_OK ? gannet_file_rename(fresh, directory) : err;
}

/* The whole directory of the earlier attempt is renamed, and not its files: a process of it that
 * still lives takes its working directory along and writes there. */
gannet_err gannet_contract_make_directory(const char *directory, int before, bool durable) {
  char fresh[PATH_MAX], earlier[PATH_MAX];
  struct stat about;
  GANNET_REQUIRE(snprintf(fresh, sizeof fresh, "%s.new", directory) < (int)sizeof fresh,
                 GANNET_ERR_ARG, "path too long: %s", directory);
  if (lstat(directory, &about)) {
    if (errno != ENOENT) return gannet_raise_errno("look at", directory);
    if (lstat(fresh, &about))
      return durable ? gannet_make_lasting_directory(directory) : gannet_make_directory(directory);
    return finish_setting_aside(fresh, directory);
  }
  GANNET_TRY(gannet_make_directory(fresh));
  json_t *object = load_attempt(directory);
  const json_int_t attempt = json_integer_value(json_object_get(object, "attempt"));
  json_decref(object);
  GANNET_TRY(find_free_name(directory, fresh,
                            0 < attempt && attempt < INT_MAX ? (int)attempt : before, earlier));
  if (rename(directory, earlier)) return gannet_raise_errno("rename", directory);
  GANNET_TRY(move_attempts(earlier, fresh));
  return gannet_file_rename(fresh, directory);
}

gannet_err gannet_contract_prepare(const gannet_contract *contract, const gannet_request *request,
                                   const gannet_bindings *bindings, const char *directory,
                                   const gannet_attempt_handover *handover) {
  GANNET_TRY(gannet_contract_make_directory(directory, request->attempt - 1, contract->durable));
  return gannet_contract_fill_directory(contract, request, bindings, directory, handover);
}

gannet_err gannet_contract_fill_directory(const gannet_contract *contract,
                                          const gannet_request *request,
                                          const gannet_bindings *bindings, const char *directory,
                                          const gannet_attempt_handover *handover) {
  GANNET_TRY(write_params_json(contract->problem, request->x_user, directory));
  GANNET_TRY(write_params_in(contract->problem, bindings, directory));
  GANNET_TRY(gannet_case_copy(contract, bindings, directory));
  GANNET_TRY(render_templates(contract, bindings, directory));
  const gannet_attempt_runner runner = {.attempt = request->attempt,
                                        .nonce = request->nonce,
                                        .started = gannet_clock_epoch(),
                                        .slot = handover ? handover->slot : -1,
                                        .submitted = handover ? handover->submitted : 0,
                                        .submission = handover ? handover->submission : NULL,
                                        .place = handover ? handover->place : NULL,
                                        .durable = contract->durable};
  return gannet_attempt_write(directory, &runner);
}

static gannet_err add_variable(gannet_text_list *list, const char *name, const char *value) {
  char text[PATH_MAX + 32];
  (void)snprintf(text, sizeof text, "%s=%s", name, value);
  return gannet_text_list_add(list, text);
}

static gannet_err add_number(gannet_text_list *list, const char *name, uint64_t value,
                             const char *format_as) {
  char text[32];
  if (*format_as == 'x')
    (void)snprintf(text, sizeof text, "%016llx", (unsigned long long)value);
  else
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)value);
  return add_variable(list, name, text);
}

/* Add the user's NAME=value, with the placeholders of the value replaced. */
static gannet_err add_users(const gannet_contract *contract, const gannet_bindings *bindings,
                            const char *item, gannet_text_list *list) {
  char *text = NULL;
  GANNET_TRY(gannet_substitute(contract, bindings, GANNET_IN_CAMPAIGN, "evaluate.environment", item,
                               strlen(item), &text, NULL));
  const gannet_err err = gannet_text_list_add(list, text);
  gannet_free(&text);
  return err;
}

gannet_err gannet_contract_environment(const gannet_contract *contract,
                                       const gannet_request *request,
                                       const gannet_bindings *bindings, const char *directory,
                                       int slot, const gannet_text_list *users,
                                       gannet_text_list *list) {
  char path[PATH_MAX];
  for (int i = 0; i < users->n; ++i)
    GANNET_TRY(add_users(contract, bindings, users->item[i], list));
  GANNET_TRY(add_number(list, "GANNET_EVAL_ID", (uint64_t)request->id, "u"));
  GANNET_TRY(add_number(list, "GANNET_ATTEMPT", (uint64_t)request->attempt, "u"));
  GANNET_TRY(add_number(list, "GANNET_SEED", request->seed, "u"));
  GANNET_TRY(add_number(list, "GANNET_NONCE", request->nonce, "x"));
  if (slot >= 0) GANNET_TRY(add_number(list, "GANNET_SLOT", (uint64_t)slot, "u"));
  if (request->place) GANNET_TRY(gannet_place_environment(request->place, list));
  if (contract->starts_from_nearest) {
    GANNET_TRY(gannet_contract_start_folder(contract, request, path, sizeof path));
    GANNET_TRY(add_variable(list, "GANNET_NEAREST", path));
  }
  GANNET_TRY(add_variable(list, "GANNET_WORKDIR", directory));
  GANNET_TRY(add_variable(list, "GANNET_INPUT_DIRECTORY", contract->input_directory));
  GANNET_TRY(gannet_join_path(directory, "params.in", path, sizeof path));
  GANNET_TRY(add_variable(list, "GANNET_PARAMS", path));
  GANNET_TRY(gannet_join_path(directory, "results.out", path, sizeof path));
  return add_variable(list, "GANNET_RESULTS", path);
}
