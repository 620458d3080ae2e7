/* The plan of gannet init: everything that follows from the command line and the site, before
 * anything is written. Its parts stand in the order in which init_plan_make reads them: names and
 * the way of running, variables and constraints, partition and sizes, the simulation.
 */
#include <ctype.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/names.h"
#include "cli/init/init.h"
#include "evaluate/contract/contract.h"
#include "evaluate/evaluator.h"
#include "optimizer/methods.h"
#include "problem/check.h"
#include "simulations/registry.h"

void init_plan_release(init_plan *plan) {
  for (int i = 0; i < plan->n_variables; ++i) {
    if (plan->variable[i].is.type != GANNET_VARIABLE_CATEGORICAL) continue;
    const char **values = (const char **)(uintptr_t)plan->variable[i].is.values;
    gannet_free(&values);
  }
  gannet_text_list_release(&plan->command);
  gannet_text_list_release(&plan->templates);
  gannet_text_list_release(&plan->patterns);
  gannet_text_list_release(&plan->placeholders);
  gannet_text_list_release(&plan->pool);
}

/* Keep a text, put together like printf, as long as the plan lives. */
static GANNET_PRINTF(3, 4) gannet_err
    keep_text(init_plan *plan, const char **kept, const char *format, ...) {
  char text[PATH_MAX];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  GANNET_TRY(gannet_text_list_add(&plan->pool, text));
  *kept = plan->pool.item[plan->pool.n - 1];
  return GANNET_OK;
}

/* Add what is wrong, as an error has said it, to the complaints. */
static void complain_of_error(gannet_complaints *complaints, const char *where) {
  gannet_complain(complaints, where, "%s", gannet_error_detail());
  gannet_error_clear();
}

/* "runs/wing.yaml" lies in runs and makes the campaign wing. */
static gannet_err name_files(const cli_arguments *arguments, init_plan *plan) {
  const char *file = arguments->n_positional ? arguments->positional[0] : "campaign.yaml";
  const char *slash = strrchr(file, '/'), *base = gannet_file_name_of(file);
  const char *dot = strrchr(base, '.');
  char folder[PATH_MAX];
  const int size = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
  GANNET_REQUIRE(
      !dot || strcmp(dot, ".campaign") != 0, GANNET_ERR_INPUT,
      "'%.200s' would be in the way of the campaign's directory; choose a name that ends "
      "in .yaml, as in wing.yaml",
      file);
  GANNET_REQUIRE(size > 0 && size < INIT_NAME && strlen(file) < PATH_MAX, GANNET_ERR_INPUT,
                 "'%.200s' cannot be the name of a campaign file; expected up to %d characters and "
                 ".yaml, as in wing.yaml",
                 file, INIT_NAME - 1);
  (void)snprintf(plan->file, sizeof plan->file, "%s", file);
  (void)snprintf(plan->name, sizeof plan->name, "%.*s", size, base);
  (void)snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file + 1) : 1,
                 slash ? file : ".");
  if (!realpath(folder, plan->directory)) return gannet_raise_errno("find the folder", folder);
  return GANNET_OK;
}

/* Complain of a name that is none of a registry, with the known names. */
static void check_name(const char *flag, const char *family, const char *name,
                       const void *const *entries, gannet_complaints *complaints) {
  int at = 0;
  if (!name || gannet_name_find(family, name, entries, &at) == GANNET_OK) return;
  complain_of_error(complaints, flag);
}

static void read_words(const cli_arguments *arguments, init_plan *plan,
                       gannet_complaints *complaints) {
  static const char *const goals[] = {"minimize", "maximize", NULL};
  plan->goal = cli_value(arguments, "goal");
  plan->method = cli_value(arguments, "method");
  plan->shell = cli_value(arguments, "shell");
  plan->simulation = cli_value(arguments, "simulation");
  plan->plugin = cli_value(arguments, "plugin");
  plan->wall_time = cli_value(arguments, "wall-time");
  plan->time_limit = cli_value(arguments, "time-limit");
  plan->account = cli_value(arguments, "account");
  plan->partition_name = cli_value(arguments, "partition");
  if (!plan->goal) plan->goal = goals[0];
  if (!plan->method) plan->method = "auto";
  if (strcmp(plan->goal, goals[0]) != 0 && strcmp(plan->goal, goals[1]) != 0)
    gannet_complain(complaints, "--goal", "'%s' is not one of minimize, maximize", plan->goal);
  if (plan->shell && !plan->shell[strspn(plan->shell, " \t\n")])
    gannet_complain(complaints, "--shell",
                    "is empty; expected text for a shell, as in './simulate params.in > log'");
  check_name("--method", "method", plan->method, (const void *const *)gannet_methods, complaints);
  for (int i = 0; i < 2; ++i) {
    double seconds = 0;
    const char *flag = i == 0 ? "wall-time" : "time-limit";
    if (cli_duration(arguments, flag, DBL_MIN, CLI_LIMIT_EXPECTED, 0, &seconds) != GANNET_OK)
      complain_of_error(complaints, NULL);
  }
}

