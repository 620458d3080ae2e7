/* test: serial labels unit timeout 300 */
/* Models of values without noise propose no near-copies, and converge all the same. */
#include <math.h>
#include <mpi.h>

#include "optimizer/fixture.h"

#include "search/distinct.h"

enum { D = 2, MOST = 64 };

static const double pi = 3.14159265358979323846;

/* Branin on the unit square; its least value is 0.397887. */
static double branin(const double *u) {
  const double x = 15 * u[0] - 5, y = 15 * u[1];
  const double a = y - 5.1 / (4 * pi * pi) * x * x + 5 / pi * x - 6;
  return a * a + 10 * (1 - 1 / (8 * pi)) * cos(x) + 10;
}

static fixture make(const char *method, uint64_t seed, double noise_sd) {
  static const gannet_variable square[D] = {
      {.name = "x", .lower = 0, .upper = 1},
      {.name = "y", .lower = 0, .upper = 1},
  };
  const gannet_problem_spec spec = {.n_variables = D, .variables = square, .noise_sd = noise_sd};
  const gannet_method_setting setting = {"method", method};
  fixture f = {0};
  assert_ok(gannet_context_create(MPI_COMM_SELF, seed, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 1, &setting, &f.optimizer));
  return f;
}

/* Batches of q points, n in all; x: [n][D]. Returns the least value less that of Branin. */
static double run(fixture *f, int q, int n, double *x) {
  double least = INFINITY;
  for (int first = 0; first < n; first += q) {
    int64_t id[MOST];
    assert_ok(gannet_optimizer_ask(f->optimizer, q, id, x + (ptrdiff_t)first * D));
    for (int i = first; i < first + q; ++i) {
      const gannet_result result = {.id = id[i - first], .objective = branin(x + (ptrdiff_t)i * D)};
      assert_ok(gannet_optimizer_tell(f->optimizer, 1, &result));
      least = fmin(least, result.objective);
    }
  }
  return least - 0.39788735772973816;
}

/* Points of [n][D] from `from` on that are nearer than this to an earlier one. */
static int count_near(int from, int n, const double *x, double distance) {
  int count = 0;
  for (int i = from; i < n; ++i) {
    bool near = false;
    for (int j = 0; j < i; ++j)
      near = near || fmax(fabs(x[i * D] - x[j * D]), fabs(x[i * D + 1] - x[j * D + 1])) < distance;
    count += near;
  }
  return count;
}

/* The quadratic models know nothing yet: their minimum is the best point. */
static void the_first_models_do_not_repeat_the_design(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    double x[MOST * D];
    fixture f = make("auto", seed, 0);
    (void)run(&f, 4, 8, x);
    if (count_near(4, 8, x, 5e-5) > 0) fail_msg("seed %d", (int)seed);
    drop(&f);
  }
}

static void what_is_found_is_not_found_again(void **state) {
  (void)state;
  for (int q = 4; q <= 8; q += 4)
    for (uint64_t seed = 1; seed <= 2; ++seed) {
      double x[MOST * D];
      fixture f = make("auto", seed, 0);
      const double regret = run(&f, q, MOST, x);
      if (count_near(0, MOST, x, 2.9e-6) > 0) fail_msg("batch %d, seed %d", q, (int)seed);
      assert_true(regret < 1e-4);
      drop(&f);
    }
}

static void no_method_proposes_near_copies(void **state) {
  static const char *const methods[] = {"quadratic", "gp-ei", "gp-ts", "turbo-1", "forest-ei"};
  (void)state;
  for (int i = 0; i < 5; ++i) {
    double x[MOST * D];
    fixture f = make(methods[i], 1, 0);
    (void)run(&f, 4, 32, x);
    if (count_near(0, 32, x, 2.9e-6) > 0) fail_msg("%s", methods[i]);
    drop(&f);
  }
}

/* One by one there are fewer digits than without the rule, and far more than anybody needs. */
static void it_converges_all_the_same(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    double x[MOST * D];
    fixture f = make("auto", seed, 0);
    assert_true(run(&f, 1, 60, x) < 1e-7);
    drop(&f);
  }
}

/* The resolution around the points of a grid of 0.1 is 0.1; that of a finer one is finer. */
static void the_tolerance_goes_with_the_resolution(void **state) {
  (void)state;
  double scratch[D + 1];
  fixture f = make("sobol", 1, 0);
  for (int i = 0; i < 25; ++i) {
    const double x[D] = {0.1 * (i % 5), 0.1 * (i / 5)}; /* around (0.2, 0.2) */
    const gannet_result result = {.objective = 1};
    assert_ok(gannet_optimizer_tell_point(f.optimizer, x, &result, NULL));
  }
  const gannet_history *history = f.optimizer->history;
  const double coarse[D] = {0.2 + 0.9e-4, 0.2}, far[D] = {0.2 + 1.1e-4, 0.2};
  assert_true(gannet_distinct_is_near_copy(history, 0, NULL, coarse, scratch));
  assert_false(gannet_distinct_is_near_copy(history, 0, NULL, far, scratch));
  const double finer[3 * D] = {0.21, 0.2, 0.2, 0.21, 0.19, 0.2};
  const double fine[D] = {0.2 + 0.9e-5, 0.2}, next[D] = {0.2 + 1.1e-5, 0.2};
  assert_true(gannet_distinct_is_near_copy(history, 3, finer, fine, scratch));
  assert_false(gannet_distinct_is_near_copy(history, 3, finer, next, scratch));
  const double finest[6 * D] = {0.21,     0.2, 0.2,      0.21, 0.19, 0.2,
                                0.200009, 0.2, 0.199991, 0.2,  0.2,  0.199991};
  const double least[D] = {0.2 + 2.9e-6, 0.2}, more[D] = {0.2 + 3.1e-6, 0.2};
  assert_true(gannet_distinct_is_near_copy(history, 6, finest, least, scratch));
  assert_false(gannet_distinct_is_near_copy(history, 6, finest, more, scratch));
  drop(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_models_do_not_repeat_the_design),
      cmocka_unit_test(what_is_found_is_not_found_again),
      cmocka_unit_test(no_method_proposes_near_copies),
      cmocka_unit_test(it_converges_all_the_same),
      cmocka_unit_test(the_tolerance_goes_with_the_resolution),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_serial(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
