/* Models of two variables with equations, for tests. */
#ifndef GANNET_TESTS_PINN_SUBJECT_H
#define GANNET_TESTS_PINN_SUBJECT_H

#include <math.h>

#include "support/harness.h"

#include "surrogate/models/pinn/pinn.h"
#include "surrogate/registry.h"

static const gannet_stream stream = {11, GANNET_FOR_TEST, 4, 0};

/* Two real variables on [0, 1] x [0, 2], and equations of their objective. */
static inline gannet_problem *make_problem(int n, const gannet_physics_equation *equations,
                                           double lambda2) {
  static const gannet_variable variables[] = {
      {.name = "x", .type = GANNET_VARIABLE_REAL, .lower = 0, .upper = 1},
      {.name = "y", .type = GANNET_VARIABLE_REAL, .lower = 0, .upper = 2},
  };
  const gannet_problem_spec spec = {.n_variables = 2, .variables = variables, .noise_sd = 0};
  const gannet_physics_spec physics = {
      .n_equations = n, .equations = equations, .lambda2 = lambda2};
  gannet_problem *problem = NULL;
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_ok(gannet_problem_set_physics(problem, &physics));
  return problem;
}

static const char *const xx[] = {"x", "x"}, *const yy[] = {"y", "y"};
static const gannet_physics_term laplace_terms[] = {{NULL, 2, xx}, {"1", 2, yy}};
static const gannet_physics_equation laplace = {.n_terms = 2, .terms = laplace_terms};

static inline gannet_pde_residuals *make_residuals(const gannet_problem *problem, int n) {
  double x[2 * 400];
  gannet_pde_residuals *residuals = NULL;
  gannet_random_uniform(stream, 0, 2 * (size_t)n, x);
  assert_ok(gannet_pde_residuals_create(problem, n, x, &residuals));
  return residuals;
}

typedef struct {
  gannet_problem *problem;
  gannet_pde_residuals *residuals;
  gannet_surrogate *model;
} subject;

static inline void make_model(const gannet_context *world, subject *s, const char *const *settings,
                              double slope, double offset) {
  pinn_options options = {0};
  gannet_complaints complaints = {0};
  gannet_setting list[16];
  int n = 0;
  for (; settings[2 * n]; ++n)
    list[n] = (gannet_setting){.key = settings[2 * n], .text = settings[2 * n + 1]};
  assert_ok(gannet_options_apply(gannet_surrogate_pinn.options, "surrogate", n, list, &options,
                                 &complaints));
  assert_ok(gannet_complaints_raise(&complaints));
  assert_ok(gannet_surrogate_create(world, &gannet_surrogate_pinn, &options, 2, 0, &s->model));
  if (!s->residuals) return;
  const gannet_pde_constraint constraint = {s->residuals, slope, offset};
  assert_ok(gannet_surrogate_set_pde_constraint(s->model, &constraint));
}

static inline void drop(subject *s) {
  gannet_surrogate_destroy(&s->model);
  gannet_pde_residuals_destroy(&s->residuals);
  gannet_problem_destroy(&s->problem);
}

/* exp(x) cos(y) + 3: harmonic in the user's units. */
static inline double harmonic(const double *u) {
  return exp(u[0]) * cos(2 * u[1]) + 3;
}

static inline void make_data(int n, double slope, double offset, double *x, double *y) {
  gannet_stream mine = stream;
  mine.index = 7;
  gannet_random_uniform(mine, 0, 2 * (size_t)n, x);
  for (int i = 0; i < n; ++i) y[i] = (harmonic(x + 2 * i) - offset) / slope;
}

/* f_xx + f_yy + f^2 = e^(2x) cos^2(y) with f = e^x cos(y). */
static inline int quadratic(const gannet_physics_input *input, gannet_physics_output *output) {
  const double f = input->terms[0];
  const double right = exp(2 * input->x[0]) * cos(input->x[1]) * cos(input->x[1]);
  output->residual = input->terms[1] + input->terms[2] + f * f - right;
  output->partials[0] = 2 * f;
  output->partials[1] = output->partials[2] = 1;
  return 0;
}

#endif
