/* Three parts: a worker improves one start after the other; its rank answers the questions of all
 * its workers; gannet_polish deals out the starts. */
#include "search/polish.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "base/queue.h"
#include "minimize/lockstep.h"
#include "problem/variable_constraints.h"

enum {
  LAGRANGIAN_ROUNDS = 5, /* most minimisations of the augmented Lagrangian of a start */
  RESTORATIONS = 20      /* most Newton steps towards the worst condition after them */
};
static const double first_mu = 10, mu_growth = 4; /* the penalty weight, by rounds */
static const double inside = 1e-8; /* how far inside of a condition a Newton step aims */

typedef enum { ASKS_FUNCTION, ASKS_CONDITIONS, QUESTIONS } question;

/* Improves one start after the other, in a slot of the lockstep. */
typedef struct {
  gannet_polisher *polisher;
  int slot;
  int n_free;                  /* continuous coordinates */
  int *coordinate;             /* [n_free] which these are */
  double *free;                /* [n_free] unknowns of the minimiser */
  double *lower, *upper;       /* [n_free] bounds of the unknowns */
  gannet_minimizer *minimizer; /* NULL when n_free is 0 */
  int list;                    /* list of the present start */
  question asks;               /* what the worker waits for, at x */
  double *x;                   /* [d] */
  double *start;               /* [d] where the present start was, under variable constraints */
  double value;                /* answer: the function */
  double *gradient;            /* [d] answer: its gradient */
  double *conditions;          /* [n_conditions] answer: values */
  double *slopes;              /* [n_conditions][d] answer: gradients */
  double *multipliers;         /* [n_conditions] lambda of the augmented Lagrangian */
  double mu;                   /* its penalty weight */
  int calls;                   /* of the augmented Lagrangian in this minimisation */
  bool hopeless;               /* the start has no usable value or gradient */
} polish_worker;

struct gannet_polisher {
  const gannet_polish_spec *spec; /* of the present polish */
  gannet_queue queue;             /* starts that no rank has begun */
  double *results;                /* [n_lists * n_starts][d + 1], zero where another rank works */
  gannet_lockstep *lockstep;
  /* The workers, and what they were made for: */
  int n;
  polish_worker worker[GANNET_LOCKSTEP_MOST];
  const gannet_problem *problem;
  int n_conditions;
  gannet_minimize_options options;
  /* What is asked for at several points at once, and the answers: */
  double *x, *values, *gradients;
};

static gannet_err worker_init(gannet_polisher *p, int slot, polish_worker *w) {
  const gannet_polish_spec *spec = p->spec;
  const size_t d = (size_t)spec->problem->d, n = (size_t)p->n_conditions;
  w->polisher = p;
  w->slot = slot;
  GANNET_TRY(gannet_alloc(d, sizeof *w->coordinate, &w->coordinate));
  GANNET_TRY(gannet_alloc(6 * d, sizeof *w->x, &w->x));
  GANNET_TRY(gannet_alloc(n * (d + 1), sizeof *w->conditions, &w->conditions));
  GANNET_TRY(gannet_alloc(n, sizeof *w->multipliers, &w->multipliers));
  w->gradient = w->x + d;
  w->free = w->x + 2 * d;
  w->lower = w->x + 3 * d;
  w->upper = w->x + 4 * d;
  w->start = w->x + 5 * d;
  w->slopes = w->conditions + n;
  for (int k = 0; k < spec->problem->d; ++k) {
    if (!spec->problem->continuous[k] || gannet_allowed_depends(spec->problem, k)) continue;
    w->coordinate[w->n_free] = k;
    w->lower[w->n_free] = spec->lower ? spec->lower[k] : 0;
    w->upper[w->n_free++] = spec->upper ? spec->upper[k] : 1;
  }
  if (w->n_free == 0) return GANNET_OK;
  return gannet_minimizer_create(w->n_free, w->lower, w->upper, &spec->options, true,
                                 &w->minimizer);
}

/* Wait for the answer at w->x. The variable constraints are conditions, too, behind those of the
 * spec. */
