#include "evaluate/contract/placeholder_uses.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"

gannet_err gannet_placeholder_uses_add(gannet_placeholder_uses *uses,
                                       const gannet_contract *contract, gannet_text_kind text_kind,
                                       const char *source, const char *text, size_t size) {
  const gannet_delimiters delimiters = gannet_contract_delimiters(contract, text_kind);
  gannet_placeholder found;
  for (size_t at = 0; gannet_placeholder_next(&delimiters, text, size, &at, &found);) {
    gannet_field_kind kind;
    const gannet_variable *variable;
    const bool is_replaced =
        !found.is_escaped && found.is_field &&
        gannet_placeholder_kind(
            contract->problem,
            (gannet_placeholder_scope){contract->starts_from_nearest, contract->has_places},
            found.name, &kind, &variable) &&
        (!found.has_format || !gannet_field_refuse(&found.field, kind));
    if (!is_replaced) {
      at = found.begin + found.is_escaped + 1;
      continue;
    }
    bool is_there = false;
    for (int i = 0; i < uses->n && !is_there; ++i)
      is_there = strcmp(uses->item[i].name, found.name) == 0 &&
                 strcmp(uses->item[i].format, found.format) == 0;
    if (is_there) continue;
    if ((size_t)uses->n == uses->capacity) {
      const size_t larger = 2 * uses->capacity + 16;
      GANNET_TRY(gannet_resize(uses->capacity, larger, sizeof *uses->item, &uses->item));
      uses->capacity = larger;
    }
    gannet_placeholder_use *use = &uses->item[uses->n++];
    int line, column;
    *use = (gannet_placeholder_use){.has_format = found.has_format, .field = found.field};
    memcpy(use->name, found.name, sizeof use->name);
    memcpy(use->format, found.format, sizeof use->format);
    gannet_text_position(text, found.begin, &line, &column);
    if (text_kind == GANNET_IN_CAMPAIGN)
      (void)snprintf(use->source, sizeof use->source, "%s", source);
    else
      (void)snprintf(use->source, sizeof use->source, "%.70s:%d:%d", source, line, column);
  }
  return GANNET_OK;
}

gannet_err gannet_placeholder_uses_add_file(gannet_placeholder_uses *uses,
                                            const gannet_contract *contract,
                                            gannet_text_kind text_kind, const char *name) {
  char path[PATH_MAX], *text = NULL;
  size_t size = 0;
  gannet_err err =
      gannet_join_path(name[0] == '/' ? "" : contract->input_directory, name, path, sizeof path);
  if (err == GANNET_OK) err = gannet_file_read(path, &text, &size);
  if (err == GANNET_OK)
    err = gannet_placeholder_uses_add(uses, contract, text_kind, gannet_file_name_of(name), text,
                                      size);
  else if (err != GANNET_ERR_MEMORY) {
    gannet_error_clear();
    err = GANNET_OK;
  }
  gannet_free(&text);
  return err;
}

void gannet_placeholder_uses_release(gannet_placeholder_uses *uses) {
  gannet_free(&uses->item);
  gannet_free(&uses->looks);
  memset(uses, 0, sizeof *uses);
}

/* Write a variable as the simulation sees it: through its formats when all its placeholders have
 * one, else as it stands in params.in. */
static gannet_err render_variable(const gannet_placeholder_uses *uses,
                                  const gannet_binding *variable, gannet_text *look,
                                  const gannet_placeholder_use **lossy) {
  const gannet_placeholder_use *seen = NULL;
  bool fits;
  for (int i = 0; i < uses->n; ++i) {
    const gannet_placeholder_use *use = &uses->item[i];
    if (strcmp(use->name, variable->name) != 0) continue;
    if (!use->has_format) return gannet_text_add(look, variable->text, strlen(variable->text) + 1);
    seen = use;
  }
  if (!seen) return gannet_text_add(look, variable->text, strlen(variable->text) + 1);
  if (!*lossy) *lossy = seen;
  for (int i = 0; i < uses->n; ++i)
    if (strcmp(uses->item[i].name, variable->name) == 0) {
      GANNET_TRY(gannet_field_write(&uses->item[i].field, variable->kind, variable->number,
                                    variable->text, look, &fits));
      GANNET_TRY(gannet_text_add(look, "", 1));
    }
  return GANNET_OK;
}

