#include "surrogate/joint.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/parts.h"

/* parts: [joint->parts][n], then one more number: 0, or 1 where a rank failed. */
typedef struct {
  const gannet_joint *joint;
  const gannet_context *context; /* NULL = alone */
  double *request;               /* [n + 1] where to evaluate, and whether at all */
  double *parts;
  int *owner;        /* [joint->parts] */
  gannet_err failed; /* the first error of this rank */
  bool abandoned;    /* another rank failed, which will say so */
} session;

static bool is_mine(const session *s, int part) {
  return !s->context || s->owner[part] == s->context->rank;
}

/* Parts are those of a triangle: what is left of it is as wide as it is high. */
static gannet_err open_session(session *s) {
  const size_t n = (size_t)s->joint->n, parts = (size_t)s->joint->parts;
  GANNET_TRY(gannet_alloc(n + 1, sizeof *s->request, &s->request));
  GANNET_TRY(gannet_alloc(parts * n + 1, sizeof *s->parts, &s->parts));
  GANNET_TRY(gannet_alloc(parts, sizeof *s->owner, &s->owner));
  for (size_t k = 0; k < parts; ++k) s->parts[k] = (double)((parts - k) * (parts - k));
  return gannet_parts_share(s->joint->parts, s->parts, s->context ? s->context->np : 1, s->owner);
}

static void close_session(session *s) {
  gannet_free(&s->request);
  gannet_free(&s->parts);
  gannet_free(&s->owner);
}

/* The parts of this rank at a point, 0 for the others; NAN without a value, which rank 0 sees. */
static gannet_err work_on_parts(session *s, const double *x, double *value) {
  const gannet_joint *joint = s->joint;
  const size_t n = (size_t)joint->n;
  memset(s->parts, 0, ((size_t)joint->parts * n + 1) * sizeof *s->parts);
  GANNET_TRY(joint->prepare(joint->user, x, value));
  for (int k = 0; k < joint->parts; ++k) {
    double *gradient = s->parts + (size_t)k * n;
    if (!is_mine(s, k)) continue;
    if (isfinite(*value))
      joint->part(joint->user, x, k, gradient);
    else
      for (size_t i = 0; i < n; ++i) gradient[i] = NAN;
  }
  return GANNET_OK;
}

/* Every part belongs to one rank, so a bitwise OR assembles them exactly. An error of this rank is
 * kept for the end; the others are told with the parts. */
static gannet_err evaluate_together(session *s, const double *x, double *value) {
  const size_t length = (size_t)s->joint->parts * (size_t)s->joint->n + 1;
  const gannet_err err = work_on_parts(s, x, value);
  if (s->failed == GANNET_OK) s->failed = err;
  if (s->failed != GANNET_OK) s->parts[length - 1] = 1;
  if (!s->context) return err;
  const bool root = s->context->rank == 0;
  GANNET_TRY_MPI(MPI_Reduce(root ? MPI_IN_PLACE : s->parts, s->parts, (int)length, MPI_UINT64_T,
                            MPI_BOR, 0, s->context->comm));
  return GANNET_OK;
}

/* gannet_value_gradient of rank 0 */
static gannet_err evaluate(void *user, int n, const double *x, double *value, double *gradient) {
  session *s = user;
  const gannet_joint *joint = s->joint;
  const size_t length = (size_t)n;
  if (s->context) {
    memcpy(s->request, x, length * sizeof *x);
    s->request[n] = 1;
    GANNET_TRY_MPI(MPI_Bcast(s->request, n + 1, MPI_DOUBLE, 0, s->context->comm));
  }
  GANNET_TRY(evaluate_together(s, x, value));
  if (s->failed != GANNET_OK) return s->failed;
  s->abandoned = s->parts[(size_t)joint->parts * length] != 0;
  GANNET_REQUIRE(!s->abandoned, GANNET_ERR_STATE, "another rank failed in a fit");
  memset(gradient, 0, length * sizeof *gradient);
  if (!isfinite(*value)) return GANNET_OK;
  for (size_t k = 0; k < (size_t)joint->parts; ++k)
    for (size_t i = 0; i < length; ++i) gradient[i] += s->parts[k * length + i];
  joint->finish(joint->user, x, value, gradient);
  return GANNET_OK;
}

gannet_err gannet_joint_evaluate(void *joint, int n, const double *x, double *value,
                                 double *gradient) {
  session s = {.joint = joint};
  gannet_err err = open_session(&s);
  if (err == GANNET_OK) err = evaluate(&s, n, x, value, gradient);
  close_session(&s);
  return err;
}

/* What rank 0 does, and then tells the others that it is over. */
static gannet_err lead(session *s, double *best, double *value) {
  const gannet_joint *joint = s->joint;
  gannet_minimize_result result = {.value = INFINITY};
  gannet_err err = gannet_minimize(joint->n, best, joint->lower, joint->upper, evaluate, s,
                                   &joint->options, &result);
  if (s->failed == GANNET_OK && (err == GANNET_ERR_NUMERIC || s->abandoned)) {
    gannet_error_clear();
    err = GANNET_OK;
    result.value = INFINITY;
  }
  *value = isfinite(result.value) ? result.value : INFINITY;
  if (!isfinite(*value)) memcpy(best, joint->start, (size_t)joint->n * sizeof *best);
  s->request[joint->n] = 0;
  GANNET_TRY_MPI(MPI_Bcast(s->request, joint->n + 1, MPI_DOUBLE, 0, s->context->comm));
  return err;
}

static gannet_err follow(session *s) {
  const int n = s->joint->n;
  for (;;) {
    double value = 0;
    GANNET_TRY_MPI(MPI_Bcast(s->request, n + 1, MPI_DOUBLE, 0, s->context->comm));
    if (s->request[n] == 0) return s->failed;
    GANNET_TRY(evaluate_together(s, s->request, &value));
  }
}

gannet_err gannet_joint_run(const gannet_context *context, const gannet_joint *joint, double *best,
                            double *value) {
  const size_t n = (size_t)joint->n;
  session s = {.joint = joint, .context = context};
  double *result = NULL;
  gannet_err err = open_session(&s);
  if (err == GANNET_OK) err = gannet_alloc(n + 1, sizeof *result, &result);
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK) {
    memcpy(result, joint->start, n * sizeof *result);
    err =
        gannet_agree(context->comm, context->rank == 0 ? lead(&s, result, &result[n]) : follow(&s));
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
