/* test: ranks 1 2 3 labels unit timeout 300 */
/* Constraints while nothing feasible is known. */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "optimizer/fixture.h"

#include "optimizer/propose/moments_score.h"
#include "optimizer/propose/propose.h"

enum { D = 6, POINTS = 20, AT = 9 };

static const gannet_variable box[] = {
    {.name = "a", .lower = -5, .upper = 5}, {.name = "b", .lower = -5, .upper = 5},
    {.name = "c", .lower = -5, .upper = 5}, {.name = "e", .lower = -5, .upper = 5},
    {.name = "f", .lower = -5, .upper = 5}, {.name = "g", .lower = -5, .upper = 5},
};
static const double middle[D] = {1.4, -2.1, 0.6, 2.7, -0.8, -1.9};

static double distance(const double *x) {
  double squares = 0;
  for (int k = 0; k < D; ++k) squares += (x[k] - middle[k]) * (x[k] - middle[k]);
  return sqrt(squares);
}

static fixture make(const gannet_problem_spec *spec, const char *method, uint64_t seed) {
  const gannet_method_setting settings[] = {{"method", method}, {"search.candidates", "1000"}};
  fixture f = {0};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, seed, &f.context));
  assert_ok(gannet_problem_create(spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 2, settings, &f.optimizer));
  return f;
}

/* Two constraints that no observation keeps, from above and from below, and one that some do. */
static const gannet_constraint three[] = {
    {"near", -INFINITY, 0.1}, {"below", -INFINITY, 0}, {"far", 9, INFINITY}};
static const gannet_problem_spec hopeless = {
    .n_variables = D, .variables = box, .n_constraints = 3, .constraints = three};

/* With fitted models, which also believe a result that is still to come. */
static fixture without_feasible(gannet_moments_score *s) {
  fixture f = make(&hopeless, "gp-ei", 3);
  gannet_models *models = f.optimizer->member[0].models;
  const double believed[D] = {0.55, 0.3, 0.5, 0.7, 0.45, 0.35};
  for (int i = 0; i < POINTS; ++i) {
    double x[D], c[3];
    gannet_random_uniform((gannet_stream){4, GANNET_FOR_TEST, 1, 1}, (uint64_t)i * D, D, x);
    for (int k = 0; k < D; ++k) x[k] = 10 * x[k] - 5;
    c[0] = distance(x);
    c[1] = x[0] + x[1];
    c[2] = -c[0];
    const gannet_result result = {.objective = x[2], .constraints = c};
    assert_ok(gannet_optimizer_tell_point(f.optimizer, x, &result, NULL));
  }
  assert_ok(gannet_models_prepare(models, NULL, f.optimizer->batch));
  assert_ok(gannet_models_fit(models));
  assert_ok(gannet_models_fantasize(models, 1, believed, f.optimizer->batch));
  assert_ok(gannet_moments_score_prepare(&f.optimizer->member[0], s));
  assert_false(s->feasible_known);
  return f;
}

static void random_points(double *x) {
  gannet_random_uniform((gannet_stream){4, GANNET_FOR_TEST, 2, 1}, 0, D * AT, x);
}

/* E max(-y, 0) of a normal variable, by the trapezoidal rule from far below. */
static double expected_below_zero(double mean, double sd) {
  enum { STEPS = 4000 };
  const double from = fmin(mean - 12 * sd, -sd), step = -from / STEPS;
  double sum = 0;
  for (int i = 0; i < STEPS; ++i) {
    const double y = from + i * step, z = (y - mean) / sd;
    sum += -y * exp(-z * z / 2) * step;
  }
  return sum / sd / sqrt(2 * acos(-1));
}

/* Constraints that nothing keeps count by the improvement upon their least value so far, others by
 * their probability; the objective does not count. */
