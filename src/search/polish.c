/* Three parts: a worker improves one start after the other, and stops where it asks a question; its
 * rank answers the questions of all its workers; gannet_polish deals out the starts. */
#include "search/polish.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "base/queue.h"
#include "problem/variable_constraints.h"

enum {
  LAGRANGIAN_ROUNDS = 5, /* most minimisations of the augmented Lagrangian of a start */
  RESTORATIONS = 20      /* most Newton steps towards the worst condition after them */
};
static const double first_mu = 10, mu_growth = 4; /* the penalty weight, by rounds */
static const double inside = 1e-8; /* how far inside of a condition a Newton step aims */

typedef enum { ASKS_FUNCTION, ASKS_CONDITIONS, QUESTIONS } question;

/* What a worker does with the answer to its question. */
typedef enum {
  VALUE_BEFORE,     /* of a start under variable constraints, to compare with at the end */
  LAGRANGIAN_VALUE, /* the function of the augmented Lagrangian */
  LAGRANGIAN_CONDITIONS,
  ROUND_CONDITIONS, /* at the minimum of the augmented Lagrangian: new multipliers */
  RESTORE,          /* the conditions: a step towards the worst */
  VALUE_RESTORED,   /* after the last step */
  VALUE_REPAIRED,   /* under variable constraints, where they hold exactly */
  VALUE_ONLY,       /* nothing can move */
  NO_STARTS_LEFT
} polish_stage;

/* Improves one start after the other. */
typedef struct {
  gannet_polisher *polisher;
  int n_free;                  /* continuous coordinates */
  int *coordinate;             /* [n_free] which these are */
  double *free;                /* [n_free] unknowns of the minimiser */
  double *lower, *upper;       /* [n_free] bounds of the unknowns */
  gannet_minimizer *minimizer; /* NULL when n_free is 0 */
  int64_t unit;                /* the present start, of all lists */
  int list;                    /* its list */
  polish_stage stage;
  question asks;            /* what the worker waits for, at x */
  double *x;                /* [d] */
  double *start;            /* [d] where the present start was, under variable constraints */
  double before;            /* the value there */
  double value;             /* answer: the function */
  double *gradient;         /* [d] answer: its gradient */
  double *conditions;       /* [n_conditions] answer: values */
  double *slopes;           /* [n_conditions][d] answer: gradients */
  double *multipliers;      /* [n_conditions] lambda of the augmented Lagrangian */
  double mu;                /* its penalty weight */
  int rounds, restorations; /* minimisations and Newton steps of this start so far */
} polish_worker;

struct gannet_polisher {
  const gannet_polish_spec *spec; /* of the present polish */
  gannet_queue queue;             /* starts that no rank has begun */
  double *results;                /* [n_lists * n_starts][d + 1], zero where another rank works */
  /* The workers, and what they were made for: */
  int n;
  polish_worker worker[GANNET_POLISH_MOST];
  const gannet_problem *problem;
  int n_conditions;
  gannet_minimize_options options;
  /* What is asked for at several points at once, and the answers: */
  double *x, *values, *gradients;
};

static gannet_err worker_init(gannet_polisher *p, polish_worker *w) {
  const gannet_polish_spec *spec = p->spec;
  const size_t d = (size_t)spec->problem->d, n = (size_t)p->n_conditions;
  w->polisher = p;
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
  return gannet_minimizer_create(w->n_free, w->lower, w->upper, &spec->options, &w->minimizer);
}

/* The worker goes on at stage when the question at w->x is answered. */
static void ask(polish_worker *w, question asks, polish_stage stage) {
  w->asks = asks;
  w->stage = stage;
}

/* The point of the minimiser, or the best one of its run, becomes w->x. */
static void place(polish_worker *w, const double *free) {
  for (int i = 0; i < w->n_free; ++i) w->x[w->coordinate[i]] = free[i];
  (void)gannet_allowed_follow(w->polisher->problem, w->x);
}

/* Begin to minimise the augmented Lagrangian from w->x on, which is admissible and in the box;
 * without conditions the function. */
