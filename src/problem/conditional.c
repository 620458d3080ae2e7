#include "problem/conditional.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain_environment.h"

enum {
  LISTED_POINTS = 100000, /* most points of a discrete problem that are listed */
  TRIED_DESIGNS = 4096    /* at which a condition is tried, where there are not fewer */
};

const bool *gannet_conditional_find_active(const gannet_problem *problem, const double *x_user) {
  const gannet_derived *derived = problem->derived;
  const size_t n = (size_t)problem->spec.n_variables;
  if (derived->n_conditional == 0) return NULL;
  memcpy(derived->x_user, x_user, n * sizeof *x_user);
  gannet_problem_derive(problem, derived->x_user);
  return derived->active;
}

bool gannet_problem_is_active(const gannet_problem *problem, int variable, const double *x_user) {
  if (!problem->derived->condition[variable]) return true;
  return gannet_conditional_find_active(problem, x_user)[variable];
}

gannet_err gannet_problem_get_active(const gannet_problem *problem, const double *x_user,
                                     int *active) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  GANNET_REQUIRE_POINTER(problem, "problem");
  GANNET_REQUIRE_POINTER(x_user, "x_user");
  GANNET_REQUIRE_POINTER(active, "active");
  const bool *found = gannet_conditional_find_active(problem, x_user);
  for (int v = 0; v < problem->spec.n_variables; ++v) active[v] = !found || found[v];
  return GANNET_OK;
}

/* Decode a point, and find out which variables are active there. */
static const bool *find_active_at(const gannet_problem *problem, const double *x_unit) {
  const gannet_derived *derived = problem->derived;
  for (int f = 0; f < problem->n_free; ++f) {
    const int v = problem->free_variable[f];
    derived->x_user[v] =
        gannet_variable_decode(&problem->spec.variables[v], x_unit + problem->first[v]);
  }
  gannet_problem_derive(problem, derived->x_user);
  return derived->active;
}

void gannet_conditional_rest(const gannet_problem *problem, double *x_unit) {
  if (problem->derived->n_conditional == 0 || problem->pool) return;
  const bool *active = find_active_at(problem, x_unit);
  for (int f = 0; f < problem->n_free; ++f) {
    const int v = problem->free_variable[f];
    if (!active[v])
      gannet_variable_encode(&problem->spec.variables[v], problem->derived->x_user[v],
                             x_unit + problem->first[v]);
  }
}

void gannet_conditional_refresh(const gannet_problem *problem, gannet_stream stream, uint64_t at,
                                double *x_unit) {
  if (problem->derived->n_conditional == 0 || problem->pool) return;
  const bool *active = find_active_at(problem, x_unit);
  for (int f = 0; f < problem->n_free; ++f) {
    const int v = problem->free_variable[f];
    const gannet_variable *variable = &problem->spec.variables[v];
    double *x = x_unit + problem->first[v], origin = 0, width = 1;
    if (active[v]) continue;
    gannet_variable_widen(variable, &origin, &width);
    gannet_random_uniform(stream, at + (uint64_t)problem->first[v],
                          (size_t)gannet_variable_width(variable), x);
    for (int k = 0; k < gannet_variable_width(variable); ++k) x[k] = origin + width * x[k];
  }
}

void gannet_conditional_hold(const gannet_problem *problem, const double *x_unit,
                             double *gradient) {
  if (problem->derived->n_conditional == 0) return;
  const bool *active = find_active_at(problem, x_unit);
  for (int f = 0; f < problem->n_free; ++f) {
    const int v = problem->free_variable[f];
    const int width = gannet_variable_width(&problem->spec.variables[v]);
    for (int k = 0; k < width && !active[v]; ++k) gradient[problem->first[v] + k] = 0;
  }
}

void gannet_conditional_settle(const gannet_problem *problem, double *x_user,
                               gannet_activity *activity) {
  const gannet_derived *derived = problem->derived;
  const gannet_variable *variables = problem->spec.variables;
  const int n = problem->spec.n_variables;
  double *x = derived->x_user;
  for (int v = 0; v < n; ++v) {
    derived->active[v] = true;
    derived->open[v] = false;
    x[v] = variables[v].role == GANNET_ROLE_FIXED     ? variables[v].fixed
           : variables[v].role == GANNET_ROLE_DERIVED ? NAN
                                                      : x_user[v];
  }
  for (int i = 0; i < derived->n; ++i) {
    const int v = derived->variable[i];
    if (derived->expression[v]) {
      for (int u = 0; u < n; ++u)
        if (gannet_derived_uses(derived, v, u))
          derived->open[v] = derived->open[v] || derived->open[u] || isnan(x[u]);
      if (!derived->open[v]) x[v] = gannet_derived_value(derived, v, &variables[v], x);
      continue;
    }
    const gannet_truth truth =
        gannet_condition_find_truth(derived->condition[v], x, derived->active, derived->open);
    derived->open[v] = truth == GANNET_TRUTH_OPEN;
    derived->active[v] = truth >= GANNET_TRUTH_OPEN;
    if (!derived->active[v]) x[v] = x_user[v] = gannet_variable_resting(&variables[v]);
  }
  for (int v = 0; v < n; ++v)
    activity[v] = !derived->active[v]                         ? GANNET_IS_INACTIVE
                  : derived->condition[v] && derived->open[v] ? GANNET_IS_OPEN
                                                              : GANNET_IS_ACTIVE;
}

