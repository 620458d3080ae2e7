/* test: ranks 1 2 labels unit */
/* The local member by itself, in the optimiser. */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "optimizer/fixture.h"
#include "support/told.h"

#include "base/memory.h"
#include "base/random.h"
#include "optimizer/local/local_data.h"

enum { D = 2 };

static const gannet_variable square[D] = {{.name = "x", .lower = -2, .upper = 2},
                                          {.name = "y", .lower = -2, .upper = 2}};

static fixture make(gannet_goal goal, uint64_t seed) {
  const gannet_problem_spec spec = {.n_variables = D, .variables = square, .goal = goal};
  const gannet_method_setting settings[] = {{"method", "quadratic"}, {"initial", "5"}};
  fixture f = {0};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, seed, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 2, settings, &f.optimizer));
  return f;
}

static double value_of(const fixture *f, const char *wanted) {
  gannet_state state = {.keeps_fallbacks = true};
  double value = NAN;
  assert_ok(gannet_optimizer_get_state(f->optimizer, &state));
  assert_true(gannet_state_find(&state, "quadratic/", wanted, &value));
  gannet_state_release(&state);
  return value;
}

/* Not a quadratic, so that the size of the box matters. */
static double valley(const double *x) {
  return 4 * pow(x[1] - x[0] * x[0], 2) + pow(1 - x[0], 2);
}

static void tell(const fixture *f, int64_t id, double sign) {
  const double *x = gannet_history_x_user(f->optimizer->history, id);
  const gannet_result result = {.id = id, .objective = sign * valley(x)};
  assert_ok(gannet_optimizer_tell(f->optimizer, 1, &result));
}

/* Up to late evaluations are under way at every ask; those of numbers divisible by lost get no
 * result. Returns the least value; changes: of the box's size. */
static double run(gannet_goal goal, uint64_t seed, int late, int lost, int *changes) {
  fixture f = make(goal, seed);
  const double sign = goal == GANNET_MAXIMIZE ? -1 : 1;
  gannet_best best;
  double radius = value_of(&f, "radius");
  *changes = 0;
  for (int64_t step = 0; step < 70; ++step) {
    int64_t id;
    double x[D];
    assert_ok(gannet_optimizer_ask(f.optimizer, 1, &id, x));
    if (step >= late && (step < 10 || lost == 0 || (step - late) % lost))
      tell(&f, step - late, sign);
    const double now = value_of(&f, "radius");
    *changes += now != radius;
    radius = now;
  }
  gannet_optimizer_best(f.optimizer, &best, NULL);
  drop(&f);
  return sign * best.objective;
}

static void the_box_adapts_one_by_one(void **state) {
  int changes;
  (void)state;
  const double least = run(GANNET_MINIMIZE, 5, 0, 0, &changes);
  assert_true(changes >= 5 && least < 1e-6);
  assert_near(run(GANNET_MAXIMIZE, 5, 0, 0, &changes), least, 0);
}

static void the_box_adapts_while_others_are_under_way(void **state) {
  int changes;
  (void)state;
  const double least = run(GANNET_MINIMIZE, 5, 3, 0, &changes);
  if (changes < 5 || least > 1e-6) fail_msg("%d changes, %g", changes, least);
}

static void what_never_comes_back_is_not_waited_for(void **state) {
  int all = 0;
  (void)state;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    int changes;
    (void)run(GANNET_MINIMIZE, seed, 2, 20, &changes);
    all += changes;
  }
  if (all < 45) fail_msg("%d changes", all); /* 36 if they were waited for */
}

/* A valley of condition 10^4, not along the axes, whose way down ends on two linear constraints,
 * which are in units that differ by 10^6. Its least feasible point is (-1, 1, 0, 0, 0), of value
 * 10^4 + 1. */
enum { STEEP_D = 5, CONSTRAINTS = 2 };

static double steep(const double *x, double *constraints) {
  const double a = x[0] - x[1], b = x[0] + x[1];
  constraints[0] = 1e-3 * (2 + a);
  constraints[1] = 1e3 * (x[0] + 1);
  return 2.5e3 * a * a + 0.25 * pow(b - 2, 2) + 50 * pow(x[2] + x[3], 2) + 5 * pow(x[2] - x[3], 2) +
         x[4] * x[4];
}

