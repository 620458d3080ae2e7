#include "campaign/config/changes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "campaign/config/yaml_text.h"
#include "optimizer/hyper_digest.h"
#include "problem/expression.h"
#include "problem/objectives.h"
#include "problem/outputs.h"
#include "problem/pool.h"
#include "problem/variable_constraints.h"

/* Differences that are being found; the first error ends it. */
typedef struct {
  gannet_change_list *list;
  gannet_err err;
} change_list;

/* before, now  in  NULL = none */
static void add_change(change_list *l, const char *key, const char *before, const char *now) {
  if (l->err == GANNET_OK) l->err = gannet_change_list_add(l->list, key, before, now);
}

/* What makes a problem another one. */

enum { NUMBER_SIZE = 32, LIST_SIZE = 200 };

/* Format a number with as few digits as give it back when they are read. Returns NULL for an open
 * end, which is infinite.
 *
 * text  out  [NUMBER_SIZE]
 */
static const char *format_number(double value, char *text) {
  if (!isfinite(value)) return NULL;
  (void)snprintf(text, NUMBER_SIZE, "%.15g", value);
  if (strtod(text, NULL) != value) (void)snprintf(text, NUMBER_SIZE, "%.17g", value);
  return text;
}

static void add_part(change_list *changes, const char *section, const char *name, const char *part,
                     const char *before, const char *now) {
  char key[160];
  (void)snprintf(key, sizeof key, "%s.%.100s%s%s", section, name, part ? "." : "",
                 part ? part : "");
  add_change(changes, key, before, now);
}

static void compare_numbers(change_list *changes, const char *section, const char *name,
                            const char *part, double before, double now) {
  char old[NUMBER_SIZE], new[NUMBER_SIZE];
  if (before != now)
    add_part(changes, section, name, part, format_number(before, old), format_number(now, new));
}

static const char *type_of(const gannet_variable *v) {
  return gannet_variable_type_name(v->type);
}

/* "[cg, gmres]" */
static const char *list_texts(int n, const char *const *texts, char *text) {
  size_t used = (size_t)snprintf(text, LIST_SIZE, "[");
  for (int i = 0; i < n && used < LIST_SIZE; ++i)
    used += (size_t)snprintf(text + used, LIST_SIZE - used, "%s%s", i ? ", " : "", texts[i]);
  if (used + 1 < LIST_SIZE) (void)snprintf(text + used, LIST_SIZE - used, "]");
  return text;
}

/* The first value from a position on that proposals may have; n_values = none. */
static int next_value(const gannet_problem *problem, int v, int i) {
  while (i < problem->spec.variables[v].n_values && gannet_problem_is_retired(problem, v, i)) ++i;
  return i;
}

/* The values that proposals may have; NULL for a variable without a list. */
static const char *list_values(const gannet_problem *problem, int v, char *text) {
  const gannet_variable *variable = &problem->spec.variables[v];
  size_t used = 0;
  for (int i = next_value(problem, v, 0); i < variable->n_values && used < LIST_SIZE;
       i = next_value(problem, v, i + 1))
    used += (size_t)snprintf(text + used, LIST_SIZE - used, "%s%s", used ? ", " : "[",
                             variable->values[i]);
  if (used > 0 && used + 1 < LIST_SIZE) (void)snprintf(text + used, LIST_SIZE - used, "]");
  return used > 0 ? text : NULL;
}

static void compare_values(change_list *changes, const gannet_problem *before, int o,
                           const gannet_problem *now, int n) {
  const gannet_variable *old = &before->spec.variables[o], *new = &now->spec.variables[n];
  char texts[2][LIST_SIZE];
  int i = next_value(before, o, 0), j = next_value(now, n, 0);
  while (i < old->n_values && j < new->n_values &&strcmp(old->values[i], new->values[j]) == 0) {
    i = next_value(before, o, i + 1);
    j = next_value(now, n, j + 1);
  }
  if (i < old->n_values || j < new->n_values)
    add_part(changes, "variables", new->name, "values", list_values(before, o, texts[0]),
             list_values(now, n, texts[1]));
}

