/* Points and the allowed part of the box: whether a point is in it, how far it is from it, what the
 * dependent variables are there, and the constraints as rows for searches along gradients. */
#include <math.h>
#include <string.h>

#include "problem/conditional.h"
#include "problem/derived.h"
#include "problem/variable_constraints.h"

static const double nowhere = 1e3; /* violation where a side has no value */

/* What an equation may miss: the rounding of its terms where it is linear. */
static double tolerance_of(const gannet_relation_use *use, int n_variables, const double *x_user,
                           double size) {
  const double rounding = 1e-12;
  if (!use->is_linear) return GANNET_EQUATION_TOLERANCE * fmax(size, use->scale);
  double terms = fabs(use->offset);
  for (int v = 0; v < n_variables; ++v)
    if (use->slope[v] != 0) terms += fabs(use->slope[v] * x_user[v]);
  return rounding * fmax(size, terms);
}

/* Whether a relation is judged at a point: no variable that it names is inactive there.
 *
 * active  in  [n_variables]; NULL = all are
 */
static bool is_judged(const gannet_variable_constraints *c, int n_variables, int i,
                      const bool *active) {
  const gannet_relation *relation = &c->relation[i];
  for (int v = 0; v < n_variables && active && c->use[i].is_conditional; ++v)
    if (!active[v] && (gannet_variable_expression_uses(relation->left, v) ||
                       (relation->right && gannet_variable_expression_uses(relation->right, v))))
      return false;
  return true;
}

/* By how much a point misses relation i, in units of its scale; 0 = not at all, or not judged. */
static double miss_of(const gannet_variable_constraints *c, int n_variables, int i,
                      const double *x_user, const bool *active) {
  const gannet_relation *relation = &c->relation[i];
  const gannet_relation_use *use = &c->use[i];
  const double least = 1e-12; /* of what is violated by nothing, as a < a */
  double size;
  if (!is_judged(c, n_variables, i, active)) return 0;
  if (relation->type == GANNET_RELATION_CONDITION) {
    const double truth = gannet_variable_expression_value(relation->left, x_user);
    return truth != 0 && !isnan(truth) ? 0 : 1;
  }
  const double slack = gannet_relation_slack(relation, x_user, &size);
  if (isnan(slack)) return nowhere;
  if (relation->type == GANNET_RELATION_EQUAL) {
    const double over = fabs(slack) - tolerance_of(use, n_variables, x_user, size);
    return over > 0 ? fmin(fabs(slack) / use->scale + least, nowhere) : 0;
  }
  if (slack > 0 || (slack == 0 && relation->type == GANNET_RELATION_AT_MOST)) return 0;
  return fmin(-slack / use->scale + least, nowhere);
}

/* The first variable of a point that has another value than its pin, or a retired word; -1 = none.
 */
static int find_unwanted(const gannet_problem *problem, const double *x_user, const bool *active,
                         int from) {
  if (!problem->pin && !problem->retired) return -1;
  for (int v = from; v < problem->spec.n_variables; ++v) {
    const double pin = gannet_problem_pinned(problem, v);
    if (active && !active[v]) continue;
    if (!isnan(pin) && x_user[v] != pin) return v;
    if (gannet_variable_has_words(&problem->spec.variables[v]) &&
        gannet_problem_is_retired(problem, v, (int)x_user[v]))
      return v;
  }
  return -1;
}

/* The sum over all relations, or over the first ones, once it and excess exceed most. */
static double violation_of(const gannet_problem *problem, const double *x_user, double excess,
                           double most) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  const bool *active = gannet_conditional_find_active(problem, x_user);
  const bool *demanded = problem->derived->demanded;
  double sum = 0;
  for (int i = 0; i < c->n && excess + sum <= most; ++i)
    sum += miss_of(c, problem->spec.n_variables, i, x_user, active);
  for (int v = 0; demanded && v < problem->spec.n_variables; ++v) sum += demanded[v] && !active[v];
  for (int v = find_unwanted(problem, x_user, active, 0); v >= 0;
       v = find_unwanted(problem, x_user, active, v + 1))
    sum += 1;
  return sum;
}