static void begin_round(polish_worker *w) {
  for (int i = 0; i < w->n_free; ++i) w->free[i] = w->x[w->coordinate[i]];
  gannet_minimizer_start(w->minimizer, w->free);
  place(w, gannet_minimizer_point(w->minimizer));
  w->rounds += 1;
  ask(w, ASKS_FUNCTION, LAGRANGIAN_VALUE);
}

static void begin_lagrangian(polish_worker *w) {
  const int n = w->polisher->n_conditions;
  memset(w->multipliers, 0, (size_t)n * sizeof *w->multipliers);
  w->mu = first_mu;
  w->rounds = w->restorations = 0;
  begin_round(w);
}

/* Take the next start, if there is one. */
static void begin_start(polish_worker *w) {
  const gannet_polish_spec *spec = w->polisher->spec;
  const size_t d = (size_t)spec->problem->d;
  w->unit = gannet_queue_next(&w->polisher->queue);
  if (w->unit < 0) {
    w->stage = NO_STARTS_LEFT;
    return;
  }
  w->list = (int)w->unit / spec->n_starts;
  memcpy(w->x, spec->starts + (size_t)w->unit * d, d * sizeof *w->x);
  gannet_problem_snap(spec->problem, 1, w->x);
  for (int i = 0; i < w->n_free; ++i) {
    double *at = &w->x[w->coordinate[i]];
    *at = fmin(fmax(*at, w->lower[i]), w->upper[i]);
  }
  if (w->n_free == 0) {
    ask(w, ASKS_FUNCTION, VALUE_ONLY);
  } else if (spec->problem->variable_constraints) {
    memcpy(w->start, w->x, d * sizeof *w->start);
    gannet_allowed_repair(spec->problem, w->start, spec->lower, spec->upper, w->start);
    memcpy(w->x, w->start, d * sizeof *w->x);
    ask(w, ASKS_FUNCTION, VALUE_BEFORE);
  } else {
    begin_lagrangian(w);
  }
}

/* Record w->x as what the start has become. value: INFINITY when there is no finite one. */
static void end_start(polish_worker *w, double value) {
  const size_t d = (size_t)w->polisher->problem->d;
  double *result = w->polisher->results + (size_t)w->unit * (d + 1);
  memcpy(result, w->x, d * sizeof *result);
  result[d] = value;
  begin_start(w);
}

/* Under variable constraints a start whose improvement is no gain stays. */
static void end_at_start(polish_worker *w) {
  memcpy(w->x, w->start, (size_t)w->polisher->problem->d * sizeof *w->x);
  end_start(w, isfinite(w->before) ? w->before : INFINITY);
}

/* The minimiser has stopped. */
static void end_round(polish_worker *w) {
  gannet_minimize_result result;
  gannet_minimizer_best(w->minimizer, w->free, &result);
  place(w, w->free);
  const bool hopeless = result.reason == GANNET_MINIMIZE_NO_START;
  if (hopeless && w->polisher->problem->variable_constraints)
    end_at_start(w);
  else if (hopeless)
    end_start(w, INFINITY);
  else if (w->polisher->n_conditions > 0)
    ask(w, ASKS_CONDITIONS, ROUND_CONDITIONS);
  else
    end_start(w, result.value);
}

/* Tell the minimiser the augmented Lagrangian in the free coordinates. */
static gannet_err pass_lagrangian(polish_worker *w) {
  const int d = w->polisher->problem->d;
  double value = w->value;
  for (int k = 0; k < w->polisher->n_conditions; ++k) {
    const double *slope = w->slopes + (size_t)k * (size_t)d;
    const double old = w->multipliers[k], now = fmax(0, old + w->mu * w->conditions[k]);
    value += (now * now - old * old) / (2 * w->mu);
    for (int i = 0; i < d; ++i) w->gradient[i] += now * slope[i];
  }
  for (int i = 0; i < w->n_free; ++i) w->free[i] = w->gradient[w->coordinate[i]];
  GANNET_TRY(gannet_minimizer_tell(w->minimizer, value, w->free));
  const double *point = gannet_minimizer_point(w->minimizer);
  if (point) {
    place(w, point);
    ask(w, ASKS_FUNCTION, LAGRANGIAN_VALUE);
  } else {
    end_round(w);
  }
  return GANNET_OK;
}

