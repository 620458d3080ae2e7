#include "problem/derived.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

void gannet_derived_destroy(gannet_derived **derived, int n_variables) {
  if (!*derived) return;
  for (int v = 0; (*derived)->expression && v < n_variables; ++v)
    gannet_variable_expression_destroy(&(*derived)->expression[v]);
  for (int v = 0; (*derived)->condition && v < n_variables; ++v)
    gannet_condition_destroy(&(*derived)->condition[v]);
  gannet_free(&(*derived)->expression);
  gannet_free(&(*derived)->condition);
  gannet_free(&(*derived)->variable);
  gannet_free(&(*derived)->active);
  gannet_free(&(*derived)->open);
  gannet_free(&(*derived)->demanded);
  gannet_free(&(*derived)->x_user);
  gannet_free(&(*derived)->listed);
  gannet_free(derived);
}

static gannet_err compile_expressions(int n, const gannet_variable *variables,
                                      const char *const *location, gannet_complaints *complaints,
                                      gannet_derived *derived) {
  for (int v = 0; v < n; ++v) {
    const bool is_derived = variables[v].role == GANNET_ROLE_DERIVED;
    gannet_err err = GANNET_OK;
    if (is_derived)
      err =
          gannet_variable_expression_create(variables[v].expression ? variables[v].expression : "",
                                            n, variables, &derived->expression[v]);
    else if (gannet_variable_is_conditional(&variables[v]))
      err = gannet_condition_create(variables[v].when, n, variables, &derived->condition[v]);
    derived->n_conditional += derived->condition[v] != NULL;
    if (err == GANNET_ERR_INPUT) {
      const char *where = location ? location[v] : NULL, *name = variables[v].name;
      if (is_derived)
        gannet_complain(complaints, where, "variable %s: %s", name, gannet_error_detail());
      else
        gannet_complain(complaints, where, "variable %s: when: %s", name, gannet_error_detail());
      gannet_error_clear();
    } else {
      GANNET_TRY(err);
    }
  }
  return GANNET_OK;
}

bool gannet_derived_uses(const gannet_derived *derived, int v, int u) {
  if (derived->condition[v]) return gannet_condition_uses(derived->condition[v], u);
  return derived->expression[v] && gannet_variable_expression_uses(derived->expression[v], u);
}

static bool has_rule(const gannet_derived *derived, int v) {
  return derived->expression[v] || derived->condition[v];
}

/* The first derived or conditional variable that v uses and that is not computed yet, or -1. */
static int find_open(const gannet_derived *derived, int n, const bool *computed, int v) {
  for (int i = 0; i < n; ++i)
    if (has_rule(derived, i) && !computed[i] && gannet_derived_uses(derived, v, i)) return i;
  return -1;
}

/* Tell a circle that is met on the way from v, which cannot be computed. */
static void complain_of_circle(const gannet_derived *derived, int n,
                               const gannet_variable *variables, const bool *computed, int v,
                               const char *const *location, gannet_complaints *complaints) {
  char path[300];
  int at = v;
  for (int i = 0; i < n; ++i) at = find_open(derived, n, computed, at); /* is in a circle now */
  const int first = at;
  size_t used = (size_t)snprintf(path, sizeof path, "%s", variables[at].name);
  do {
    at = find_open(derived, n, computed, at);
    if (used + 80 < sizeof path)
      used += (size_t)snprintf(path + used, sizeof path - used, " needs %s", variables[at].name);
  } while (at != first);
  gannet_complain(
      complaints, location ? location[first] : NULL,
      "variable %s: %s, for %s; expected %s without a circle", variables[first].name,
      derived->expression[first] ? "it cannot be computed" : "nothing decides whether it is active",
      path, derived->n_conditional > 0 ? "expressions and conditions" : "expressions");
}

/* Put derived and conditional variables into an order: each comes behind those that it uses. */
static gannet_err order_variables(int n, const gannet_variable *variables,
                                  const char *const *location, gannet_complaints *complaints,
                                  gannet_derived *derived) {
  bool *computed;
  int before = -1;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *computed, &computed));
  while (derived->n > before) {
    before = derived->n;
    for (int v = 0; v < n; ++v) {
      if (!has_rule(derived, v) || computed[v] || find_open(derived, n, computed, v) >= 0) continue;
      derived->variable[derived->n++] = v;
      computed[v] = true;
    }
  }
  int v = 0;
  while (v < n && (!has_rule(derived, v) || computed[v])) ++v;
  if (v < n) complain_of_circle(derived, n, variables, computed, v, location, complaints);
  gannet_free(&computed);
  return GANNET_OK;
}

