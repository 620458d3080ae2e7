/* Limited-memory quasi-Newton with bounds: TAO's BLMVM (Benson and More 2001) with the projected
 * More-Thuente line search. */
#include "minimize/minimize.h"

#include <float.h>
#include <math.h>
#include <petsctao.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "minimize/petsc.h"

/* TAO leaves a solve when an evaluation returns this. */
enum { LEAVE_SOLVE = PETSC_ERR_USER };

/* One minimisation, as its evaluations see it. */
typedef struct {
  gannet_value_gradient function;
  void *user;
  gannet_minimize_options options;
  int n;
  int evaluations;
  double value;          /* the least value so far */
  double *x;             /* [n] where that is; the array of the caller */
  double *gradient;      /* [n] there */
  double *trial;         /* [n] gradient at the point of the present evaluation */
  double base_value;     /* where the present line search starts */
  double *base_x;        /* [n] */
  double *base_gradient; /* [n] projected */
  bool start_known;      /* TAO has not asked yet for value and gradient of the start */
  bool spent;            /* TAO asked for one more evaluation than is allowed */
  gannet_err err;        /* of the function */
} solve_state;

bool gannet_minimize_accepts(int n, double value, const double *gradient) {
  const double largest_square = 1e300; /* TAO squares gradients, and their differences */
  double square = 0;
  for (int i = 0; i < n; ++i) square += gradient[i] * gradient[i];
  return isfinite(value) && square <= largest_square;
}

/* The change of the value that the gradient at the start of the line search predicts. */
static double expected_change(const solve_state *s, const double *x) {
  double change = 0;
  for (int i = 0; i < s->n; ++i) change += s->base_gradient[i] * (x[i] - s->base_x[i]);
  const double least = 16 * DBL_EPSILON * fmax(fabs(s->base_value), DBL_MIN);
  return isfinite(change) ? fmax(fabs(change), least) : least;
}

/* Evaluate at x for the line search; the gradient is left in s->trial. Returns 0 or LEAVE_SOLVE.
 *
 * A value that exceeds the best one by far more than the expected change is as useless to the line
 * search as infinity: the interpolation would step back to nothing. Where a value is useless, the
 * line search is told that the value rises by what it should have fallen by, with slope zero: the
 * cubic through that and the start has its minimum at a ninth of the step. */
static PetscErrorCode evaluate(solve_state *s, const double *x, double *value) {
  const double useless_rise = 1e6; /* times the expected change */
  const size_t bytes = (size_t)s->n * sizeof *x;
  if (s->start_known && memcmp(x, s->x, bytes) == 0) {
    s->start_known = false;
    memcpy(s->trial, s->gradient, bytes);
    *value = s->value;
    return 0;
  }
  if (s->evaluations >= s->options.max_evaluations) {
    s->spent = true;
    return LEAVE_SOLVE;
  }
  s->evaluations += 1;
  s->err = s->function(s->user, s->n, x, value, s->trial);
  if (s->err != GANNET_OK) return LEAVE_SOLVE;
  const double change = expected_change(s, x);
  if (!gannet_minimize_accepts(s->n, *value, s->trial) ||
      !(*value - s->base_value <= useless_rise * change)) {
    *value = s->base_value + change;
    memset(s->trial, 0, bytes);
  } else if (*value < s->value) {
    s->value = *value;
    memcpy(s->x, x, bytes);
    memcpy(s->gradient, s->trial, bytes);
  }
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

/* TAO calls this before every line search. */
static PetscErrorCode tao_converged(Tao tao, void *user) {
  solve_state *s = user;
  PetscInt iteration = 0;
  PetscReal value = 0, norm = 0;
  PetscCall(TaoGetSolutionStatus(tao, &iteration, &value, &norm, NULL, NULL, NULL));
  const double change = fabs(s->base_value - value);
  const double scale = fmax(fmax(fabs(s->base_value), fabs(value)), 1);
  if (norm <= s->options.gradient_tolerance)
    PetscCall(TaoSetConvergedReason(tao, TAO_CONVERGED_GATOL));
  else if (iteration > 0 && change < s->options.value_tolerance * scale)
    PetscCall(TaoSetConvergedReason(tao, TAO_CONVERGED_USER));
  else if (iteration > s->options.max_evaluations)
    PetscCall(TaoSetConvergedReason(tao, TAO_DIVERGED_MAXITS));
  Vec x = NULL, gradient = NULL;
  PetscCall(TaoGetSolution(tao, &x));
  PetscCall(TaoGetGradient(tao, &gradient, NULL, NULL));
  PetscCall(copy_vector(s->n, x, s->base_x));
  PetscCall(copy_vector(s->n, gradient, s->base_gradient));
  s->base_value = value;
  return 0;
}

struct gannet_minimizer {
  solve_state state;
  double *work;          /* [6][n] */
  double *lower, *upper; /* [n] */
  bool shielded;         /* the caller holds a gannet_petsc_push over all runs */
  Tao tao;               /* NULL before the first solve, and after a solve that was left */
  Vec x_vector, lower_vector, upper_vector;
};

static PetscErrorCode create_vector(int n, const double *values, Vec *vector) {
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, vector));
  PetscScalar *a = NULL;
  PetscCall(VecGetArrayWrite(*vector, &a));
  for (int i = 0; i < n; ++i) a[i] = fmin(fmax(values[i], PETSC_NINFINITY), PETSC_INFINITY);
  PetscCall(VecRestoreArrayWrite(*vector, &a));
  return 0;
}

