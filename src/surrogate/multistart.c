#include "surrogate/multistart.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/node.h"
#include "base/partition.h"
#include "base/queue.h"

/* When the starts of a fit run out, some ranks of a node are idle while others still minimise. An
 * idle rank becomes the helper of one that nobody helps yet: from then on it makes half of the
 * parts of each of its gradients. A rank passes through these states in their order; it may leave
 * out the second. */
enum { ALONE, HELPED, DONE };

/* Who makes a part of a gradient: the rank that asks, or its helper. */
enum { OWNER, HELPER, WORKERS };

/* What a rank asks of its helper and the helper's answer, in memory that they share. The numbers
 * follow: x [n], then parts [parts][n]. */
typedef struct {
  gannet_mark state;
  gannet_mark asked;    /* number of the evaluation that is asked for; INT64_MAX = no more come */
  gannet_mark answered; /* twice the number of the last answer, and 1 more when the helper failed */
} request;

/* Help with a joint among the ranks of a node. */
typedef struct {
  const gannet_joint *joint; /* NULL = nobody helps */
  const gannet_node *node;   /* NULL = this rank works alone */
  void *memory;              /* the requests of all ranks of the node; NULL = own is not shared */
  size_t size;               /* bytes of one request */
  int *worker;               /* [parts] OWNER or HELPER */
  int *all_own;              /* [parts] OWNER everywhere */
  request *own;
  int64_t time; /* evaluations that were asked of the helper */
} help;

static double *numbers_of(request *r) {
  return (double *)(r + 1);
}

static request *request_of(const help *h, int node_rank) {
  return (request *)((char *)h->memory + (size_t)node_rank * h->size);
}

/* Nothing is shared where the system has no memory for it, or there is only one part. To be closed
 * also after an error.
 *
 * Collective over the context's communicator. */
static gannet_err open_help(const gannet_context *context, const gannet_joint *joint, help *h) {
  const gannet_node *node = context->node;
  const size_t parts = (size_t)joint->parts, line = sizeof(gannet_mark);
  const size_t bytes = sizeof(double) * (1 + parts) * (size_t)joint->n;
  *h = (help){.joint = joint, .size = sizeof(request) + (bytes + line - 1) / line * line};
  gannet_err err = gannet_alloc(parts, sizeof *h->worker, &h->worker);
  if (err == GANNET_OK) err = gannet_alloc(parts, sizeof *h->all_own, &h->all_own);
  if (err == GANNET_OK) err = gannet_joint_share(joint, WORKERS, h->worker);
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK && node && node->n > 1 && parts > 1) {
    const size_t all = (size_t)node->n * h->size;
    err = gannet_node_share(node, all, all, &h->memory);
  }
  if (h->memory) {
    h->node = node;
    h->own = request_of(h, node->node_rank);
  } else if (err == GANNET_OK) {
    err = gannet_alloc(h->size, 1, &h->own);
  }
  return gannet_agree(context->comm, err);
}

static void close_help(help *h) {
  if (h->memory)
    gannet_node_unshare(h->node, &h->memory);
  else
    gannet_free(&h->own);
  gannet_free(&h->worker);
  gannet_free(&h->all_own);
}

/* A gannet_value_gradient whose user is a help: gannet_joint_evaluate with the same bits, where a
 * helper, if there is one, makes half of the parts. The helper calls prepare, too: that takes less
 * time than passing on what was prepared. A failure of the helper is made up for here. */
static gannet_err evaluate_with_help(void *user, int n, const double *x, double *value,
                                     double *gradient) {
  help *h = user;
  request *r = h->own;
  double *parts = numbers_of(r) + n, unused = 0;
  const bool helped = h->node && atomic_load_explicit(&r->state.at, memory_order_acquire) == HELPED;
  if (helped) {
    memcpy(numbers_of(r), x, (size_t)n * sizeof *x);
    atomic_store_explicit(&r->asked.at, ++h->time, memory_order_release);
  }
  gannet_err err =
      gannet_joint_work(h->joint, x, helped ? h->worker : h->all_own, OWNER, parts, value);
  const bool answered =
      !helped || gannet_node_wait(h->node, &r->answered.at, 2 * h->time) == 2 * h->time;
  if (!answered && err == GANNET_OK)
    err = gannet_joint_work(h->joint, x, h->worker, HELPER, parts, &unused);
  GANNET_TRY(err);
  gannet_joint_sum(h->joint, x, parts, value, gradient);
  return GANNET_OK;
}

/* Help other ranks of the node, one after the other, each until it has no evaluation left; returns
 * when nobody is without help. Called once, when this rank has none left itself.
 *
 * Collective over the node, but without waiting for ranks that others help. */
static void help_others(const help *h) {
  if (!h->node) return;
  (void)atomic_exchange(&h->own->state.at, DONE);
  atomic_store_explicit(&h->own->asked.at, INT64_MAX, memory_order_release);
  for (int k = 1; k < h->node->n; ++k) {
    request *r = request_of(h, (h->node->node_rank + k) % h->node->n);
    double *x = numbers_of(r), *parts = x + h->joint->n, value = 0;
    int64_t alone = ALONE;
    if (!atomic_compare_exchange_strong(&r->state.at, &alone, HELPED)) continue;
    for (int64_t time = 1; gannet_node_wait(h->node, &r->asked.at, time) < INT64_MAX; ++time) {
      const gannet_err err = gannet_joint_work(h->joint, x, h->worker, HELPER, parts, &value);
      if (err != GANNET_OK) gannet_error_clear();
      atomic_store_explicit(&r->answered.at, 2 * time + (err != GANNET_OK), memory_order_release);
    }
  }
}

typedef struct {
  int n;
  gannet_multistart_task *tasks; /* [n] */
  help help;                     /* with the joint of a single task */
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

/* One start, by one rank: its row becomes the best point and its value. */
static gannet_err run_start(work *w, int task, int start) {
  gannet_multistart *p = &w->tasks[task].problem;
  const size_t n = (size_t)p->n;
  double *row = w->rows[task] + (size_t)start * (n + 1);
  gannet_minimize_result result = {0};
  gannet_value_gradient function = w->help.joint ? evaluate_with_help
                                   : p->joint    ? gannet_joint_evaluate
                                                 : p->function;
  void *user = w->help.joint ? (void *)&w->help : p->joint ? (void *)p->joint : p->user;
  memcpy(row, p->start + (size_t)start * n, n * sizeof *row);
  row[n] = INFINITY;
  if (w->inside != p) {
    leave_problem(w);
    w->inside = p;
    if (p->enter) GANNET_TRY(p->enter(p->user));
  }
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
  gannet_err err = joint ? open_help(context, joint, &w->help) : GANNET_OK;
  if (err == GANNET_OK) {
    err = run_from_queue(context, w);
    help_others(&w->help);
    err = gannet_agree(context->comm, err);
  }
  close_help(&w->help);
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
