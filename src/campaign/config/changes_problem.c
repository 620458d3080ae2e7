/* What makes a problem another one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/config/changes.h"

enum { NUMBER_SIZE = 32, LIST_SIZE = 200 };

/* As short as it can be read back; an open end is none. */
static const char *format(double value, char *text) {
  if (!isfinite(value)) return NULL;
  (void)snprintf(text, NUMBER_SIZE, "%.15g", value);
  if (strtod(text, NULL) != value) (void)snprintf(text, NUMBER_SIZE, "%.17g", value);
  return text;
}

static void add_part(gannet_change_list *changes, const char *section, const char *name,
                     const char *part, const char *before, const char *now) {
  char key[160];
  (void)snprintf(key, sizeof key, "%s.%.100s%s%s", section, name, part ? "." : "",
                 part ? part : "");
  gannet_changes_add(changes, key, before, now);
}

static void compare_numbers(gannet_change_list *changes, const char *section, const char *name,
                            const char *part, double before, double now) {
  char old[NUMBER_SIZE], new[NUMBER_SIZE];
  if (before != now) add_part(changes, section, name, part, format(before, old), format(now, new));
}

static const char *type_of(const gannet_variable *v) {
  static const char *const names[] = {"real", "integer", "boolean", "categorical"};
  return names[v->type];
}

static const char *list_values(const gannet_variable *v, char *text) {
  size_t used = (size_t)snprintf(text, LIST_SIZE, "[");
  for (int i = 0; i < v->n_values && used < LIST_SIZE; ++i)
    used += (size_t)snprintf(text + used, LIST_SIZE - used, "%s%s", i ? ", " : "", v->values[i]);
  if (used + 1 < LIST_SIZE) (void)snprintf(text + used, LIST_SIZE - used, "]");
  return text;
}

static bool has_same_values(const gannet_variable *a, const gannet_variable *b) {
  bool same = a->n_values == b->n_values;
  for (int i = 0; i < a->n_values && same; ++i) same = strcmp(a->values[i], b->values[i]) == 0;
  return same;
}

static void compare_variable(gannet_change_list *changes, const gannet_variable *before,
                             const gannet_variable *now) {
  static const char *const scales[] = {"linear", "log"};
  char old[LIST_SIZE], new[LIST_SIZE];
  if (before->type != now->type) {
    add_part(changes, "variables", now->name, "type", type_of(before), type_of(now));
    return;
  }
  compare_numbers(changes, "variables", now->name, "lower", before->lower, now->lower);
  compare_numbers(changes, "variables", now->name, "upper", before->upper, now->upper);
  if (before->scale != now->scale)
    add_part(changes, "variables", now->name, "scale", scales[before->scale == GANNET_SCALE_LOG],
             scales[now->scale == GANNET_SCALE_LOG]);
  if (!has_same_values(before, now))
    add_part(changes, "variables", now->name, "values", list_values(before, old),
             list_values(now, new));
}

static const gannet_variable *find_variable(const gannet_problem_spec *spec, const char *name) {
  for (int v = 0; v < spec->n_variables; ++v)
    if (strcmp(spec->variables[v].name, name) == 0) return &spec->variables[v];
  return NULL;
}

static void compare_variables(gannet_change_list *changes, const gannet_problem_spec *before,
                              const gannet_problem_spec *now) {
  for (int v = 0; v < before->n_variables; ++v) {
    const gannet_variable *old = &before->variables[v], *new = find_variable(now, old->name);
    if (new)
      compare_variable(changes, old, new);
    else
      add_part(changes, "variables", old->name, NULL, type_of(old), NULL);
  }
  for (int v = 0; v < now->n_variables; ++v)
    if (!find_variable(before, now->variables[v].name))
      add_part(changes, "variables", now->variables[v].name, NULL, NULL,
               type_of(&now->variables[v]));
}

static const gannet_constraint *find_constraint(const gannet_problem_spec *spec, const char *name) {
  for (int k = 0; k < spec->n_constraints; ++k)
    if (strcmp(spec->constraints[k].name, name) == 0) return &spec->constraints[k];
  return NULL;
}

static void compare_constraints(gannet_change_list *changes, const gannet_problem_spec *before,
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
static void compare_order(gannet_change_list *changes, const gannet_problem_spec *before,
                          const gannet_problem_spec *now) {
  for (int v = 0; v < now->n_variables; ++v)
    if (strcmp(before->variables[v].name, now->variables[v].name) != 0) {
      gannet_changes_add(changes, "order of the variables", before->variables[v].name,
                         now->variables[v].name);
      return;
    }
  for (int k = 0; k < now->n_constraints && k < before->n_constraints; ++k)
    if (strcmp(before->constraints[k].name, now->constraints[k].name) != 0) {
      gannet_changes_add(changes, "order of the constraints", before->constraints[k].name,
                         now->constraints[k].name);
      return;
    }
}

void gannet_changes_compare_problems(const gannet_problem_spec *before,
                                     const gannet_problem_spec *now, gannet_change_list *changes) {
  static const char *const goals[] = {"minimize", "maximize"};
  if (before->goal != now->goal)
    gannet_changes_add(changes, "goal", goals[before->goal == GANNET_MAXIMIZE],
                       goals[now->goal == GANNET_MAXIMIZE]);
  compare_variables(changes, before, now);
  compare_constraints(changes, before, now);
  if (changes->n == 0) compare_order(changes, before, now);
}