/* New multipliers, and another round unless they have settled. */
static void update_multipliers(polish_worker *w) {
  bool changed = false;
  for (int k = 0; k < w->polisher->n_conditions; ++k) {
    const double old = w->multipliers[k], now = fmax(0, old + w->mu * w->conditions[k]);
    changed = changed || fabs(now - old) > 1e-3 * (1 + now);
    w->multipliers[k] = now;
  }
  w->mu *= mu_growth;
  if (changed && w->rounds < LAGRANGIAN_ROUNDS)
    begin_round(w);
  else
    ask(w, ASKS_CONDITIONS, RESTORE);
}

/* Take the worst condition to its bound by one step along its gradient, unless all conditions hold
 * or nothing can move. */
static void restore_worst(polish_worker *w) {
  const size_t d = (size_t)w->polisher->problem->d;
  int worst = 0;
  double square = 0;
  for (int k = 1; k < w->polisher->n_conditions; ++k)
    if (w->conditions[k] > w->conditions[worst]) worst = k;
  const double *slope = w->slopes + (size_t)worst * d;
  for (int i = 0; i < w->n_free; ++i) square += slope[w->coordinate[i]] * slope[w->coordinate[i]];
  if (!(w->conditions[worst] > 0) || !(square > 0)) {
    ask(w, ASKS_FUNCTION, VALUE_RESTORED);
    return;
  }
  const double factor = (w->conditions[worst] + inside) / square;
  for (int i = 0; i < w->n_free; ++i) {
    double *at = &w->x[w->coordinate[i]];
    *at = fmin(fmax(*at - factor * slope[w->coordinate[i]], w->lower[i]), w->upper[i]);
  }
  (void)gannet_allowed_follow(w->polisher->problem, w->x);
  if (++w->restorations < RESTORATIONS)
    ask(w, ASKS_CONDITIONS, RESTORE);
  else
    ask(w, ASKS_FUNCTION, VALUE_RESTORED);
}

/* The variable constraints hold exactly in the end. */
static void end_restoration(polish_worker *w) {
  const gannet_polish_spec *spec = w->polisher->spec;
  if (!spec->problem->variable_constraints) {
    end_start(w, w->value);
    return;
  }
  gannet_allowed_repair(spec->problem, w->start, spec->lower, spec->upper, w->x);
  ask(w, ASKS_FUNCTION, VALUE_REPAIRED);
}

/* Go on with the answer to the worker's question. */
static gannet_err go_on(polish_worker *w) {
  switch (w->stage) {
    case VALUE_BEFORE:
      w->before = w->value;
      begin_lagrangian(w);
      break;
    case LAGRANGIAN_VALUE:
      if (w->polisher->n_conditions == 0) return pass_lagrangian(w);
      ask(w, ASKS_CONDITIONS, LAGRANGIAN_CONDITIONS);
      break;
    case LAGRANGIAN_CONDITIONS:
      return pass_lagrangian(w);
    case ROUND_CONDITIONS:
      update_multipliers(w);
      break;
    case RESTORE:
      restore_worst(w);
      break;
    case VALUE_RESTORED:
      end_restoration(w);
      break;
    case VALUE_REPAIRED:
      /* Conditions of the spec are worth a loss. */
      if (w->polisher->spec->n_conditions > 0 || w->value <= w->before)
        end_start(w, w->value);
      else
        end_at_start(w);
      break;
    case VALUE_ONLY:
      end_start(w, isfinite(w->value) ? w->value : INFINITY);
      break;
    case NO_STARTS_LEFT:
      break;
  }
  return GANNET_OK;
}

/* Equal questions of several workers. */
typedef struct {
  question asked;
  int n;
  int lists[GANNET_POLISH_MOST];
  polish_worker *asker[GANNET_POLISH_MOST];
} question_batch;

