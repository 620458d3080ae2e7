#include "search/polish.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parts.h"
#include "base/queue.h"
#include "minimize/lockstep.h"

typedef enum { ASKS_FUNCTION, ASKS_CONDITIONS, QUESTIONS } question;

/* Who polishes one start after the other. */
typedef struct {
  const gannet_polish_spec *spec;
  gannet_lockstep *lockstep;
  int place;
  int n_free;
  int *coordinate;     /* [n_free] continuous coordinates */
  double *free;        /* [3][n_free] start, lower, upper */
  double *x;           /* [d] */
  double value;        /* at x */
  double *gradient;    /* [d] */
  double *conditions;  /* [n] values, then [n][d] gradients */
  double *multipliers; /* [n] */
  double mu;           /* weight of the squared conditions */
  int list;
  question asks;
  int calls;
  bool hopeless;               /* the start has no value and gradient to work with */
  gannet_minimizer *minimizer; /* NULL while nothing is free */
} worker;

/* All of a rank. */
struct gannet_polisher {
  const gannet_polish_spec *spec;
  gannet_queue queue;
  gannet_lockstep *lockstep;
  const gannet_problem *problem; /* that workers are for, as the two below */
  int n_conditions;
  gannet_minimize_options options;
  int n; /* workers that are set up */
  worker worker[GANNET_LOCKSTEP_MOST];
  double *x, *values, *gradients; /* what several ask for, and answers */
  double *results;                /* [units][d + 1], zero where another rank works */
};

/* Rounds of the augmented Lagrangian, its first weight and its growth; Newton steps afterwards, and
 * how far inside a condition they end. */
enum { ROUNDS = 5, RESTORATIONS = 20 };
static const double first_mu = 10, mu_growth = 4, inside = 1e-8;

static double lower_of(const gannet_polish_spec *spec, int k) {
  return spec->lower ? spec->lower[k] : 0;
}

static double upper_of(const gannet_polish_spec *spec, int k) {
  return spec->upper ? spec->upper[k] : 1;
}

static gannet_err set_up(worker *w, const gannet_polish_spec *spec) {
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
    w->free[w->n_free + i] = lower_of(spec, w->coordinate[i]);
    w->free[2 * w->n_free + i] = upper_of(spec, w->coordinate[i]);
  }
  if (w->n_free == 0) return GANNET_OK;
  return gannet_minimizer_create(w->n_free, w->free + w->n_free, w->free + 2 * (size_t)w->n_free,
                                 &spec->options, true, &w->minimizer);
}

static gannet_err ask(worker *w, question asks) {
  w->asks = asks;
  return gannet_lockstep_ask(w->lockstep, w->place);
}

static gannet_err find_value(worker *w, double *value) {
  GANNET_TRY(ask(w, ASKS_FUNCTION));
  *value = w->value;
  return GANNET_OK;
}

static gannet_err find_conditions(worker *w) {
  return ask(w, ASKS_CONDITIONS);
}

/* The part of the augmented Lagrangian that conditions make. */
static gannet_err add_conditions(worker *w, double *value) {
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
  worker *w = user;
  for (int i = 0; i < n; ++i) w->x[w->coordinate[i]] = free[i];
  GANNET_TRY(find_value(w, value));
  if (w->spec->n_conditions > 0) GANNET_TRY(add_conditions(w, value));
  for (int i = 0; i < n; ++i) gradient[i] = w->gradient[w->coordinate[i]];
  if (w->calls++ == 0 && !gannet_minimize_takes(n, *value, gradient)) w->hopeless = true;
  return GANNET_OK;
}

