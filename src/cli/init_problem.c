/* Variables and constraints of gannet init: from flags, from placeholders, from built-in problems.
 */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "base/open_file.h"
#include "cli/init.h"
#include "evaluate/contract/contract.h"
#include "problem/check.h"
#include "simulations/registry.h"

gannet_err init_keep(init_plan *plan, const char **kept, const char *format, ...) {
  char text[PATH_MAX];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  GANNET_TRY(gannet_text_list_add(&plan->pool, text));
  *kept = plan->pool.item[plan->pool.n - 1];
  return GANNET_OK;
}

static gannet_err add_variable(init_plan *plan, const char *where, const init_variable *variable,
                               gannet_complaints *complaints) {
  GANNET_REQUIRE(plan->n_variables < INIT_MOST, GANNET_ERR_INPUT,
                 "more than %d variables; write the others into the file by hand", INIT_MOST);
  for (int i = 0; i < plan->n_variables; ++i)
    if (strcmp(plan->variable[i].is.name, variable->is.name) == 0) {
      gannet_complain(complaints, where, "the variable '%s' is given twice; leave one out",
                      variable->is.name);
      return GANNET_OK;
    }
  if (strcmp(variable->is.name, "objective") == 0)
    gannet_complain(complaints, where,
                    "the name 'objective' is taken by the objective itself; choose another");
  gannet_variable_check(&variable->is, where, complaints);
  plan->variable[plan->n_variables++] = *variable;
  return GANNET_OK;
}

/* "NAME=REST" in two; false without a name. */
static gannet_err cut_name(init_plan *plan, const char *text, const char **name,
                           const char **rest) {
  const size_t size = strcspn(text, "=");
  *rest = text[size] ? text + size + 1 : NULL;
  return init_keep(plan, name, "%.*s", (int)size, text);
}

/* A number up to one of the ends; NULL when there is none. */
static const char *read_number(const char *text, double *value) {
  const char *end = text + gannet_number_read(text, GANNET_NUMBER_ANY, value);
  return end == text || (*end && *end != ':') || !isfinite(*value) ? NULL : end;
}

/* ":log", ":int", ":real", in any order. */
static bool read_kinds(const char *text, gannet_variable *variable) {
  while (*text == ':') {
    const size_t size = strcspn(++text, ":");
    if (size == 3 && strncmp(text, "log", 3) == 0)
      variable->scale = GANNET_SCALE_LOG;
    else if (size == 3 && strncmp(text, "int", 3) == 0)
      variable->type = GANNET_VARIABLE_INTEGER;
    else if (size != 4 || strncmp(text, "real", 4) != 0)
      return false;
    text += size;
  }
  return true;
}

static bool read_box(const char *text, gannet_variable *variable) {
  const char *at = text ? read_number(text, &variable->lower) : NULL;
  if (!at || *at != ':') return false;
  at = read_number(at + 1, &variable->upper);
  return at && read_kinds(at, variable);
}

static gannet_err read_number_variable(const char *text, init_plan *plan,
                                       gannet_complaints *complaints) {
  init_variable variable = {.is = {.type = GANNET_VARIABLE_REAL}};
  const char *rest;
  GANNET_TRY(cut_name(plan, text, &variable.is.name, &rest));
  if (read_box(rest, &variable.is)) return add_variable(plan, "--variable", &variable, complaints);
  gannet_complain(complaints, "--variable",
                  "'%s' is not NAME=LOWER:UPPER, perhaps with :log or :int after it, as in "
                  "rate=1e-6:1e-2:log or fins=1:8:int%s",
                  text, rest ? gannet_number_hint(rest) : "");
  return GANNET_OK;
}

/* "cg,gmres" as a list that lives as long as the plan. */
static gannet_err cut_values(init_plan *plan, const char *text, gannet_variable *variable) {
  const char **values = NULL;
  const size_t n = text ? strlen(text) + 1 : 1;
  GANNET_TRY(gannet_alloc(n, sizeof *values, &values));
  variable->values = values;
  for (const char *at = text; at && *at;) {
    const size_t size = strcspn(at, ",");
    GANNET_TRY(init_keep(plan, &values[variable->n_values], "%.*s", (int)size, at));
    variable->n_values += 1;
    at += size + (at[size] == ',');
  }
  return GANNET_OK;
}