static gannet_err raise_unwanted(const gannet_problem *problem, int v, const double *x_user) {
  const double pin = gannet_problem_pinned(problem, v);
  const char *name = problem->spec.variables[v].name;
  char value[200], pinned[200];
  gannet_problem_format(problem, v, x_user[v], value, sizeof value);
  GANNET_REQUIRE(!isnan(pin), GANNET_ERR_INPUT,
                 "the design has %s = %s, a value that no proposal has any more (retired); choose "
                 "another",
                 name, value);
  gannet_problem_format(problem, v, pin, pinned, sizeof pinned);
  return GANNET_RAISE(GANNET_ERR_INPUT,
                      "the design has %s = %s, but the variable is fixed at %s; leave it out", name,
                      value, pinned);
}

gannet_err gannet_problem_check_allowed(const gannet_problem *problem, const double *x_user) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  const int n = problem->spec.n_variables;
  const bool *active = gannet_conditional_find_active(problem, x_user);
  const int unwanted = find_unwanted(problem, x_user, active, 0);
  if (unwanted >= 0) return raise_unwanted(problem, unwanted, x_user);
  for (int i = 0; c && i < c->n; ++i) {
    const gannet_relation *relation = &c->relation[i];
    if (!(miss_of(c, n, i, x_user, active) > 0)) continue;
    const char *text = c->text[c->use[i].text];
    GANNET_REQUIRE(relation->type != GANNET_RELATION_CONDITION, GANNET_ERR_INPUT,
                   "the design violates the variable constraint '%.200s', expected to hold", text);
    GANNET_REQUIRE(
        !relation->function, GANNET_ERR_INPUT,
        "the design violates the variable constraint '%.200s': its slack is %g, expected "
        "at least 0",
        text, relation->function->slack(relation->function->user, x_user));
    return GANNET_RAISE(GANNET_ERR_INPUT,
                        "the design violates the variable constraint '%.200s', expected to hold: "
                        "%g on its left and %g on its right",
                        text, gannet_variable_expression_value(relation->left, x_user),
                        gannet_variable_expression_value(relation->right, x_user));
  }
  return GANNET_OK;
}

bool gannet_problem_allows_values(const gannet_problem *problem, const double *x_user) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  return !c || violation_of(problem, x_user, 0, 0) == 0;
}

bool gannet_problem_allows(const gannet_problem *problem, const double *x_unit) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  if (!c || problem->pool) return true;
  gannet_problem_decode(problem, x_unit, c->x_user);
  return gannet_problem_allows_values(problem, c->x_user);
}

/* dx/du of a real variable. */
static double unit_slope(const gannet_variable *v, double x) {
  return gannet_variable_is_log(v) ? x * log(v->upper / v->lower) : v->upper - v->lower;
}

/* The value that the others give a dependent variable; it may lie outside of the bounds. */
static double dependent_value(const gannet_dependent *one, int n_variables, const double *x_user) {
  double value = one->constant;
  for (int v = 0; v < n_variables; ++v)
    if (one->share[v] != 0) value += one->share[v] * x_user[v];
  return value;
}

/* The point as the simulation will read it is left in x_user. */
double gannet_allowed_follow(const gannet_problem *problem, double *x_unit) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  double excess = 0;
  if (!c) gannet_conditional_rest(problem, x_unit);
  if (!c) return 0;
  gannet_problem_decode(problem, x_unit, c->x_user);
  for (int p = 0; p < c->n_dependent; ++p) {
    const gannet_dependent *one = &c->dependent[p];
    const gannet_variable *v = &problem->spec.variables[one->variable];
    const double value = dependent_value(one, problem->spec.n_variables, c->x_user);
    const double inside = p < c->n_pinned ? value : fmin(fmax(value, v->lower), v->upper);
    if (inside != value) excess += fabs(value - inside) / (v->upper - v->lower);
    gannet_variable_encode(v, inside, x_unit + problem->first[one->variable]);
    if (p < c->n_pinned) c->x_user[one->variable] = value;
  }
  for (int p = c->n_pinned; p < c->n_dependent; ++p) {
    const int v = c->dependent[p].variable;
    c->x_user[v] = gannet_variable_decode(&problem->spec.variables[v], x_unit + problem->first[v]);
  }
  if (c->n_dependent > 0) gannet_problem_derive(problem, c->x_user);
  gannet_conditional_rest(problem, x_unit);
  return excess;
}

/* right - left of relation i at a point whose dependent variables follow, 0 where it is not judged.
 * x_unit is completed. */
