#include "problem/front.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "pareto/front.h"
#include "pareto/hypervolume.h"
#include "problem/objectives.h"
#include "problem/runs.h"

/* Ranges of the front between its worst value and the reference. */
static const double beyond = 0.1;

static_assert((int)GANNET_OBJECTIVES_MOST <= (int)GANNET_HYPERVOLUME_MOST_OBJECTIVES,
              "a front has a hypervolume");

void gannet_front_release(gannet_front *f) {
  gannet_free(&f->id);
  gannet_free(&f->y);
  *f = (gannet_front){0};
}

/* Least and largest values of every objective. */
typedef struct {
  double low[GANNET_OBJECTIVES_MOST], high[GANNET_OBJECTIVES_MOST];
} extent;

static void note_values(int m, const double *y, extent *e) {
  for (int k = 0; k < m; ++k) {
    if (!isfinite(y[k])) continue;
    e->low[k] = fmin(e->low[k], y[k]);
    e->high[k] = fmax(e->high[k], y[k]);
  }
}

/* The feasible designs among the first results, with the extents of feasible and of all of them.
 *
 * is_told  out  [gannet_history_count] zeroed
 */
static gannet_err collect_feasible(const gannet_history *history, int64_t n_told, bool *is_told,
                                   gannet_front *f, extent *feasible, extent *all) {
  const int64_t count = gannet_history_count(history);
  const size_t rows = (size_t)gannet_history_count_done(history) + 1, m = (size_t)f->m;
  double y[GANNET_OBJECTIVES_MOST];
  GANNET_TRY(gannet_alloc(rows, sizeof *f->id, &f->id));
  GANNET_TRY(gannet_alloc(rows * m, sizeof *f->y, &f->y));
  for (int k = 0; k < f->m; ++k) {
    feasible->low[k] = all->low[k] = INFINITY;
    feasible->high[k] = all->high[k] = -INFINITY;
  }
  for (int64_t at = 0; at < n_told; ++at) is_told[gannet_history_order(history)[at]] = true;
  for (int64_t id = 0; id < count; ++id) {
    if (!is_told[id] || gannet_history_get(history, id)->status != GANNET_EVAL_DONE) continue;
    /* A single objective is the best one, whatever the others are. */
    if (f->m > 1 && gannet_history_is_penalty(history, id)) continue;
    if (!gannet_runs_stands(history, id)) continue;
    gannet_runs_objectives(history, id, y, NULL);
    note_values(f->m, y, all);
    if (!gannet_runs_are_feasible(history, id)) continue;
    note_values(f->m, y, feasible);
    memcpy(f->y + (size_t)f->n * m, y, m * sizeof *y);
    f->id[f->n++] = id;
  }
  return GANNET_OK;
}

/* Of the rows only those on the front stay. */
static gannet_err keep_front(gannet_front *f) {
  const size_t m = (size_t)f->m;
  int *on_front = NULL, count = 0;
  GANNET_TRY(gannet_alloc((size_t)f->n + 1, sizeof *on_front, &on_front));
  const gannet_err err = gannet_pareto_front(f->n, f->m, f->y, &count, on_front);
  for (int i = 0; i < count; ++i) {
    memmove(f->y + (size_t)i * m, f->y + (size_t)on_front[i] * m, m * sizeof *f->y);
    f->id[i] = f->id[on_front[i]];
  }
  f->n = count;
  gannet_free(&on_front);
  return err;
}

/* Ideal, range and reference in objective k. */
static void set_scale(gannet_front *f, int k, double threshold, const extent *front,
                      const extent *feasible, const extent *all) {
  const extent *of[] = {front, feasible, all};
  const extent *known = front->low[k] <= front->high[k] ? front : all;
  const bool any = known->low[k] <= known->high[k];
  f->ideal[k] = any ? known->low[k] : 0;
  const double worst = any ? known->high[k] : 0;
  double range = 0;
  for (int i = 0; i < 3 && !(range > 0); ++i)
    if (of[i]->low[k] <= of[i]->high[k]) range = fmin(of[i]->high[k] - of[i]->low[k], DBL_MAX);
  if (!(range > 0)) range = fabs(worst);
  if (!(range > 0)) range = 1;
  f->is_chosen[k] = isnan(threshold);
  f->range[k] = range;
  f->reference[k] = f->is_chosen[k] ? fmin(worst + beyond * range, DBL_MAX) : threshold;
}

double gannet_front_in_ranges(const gannet_front *f, int k, double y) {
  const double excess = y - f->ideal[k];
  if (fabs(excess) < 1e300) return excess / f->range[k];
  return (0.5 * y - 0.5 * f->ideal[k]) / (0.5 * f->range[k]); /* the difference may be infinite */
}

