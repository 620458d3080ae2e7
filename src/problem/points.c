/* The admissible points of a problem: those of the box, or those of a list of candidates; and its
 * objective and constraints in the internal sense.
 */
#include <math.h>
#include <string.h>

#include "problem/conditional.h"
#include "problem/derived.h"
#include "problem/pool.h"
#include "problem/problem.h"
#include "problem/variable_constraints.h"

/* The nearest candidate, in the user's units. */
static const double *nearest_candidate(const gannet_problem *problem, const double *x_unit) {
  return gannet_pool_row(problem->pool, gannet_pool_nearest(problem->pool, problem, x_unit, NULL));
}

/* Whether a real variable has the coordinate of its pin, from which the value would be found again
 * but for rounding. */
static bool is_at_pin(const gannet_problem *problem, int v, const double *x_unit) {
  const double rounding = 1e-12;
  double pinned;
  if (isnan(problem->pin[v]) || !problem->continuous[problem->first[v]]) return false;
  gannet_variable_encode(&problem->spec.variables[v], problem->pin[v], &pinned);
  return fabs(x_unit[problem->first[v]] - pinned) <= rounding;
}

void gannet_problem_decode(const gannet_problem *problem, const double *x_unit, double *x_user) {
  if (problem->pool) {
    memcpy(x_user, nearest_candidate(problem, x_unit),
           (size_t)problem->spec.n_variables * sizeof *x_user);
    return;
  }
  for (int f = 0; f < problem->n_free; ++f) {
    const int i = problem->free_variable[f];
    x_user[i] = gannet_variable_decode(&problem->spec.variables[i], x_unit + problem->first[i]);
    if (problem->pin && is_at_pin(problem, i, x_unit)) x_user[i] = problem->pin[i];
  }
  gannet_problem_derive(problem, x_user);
}

void gannet_problem_snap(const gannet_problem *problem, int n, double *x_unit) {
  for (int p = 0; p < n; ++p, x_unit += problem->d) {
    if (problem->pool) {
      gannet_problem_encode(problem, nearest_candidate(problem, x_unit), x_unit);
      continue;
    }
    for (int f = 0; f < problem->n_free; ++f) {
      const int i = problem->free_variable[f], k = problem->first[i];
      gannet_variable_snap(&problem->spec.variables[i], problem->continuous[k], x_unit + k);
    }
    gannet_conditional_rest(problem, x_unit);
  }
}

void gannet_problem_widen(const gannet_problem *problem, double *origin, double *width) {
  for (int f = 0; f < problem->n_free; ++f) {
    const int i = problem->free_variable[f], k = problem->first[i];
    gannet_variable_widen(&problem->spec.variables[i], &origin[k], &width[k]);
  }
}

void gannet_problem_spread(const gannet_problem *problem, int n, double *x_unit) {
  if (problem->pool) return;
  for (int f = 0; f < problem->n_free; ++f) {
    const int i = problem->free_variable[f];
    double origin = 0, width = 1, *x = x_unit + problem->first[i];
    gannet_variable_widen(&problem->spec.variables[i], &origin, &width);
    if (gannet_variable_has_numbers(&problem->spec.variables[i])) {
      /* Every value of a set counts equally, however far apart they are. */
      const gannet_variable *v = &problem->spec.variables[i];
      for (int p = 0; p < n; ++p, x += problem->d) {
        const int t = (int)(*x * v->n_values);
        gannet_variable_encode(v, v->numbers[t < v->n_values ? t : v->n_values - 1], x);
      }
      continue;
    }
    if (width == 1) continue;
    for (int p = 0; p < n; ++p, x += problem->d) *x = origin + width * *x;
  }
}

int gannet_problem_count_switches(const gannet_problem *problem) {
  int n = 0;
  for (int i = 0; i < problem->spec.n_variables; ++i)
    n += gannet_variable_switches(&problem->spec.variables[i]);
  return n;
}

double gannet_problem_count_points(const gannet_problem *problem) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  double count = 1;
  if (!problem->pool && c && c->n_allowed >= 0) return (double)c->n_allowed;
  if (problem->pool) return (double)gannet_pool_count(problem->pool);
  if (problem->derived->n_listed >= 0) return (double)problem->derived->n_listed;
  for (int i = 0; i < problem->spec.n_variables; ++i)
    count *= gannet_variable_count(&problem->spec.variables[i]);
  return count;
}

void gannet_problem_get_point(const gannet_problem *problem, int64_t t, double *x_unit) {
  if (problem->pool) {
    gannet_problem_encode(problem, gannet_pool_row(problem->pool, t), x_unit);
    return;
  }
  const gannet_variable_constraints *c = problem->variable_constraints;
  if (c && c->n_allowed >= 0) t = c->allowed[t];
  if (problem->derived->n_listed >= 0) t = problem->derived->listed[t];
  for (int f = 0; f < problem->n_free; ++f) {
    const int i = problem->free_variable[f];
    const gannet_variable *v = &problem->spec.variables[i];
    const int64_t n = (int64_t)gannet_variable_count(v);
    gannet_variable_encode(v, gannet_variable_value(v, t % n), x_unit + problem->first[i]);
    t /= n;
  }
  gannet_conditional_rest(problem, x_unit);
}

double gannet_problem_flip(const gannet_problem *problem, double objective) {
  return problem->spec.goal == GANNET_MAXIMIZE ? -objective : objective;
}

/* The difference of two finite numbers may be infinite: it is cut. */
double gannet_problem_excess(double high, double low) {
  const double most = 1e300, excess = high - low;
  return excess > most ? most : excess < -most ? -most : excess; /* NAN stays */
}

void gannet_problem_bounds(const gannet_problem *problem, const double *values, double *c) {
  int at = 0;
  for (int k = 0; k < problem->spec.n_constraints; ++k) {
    const gannet_constraint *constraint = &problem->spec.constraints[k];
    if (constraint->upper < INFINITY) c[at++] = gannet_problem_excess(values[k], constraint->upper);
    if (constraint->lower > -INFINITY)
      c[at++] = gannet_problem_excess(constraint->lower, values[k]);
  }
}

bool gannet_problem_find_bound(const gannet_problem *problem, int j, int *constraint) {
  int at = -1;
  for (int k = 0; k < problem->spec.n_constraints; ++k) {
    *constraint = k;
    if (problem->spec.constraints[k].upper < INFINITY && ++at == j) return true;
    if (problem->spec.constraints[k].lower > -INFINITY && ++at == j) return false;
  }
  return false;
}

int gannet_problem_find_missing(const gannet_problem *problem, int from, double objective,
                                const double *constraints) {
  for (int i = from; i <= problem->spec.n_constraints; ++i)
    if (isnan(i > 0 ? constraints[i - 1] : objective)) return i;
  return -1;
}

int gannet_problem_feasibility(const gannet_problem *problem, double objective,
                               const double *constraints) {
  for (int k = 0; k < problem->spec.n_constraints; ++k)
    if (constraints[k] > problem->spec.constraints[k].upper ||
        constraints[k] < problem->spec.constraints[k].lower)
      return 0;
  return gannet_problem_find_missing(problem, 0, objective, constraints) < 0 ? 1 : -1;
}

bool gannet_problem_is_feasible(const gannet_problem *problem, const double *values) {
  for (int k = 0; k < problem->spec.n_constraints; ++k)
    if (!(values[k] <= problem->spec.constraints[k].upper &&
          values[k] >= problem->spec.constraints[k].lower))
      return false;
  return true;
}