static PetscErrorCode create_tao(gannet_minimizer *m) {
  PetscCall(create_vector(m->state.n, m->lower, &m->x_vector));
  PetscCall(create_vector(m->state.n, m->lower, &m->lower_vector));
  PetscCall(create_vector(m->state.n, m->upper, &m->upper_vector));
  PetscCall(TaoCreate(PETSC_COMM_SELF, &m->tao));
  PetscCall(TaoSetType(m->tao, TAOBLMVM));
  PetscCall(TaoSetObjectiveAndGradient(m->tao, NULL, tao_evaluate, &m->state));
  PetscCall(TaoSetVariableBounds(m->tao, m->lower_vector, m->upper_vector));
  PetscCall(TaoSetConvergenceTest(m->tao, tao_converged, &m->state));
  PetscCall(TaoSetMaximumFunctionEvaluations(m->tao, PETSC_MAX_INT));
  PetscCall(TaoSetMaximumIterations(m->tao, PETSC_MAX_INT));
  PetscCall(TaoSetSolution(m->tao, m->x_vector));
  return 0;
}

static void destroy_tao(gannet_minimizer *m) {
  (void)TaoDestroy(&m->tao);
  (void)VecDestroy(&m->upper_vector);
  (void)VecDestroy(&m->lower_vector);
  (void)VecDestroy(&m->x_vector);
}

static PetscErrorCode solve(gannet_minimizer *m, TaoConvergedReason *reason) {
  PetscScalar *a = NULL;
  if (!m->tao) PetscCall(create_tao(m));
  PetscCall(VecGetArrayWrite(m->x_vector, &a));
  memcpy(a, m->state.x, (size_t)m->state.n * sizeof *a);
  PetscCall(VecRestoreArrayWrite(m->x_vector, &a));
  const PetscErrorCode code = TaoSolve(m->tao); /* leaving it is no error of PETSc's */
  return code ? code : TaoGetConvergedReason(m->tao, reason);
}

static gannet_err solve_shielded(gannet_minimizer *m, gannet_minimize_reason *reason) {
  solve_state *s = &m->state;
  gannet_petsc_shield shield = {0};
  if (!m->shielded) GANNET_TRY(gannet_petsc_push(&shield));
  TaoConvergedReason why = TAO_CONTINUE_ITERATING;
  const PetscErrorCode code = solve(m, &why);
  gannet_err err = s->err;
  if (code && !s->err && !s->spent) err = gannet_petsc_raise(code, "TaoSolve");
  if (code) destroy_tao(m);
  gannet_petsc_pop(&shield);
  if (s->spent || why == TAO_DIVERGED_MAXITS)
    *reason = GANNET_MINIMIZE_BUDGET;
  else
    *reason = why > 0 ? GANNET_MINIMIZE_CONVERGED : GANNET_MINIMIZE_STALLED;
  return err;
}

