#include "campaign/tables/on_bound.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "problem/outputs.h"
#include "problem/runs.h"

/* Whether a variable has bounds that say something when a design lies on one. */
static bool has_bounds(const gannet_variable *v) {
  return v->role == GANNET_ROLE_FREE && !gannet_variable_has_words(v) &&
         !gannet_variable_switches(v) && gannet_variable_count(v) > 2;
}

/* The coordinate of a value that may lie beyond the bounds; NAN where the scale ends before. */
static double coordinate_of(const gannet_variable *v, double value) {
  if (!gannet_variable_is_log(v)) return (value - v->lower) / (v->upper - v->lower);
  return value > 0 ? log(value / v->lower) / log(v->upper / v->lower) : NAN;
}

/* A tenth of the encoded range beyond a bound; of variables with steps in whole steps, and of a set
 * of numbers its last gap once more. */
static double value_beyond(const gannet_variable *v, double bound, bool is_upper) {
  const double share = is_upper ? 0.1 : -0.1;
  const bool is_log = gannet_variable_is_log(v);
  if (gannet_variable_has_numbers(v)) {
    const double inside = gannet_variable_next(v, bound, !is_upper);
    return is_log ? bound / inside * bound : bound + (bound - inside);
  }
  const double value =
      is_log ? bound * pow(v->upper / v->lower, share) : bound + share * (v->upper - v->lower);
  if (!(v->step > 0) && v->type != GANNET_VARIABLE_INTEGER) return value;
  const double step = v->step > 0 ? v->step : 1;
  const double steps = fmax(1, rint(fabs(value - bound) / step));
  return is_upper ? bound + steps * step : bound - steps * step;
}

gannet_err gannet_on_bounds_find(const gannet_history *history, gannet_on_bound **list, int *n) {
  const double near = 1e-3; /* share of the encoded range */
  const gannet_problem *problem = gannet_history_problem(history);
  const int64_t best = gannet_history_best(history);
  *n = 0;
  *list = NULL;
  /* The ends of a front lie on bounds. */
  if (best < 0 || problem->pool || problem->spec.n_objectives > 0) return GANNET_OK;
  const double *x = gannet_history_x_unit(history, best);
  GANNET_TRY(gannet_alloc((size_t)problem->spec.n_variables, sizeof **list, list));
  for (int i = 0; i < problem->spec.n_variables; ++i) {
    const gannet_variable *v = &problem->spec.variables[i];
    if (!has_bounds(v) || !isnan(gannet_problem_pinned(problem, i))) continue;
    const double u = x[problem->first[i]], last = gannet_variable_last(v);
    gannet_on_bound on = {.variable = i, .now = NAN, .mean = NAN, .sd = NAN, .feasible = NAN};
    on.is_upper = u >= coordinate_of(v, last) - near;
    if (!on.is_upper && !(u <= near)) continue;
    on.bound = on.is_upper ? last : v->lower;
    on.beyond = value_beyond(v, on.bound, on.is_upper);
    if (!isfinite(coordinate_of(v, on.beyond))) on.beyond = NAN;
    (*list)[(*n)++] = on;
  }
  if (*n == 0) gannet_free(list);
  return GANNET_OK;
}

/* What the models expect at the design, place 0, and with one variable beyond its bound at the
 * place of that one. */
typedef struct {
  double *x_user;                  /* [1 + n][n_variables] */
  double *x_unit;                  /* [1 + n][d] */
  gannet_prediction *predictions;  /* [1 + n][1 + n_constraints] */
  gannet_feasibility *feasibility; /* [1 + n] */
} forecast;