static double slack_at(const gannet_problem *problem, int i, double *x_unit, double *tolerance) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  double size;
  (void)gannet_allowed_follow(problem, x_unit);
  const double slack = gannet_relation_slack(&c->relation[i], c->x_user, &size);
  *tolerance = tolerance_of(&c->use[i], problem->spec.n_variables, c->x_user, size);
  if (c->use[i].is_conditional && !is_judged(c, problem->spec.n_variables, i,
                                             gannet_conditional_find_active(problem, c->x_user)))
    return 0;
  return slack;
}

/* Gradient of right - left of relation i by differences; only continuous free coordinates. Returns
 * right - left. */
static double slack_slope(const gannet_problem *problem, int i, const double *x_unit,
                          double *slope) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  const size_t d = (size_t)problem->d;
  const double step = 1e-6;
  double *moved = c->scratch, unused;
  memcpy(moved, x_unit, d * sizeof *moved);
  const double here = slack_at(problem, i, moved, &unused);
  memset(slope, 0, d * sizeof *slope);
  for (int v = 0; v < problem->spec.n_variables; ++v) {
    const int k = problem->first[v];
    if (!c->is_searched[v] || !problem->continuous[k]) continue;
    const double way = x_unit[k] + step <= 1 ? step : -step;
    memcpy(moved, x_unit, d * sizeof *moved);
    moved[k] += way;
    const double there = slack_at(problem, i, moved, &unused);
    if (isfinite(there)) slope[k] = (there - here) / way;
  }
  return here;
}

/* Newton steps, one equation after the other (Kaczmarz), until all hold, or what they miss is not
 * halved by a few rounds. */
static void project_onto_equations(const gannet_problem *problem, double *x_unit) {
  enum { ROUNDS = 60, PATIENCE = 4 };
  const gannet_variable_constraints *c = problem->variable_constraints;
  const int d = problem->d;
  double *slope = c->scratch + d, tolerance, before = INFINITY;
  for (int round = 0; round < ROUNDS; ++round) {
    double missed = 0;
    for (int i = 0; i < c->n; ++i) {
      if (c->relation[i].type != GANNET_RELATION_EQUAL || c->use[i].is_dependent) continue;
      if (fabs(slack_at(problem, i, x_unit, &tolerance)) <= 0.1 * tolerance) continue;
      const double slack = slack_slope(problem, i, x_unit, slope);
      double square = 0;
      for (int k = 0; k < d; ++k) square += slope[k] * slope[k];
      missed += fmin(fabs(slack) / c->use[i].scale, nowhere);
      if (!(square > 0) || !isfinite(slack)) continue;
      for (int k = 0; k < d; ++k)
        if (slope[k] != 0) x_unit[k] = fmin(fmax(x_unit[k] - slack * slope[k] / square, 0), 1);
    }
    if (missed == 0 || (round % PATIENCE == 0 && missed > 0.5 * before)) return;
    if (round % PATIENCE == 0) before = missed;
  }
}

/* Move to the nearest combinations of values that meet equations, the first of several: in a few
 * rounds, as equations may have variables in common. */
static void take_combinations(const gannet_problem *problem, double *x_unit) {
  enum { ROUNDS = 8 };
  const gannet_variable_constraints *c = problem->variable_constraints;
  int at_rest = 0; /* equations in a row that did not move the point */
  for (int t = 0; t < ROUNDS * c->n_listed && at_rest < c->n_listed; ++t) {
    const gannet_combinations *listed = &c->listed[t % c->n_listed];
    const double *best = listed->row;
    double least = INFINITY;
    for (int r = 0; r < listed->n_rows && least > 0; ++r) {
      const double *row = listed->row + (size_t)r * (size_t)listed->n;
      double sum = 0;
      for (int i = 0; i < listed->n && sum < least; ++i) {
        const double way = row[i] - x_unit[problem->first[listed->variable[i]]];
        sum += way * way;
      }
      if (sum >= least) continue;
      least = sum;
      best = row;
    }
    at_rest = least > 0 ? 0 : at_rest + 1;
    for (int i = 0; i < listed->n; ++i) x_unit[problem->first[listed->variable[i]]] = best[i];
  }
}

double gannet_allowed_complete(const gannet_problem *problem, double *x_unit) {
  return gannet_allowed_complete_within(problem, INFINITY, x_unit);
}