static gannet_err ask(polish_worker *w, question asks) {
  const gannet_polish_spec *spec = w->polisher->spec;
  const size_t n = (size_t)spec->n_conditions, d = (size_t)spec->problem->d;
  w->asks = asks;
  if (asks == ASKS_FUNCTION || n > 0)
    GANNET_TRY(gannet_lockstep_ask(w->polisher->lockstep, w->slot));
  if (asks == ASKS_FUNCTION) {
    gannet_allowed_pull_back(spec->problem, w->x, w->gradient);
    return GANNET_OK;
  }
  for (size_t k = 0; k < n; ++k) gannet_allowed_pull_back(spec->problem, w->x, w->slopes + k * d);
  if (!spec->problem->variable_constraints) return GANNET_OK;
  gannet_allowed_rows(spec->problem, w->x, w->conditions + n, w->slopes + n * d);
  return GANNET_OK;
}

/* The augmented Lagrangian in the free coordinates; without conditions the function. */
static gannet_err lagrangian(void *user, int n, const double *free, double *value,
                             double *gradient) {
  polish_worker *w = user;
  const int n_conditions = w->polisher->n_conditions, d = w->polisher->problem->d;
  for (int i = 0; i < n; ++i) w->x[w->coordinate[i]] = free[i];
  (void)gannet_allowed_follow(w->polisher->problem, w->x);
  GANNET_TRY(ask(w, ASKS_FUNCTION));
  *value = w->value;
  if (n_conditions > 0) GANNET_TRY(ask(w, ASKS_CONDITIONS));
  for (int k = 0; k < n_conditions; ++k) {
    const double *slope = w->slopes + (size_t)k * (size_t)d;
    const double old = w->multipliers[k], now = fmax(0, old + w->mu * w->conditions[k]);
    *value += (now * now - old * old) / (2 * w->mu);
    for (int i = 0; i < d; ++i) w->gradient[i] += now * slope[i];
  }
  for (int i = 0; i < n; ++i) gradient[i] = w->gradient[w->coordinate[i]];
  if (w->calls++ == 0 && !gannet_minimize_accepts(n, *value, gradient)) w->hopeless = true;
  return GANNET_OK;
}

/* Minimise the augmented Lagrangian from w->x on, which is admissible and inside the box. */
static gannet_err minimize_lagrangian(polish_worker *w, double *value) {
  gannet_minimize_result result = {0};
  for (int i = 0; i < w->n_free; ++i) w->free[i] = w->x[w->coordinate[i]];
  w->calls = 0;
  w->hopeless = false;
  const gannet_err err = gannet_minimizer_run(w->minimizer, w->free, lagrangian, w, &result);
  for (int i = 0; i < w->n_free; ++i) w->x[w->coordinate[i]] = w->free[i];
  (void)gannet_allowed_follow(w->polisher->problem, w->x);
  *value = result.value;
  if (err == GANNET_ERR_NUMERIC && w->hopeless) {
    gannet_error_clear();
    *value = INFINITY;
    return GANNET_OK;
  }
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}

/* Take the worst condition to its bound by one step along its gradient; *moved is false when all
 * conditions hold or nothing can move. */
static gannet_err restore_worst(polish_worker *w, bool *moved) {
  const size_t d = (size_t)w->polisher->problem->d;
  int worst = 0;
  double square = 0;
  *moved = false;
  GANNET_TRY(ask(w, ASKS_CONDITIONS));
  for (int k = 1; k < w->polisher->n_conditions; ++k)
    if (w->conditions[k] > w->conditions[worst]) worst = k;
  const double *slope = w->slopes + (size_t)worst * d;
  for (int i = 0; i < w->n_free; ++i) square += slope[w->coordinate[i]] * slope[w->coordinate[i]];
  if (!(w->conditions[worst] > 0) || !(square > 0)) return GANNET_OK;
  const double factor = (w->conditions[worst] + inside) / square;
  for (int i = 0; i < w->n_free; ++i) {
    double *at = &w->x[w->coordinate[i]];
    *at = fmin(fmax(*at - factor * slope[w->coordinate[i]], w->lower[i]), w->upper[i]);
  }
  (void)gannet_allowed_follow(w->polisher->problem, w->x);
  *moved = true;
  return GANNET_OK;
}

