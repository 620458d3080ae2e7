/* A problem with three objectives, a constraint and variables of several types, and optimisers of
 * it.
 */
#ifndef GANNET_TESTS_OPTIMIZER_OBJECTIVES_FIXTURE_H
#define GANNET_TESTS_OPTIMIZER_OBJECTIVES_FIXTURE_H

#include <math.h>
#include <mpi.h>
#include <string.h>

#include "optimizer/fixture.h"

#include "gannet/gannet.h"
#include "problem/objectives.h"

enum { VARIABLES = 4, QUANTITIES = 3 };

static const char *const solvers[] = {"cg", "gmres", "bicg"};
static const gannet_variable mixed[VARIABLES] = {
    {.name = "x", .lower = -1, .upper = 1},
    {.name = "y", .lower = 0, .upper = 2},
    {.name = "n", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 8},
    {.name = "solver", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 3, .values = solvers},
};
static const gannet_constraint heat_limit[] = {{"heat", -INFINITY, 1.5}};
static const gannet_objective three[] = {
    {.name = "drag", .threshold = 6, .noise_sd = NAN},
    {.name = "lift", .goal = GANNET_MAXIMIZE, .threshold = NAN, .noise_sd = NAN},
    {.name = "mass", .threshold = NAN, .noise_sd = 0.01}};
static const gannet_problem_spec mixed_spec = {.n_variables = VARIABLES,
                                               .variables = mixed,
                                               .n_constraints = 1,
                                               .constraints = heat_limit,
                                               .n_objectives = 3,
                                               .objectives = three};

/* An optimiser by a method, or by auto with a trust region where the method is "trust". */
static inline fixture make_on(MPI_Comm comm, const gannet_problem_spec *spec, const char *method,
                              uint64_t seed) {
  const bool has_region = strcmp(method, "trust") == 0;
  const gannet_method_setting settings[] = {{"initial", "6"},
                                            {"method", has_region ? "auto" : method},
                                            {"search.candidates", "600"},
                                            {"region.type", "trust"}};
  const bool has_search = strcmp(method, "sobol") != 0 && strcmp(method, "random") != 0;
  fixture f = {0};
  assert_ok(gannet_context_create(comm, seed, &f.context));
  f.context->level = GANNET_LOG_ERROR;
  assert_ok(gannet_problem_create(spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 2 + has_search + has_region, settings,
                                    &f.optimizer));
  return f;
}

/* Objective, constraint and further objectives of a design. */
static inline double simulate(const double *x, double *c) {
  const double a = x[0] - 0.1 * x[2], b = x[1] - 1;
  c[0] = x[0] * x[0] + x[1];
  c[1] = 3 - a * a - 0.5 * b * b - 0.2 * x[3];
  c[2] = 0.3 * x[2] + (x[1] + 0.5) * (x[1] + 0.5) + 0.1 * x[3];
  return (a - 0.5) * (a - 0.5) + (b + 0.3) * (b + 0.3) + 0.1 * x[3] * x[3];
}

/* Tell a result whose further objectives are behind its constraints, as these functions have them.
 */
static inline void tell(fixture *f, gannet_result result) {
  const int bounded = gannet_problem_n_bounded(f->problem);
  double y[GANNET_OBJECTIVES_MOST] = {result.objective};
  for (int m = 1; m < gannet_problem_n_objectives(f->problem); ++m)
    y[m] = result.constraints[bounded + m - 1];
  result.objective = NAN;
  result.objectives = y;
  assert_ok(gannet_optimizer_tell(f->optimizer, 1, &result));
}

#endif