gannet_err gannet_derived_create(int n, const gannet_variable *variables,
                                 const char *const *location, gannet_complaints *complaints,
                                 gannet_derived **derived) {
  const int before = complaints->count;
  int n_free = 0;
  *derived = NULL;
  for (int v = 0; v < n; ++v) n_free += variables[v].role == GANNET_ROLE_FREE;
  if (n_free == 0)
    gannet_complain(complaints, location ? location[0] : NULL,
                    "all variables are fixed or derived: nothing is left to be chosen; expected at "
                    "least one with bounds or values");
  GANNET_TRY(gannet_alloc(1, sizeof **derived, derived));
  gannet_derived *made = *derived;
  made->n_listed = -1;
  gannet_err err = gannet_alloc((size_t)n, sizeof *made->variable, &made->variable);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *made->expression, &made->expression);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *made->condition, &made->condition);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *made->active, &made->active);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *made->x_user, &made->x_user);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *made->open, &made->open);
  for (int v = 0; v < n && err == GANNET_OK; ++v) made->active[v] = true;
  if (err == GANNET_OK) err = compile_expressions(n, variables, location, complaints, *derived);
  if (err == GANNET_OK && complaints->count == before)
    err = order_variables(n, variables, location, complaints, *derived);
  if (err != GANNET_OK || complaints->count > before) gannet_derived_destroy(derived, n);
  return err;
}

double gannet_derived_value(const gannet_derived *derived, int v, const gannet_variable *variable,
                            const double *x_user) {
  const gannet_variable_type type = variable->type;
  const double value = gannet_variable_expression_value(derived->expression[v], x_user);
  const double typed = type == GANNET_VARIABLE_INTEGER                    ? rint(value)
                       : type == GANNET_VARIABLE_BOOLEAN && !isnan(value) ? value != 0
                                                                          : value;
  return isinf(typed) ? NAN : typed; /* neither has a place in files */
}

void gannet_derived_apply(const gannet_derived *derived, int n, const gannet_variable *variables,
                          double *x_user) {
  for (int v = 0; v < n; ++v)
    if (variables[v].role == GANNET_ROLE_FIXED) x_user[v] = variables[v].fixed;
  for (int i = 0; i < derived->n; ++i) {
    const int v = derived->variable[i];
    if (derived->condition[v]) {
      derived->active[v] = gannet_condition_find_truth(derived->condition[v], x_user,
                                                       derived->active, NULL) == GANNET_TRUTH_YES;
      if (!derived->active[v]) x_user[v] = gannet_variable_resting(&variables[v]);
      continue;
    }
    x_user[v] = gannet_derived_value(derived, v, &variables[v], x_user);
  }
}

void gannet_problem_derive(const gannet_problem *problem, double *x_user) {
  gannet_derived_apply(problem->derived, problem->spec.n_variables, problem->spec.variables,
                       x_user);
}

int gannet_problem_find_undefined(const gannet_problem *problem, const double *x_user, char *why,
                                  size_t size) {
  for (int v = 0; v < problem->spec.n_variables; ++v) {
    const gannet_variable *variable = &problem->spec.variables[v];
    if (variable->role != GANNET_ROLE_DERIVED || !isnan(x_user[v])) continue;
    (void)snprintf(why, size, "not run: %s = %.100s has no finite value at this design",
                   variable->name, variable->expression);
    return v;
  }
  return -1;
}

gannet_err gannet_problem_complete(const gannet_problem *problem, double *x_user) {
  const int n = problem->spec.n_variables;
  double *computed, nearest;
  for (int f = 0; f < problem->n_free; ++f) {
    const int v = problem->free_variable[f];
    if (gannet_variable_is_near(&problem->spec.variables[v], x_user[v], &nearest))
      x_user[v] = nearest;
  }
  if (problem->n_free == n && problem->derived->n_conditional == 0) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *computed, &computed));
  memcpy(computed, x_user, (size_t)n * sizeof *computed);
  gannet_problem_derive(problem, computed);
  gannet_err err = GANNET_OK;
  for (int v = 0; v < n && err == GANNET_OK; ++v) {
    const gannet_variable *variable = &problem->spec.variables[v];
    /* Numbers that people write have fewer digits, and other machines round differently. */
    const double allowed = 1e-6 * fmax(fabs(computed[v]), fabs(x_user[v]));
    char stated[256], own[256];
    if (gannet_variable_is_conditional(variable) && !problem->derived->active[v])
      x_user[v] = computed[v]; /* whatever was there */
    if (variable->role == GANNET_ROLE_FREE) continue;
    if (!isnan(x_user[v]) && !(fabs(x_user[v] - computed[v]) <= allowed)) {
      (void)snprintf(stated, sizeof stated, "%.10g", x_user[v]);
      (void)snprintf(own, sizeof own, "%.10g", computed[v]);
      const bool fixed = variable->role == GANNET_ROLE_FIXED;
      err = GANNET_RAISE(GANNET_ERR_INPUT,
                         "variable %s: %s is not its value here, which is %s%s%.100s; leave it out",
                         variable->name, stated, own, fixed ? ", fixed" : " = ",
                         fixed ? "" : variable->expression);
    }
    x_user[v] = computed[v];
  }
  gannet_free(&computed);
  return err;
}
