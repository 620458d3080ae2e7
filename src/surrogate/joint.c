#include "surrogate/joint.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/node.h"
#include "base/partition.h"

/* One minimisation. */
typedef struct {
  const gannet_joint *joint;
  const gannet_context *context; /* NULL = this rank works alone */
  const gannet_node *node;       /* whose ranks share request and parts; NULL = nothing is shared */
  void *memory;                  /* shared, holds request and parts; NULL = both are this rank's */
  double *request;               /* [n + 1] where to evaluate, then 1, or 0 when all is done */
  double *parts;                 /* [joint->parts][n], then 1 when a rank failed, else 0 */
  int *owner;                    /* [joint->parts] rank that makes a part */
  gannet_err failed;             /* the first error of this rank */
  bool abandoned;                /* another rank failed, and will report it */
} session;

/* Parts are blocks of rows of a triangle: part k is as long as what is left below it is high. */
gannet_err gannet_joint_share(const gannet_joint *joint, int np, int *owner) {
  const size_t parts = (size_t)joint->parts;
  double *cost = NULL;
  GANNET_TRY(gannet_alloc(parts, sizeof *cost, &cost));
  for (size_t k = 0; k < parts; ++k) cost[k] = (double)((parts - k) * (parts - k));
  const gannet_err err = gannet_partition_assign(joint->parts, cost, np, owner);
  gannet_free(&cost);
  return err;
}

gannet_err gannet_joint_work(const gannet_joint *joint, const double *x, const int *owner, int me,
                             double *parts, double *value) {
  const size_t n = (size_t)joint->n;
  const gannet_err err = joint->prepare(joint->user, x, value);
  for (int k = 0; k < joint->parts; ++k) {
    double *gradient = parts + (size_t)k * n;
    if (owner[k] != me) continue;
    memset(gradient, 0, n * sizeof *gradient);
    if (err == GANNET_OK && isfinite(*value))
      joint->part(joint->user, x, k, gradient);
    else
      for (size_t i = 0; i < n; ++i) gradient[i] = NAN;
  }
  return err;
}

void gannet_joint_sum(const gannet_joint *joint, const double *x, const double *parts,
                      double *value, double *gradient) {
  const size_t n = (size_t)joint->n;
  memset(gradient, 0, n * sizeof *gradient);
  if (!isfinite(*value)) return;
  for (size_t k = 0; k < (size_t)joint->parts; ++k)
    for (size_t i = 0; i < n; ++i) gradient[i] += parts[k * n + i];
  joint->finish(joint->user, x, value, gradient);
}

/* Ranks of one node pass numbers on through its memory, if there is any; others by messages. */
static gannet_err open_session(session *s) {
  const size_t n = (size_t)s->joint->n, parts = (size_t)s->joint->parts;
  const gannet_node *node = s->context ? s->context->node : NULL;
  if (node && node->n == s->context->np)
    GANNET_TRY(gannet_node_share(node, (n + parts * n + 2) * sizeof *s->parts, 0, &s->memory));
  if (s->memory) {
    s->node = node;
    s->request = s->memory;
    s->parts = s->request + n + 1;
  } else {
    GANNET_TRY(gannet_alloc(n + 1, sizeof *s->request, &s->request));
    GANNET_TRY(gannet_alloc(parts * n + 1, sizeof *s->parts, &s->parts));
  }
  GANNET_TRY(gannet_alloc(parts, sizeof *s->owner, &s->owner));
  return gannet_joint_share(s->joint, s->context ? s->context->np : 1, s->owner);
}

static void close_session(session *s) {
  if (s->memory) {
    gannet_node_unshare(s->node, &s->memory);
    s->request = s->parts = NULL;
  }
  gannet_free(&s->request);
  gannet_free(&s->parts);
  gannet_free(&s->owner);
}

/* Rank 0's request goes to all ranks. */
static gannet_err pass_request(const session *s) {
  if (s->memory)
    (void)gannet_node_barrier(s->node, false);
  else
    GANNET_TRY_MPI(MPI_Bcast(s->request, s->joint->n + 1, MPI_DOUBLE, 0, s->context->comm));
  return GANNET_OK;
}

/* The parts go to rank 0. Every part belongs to one rank, so a bitwise OR assembles them exactly.
 * An error of this rank is kept for the end; the other ranks learn of it with the parts. */