/* reference  in  [m] minimised; NULL = to be chosen */
static gannet_err find_front(const gannet_history *history, int64_t n_told, const double *reference,
                             bool *is_told, gannet_front *f) {
  const gannet_problem *problem = gannet_history_problem(history);
  const size_t m = (size_t)f->m;
  extent feasible, all, front;
  GANNET_TRY(collect_feasible(history, n_told, is_told, f, &feasible, &all));
  GANNET_TRY(keep_front(f));
  for (size_t k = 0; k < m; ++k) {
    front.low[k] = INFINITY;
    front.high[k] = -INFINITY;
  }
  for (int i = 0; i < f->n; ++i) note_values(f->m, f->y + (size_t)i * m, &front);
  for (int k = 0; k < f->m; ++k) {
    const double threshold =
        problem->spec.n_objectives > 0
            ? gannet_problem_flip_objective(problem, k, problem->spec.objectives[k].threshold)
            : NAN;
    set_scale(f, k, threshold, &front, &feasible, &all);
    if (reference) f->reference[k] = reference[k];
  }
  f->hypervolume = f->log_hypervolume = NAN;
  return GANNET_OK;
}

gannet_err gannet_front_measure(gannet_front *f) {
  const gannet_err err = gannet_hypervolume(f->n, f->m, f->y, f->reference, &f->hypervolume);
  if (err != GANNET_OK && err != GANNET_ERR_NUMERIC) return err;
  f->log_hypervolume = log(f->hypervolume);
  if (err == GANNET_OK && f->hypervolume >= DBL_MIN) return GANNET_OK;
  if (err == GANNET_ERR_NUMERIC) f->hypervolume = NAN;
  gannet_error_clear();
  GANNET_TRY(gannet_log_hypervolume(f->n, f->m, f->y, f->reference, &f->log_hypervolume));
  return GANNET_OK;
}

void gannet_hypervolume_format(double hypervolume, double log_hypervolume, int digits, char *text) {
  if (!isfinite(log_hypervolume) || hypervolume >= DBL_MIN) {
    (void)snprintf(text, GANNET_HYPERVOLUME_TEXT, "%.*g", digits, hypervolume);
    return;
  }
  const double decimal = log_hypervolume / log(10), power = floor(decimal);
  char mantissa[GANNET_HYPERVOLUME_TEXT - 8];
  (void)snprintf(mantissa, sizeof mantissa, "%.*g", digits < 12 ? digits : 12,
                 pow(10, decimal - power));
  const bool is_ten = strcmp(mantissa, "10") == 0; /* it was rounded up */
  (void)snprintf(text, GANNET_HYPERVOLUME_TEXT, "%se%+.0f", is_ten ? "1" : mantissa,
                 power + is_ten);
}

gannet_err gannet_front_find_before(const gannet_history *history, int64_t n,
                                    const double *reference, gannet_front *f) {
  const int m = gannet_problem_n_objectives(gannet_history_problem(history));
  double given[GANNET_OBJECTIVES_MOST]; /* the reference may be that of f */
  bool *is_told = NULL;
  if (reference) memcpy(given, reference, (size_t)m * sizeof *given);
  gannet_front_release(f);
  f->m = m;
  gannet_err err = gannet_alloc((size_t)gannet_history_count(history), sizeof *is_told, &is_told);
  if (err == GANNET_OK) err = find_front(history, n, reference ? given : NULL, is_told, f);
  gannet_free(&is_told);
  if (err != GANNET_OK) gannet_front_release(f);
  GANNET_TRY(err);
  return GANNET_OK;
}

gannet_err gannet_front_find(const gannet_history *history, gannet_front *f) {
  return gannet_front_find_before(history, gannet_history_count_told(history), NULL, f);
}

/* A position in a front with the first objective. */
typedef struct {
  int at;
  double value; /* minimised */
} placed;

static int by_value(const void *a, const void *b) {
  const placed *x = a, *y = b;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return x->at - y->at;
}

gannet_err gannet_front_order(const gannet_front *f, int64_t *ids) {
  placed *order = NULL;
  GANNET_TRY(gannet_alloc((size_t)f->n, sizeof *order, &order));
  for (int i = 0; i < f->n; ++i) order[i] = (placed){i, f->y[i * f->m]};
  qsort(order, (size_t)f->n, sizeof *order, by_value);
  for (int i = 0; i < f->n; ++i) ids[i] = f->id[order[i].at];
  gannet_free(&order);
  return GANNET_OK;
}

gannet_err gannet_front_knee(const gannet_front *f, int *knee) {
  int *index = NULL;
  GANNET_TRY(gannet_alloc((size_t)f->n, sizeof *index, &index));
  for (int i = 0; i < f->n; ++i) index[i] = i;
  *knee = gannet_pareto_knee(f->m, f->y, f->n, index);
  gannet_free(&index);
  return GANNET_OK;
}
