/* {name} in commands and templates. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "evaluate/contract.h"

enum { NAME_SIZE = 64 };

const char *const gannet_contract_words[] = {"params",  "results", "directory",       "id",
                                             "attempt", "seed",    "input_directory", NULL};

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

static gannet_err bind_text(gannet_bindings *bindings, const char *name, const char *value) {
  GANNET_TRY(gannet_copy_text(name, &bindings->name[bindings->n]));
  const gannet_err err = gannet_copy_text(value, &bindings->value[bindings->n]);
  if (err != GANNET_OK) gannet_free(&bindings->name[bindings->n]);
  GANNET_TRY(err);
  bindings->n += 1;
  return GANNET_OK;
}

static gannet_err bind_number(gannet_bindings *bindings, const char *name, uint64_t value) {
  char text[32];
  (void)snprintf(text, sizeof text, "%llu", (unsigned long long)value);
  return bind_text(bindings, name, text);
}

static gannet_err bind_variable(gannet_bindings *bindings, const gannet_problem *problem, int k,
                                double value) {
  const gannet_variable *variable = &problem->spec.variables[k];
  char number[64];
  if (variable->type == GANNET_VARIABLE_CATEGORICAL) /* of any length */
    return bind_text(bindings, variable->name, variable->values[(int)value]);
  gannet_problem_format(problem, k, value, number, sizeof number);
  return bind_text(bindings, variable->name, number);
}

gannet_err gannet_bindings_create(const gannet_contract *contract, const gannet_request *request,
                                  const char *directory, gannet_bindings *bindings) {
  const gannet_problem_spec *spec = &contract->problem->spec;
  const size_t most = (size_t)spec->n_variables + 8;
  char path[4200];
  GANNET_TRY(gannet_alloc(most, sizeof *bindings->name, &bindings->name));
  GANNET_TRY(gannet_alloc(most, sizeof *bindings->value, &bindings->value));
  (void)snprintf(path, sizeof path, "%s/params.in", directory);
  GANNET_TRY(bind_text(bindings, "params", path));
  (void)snprintf(path, sizeof path, "%s/results.out", directory);
  GANNET_TRY(bind_text(bindings, "results", path));
  GANNET_TRY(bind_text(bindings, "directory", directory));
  GANNET_TRY(bind_text(bindings, "input_directory", contract->input_directory));
  GANNET_TRY(bind_number(bindings, "id", (uint64_t)request->id));
  GANNET_TRY(bind_number(bindings, "attempt", (uint64_t)request->attempt));
  GANNET_TRY(bind_number(bindings, "seed", request->seed));
  for (int k = 0; k < spec->n_variables; ++k)
    GANNET_TRY(bind_variable(bindings, contract->problem, k, request->x_user[k]));
  return GANNET_OK;
}

void gannet_bindings_release(gannet_bindings *bindings) {
  for (int i = 0; i < bindings->n; ++i) {
    gannet_free(&bindings->name[i]);
    gannet_free(&bindings->value[i]);
  }
  gannet_free(&bindings->name);
  gannet_free(&bindings->value);
  bindings->n = 0;
}

int gannet_next_placeholder(const char *text, size_t size, size_t *at, char *name) {
  for (size_t i = *at; i < size; ++i) {
    size_t length = 0;
    if (text[i] != '{') continue;
    while (i + 1 + length < size && length < NAME_SIZE - 1) {
      const unsigned char c = (unsigned char)text[i + 1 + length];
      if (c != '_' && !(length ? isalnum(c) : isalpha(c))) break;
      name[length++] = (char)c;
    }
    if (length == 0 || i + 1 + length >= size || text[i + 1 + length] != '}') continue;
    name[length] = '\0';
    *at = i + length + 2;
    return 1;
  }
  return 0;
}

static const char *value_of(const gannet_bindings *bindings, const char *name) {
  for (int i = 0; i < bindings->n; ++i)
    if (strcmp(bindings->name[i], name) == 0) return bindings->value[i];
  return NULL;
}

static gannet_err replace(const gannet_bindings *bindings, const char *text, size_t size,
                          gannet_text *to) {
  char name[NAME_SIZE];
  size_t done = 0, at = 0;
  while (gannet_next_placeholder(text, size, &at, name)) {
    const char *value = value_of(bindings, name);
    if (!value) continue;
    const size_t start = at - strlen(name) - 2;
    GANNET_TRY(gannet_text_add(to, text + done, start - done));
    GANNET_TRY(gannet_text_add(to, value, strlen(value)));
    done = at;
  }
  return gannet_text_add(to, text + done, size - done);
}

gannet_err gannet_substitute(const gannet_bindings *bindings, const char *text, size_t size,
                             char **out, size_t *out_size) {
  gannet_text to = {0};
  const gannet_err err = replace(bindings, text, size, &to);
  if (err != GANNET_OK) gannet_free(&to.text);
  *out = to.text;
  if (out_size) *out_size = to.used;
  return err;
}
