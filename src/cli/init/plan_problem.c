/* Variables, objectives and constraints of a new campaign: from options, from placeholders of
 * templates, from built-in problems. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/init/plan_parts.h"
#include "evaluate/contract/contract.h"
#include "problem/check.h"
#include "simulations/registry.h"

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

/* Cut "NAME=REST" in two; rest is NULL without "=". */
static gannet_err cut_name(init_plan *plan, const char *text, const char **name,
                           const char **rest) {
  const size_t size = strcspn(text, "=");
  *rest = text[size] ? text + size + 1 : NULL;
  return init_keep_text(plan, name, "%.*s", (int)size, text);
}

/* Read a number that ends at ':' or with the text; returns its end, NULL when there is none. */
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
    GANNET_TRY(init_keep_text(plan, &values[variable->n_values], "%.*s", (int)size, at));
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

/* Variables of all kinds keep the order of the command line, which is that of all tables. */
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

/* Complain of names that results give another meaning. */
static void check_meaning(const char *name, const char *flag, gannet_complaints *complaints) {
  if (strcmp(name, "objective") == 0 || strcmp(name, "fail") == 0)
    gannet_complain(complaints, flag,
                    "the name '%s' has another meaning in results; choose another", name);
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
    check_meaning(constraint.name, "--constraint", complaints);
    GANNET_REQUIRE(plan->n_constraints < INIT_MOST, GANNET_ERR_INPUT,
                   "more than %d constraints; write the others into the file by hand", INIT_MOST);
    plan->constraint[plan->n_constraints++] = constraint;
  }
  return GANNET_OK;
}

/* "minimize" or "maximize", perhaps with a threshold after a colon. */
static bool read_goal(const char *text, gannet_objective *objective) {
  const size_t size = strcspn(text, ":");
  const bool is_maximized = size == 8 && strncmp(text, "maximize", size) == 0;
  if (!is_maximized && !(size == 8 && strncmp(text, "minimize", size) == 0)) return false;
  objective->goal = is_maximized ? GANNET_MAXIMIZE : GANNET_MINIMIZE;
  if (!text[size]) return true;
  const char *end = read_number(text + size + 1, &objective->threshold);
  return end && !*end;
}

/* "NAME=GOAL:THRESHOLD", of which only the name is needed. */
static gannet_err read_objectives(const cli_arguments *arguments, init_plan *plan,
                                  gannet_complaints *complaints) {
  static const char flag[] = "--objective";
  const char *text, *rest;
  for (int k = 0; (text = cli_repeated(arguments, "objective", k)); ++k) {
    gannet_objective objective = {.goal = GANNET_MINIMIZE, .threshold = NAN, .noise_sd = NAN};
    GANNET_TRY(cut_name(plan, text, &objective.name, &rest));
    if (rest && !read_goal(rest, &objective)) {
      gannet_complain(complaints, flag,
                      "'%s' is not NAME=GOAL or NAME=GOAL:THRESHOLD, as in mass=minimize:900 or "
                      "range=maximize",
                      text);
      continue;
    }
    gannet_objective_check(&objective, flag, complaints);
    check_meaning(objective.name, flag, complaints);
    for (int i = 0; i < plan->n_variables + plan->n_constraints + plan->n_objectives; ++i) {
      const int c = i - plan->n_variables, m = c - plan->n_constraints;
      const char *owner = c < 0   ? plan->variable[i].is.name
                          : m < 0 ? plan->constraint[c].name
                                  : plan->objective[m].name;
      if (strcmp(owner, objective.name) == 0)
        gannet_complain(complaints, flag, "the name '%s' belongs to %s; choose another", owner,
                        c < 0   ? "a variable"
                        : m < 0 ? "a constraint"
                                : "another objective");
    }
    if (plan->n_objectives < GANNET_OBJECTIVES_MOST)
      plan->objective[plan->n_objectives++] = objective;
    else
      gannet_complain(
          complaints, flag,
          "there are more than %d; make constraints of those that only need to be good enough",
          GANNET_OBJECTIVES_MOST);
  }
  if (plan->n_objectives == 1)
    gannet_complain(complaints, flag,
                    "there is only '%s', expected 2 to %d; for a single objective use --goal",
                    plan->objective[0].name, GANNET_OBJECTIVES_MOST);
  if (plan->n_objectives > 0 && cli_has(arguments, "goal"))
    gannet_complain(complaints, "--goal",
                    "each of several objectives has its own, as in --objective range=maximize; "
                    "leave --goal out");
  return GANNET_OK;
}

static bool is_known_name(const init_plan *plan, const char *name) {
  for (int i = 0; gannet_fixed_placeholders[i]; ++i)
    if (strcmp(gannet_fixed_placeholders[i], name) == 0) return true;
  for (int i = 0; i < plan->n_variables; ++i)
    if (strcmp(plan->variable[i].is.name, name) == 0) return true;
  return false;
}