static gannet_err answer_batch(gannet_polisher *p, const question_batch *q) {
  const gannet_polish_spec *spec = p->spec;
  const bool function = q->asked == ASKS_FUNCTION;
  const size_t d = (size_t)spec->problem->d;
  const size_t width = function ? 1 : (size_t)spec->n_conditions;
  polish_worker *w = q->asker[0];
  if (q->n == 1 && function)
    return spec->function(spec->user, w->list, w->x, &w->value, w->gradient);
  if (q->n == 1) return spec->conditions(spec->user, w->list, w->x, w->conditions, w->slopes);
  for (int i = 0; i < q->n; ++i) memcpy(p->x + (size_t)i * d, q->asker[i]->x, d * sizeof *p->x);
  GANNET_TRY((function ? spec->functions : spec->conditions_of_several)(
      spec->user, q->n, q->lists, p->x, p->values, p->gradients));
  for (int i = 0; i < q->n; ++i) {
    w = q->asker[i];
    double *value = function ? &w->value : w->conditions;
    double *gradient = function ? w->gradient : w->slopes;
    memcpy(value, p->values + (size_t)i * width, width * sizeof *value);
    memcpy(gradient, p->gradients + (size_t)i * width * d, width * d * sizeof *gradient);
  }
  return GANNET_OK;
}

/* Gradients follow the variables that others decide, and the rows of variable constraints come
 * behind the conditions of the spec. */
static void complete_answer(polish_worker *w) {
  const gannet_polish_spec *spec = w->polisher->spec;
  const size_t n = (size_t)spec->n_conditions, d = (size_t)spec->problem->d;
  if (w->asks == ASKS_FUNCTION) {
    gannet_allowed_pull_back(spec->problem, w->x, w->gradient);
    return;
  }
  for (size_t k = 0; k < n; ++k) gannet_allowed_pull_back(spec->problem, w->x, w->slopes + k * d);
  if (spec->problem->variable_constraints)
    gannet_allowed_rows(spec->problem, w->x, w->conditions + n, w->slopes + n * d);
}

/* Answer the questions of the workers that have a start: one call for all of a kind. The variable
 * constraints are conditions, too, behind those of the spec, and no call. */
static gannet_err answer_questions(gannet_polisher *p) {
  const int n = p->spec->n_conditions;
  for (question asked = 0; asked < QUESTIONS; ++asked) {
    question_batch q = {.asked = asked};
    for (int i = 0; i < p->n; ++i) {
      polish_worker *w = &p->worker[i];
      if (w->stage == NO_STARTS_LEFT || w->asks != asked) continue;
      q.lists[q.n] = w->list;
      q.asker[q.n++] = w;
    }
    if (q.n > 0 && (asked == ASKS_FUNCTION || n > 0)) GANNET_TRY(answer_batch(p, &q));
    for (int i = 0; i < q.n; ++i) complete_answer(q.asker[i]);
  }
  return GANNET_OK;
}

/* Improve starts in step until there are none left. */
static gannet_err polish_starts(gannet_polisher *p) {
  for (int i = 0; i < p->n; ++i) begin_start(&p->worker[i]);
  for (bool waits = true; waits;) {
    waits = false;
    GANNET_TRY(answer_questions(p));
    for (int i = 0; i < p->n; ++i) {
      GANNET_TRY(go_on(&p->worker[i]));
      waits = waits || p->worker[i].stage != NO_STARTS_LEFT;
    }
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
    polish_worker *w = &p->worker[p->n++];
    GANNET_TRY(worker_init(p, w));
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
  const int most = share < GANNET_POLISH_MOST ? (int)share : GANNET_POLISH_MOST;
  const int n = p->spec->functions ? most : 1;
  if (workers_fit(p, n)) return GANNET_OK;
  release_workers(p);
  const gannet_err err = create_workers(p, n);
  if (err != GANNET_OK) release_workers(p);
  return err;
}

gannet_err gannet_polisher_create(gannet_polisher **polisher) {
  return gannet_alloc(1, sizeof **polisher, polisher);
}

void gannet_polisher_destroy(gannet_polisher **polisher) {
  if (!*polisher) return;
  release_workers(*polisher);
  gannet_free(polisher);
}

/* Polish starts until none is left; err: an earlier error of this rank. A rank that has failed
 * opens and closes the queue all the same, because the other ranks do. */
static gannet_err polish_share(const gannet_context *context, gannet_polisher *p, gannet_err err) {
  const gannet_polish_spec *spec = p->spec;
  p->queue = gannet_queue_open(context, (int64_t)spec->n_lists * spec->n_starts);
  if (err == GANNET_OK) err = prepare_workers(context, p);
  if (err == GANNET_OK) err = polish_starts(p);
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