void gannet_problem_fill_pins(const gannet_problem *problem, double *x_user) {
  if (!problem->pin) return;
  const bool *active = gannet_conditional_find_active(problem, x_user);
  for (int v = 0; v < problem->spec.n_variables; ++v)
    if (isnan(x_user[v]) && (!active || active[v])) x_user[v] = problem->pin[v];
}

int gannet_problem_find_not_given(const gannet_problem *problem, const double *x_user) {
  const bool *active = gannet_conditional_find_active(problem, x_user);
  for (int f = 0; f < problem->n_free; ++f) {
    const int v = problem->free_variable[f];
    if (isnan(x_user[v]) && (!active || active[v])) return v;
  }
  return -1;
}

int gannet_problem_find_ignored(const gannet_problem *problem, const double *given, int from) {
  const bool *active = gannet_conditional_find_active(problem, given);
  for (int v = from; active && v < problem->spec.n_variables; ++v) {
    const gannet_variable *variable = &problem->spec.variables[v];
    double resting;
    if (active[v] || isnan(given[v])) continue;
    resting = gannet_variable_resting(variable);
    if (fabs(given[v] - resting) > 1e-6 * fabs(resting)) return v; /* as people copy numbers */
  }
  return -1;
}

/* Conditions that are true nowhere or everywhere. */

/* A value from a uniform number: its ends have a share of their own. */
static double value_at(const gannet_variable *v, double u) {
  const double count = gannet_variable_count(v);
  const double inside = fmin(fmax((u - 0.1) / 0.8, 0), 1);
  if (isfinite(count)) return gannet_variable_value(v, (int64_t)fmin(inside * count, count - 1));
  return v->lower + inside * (v->upper - v->lower);
}

/* Count at how many designs a variable is active: at all combinations of what decides it where they
 * are not too many, else at random ones.
 *
 * x, marked  scratch  [n]
 * n_tried    out
 *
 * Returns the count; *all is whether all combinations were tried.
 */
static int count_active(const gannet_derived *derived, int n, const gannet_variable *variables,
                        int conditional, double *x, bool *marked, int *n_tried, bool *all) {
  const gannet_stream stream = {0, GANNET_FOR_ALLOWED, 3, (uint64_t)conditional};
  double combinations = 1, drawn;
  int n_active = 0;
  memset(marked, 0, (size_t)n * sizeof *marked);
  marked[conditional] = true;
  for (int i = derived->n; i-- > 0;) /* what is used comes first in that order */
    for (int u = 0; u < n && marked[derived->variable[i]]; ++u)
      marked[u] = marked[u] || gannet_derived_uses(derived, derived->variable[i], u);
  marked[conditional] = false;
  for (int v = 0; v < n; ++v)
    if (marked[v]) combinations *= gannet_variable_count(&variables[v]);
  *all = combinations <= TRIED_DESIGNS;
  *n_tried = *all ? (int)combinations : TRIED_DESIGNS;
  for (int t = 0; t < *n_tried; ++t) {
    int64_t left = t;
    for (int v = 0; v < n; ++v) {
      const int64_t count = *all && marked[v] ? (int64_t)gannet_variable_count(&variables[v]) : 1;
      x[v] = 0;
      if (variables[v].role != GANNET_ROLE_FREE) continue;
      gannet_random_uniform(stream, (uint64_t)t * (uint64_t)n + (uint64_t)v, 1, &drawn);
      x[v] = *all && marked[v] ? gannet_variable_value(&variables[v], left % count)
                               : value_at(&variables[v], drawn);
      left /= count;
    }
    gannet_derived_apply(derived, n, variables, x);
    n_active += derived->active[conditional];
  }
  return n_active;
}