/* "fixed at 1.2", "free", or the expression that computes a variable. */
static const char *describe_role(const gannet_problem *problem, int v, char *text) {
  const gannet_variable *variable = &problem->spec.variables[v];
  double fixed;
  const bool is_fixed = gannet_problem_is_fixed(problem, v, &fixed);
  const int used = snprintf(text, LIST_SIZE, "%s",
                            is_fixed                             ? "fixed at "
                            : variable->role == GANNET_ROLE_FREE ? "free"
                                                                 : variable->expression);
  if (is_fixed) gannet_problem_format(problem, v, fixed, text + used, LIST_SIZE - (size_t)used);
  return text;
}

/* o, n: the variable in the two problems */
static void compare_variable(change_list *changes, const gannet_problem *old_problem, int o,
                             const gannet_problem *new_problem, int n) {
  static const char *const scales[] = {"linear", "log"};
  const gannet_variable *before = &old_problem->spec.variables[o];
  const gannet_variable *now = &new_problem->spec.variables[n];
  char old[LIST_SIZE], new[LIST_SIZE];
  if (strcmp(before->name, now->name) != 0)
    add_part(changes, "variables", now->name, "name", before->name, now->name);
  if (before->type != now->type)
    add_part(changes, "variables", now->name, "type", type_of(before), type_of(now));
  const bool was_conditional = gannet_variable_is_conditional(before);
  const bool is_conditional = gannet_variable_is_conditional(now);
  if (was_conditional != is_conditional ||
      (is_conditional && !gannet_expression_is_same(before->when, now->when)))
    add_part(changes, "variables", now->name, "when", was_conditional ? before->when : NULL,
             is_conditional ? now->when : NULL);
  (void)describe_role(old_problem, o, old);
  (void)describe_role(new_problem, n, new);
  if (!gannet_expression_is_same(old, new))
    add_part(changes, "variables", now->name, NULL, old, new);
  if (before->role == GANNET_ROLE_DERIVED || now->role == GANNET_ROLE_DERIVED) return;
  const bool have_box = before->type != GANNET_VARIABLE_ORDINAL &&
                        now->type != GANNET_VARIABLE_ORDINAL &&
                        (now->lower != 0 || now->upper != 0);
  const bool had_box = before->lower != 0 || before->upper != 0;
  if (have_box && (had_box || isnan(gannet_problem_pinned(new_problem, n)))) {
    compare_numbers(changes, "variables", now->name, "lower", had_box ? before->lower : NAN,
                    now->lower);
    compare_numbers(changes, "variables", now->name, "upper", had_box ? before->upper : NAN,
                    now->upper);
  }
  if (before->step != now->step)
    add_part(changes, "variables", now->name, "step",
             before->step > 0 ? format_number(before->step, old) : NULL,
             now->step > 0 ? format_number(now->step, new) : NULL);
  if (before->scale != now->scale)
    add_part(changes, "variables", now->name, "scale", scales[before->scale == GANNET_SCALE_LOG],
             scales[now->scale == GANNET_SCALE_LOG]);
  compare_values(changes, old_problem, o, new_problem, n);
}

static void compare_variables(change_list *changes, const gannet_problem *before,
                              const gannet_problem *now) {
  char text[LIST_SIZE];
  for (int v = 0; v < before->spec.n_variables; ++v) {
    const gannet_variable *old = &before->spec.variables[v];
    int found = now->spec.n_variables - 1;
    while (found >= 0 && gannet_problem_find_before(before, now, found) != v) --found;
    if (found >= 0)
      compare_variable(changes, before, v, now, found);
    else
      add_part(changes, "variables", old->name, NULL, type_of(old), NULL);
  }
  for (int v = 0; v < now->spec.n_variables; ++v) {
    const gannet_variable *new = &now->spec.variables[v];
    const double was = gannet_problem_was(now, v);
    if (gannet_problem_find_before(before, now, v) >= 0) continue;
    (void)snprintf(text, sizeof text, "%s%s", type_of(new), isnan(was) ? "" : ", was ");
    if (!isnan(was))
      gannet_problem_format(now, v, was, text + strlen(text), sizeof text - strlen(text));
    add_part(changes, "variables", new->name, NULL, NULL,
             new->role == GANNET_ROLE_FREE ? text : describe_role(now, v, text));
  }
}

static const gannet_constraint *find_constraint(const gannet_problem_spec *spec, const char *name) {
  for (int k = 0; k < spec->n_constraints; ++k)
    if (strcmp(spec->constraints[k].name, name) == 0) return &spec->constraints[k];
  return NULL;
}

