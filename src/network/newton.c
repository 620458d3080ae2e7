#include "network/newton.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "linalg/cholesky.h"
#include "network/jacobian.h"

typedef struct {
  const gannet_train_problem *problem;
  size_t p, n;
  gannet_mlp_tape tape[2];
  double *values;    /* [4][n]: values of a half, residuals, J v, solution */
  double *away;      /* [2][p] theta - theta_0 */
  double *trial;     /* [2][p] */
  double *transpose; /* [2][p] J^T of the solution */
  double *kernel;    /* [n][n] */
  double *work;      /* [2][GANNET_JACOBIAN_BLOCK][n] */
  gannet_cholesky *factor;
  double kappa;
  double loss, damping;
} newton;

static void release(newton *s) {
  gannet_mlp_tape_release(&s->tape[0]);
  gannet_mlp_tape_release(&s->tape[1]);
  gannet_free(&s->values);
  gannet_free(&s->away);
  gannet_free(&s->trial);
  gannet_free(&s->transpose);
  gannet_free(&s->kernel);
  gannet_free(&s->work);
  gannet_cholesky_destroy(&s->factor);
}

static gannet_err prepare(newton *s) {
  const gannet_mlp *net = s->problem->net;
  GANNET_TRY(gannet_mlp_tape_create(net, (int)s->n, &s->tape[0]));
  GANNET_TRY(gannet_mlp_tape_create(net, (int)s->n, &s->tape[1]));
  GANNET_TRY(gannet_alloc(4 * s->n, sizeof(double), &s->values));
  GANNET_TRY(gannet_alloc(2 * s->p, sizeof(double), &s->away));
  GANNET_TRY(gannet_alloc(2 * s->p, sizeof(double), &s->trial));
  GANNET_TRY(gannet_alloc(2 * s->p, sizeof(double), &s->transpose));
  GANNET_TRY(gannet_alloc(s->n * s->n, sizeof(double), &s->kernel));
  GANNET_TRY(gannet_alloc(2 * GANNET_JACOBIAN_BLOCK * s->n, sizeof(double), &s->work));
  return gannet_cholesky_create(&s->factor);
}

/* The loss at theta; leaves residuals, tapes and the way from the start. */
static double evaluate(newton *s, const double *theta) {
  const gannet_train_problem *problem = s->problem;
  double *residual = s->values + s->n, fit = 0;
  gannet_mlp_forward(problem->net, theta, (int)s->n, problem->z, &s->tape[0], residual);
  gannet_mlp_forward(problem->net, theta + s->p, (int)s->n, problem->z, &s->tape[1], s->values);
  for (size_t i = 0; i < s->n; ++i) {
    residual[i] = (residual[i] - s->values[i]) * sqrt(0.5) - problem->target[i];
    fit += residual[i] * residual[i];
  }
  for (size_t i = 0; i < 2 * s->p; ++i) s->away[i] = theta[i] - problem->start[i % s->p];
  const double pull = gannet_dot((int)(2 * s->p), s->away, s->away);
  return 0.5 * (fit + problem->decay * pull);
}

/* J J^T and J v at the point that was evaluated last. The second half enters with a minus sign. */
static void linearise(newton *s, const double *theta) {
  const gannet_train_problem *problem = s->problem;
  double *along = s->values + 2 * s->n;
  memset(s->kernel, 0, s->n * s->n * sizeof *s->kernel);
  memset(along, 0, s->n * sizeof *along);
  for (int half = 0; half < 2; ++half) {
    const size_t at = half ? s->p : 0;
    gannet_jacobian_prepare(problem->net, theta + at, (int)s->n, &s->tape[half]);
    gannet_jacobian_gram(problem->net, (int)s->n, problem->z, &s->tape[half], 0.5, s->work,
                         s->kernel);
    gannet_jacobian_apply(problem->net, (int)s->n, problem->z, &s->tape[half],
                          half ? -sqrt(0.5) : sqrt(0.5), s->away + at, along);
  }
}

static gannet_err kernel_rows(void *user, int first, int rows, double *k, int ldk) {
  const newton *s = user;
  for (int i = 0; i < rows; ++i) {
    double *row = k + (size_t)i * (size_t)ldk;
    memcpy(row, s->kernel + (size_t)(first + i) * s->n, (size_t)(first + i + 1) * sizeof *k);
    row[first + i] += s->kappa;
  }
  return GANNET_OK;
}

/* theta + p into s->trial. */
static gannet_err propose(newton *s, const double *theta) {
  const gannet_train_problem *problem = s->problem;
  const double *residual = s->values + s->n, *along = s->values + 2 * s->n;
  double *solution = s->values + 3 * s->n;
  s->kappa = problem->decay + s->damping;
  const double share = s->kappa > 0 ? problem->decay / s->kappa : 0;
  for (size_t i = 0; i < s->n; ++i) solution[i] = residual[i] - share * along[i];
  gannet_cholesky_clear(s->factor);
  GANNET_TRY(gannet_cholesky_extend(s->factor, (int)s->n, kernel_rows, s));
  gannet_cholesky_solve(s->factor, 1, solution, (int)s->n);
  memset(s->transpose, 0, 2 * s->p * sizeof *s->transpose);
  for (int half = 0; half < 2; ++half)
    gannet_jacobian_transpose(problem->net, (int)s->n, problem->z, &s->tape[half],
                              half ? -sqrt(0.5) : sqrt(0.5), solution,
                              s->transpose + (half ? s->p : 0));
  for (size_t i = 0; i < 2 * s->p; ++i)
    s->trial[i] = theta[i] - s->transpose[i] - share * s->away[i];
  return GANNET_OK;
}

/* Mean of the diagonal of K: the scale of the damping. */
static double kernel_size(const newton *s) {
  double sum = 0;
  for (size_t i = 0; i < s->n; ++i) sum += s->kernel[i * s->n + i];
  return sum / (double)s->n;
}

/* One accepted step, or none: *gain is 0 then. A refused trial overwrites the tapes, so the
 * linearisation is made again. */
static gannet_err step(newton *s, double *theta, double *gain) {
  *gain = 0;
  for (int attempt = 0; attempt < 8; ++attempt) {
    linearise(s, theta);
    const double size = kernel_size(s);
    const gannet_err code = propose(s, theta);
    if (code != GANNET_OK && code != GANNET_ERR_NUMERIC) return code;
    const double loss = code == GANNET_OK ? evaluate(s, s->trial) : INFINITY;
    if (loss < s->loss) {
      *gain = s->loss - loss;
      s->loss = loss;
      s->damping = s->damping < 1e-4 * size ? 0 : s->damping / 8;
      memcpy(theta, s->trial, 2 * s->p * sizeof *theta);
      return GANNET_OK;
    }
    if (code == GANNET_ERR_NUMERIC) gannet_error_clear();
    s->damping = fmax(8 * s->damping, 1e-3 * size);
    (void)evaluate(s, theta);
  }
  return GANNET_OK;
}

static gannet_err run(newton *s, int steps, double *theta) {
  double gain = INFINITY;
  GANNET_TRY(prepare(s));
  s->loss = evaluate(s, theta);
  for (int k = 0; k < steps && gain > 1e-6 * s->loss; ++k) GANNET_TRY(step(s, theta, &gain));
  return GANNET_OK;
}

gannet_err gannet_newton(const gannet_train_problem *problem, int steps, double *theta) {
  newton s = {
      .problem = problem, .p = gannet_mlp_parameters(problem->net), .n = (size_t)problem->n};
  if (problem->n == 0) return GANNET_OK;
  const gannet_err code = run(&s, steps, theta);
  release(&s);
  return code;
}