static gannet_err polish_with_conditions(polish_worker *w, double *value) {
  const int n = w->polisher->n_conditions;
  bool changed = true, moved = n > 0;
  w->mu = first_mu;
  memset(w->multipliers, 0, (size_t)n * sizeof *w->multipliers);
  for (int t = 0; t < LAGRANGIAN_ROUNDS && changed; ++t) {
    GANNET_TRY(minimize_lagrangian(w, value));
    if (w->hopeless) return GANNET_OK;
    GANNET_TRY(ask(w, ASKS_CONDITIONS));
    changed = false;
    for (int k = 0; k < n; ++k) {
      const double old = w->multipliers[k], now = fmax(0, old + w->mu * w->conditions[k]);
      changed = changed || fabs(now - old) > 1e-3 * (1 + now);
      w->multipliers[k] = now;
    }
    w->mu *= mu_growth;
  }
  for (int t = 0; t < RESTORATIONS && moved; ++t) GANNET_TRY(restore_worst(w, &moved));
  GANNET_TRY(ask(w, ASKS_FUNCTION));
  *value = w->value;
  return GANNET_OK;
}

/* Polish under the variable constraints, which hold exactly in the end. Unless there are conditions
 * of the spec, the start stays where that is better. */
static gannet_err polish_in_allowed_part(polish_worker *w, double *value) {
  const gannet_polish_spec *spec = w->polisher->spec;
  const size_t d = (size_t)spec->problem->d;
  memcpy(w->start, w->x, d * sizeof *w->start);
  gannet_allowed_repair(spec->problem, w->start, spec->lower, spec->upper, w->start);
  memcpy(w->x, w->start, d * sizeof *w->x);
  GANNET_TRY(ask(w, ASKS_FUNCTION));
  const double before = w->value;
  GANNET_TRY(polish_with_conditions(w, value));
  if (!w->hopeless) {
    gannet_allowed_repair(spec->problem, w->start, spec->lower, spec->upper, w->x);
    GANNET_TRY(ask(w, ASKS_FUNCTION));
    *value = w->value;
  }
  if (!w->hopeless && (spec->n_conditions > 0 || *value <= before)) return GANNET_OK;
  memcpy(w->x, w->start, d * sizeof *w->x);
  *value = isfinite(before) ? before : INFINITY;
  return GANNET_OK;
}

/* Improve start number unit of all lists. x: [d]; value: INFINITY when there is no finite one. */
static gannet_err polish_start(polish_worker *w, int64_t unit, double *x, double *value) {
  const gannet_polish_spec *spec = w->polisher->spec;
  const size_t d = (size_t)spec->problem->d;
  w->list = (int)unit / spec->n_starts;
  memcpy(w->x, spec->starts + (size_t)unit * d, d * sizeof *w->x);
  gannet_problem_snap(spec->problem, 1, w->x);
  for (int i = 0; i < w->n_free; ++i) {
    double *at = &w->x[w->coordinate[i]];
    *at = fmin(fmax(*at, w->lower[i]), w->upper[i]);
  }
  if (w->n_free == 0) {
    GANNET_TRY(ask(w, ASKS_FUNCTION));
    *value = isfinite(w->value) ? w->value : INFINITY;
  } else if (spec->problem->variable_constraints) {
    GANNET_TRY(polish_in_allowed_part(w, value));
  } else if (spec->n_conditions > 0) {
    GANNET_TRY(polish_with_conditions(w, value));
  } else {
    GANNET_TRY(minimize_lagrangian(w, value));
  }
  memcpy(x, w->x, d * sizeof *x);
  return GANNET_OK;
}

