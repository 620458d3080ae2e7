#include "surrogate/work_steal.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "base/node.h"

/* States of a rank, which it passes through in this order; it may leave out the second. */
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

struct gannet_work_steal {
  const gannet_joint *joint;
  const gannet_node *node; /* NULL = this rank works alone */
  void *memory;            /* the requests of all ranks of the node; NULL = own is not shared */
  size_t size;             /* bytes of one request */
  int *worker;             /* [parts] OWNER or HELPER */
  int *all_own;            /* [parts] OWNER everywhere */
  request *own;
  int64_t time; /* evaluations that were asked of the helper */
};

static double *numbers_of(request *r) {
  return (double *)(r + 1);
}

static request *request_of(const gannet_work_steal *w, int node_rank) {
  return (request *)((char *)w->memory + (size_t)node_rank * w->size);
}

static gannet_err assign_parts(gannet_work_steal *w) {
  const size_t parts = (size_t)w->joint->parts, n = (size_t)w->joint->n;
  const size_t lines = (sizeof(double) * (1 + parts) * n + sizeof(gannet_mark) - 1);
  w->size = sizeof(request) + lines / sizeof(gannet_mark) * sizeof(gannet_mark);
  GANNET_TRY(gannet_alloc(parts, sizeof *w->worker, &w->worker));
  GANNET_TRY(gannet_alloc(parts, sizeof *w->all_own, &w->all_own));
  return gannet_joint_share(w->joint, WORKERS, w->worker);
}

/* Nothing is shared where the system has no memory for it, or there is only one part. */
static gannet_err share_requests(const gannet_context *context, gannet_work_steal *w) {
  const gannet_node *node = context->node;
  if (!node || node->n == 1 || w->joint->parts == 1) return GANNET_OK;
  const size_t bytes = (size_t)node->n * w->size;
  GANNET_TRY(gannet_node_share(node, bytes, bytes, &w->memory));
  if (!w->memory) return GANNET_OK;
  w->node = node;
  w->own = request_of(w, node->node_rank);
  return GANNET_OK;
}

gannet_err gannet_work_steal_open(const gannet_context *context, const gannet_joint *joint,
                                  gannet_work_steal **work_steal) {
  gannet_work_steal *w = NULL;
  gannet_err err = gannet_alloc(1, sizeof *w, &w);
  if (err == GANNET_OK) {
    w->joint = joint;
    err = assign_parts(w);
  }
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK) err = share_requests(context, w);
  if (err == GANNET_OK && !w->own) err = gannet_alloc(w->size, 1, &w->own);
  err = gannet_agree(context->comm, err);
  if (err != GANNET_OK) gannet_work_steal_close(&w);
  *work_steal = w;
  return err;
}

void gannet_work_steal_close(gannet_work_steal **work_steal) {
  gannet_work_steal *w = *work_steal;
  if (!w) return;
  if (w->memory)
    gannet_node_unshare(w->node, &w->memory);
  else
    gannet_free(&w->own);
  gannet_free(&w->worker);
  gannet_free(&w->all_own);
  gannet_free(work_steal);
}

/* Returns whether there is a helper. */
static bool ask_helper(gannet_work_steal *w, const double *x) {
  request *r = w->own;
  if (!w->node || atomic_load_explicit(&r->state.at, memory_order_acquire) != HELPED) return false;
  memcpy(numbers_of(r), x, (size_t)w->joint->n * sizeof *x);
  atomic_store_explicit(&r->asked.at, ++w->time, memory_order_release);
  return true;
}

gannet_err gannet_work_steal_evaluate(void *work_steal, int n, const double *x, double *value,
                                      double *gradient) {
  gannet_work_steal *w = work_steal;
  double *parts = numbers_of(w->own) + n, unused = 0;
  const bool helped = ask_helper(w, x);
  gannet_err err =
      gannet_joint_work(w->joint, x, helped ? w->worker : w->all_own, OWNER, parts, value);
  const bool answered =
      !helped || gannet_node_wait(w->node, &w->own->answered.at, 2 * w->time) == 2 * w->time;
  if (!answered && err == GANNET_OK)
    err = gannet_joint_work(w->joint, x, w->worker, HELPER, parts, &unused);
  GANNET_TRY(err);
  gannet_joint_sum(w->joint, x, parts, value, gradient);
  return GANNET_OK;
}

/* Make the helper's parts; when that fails, the rank that asked makes them. */
static bool answer_request(const gannet_work_steal *w, request *r) {
  double value = 0;
  double *x = numbers_of(r), *parts = x + w->joint->n;
  const gannet_err err = gannet_joint_work(w->joint, x, w->worker, HELPER, parts, &value);
  if (err != GANNET_OK) gannet_error_clear();
  return err == GANNET_OK;
}

void gannet_work_steal_help(gannet_work_steal *work_steal) {
  const gannet_work_steal *w = work_steal;
  if (!w->node) return;
  (void)atomic_exchange(&w->own->state.at, DONE);
  atomic_store_explicit(&w->own->asked.at, INT64_MAX, memory_order_release);
  for (int k = 1; k < w->node->n; ++k) {
    request *r = request_of(w, (w->node->node_rank + k) % w->node->n);
    int64_t alone = ALONE;
    if (!atomic_compare_exchange_strong(&r->state.at, &alone, HELPED)) continue;
    for (int64_t time = 1; gannet_node_wait(w->node, &r->asked.at, time) < INT64_MAX; ++time)
      atomic_store_explicit(&r->answered.at, 2 * time + !answer_request(w, r),
                            memory_order_release);
  }
}
