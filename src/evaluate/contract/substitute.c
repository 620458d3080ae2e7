/* What placeholders stand for, and replacing placeholders by their values. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "evaluate/contract/contract.h"
#include "evaluate/places/place_words.h"

const char *const gannet_fixed_placeholders[] = {
    "params", "results", "directory", "id", "attempt", "seed", "input_directory", "slot", NULL};
const char gannet_nearest_placeholder[] = "nearest";
const char *const gannet_place_placeholders[] = {"cores", "gpus", "hosts", "launcher", NULL};
/* What is before the name of a fixed meaning where a variable has the same name. */
static const char always[] = "gannet.";
const char gannet_fixed_placeholder_list[] =
    "{params} {results} {directory} {id} {attempt} {seed} {slot} {input_directory}";

gannet_err gannet_text_list_add(gannet_text_list *list, const char *text) {
  const size_t n = (size_t)list->n;
  GANNET_TRY(gannet_resize(list->item ? n + 1 : 0, n + 2, sizeof *list->item, &list->item));
  GANNET_TRY(gannet_copy_text(text, &list->item[n]));
  list->n += 1;
  return GANNET_OK;
}

void gannet_text_list_release(gannet_text_list *list) {
  for (int i = 0; i < list->n; ++i) gannet_free(&list->item[i]);
  gannet_free(&list->item);
  list->n = 0;
}

gannet_field_kind gannet_variable_kind(const gannet_variable *variable) {
  if (gannet_variable_has_words(variable)) return GANNET_FIELD_TEXT_KIND;
  switch (variable->type) {
    case GANNET_VARIABLE_ORDINAL: /* numbers: they are whole when all are */
      for (int i = 0; i < variable->n_values; ++i)
        if (variable->numbers[i] != floor(variable->numbers[i])) return GANNET_FIELD_REAL;
      return GANNET_FIELD_WHOLE;
    case GANNET_VARIABLE_BOOLEAN:
      return GANNET_FIELD_TRUTH;
    case GANNET_VARIABLE_INTEGER:
      return GANNET_FIELD_WHOLE;
    default:
      return GANNET_FIELD_REAL;
  }
}

bool gannet_placeholder_kind(const gannet_problem *problem, gannet_placeholder_scope scope,
                             const char *name, gannet_field_kind *kind,
                             const gannet_variable **variable) {
  static const char *const counts[] = {"id", "attempt", "seed", "slot", "cores", NULL};
  const bool is_fixed = strncmp(name, always, sizeof always - 1) == 0;
  if (is_fixed) name += sizeof always - 1;
  *variable = NULL;
  for (int k = 0; problem && !is_fixed && k < problem->spec.n_variables; ++k)
    if (strcmp(problem->spec.variables[k].name, name) == 0) {
      *variable = &problem->spec.variables[k];
      *kind = gannet_variable_kind(*variable);
      return true;
    }
  *kind = GANNET_FIELD_TEXT_KIND;
  for (int i = 0; counts[i]; ++i)
    if (strcmp(counts[i], name) == 0) *kind = GANNET_FIELD_WHOLE;
  for (int i = 0; gannet_fixed_placeholders[i]; ++i)
    if (strcmp(gannet_fixed_placeholders[i], name) == 0) return true;
  for (int i = 0; scope.place && gannet_place_placeholders[i]; ++i)
    if (strcmp(gannet_place_placeholders[i], name) == 0) return true;
  return scope.nearest && strcmp(gannet_nearest_placeholder, name) == 0;
}

static gannet_err bind(gannet_bindings *bindings, const char *name, gannet_field_kind kind,
                       double number, const char *text) {
  gannet_binding *item = &bindings->item[bindings->n];
  GANNET_TRY(gannet_copy_text(name, &item->name));
  const gannet_err err = gannet_copy_text(text, &item->text);
  if (err != GANNET_OK) gannet_free(&item->name);
  GANNET_TRY(err);
  item->kind = kind;
  item->number = number;
  bindings->n += 1;
  return GANNET_OK;
}

static gannet_err bind_count(gannet_bindings *bindings, const char *name, uint64_t value) {
  char text[32];
  (void)snprintf(text, sizeof text, "%llu", (unsigned long long)value);
  return bind(bindings, name, GANNET_FIELD_WHOLE, (double)value, text);
}

