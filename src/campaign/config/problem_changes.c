/* What makes a problem another one: its differences by the keys of a campaign file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "campaign/config/changes.h"
#include "problem/expression.h"
#include "problem/objectives.h"
#include "problem/outputs.h"
#include "problem/pool.h"
#include "problem/variable_constraints.h"

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

static void add_part(gannet_change_collector *changes, const char *section, const char *name,
                     const char *part, const char *before, const char *now) {
  char key[160];
  (void)snprintf(key, sizeof key, "%s.%.100s%s%s", section, name, part ? "." : "",
                 part ? part : "");
  gannet_change_collect(changes, key, before, now);
}

static void compare_numbers(gannet_change_collector *changes, const char *section, const char *name,
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

static void compare_values(gannet_change_collector *changes, const gannet_problem *before, int o,
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
static void compare_variable(gannet_change_collector *changes, const gannet_problem *old_problem,
                             int o, const gannet_problem *new_problem, int n) {
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

static void compare_variables(gannet_change_collector *changes, const gannet_problem *before,
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

static void compare_constraints(gannet_change_collector *changes, const gannet_problem_spec *before,
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
static void compare_order(gannet_change_collector *changes, const gannet_problem_spec *before,
                          const gannet_problem_spec *now) {
  for (int v = 0; v < now->n_variables; ++v)
    if (strcmp(before->variables[v].name, now->variables[v].name) != 0) {
      gannet_change_collect(changes, "order of the variables", before->variables[v].name,
                            now->variables[v].name);
      return;
    }
  for (int k = 0; k < now->n_constraints && k < before->n_constraints; ++k)
    if (strcmp(before->constraints[k].name, now->constraints[k].name) != 0) {
      gannet_change_collect(changes, "order of the constraints", before->constraints[k].name,
                            now->constraints[k].name);
      return;
    }
}

/* Compare what the objective and the constraints are: quantities of the same name, or expressions.
 */
static void compare_formulas(const gannet_problem *before, const gannet_problem *now,
                             gannet_change_collector *changes) {
  const gannet_formula *old = gannet_problem_formula(before, 0);
  const gannet_formula *new = gannet_problem_formula(now, 0);
  const char *old_name = gannet_problem_quantity_name(before, 0);
  const char *new_name = gannet_problem_quantity_name(now, 0);
  const char *old_text = old ? old->text : old_name, *new_text = new ? new->text : new_name;
  if (strcmp(old ? old->tokens : old_name, new ? new->tokens : new_name) != 0)
    gannet_change_collect(changes, "objective", old_text, new_text);
  else if (strcmp(old_name, new_name) != 0)
    gannet_change_collect(changes, "objective.name", old_name, new_name);
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

void gannet_changes_of_objectives(const gannet_problem_spec *before, const gannet_problem_spec *now,
                                  gannet_change_collector *changes) {
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
                              gannet_change_collector *changes) {
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
  gannet_change_collect(changes, "variable_constraints", before ? text[0] : NULL,
                        now ? text[1] : NULL);
}

static void compare_problems(const gannet_problem *old, const gannet_problem *new,
                             gannet_change_collector *changes) {
  static const char *const goals[] = {"minimize", "maximize"};
  const gannet_problem_spec *before = &old->spec, *now = &new->spec;
  char list[2][LIST_SIZE] = {"", ""}; /* which objectives there are, and what is to be done */
  compare_formulas(old, new, changes);
  const char *was = list_objectives(before, list[0]), *is = list_objectives(now, list[1]);
  if (strcmp(list[0], list[1]) != 0) gannet_change_collect(changes, "objectives", was, is);
  if (before->goal != now->goal && before->n_objectives == 0 && now->n_objectives == 0)
    gannet_change_collect(changes, "goal", goals[before->goal == GANNET_MAXIMIZE],
                          goals[now->goal == GANNET_MAXIMIZE]);
  compare_variables(changes, old, new);
  compare_constraints(changes, before, now);
  compare_relations(old, new, changes);
  if (changes->list->n == 0) compare_order(changes, before, now);
}

gannet_err gannet_changes_of_problem(const gannet_problem *before, const gannet_problem *now,
                                     gannet_change_list *list) {
  gannet_change_collector changes = {list, GANNET_OK};
  compare_problems(before, now, &changes);
  return changes.err;
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
