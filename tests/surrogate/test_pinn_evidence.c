/* test: ranks 1 2 labels unit */
/* Whether results and equations go together. */
#include <math.h>

#include "support/harness.h"

#include "surrogate/pinn_subject.h"

enum { MOST = 40, POINTS = 200 };

static gannet_context *world;
static const double many = 300;

/* f_xx - f_yy, f_xx + 3 f_yy and f_xx + f_yy = 6 of a function with f_xx + f_yy = 0. */
static const gannet_physics_term sign_terms[] = {{NULL, 2, xx}, {"-1", 2, yy}};
static const gannet_physics_term factor_terms[] = {{NULL, 2, xx}, {"3", 2, yy}};
static const gannet_physics_equation wrong[] = {
    {.n_terms = 2, .terms = sign_terms},
    {.n_terms = 2, .terms = factor_terms},
    {.n_terms = 2, .terms = laplace_terms, .rhs = "6"},
};

/* Of n values of the harmonic function, with noise, through y = (f - 3) / slope. */
static double evidence_ratio_of(const gannet_physics_equation *equation, int n, double noise,
                                double slope, uint64_t seed) {
  const char *const settings[] = {"width", "40", "single_width", "20", NULL};
  double x[2 * MOST], y[MOST], error[MOST];
  gannet_stream mine = stream;
  mine.index = 100 + seed;
  subject s = {.problem = make_problem(1, equation, 0)};
  s.residuals = make_residuals(s.problem, POINTS);
  gannet_random_uniform(mine, 0, 2 * (size_t)n, x);
  gannet_random_normal(mine, 1000, (size_t)n, error);
  for (int i = 0; i < n; ++i) y[i] = (harmonic(x + 2 * i) + noise * error[i] - 3) / slope;
  const gannet_data data = {n, x, y, NAN, NULL};
  make_model(world, &s, settings, slope, 3);
  assert_ok(gannet_surrogate_fit(s.model, &data, true, 0));
  const double log_evidence_ratio = gannet_surrogate_log_evidence_ratio(s.model);
  drop(&s);
  return log_evidence_ratio;
}

static void wrong_equations_are_doubted(void **state) {
  (void)state;
  for (int k = 0; k < 3; ++k) {
    assert_true(evidence_ratio_of(&wrong[k], 24, 0, 1, 1) > log(many));
    assert_true(evidence_ratio_of(&wrong[k], 40, 0.02, -0.5, 2) > log(many));
  }
}

/* With few values and many, with noise and without, near each other or not. */
static void right_equations_are_not(void **state) {
  (void)state;
  static const double noises[] = {0, 0.01, 0.3};
  for (int n = 2; n <= MOST; n = 2 * n + n / 2)
    for (int k = 0; k < 3; ++k)
      for (uint64_t seed = 1; seed < 3; ++seed)
        assert_true(evidence_ratio_of(&laplace, n, noises[k], k % 2 ? 1 : -2, seed) < log(many));
}

/* It would take too much of the time, where rows are few for what is observed. */
static void few_rows_are_not_examined(void **state) {
  (void)state;
  const char *const settings[] = {"width", "8", "single_width", "0", NULL};
  const int rows[] = {119, 4 * MOST - 1, 4 * MOST}, n[] = {4, MOST, MOST};
  double x[2 * MOST], y[MOST];
  make_data(MOST, 1, 0, x, y);
  for (int k = 0; k < 3; ++k) {
    subject s = {.problem = make_problem(1, &wrong[0], 0)};
    const gannet_data data = {n[k], x, y, NAN, NULL};
    s.residuals = make_residuals(s.problem, rows[k]);
    make_model(world, &s, settings, 1, 0);
    assert_ok(gannet_surrogate_fit(s.model, &data, true, 0));
    assert_int_equal(gannet_surrogate_log_evidence_ratio(s.model) != 0, k == 2);
    drop(&s);
  }
}

static void ranks_have_the_same_evidence(void **state) {
  (void)state;
  gannet_context *all = world, *alone = NULL;
  const double together = evidence_ratio_of(&wrong[0], 24, 0.1, 1, 1);
  assert_ok(gannet_context_create(MPI_COMM_SELF, 3, &alone));
  world = alone;
  const double mine = evidence_ratio_of(&wrong[0], 24, 0.1, 1, 1);
  world = all;
  gannet_context_destroy(&alone);
  assert_memory_equal(&together, &mine, sizeof mine);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (gannet_context_create(MPI_COMM_WORLD, 3, &world) != GANNET_OK) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_equations_are_doubted),
      cmocka_unit_test(right_equations_are_not),
      cmocka_unit_test(few_rows_are_not_examined),
      cmocka_unit_test(ranks_have_the_same_evidence),
  };
  const int failed = run_ranks(tests);
  gannet_context_destroy(&world);
  MPI_Finalize();
  return failed;
}