/* A gannet_lockstep_search: a worker takes starts until there are none left. */
static gannet_err polish_starts(void *user, gannet_lockstep *lockstep, int slot) {
  gannet_polisher *p = user;
  const size_t d = (size_t)p->spec->problem->d;
  (void)lockstep;
  for (int64_t unit; (unit = gannet_queue_next(&p->queue)) >= 0;) {
    double *result = p->results + (size_t)unit * (d + 1);
    GANNET_TRY(polish_start(&p->worker[slot], unit, result, &result[d]));
  }
  return GANNET_OK;
}

/* Equal questions, at the leading rows of the polisher's x. */
typedef struct {
  question asked;
  int n;
  int lists[GANNET_LOCKSTEP_MOST];
  polish_worker *asker[GANNET_LOCKSTEP_MOST];
} question_batch;

static gannet_err batch_answer(gannet_polisher *p, const question_batch *q) {
  const gannet_polish_spec *spec = p->spec;
  const bool function = q->asked == ASKS_FUNCTION;
  const size_t d = (size_t)spec->problem->d;
  const size_t width = function ? 1 : (size_t)spec->n_conditions;
  GANNET_TRY((function ? spec->functions : spec->conditions_of_several)(
      spec->user, q->n, q->lists, p->x, p->values, p->gradients));
  for (int i = 0; i < q->n; ++i) {
    polish_worker *w = q->asker[i];
    double *value = function ? &w->value : w->conditions;
    double *gradient = function ? w->gradient : w->slopes;
    memcpy(value, p->values + (size_t)i * width, width * sizeof *value);
    memcpy(gradient, p->gradients + (size_t)i * width * d, width * d * sizeof *gradient);
  }
  return GANNET_OK;
}

static gannet_err answer_one(polish_worker *w) {
  const gannet_polish_spec *spec = w->polisher->spec;
  if (w->asks == ASKS_FUNCTION)
    return spec->function(spec->user, w->list, w->x, &w->value, w->gradient);
  return spec->conditions(spec->user, w->list, w->x, w->conditions, w->slopes);
}

/* A gannet_lockstep_answer: one call answers all questions of a kind. */
static gannet_err answer_questions(void *user, int n, const int *slots) {
  gannet_polisher *p = user;
  const size_t d = (size_t)p->problem->d;
  if (n == 1) return answer_one(&p->worker[slots[0]]);
  for (question asked = 0; asked < QUESTIONS; ++asked) {
    question_batch q = {.asked = asked};
    for (int i = 0; i < n; ++i) {
      polish_worker *w = &p->worker[slots[i]];
      if (w->asks != asked) continue;
      memcpy(p->x + (size_t)q.n * d, w->x, d * sizeof *w->x);
      q.lists[q.n] = w->list;
      q.asker[q.n++] = w;
    }
    if (q.n == 1) GANNET_TRY(answer_one(q.asker[0]));
    if (q.n > 1) GANNET_TRY(batch_answer(p, &q));
  }
  return GANNET_OK;
}

static void release_workers(gannet_polisher *p) {
  for (int i = 0; i < p->n; ++i) {
    polish_worker *w = &p->worker[i];
    gannet_minimizer_destroy(&w->minimizer);
    gannet_free(&w->coordinate);
    gannet_free(&w->x);
    gannet_free(&w->conditions);
    gannet_free(&w->multipliers);
    *w = (polish_worker){0};
  }
  p->n = 0;
  gannet_free(&p->x);
  gannet_free(&p->values);
  gannet_free(&p->gradients);
}

/* Of the spec, and rows of the variable constraints. */
static int count_conditions(const gannet_polish_spec *spec) {
  return spec->n_conditions + gannet_allowed_count_rows(spec->problem);
}