static gannet_err make_designs(const gannet_history *history, int n, const gannet_on_bound *list,
                               forecast *f) {
  const gannet_problem *problem = gannet_history_problem(history);
  const size_t v = (size_t)problem->spec.n_variables, d = (size_t)problem->d;
  const size_t rows = 1 + (size_t)n, quantities = 1 + (size_t)problem->spec.n_constraints;
  const int64_t best = gannet_history_best(history);
  GANNET_TRY(gannet_alloc(rows * v, sizeof *f->x_user, &f->x_user));
  GANNET_TRY(gannet_alloc(rows * d, sizeof *f->x_unit, &f->x_unit));
  GANNET_TRY(gannet_alloc(rows * quantities, sizeof *f->predictions, &f->predictions));
  GANNET_TRY(gannet_alloc(rows, sizeof *f->feasibility, &f->feasibility));
  for (size_t i = 0; i < rows; ++i) {
    double *x_user = f->x_user + i * v, *x_unit = f->x_unit + i * d;
    memcpy(x_user, gannet_history_x_user(history, best), v * sizeof *x_user);
    memcpy(x_unit, gannet_history_x_unit(history, best), d * sizeof *x_unit);
    if (i == 0 || isnan(list[i - 1].beyond)) continue;
    const int moved = list[i - 1].variable;
    x_user[moved] = list[i - 1].beyond;
    x_unit[problem->first[moved]] =
        coordinate_of(&problem->spec.variables[moved], list[i - 1].beyond);
    gannet_problem_derive(problem, x_user);
  }
  return GANNET_OK;
}

void gannet_on_bounds_guess(const gannet_campaign *campaign, int n, gannet_on_bound *list) {
  enum { RESULTS_MOST = 3000 }; /* the work of fitting a model grows as their cube */
  const gannet_history *history = campaign->history;
  const gannet_problem *problem = gannet_history_problem(history);
  const int quantities = 1 + problem->spec.n_constraints;
  forecast f = {0};
  if (n == 0 || campaign->is_stale || gannet_history_count_told(history) > RESULTS_MOST) return;
  gannet_err err = gannet_agree(campaign->context->comm, make_designs(history, n, list, &f));
  if (err == GANNET_OK)
    err = gannet_optimizer_extrapolate(campaign->optimizer, 1 + n, f.x_user, f.x_unit,
                                       f.predictions, f.feasibility);
  for (int i = 0; err == GANNET_OK && i < n; ++i) {
    const gannet_prediction *beyond = &f.predictions[(1 + i) * quantities];
    const double gain = gannet_problem_flip(problem, f.predictions[0].mean) -
                        gannet_problem_flip(problem, beyond->mean);
    /* Less than a tenth of the deviation is no difference. NAN is no gain. */
    if (isnan(list[i].beyond) || !(gain > 0.1 * beyond->sd) ||
        !(f.feasibility[1 + i].feasible >= 0.5))
      continue;
    list[i].now = f.predictions[0].mean;
    list[i].mean = beyond->mean;
    list[i].sd = beyond->sd;
    list[i].feasible = f.feasibility[1 + i].feasible;
  }
  if (err != GANNET_OK) gannet_error_clear();
  gannet_free(&f.x_user);
  gannet_free(&f.x_unit);
  gannet_free(&f.predictions);
  gannet_free(&f.feasibility);
}

bool gannet_on_bounds_line(const gannet_problem *problem, int n, const gannet_on_bound *list, int i,
                           char *text) {
  enum { SHOWN = 8 };
  if (i >= n || i > SHOWN) return false;
  if (i == SHOWN) {
    (void)snprintf(text, GANNET_ON_BOUND_SIZE,
                   "%d more variable%s of the best design lie%s on a bound", n - SHOWN,
                   n - SHOWN == 1 ? "" : "s", n - SHOWN == 1 ? "s" : "");
    return true;
  }
  const gannet_on_bound *on = &list[i];
  const char *unit = gannet_problem_unit(problem->variable_unit, on->variable);
  const char *its_unit = gannet_problem_objective_unit(problem);
  const char *blank = *unit ? " " : "", *its_blank = *its_unit ? " " : "";
  char guess[200] = "", feasible[60] = "";
  if (on->feasible < 0.995)
    (void)snprintf(feasible, sizeof feasible, ", feasible with probability %.2f", on->feasible);
  if (!isnan(on->mean))
    (void)snprintf(guess, sizeof guess,
                   "; the model expects %.4g +- %.2g%s%s at %.6g%s%s (on the bound: %.4g%s%s)%s",
                   on->mean, on->sd, its_blank, its_unit, on->beyond, blank, unit, on->now,
                   its_blank, its_unit, feasible);
  (void)snprintf(text, GANNET_ON_BOUND_SIZE, "%s lies on its %s bound %.6g%s%s%s",
                 problem->spec.variables[on->variable].name, on->is_upper ? "upper" : "lower",
                 on->bound, blank, unit, guess);
  return true;
}