static gannet_err bind_variable(gannet_bindings *bindings, const gannet_problem *problem, int k,
                                double value) {
  const gannet_variable *variable = &problem->spec.variables[k];
  const gannet_field_kind kind = gannet_variable_kind(variable);
  char number[64];
  if (kind == GANNET_FIELD_TEXT_KIND) /* of any length */
    return bind(bindings, variable->name, kind, value, variable->values[(int)value]);
  gannet_problem_format(problem, k, value, number, sizeof number);
  return bind(bindings, variable->name, kind, value, number);
}

gannet_err gannet_contract_start_folder(const gannet_contract *contract,
                                        const gannet_request *request, char *path, size_t size) {
  path[0] = '\0';
  if (request->start_from < 0) return GANNET_OK;
  GANNET_REQUIRE(snprintf(path, size, "%s/%06lld", contract->evaluations,
                          (long long)request->start_from) < (int)size,
                 GANNET_ERR_ARG, "path too long: %s", contract->evaluations);
  return GANNET_OK;
}

gannet_err gannet_bindings_create(const gannet_contract *contract, const gannet_request *request,
                                  const char *directory, int slot, gannet_bindings *bindings) {
  const gannet_field_kind text = GANNET_FIELD_TEXT_KIND;
  const gannet_problem_spec *spec = &contract->problem->spec;
  char path[4200];
  GANNET_TRY(gannet_alloc((size_t)spec->n_variables + 13, sizeof *bindings->item, &bindings->item));
  (void)snprintf(path, sizeof path, "%s/params.in", directory);
  GANNET_TRY(bind(bindings, "params", text, 0, path));
  (void)snprintf(path, sizeof path, "%s/results.out", directory);
  GANNET_TRY(bind(bindings, "results", text, 0, path));
  GANNET_TRY(bind(bindings, "directory", text, 0, directory));
  GANNET_TRY(bind(bindings, "input_directory", text, 0, contract->input_directory));
  GANNET_TRY(bind_count(bindings, "id", (uint64_t)request->id));
  GANNET_TRY(bind_count(bindings, "attempt", (uint64_t)request->attempt));
  GANNET_TRY(bind_count(bindings, "seed", request->seed));
  GANNET_TRY(bind_count(bindings, "slot", slot < 0 ? 0 : (uint64_t)slot));
  if (contract->starts_from_nearest) {
    GANNET_TRY(gannet_contract_start_folder(contract, request, path, sizeof path));
    GANNET_TRY(bind(bindings, gannet_nearest_placeholder, text, 0, path));
  }
  if (contract->has_places) {
    const gannet_place_words *place = request->place;
    GANNET_TRY(bind_count(bindings, "cores", place ? (uint64_t)place->cores : 0));
    GANNET_TRY(bind(bindings, "gpus", text, 0, place ? place->gpus : ""));
    GANNET_TRY(bind(bindings, "hosts", text, 0, place ? place->hosts : ""));
    GANNET_TRY(bind(bindings, "launcher", text, 0, place ? place->launcher : ""));
  }
  bindings->n_fixed = bindings->n;
  for (int k = 0; k < spec->n_variables; ++k)
    GANNET_TRY(bind_variable(bindings, contract->problem, k, request->x_user[k]));
  return GANNET_OK;
}

void gannet_bindings_release(gannet_bindings *bindings) {
  for (int i = 0; i < bindings->n; ++i) {
    gannet_free(&bindings->item[i].name);
    gannet_free(&bindings->item[i].text);
  }
  gannet_free(&bindings->item);
  bindings->n = 0;
}

const gannet_binding *gannet_binding_find(const gannet_bindings *bindings, const char *name) {
  const bool is_fixed = strncmp(name, always, sizeof always - 1) == 0;
  if (is_fixed) name += sizeof always - 1;
  for (int i = (is_fixed ? bindings->n_fixed : bindings->n) - 1; i >= 0; --i)
    if (strcmp(bindings->item[i].name, name) == 0) return &bindings->item[i];
  return NULL;
}

gannet_delimiters gannet_contract_delimiters(const gannet_contract *contract,
                                             gannet_text_kind text_kind) {
  static const gannet_text_list none = {0};
  gannet_delimiters delimiters;
  if (contract->delimiters)
    delimiters = *contract->delimiters;
  else
    (void)gannet_delimiters_read(&none, &delimiters);
  return text_kind == GANNET_IN_CAMPAIGN ? gannet_delimiters_with_braces(&delimiters) : delimiters;
}