/* n workers for p->spec. */
static gannet_err create_workers(gannet_polisher *p, int n) {
  const gannet_polish_spec *spec = p->spec;
  const size_t d = (size_t)spec->problem->d;
  const size_t several = (size_t)n;
  const size_t width = spec->n_conditions > 1 ? (size_t)spec->n_conditions : 1;
  p->problem = spec->problem;
  p->n_conditions = count_conditions(spec);
  p->options = spec->options;
  if (several > 1) {
    GANNET_TRY(gannet_alloc(several * d, sizeof *p->x, &p->x));
    GANNET_TRY(gannet_alloc(several * width, sizeof *p->values, &p->values));
    GANNET_TRY(gannet_alloc(several * width * d, sizeof *p->gradients, &p->gradients));
  }
  while (p->n < n) {
    const int slot = p->n++;
    GANNET_TRY(worker_init(p, slot, &p->worker[slot]));
  }
  return GANNET_OK;
}

/* Whether the workers of the last polish are those that p->spec needs. */
static bool workers_fit(const gannet_polisher *p, int n) {
  const gannet_polish_spec *spec = p->spec;
  const gannet_minimize_options *own = &p->options, *given = &spec->options;
  if (p->n != n || p->problem != spec->problem || p->n_conditions != count_conditions(spec) ||
      own->max_evaluations != given->max_evaluations ||
      own->gradient_tolerance != given->gradient_tolerance ||
      own->value_tolerance != given->value_tolerance)
    return false;
  const polish_worker *w = &p->worker[0];
  for (int i = 0; i < w->n_free; ++i) {
    const int k = w->coordinate[i];
    if (w->lower[i] != (spec->lower ? spec->lower[k] : 0) ||
        w->upper[i] != (spec->upper ? spec->upper[k] : 1))
      return false;
  }
  return true;
}

/* As many workers as a rank's share of the starts, where several points are better asked for at
 * once. */
static gannet_err prepare_workers(const gannet_context *context, gannet_polisher *p) {
  const int64_t units = (int64_t)p->spec->n_lists * p->spec->n_starts;
  const int64_t share = (units + context->np - 1) / context->np;
  const int most = share < GANNET_LOCKSTEP_MOST ? (int)share : GANNET_LOCKSTEP_MOST;
  const int n = p->spec->functions ? most : 1;
  if (workers_fit(p, n)) return GANNET_OK;
  release_workers(p);
  const gannet_err err = create_workers(p, n);
  if (err != GANNET_OK) release_workers(p);
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
  release_workers(*polisher);
  gannet_lockstep_destroy(&(*polisher)->lockstep);
  gannet_free(polisher);
}

/* Polish starts until none is left; err: an earlier error of this rank. A rank that has failed
 * opens and closes the queue all the same, because the other ranks do. */
static gannet_err polish_share(const gannet_context *context, gannet_polisher *p, gannet_err err) {
  const gannet_polish_spec *spec = p->spec;
  p->queue = gannet_queue_open(context, (int64_t)spec->n_lists * spec->n_starts);
  if (err == GANNET_OK) err = prepare_workers(context, p);
  if (err == GANNET_OK)
    err = gannet_lockstep_run(p->lockstep, p->n, polish_starts, answer_questions, p);
  gannet_queue_close(&p->queue);
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}

/* Sort one list by value; equal values stay in their order. results: [n][d + 1] */
static void sort_list(int n, int d, const double *results, double *x, double *values) {
  const size_t row = (size_t)d + 1;
  for (int start = 0; start < n; ++start) {
    const double value = results[(size_t)start * row + (size_t)d];
    int at = start;
    for (; at > 0 && value < values[at - 1]; --at) values[at] = values[at - 1];
    memmove(x + ((size_t)at + 1) * (size_t)d, x + (size_t)at * (size_t)d,
            (size_t)(start - at) * (size_t)d * sizeof *x);
    memcpy(x + (size_t)at * (size_t)d, results + (size_t)start * row, (size_t)d * sizeof *x);
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
  polisher->spec = spec;
  polisher->results = results;
  err = gannet_agree(context->comm, polish_share(context, polisher, err));
  if (err == GANNET_OK) err = gannet_partition_gather(context->comm, length, results);
  for (size_t l = 0; err == GANNET_OK && l < (size_t)spec->n_lists; ++l)
    sort_list(spec->n_starts, d, results + l * list_units * row,
              x_unit + l * list_units * (size_t)d, values + l * list_units);
  gannet_free(&results);
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}