/* The marks around the names in templates. */
static gannet_err read_marks(const cli_arguments *arguments, init_plan *plan,
                             gannet_complaints *complaints) {
  const char *text = cli_value(arguments, "placeholders");
  if (text) GANNET_TRY(gannet_text_list_add(&plan->placeholders, text));
  const char *wrong = gannet_delimiters_read(&plan->placeholders, &plan->marks);
  if (wrong)
    gannet_complain(complaints, "--placeholders",
                    "%s; expected what stands before and behind a name, as in '@@' or '<<>>'",
                    wrong);
  return GANNET_OK;
}

/* The back-end that follows from the options and from the site. */
static const char *choose_backend(const cli_arguments *arguments, const init_plan *plan) {
  if (cli_has(arguments, "backend")) return cli_value(arguments, "backend");
  if (plan->simulation) return "function";
  if (plan->plugin) return "plugin";
  if (plan->script) return plan->script->backend;
  return plan->site.slurm ? "slurm" : "command";
}

static bool suits_backend(const init_script *script, const char *backend) {
  return (strcmp(script->backend, "slurm") == 0) == (strcmp(backend, "slurm") == 0) &&
         strcmp(backend, "manual") != 0;
}

/* The back-end and the job script. Where there is SLURM, the script is the first one that suits the
 * back-end unless --jobscript says otherwise. */
static void choose_backend_and_script(const cli_arguments *arguments, init_plan *plan,
                                      gannet_complaints *complaints) {
  const char *wanted = cli_value(arguments, "jobscript");
  const bool none = wanted && strcmp(wanted, "none") == 0;
  if (wanted && !none) {
    int at = 0;
    if (gannet_name_find("job script", wanted, (const void *const *)init_scripts, &at) == GANNET_OK)
      plan->script = init_scripts[at];
    else
      gannet_complain(complaints, "--jobscript", "%s none", gannet_error_detail());
    gannet_error_clear();
  }
  plan->backend = choose_backend(arguments, plan);
  check_name("--backend", "back-end", plan->backend, (const void *const *)gannet_evaluator_types,
             complaints);
  if (plan->script && !suits_backend(plan->script, plan->backend))
    gannet_complain(complaints, "--jobscript",
                    "%s does not go with the back-end %s; leave --jobscript out, or say --backend "
                    "%s",
                    plan->script->name, plan->backend, plan->script->backend);
  for (int i = 0; !wanted && !plan->script && plan->site.slurm && init_scripts[i]; ++i)
    if (suits_backend(init_scripts[i], plan->backend)) plan->script = init_scripts[i];
  const char *needs = strcmp(plan->backend, "function") == 0 && !plan->simulation ? "--simulation"
                      : strcmp(plan->backend, "plugin") == 0 && !plan->plugin     ? "--plugin"
                                                                                  : NULL;
  if (needs)
    gannet_complain(complaints, "--backend",
                    "%s needs %s; gannet list simulations shows what is "
                    "built in",
                    plan->backend, needs);
  if ((plan->simulation && strcmp(plan->backend, "function") != 0) ||
      (plan->plugin && strcmp(plan->backend, "plugin") != 0))
    gannet_complain(complaints, "--backend", "%s does not run what %s names; leave --backend out",
                    plan->backend, plan->simulation ? "--simulation" : "--plugin");
}

