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
  gannet_work_steal *work_steal; /* for the joint of a single task; NULL = nobody helps */
  gannet_multistart *inside;     /* the problem that this rank has entered; NULL = none */
  double **rows;                 /* [n] of each task [starts][its n + 1]: points and values */
} work;

static size_t width_of(const gannet_multistart *problem) {
  return (size_t)problem->n + 1;
}

static void leave_problem(work *w) {
  if (w->inside && w->inside->leave) w->inside->leave(w->inside->user);
  w->inside = NULL;
}

static gannet_err enter_problem(work *w, gannet_multistart *problem) {
  if (w->inside == problem) return GANNET_OK;
  leave_problem(w);
  w->inside = problem;
  return problem->enter ? problem->enter(problem->user) : GANNET_OK;
}

/* One start, by one rank: its row becomes the best point and its value. */
static gannet_err run_start(work *w, int task, int start) {
  gannet_multistart *p = &w->tasks[task].problem;
  const size_t n = (size_t)p->n;
  double *row = w->rows[task] + (size_t)start * (n + 1);
  gannet_minimize_result result = {0};
  gannet_value_gradient function = w->work_steal ? gannet_work_steal_evaluate
                                   : p->joint    ? gannet_joint_evaluate
                                                 : p->function;
  void *user = w->work_steal ? w->work_steal : p->joint ? (void *)p->joint : p->user;
  memcpy(row, p->start + (size_t)start * n, n * sizeof *row);
  row[n] = INFINITY;
  GANNET_TRY(enter_problem(w, p));
  const gannet_err code =
      gannet_minimize(p->n, row, p->lower, p->upper, function, user, &p->options, &result);
  if (code == GANNET_ERR_NUMERIC) {
    gannet_error_clear();
    return GANNET_OK;
  }
  GANNET_TRY(code);
  if (isfinite(result.value)) row[n] = result.value;
  return GANNET_OK;
}

/* The task and start of unit u of all: one problem after the other, from the last start on. The
 * first start, which continues from what was found before, is often the shortest: with several
 * ranks those of all problems come at the end, where they fill what is left. */
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

/* Take starts from the queue of all ranks until there are none left. */
static gannet_err run_from_queue(const gannet_context *context, work *w) {
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
  leave_problem(w);
  return err;
}

static gannet_err run_and_gather(const gannet_context *context, work *w) {
  const gannet_joint *joint = w->n == 1 ? w->tasks[0].problem.joint : NULL;
  if (joint) GANNET_TRY(gannet_work_steal_open(context, joint, &w->work_steal));
  gannet_err err = run_from_queue(context, w);
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
static void keep_lowest(const gannet_multistart *problem, const double *rows, int from, int to,
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

gannet_err gannet_multistart_run_all(const gannet_context *context, int n,
                                     gannet_multistart_task *tasks) {
  work w = {.n = n, .tasks = tasks};
  if (n == 0) return GANNET_OK;
  gannet_err code = gannet_alloc((size_t)n, sizeof *w.rows, &w.rows);
  for (int t = 0; t < n && code == GANNET_OK; ++t)
    code = gannet_alloc((size_t)tasks[t].problem.starts * width_of(&tasks[t].problem),
                        sizeof *w.rows[t], &w.rows[t]);
  code = gannet_agree(context->comm, code);
  if (code == GANNET_OK) code = run_and_gather(context, &w);
  for (int t = 0; t < n; ++t) {
    const gannet_multistart *p = &tasks[t].problem;
    const int compared = p->apart ? p->starts - 1 : p->starts;
    const double *rows = code == GANNET_OK ? w.rows[t] : NULL;
    keep_lowest(p, rows, 0, compared, tasks[t].best, tasks[t].value);
    if (p->apart)
      keep_lowest(p, rows, compared, p->starts, tasks[t].best + p->n, tasks[t].value + 1);
  }
  for (int t = 0; w.rows && t < n; ++t) gannet_free(&w.rows[t]);
  gannet_free(&w.rows);
  return code;
}

gannet_err gannet_multistart_run(const gannet_context *context, const gannet_multistart *problem,
                                 double *best, double *value) {
  gannet_multistart_task task = {*problem, best, {INFINITY, INFINITY}};
  const gannet_err code = gannet_multistart_run_all(context, 1, &task);
  memcpy(value, task.value, (problem->apart ? 2 : 1) * sizeof *value);
  return code;
}
