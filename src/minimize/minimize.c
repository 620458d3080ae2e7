/* Limited-memory quasi-Newton with bounds: TAO's BLMVM (Benson and More 2001) with the projected
 * More-Thuente line search. */
#include "minimize/minimize.h"

#include <float.h>
#include <math.h>
#include <petsctao.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "minimize/petsc_error.h"

/* A trial value that exceeds the best one by this many times the expected change is as useless to
 * the line search as infinity: the interpolation would step back to nothing. */
static const double useless_rise = 1e6;

/* How a solve is left from within an evaluation. */
enum { LEAVE_SOLVE = PETSC_ERR_USER };

typedef struct {
  gannet_value_gradient function;
  void *user;
  const gannet_minimize_options *options;
  int n;
  int evaluations;
  double value;          /* best so far */
  double *x;             /* [n] where; the caller's array */
  double *gradient;      /* [n] there */
  double *trial;         /* [n] gradient at a trial point */
  double base_value;     /* where the present line search starts */
  double *base_x;        /* [n] */
  double *base_gradient; /* [n] projected */
  bool start_known; /* value and gradient at x are those of the start, not asked for by TAO yet */
  bool spent;       /* one more evaluation was asked for than is allowed */
  gannet_err err;   /* of the function */
} solve_state;

static bool all_finite(int n, const double *values) {
  for (int i = 0; i < n; ++i)
    if (!isfinite(values[i])) return false;
  return true;
}

/* The change of the value that the gradient at the start of the line search predicts. */
static double expected_change(const solve_state *s, const double *x) {
  double change = 0;
  for (int i = 0; i < s->n; ++i) change += s->base_gradient[i] * (x[i] - s->base_x[i]);
  const double least = 16 * DBL_EPSILON * fmax(fabs(s->base_value), DBL_MIN);
  return isfinite(change) ? fmax(fabs(change), least) : least;
}

static void keep_if_best(solve_state *s, const double *x, double value, const double *gradient) {
  if (!(value < s->value)) return;
  s->value = value;
  memcpy(s->x, x, (size_t)s->n * sizeof *x);
  memcpy(s->gradient, gradient, (size_t)s->n * sizeof *gradient);
}

/* Evaluate at x for the line search; the gradient is left in s->trial. Returns 0 or LEAVE_SOLVE. */
static PetscErrorCode evaluate(solve_state *s, const double *x, double *value) {
  if (s->start_known && memcmp(x, s->x, (size_t)s->n * sizeof *x) == 0) {
    s->start_known = false;
    memcpy(s->trial, s->gradient, (size_t)s->n * sizeof *x);
    *value = s->value;
    return 0;
  }
  if (s->evaluations >= s->options->max_evaluations) {
    s->spent = true;
    return LEAVE_SOLVE;
  }
  s->evaluations += 1;
  s->err = s->function(s->user, s->n, x, value, s->trial);
  if (s->err != GANNET_OK) return LEAVE_SOLVE;
  const double change = expected_change(s, x);
  if (isfinite(*value) && all_finite(s->n, s->trial) &&
      *value - s->base_value <= useless_rise * change) {
    keep_if_best(s, x, *value, s->trial);
    return 0;
  }
  /* Rising by what should have been the fall, with slope zero: the cubic through that and the start
   * has its minimum at a ninth of the step. */
  *value = s->base_value + change;
  memset(s->trial, 0, (size_t)s->n * sizeof *s->trial);
  return 0;
}

static PetscErrorCode tao_evaluate(Tao tao, Vec x, PetscReal *value, Vec gradient, void *user) {
  (void)tao;
  solve_state *s = user;
  const PetscScalar *at = NULL;
  PetscCall(VecGetArrayRead(x, &at));
  const PetscErrorCode code = evaluate(s, at, value);
  PetscCall(VecRestoreArrayRead(x, &at));
  if (code) return code;
  PetscScalar *g = NULL;
  PetscCall(VecGetArrayWrite(gradient, &g));
  memcpy(g, s->trial, (size_t)s->n * sizeof *g);
  PetscCall(VecRestoreArrayWrite(gradient, &g));
  return 0;
}

static PetscErrorCode copy_vector(int n, Vec vector, double *values) {
  const PetscScalar *a = NULL;
  PetscCall(VecGetArrayRead(vector, &a));
  memcpy(values, a, (size_t)n * sizeof *values);
  PetscCall(VecRestoreArrayRead(vector, &a));
  return 0;
}

/* Called before every line search. */
static PetscErrorCode tao_converged(Tao tao, void *user) {
  solve_state *s = user;
  PetscInt iteration = 0;
  PetscReal value = 0, norm = 0;
  PetscCall(TaoGetSolutionStatus(tao, &iteration, &value, &norm, NULL, NULL, NULL));
  const double change = fabs(s->base_value - value);
  const double scale = fmax(fmax(fabs(s->base_value), fabs(value)), 1);
  if (norm <= s->options->gradient_tolerance)
    PetscCall(TaoSetConvergedReason(tao, TAO_CONVERGED_GATOL));
  else if (iteration > 0 && change < s->options->value_tolerance * scale)
    PetscCall(TaoSetConvergedReason(tao, TAO_CONVERGED_USER));
  else if (iteration > s->options->max_evaluations)
    PetscCall(TaoSetConvergedReason(tao, TAO_DIVERGED_MAXITS));
  Vec x = NULL, gradient = NULL;
  PetscCall(TaoGetSolution(tao, &x));
  PetscCall(TaoGetGradient(tao, &gradient, NULL, NULL));
  PetscCall(copy_vector(s->n, x, s->base_x));
  PetscCall(copy_vector(s->n, gradient, s->base_gradient));
  s->base_value = value;
  return 0;
}