/* Complain of options that only a program that gannet starts can use. */
static void check_program_flags(const cli_arguments *arguments, const init_plan *plan,
                                gannet_complaints *complaints) {
  static const char *const names[] = {"command", "shell", "template", "placeholders", "pattern"};
  char flag[20];
  if (strcmp(plan->backend, "command") == 0 || strcmp(plan->backend, "slurm") == 0) return;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (!cli_has(arguments, names[i])) continue;
    (void)snprintf(flag, sizeof flag, "--%s", names[i]);
    gannet_complain(complaints, flag,
                    "is for programs that gannet starts, which back-end %s does not; leave it out",
                    plan->backend);
  }
}

/* Variables and constraints: from options, from placeholders of templates, from built-in problems.
 */

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
  return keep_text(plan, name, "%.*s", (int)size, text);
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
    GANNET_TRY(keep_text(plan, &values[variable->n_values], "%.*s", (int)size, at));
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
      gannet_complain(complaints, flag,
                      "there are more than %d; state those that only have to be good enough as "
                      "constraints",
                      GANNET_OBJECTIVES_MOST);
  }
  if (plan->n_objectives == 1)
    gannet_complain(complaints, flag,
                    "there is only '%s', expected 2 to %d; a single objective has --goal",
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
    err = keep_text(plan, &variable.is.name, "%s", found.name);
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
    GANNET_TRY(keep_text(plan, &objective->name, "%s", type->name_quantity(settings, k)));
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
    GANNET_TRY(keep_text(plan, &variable.is.name, "x%d", k + 1));
    GANNET_TRY(add_variable(plan, "--simulation", &variable, complaints));
  }
  for (int k = 0; k < type->n_constraints && plan->n_constraints < type->n_constraints; ++k) {
    gannet_constraint constraint = {.lower = -INFINITY, .upper = 0};
    GANNET_TRY(keep_text(plan, &constraint.name, "c%d", k + 1));
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

static gannet_err read_problem(const cli_arguments *arguments, init_plan *plan,
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

/* Partition and sizes. */

/* The partition that was named. Without a name it is the site's default or, for jobs that are too
 * long for the default, the first partition that lets them run. */
static void choose_partition(init_plan *plan, gannet_complaints *complaints) {
  const init_site *site = &plan->site;
  const char *known[INIT_PARTITIONS + 1] = {NULL};
  double limit = 0; /* of a job that is asked for, seconds; 0 = none */
  const init_partition *usual = init_site_default(site);
  if (strcmp(plan->backend, "slurm") == 0 && plan->time_limit &&
      gannet_parse_duration(plan->time_limit, &limit) != 0)
    limit = 0;
  for (int i = 0; i < site->n_partitions; ++i) {
    known[i] = site->partition[i].name;
    if (plan->partition_name && strcmp(known[i], plan->partition_name) == 0)
      plan->partition = &site->partition[i];
  }
  if (plan->partition_name && site->n_partitions && !plan->partition) {
    const char *near = gannet_nearest(plan->partition_name, known);
    gannet_complain(complaints, "--partition", "SLURM shows no partition '%s' that is up; %s%s%s",
                    plan->partition_name, near ? "did you mean '" : "sinfo shows them all",
                    near ? near : "", near ? "'?" : "");
  }
  for (int i = 0; !plan->partition_name && usual && limit > usual->limit && i < site->n_partitions;
       ++i)
    if (site->partition[i].limit >= limit && !plan->partition)
      plan->partition = &site->partition[i];
  if (plan->partition && !plan->partition_name) plan->partition_name = plan->partition->name;
  const init_partition *used = plan->partition ? plan->partition : usual;
  if (!used || limit <= used->limit) return;
  char most[64];
  gannet_format_duration(used->limit, most, sizeof most);
  gannet_complain(complaints, "--time-limit",
                  "%s is more than the %s that a job may take in partition %s; shorten it, or "
                  "choose another --partition",
                  plan->time_limit, most, used->name);
}

static gannet_err read_count(const cli_arguments *arguments, const char *flag, long long most,
                             int *value, gannet_complaints *complaints) {
  long long number = *value;
  char where[64];
  const gannet_err err = cli_whole(arguments, flag, 1, *value, &number);
  if (err != GANNET_OK && err != GANNET_ERR_INPUT) return err;
  if (err == GANNET_ERR_INPUT) {
    complain_of_error(complaints, NULL);
    return GANNET_OK;
  }
  (void)snprintf(where, sizeof where, "--%s", flag);
  if (number > most)
    gannet_complain(complaints, where, "%lld is too many; expected at most %lld", number, most);
  else
    *value = (int)number;
  return GANNET_OK;
}

/* How many simulations fit side by side: on this machine, or on a node of the partition. */
static int count_fitting(const init_plan *plan) {
  const init_partition *used = plan->partition ? plan->partition : init_site_default(&plan->site);
  const bool is_job = strcmp(plan->backend, "slurm") == 0;
  if (is_job || strcmp(plan->backend, "manual") == 0) return 8;
  const long here = plan->tasks > 1 ? plan->site.cores : plan->site.threads;
  const long cores = plan->script && used ? used->cpus : here;
  const long n = cores / plan->tasks;
  return n < 1 ? 1 : n > 64 ? 64 : (int)n;
}

/* Simulations on several processors are started by mpirun, which refuses more processes than there
 * are cores. */
static void check_tasks(const cli_arguments *arguments, const init_plan *plan,
                        gannet_complaints *complaints) {
  const int cores = plan->site.cores;
  if (strcmp(plan->backend, "command") != 0 || plan->script || plan->tasks == 1) return;
  if (plan->tasks > cores)
    gannet_complain(complaints, "--tasks",
                    "%d processors of one simulation are more than the %d core%s here, and mpirun "
                    "would refuse; choose at most %d, or write mpirun and its options into "
                    "--command",
                    plan->tasks, cores, cores == 1 ? "" : "s", cores);
  else if (cli_has(arguments, "parallel") && (long)plan->parallel * plan->tasks > cores)
    cli_warn(
        "%d simulations of %d processes each share the %d core%s here; --parallel %d would "
        "give each a core",
        plan->parallel, plan->tasks, cores, cores == 1 ? "" : "s", cores / plan->tasks);
}

static gannet_err choose_sizes(const cli_arguments *arguments, init_plan *plan,
                               gannet_complaints *complaints) {
  plan->tasks = 1;
  GANNET_TRY(read_count(arguments, "tasks", 1 << 20, &plan->tasks, complaints));
  GANNET_TRY(read_count(arguments, "gpus", 1024, &plan->gpus, complaints));
  const bool starts_programs =
      strcmp(plan->backend, "command") == 0 || strcmp(plan->backend, "slurm") == 0;
  if (plan->gpus > 0 && !starts_programs)
    gannet_complain(complaints, "--gpus",
                    "simulations of the back-end %s start no programs; expected --backend command "
                    "or slurm",
                    plan->backend);
  plan->parallel = count_fitting(plan);
  GANNET_TRY(read_count(arguments, "parallel", 100000, &plan->parallel, complaints));
  plan->batch = plan->parallel;
  GANNET_TRY(read_count(arguments, "batch", 100000, &plan->batch, complaints));
  if (!cli_has(arguments, "parallel") && (plan->tasks == 1 || plan->batch < plan->parallel))
    plan->parallel = plan->batch;
  check_tasks(arguments, plan, complaints);
  int d = 0; /* coordinates of the search */
  for (int i = 0; i < plan->n_variables; ++i) {
    const gannet_variable *v = &plan->variable[i].is;
    d += v->type == GANNET_VARIABLE_CATEGORICAL ? v->n_values : 1;
  }
  const int evaluations = 20 * (d + 1); /* enough for a model to be worth it */
  plan->evaluations = (evaluations + plan->batch - 1) / plan->batch * plan->batch;
  /* How many GPUs there are is seen where the campaign runs. */
  plan->parallel_follows = plan->gpus > 0 && strcmp(plan->backend, "command") == 0 &&
                           !plan->script && !cli_has(arguments, "parallel");
  if (plan->parallel_follows && !cli_has(arguments, "batch")) plan->batch = 0;
  return read_count(arguments, "budget", 1000000000, &plan->evaluations, complaints);
}

/* The simulation: the words of its command, and where its files lie. */

/* The path of a file as the campaign file should name it: relative to the campaign file's folder
 * when it lies below that, else absolute. */
static gannet_err relate_path(init_plan *plan, const char *file, const char **related) {
  char full[PATH_MAX];
  const size_t size = strlen(plan->directory);
  if (!realpath(file, full)) return gannet_raise_errno("find", file);
  if (strncmp(full, plan->directory, size) == 0 && full[size] == '/')
    return keep_text(plan, related, "%s", full + size + 1);
  return keep_text(plan, related, "%s", full);
}

static bool is_file(const char *word) {
  struct stat about;
  return stat(word, &about) == 0 && S_ISREG(about.st_mode);
}

/* Add a word to the command. The simulation runs in a folder of its own, so files get the path of
 * the campaign's folder. A program that is the first word is looked for beside the campaign file.
 */
static gannet_err add_word(init_plan *plan, const char *word, bool is_program) {
  const bool alone = plan->command.n == 0;
  const bool here = word[0] != '/' && is_file(word) && (!is_program || strchr(word, '/'));
  const char *kept = word;
  if (is_program) plan->program = plan->command.n;
  if (here) {
    GANNET_TRY(relate_path(plan, word, &kept));
    if (*kept != '/')
      GANNET_TRY(keep_text(plan, &kept, alone ? "./%s" : "{input_directory}/%s", kept));
  } else if (is_program && !alone && strncmp(word, "./", 2) == 0) {
    GANNET_TRY(keep_text(plan, &kept, "{input_directory}/%s", word + 2));
  }
  return gannet_text_list_add(&plan->command, kept);
}

typedef enum { WORD, NO_WORD, NOT_CLOSED, FOR_A_SHELL } word_end;

/* The next word of *at. Quotes work as in a shell; nothing else does. */
static word_end cut_word(const char **at, char *word) {
  const char *c = *at + strspn(*at, " \t\n");
  char quote = '\0';
  if (!*c) return NO_WORD;
  for (; *c && (quote || !strchr(" \t\n", *c)); ++c) {
    if (!quote && strchr("|&;<>`$", *c)) {
      *at = c;
      return FOR_A_SHELL;
    }
    if (quote ? *c == quote : *c == '\'' || *c == '"')
      quote = quote ? '\0' : *c;
    else
      *word++ = *c;
  }
  *word = '\0';
  *at = c;
  return quote ? NOT_CLOSED : WORD;
}

static gannet_err add_words(const char *text, char *word, init_plan *plan,
                            gannet_complaints *complaints) {
  const char *at = text;
  bool is_program = true;
  for (;; is_program = false) {
    switch (cut_word(&at, word)) {
      case WORD:
        GANNET_TRY(add_word(plan, word, is_program));
        break;
      case NO_WORD:
        if (is_program)
          gannet_complain(complaints, "--command",
                          "is empty; expected a program and its arguments, as in "
                          "'./simulate {params} {results}'");
        return GANNET_OK;
      case NOT_CLOSED:
        gannet_complain(complaints, "--command", "a quote in '%.200s' is not closed; close it",
                        text);
        return GANNET_OK;
      case FOR_A_SHELL:
        gannet_complain(complaints, "--command",
                        "'%c' means nothing here, for no shell reads it; put it into quotes, or "
                        "use --shell instead of --command",
                        *at);
        return GANNET_OK;
    }
  }
}

/* Programs that start others on several processors. */
static bool begins_with_launcher(const char *text) {
  static const char *const launchers[] = {"srun", "mpirun", "mpiexec", "mpiexec.hydra", "prun"};
  const size_t size = strcspn(text, " \t");
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; ++i)
    if (size == strlen(launchers[i]) && strncmp(text, launchers[i], size) == 0) return true;
  return false;
}

/* Put a launcher before the command, so that the simulation runs on processors of its own. */
static gannet_err add_launcher(init_plan *plan) {
  const bool is_step = plan->script && strcmp(plan->backend, "command") == 0;
  const char *launcher = *plan->site.launcher ? plan->site.launcher : "srun";
  const char *word;
  if (!is_step && plan->tasks == 1) return GANNET_OK;
  if (plan->gpus > 0) return gannet_text_list_add(&plan->command, "{launcher}");
  GANNET_TRY(gannet_text_list_add(&plan->command, is_step ? "srun" : launcher));
  if (is_step) GANNET_TRY(gannet_text_list_add(&plan->command, "--exact"));
  if (!is_step) GANNET_TRY(gannet_text_list_add(&plan->command, "-n"));
  GANNET_TRY(keep_text(plan, &word, is_step ? "--ntasks=%d" : "%d", plan->tasks));
  return gannet_text_list_add(&plan->command, word);
}

static gannet_err read_lists(const cli_arguments *arguments, init_plan *plan,
                             gannet_complaints *complaints) {
  const char *text, *kept;
  for (int k = 0; (text = cli_repeated(arguments, "template", k)); ++k) {
    if (!is_file(text)) continue; /* has been complained about */
    GANNET_TRY(relate_path(plan, text, &kept));
    GANNET_TRY(gannet_text_list_add(&plan->templates, kept));
  }
  for (int k = 0; (text = cli_repeated(arguments, "pattern", k)); ++k) {
    if (!strchr(text, '=') || *text == '=')
      gannet_complain(complaints, "--pattern",
                      "'%s' is not NAME=REGEX, as in 'objective=^drag: *([^ ]*)'", text);
    GANNET_TRY(gannet_text_list_add(&plan->patterns, text));
  }
  return GANNET_OK;
}

static gannet_err check_names(const init_plan *plan, gannet_complaints *complaints) {
  const gannet_simulation_type *type = NULL;
  if (plan->simulation && gannet_simulation_find(plan->simulation, &type) != GANNET_OK)
    complain_of_error(complaints, "--simulation");
  if (plan->plugin && !is_file(plan->plugin))
    gannet_complain(complaints, "--plugin",
                    "there is no file '%s'; expected a shared object, as in ./simulation.so",
                    plan->plugin);
  return GANNET_OK;
}

/* The name of the example: simulate.sh, or NAME-simulate.sh when another campaign or a simulation
 * of the user has that file. */
static gannet_err choose_example(const cli_arguments *arguments, init_plan *plan,
                                 const char **command) {
  char path[PATH_MAX], *text = NULL;
  struct stat about;
  GANNET_TRY(gannet_join_path(plan->directory, "simulate.sh", path, sizeof path));
  bool is_free = lstat(path, &about) != 0;
  if (!is_free && cli_has(arguments, "force")) {
    if (gannet_file_read(plan->file, &text, NULL) != GANNET_OK) gannet_error_clear();
    is_free = text && strstr(text, "\"./simulate.sh\"");
    gannet_free(&text);
  }
  (void)snprintf(plan->example, sizeof plan->example, "%s%ssimulate.sh", is_free ? "" : plan->name,
                 is_free ? "" : "-");
  return keep_text(plan, command, "./%s", plan->example);
}

static gannet_err read_simulation(const cli_arguments *arguments, init_plan *plan,
                                  gannet_complaints *complaints) {
  const char *command = cli_value(arguments, "command");
  const char *const given[] = {command, plan->shell, plan->simulation, plan->plugin};
  int n = 0;
  for (int i = 0; i < 4; ++i) n += given[i] != NULL;
  if (n > 1)
    gannet_complain(complaints, "the simulation",
                    "is given more than once; choose one of --command, --shell, --simulation and "
                    "--plugin");
  const bool runs_program =
      strcmp(plan->backend, "command") == 0 || strcmp(plan->backend, "slurm") == 0;
  plan->is_example = n == 0 && runs_program;
  GANNET_TRY(read_lists(arguments, plan, complaints));
  GANNET_TRY(check_names(plan, complaints));
  if (plan->plugin && is_file(plan->plugin)) {
    const char *related;
    GANNET_TRY(relate_path(plan, plan->plugin, &related));
    GANNET_TRY(keep_text(plan, &plan->plugin, *related == '/' ? "%s" : "./%s", related));
  }
  if (plan->is_example) GANNET_TRY(choose_example(arguments, plan, &command));
  if (!command) return GANNET_OK;
  char *word = NULL;
  if (!begins_with_launcher(command)) GANNET_TRY(add_launcher(plan));
  GANNET_TRY(gannet_alloc(strlen(command) + 1, 1, &word));
  const gannet_err err = add_words(command, word, plan, complaints);
  gannet_free(&word);
  return err;
}

gannet_err init_plan_make(const cli_arguments *arguments, init_plan *plan,
                          gannet_complaints *complaints) {
  GANNET_TRY(name_files(arguments, plan));
  read_words(arguments, plan, complaints);
  choose_backend_and_script(arguments, plan, complaints);
  check_program_flags(arguments, plan, complaints);
  GANNET_TRY(read_marks(arguments, plan, complaints));
  GANNET_TRY(read_problem(arguments, plan, complaints));
  choose_partition(plan, complaints);
  GANNET_TRY(choose_sizes(arguments, plan, complaints));
  GANNET_TRY(read_simulation(arguments, plan, complaints));
  return gannet_complaints_raise(complaints);
}