/* Make variables of the placeholders of a template. A variable without a range gets one that runs,
 * and a mark in the campaign file. */
static gannet_err read_template(const char *file, init_plan *plan, gannet_complaints *complaints) {
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
    if (is_known_name(plan, found.name) || found.is_escaped || !found.is_field) continue;
    if (found.field.type == 'd') variable.is.type = GANNET_VARIABLE_INTEGER;
    err = init_keep_text(plan, &variable.is.name, "%s", found.name);
    if (err == GANNET_OK) err = add_variable(plan, "--template", &variable, complaints);
  }
  gannet_free(&text);
  return err;
}

/* Make objectives of those of a built-in simulation that has several, with its published reference
 * point as thresholds. */
static gannet_err read_front(const gannet_simulation_type *type, const void *settings,
                             init_plan *plan) {
  double reference[GANNET_SIMULATION_QUANTITIES_MOST], volume;
  const int m = type->front(settings, reference, &volume);
  for (int k = 0; k < m && k < GANNET_OBJECTIVES_MOST; ++k) {
    gannet_objective *objective = &plan->objective[plan->n_objectives++];
    *objective = (gannet_objective){.threshold = reference[k], .noise_sd = NAN};
    GANNET_TRY(init_keep_text(plan, &objective->name, "%s", type->name_quantity(settings, k)));
  }
  return GANNET_OK;
}

/* Make variables and constraints of the published box of a test problem, in two dimensions or the
 * fewest that it has. */
static gannet_err read_box_of(const gannet_simulation_type *type, const void *settings,
                              init_plan *plan, gannet_complaints *complaints) {
  const char *name = type->name;
  double lower[64], upper[64];
  const int least = type->least_d ? type->least_d(settings) : 2;
  const int d = type->fixed_d ? type->fixed_d : least;
  if (!type->box || d > 64 || type->box(d, lower, upper, NULL, NULL)) {
    gannet_complain(complaints, "--simulation",
                    "%s has no box of its own; give its variables, as in --variable x=0:1", name);
    return GANNET_OK;
  }
  for (int k = 0; k < d; ++k) {
    init_variable variable = {
        .is = {.type = GANNET_VARIABLE_REAL, .lower = lower[k], .upper = upper[k]}};
    GANNET_TRY(init_keep_text(plan, &variable.is.name, "x%d", k + 1));
    GANNET_TRY(add_variable(plan, "--simulation", &variable, complaints));
  }
  for (int k = 0; k < type->n_constraints && plan->n_constraints < type->n_constraints; ++k) {
    gannet_constraint constraint = {.lower = -INFINITY, .upper = 0};
    GANNET_TRY(init_keep_text(plan, &constraint.name, "c%d", k + 1));
    plan->constraint[plan->n_constraints++] = constraint;
  }
  return GANNET_OK;
}

/* Take over what a built-in simulation says of itself with its default settings, where the command
 * line says nothing. */
static gannet_err read_benchmark(const char *name, init_plan *plan, gannet_complaints *complaints) {
  const gannet_simulation_type *type = NULL;
  void *settings = NULL;
  GANNET_TRY(gannet_simulation_find(name, &type));
  GANNET_TRY(gannet_alloc(1, type->options_size, &settings));
  gannet_err err = gannet_options_apply(type->options, "settings", 0, NULL, settings, complaints);
  if (err == GANNET_OK && type->front && plan->n_objectives == 0)
    err = read_front(type, settings, plan);
  if (err == GANNET_OK && plan->n_variables == 0)
    err = read_box_of(type, settings, plan, complaints);
  gannet_options_release(type->options, settings, type->options_size);
  gannet_free(&settings);
  return err;
}

gannet_err init_read_problem(const cli_arguments *arguments, init_plan *plan,
                             gannet_complaints *complaints) {
  const char *file, *simulation = cli_value(arguments, "simulation");
  GANNET_TRY(read_variables(arguments, plan, complaints));
  GANNET_TRY(read_constraints(arguments, plan, complaints));
  GANNET_TRY(read_objectives(arguments, plan, complaints));
  for (int k = 0; (file = cli_repeated(arguments, "template", k)); ++k)
    GANNET_TRY(read_template(file, plan, complaints));
  if (complaints->count > 0) return GANNET_OK;
  if (simulation) return read_benchmark(simulation, plan, complaints);
  if (plan->n_variables > 0) return GANNET_OK;
  static const init_variable examples[] = {
      {.is = {.name = "x", .type = GANNET_VARIABLE_REAL, .lower = 0, .upper = 1}},
      {.is = {.name = "y", .type = GANNET_VARIABLE_REAL, .lower = -1, .upper = 2}}};
  GANNET_TRY(add_variable(plan, "--variable", &examples[0], complaints));
  return add_variable(plan, "--variable", &examples[1], complaints);
}
