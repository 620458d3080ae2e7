#include "surrogate/multistart.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "base/queue.h"
#include "surrogate/work_steal.h"

typedef struct {
  int n;
  gannet_multistart_task *tasks; /* [n] */
  gannet_work_steal *work_steal; /* of a single joint; or NULL */
  gannet_multistart *inside;     /* whose memory this rank has; or NULL */
  double **rows; /* [n] of every problem [starts][n + 1], its points and their values */
} work;

static size_t width_of(const gannet_multistart *problem) {
  return (size_t)problem->n + 1;
}

static void leave(work *w) {
  if (w->inside && w->inside->leave) w->inside->leave(w->inside->user);
  w->inside = NULL;
}

static gannet_err enter(work *w, gannet_multistart *problem) {
  if (w->inside == problem) return GANNET_OK;
  leave(w);
  w->inside = problem;
  return problem->enter ? problem->enter(problem->user) : GANNET_OK;
}

static gannet_err minimise(const work *w, const gannet_multistart *p, double *x,
                           gannet_minimize_result *result) {
  gannet_value_gradient function = p->function;
  void *user = p->user;
  if (w->work_steal) {
    function = gannet_work_steal_evaluate;
    user = w->work_steal;
  } else if (p->joint) {
    function = gannet_joint_evaluate;
    user = p->joint;
  }
  return gannet_minimize(p->n, x, p->lower, p->upper, function, user, &p->options, result);
}

/* One start, by one rank: row becomes the best point and its value. */
static gannet_err run_start(work *w, int task, int start) {
  gannet_multistart *problem = &w->tasks[task].problem;
  const size_t n = (size_t)problem->n;
  double *row = w->rows[task] + (size_t)start * width_of(problem);
  gannet_minimize_result result = {0};
  memcpy(row, problem->start + (size_t)start * n, n * sizeof *row);
  row[n] = INFINITY;
  GANNET_TRY(enter(w, problem));
  const gannet_err code = minimise(w, problem, row, &result);
  if (code == GANNET_ERR_NUMERIC) {
    gannet_error_clear();
    return GANNET_OK;
  }
  GANNET_TRY(code);
  if (isfinite(result.value)) row[n] = result.value;
  return GANNET_OK;
}

/* Unit u of all: one problem after the other, from the last start on. The first start, which
 * continues from what was found before, is often the shortest: with several ranks those of all
 * problems come at the end, where they fill what is left. */
static void find_unit(const work *w, bool alone, int64_t u, int *task, int *start) {
  *start = 0;
  for (*task = 0; *task < w->n; ++*task) {
    const int last = w->tasks[*task].problem.starts - 1, here = alone ? last + 1 : last;
    if (u < here) {
      *start = last - (int)u;
      return;
    }
    u -= here;
  }
  *task = (int)u;
}

/* Whoever is free takes the next start. */
static gannet_err run_own(const gannet_context *context, work *w) {
  int64_t units = 0;
  for (int t = 0; t < w->n; ++t) units += w->tasks[t].problem.starts;
  gannet_queue queue = gannet_queue_open(context, units);
  gannet_err err = GANNET_OK;
  for (int64_t unit; err == GANNET_OK && (unit = gannet_queue_next(&queue)) >= 0;) {
    int task = 0, start = 0;
    find_unit(w, context->np == 1, unit, &task, &start);
    err = run_start(w, task, start);
  }
  gannet_queue_close(&queue);
  leave(w);
  return err;
}

static gannet_err allocate(work *w) {
  GANNET_TRY(gannet_alloc((size_t)w->n, sizeof *w->rows, &w->rows));
  for (int t = 0; t < w->n; ++t) {
    const gannet_multistart *p = &w->tasks[t].problem;
    GANNET_TRY(gannet_alloc((size_t)p->starts * width_of(p), sizeof *w->rows[t], &w->rows[t]));
  }
  return GANNET_OK;
}

static void release(work *w) {
  for (int t = 0; w->rows && t < w->n; ++t) gannet_free(&w->rows[t]);
  gannet_free(&w->rows);
}

static gannet_err run_all(const gannet_context *context, work *w) {
  const gannet_joint *joint = w->n == 1 ? w->tasks[0].problem.joint : NULL;
  if (joint) GANNET_TRY(gannet_work_steal_open(context, joint, &w->work_steal));
  gannet_err err = run_own(context, w);
  if (w->work_steal) gannet_work_steal_help(w->work_steal);
  err = gannet_agree(context->comm, err);
  gannet_work_steal_close(&w->work_steal);
  for (int t = 0; t < w->n && err == GANNET_OK; ++t) {
    const gannet_multistart *p = &w->tasks[t].problem;
    err = gannet_partition_gather(context->comm, (size_t)p->starts * width_of(p), w->rows[t]);
  }
  return err;
}

/* The lowest value of starts [from, to), the first of equals. */
static void choose(const gannet_multistart *problem, const double *rows, int from, int to,
                   double *best, double *value) {
  const size_t n = (size_t)problem->n;
  memcpy(best, problem->start + (size_t)from * n, n * sizeof *best);
  *value = INFINITY;
  for (int s = from; rows && s < to; ++s) {
    const double *row = rows + (size_t)s * (n + 1);
    if (!(row[n] < *value)) continue;
    *value = row[n];
    memcpy(best, row, n * sizeof *best);
  }
}

static void choose_for(const work *w, int t, bool found) {
  const gannet_multistart *p = &w->tasks[t].problem;
  const int starts = p->starts, compared = p->apart ? starts - 1 : starts;
  const double *rows = found ? w->rows[t] : NULL;
  double *best = w->tasks[t].best, *value = w->tasks[t].value;
  choose(p, rows, 0, compared, best, value);
  if (p->apart) choose(p, rows, compared, starts, best + p->n, value + 1);
}

gannet_err gannet_multistart_run_all(const gannet_context *context, int n,
                                     gannet_multistart_task *tasks) {
  work w = {.n = n, .tasks = tasks};
  if (n == 0) return GANNET_OK;
  gannet_err code = gannet_agree(context->comm, allocate(&w));
  if (code == GANNET_OK) code = run_all(context, &w);
  for (int t = 0; t < n; ++t) choose_for(&w, t, code == GANNET_OK);
  release(&w);
  return code;
}

gannet_err gannet_multistart_run(const gannet_context *context, const gannet_multistart *problem,
                                 double *best, double *value) {
  gannet_multistart_task task = {*problem, best, {INFINITY, INFINITY}};
  const gannet_err code = gannet_multistart_run_all(context, 1, &task);
  memcpy(value, task.value, (problem->apart ? 2 : 1) * sizeof *value);
  return code;
}