static gannet_err pass_parts(session *s) {
  const size_t length = (size_t)s->joint->parts * (size_t)s->joint->n + 1;
  const bool root = s->context->rank == 0;
  if (s->memory) {
    s->abandoned = gannet_node_barrier(s->node, s->failed != GANNET_OK);
    return GANNET_OK;
  }
  s->parts[length - 1] = s->failed != GANNET_OK;
  GANNET_TRY_MPI(MPI_Reduce(root ? MPI_IN_PLACE : s->parts, s->parts, (int)length, MPI_UINT64_T,
                            MPI_BOR, 0, s->context->comm));
  s->abandoned = s->parts[length - 1] != 0;
  return GANNET_OK;
}

static gannet_err evaluate_together(session *s, const double *x, double *value) {
  const size_t length = (size_t)s->joint->parts * (size_t)s->joint->n;
  if (!s->memory) memset(s->parts, 0, length * sizeof *s->parts);
  const gannet_err err =
      gannet_joint_work(s->joint, x, s->owner, s->context ? s->context->rank : 0, s->parts, value);
  if (s->failed == GANNET_OK) s->failed = err;
  return s->context ? pass_parts(s) : err;
}

/* A gannet_value_gradient for rank 0. */
static gannet_err evaluate_on_root(void *user, int n, const double *x, double *value,
                                   double *gradient) {
  session *s = user;
  if (s->context) {
    memcpy(s->request, x, (size_t)n * sizeof *x);
    s->request[n] = 1;
    GANNET_TRY(pass_request(s));
  }
  GANNET_TRY(evaluate_together(s, x, value));
  if (s->failed != GANNET_OK) return s->failed;
  GANNET_REQUIRE(!s->abandoned, GANNET_ERR_STATE, "another rank failed in a fit");
  gannet_joint_sum(s->joint, x, s->parts, value, gradient);
  return GANNET_OK;
}

gannet_err gannet_joint_evaluate(void *joint, int n, const double *x, double *value,
                                 double *gradient) {
  session s = {.joint = joint};
  gannet_err err = open_session(&s);
  if (err == GANNET_OK) err = evaluate_on_root(&s, n, x, value, gradient);
  close_session(&s);
  return err;
}

/* Minimise on rank 0, which tells the other ranks at the end. */
static gannet_err minimise_on_root(session *s, double *best, double *value) {
  const gannet_joint *joint = s->joint;
  gannet_minimize_result result = {.value = INFINITY};
  gannet_err err = gannet_minimize(joint->n, best, joint->lower, joint->upper, evaluate_on_root, s,
                                   &joint->options, &result);
  if (s->failed == GANNET_OK && (err == GANNET_ERR_NUMERIC || s->abandoned)) {
    gannet_error_clear();
    err = GANNET_OK;
    result.value = INFINITY;
  }
  *value = isfinite(result.value) ? result.value : INFINITY;
  if (!isfinite(*value)) memcpy(best, joint->start, (size_t)joint->n * sizeof *best);
  s->request[joint->n] = 0;
  GANNET_TRY(pass_request(s));
  return err;
}

/* Make parts until rank 0 has done. */
static gannet_err serve_root(session *s) {
  const int n = s->joint->n;
  for (;;) {
    double value = 0;
    GANNET_TRY(pass_request(s));
    if (s->request[n] == 0) return s->failed;
    GANNET_TRY(evaluate_together(s, s->request, &value));
  }
}

gannet_err gannet_joint_run(const gannet_context *context, const gannet_joint *joint, double *best,
                            double *value) {
  const size_t n = (size_t)joint->n;
  session s = {.joint = joint, .context = context};
  double *result = NULL;
  GANNET_REQUIRE((int64_t)joint->parts * joint->n < INT_MAX, GANNET_ERR_SHAPE,
                 "%d parts of a gradient of %d numbers; expected fewer than 2^31 numbers",
                 joint->parts, joint->n);
  gannet_err err = open_session(&s);
  if (err == GANNET_OK) err = gannet_alloc(n + 1, sizeof *result, &result);
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK) {
    memcpy(result, joint->start, n * sizeof *result);
    err = gannet_agree(context->comm, context->rank == 0 ? minimise_on_root(&s, result, &result[n])
                                                         : serve_root(&s));
  }
  if (err == GANNET_OK &&
      MPI_Bcast(result, joint->n + 1, MPI_DOUBLE, 0, context->comm) != MPI_SUCCESS)
    err = GANNET_RAISE(GANNET_ERR_MPI, "broadcast of the result of a fit");
  if (err == GANNET_OK) {
    memcpy(best, result, n * sizeof *best);
    *value = result[n];
  }
  gannet_free(&result);
  close_session(&s);
  return err;
}