static gannet_err read_category(const char *text, init_plan *plan, gannet_complaints *complaints) {
  init_variable variable = {.is = {.type = GANNET_VARIABLE_CATEGORICAL}};
  const char *rest;
  const int before = plan->n_variables;
  GANNET_TRY(cut_name(plan, text, &variable.is.name, &rest));
  gannet_err err = cut_values(plan, rest, &variable.is);
  if (err == GANNET_OK && variable.is.n_values < 2)
    gannet_complain(complaints, "--categorical",
                    "'%s' is not NAME=VALUE,VALUE with at least two values, as in "
                    "solver=cg,gmres",
                    text);
  else if (err == GANNET_OK)
    err = add_variable(plan, "--categorical", &variable, complaints);
  if (plan->n_variables == before) gannet_free(&variable.is.values);
  return err;
}

/* In the order of the command line, whatever their kinds: it is that of all tables. */
static gannet_err read_variables(const cli_arguments *arguments, init_plan *plan,
                                 gannet_complaints *complaints) {
  for (int i = 0; i < arguments->n_values; ++i) {
    const char *flag = arguments->flags[arguments->values[i].flag].name;
    const char *text = arguments->values[i].text;
    const init_variable truth = {.is = {.name = text, .type = GANNET_VARIABLE_BOOLEAN}};
    if (strcmp(flag, "variable") == 0)
      GANNET_TRY(read_number_variable(text, plan, complaints));
    else if (strcmp(flag, "categorical") == 0)
      GANNET_TRY(read_category(text, plan, complaints));
    else if (strcmp(flag, "boolean") == 0)
      GANNET_TRY(add_variable(plan, "--boolean", &truth, complaints));
  }
  return GANNET_OK;
}

/* "NAME=LOWER:UPPER", of which one may be left out. */
static gannet_err read_constraints(const cli_arguments *arguments, init_plan *plan,
                                   gannet_complaints *complaints) {
  const char *text, *rest;
  for (int k = 0; (text = cli_repeated(arguments, "constraint", k)); ++k) {
    gannet_constraint constraint = {.lower = -INFINITY, .upper = INFINITY};
    GANNET_TRY(cut_name(plan, text, &constraint.name, &rest));
    const char *at = rest && *rest != ':' ? read_number(rest, &constraint.lower) : rest;
    const bool has_upper = at && *at == ':' && at[1];
    const char *end = has_upper ? read_number(at + 1, &constraint.upper) : at ? at + 1 : NULL;
    if (!at || *at != ':' || !end || *end) {
      gannet_complain(complaints, "--constraint",
                      "'%s' is not NAME=LOWER:UPPER with at least one of the two, as in "
                      "peak_stress=:110 or mass=1:3",
                      text);
      continue;
    }
    gannet_constraint_check(&constraint, "--constraint", complaints);
    for (int i = 0; i < plan->n_variables; ++i)
      if (strcmp(plan->variable[i].is.name, constraint.name) == 0)
        gannet_complain(complaints, "--constraint",
                        "the name '%s' belongs to a variable; choose another", constraint.name);
    for (int i = 0; i < plan->n_constraints; ++i)
      if (strcmp(plan->constraint[i].name, constraint.name) == 0)
        gannet_complain(complaints, "--constraint",
                        "the constraint '%s' is given twice; leave one out", constraint.name);
    if (strcmp(constraint.name, "objective") == 0 || strcmp(constraint.name, "fail") == 0)
      gannet_complain(complaints, "--constraint",
                      "the name '%s' has another meaning in results; choose another",
                      constraint.name);
    GANNET_REQUIRE(plan->n_constraints < INIT_MOST, GANNET_ERR_INPUT,
                   "more than %d constraints; write the others into the file by hand", INIT_MOST);
    plan->constraint[plan->n_constraints++] = constraint;
  }
  return GANNET_OK;
}

