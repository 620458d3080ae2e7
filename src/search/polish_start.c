/* The polish of one start: a minimisation, or several with conditions. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "search/polish_impl.h"

/* Rounds of the augmented Lagrangian, its first weight and its growth; Newton steps afterwards, and
 * how far inside a condition they end. */
enum { ROUNDS = 5, RESTORATIONS = 20 };
static const double first_mu = 10, mu_growth = 4, inside = 1e-8;

gannet_err polish_set_up(polish_worker *w, const gannet_polish_spec *spec) {
  const gannet_problem *problem = spec->problem;
  const size_t d = (size_t)problem->d;
  w->spec = spec;
  GANNET_TRY(gannet_alloc(d, sizeof *w->coordinate, &w->coordinate));
  GANNET_TRY(gannet_alloc(5 * d, sizeof *w->x, &w->x));
  w->gradient = w->x + d;
  w->free = w->x + 2 * d;
  const size_t n = (size_t)spec->n_conditions;
  GANNET_TRY(gannet_alloc(n * (d + 1), sizeof *w->conditions, &w->conditions));
  GANNET_TRY(gannet_alloc(n, sizeof *w->multipliers, &w->multipliers));
  for (int k = 0; k < problem->d; ++k)
    if (problem->continuous[k]) w->coordinate[w->n_free++] = k;
  for (int i = 0; i < w->n_free; ++i) {
    w->free[w->n_free + i] = polish_lower_of(spec, w->coordinate[i]);
    w->free[2 * w->n_free + i] = polish_upper_of(spec, w->coordinate[i]);
  }
  if (w->n_free == 0) return GANNET_OK;
  return gannet_minimizer_create(w->n_free, w->free + w->n_free, w->free + 2 * (size_t)w->n_free,
                                 &spec->options, true, &w->minimizer);
}

void polish_release(polish_worker *w) {
  gannet_minimizer_destroy(&w->minimizer);
  gannet_free(&w->coordinate);
  gannet_free(&w->x);
  gannet_free(&w->conditions);
  gannet_free(&w->multipliers);
  *w = (polish_worker){0};
}

static gannet_err ask(polish_worker *w, polish_question asks) {
  w->asks = asks;
  return gannet_lockstep_ask(w->lockstep, w->place);
}

static gannet_err find_value(polish_worker *w, double *value) {
  GANNET_TRY(ask(w, ASKS_FUNCTION));
  *value = w->value;
  return GANNET_OK;
}

static gannet_err find_conditions(polish_worker *w) {
  return ask(w, ASKS_CONDITIONS);
}

/* The part of the augmented Lagrangian that conditions make. */
static gannet_err add_conditions(polish_worker *w, double *value) {
  const int n = w->spec->n_conditions, d = w->spec->problem->d;
  GANNET_TRY(find_conditions(w));
  for (int k = 0; k < n; ++k) {
    const double *slope = w->conditions + (size_t)n + (size_t)k * (size_t)d;
    const double old = w->multipliers[k], now = fmax(0, old + w->mu * w->conditions[k]);
    *value += (now * now - old * old) / (2 * w->mu);
    for (int i = 0; i < d; ++i) w->gradient[i] += now * slope[i];
  }
  return GANNET_OK;
}

static gannet_err value_of_free(void *user, int n, const double *free, double *value,
                                double *gradient) {
  polish_worker *w = user;
  for (int i = 0; i < n; ++i) w->x[w->coordinate[i]] = free[i];
  GANNET_TRY(find_value(w, value));
  if (w->spec->n_conditions > 0) GANNET_TRY(add_conditions(w, value));
  for (int i = 0; i < n; ++i) gradient[i] = w->gradient[w->coordinate[i]];
  if (w->calls++ == 0 && !gannet_minimize_takes(n, *value, gradient)) w->hopeless = true;
  return GANNET_OK;
}