static void compare_constraints(change_list *changes, const gannet_problem_spec *before,
                                const gannet_problem_spec *now) {
  const gannet_constraint none = {.lower = -INFINITY, .upper = INFINITY};
  for (int k = 0; k < before->n_constraints; ++k) {
    const gannet_constraint *old = &before->constraints[k];
    const gannet_constraint *new = find_constraint(now, old->name);
    if (!new) new = &none;
    compare_numbers(changes, "constraints", old->name, "lower", old->lower, new->lower);
    compare_numbers(changes, "constraints", old->name, "upper", old->upper, new->upper);
  }
  for (int k = 0; k < now->n_constraints; ++k) {
    const gannet_constraint *new = &now->constraints[k];
    if (find_constraint(before, new->name)) continue;
    compare_numbers(changes, "constraints", new->name, "lower", none.lower, new->lower);
    compare_numbers(changes, "constraints", new->name, "upper", none.upper, new->upper);
  }
}

/* The same names in another order: the first that is not where it was. */
static void compare_order(change_list *changes, const gannet_problem_spec *before,
                          const gannet_problem_spec *now) {
  for (int v = 0; v < now->n_variables; ++v)
    if (strcmp(before->variables[v].name, now->variables[v].name) != 0) {
      add_change(changes, "order of the variables", before->variables[v].name,
                 now->variables[v].name);
      return;
    }
  for (int k = 0; k < now->n_constraints && k < before->n_constraints; ++k)
    if (strcmp(before->constraints[k].name, now->constraints[k].name) != 0) {
      add_change(changes, "order of the constraints", before->constraints[k].name,
                 now->constraints[k].name);
      return;
    }
}

/* Compare what the objective and the constraints are: quantities of the same name, or expressions.
 */
static void compare_formulas(const gannet_problem *before, const gannet_problem *now,
                             change_list *changes) {
  const gannet_formula *old = gannet_problem_formula(before, 0);
  const gannet_formula *new = gannet_problem_formula(now, 0);
  const char *old_name = gannet_problem_quantity_name(before, 0);
  const char *new_name = gannet_problem_quantity_name(now, 0);
  const char *old_text = old ? old->text : old_name, *new_text = new ? new->text : new_name;
  if (strcmp(old ? old->tokens : old_name, new ? new->tokens : new_name) != 0)
    add_change(changes, "objective", old_text, new_text);
  else if (strcmp(old_name, new_name) != 0)
    add_change(changes, "objective.name", old_name, new_name);
  for (int k = 0; k < now->spec.n_constraints; ++k) {
    const char *name = now->spec.constraints[k].name;
    const int i = gannet_problem_find_constraint(before, name);
    const bool is_objective = gannet_problem_quantity_objective(now, k + 1) > 0;
    if (i < 0) continue;
    old = gannet_problem_formula(before, i + 1);
    new = gannet_problem_formula(now, k + 1);
    if (strcmp(old ? old->tokens : "", new ? new->tokens : "") != 0)
      add_part(changes, is_objective ? "objectives" : "constraints", name, "expression",
               old ? old->text : NULL, new ? new->text : NULL);
  }
}

/* "drag: minimize, range: maximize"; NULL with a single objective. */
static const char *list_objectives(const gannet_problem_spec *spec, char *text) {
  size_t used = 0;
  for (int m = 0; m < spec->n_objectives && used < LIST_SIZE; ++m)
    used += (size_t)snprintf(text + used, LIST_SIZE - used, "%s%s: %s", m ? ", " : "",
                             spec->objectives[m].name,
                             spec->objectives[m].goal == GANNET_MAXIMIZE ? "maximize" : "minimize");
  return spec->n_objectives > 0 ? text : NULL;
}