static bool is_known(const init_plan *plan, const char *name) {
  for (int i = 0; gannet_fixed_placeholders[i]; ++i)
    if (strcmp(gannet_fixed_placeholders[i], name) == 0) return true;
  for (int i = 0; i < plan->n_variables; ++i)
    if (strcmp(plan->variable[i].is.name, name) == 0) return true;
  return false;
}

/* A placeholder without a range of its own gets one that runs, and is marked. */
static gannet_err read_deck(const char *file, init_plan *plan, gannet_complaints *complaints) {
  char *text = NULL;
  size_t size = 0, at = 0;
  gannet_placeholder found;
  const gannet_err missing = gannet_file_read(file, &text, &size);
  if (missing != GANNET_OK) {
    gannet_complain(complaints, "--template", "%s; expected an input file with {placeholders}",
                    gannet_error_detail());
    gannet_error_clear();
    return GANNET_OK;
  }
  gannet_err err = GANNET_OK;
  while (err == GANNET_OK && gannet_placeholder_next(&plan->marks, text, size, &at, &found)) {
    init_variable variable = {.is = {.type = GANNET_VARIABLE_REAL, .upper = 1}, .deck = file};
    if (is_known(plan, found.name) || found.is_escaped || !found.is_field) continue;
    if (found.field.type == 'd') variable.is.type = GANNET_VARIABLE_INTEGER;
    err = init_keep(plan, &variable.is.name, "%s", found.name);
    if (err == GANNET_OK) err = add_variable(plan, "--template", &variable, complaints);
  }
  gannet_free(&text);
  return err;
}

/* The published box of a test problem. */
static gannet_err read_benchmark(const char *name, init_plan *plan, gannet_complaints *complaints) {
  const gannet_simulation_type *type = NULL;
  double lower[64], upper[64];
  GANNET_TRY(gannet_simulation_find(name, &type));
  const int d = type->fixed_d ? type->fixed_d : 2;
  if (!type->box || d > 64 || type->box(d, lower, upper, NULL, NULL)) {
    gannet_complain(complaints, "--simulation",
                    "%s has no box of its own; give its variables, as in --variable x=0:1", name);
    return GANNET_OK;
  }
  for (int k = 0; k < d; ++k) {
    init_variable variable = {
        .is = {.type = GANNET_VARIABLE_REAL, .lower = lower[k], .upper = upper[k]}};
    GANNET_TRY(init_keep(plan, &variable.is.name, "x%d", k + 1));
    GANNET_TRY(add_variable(plan, "--simulation", &variable, complaints));
  }
  for (int k = 0; k < type->n_constraints && plan->n_constraints < type->n_constraints; ++k) {
    gannet_constraint constraint = {.lower = -INFINITY, .upper = 0};
    GANNET_TRY(init_keep(plan, &constraint.name, "c%d", k + 1));
    plan->constraint[plan->n_constraints++] = constraint;
  }
  return GANNET_OK;
}

static gannet_err add_examples(init_plan *plan, gannet_complaints *complaints) {
  static const init_variable examples[] = {
      {.is = {.name = "x", .type = GANNET_VARIABLE_REAL, .lower = 0, .upper = 1}},
      {.is = {.name = "y", .type = GANNET_VARIABLE_REAL, .lower = -1, .upper = 2}}};
  for (int i = 0; i < 2; ++i)
    GANNET_TRY(add_variable(plan, "--variable", &examples[i], complaints));
  return GANNET_OK;
}

gannet_err init_problem_read(const cli_arguments *arguments, init_plan *plan,
                             gannet_complaints *complaints) {
  const char *file, *simulation = cli_value(arguments, "simulation");
  GANNET_TRY(read_variables(arguments, plan, complaints));
  GANNET_TRY(read_constraints(arguments, plan, complaints));
  for (int k = 0; (file = cli_repeated(arguments, "template", k)); ++k)
    GANNET_TRY(read_deck(file, plan, complaints));
  if (plan->n_variables > 0 || complaints->count > 0) return GANNET_OK;
  if (simulation) return read_benchmark(simulation, plan, complaints);
  return add_examples(plan, complaints);
}
