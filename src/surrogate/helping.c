#include "surrogate/helping.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "base/node.h"

/* What may become of a rank, in this order. */
enum { UNAIDED, AIDED, DONE };

enum { MINE, HELPERS, OWNERS };

/* What a rank asks, and its helper answers, by numbers of evaluations; in shared memory, and
 * followed by numbers: x [n], parts [parts][n]. */
typedef struct {
  gannet_mark state;
  gannet_mark asked;    /* INT64_MAX = nothing more */
  gannet_mark answered; /* twice that, and 1 more by a helper that failed */
} desk;

struct gannet_helping {
  const gannet_joint *joint;
  const gannet_node *node; /* NULL = alone */
  void *memory;            /* shared, of all desks */
  size_t size;             /* of one */
  int *owner;              /* [parts] of MINE and HELPERS */
  int *all;                /* [parts], all MINE */
  desk *own;
  int64_t time; /* evaluations that were asked of the helper */
};

static double *numbers_of(desk *d) {
  return (double *)(d + 1);
}

static desk *desk_of(const gannet_helping *h, int place) {
  return (desk *)((char *)h->memory + (size_t)place * h->size);
}

/* Alone where there is no memory to share, or nothing to be shared out. */
static gannet_err share(const gannet_context *context, gannet_helping *h) {
  const gannet_node *node = context->node;
  if (!node || node->n == 1 || h->joint->parts == 1) return GANNET_OK;
  const size_t bytes = (size_t)node->n * h->size;
  GANNET_TRY(gannet_node_share(node, bytes, bytes, &h->memory));
  if (!h->memory) return GANNET_OK;
  h->node = node;
  h->own = desk_of(h, node->node_rank);
  return GANNET_OK;
}

static gannet_err prepare(gannet_helping *h) {
  const size_t parts = (size_t)h->joint->parts, n = (size_t)h->joint->n;
  const size_t lines = (sizeof(double) * (1 + parts) * n + sizeof(gannet_mark) - 1);
  h->size = sizeof(desk) + lines / sizeof(gannet_mark) * sizeof(gannet_mark);
  GANNET_TRY(gannet_alloc(parts, sizeof *h->owner, &h->owner));
  GANNET_TRY(gannet_alloc(parts, sizeof *h->all, &h->all));
  return gannet_joint_share(h->joint, OWNERS, h->owner);
}

gannet_err gannet_helping_open(const gannet_context *context, const gannet_joint *joint,
                               gannet_helping **helping) {
  gannet_helping *h = NULL;
  gannet_err err = gannet_alloc(1, sizeof *h, &h);
  if (err == GANNET_OK) {
    h->joint = joint;
    err = prepare(h);
  }
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK) err = share(context, h);
  if (err == GANNET_OK && !h->own) err = gannet_alloc(h->size, 1, &h->own);
  err = gannet_agree(context->comm, err);
  if (err != GANNET_OK) gannet_helping_close(&h);
  *helping = h;
  return err;
}

void gannet_helping_close(gannet_helping **helping) {
  gannet_helping *h = *helping;
  if (!h) return;
  if (h->memory)
    gannet_node_unshare(h->node, &h->memory);
  else
    gannet_free(&h->own);
  gannet_free(&h->owner);
  gannet_free(&h->all);
  gannet_free(helping);
}

static bool ask(gannet_helping *h, const double *x) {
  desk *d = h->own;
  if (!h->node || atomic_load_explicit(&d->state.at, memory_order_acquire) != AIDED) return false;
  memcpy(numbers_of(d), x, (size_t)h->joint->n * sizeof *x);
  atomic_store_explicit(&d->asked.at, ++h->time, memory_order_release);
  return true;
}

/* Returns whether the helper has made its parts. */
static bool await_answer(const gannet_helping *h) {
  return gannet_node_wait(h->node, &h->own->answered.at, 2 * h->time) == 2 * h->time;
}

gannet_err gannet_helping_evaluate(void *helping, int n, const double *x, double *value,
                                   double *gradient) {
  gannet_helping *h = helping;
  double *parts = numbers_of(h->own) + n, unused = 0;
  const bool helped = ask(h, x);
  gannet_err err = gannet_joint_work(h->joint, x, helped ? h->owner : h->all, MINE, parts, value);
  if (helped && !await_answer(h) && err == GANNET_OK)
    err = gannet_joint_work(h->joint, x, h->owner, HELPERS, parts, &unused);
  GANNET_TRY(err);
  gannet_joint_sum(h->joint, x, parts, value, gradient);
  return GANNET_OK;
}

/* A rank whose helper fails does all by itself. */
static bool answer(const gannet_helping *h, desk *d) {
  double value = 0;
  double *x = numbers_of(d), *parts = x + h->joint->n;
  const gannet_err err = gannet_joint_work(h->joint, x, h->owner, HELPERS, parts, &value);
  if (err != GANNET_OK) gannet_error_clear();
  return err == GANNET_OK;
}

static void help(const gannet_helping *h, desk *d) {
  int64_t free = UNAIDED;
  if (!atomic_compare_exchange_strong(&d->state.at, &free, AIDED)) return;
  for (int64_t time = 1; gannet_node_wait(h->node, &d->asked.at, time) < INT64_MAX; ++time)
    atomic_store_explicit(&d->answered.at, 2 * time + !answer(h, d), memory_order_release);
}

void gannet_helping_others(gannet_helping *helping) {
  const gannet_helping *h = helping;
  if (!h->node) return;
  (void)atomic_exchange(&h->own->state.at, DONE);
  atomic_store_explicit(&h->own->asked.at, INT64_MAX, memory_order_release);
  for (int k = 1; k < h->node->n; ++k) help(h, desk_of(h, (h->node->node_rank + k) % h->node->n));
}