void gannet_text_position(const char *text, size_t at, int *line, int *column) {
  *line = *column = 1;
  for (size_t i = 0; i < at; ++i) {
    *column = text[i] == '\n' ? 1 : *column + 1;
    *line += text[i] == '\n';
  }
}

typedef struct {
  const gannet_bindings *bindings;
  gannet_text_kind text_kind;
  const char *source, *text;
} order;

static gannet_err raise_misfit(const order *o, const gannet_placeholder *found,
                               const char *written) {
  char location[64] = "";
  int line, column;
  gannet_text_position(o->text, found->begin, &line, &column);
  if (o->text_kind != GANNET_IN_CAMPAIGN)
    (void)snprintf(location, sizeof location, ":%d:%d", line, column);
  return GANNET_RAISE(GANNET_ERR_INPUT,
                      "%s%s: '%s:%s' has no room for '%s'; give it a larger width or fewer digits",
                      o->source, location, found->name, found->format, written);
}

static gannet_err write_value(const order *o, const gannet_placeholder *found,
                              const gannet_binding *binding, gannet_text *to) {
  const size_t before = to->used;
  bool fits = true;
  if (!found->has_format) return gannet_text_put(to, binding->text);
  GANNET_TRY(
      gannet_field_write(&found->field, binding->kind, binding->number, binding->text, to, &fits));
  return fits ? GANNET_OK : raise_misfit(o, found, to->text + before);
}

static gannet_err replace(const order *o, const gannet_delimiters *delimiters, size_t size,
                          gannet_text *to) {
  gannet_placeholder found;
  size_t done = 0, at = 0;
  while (gannet_placeholder_next(delimiters, o->text, size, &at, &found)) {
    const gannet_binding *binding = gannet_binding_find(o->bindings, found.name);
    const bool is_value = binding && found.is_field &&
                          (!found.has_format || !gannet_field_refuse(&found.field, binding->kind));
    const bool is_released = found.is_escaped && (is_value || o->text_kind != GANNET_IN_TEMPLATE);
    if (!is_value && !is_released) {
      at = found.begin + found.is_escaped + 1;
      continue;
    }
    GANNET_TRY(gannet_text_add(to, o->text + done, found.begin - done));
    if (found.is_escaped)
      GANNET_TRY(gannet_text_add(to, o->text + found.begin + 1, found.end - found.begin - 1));
    else
      GANNET_TRY(write_value(o, &found, binding, to));
    done = found.end;
  }
  return gannet_text_add(to, o->text + done, size - done);
}

gannet_err gannet_substitute(const gannet_contract *contract, const gannet_bindings *bindings,
                             gannet_text_kind text_kind, const char *source, const char *text,
                             size_t size, char **out, size_t *out_size) {
  const gannet_delimiters delimiters = gannet_contract_delimiters(contract, text_kind);
  const order o = {bindings, text_kind, source, text};
  gannet_text to = {0};
  const gannet_err err = replace(&o, &delimiters, size, &to);
  if (err != GANNET_OK) gannet_free(&to.text);
  *out = to.text;
  if (out_size) *out_size = to.used;
  return err;
}

gannet_err gannet_contract_render(const gannet_contract *contract, const char *path,
                                  const gannet_bindings *bindings, const char *folder) {
  char to[PATH_MAX];
  struct stat about;
  int file = -1;
  char *bytes = NULL, *rendered = NULL;
  size_t size = 0, rendered_size = 0;
  if (stat(path, &about)) return gannet_raise_errno("look at", path);
  gannet_err err = gannet_file_read(path, &bytes, &size);
  if (err == GANNET_OK)
    err = gannet_substitute(contract, bindings, GANNET_IN_TEMPLATE, path, bytes, size, &rendered,
                            &rendered_size);
  if (err == GANNET_OK) err = gannet_join_path(folder, gannet_file_name_of(path), to, sizeof to);
  if (err == GANNET_OK) err = gannet_file_create(to, about.st_mode & 0777, &file);
  if (err == GANNET_OK) err = gannet_write_all(file, rendered, rendered_size, to);
  if (file >= 0 && close(file) && err == GANNET_OK) err = gannet_raise_errno("close", to);
  gannet_free(&bytes);
  gannet_free(&rendered);
  return err;
}