static double least_after(int evaluations) {
  gannet_variable variables[STEEP_D];
  const gannet_constraint kept[CONSTRAINTS] = {{"low", -INFINITY, 0}, {"high", -INFINITY, 0}};
  const gannet_problem_spec spec = {.n_variables = STEEP_D,
                                    .variables = variables,
                                    .n_constraints = CONSTRAINTS,
                                    .constraints = kept};
  const gannet_method_setting settings[] = {{"method", "quadratic"}};
  static const char *const names[STEEP_D] = {"a", "b", "c", "d", "e"};
  fixture f = {0};
  gannet_best best;
  for (int k = 0; k < STEEP_D; ++k)
    variables[k] = (gannet_variable){.name = names[k], .lower = -4, .upper = 5};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 1, settings, &f.optimizer));
  for (int i = 0; i < evaluations; ++i) {
    double x[STEEP_D], constraints[CONSTRAINTS];
    gannet_result result = {.constraints = constraints};
    assert_ok(gannet_optimizer_ask(f.optimizer, 1, &result.id, x));
    result.objective = steep(x, constraints);
    assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
  }
  gannet_optimizer_best(f.optimizer, &best, NULL);
  drop(&f);
  return best.feasible ? best.objective : INFINITY;
}

static void steep_valleys_are_followed_along_constraints(void **state) {
  (void)state;
  const double least = least_after(60);
  if (!(fabs(least - 10001) < 1e-3)) fail_msg("%.9g", least);
}

/* One direction, not along an axis, is 10^6 times as steep as the others, and no quadratic is exact
 * (oscillations of Hansen et al. 2009). The least value is 0. */
static double wavy(double z) {
  const double size = log(fmax(fabs(z), 1e-300));
  return z * exp(0.049 * (sin(10 * size) + sin(7.9 * size)));
}

static double steep_in_one_direction(const double *x) {
  double mean = 0, value = 0;
  for (int k = 0; k < STEEP_D; ++k) mean += (x[k] - 0.3 * k) / STEEP_D;
  for (int k = 0; k < STEEP_D; ++k) { /* reflected at the plane whose normal is (1, ..., 1) */
    const double z = wavy(x[k] - 0.3 * k - 2 * mean);
    value += (k == 0 ? 1e6 : 1) * z * z;
  }
  return value;
}

static double radius_after(uint64_t seed, int evaluations) {
  gannet_variable variables[STEEP_D];
  const gannet_problem_spec spec = {.n_variables = STEEP_D, .variables = variables};
  const gannet_method_setting settings[] = {{"method", "quadratic"}};
  static const char *const names[STEEP_D] = {"a", "b", "c", "d", "e"};
  fixture f = {0};
  for (int k = 0; k < STEEP_D; ++k)
    variables[k] = (gannet_variable){.name = names[k], .lower = -4, .upper = 5};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, seed, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 1, settings, &f.optimizer));
  for (int i = 0; i < evaluations; ++i) {
    double x[STEEP_D];
    gannet_result result = {0};
    assert_ok(gannet_optimizer_ask(f.optimizer, 1, &result.id, x));
    result.objective = steep_in_one_direction(x);
    assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
  }
  const double radius = value_of(&f, "radius");
  drop(&f);
  return radius;
}

/* A box that shrinks with every step that fails is soon smaller than the distance of all results,
 * down to 10^-9 with five of these seeds, and the search stands still. */
static void the_box_waits_for_results_before_it_shrinks(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const double radius = radius_after(seed, 150);
    if (!(radius > 1e-5)) fail_msg("seed %d: radius %g", (int)seed, radius);
  }
}

/* A bowl with noise of a tenth of its spread over the box, 1.5. The least value is a lucky one,
 * around which a box that halves with every failure ends at 10^-9. */