typedef struct {
  Tao tao;
  Vec x, lower, upper;
} solver;

static PetscErrorCode vector_of(int n, const double *values, double otherwise, Vec *vector) {
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, vector));
  PetscScalar *a = NULL;
  PetscCall(VecGetArrayWrite(*vector, &a));
  for (int i = 0; i < n; ++i)
    a[i] = values ? fmin(fmax(values[i], PETSC_NINFINITY), PETSC_INFINITY) : otherwise;
  PetscCall(VecRestoreArrayWrite(*vector, &a));
  return 0;
}

static PetscErrorCode set_up(solver *o, solve_state *s, const double *lower, const double *upper) {
  PetscCall(vector_of(s->n, s->x, 0, &o->x));
  PetscCall(vector_of(s->n, lower, PETSC_NINFINITY, &o->lower));
  PetscCall(vector_of(s->n, upper, PETSC_INFINITY, &o->upper));
  PetscCall(TaoCreate(PETSC_COMM_SELF, &o->tao));
  PetscCall(TaoSetType(o->tao, TAOBLMVM));
  PetscCall(TaoSetObjectiveAndGradient(o->tao, NULL, tao_evaluate, s));
  PetscCall(TaoSetVariableBounds(o->tao, o->lower, o->upper));
  PetscCall(TaoSetConvergenceTest(o->tao, tao_converged, s));
  PetscCall(TaoSetMaximumFunctionEvaluations(o->tao, PETSC_MAX_INT));
  PetscCall(TaoSetMaximumIterations(o->tao, PETSC_MAX_INT));
  PetscCall(TaoSetSolution(o->tao, o->x));
  return 0;
}

static void tear_down(solver *o) {
  (void)TaoDestroy(&o->tao);
  (void)VecDestroy(&o->upper);
  (void)VecDestroy(&o->lower);
  (void)VecDestroy(&o->x);
}

static gannet_minimize_reason reason_of(const solve_state *s, TaoConvergedReason reason) {
  if (s->spent || reason == TAO_DIVERGED_MAXITS) return GANNET_MINIMIZE_BUDGET;
  return reason > 0 ? GANNET_MINIMIZE_CONVERGED : GANNET_MINIMIZE_STALLED;
}

static gannet_err run_tao(solve_state *s, const double *lower, const double *upper,
                          gannet_minimize_reason *reason) {
  gannet_petsc_shield shield;
  GANNET_TRY(gannet_petsc_push(&shield));
  solver o = {0};
  TaoConvergedReason tao_reason = TAO_CONTINUE_ITERATING;
  PetscErrorCode code = set_up(&o, s, lower, upper);
  if (!code) code = TaoSolve(o.tao);
  if (!code) code = TaoGetConvergedReason(o.tao, &tao_reason);
  gannet_err err = s->err;
  if (code && !s->err && !s->spent) err = gannet_petsc_raise(code, "TaoSolve");
  tear_down(&o);
  gannet_petsc_pop(&shield);
  *reason = reason_of(s, tao_reason);
  return err;
}

static gannet_err evaluate_start(solve_state *s) {
  s->evaluations = 1;
  GANNET_TRY(s->function(s->user, s->n, s->x, &s->value, s->gradient));
  GANNET_REQUIRE(isfinite(s->value) && all_finite(s->n, s->gradient), GANNET_ERR_NUMERIC,
                 "value %g or its gradient is not finite at the start", s->value);
  s->start_known = true;
  s->base_value = s->value;
  return GANNET_OK;
}

static gannet_err clip(int n, double *x, const double *lower, const double *upper) {
  for (int i = 0; i < n; ++i) {
    const double low = lower ? lower[i] : -INFINITY, high = upper ? upper[i] : INFINITY;
    GANNET_REQUIRE(low <= high, GANNET_ERR_ARG, "bounds of variable %d: [%g, %g]", i, low, high);
    x[i] = fmin(fmax(x[i], low), high);
  }
  return GANNET_OK;
}

gannet_err gannet_minimize(int n, double *x, const double *lower, const double *upper,
                           gannet_value_gradient function, void *user,
                           const gannet_minimize_options *options, gannet_minimize_result *result) {
  GANNET_REQUIRE(n >= 1, GANNET_ERR_ARG, "n = %d, expected at least 1", n);
  GANNET_REQUIRE(options->max_evaluations > 0, GANNET_ERR_ARG, "max_evaluations = %d",
                 options->max_evaluations);
  GANNET_TRY(clip(n, x, lower, upper));
  double *work = NULL;
  GANNET_TRY(gannet_alloc(4 * (size_t)n, sizeof *work, &work));
  solve_state s = {.function = function,
                   .user = user,
                   .options = options,
                   .n = n,
                   .x = x,
                   .gradient = work,
                   .trial = work + n,
                   .base_x = work + 2 * (size_t)n,
                   .base_gradient = work + 3 * (size_t)n};
  gannet_err err = evaluate_start(&s);
  if (err == GANNET_OK) err = run_tao(&s, lower, upper, &result->reason);
  result->value = s.value;
  result->evaluations = s.evaluations;
  gannet_free(&work);
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}