double gannet_allowed_complete_within(const gannet_problem *problem, double most, double *x_unit) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  gannet_problem_snap(problem, 1, x_unit);
  if (!c || problem->pool) return 0;
  take_combinations(problem, x_unit);
  if (c->has_curved_equation) project_onto_equations(problem, x_unit);
  const double excess = gannet_allowed_follow(problem, x_unit);
  return excess + violation_of(problem, c->x_user, excess, most);
}

bool gannet_allowed_depends(const gannet_problem *problem, int coordinate) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  for (int p = 0; c && p < c->n_dependent; ++p) {
    const int v = c->dependent[p].variable, k = coordinate - problem->first[v];
    if (0 <= k && k < gannet_variable_width(&problem->spec.variables[v])) return true;
  }
  return false;
}

/* Rows. */

int gannet_allowed_count_rows(const gannet_problem *problem) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  return c && !problem->pool ? c->n_rows : 0;
}

/* Add share[v] dx/du of each continuous free variable, times a factor, to a gradient. */
static void add_slope(const gannet_problem *problem, const double *share, double factor,
                      const double *x_user, double *gradient) {
  for (int v = 0; v < problem->spec.n_variables; ++v) {
    const int k = problem->first[v];
    if (share[v] == 0 || !problem->continuous[k]) continue;
    gradient[k] += factor * share[v] * unit_slope(&problem->spec.variables[v], x_user[v]);
  }
}

void gannet_allowed_rows(const gannet_problem *problem, const double *x_unit, double *values,
                         double *slopes) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  const size_t d = (size_t)problem->d;
  double *slope = slopes, *completed = c->scratch + 2 * d, tolerance;
  int row = 0;
  memset(slopes, 0, (size_t)c->n_rows * d * sizeof *slopes);
  memcpy(completed, x_unit, d * sizeof *completed);
  for (int i = 0; i < c->n; ++i) {
    const gannet_relation_use *use = &c->use[i];
    const bool equation = c->relation[i].type == GANNET_RELATION_EQUAL;
    if (c->relation[i].type == GANNET_RELATION_CONDITION || use->is_dependent) continue;
    double slack = use->is_linear ? slack_at(problem, i, completed, &tolerance)
                                  : slack_slope(problem, i, completed, slope);
    if (use->is_linear) add_slope(problem, use->reduced, 1, c->x_user, slope);
    if (!isfinite(slack)) slack = -nowhere * use->scale;
    for (size_t k = 0; k < d; ++k) slope[k] /= -use->scale;
    values[row++] = -slack / use->scale;
    slope += d;
    if (!equation) continue;
    for (size_t k = 0; k < d; ++k) slope[k] = -slope[k - d];
    values[row] = -values[row - 1];
    row += 1;
    slope += d;
  }
  (void)gannet_allowed_follow(problem, completed);
  for (int p = c->n_pinned; p < c->n_dependent; ++p, row += 2, slope += 2 * d) {
    const gannet_dependent *one = &c->dependent[p];
    const gannet_variable *v = &problem->spec.variables[one->variable];
    const double range = v->upper - v->lower;
    const double value = dependent_value(one, problem->spec.n_variables, c->x_user);
    values[row] = (v->lower - value) / range;
    values[row + 1] = (value - v->upper) / range;
    add_slope(problem, one->share, -1 / range, c->x_user, slope);
    add_slope(problem, one->share, 1 / range, c->x_user, slope + d);
  }
}

void gannet_allowed_pull_back(const gannet_problem *problem, const double *x_unit,
                              double *gradient) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  gannet_conditional_hold(problem, x_unit, gradient);
  if (!c || c->n_dependent == 0) return;
  gannet_problem_decode(problem, x_unit, c->x_user);
  for (int p = 0; p < c->n_dependent; ++p) {
    const gannet_dependent *one = &c->dependent[p];
    const int k = problem->first[one->variable];
    const gannet_variable *v = &problem->spec.variables[one->variable];
    const double along = gradient[k] / unit_slope(v, c->x_user[one->variable]);
    for (int i = 0; i < gannet_variable_width(v); ++i) gradient[k + i] = 0;
    if (problem->continuous[k] && p >= c->n_pinned)
      add_slope(problem, one->share, along, c->x_user, gradient);
  }
}