static void the_box_stays_larger_than_the_noise(void **state) {
  enum { STEPS = 120 };
  const gannet_problem_spec spec = {.n_variables = D, .variables = square, .noise_sd = NAN};
  const gannet_method_setting settings[] = {{"method", "quadratic"}};
  fixture f = {0};
  int near = 0;
  (void)state;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 1, settings, &f.optimizer));
  for (int step = 0; step < STEPS; ++step) {
    const gannet_stream stream = {9, GANNET_FOR_SIMULATION, 0, (uint64_t)step};
    gannet_result result = {0};
    double x[D], e;
    gannet_random_normal(stream, 0, 1, &e);
    assert_ok(gannet_optimizer_ask(f.optimizer, 1, &result.id, x));
    const double exact = pow(x[0] - 0.7, 2) + pow(x[1] + 0.4, 2);
    result.objective = exact + 0.15 * e;
    assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
    near += step >= STEPS / 2 && exact < 0.15;
  }
  const double radius = value_of(&f, "radius");
  if (!(radius > 0.03 && near > STEPS / 8)) fail_msg("radius %g, %d near", radius, near);
  drop(&f);
}

/* 78, 91, 231 and 276 coefficients. */
static void cross_terms_wait_for_observations(void **state) {
  (void)state;
  assert_true(local_data_has_cross_terms(1, 1, false));
  assert_true(local_data_has_cross_terms(11, 1, false));
  assert_false(local_data_has_cross_terms(12, 81, false));
  assert_true(local_data_has_cross_terms(12, 82, false));
  assert_false(local_data_has_cross_terms(20, 207, false));
  assert_true(local_data_has_cross_terms(20, 208, false));
  assert_true(local_data_has_cross_terms(20, 21, true));
  assert_false(local_data_has_cross_terms(22, 100000, false));
  assert_false(local_data_has_cross_terms(22, 100000, true));
}

/* What the quadratics see of values whose differences are no numbers: finite, in their order. */
static void values_of_any_size_keep_their_order(void **state) {
  (void)state;
  enum { N = 6 };
  const gannet_problem_spec spec = {.n_variables = D, .variables = square};
  const double values[2][N] = {{-1.7e308, -1e308, -5e307, 0, 9e307, 1.7e308},
                               {0, 1e-20, 2e-20, 3e-20, 1, 1.7e308}};
  for (int set = 0; set < 2; ++set) {
    gannet_problem *problem = NULL;
    gannet_history *history = NULL;
    local_data data = {0};
    assert_ok(gannet_problem_create(&spec, &problem));
    assert_ok(gannet_history_create(problem, &history));
    for (int i = 0; i < N; ++i) {
      const double x[D] = {0.1 * i, 0.05 * i * i};
      int64_t id = -1;
      assert_ok(gannet_history_propose(history, x, 0, GANNET_ORIGIN_METHOD, &id));
      assert_ok(tell_values(history, id, GANNET_EVAL_DONE, values[set][i], NULL, NULL));
    }
    assert_ok(local_data_collect(history, false, -1, NULL, &data));
    assert_int_equal(data.n, N);
    assert_true(data.t[0] == 0 && isfinite(data.t[N - 1]) && isfinite(data.w[N - 1]));
    assert_true(isfinite(data.unit));
    for (int i = 1; i < N; ++i) assert_true(data.t[i] > data.t[i - 1]);
    local_data_release(&data);
    gannet_history_destroy(&history);
    gannet_problem_destroy(&problem);
  }
}

/* One by one, by `quadratic`; seen: all designs, [steps][spec->n_variables]. */
static double least_of(const gannet_problem_spec *spec, double (*objective)(const double *),
                       int steps, double *seen) {
  const gannet_method_setting settings[] = {{"method", "quadratic"}};
  fixture f = {0};
  gannet_best best;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, &f.context));
  assert_ok(gannet_problem_create(spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 1, settings, &f.optimizer));
  for (int step = 0; step < steps; ++step) {
    int64_t id;
    double *x = seen + (ptrdiff_t)step * spec->n_variables;
    assert_ok(gannet_optimizer_ask(f.optimizer, 1, &id, x));
    const gannet_result result = {.id = id, .objective = objective(x)};
    assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
  }
  gannet_optimizer_best(f.optimizer, &best, NULL);
  drop(&f);
  return best.objective;
}