/* Compare threshold, noise and transform of the objectives that there were before. */
static void compare_objective_settings(const gannet_problem_spec *before,
                                       const gannet_problem_spec *now, change_list *changes) {
  for (int m = 0; m < now->n_objectives; ++m)
    for (int i = 0; i < before->n_objectives; ++i) {
      const gannet_objective *old = &before->objectives[i], *new = &now->objectives[m];
      if (strcmp(old->name, new->name) != 0) continue;
      if (!isnan(old->threshold) || !isnan(new->threshold))
        compare_numbers(changes, "objectives", new->name, "threshold", old->threshold,
                        new->threshold);
      if (!isnan(old->noise_sd) || !isnan(new->noise_sd))
        compare_numbers(changes, "objectives", new->name, "noise", old->noise_sd, new->noise_sd);
      if (old->transform != new->transform)
        add_part(changes, "objectives", new->name, "transform",
                 gannet_objective_transform_text(old->transform),
                 gannet_objective_transform_text(new->transform));
      if (old->keeps_penalties != new->keeps_penalties)
        add_part(changes, "objectives", new->name, "penalties", old->keeps_penalties ? "no" : "yes",
                 new->keeps_penalties ? "no" : "yes");
    }
}

/* Relations between variables, in their order. */
static void compare_relations(const gannet_problem *old, const gannet_problem *new,
                              change_list *changes) {
  const gannet_variable_constraints *before = old->variable_constraints;
  const gannet_variable_constraints *now = new->variable_constraints;
  const int n = before ? before->n_texts : 0;
  char text[2][LIST_SIZE];
  bool same = n == (now ? now->n_texts : 0);
  for (int i = 0; i < n && same; ++i)
    same = gannet_expression_is_same(before->text[i], now->text[i]);
  if (same) return;
  if (before) (void)list_texts(before->n_texts, (const char *const *)before->text, text[0]);
  if (now) (void)list_texts(now->n_texts, (const char *const *)now->text, text[1]);
  add_change(changes, "variable_constraints", before ? text[0] : NULL, now ? text[1] : NULL);
}

static void compare_problems(const gannet_problem *old, const gannet_problem *new,
                             change_list *changes) {
  static const char *const goals[] = {"minimize", "maximize"};
  const gannet_problem_spec *before = &old->spec, *now = &new->spec;
  char list[2][LIST_SIZE] = {"", ""}; /* which objectives there are, and what is to be done */
  compare_formulas(old, new, changes);
  const char *was = list_objectives(before, list[0]), *is = list_objectives(now, list[1]);
  if (strcmp(list[0], list[1]) != 0) add_change(changes, "objectives", was, is);
  if (before->goal != now->goal && before->n_objectives == 0 && now->n_objectives == 0)
    add_change(changes, "goal", goals[before->goal == GANNET_MAXIMIZE],
               goals[now->goal == GANNET_MAXIMIZE]);
  compare_variables(changes, old, new);
  compare_constraints(changes, before, now);
  compare_relations(old, new, changes);
  if (changes->list->n == 0) compare_order(changes, before, now);
}

/* What makes a course another one. */

static const char *text_of(const gannet_campaign_input *input, const char *key) {
  for (int i = 0; i < input->n_method; ++i)
    if (strcmp(input->method[i].key, key) == 0) return input->method[i].text;
  return NULL;
}

/* Keys outside the method's sections that the course depends on too. */
static void compare_key(const gannet_option *table, const char *key, const char *name,
                        const void *before, const void *now, change_list *changes) {
  char old[512], new[512];
  const gannet_option *option = gannet_option_find(table, key);
  (void)gannet_option_format(option, before, old, sizeof old);
  (void)gannet_option_format(option, now, new, sizeof new);
  if (strcmp(old, new) != 0) add_change(changes, name, old, new);
}

/* Equations are too long to be told. */
static void compare_physics(const gannet_campaign_input *before, const gannet_campaign_input *now,
                            change_list *changes) {
  char *old = NULL, *new = NULL;
  if (gannet_campaign_format_physics(before, &old) == GANNET_OK &&
      gannet_campaign_format_physics(now, &new) == GANNET_OK && strcmp(old, new) != 0)
    add_change(changes, "physics", *old ? "(as saved)" : NULL, *new ? "(as in the file)" : NULL);
  gannet_free(&old);
  gannet_free(&new);
}

/* Keys that come and go with another method are told after those that were changed. */
static void compare_method(const gannet_campaign_input *before, const gannet_campaign_input *now,
                           change_list *changes) {
  for (int i = 0; i < now->n_method; ++i) {
    const char *old = text_of(before, now->method[i].key);
    if (old && strcmp(old, now->method[i].text) != 0)
      add_change(changes, now->method[i].key, old, now->method[i].text);
  }
  for (int i = 0; i < now->n_method; ++i)
    if (!text_of(before, now->method[i].key))
      add_change(changes, now->method[i].key, NULL, now->method[i].text);
  for (int i = 0; i < before->n_method; ++i)
    if (!text_of(now, before->method[i].key))
      add_change(changes, before->method[i].key, before->method[i].text, NULL);
}