static gannet_err remember_design(gannet_placeholder_uses *uses,
                                  const gannet_rendered_design *look) {
  if ((size_t)uses->n_looks == uses->look_capacity) {
    const size_t larger = 2 * uses->look_capacity + 64;
    GANNET_TRY(gannet_resize(uses->look_capacity, larger, sizeof *uses->looks, &uses->looks));
    uses->look_capacity = larger;
  }
  uses->looks[uses->n_looks++] = *look;
  return GANNET_OK;
}

static gannet_err compare_designs(gannet_placeholder_uses *uses, const gannet_context *context,
                                  const gannet_request *request, const gannet_bindings *bindings,
                                  int n_variables) {
  const gannet_placeholder_use *lossy = NULL;
  gannet_text text = {0};
  gannet_err err = GANNET_OK;
  for (int i = bindings->n - n_variables; err == GANNET_OK && i < bindings->n; ++i)
    err = render_variable(uses, &bindings->item[i], &text, &lossy);
  const gannet_rendered_design look = {
      .looks = text.used ? gannet_hash(text.text, text.used) : 0,
      .values = gannet_hash(request->x_user, (size_t)n_variables * sizeof *request->x_user),
      .id = request->id};
  gannet_free(&text.text);
  if (err != GANNET_OK || !lossy) return err;
  for (int i = 0; i < uses->n_looks; ++i) {
    const gannet_rendered_design *other = &uses->looks[i];
    if (other->looks != look.looks || other->values == look.values) continue;
    gannet_log(context, GANNET_LOG_WARNING,
               "evaluations %lld and %lld are different designs that look equal to the simulation: "
               "formats such as '%s:%s' (%s) lose the digits in which they differ; give them more",
               (long long)other->id, (long long)look.id, lossy->name, lossy->format, lossy->source);
    uses->has_told = true;
    return GANNET_OK;
  }
  return remember_design(uses, &look);
}

static gannet_err find_misfit(const gannet_placeholder_uses *uses, const gannet_bindings *bindings,
                              char *misfit) {
  gannet_text text = {0};
  gannet_err err = GANNET_OK;
  for (int i = 0; err == GANNET_OK && !*misfit && i < uses->n; ++i) {
    const gannet_placeholder_use *use = &uses->item[i];
    const gannet_binding *binding = gannet_binding_find(bindings, use->name);
    bool fits = true;
    if (!binding || !use->has_format) continue;
    text.used = 0;
    err = gannet_field_write(&use->field, binding->kind, binding->number, binding->text, &text,
                             &fits);
    if (err == GANNET_OK && !fits)
      (void)snprintf(
          misfit, GANNET_MISFIT_SIZE,
          "not run: '%s:%s' (%s) has no room for %.100s; give it a larger width or fewer "
          "digits",
          use->name, use->format, use->source, text.text);
  }
  gannet_free(&text.text);
  return err;
}

gannet_err gannet_placeholder_uses_check(gannet_placeholder_uses *uses,
                                         const gannet_contract *contract,
                                         const gannet_context *context,
                                         const gannet_request *request, char *misfit) {
  gannet_bindings bindings = {0};
  char directory[PATH_MAX];
  misfit[0] = '\0';
  if (uses->n == 0) return GANNET_OK;
  GANNET_TRY(gannet_contract_directory(contract, request->id, directory, sizeof directory));
  gannet_err err = gannet_bindings_create(contract, request, directory, 0, &bindings);
  if (err == GANNET_OK) err = find_misfit(uses, &bindings, misfit);
  if (err == GANNET_OK && !*misfit && !uses->has_told)
    err = compare_designs(uses, context, request, &bindings, contract->problem->spec.n_variables);
  gannet_bindings_release(&bindings);
  return err;
}
