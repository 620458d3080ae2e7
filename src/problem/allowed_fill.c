/* Designs of the user that leave variables open, filled in so that they satisfy the variable
 * constraints. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "problem/variable_constraints.h"

/* The constraints of a problem, and an equation for each free variable that is given. */
static gannet_err list_texts(const gannet_problem *problem, const double *given, int *n,
                             char **texts) {
  enum { LONGEST = 600 };
  const gannet_variable_constraints *c = problem->variable_constraints;
  char value[LONGEST / 2];
  for (int t = 0; t < c->n_texts; ++t) GANNET_TRY(gannet_copy_text(c->text[t], &texts[(*n)++]));
  for (int f = 0; f < problem->n_free; ++f) {
    const int v = problem->free_variable[f];
    const gannet_variable *variable = &problem->spec.variables[v];
    if (isnan(given[v])) continue;
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

gannet_err gannet_allowed_fill(const gannet_problem *problem, gannet_stream stream,
                               double *x_user) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  const int n_variables = problem->spec.n_variables;
  gannet_problem *narrow = NULL;
  char **texts = NULL;
  double *x_unit = NULL, *filled = NULL;
  int n = 0;
  if (!c || problem->pool) return GANNET_OK;
  gannet_err err = gannet_problem_create(&problem->spec, &narrow);
  if (err == GANNET_OK)
    err =
        gannet_variable_functions_copy(problem->n_functions, problem->function, &narrow->function);
  if (err == GANNET_OK) narrow->n_functions = problem->n_functions;
  if (err == GANNET_OK)
    err = gannet_alloc((size_t)(c->n_texts + n_variables), sizeof *texts, &texts);
  if (err == GANNET_OK) err = gannet_alloc((size_t)problem->d, sizeof *x_unit, &x_unit);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n_variables, sizeof *filled, &filled);
  if (err == GANNET_OK) err = list_texts(problem, x_user, &n, texts);
  if (err == GANNET_OK)
    err = gannet_variable_constraints_set(narrow, n, (const char *const *)texts, NULL);
  if (err == GANNET_OK) {
    gannet_allowed_draw(narrow, stream, x_unit);
    gannet_problem_decode(problem, x_unit, filled);
    for (int v = 0; v < n_variables; ++v)
      if (isnan(x_user[v])) x_user[v] = filled[v];
    gannet_problem_derive(problem, x_user);
    err = gannet_problem_check_allowed(problem, x_user);
  }
  gannet_problem_destroy(&narrow);
  for (int t = 0; t < n; ++t) gannet_free(&texts[t]);
  gannet_free(&texts);
  gannet_free(&x_unit);
  gannet_free(&filled);
  GANNET_TRY(err);
  return GANNET_OK;
}