static void compare_courses(const gannet_campaign_input *before, const gannet_campaign_input *now,
                            change_list *changes) {
  static const char *const general[] = {"batch", "noise", "candidates"};
  for (int i = 0; i < 3; ++i)
    compare_key(gannet_general_table, general[i], general[i], &before->general, &now->general,
                changes);
  compare_key(gannet_evaluate_table, "mode", "evaluate.mode", &before->evaluate, &now->evaluate,
              changes);
  if (before->cost.weigh || now->cost.weigh) {
    compare_key(gannet_cost_table, "from", "cost.from", &before->cost, &now->cost, changes);
    compare_key(gannet_cost_table, "weigh", "cost.weigh", &before->cost, &now->cost, changes);
  }
  compare_objective_settings(&before->problem->spec, &now->problem->spec, changes);
  compare_physics(before, now, changes);
  compare_method(before, now, changes);
}

/* Format a key of the back-end as the user would write it; NULL when it is not set, or when there
 * is no memory. To be freed with gannet_free. */
static char *format_key(const gannet_campaign_input *input, const char *key) {
  char *text = NULL;
  const gannet_option *option = gannet_option_find(input->evaluator->options, key);
  if (!option || !gannet_yaml_is_set(option, input->evaluator_options)) return NULL;
  const size_t size = (size_t)gannet_option_format(option, input->evaluator_options, NULL, 0) + 1;
  if (gannet_alloc(size, 1, &text) != GANNET_OK) {
    gannet_error_clear();
    return NULL;
  }
  (void)gannet_option_format(option, input->evaluator_options, text, size);
  return text;
}

/* Compare what is run, whichever back-end runs it. */
static void compare_simulation(const gannet_campaign_input *before,
                               const gannet_campaign_input *now, change_list *changes) {
  if (before->evaluator != now->evaluator)
    add_change(changes, "evaluate.backend", before->evaluator->name, now->evaluator->name);
  compare_key(gannet_evaluate_table, "start_from", "evaluate.start_from", &before->evaluate,
              &now->evaluate, changes);
  static const char *const keys[] = {"command",        "shell",     "script",    "plugin",
                                     "simulation",     "settings",  "templates", "case.copy",
                                     "case.templates", "case.link", "pattern"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
    char name[32], *old = format_key(before, keys[i]), *new = format_key(now, keys[i]);
    (void)snprintf(name, sizeof name, "evaluate.%s", keys[i]);
    if (strcmp(old ? old : "", new ? new : "") != 0) add_change(changes, name, old, new);
    gannet_free(&old);
    gannet_free(&new);
  }
}

/* Compare where the numbers come from. Another source of the objective, of a constraint or of a
 * part of them is another simulation; other outputs are recorded from now on, or not any more. */
static void compare_outputs(const gannet_problem *before, const gannet_problem *now,
                            change_list *simulation, change_list *recorded) {
  const gannet_problem *const both[] = {before, now};
  for (int p = 0; p < 2; ++p)
    for (int i = 0; both[p]->outputs && i < both[p]->outputs->n; ++i) {
      const char *name = both[p]->outputs->item[i].name;
      const gannet_output *old = gannet_output_find(before, name);
      const gannet_output *new = gannet_output_find(now, name);
      const bool is_needed = gannet_problem_needs_quantity(now, name);
      char texts[2][200] = {"", ""}, key[80];
      if (p == 1 && old) continue; /* told before */
      if (old) gannet_output_describe(old, texts[0], sizeof texts[0]);
      if (new) gannet_output_describe(new, texts[1], sizeof texts[1]);
      /* What is not announced is in results.out. */
      if (strcmp(old ? texts[0] : "results.out", new ? texts[1] : "results.out") == 0) continue;
      (void)snprintf(key, sizeof key, "outputs.%s", name);
      add_change(is_needed ? simulation : recorded, key, old ? texts[0] : NULL,
                 new ? texts[1] : NULL);
    }
}