/* Polish a start in place: w->x is admissible and inside the box. */
static gannet_err polish_free(worker *w, double *value) {
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
static gannet_err restore_step(worker *w, bool *moved) {
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

static gannet_err restore(worker *w, double *value) {
  bool moved = true;
  for (int step = 0; step < RESTORATIONS && moved; ++step) GANNET_TRY(restore_step(w, &moved));
  return find_value(w, value);
}

/* New multipliers; whether another round is wanted. */
static gannet_err update_multipliers(worker *w, bool *again) {
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

static gannet_err polish_conditioned(worker *w, double *value) {
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

static gannet_err polish_unit(worker *w, int unit, double *x, double *value) {
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

/* A gannet_lockstep_search. */
static gannet_err work(void *user, gannet_lockstep *lockstep, int place) {
  gannet_polisher *p = user;
  worker *w = &p->worker[place];
  w->lockstep = lockstep;
  for (int64_t unit; (unit = gannet_queue_next(&p->queue)) >= 0;) {
    double *result = p->results + (size_t)unit * ((size_t)p->spec->problem->d + 1);
    GANNET_TRY(polish_unit(w, (int)unit, result, &result[p->spec->problem->d]));
  }
  return GANNET_OK;
}

static gannet_err answer_one(worker *w) {
  const gannet_polish_spec *spec = w->spec;
  if (w->asks == ASKS_FUNCTION)
    return spec->function(spec->user, w->list, w->x, &w->value, w->gradient);
  return spec->conditions(spec->user, w->list, w->x, w->conditions,
                          w->conditions + spec->n_conditions);
}

static gannet_err answer_several(gannet_polisher *p, question asked, int n, const int *places) {
  const gannet_polish_spec *spec = p->spec;
  const size_t d = (size_t)spec->problem->d;
  const size_t width = asked == ASKS_FUNCTION ? 1 : (size_t)spec->n_conditions;
  int lists[GANNET_LOCKSTEP_MOST];
  for (int i = 0; i < n; ++i) {
    lists[i] = p->worker[places[i]].list;
    memcpy(p->x + (size_t)i * d, p->worker[places[i]].x, d * sizeof *p->x);
  }
  GANNET_TRY((asked == ASKS_FUNCTION ? spec->functions : spec->conditions_of_several)(
      spec->user, n, lists, p->x, p->values, p->gradients));
  for (int i = 0; i < n; ++i) {
    worker *w = &p->worker[places[i]];
    double *value = asked == ASKS_FUNCTION ? &w->value : w->conditions;
    double *gradient = asked == ASKS_FUNCTION ? w->gradient : w->conditions + width;
    memcpy(value, p->values + (size_t)i * width, width * sizeof *value);
    memcpy(gradient, p->gradients + (size_t)i * width * d, width * d * sizeof *gradient);
  }
  return GANNET_OK;
}

/* A gannet_lockstep_answer. */
static gannet_err answer(void *user, int n, const int *places) {
  gannet_polisher *p = user;
  if (n == 1) return answer_one(&p->worker[places[0]]);
  for (question asked = 0; asked < QUESTIONS; ++asked) {
    int asking[GANNET_LOCKSTEP_MOST], m = 0;
    for (int i = 0; i < n; ++i)
      if (p->worker[places[i]].asks == asked) asking[m++] = places[i];
    if (m == 1) GANNET_TRY(answer_one(&p->worker[asking[0]]));
    if (m > 1) GANNET_TRY(answer_several(p, asked, m, asking));
  }
  return GANNET_OK;
}

/* As many as a rank's share of the starts. */
static int workers_for(const gannet_context *context, const gannet_polish_spec *spec) {
  const int64_t units = (int64_t)spec->n_lists * spec->n_starts;
  const int64_t share = (units + context->np - 1) / context->np;
  if (!spec->functions) return 1;
  return share < GANNET_LOCKSTEP_MOST ? (int)share : GANNET_LOCKSTEP_MOST;
}

static gannet_err set_up_team(gannet_polisher *p, const gannet_polish_spec *spec, int n) {
  const size_t several = (size_t)n, d = (size_t)spec->problem->d;
  const size_t width = spec->n_conditions > 1 ? (size_t)spec->n_conditions : 1;
  p->problem = spec->problem;
  p->n_conditions = spec->n_conditions;
  p->options = spec->options;
  if (n > 1) {
    GANNET_TRY(gannet_alloc(several * d, sizeof *p->x, &p->x));
    GANNET_TRY(gannet_alloc(several * width, sizeof *p->values, &p->values));
    GANNET_TRY(gannet_alloc(several * width * d, sizeof *p->gradients, &p->gradients));
  }
  while (p->n < n) {
    p->worker[p->n].place = p->n;
    GANNET_TRY(set_up(&p->worker[p->n++], spec));
  }
  return GANNET_OK;
}

static void release_team(gannet_polisher *p) {
  for (int i = 0; i < p->n; ++i) {
    worker *w = &p->worker[i];
    gannet_minimizer_destroy(&w->minimizer);
    gannet_free(&w->coordinate);
    gannet_free(&w->x);
    gannet_free(&w->conditions);
    gannet_free(&w->multipliers);
    *w = (worker){0};
  }
  p->n = 0;
  gannet_free(&p->x);
  gannet_free(&p->values);
  gannet_free(&p->gradients);
}

static bool is_same_box(const worker *w, const gannet_polish_spec *spec) {
  const double *lower = w->free + w->n_free, *upper = lower + w->n_free;
  for (int i = 0; i < w->n_free; ++i) {
    const int k = w->coordinate[i];
    if (lower[i] != lower_of(spec, k) || upper[i] != upper_of(spec, k)) return false;
  }
  return true;
}

static bool is_for(const gannet_polisher *p, const gannet_polish_spec *spec, int n) {
  const gannet_minimize_options *own = &p->options, *given = &spec->options;
  return p->n == n && p->problem == spec->problem && p->n_conditions == spec->n_conditions &&
         own->max_evaluations == given->max_evaluations &&
         own->gradient_tolerance == given->gradient_tolerance &&
         own->value_tolerance == given->value_tolerance && is_same_box(&p->worker[0], spec);
}

/* The team of before, where it is one for this. */
static gannet_err find_team(const gannet_context *context, gannet_polisher *p,
                            const gannet_polish_spec *spec) {
  const int n = workers_for(context, spec);
  gannet_err err = GANNET_OK;
  p->spec = spec;
  if (!is_for(p, spec, n)) {
    release_team(p);
    err = set_up_team(p, spec, n);
    if (err != GANNET_OK) release_team(p);
  }
  for (int i = 0; i < p->n; ++i) p->worker[i].spec = spec;
  return err;
}

gannet_err gannet_polisher_create(gannet_polisher **polisher) {
  GANNET_TRY(gannet_alloc(1, sizeof **polisher, polisher));
  const gannet_err err = gannet_lockstep_create(&(*polisher)->lockstep);
  if (err != GANNET_OK) gannet_polisher_destroy(polisher);
  return err;
}

void gannet_polisher_destroy(gannet_polisher **polisher) {
  if (!*polisher) return;
  release_team(*polisher);
  gannet_lockstep_destroy(&(*polisher)->lockstep);
  gannet_free(polisher);
}

/* A rank that is not able to anything takes its turns, too, which others count on. */
static gannet_err polish_own_units(const gannet_context *context, gannet_polisher *p,
                                   const gannet_polish_spec *spec, gannet_err err,
                                   double *results) {
  p->queue = gannet_queue_open(context, (int64_t)spec->n_lists * spec->n_starts);
  p->results = results;
  if (err == GANNET_OK) err = find_team(context, p, spec);
  if (err == GANNET_OK) err = gannet_lockstep_run(p->lockstep, p->n, work, answer, p);
  gannet_queue_close(&p->queue);
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}

/* Stable insertion sort of one list by value. */
static void sort_list(int n, int d, const double *results, double *x, double *values) {
  const size_t row = (size_t)d + 1;
  for (int place = 0; place < n; ++place) {
    const double value = results[(size_t)place * row + (size_t)d];
    int at = place;
    for (; at > 0 && value < values[at - 1]; --at) values[at] = values[at - 1];
    memmove(x + ((size_t)at + 1) * (size_t)d, x + (size_t)at * (size_t)d,
            (size_t)(place - at) * (size_t)d * sizeof *x);
    memcpy(x + (size_t)at * (size_t)d, results + (size_t)place * row, (size_t)d * sizeof *x);
    values[at] = value;
  }
}

gannet_err gannet_polish(const gannet_context *context, gannet_polisher *polisher,
                         const gannet_polish_spec *spec, double *x_unit, double *values) {
  GANNET_REQUIRE(spec->n_lists >= 1 && spec->n_starts >= 1, GANNET_ERR_ARG,
                 "n_lists = %d, n_starts = %d", spec->n_lists, spec->n_starts);
  const int d = spec->problem->d;
  const size_t list_units = (size_t)spec->n_starts, row = (size_t)d + 1;
  const size_t length = (size_t)spec->n_lists * list_units * row;
  double *results = NULL;
  gannet_err err = gannet_alloc(length, sizeof *results, &results);
  err = polish_own_units(context, polisher, spec, err, results);
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK) err = gannet_parts_gather(context->comm, length, results);
  for (size_t l = 0; err == GANNET_OK && l < (size_t)spec->n_lists; ++l)
    sort_list(spec->n_starts, d, results + l * list_units * row,
              x_unit + l * list_units * (size_t)d, values + l * list_units);
  gannet_free(&results);
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}
