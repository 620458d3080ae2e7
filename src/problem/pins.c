/* Pinned variables and retired words: dimensions of the models whose other values no proposal has.
 */
#include <math.h>

#include "base/memory.h"
#include "problem/problem.h"

gannet_err gannet_problem_pin(gannet_problem *problem, int v, double value) {
  const size_t n = (size_t)problem->spec.n_variables;
  if (!problem->pin) {
    GANNET_TRY(gannet_alloc(n, sizeof *problem->pin, &problem->pin));
    for (size_t i = 0; i < n; ++i) problem->pin[i] = NAN;
  }
  problem->pin[v] = value;
  return GANNET_OK;
}

gannet_err gannet_problem_retire(gannet_problem *problem, int v, int word) {
  const size_t n = (size_t)problem->spec.n_variables;
  const size_t n_values = (size_t)problem->spec.variables[v].n_values;
  if (!problem->retired) GANNET_TRY(gannet_alloc(n, sizeof *problem->retired, &problem->retired));
  if (!problem->retired[v])
    GANNET_TRY(gannet_alloc(n_values, sizeof **problem->retired, &problem->retired[v]));
  problem->retired[v][word] = true;
  return GANNET_OK;
}

double gannet_problem_pinned(const gannet_problem *problem, int v) {
  return problem->pin ? problem->pin[v] : NAN;
}

bool gannet_problem_is_retired(const gannet_problem *problem, int v, int word) {
  return problem->retired && problem->retired[v] && problem->retired[v][word];
}

bool gannet_problem_is_fixed(const gannet_problem *problem, int v, double *value) {
  const bool is_pinned = !isnan(gannet_problem_pinned(problem, v));
  if (!is_pinned && problem->spec.variables[v].role != GANNET_ROLE_FIXED) return false;
  *value = is_pinned ? problem->pin[v] : problem->spec.variables[v].fixed;
  return true;
}