/* Least at x = 0.3, k = 29 with any switch on. */
static double mixed(const double *v) {
  const double x = v[0] - 0.3, k = (v[1] - 29) / 10;
  return x * x + k * k + x * k + (v[2] > 0 ? 0 : 0.01);
}

static void integers_of_many_values_are_moved(void **state) {
  enum { STEPS = 30 };
  const gannet_variable variables[] = {
      {.name = "x", .lower = -2, .upper = 2},
      {.name = "k", .type = GANNET_VARIABLE_INTEGER, .lower = 0, .upper = 40},
      {.name = "on", .type = GANNET_VARIABLE_BOOLEAN, .lower = 0, .upper = 1}};
  const gannet_problem_spec spec = {.n_variables = 3, .variables = variables};
  double seen[STEPS * 3];
  (void)state;
  const double least = least_of(&spec, mixed, STEPS, seen);
  if (!(least < 0.01 + 1e-9)) fail_msg("%g", least);
  for (int i = 0; i < STEPS; ++i) assert_near(seen[i * 3 + 1], round(seen[i * 3 + 1]), 0);
}

/* Least at (17, 83, 40), nowhere else below 1. */
static double lattice(const double *k) {
  const double a = k[0] - 17, b = k[1] - 83, c = k[2] - 40;
  return 2 * a * a + 3 * b * b + c * c + 2 * a * b - b * c;
}

static void integers_alone_are_enough_to_work_on(void **state) {
  enum { STEPS = 30, N = 3 };
  const gannet_variable variables[N] = {
      {.name = "a", .type = GANNET_VARIABLE_INTEGER, .lower = 0, .upper = 100},
      {.name = "b", .type = GANNET_VARIABLE_INTEGER, .lower = 0, .upper = 100},
      {.name = "c", .type = GANNET_VARIABLE_INTEGER, .lower = 0, .upper = 100}};
  const gannet_problem_spec spec = {.n_variables = N, .variables = variables};
  double seen[STEPS * N];
  (void)state;
  assert_near(least_of(&spec, lattice, STEPS, seen), 0, 0);
  for (int i = 0; i < STEPS; ++i)
    for (int j = 0; j < i; ++j)
      assert_true(memcmp(seen + (ptrdiff_t)i * N, seen + (ptrdiff_t)j * N, N * sizeof *seen) != 0);
}

static void what_is_modelled_are_reals_and_integers_of_four_values(void **state) {
  static const char *const names[] = {"a", "b", "c"};
  const gannet_variable variables[] = {
      {.name = "cat", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 3, .values = names},
      {.name = "three", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 3},
      {.name = "four", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 4},
      {.name = "real", .lower = 0, .upper = 1}};
  const gannet_problem_spec spec = {.n_variables = 4, .variables = variables};
  const double listed[] = {0, 1, 1, 0.5, 2, 3, 4, 0.25};
  gannet_problem *problem = NULL;
  bool modelled[6];
  (void)state;
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_int_equal(local_data_coordinates(problem, modelled), 2);
  for (int k = 0; k < 6; ++k) assert_int_equal(modelled[k], k >= 4);
  assert_ok(gannet_problem_set_candidates(problem, MPI_COMM_WORLD, 2, listed));
  assert_int_equal(local_data_coordinates(problem, NULL), 0);
  gannet_problem_destroy(&problem);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_box_adapts_one_by_one),
      cmocka_unit_test(the_box_adapts_while_others_are_under_way),
      cmocka_unit_test(what_never_comes_back_is_not_waited_for),
      cmocka_unit_test(the_box_stays_larger_than_the_noise),
      cmocka_unit_test(steep_valleys_are_followed_along_constraints),
      cmocka_unit_test(the_box_waits_for_results_before_it_shrinks),
      cmocka_unit_test(values_of_any_size_keep_their_order),
      cmocka_unit_test(cross_terms_wait_for_observations),
      cmocka_unit_test(integers_of_many_values_are_moved),
      cmocka_unit_test(integers_alone_are_enough_to_work_on),
      cmocka_unit_test(what_is_modelled_are_reals_and_integers_of_four_values),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