static gannet_err parse_text(const char *file, const char *text, size_t size,
                             gannet_campaign_input **input) {
  const gannet_campaign_source source = {.file = file, .text = text, .size = size};
  gannet_complaints complaints = {0};
  const gannet_err err = gannet_campaign_parse(&source, input, &complaints);
  gannet_complaints_release(&complaints);
  return err;
}

static gannet_err read_saved(const char *path, gannet_campaign_input **input) {
  char *text = NULL;
  size_t size = 0;
  GANNET_TRY(gannet_campaign_file_read(path, &text, &size));
  const gannet_err err = parse_text(path, text, size, input);
  gannet_free(&text);
  return err;
}

static const char *unit_of(const gannet_problem *problem, int quantity) {
  return quantity > 0 ? gannet_problem_unit(problem->constraint_unit, quantity - 1)
                      : gannet_problem_objective_unit(problem);
}

/* Units are shown, and nothing is computed with them. */
static void compare_units(const gannet_problem *before, const gannet_problem *now,
                          change_list *recorded) {
  char key[120];
  for (int v = 0; v < now->spec.n_variables; ++v) {
    const char *name = now->spec.variables[v].name;
    const int old = gannet_problem_find_variable(before, name);
    const char *was = old < 0 ? "" : gannet_problem_unit(before->variable_unit, old);
    const char *is = gannet_problem_unit(now->variable_unit, v);
    (void)snprintf(key, sizeof key, "variables.%.80s.unit", name);
    if (old >= 0 && strcmp(was, is) != 0)
      add_change(recorded, key, *was ? was : NULL, *is ? is : NULL);
  }
  for (int q = 0; q <= now->spec.n_constraints; ++q) {
    const char *name = gannet_problem_quantity_name(now, q);
    const bool is_objective = gannet_problem_quantity_objective(now, q) >= 0;
    const bool is_single = is_objective && now->spec.n_objectives == 0;
    const bool were_single = is_single && before->spec.n_objectives == 0;
    const int old = were_single ? 0 : gannet_problem_find_quantity(before, name);
    const char *was = old < 0 ? "" : unit_of(before, old), *is = unit_of(now, q);
    (void)snprintf(key, sizeof key, "%s.%.80s%sunit",
                   is_single      ? "objective"
                   : is_objective ? "objectives"
                                  : "constraints",
                   is_single ? "" : name, is_single ? "" : ".");
    if (old >= 0 && strcmp(was, is) != 0)
      add_change(recorded, key, *was ? was : NULL, *is ? is : NULL);
  }
}

gannet_err gannet_changes_of_settings(const char *saved, const gannet_campaign_input *input,
                                      gannet_changes *changes) {
  gannet_campaign_input *before = NULL, *now = NULL;
  change_list course = {&changes->course, GANNET_OK};
  change_list simulation = {&changes->simulation, GANNET_OK};
  change_list recorded = {&changes->recorded, GANNET_OK};
  char *text = NULL;
  size_t size = 0;
  gannet_err err = read_saved(saved, &before);
  if (err == GANNET_OK) err = gannet_campaign_format(input, &text, &size);
  /* Parsed again from its effective text, so that every default is filled in, as in the saved one.
   */
  if (err == GANNET_OK) err = parse_text("configuration", text, size, &now);
  gannet_free(&text);
  if (err == GANNET_OK) {
    compare_courses(before, now, &course);
    compare_simulation(before, now, &simulation);
    compare_outputs(before->problem, now->problem, &simulation, &recorded);
    compare_units(before->problem, now->problem, &recorded);
    err = course.err ? course.err : simulation.err ? simulation.err : recorded.err;
  } else if (err != GANNET_ERR_MEMORY) {
    gannet_error_clear();
    err = GANNET_OK;
  }
  gannet_campaign_destroy(&before);
  gannet_campaign_destroy(&now);
  return err;
}

void gannet_changes_release(gannet_changes *changes) {
  gannet_change_list_release(&changes->problem);
  gannet_change_list_release(&changes->course);
  gannet_change_list_release(&changes->simulation);
  gannet_change_list_release(&changes->recorded);
}