static void what_nothing_keeps_is_improved_upon(void **state) {
  (void)state;
  gannet_moments_score s;
  double x[D * AT], scores[AT];
  fixture f = without_feasible(&s);
  const gannet_models *models = f.optimizer->member[0].models;
  random_points(x);
  assert_ok(gannet_moments_score_points(&s, AT, x, 0, scores, AT));
  for (int i = 0; i < AT; ++i) {
    double sum = 0;
    for (int k = 1; k <= 3; ++k) {
      double mean = 0, sd = 0;
      assert_ok(
          gannet_surrogate_predict(gannet_models_surrogate(models, k), 1, x + D * i, &mean, &sd));
      assert_true((gannet_models_least(models, k) > gannet_models_threshold(models, k)) ==
                  (k != 2));
      sum += k == 2 ? log(0.5 * erfc((mean - gannet_models_threshold(models, k)) / sd / sqrt(2)))
                    : log(expected_below_zero(mean - gannet_models_least(models, k), sd));
    }
    assert_near(scores[i], sum, 1e-4 * (1 + fabs(sum)));
  }
  gannet_moments_score_release(&s);
  drop(&f);
}

static void its_merit_has_the_gradient_of_its_differences(void **state) {
  (void)state;
  const double step = 1e-6;
  gannet_moments_score s;
  double x[D * AT], scores[AT];
  fixture f = without_feasible(&s);
  random_points(x);
  memcpy(x, gannet_history_x_unit(f.optimizer->history, 3), D * sizeof *x);
  x[0] += 1e-3; /* next to an observation, where little is left to improve */
  assert_ok(gannet_moments_score_points(&s, AT, x, 0, scores, AT));
  for (int i = 0; i < AT; ++i) {
    double *at = x + D * i, gradient[D], value = 0;
    assert_ok(gannet_moments_score_merit(&s, 0, at, &value, gradient));
    assert_near(value, -scores[i], 1e-7 * (1 + fabs(value)));
    assert_slopes(gannet_moments_score_merit, &s, D, at, step, value, gradient);
  }
  gannet_moments_score_release(&s);
  drop(&f);
}

/* Feasible evaluations of a least squared distance to a place outside of the feasible region. */
static int count_feasible(double (*violation)(const double *), uint64_t seed, int n) {
  static const gannet_constraint ball[] = {{"violation", -INFINITY, 0}};
  const gannet_problem_spec spec = {
      .n_variables = D, .variables = box, .n_constraints = 1, .constraints = ball};
  fixture f = make(&spec, "gp-ei", seed);
  int feasible = 0;
  for (int i = 0; i < n; ++i) {
    int64_t id = 0;
    double x[D], away[D], c = 0;
    assert_ok(gannet_optimizer_ask(f.optimizer, 1, &id, x));
    for (int k = 0; k < D; ++k) away[k] = x[k] + (k % 2 ? 0.6 : -0.6);
    c = violation(x);
    const gannet_result result = {.id = id, .objective = pow(distance(away), 2), .constraints = &c};
    assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
    feasible += c <= 0;
  }
  drop(&f);
  return feasible;
}

static double beyond_a_small_ball(const double *x) {
  return distance(x) - 0.5;
}

/* A ball with 8e-8 of the volume of the box: its models show the way. */
static void a_small_feasible_region_is_found(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const int feasible = count_feasible(beyond_a_small_ball, seed, 60);
    if (feasible < 3) fail_msg("seed %d: %d feasible evaluations", (int)seed, feasible);
  }
}

/* Nearly 0.5 in most of the box. */
static double saturated(const double *x) {
  return 0.5 - exp(-pow(distance(x), 2) / (2 * 1.2 * 1.2));
}

static void a_saturated_constraint_is_met(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const int feasible = count_feasible(saturated, seed, 60);
    if (feasible < 3) fail_msg("seed %d: %d feasible evaluations", (int)seed, feasible);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_nothing_keeps_is_improved_upon),
      cmocka_unit_test(its_merit_has_the_gradient_of_its_differences),
      cmocka_unit_test(a_small_feasible_region_is_found),
      cmocka_unit_test(a_saturated_constraint_is_met),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
