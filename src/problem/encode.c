/* Between the user's units and the unit cube. */
#include <math.h>
#include <string.h>

#include "problem/pool.h"
#include "problem/problem.h"

/* Numbers in their order; zero has one number for both signs. */
static int64_t rank_of(double value) {
  int64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits < 0 ? INT64_MIN - bits : bits;
}

static double number_of(int64_t rank) {
  const int64_t bits = rank < 0 ? INT64_MIN - rank : rank;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static double count_numbers(double lower, double upper) {
  const double most = 1e9;
  const double count = (double)((uint64_t)rank_of(upper) - (uint64_t)rank_of(lower)) + 1;
  return count <= most ? count : INFINITY;
}

double gannet_variable_count(const gannet_variable *v) {
  switch (v->type) {
    case GANNET_VARIABLE_INTEGER:
      return v->upper - v->lower + 1;
    case GANNET_VARIABLE_BOOLEAN:
      return 2;
    case GANNET_VARIABLE_CATEGORICAL:
      return v->n_values;
    default:
      return count_numbers(v->lower, v->upper);
  }
}

static bool is_few_reals(const gannet_variable *v) {
  return v->type == GANNET_VARIABLE_REAL && isfinite(gannet_variable_count(v));
}

bool gannet_variable_is_log(const gannet_variable *v) {
  return v->scale == GANNET_SCALE_LOG && !is_few_reals(v);
}

bool gannet_variable_has_steps(const gannet_variable *v) {
  return v->type == GANNET_VARIABLE_INTEGER || is_few_reals(v);
}

bool gannet_variable_switches(const gannet_variable *v) {
  return v->type == GANNET_VARIABLE_BOOLEAN || v->type == GANNET_VARIABLE_CATEGORICAL;
}

int gannet_problem_count_switches(const gannet_problem *problem) {
  int n = 0;
  for (int i = 0; i < problem->spec.n_variables; ++i)
    n += gannet_variable_switches(&problem->spec.variables[i]);
  return n;
}

double gannet_variable_next(const gannet_variable *v, double value, bool larger) {
  if (larger ? value >= v->upper : value <= v->lower) return value;
  if (v->type == GANNET_VARIABLE_INTEGER) return value + (larger ? 1 : -1);
  return nextafter(value, larger ? INFINITY : -INFINITY);
}

static double clip(double u) {
  return u < 0 ? 0 : u > 1 ? 1 : u; /* NAN passes through and is caught by the checks */
}

static double to_unit(const gannet_variable *v, double value) {
  if (gannet_variable_is_log(v)) return clip(log(value / v->lower) / log(v->upper / v->lower));
  return clip((value - v->lower) / (v->upper - v->lower));
}

/* The ends are returned exactly, whatever rounding does in between. */
static double from_unit(const gannet_variable *v, double u) {
  double value;
  if (u <= 0) return v->lower;
  if (u >= 1) return v->upper;
  if (gannet_variable_is_log(v))
    value = v->lower * exp(u * log(v->upper / v->lower));
  else
    value = v->lower + u * (v->upper - v->lower);
  return value < v->lower ? v->lower : value > v->upper ? v->upper : value;
}

static int largest(int n, const double *x) {
  int best = 0;
  for (int i = 1; i < n; ++i)
    if (x[i] > x[best]) best = i;
  return best;
}

static double decode_one(const gannet_variable *v, const double *x_unit) {
  switch (v->type) {
    case GANNET_VARIABLE_INTEGER:
      return floor(from_unit(v, clip(x_unit[0])) + 0.5);
    case GANNET_VARIABLE_BOOLEAN:
      return x_unit[0] >= 0.5;
    case GANNET_VARIABLE_CATEGORICAL:
      return largest(v->n_values, x_unit);
    default:
      return from_unit(v, clip(x_unit[0]));
  }
}

static void encode_one(const gannet_variable *v, double value, double *x_unit) {
  if (v->type == GANNET_VARIABLE_CATEGORICAL) {
    memset(x_unit, 0, (size_t)v->n_values * sizeof *x_unit);
    x_unit[(int)value] = 1;
  } else if (v->type == GANNET_VARIABLE_BOOLEAN) {
    x_unit[0] = value != 0;
  } else {
    x_unit[0] = to_unit(v, value);
  }
}

void gannet_problem_encode(const gannet_problem *problem, const double *x_user, double *x_unit) {
  for (int i = 0; i < problem->spec.n_variables; ++i)
    encode_one(&problem->spec.variables[i], x_user[i], x_unit + problem->first[i]);
}

static double gap_of(const gannet_variable *v, double value, const double *x_unit) {
  double part[1], sum = 0;
  if (v->type != GANNET_VARIABLE_CATEGORICAL) {
    encode_one(v, value, part);
    return (x_unit[0] - part[0]) * (x_unit[0] - part[0]);
  }
  for (int i = 0; i < v->n_values; ++i) {
    const double gap = x_unit[i] - (i == (int)value);
    sum += gap * gap;
  }
  return sum;
}

double gannet_problem_gap(const gannet_problem *problem, const double *x_user,
                          const double *x_unit) {
  double sum = 0;
  for (int i = 0; i < problem->spec.n_variables; ++i)
    sum += gap_of(&problem->spec.variables[i], x_user[i], x_unit + problem->first[i]);
  return sum;
}

/* The nearest listed design, in the user's units. */
static const double *listed(const gannet_problem *problem, const double *x_unit) {
  return gannet_pool_row(problem->pool, gannet_pool_nearest(problem->pool, problem, x_unit, NULL));
}

void gannet_problem_decode(const gannet_problem *problem, const double *x_unit, double *x_user) {
  if (problem->pool) {
    memcpy(x_user, listed(problem, x_unit), (size_t)problem->spec.n_variables * sizeof *x_user);
    return;
  }
  for (int i = 0; i < problem->spec.n_variables; ++i)
    x_user[i] = decode_one(&problem->spec.variables[i], x_unit + problem->first[i]);
}

static void snap_to_list(const gannet_problem *problem, int n, double *x_unit) {
  for (int p = 0; p < n; ++p, x_unit += problem->d)
    gannet_problem_encode(problem, listed(problem, x_unit), x_unit);
}

void gannet_problem_snap(const gannet_problem *problem, int n, double *x_unit) {
  if (problem->pool) {
    snap_to_list(problem, n, x_unit);
    return;
  }
  for (int p = 0; p < n; ++p, x_unit += problem->d)
    for (int i = 0; i < problem->spec.n_variables; ++i) {
      const gannet_variable *v = &problem->spec.variables[i];
      double *part = x_unit + problem->first[i];
      if (problem->continuous[problem->first[i]])
        part[0] = clip(part[0]);
      else
        encode_one(v, decode_one(v, part), part);
    }
}

/* Half a step of the grid at both ends gives the outer numbers the same share as the others. */
static void widen_one(const gannet_variable *v, double *origin, double *width) {
  if (!gannet_variable_has_steps(v)) return;
  double below = 0.5 / (is_few_reals(v) ? gannet_variable_count(v) - 1 : v->upper - v->lower);
  double above = below;
  if (gannet_variable_is_log(v)) {
    const double range = log(v->upper / v->lower);
    const double low = v->lower * exp(*origin * range);
    const double high = v->lower * exp((*origin + *width) * range);
    below = log(low / (low - 0.5)) / range;
    above = log((high + 0.5) / high) / range;
  }
  *origin -= below;
  *width += below + above;
}

void gannet_problem_widen(const gannet_problem *problem, double *origin, double *width) {
  for (int i = 0; i < problem->spec.n_variables; ++i) {
    const int k = problem->first[i];
    widen_one(&problem->spec.variables[i], &origin[k], &width[k]);
  }
}

void gannet_problem_spread(const gannet_problem *problem, int n, double *x_unit) {
  if (problem->pool) return;
  for (int i = 0; i < problem->spec.n_variables; ++i) {
    double origin = 0, width = 1, *x = x_unit + problem->first[i];
    widen_one(&problem->spec.variables[i], &origin, &width);
    if (width == 1) continue;
    for (int p = 0; p < n; ++p, x += problem->d) *x = origin + width * *x;
  }
}

double gannet_problem_count_points(const gannet_problem *problem) {
  double count = 1;
  if (problem->pool) return (double)gannet_pool_count(problem->pool);
  for (int i = 0; i < problem->spec.n_variables; ++i)
    count *= gannet_variable_count(&problem->spec.variables[i]);
  return count;
}

static double value_at(const gannet_variable *v, int64_t t) {
  if (v->type == GANNET_VARIABLE_REAL) return number_of(rank_of(v->lower) + t);
  return (v->type == GANNET_VARIABLE_INTEGER ? v->lower : 0) + (double)t;
}

void gannet_problem_get_point(const gannet_problem *problem, int64_t t, double *x_unit) {
  if (problem->pool) {
    gannet_problem_encode(problem, gannet_pool_row(problem->pool, t), x_unit);
    return;
  }
  for (int i = 0; i < problem->spec.n_variables; ++i) {
    const gannet_variable *v = &problem->spec.variables[i];
    const int64_t n = (int64_t)gannet_variable_count(v);
    encode_one(v, value_at(v, t % n), x_unit + problem->first[i]);
    t /= n;
  }
}

double gannet_problem_flip(const gannet_problem *problem, double objective) {
  return problem->spec.goal == GANNET_MAXIMIZE ? -objective : objective;
}

/* What is finite and below a bound of the other sign may be beyond all numbers from it. */
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

bool gannet_problem_is_feasible(const gannet_problem *problem, const double *values) {
  for (int k = 0; k < problem->spec.n_constraints; ++k)
    if (!(values[k] <= problem->spec.constraints[k].upper &&
          values[k] >= problem->spec.constraints[k].lower))
      return false;
  return true;
}