void gannet_changes_warn(const gannet_context *context, const gannet_changes *changes) {
  char text[GANNET_CHANGES_TEXT];
  const int n = changes->course.n;
  gannet_change_list_format(&changes->recorded, text);
  if (changes->recorded.n > 0)
    gannet_log(context, GANNET_LOG_WARNING,
               "the outputs differ from those of the saved campaign, %s: earlier evaluations keep "
               "what they recorded",
               text);
  gannet_change_list_format(&changes->course, text);
  if (n > 0)
    gannet_log(context, GANNET_LOG_WARNING,
               "%d key%s from the saved campaign, which continues with the new one%s: %s", n,
               n > 1 ? "s differ" : " differs", n > 1 ? "s" : "", text);
  gannet_change_list_format(&changes->simulation, text);
  if (changes->simulation.n > 0)
    gannet_log(
        context, GANNET_LOG_WARNING,
        "the simulation differs from that of the saved campaign, %s: new results may not be "
        "comparable with earlier ones; to start a separate campaign, choose another --directory",
        text);
}

void gannet_changes_warn_names(const gannet_context *context, const gannet_problem *before,
                               const gannet_problem *now) {
  for (int k = 0; k < now->spec.n_constraints; ++k) {
    const char *name = now->spec.constraints[k].name;
    if (find_constraint(&before->spec, name)) continue;
    for (int i = 0; i < before->spec.n_constraints; ++i) {
      const char *old = before->spec.constraints[i].name;
      if (!find_constraint(&now->spec, old) &&
          gannet_nearest(name, (const char *const[]){old, NULL}))
        gannet_log(context, GANNET_LOG_WARNING,
                   "constraint '%s' is new, and '%s' is gone; did you mean '%s'?", name, old, old);
    }
  }
}

void gannet_changes_warn_list(const gannet_context *context, const gannet_problem *problem,
                              const gannet_history *history) {
  int64_t missing = 0;
  if (!problem->pool) return;
  for (int64_t id = 0; id < gannet_history_count(history); ++id) {
    double square = 0;
    const gannet_origin origin = gannet_history_get(history, id)->origin;
    if (origin == GANNET_ORIGIN_USER || origin == GANNET_ORIGIN_IMPORT) continue;
    (void)gannet_pool_nearest(problem->pool, problem, gannet_history_x_unit(history, id), &square);
    missing += square > 0;
  }
  if (missing > 0)
    gannet_log(context, GANNET_LOG_WARNING,
               "the list of candidates has changed: %lld designs that were proposed from it are no "
               "longer in it; the campaign continues with the new list",
               (long long)missing);
}

gannet_err gannet_changes_of_problem(const gannet_problem *before, const gannet_problem *now,
                                     gannet_change_list *list) {
  change_list changes = {list, GANNET_OK};
  compare_problems(before, now, &changes);
  return changes.err;
}

/* An evolution strategy, the last member, counts as no difference: version 0.1.0 had none. */
static gannet_err compare_models(const gannet_campaign_input *before,
                                 const gannet_optimizer_options *old,
                                 const gannet_campaign_input *now,
                                 const gannet_optimizer_options *new, bool *same) {
  int n = new->n_members;
  if (n > 1 && new->member[n - 1].proposer == GANNET_PROPOSE_EVOLUTION) --n;
  *same = old->n_members == n && (n > 1) == (new->n_members > 1);
  for (int i = 0; i < n && *same; ++i) {
    char a[GANNET_STATE_TEXT_SIZE], b[GANNET_STATE_TEXT_SIZE];
    GANNET_TRY(gannet_hyper_digest(before->problem, old, i, a));
    GANNET_TRY(gannet_hyper_digest(now->problem, new, i, b));
    *same = strcmp(a, b) == 0 &&
            strcmp(old->member[i].method.method, new->member[i].method.method) == 0;
  }
  return GANNET_OK;
}

bool gannet_changes_none_in_models(const char *saved, const gannet_campaign_input *input) {
  gannet_campaign_input *before = NULL;
  gannet_optimizer_options old = {0}, new = {0};
  bool same = false;
  gannet_err err = read_saved(saved, &before);
  if (err == GANNET_OK) err = gannet_campaign_options(before, &old);
  if (err == GANNET_OK) err = gannet_campaign_options(input, &new);
  if (err == GANNET_OK) err = compare_models(before, &old, input, &new, &same);
  if (err != GANNET_OK) gannet_error_clear();
  gannet_optimizer_options_release(&old);
  gannet_optimizer_options_release(&new);
  gannet_campaign_destroy(&before);
  return err == GANNET_OK && same;
}