gannet_err gannet_conditional_check(const gannet_derived *derived, int n,
                                    const gannet_variable *variables, const char *const *location,
                                    gannet_complaints *complaints) {
  bool *marked = NULL, all = false;
  int n_tried = 0;
  if (derived->n_conditional == 0) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *marked, &marked));
  for (int v = 0; v < n; ++v) {
    if (!derived->condition[v]) continue;
    const int n_active =
        count_active(derived, n, variables, v, derived->x_user, marked, &n_tried, &all);
    const char *where = location ? location[v] : NULL, *name = variables[v].name;
    bool is_fixed = false; /* as on a resume: other values are possible */
    for (int u = 0; u < n; ++u)
      is_fixed = is_fixed || (marked[u] && variables[u].role == GANNET_ROLE_FIXED);
    if (n_active == 0 && all && !is_fixed)
      gannet_complain(complaints, where,
                      "variable %s: when: '%.200s' is true at no design: it would never be active; "
                      "change the condition, or leave the variable out",
                      name, variables[v].when);
    else if (n_active == 0)
      gannet_complaints_warn(complaints, where,
                             "variable %s: when: '%.200s' is true at none of %d designs that were "
                             "tried: it is hardly ever active",
                             name, variables[v].when, n_tried);
    else if (n_active == n_tried)
      gannet_complaints_warn(
          complaints, where, "variable %s: when: '%.200s' is true at %s: it changes nothing", name,
          variables[v].when, all ? "every design" : "all designs that were tried");
  }
  gannet_free(&marked);
  return GANNET_OK;
}

/* The points of a discrete problem. */

typedef struct {
  const gannet_problem *problem;
  int *order;      /* [n_free] free variables, each behind those that decide whether it is active */
  int64_t *factor; /* [n_free] of the number of each value in the number of the point */
  int64_t *resting; /* [n_free] number of the resting value */
  double *x_user;   /* [n_variables] */
  int64_t n, capacity, *number;
} point_list;

/* List the points that share the values of the first level variables in the order. */
static gannet_err list_below(point_list *l, int level, int64_t number) {
  const gannet_problem *problem = l->problem;
  if (l->n > LISTED_POINTS) return GANNET_OK;
  if (level == problem->n_free) {
    if (l->n == l->capacity) {
      const size_t old = (size_t)l->capacity, new = old ? 2 * old : 64;
      GANNET_TRY(gannet_resize(old, new, sizeof *l->number, &l->number));
      l->capacity = (int64_t) new;
    }
    l->number[l->n++] = number;
    return GANNET_OK;
  }
  const int v = l->order[level];
  const gannet_variable *variable = &problem->spec.variables[v];
  const int64_t count = (int64_t)gannet_variable_count(variable);
  if (!gannet_problem_is_active(problem, v, l->x_user)) {
    l->x_user[v] = gannet_variable_resting(variable);
    return list_below(l, level + 1, number + l->factor[level] * l->resting[level]);
  }
  for (int64_t t = 0; t < count && l->n <= LISTED_POINTS; ++t) {
    l->x_user[v] = gannet_variable_value(variable, t);
    GANNET_TRY(list_below(l, level + 1, number + l->factor[level] * t));
  }
  return GANNET_OK;
}

/* Put the free variables into the order of listing, with what numbers their values. Returns false
 * when the points are too many. */
static bool order_variables(point_list *l) {
  const gannet_problem *problem = l->problem;
  const gannet_derived *derived = problem->derived;
  double product = 1;
  int n = 0;
  for (int f = 0; f < problem->n_free; ++f)
    if (!derived->condition[problem->free_variable[f]]) l->order[n++] = problem->free_variable[f];
  for (int i = 0; i < derived->n; ++i)
    if (derived->condition[derived->variable[i]] &&
        problem->spec.variables[derived->variable[i]].role == GANNET_ROLE_FREE)
      l->order[n++] = derived->variable[i];
  for (int f = 0; f < problem->n_free; ++f) {
    const gannet_variable *variable = &problem->spec.variables[problem->free_variable[f]];
    const double count = gannet_variable_count(variable);
    const double resting = gannet_variable_resting(variable);
    int at = 0;
    while (l->order[at] != problem->free_variable[f]) ++at;
    l->factor[at] = (int64_t)product;
    product *= count;
    if (count > LISTED_POINTS || product > 0x1p62) return false;
    while (gannet_variable_value(variable, l->resting[at]) != resting) ++l->resting[at];
  }
  return true;
}

gannet_err gannet_conditional_list_points(const gannet_problem *problem) {
  gannet_derived *derived = problem->derived;
  const size_t f = (size_t)problem->n_free, n = (size_t)problem->spec.n_variables;
  point_list l = {.problem = problem};
  if (derived->n_conditional == 0 || problem->n_continuous > 0) return GANNET_OK;
  gannet_err err = gannet_alloc(f, sizeof *l.order, &l.order);
  if (err == GANNET_OK) err = gannet_alloc(f, sizeof *l.factor, &l.factor);
  if (err == GANNET_OK) err = gannet_alloc(f, sizeof *l.resting, &l.resting);
  if (err == GANNET_OK) err = gannet_alloc(n, sizeof *l.x_user, &l.x_user);
  if (err == GANNET_OK && order_variables(&l)) {
    err = list_below(&l, 0, 0);
    if (err == GANNET_OK && l.n <= LISTED_POINTS) {
      derived->n_listed = l.n;
      derived->listed = l.number;
      l.number = NULL;
    }
  }
  gannet_free(&l.order);
  gannet_free(&l.factor);
  gannet_free(&l.resting);
  gannet_free(&l.x_user);
  gannet_free(&l.number);
  return err;
}
