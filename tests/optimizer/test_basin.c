/* test: ranks 1 2 labels unit timeout 60 */
/* A narrow basin in a plain: nearly all values are noise around 0, and those of the basin are far
 * below the quartiles. */
#include <math.h>
#include <mpi.h>

#include "optimizer/fixture.h"

#include "base/random.h"
#include "optimizer/models/models.h"

enum { PLAIN = 60, IN_BASIN = 3 };

static const double noise = 1e-3, middle[] = {0.3, 0.6}, width = 0.05;

static const gannet_variable square[] = {
    {.name = "a", .lower = 0, .upper = 1},
    {.name = "b", .lower = 0, .upper = 1},
};

static double distance_of(const double *x) {
  return hypot(x[0] - middle[0], x[1] - middle[1]);
}

static double value_of(const double *x) {
  return -exp(-0.5 * pow(distance_of(x) / width, 2));
}

static void tell(const fixture *f, const double *x, double value, double c) {
  const gannet_result result = {.objective = value, .constraints = &c};
  assert_ok(gannet_optimizer_tell_point(f->optimizer, x, &result, NULL));
}

/* An optimiser that knows the plain and three points of the basin, the best of which has -0.8. */
static fixture make(int n_bounds) {
  static const gannet_constraint bound[] = {{"c", -INFINITY, 0}};
  static const gannet_method_setting settings[] = {{"method", "gp-ei"}};
  static const double off[IN_BASIN][2] = {{0.08, 0}, {-0.03, 0.05}, {0.02, -0.0264}};
  const gannet_problem_spec spec = {.n_variables = 2,
                                    .variables = square,
                                    .n_constraints = n_bounds,
                                    .constraints = bound,
                                    .noise_sd = noise};
  const gannet_stream stream = {1, GANNET_FOR_SIMULATION, 0, 0};
  double x[2 * PLAIN], e[PLAIN];
  fixture f = {NULL, NULL, NULL};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 1, settings, &f.optimizer));
  gannet_random_uniform(stream, 0, 2 * PLAIN, x);
  gannet_random_normal(stream, 2 * PLAIN, PLAIN, e);
  for (int i = 0; i < PLAIN; ++i)
    if (distance_of(x + 2 * i) > 4 * width) tell(&f, x + 2 * i, noise * e[i], -1);
  for (int i = 0; i < IN_BASIN; ++i) {
    const double at[] = {middle[0] + off[i][0], middle[1] + off[i][1]};
    tell(&f, at, value_of(at), -1);
  }
  return f;
}

static const gannet_transform_fit *ask(const fixture *f, double *x) {
  int64_t first = 0;
  assert_ok(gannet_optimizer_ask(f->optimizer, 1, &first, x));
  return gannet_models_transform(f->optimizer->member[0].models, 0);
}

/* The best feasible value is where the scale ends, and not an infeasible one below it. */
static void the_best_feasible_value_is_within_the_scale(void **state) {
  const double best[] = {middle[0] + 0.02, middle[1] - 0.0264}, corner[] = {1, 1};
  (void)state;
  for (int bounds = 0; bounds < 2; ++bounds) {
    fixture f = make(bounds);
    double x[2];
    if (bounds) tell(&f, corner, -40, 1);
    const gannet_transform_fit *fit = ask(&f, x);
    assert_near(gannet_transform_invert(fit, -10), value_of(best), 1e-9);
    drop(&f);
  }
}

static void the_basin_is_followed_to_its_bottom(void **state) {
  (void)state;
  fixture f = make(0);
  double x[2];
  for (int i = 0; i < 12; ++i) {
    int64_t first = 0;
    assert_ok(gannet_optimizer_ask(f.optimizer, 1, &first, x));
    const gannet_result result = {.id = first, .objective = value_of(x)};
    assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
  }
  gannet_best best;
  gannet_optimizer_best(f.optimizer, &best, x);
  if (!(best.objective < -0.99)) fail_msg("%g at (%g, %g)", best.objective, x[0], x[1]);
  drop(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_feasible_value_is_within_the_scale),
      cmocka_unit_test(the_basin_is_followed_to_its_bottom),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