static gannet_err set_bounds(gannet_minimizer *m, const double *lower, const double *upper) {
  for (int i = 0; i < m->state.n; ++i) {
    m->lower[i] = lower ? lower[i] : -INFINITY;
    m->upper[i] = upper ? upper[i] : INFINITY;
    GANNET_REQUIRE(m->lower[i] <= m->upper[i], GANNET_ERR_ARG, "bounds of variable %d: [%g, %g]", i,
                   m->lower[i], m->upper[i]);
  }
  return GANNET_OK;
}

gannet_err gannet_minimizer_create(int n, const double *lower, const double *upper,
                                   const gannet_minimize_options *options, bool shielded,
                                   gannet_minimizer **minimizer) {
  GANNET_REQUIRE(n >= 1, GANNET_ERR_ARG, "n = %d, expected at least 1", n);
  GANNET_REQUIRE(options->max_evaluations > 0, GANNET_ERR_ARG, "max_evaluations = %d",
                 options->max_evaluations);
  gannet_minimizer *m = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *m, &m));
  gannet_err err = gannet_alloc(6 * (size_t)n, sizeof *m->work, &m->work);
  if (err == GANNET_OK) {
    const size_t length = (size_t)n;
    m->shielded = shielded;
    m->lower = m->work + 4 * length;
    m->upper = m->work + 5 * length;
    m->state = (solve_state){.options = *options,
                             .n = n,
                             .gradient = m->work,
                             .trial = m->work + length,
                             .base_x = m->work + 2 * length,
                             .base_gradient = m->work + 3 * length};
    err = set_bounds(m, lower, upper);
  }
  if (err != GANNET_OK) gannet_minimizer_destroy(&m);
  *minimizer = m;
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}

void gannet_minimizer_destroy(gannet_minimizer **minimizer) {
  if (!*minimizer) return;
  destroy_tao(*minimizer);
  gannet_free(&(*minimizer)->work);
  gannet_free(minimizer);
}

static gannet_err evaluate_start(solve_state *s) {
  s->evaluations = 1;
  GANNET_TRY(s->function(s->user, s->n, s->x, &s->value, s->gradient));
  GANNET_REQUIRE(gannet_minimize_accepts(s->n, s->value, s->gradient), GANNET_ERR_NUMERIC,
                 "value %g or its gradient is not finite, or too large, at the start", s->value);
  s->start_known = true;
  s->base_value = s->value;
  return GANNET_OK;
}

gannet_err gannet_minimizer_run(gannet_minimizer *minimizer, double *x,
                                gannet_value_gradient function, void *user,
                                gannet_minimize_result *result) {
  solve_state *s = &minimizer->state;
  for (int i = 0; i < s->n; ++i) x[i] = fmin(fmax(x[i], minimizer->lower[i]), minimizer->upper[i]);
  s->function = function;
  s->user = user;
  s->x = x;
  s->spent = s->start_known = false;
  s->err = GANNET_OK;
  gannet_err err = evaluate_start(s);
  if (err == GANNET_OK) err = solve_shielded(minimizer, &result->reason);
  result->value = s->value;
  result->evaluations = s->evaluations;
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}

gannet_err gannet_minimize(int n, double *x, const double *lower, const double *upper,
                           gannet_value_gradient function, void *user,
                           const gannet_minimize_options *options, gannet_minimize_result *result) {
  gannet_minimizer *m = NULL;
  GANNET_TRY(gannet_minimizer_create(n, lower, upper, options, false, &m));
  const gannet_err err = gannet_minimizer_run(m, x, function, user, result);
  gannet_minimizer_destroy(&m);
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}