/* Polish a start in place: w->x is admissible and inside the box. */
static gannet_err polish_free(polish_worker *w, double *value) {
  gannet_minimize_result result = {0};
  for (int i = 0; i < w->n_free; ++i) w->free[i] = w->x[w->coordinate[i]];
  w->calls = 0;
  w->hopeless = false;
  const gannet_err err = gannet_minimizer_run(w->minimizer, w->free, value_of_free, w, &result);
  for (int i = 0; i < w->n_free; ++i) w->x[w->coordinate[i]] = w->free[i];
  *value = result.value;
  if (err == GANNET_ERR_NUMERIC && w->hopeless) {
    gannet_error_clear();
    *value = INFINITY;
    return GANNET_OK;
  }
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}

/* One step that takes the worst condition to its bound; false when all hold or nothing can move. */
static gannet_err restore_step(polish_worker *w, bool *moved) {
  const int n = w->spec->n_conditions, d = w->spec->problem->d;
  int worst = 0;
  double square = 0;
  *moved = false;
  GANNET_TRY(find_conditions(w));
  for (int k = 1; k < n; ++k)
    if (w->conditions[k] > w->conditions[worst]) worst = k;
  const double *slope = w->conditions + (size_t)n + (size_t)worst * (size_t)d;
  for (int i = 0; i < w->n_free; ++i) square += slope[w->coordinate[i]] * slope[w->coordinate[i]];
  if (!(w->conditions[worst] > 0) || !(square > 0)) return GANNET_OK;
  const double factor = (w->conditions[worst] + inside) / square;
  for (int i = 0; i < w->n_free; ++i) {
    double *at = &w->x[w->coordinate[i]];
    *at = fmin(fmax(*at - factor * slope[w->coordinate[i]], w->free[w->n_free + i]),
               w->free[2 * w->n_free + i]);
  }
  *moved = true;
  return GANNET_OK;
}

static gannet_err restore(polish_worker *w, double *value) {
  bool moved = true;
  for (int step = 0; step < RESTORATIONS && moved; ++step) GANNET_TRY(restore_step(w, &moved));
  return find_value(w, value);
}

/* New multipliers; whether another round is wanted. */
static gannet_err update_multipliers(polish_worker *w, bool *again) {
  *again = false;
  GANNET_TRY(find_conditions(w));
  for (int k = 0; k < w->spec->n_conditions; ++k) {
    const double old = w->multipliers[k], now = fmax(0, old + w->mu * w->conditions[k]);
    *again = *again || fabs(now - old) > 1e-3 * (1 + now);
    w->multipliers[k] = now;
  }
  w->mu *= mu_growth;
  return GANNET_OK;
}

static gannet_err polish_conditioned(polish_worker *w, double *value) {
  bool again = true;
  w->mu = first_mu;
  memset(w->multipliers, 0, (size_t)w->spec->n_conditions * sizeof *w->multipliers);
  for (int round = 0; round < ROUNDS && again; ++round) {
    GANNET_TRY(polish_free(w, value));
    if (w->hopeless) return GANNET_OK;
    GANNET_TRY(update_multipliers(w, &again));
  }
  return restore(w, value);
}

gannet_err polish_unit(polish_worker *w, int unit, double *x, double *value) {
  const size_t d = (size_t)w->spec->problem->d;
  w->list = unit / w->spec->n_starts;
  memcpy(w->x, w->spec->starts + (size_t)unit * d, d * sizeof *w->x);
  gannet_problem_snap(w->spec->problem, 1, w->x);
  for (int i = 0; i < w->n_free; ++i) {
    double *at = &w->x[w->coordinate[i]];
    *at = fmin(fmax(*at, w->free[w->n_free + i]), w->free[2 * w->n_free + i]);
  }
  if (w->n_free > 0) {
    GANNET_TRY(w->spec->n_conditions > 0 ? polish_conditioned(w, value) : polish_free(w, value));
  } else {
    GANNET_TRY(find_value(w, value));
    if (!isfinite(*value)) *value = INFINITY;
  }
  memcpy(x, w->x, d * sizeof *x);
  return GANNET_OK;
}
