/* Designs of the user that leave variables open, filled in so that they satisfy the variable
 * constraints. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "problem/conditional.h"
#include "problem/derived.h"
#include "problem/variable_constraints.h"

/* The constraints of a problem, and an equation for each free variable that is given. */
static gannet_err list_texts(const gannet_problem *problem, const double *given, int *n,
                             char **texts) {
  enum { LONGEST = 600 };
  const gannet_variable_constraints *c = problem->variable_constraints;
  char value[LONGEST / 2];
  for (int t = 0; c && t < c->n_texts; ++t)
    GANNET_TRY(gannet_copy_text(c->text[t], &texts[(*n)++]));
  for (int f = 0; f < problem->n_free; ++f) {
    const int v = problem->free_variable[f];
    const gannet_variable *variable = &problem->spec.variables[v];
    if (isnan(given[v]) || !isnan(gannet_problem_pinned(problem, v))) continue;
    gannet_problem_format(problem, v, given[v], value, sizeof value);
    const char *quote = !gannet_variable_has_words(variable) ? ""
                        : strchr(value, '\'')                ? "\""
                                                             : "'";
    /* An equation of listed numbers is true or false: it gives no variable. */
    const char *more = variable->type == GANNET_VARIABLE_ORDINAL ? " or 0 > 1" : "";
    GANNET_TRY(gannet_alloc(LONGEST, 1, &texts[*n]));
    (void)snprintf(texts[(*n)++], LONGEST, "%s == %s%s%s%s", variable->name, quote, value, quote,
                   more);
  }
  return GANNET_OK;
}

/* Give a copy of a problem its pinned variables and retired words, of those that are free in it. */
static gannet_err copy_pins(const gannet_problem *from, gannet_problem *to) {
  for (int f = 0; f < to->n_free; ++f) {
    const int v = to->free_variable[f];
    const double pin = gannet_problem_pinned(from, v);
    if (!isnan(pin)) GANNET_TRY(gannet_problem_pin(to, v, pin));
    for (int i = 0; i < from->spec.variables[v].n_values; ++i)
      if (gannet_problem_is_retired(from, v, i)) GANNET_TRY(gannet_problem_retire(to, v, i));
  }
  return GANNET_OK;
}

/* Make a problem of what is not given: variables that rest are not given, and conditional variables
 * that are given are fixed, and have to be active.
 *
 * x_user  inout  [n_variables] NAN = not given; what is surely inactive rests
 * given   out    [n_variables] what is left for equations
 */
static gannet_err create_narrow(const gannet_problem *problem, double *x_user, double *given,
                                bool *demands, gannet_problem **narrow) {
  const size_t n = (size_t)problem->spec.n_variables;
  gannet_problem_spec spec = problem->spec;
  gannet_variable *variables = NULL;
  gannet_activity *activity = NULL;
  bool *demanded = NULL;
  gannet_err err = gannet_alloc(n, sizeof *variables, &variables);
  if (err == GANNET_OK) err = gannet_alloc(n, sizeof *activity, &activity);
  if (err == GANNET_OK) err = gannet_alloc(n, sizeof *demanded, &demanded);
  if (err == GANNET_OK) {
    memcpy(variables, spec.variables, n * sizeof *variables);
    spec.variables = variables;
    gannet_conditional_settle(problem, x_user, activity);
    memcpy(given, x_user, n * sizeof *given);
    for (size_t v = 0; v < n; ++v) {
      if (!gannet_variable_is_conditional(&variables[v]) || variables[v].role != GANNET_ROLE_FREE)
        continue;
      given[v] = NAN;
      if (activity[v] == GANNET_IS_INACTIVE || isnan(x_user[v])) continue;
      variables[v].role = GANNET_ROLE_FIXED;
      variables[v].fixed = x_user[v];
      demanded[v] = *demands = true;
    }
    err = gannet_problem_create(&spec, narrow);
  }
  if (err == GANNET_OK) err = copy_pins(problem, *narrow);
  if (err == GANNET_OK) {
    (*narrow)->n_functions = problem->n_functions;
    err = gannet_variable_functions_copy(problem->n_functions, problem->function,
                                         &(*narrow)->function);
  }
  if (err == GANNET_OK && *demands) {
    (*narrow)->derived->demanded = demanded;
    demanded = NULL;
  }
  gannet_free(&variables);
  gannet_free(&activity);
  gannet_free(&demanded);
  return err;
}

gannet_err gannet_allowed_fill(const gannet_problem *problem, gannet_stream stream,
                               double *x_user) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  const int n_variables = problem->spec.n_variables;
  gannet_problem *narrow = NULL;
  char **texts = NULL;
  double *x_unit = NULL, *given = NULL;
  bool demands = false;
  int n = 0;
  if ((!c && problem->derived->n_conditional == 0) || problem->pool) return GANNET_OK;
  gannet_err err =
      gannet_alloc((size_t)((c ? c->n_texts : 0) + n_variables), sizeof *texts, &texts);
  if (err == GANNET_OK) err = gannet_alloc((size_t)problem->d, sizeof *x_unit, &x_unit);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n_variables, sizeof *given, &given);
  if (err == GANNET_OK) err = create_narrow(problem, x_user, given, &demands, &narrow);
  if (err == GANNET_OK) err = list_texts(problem, given, &n, texts);
  if (err == GANNET_OK)
    err = gannet_variable_constraints_set(narrow, n, (const char *const *)texts, NULL);
  if (err == GANNET_OK && !narrow->variable_constraints) {
    gannet_random_uniform(stream, 0, (size_t)narrow->d, x_unit);
    gannet_problem_spread(narrow, 1, x_unit);
  } else if (err == GANNET_OK) {
    gannet_allowed_draw(narrow, stream, x_unit);
  }
  if (err == GANNET_OK) {
    gannet_problem_decode(narrow, x_unit, given);
    for (int v = 0; v < n_variables; ++v)
      if (isnan(x_user[v])) x_user[v] = given[v];
    gannet_problem_derive(problem, x_user);
    err = gannet_problem_check_allowed(problem, x_user);
  }
  if (err == GANNET_ERR_INPUT && demands) {
    gannet_error_clear();
    err =
        GANNET_RAISE(GANNET_ERR_INPUT,
                     "no design was found at which all variables that it gives are active%s; give "
                     "those that decide it, or leave one out",
                     c ? " and the variable constraints hold" : "");
  }
  gannet_problem_destroy(&narrow);
  for (int t = 0; t < n; ++t) gannet_free(&texts[t]);
  gannet_free(&texts);
  gannet_free(&x_unit);
  gannet_free(&given);
  GANNET_TRY(err);
  return GANNET_OK;
}
