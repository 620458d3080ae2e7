/* test: ranks 1 2 3 labels unit timeout 600 */
/* Results that are told with their standard deviations. */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "optimizer/every_method.h"

enum { BATCH = 3, ALL = 18, MANY = 40 };

static const gannet_variable square[] = {{.name = "x", .lower = 0, .upper = 1},
                                         {.name = "y", .lower = 0, .upper = 1}};
static const gannet_constraint limit[] = {{"stress", -INFINITY, 1.2}};
static const gannet_problem_spec constrained = {.n_variables = 2,
                                                .variables = square,
                                                .n_constraints = 1,
                                                .constraints = limit,
                                                .noise_sd = NAN};
static const gannet_problem_spec line = {.n_variables = 1, .variables = square, .noise_sd = NAN};

/* x  out  [ALL][2] */
static void run(MPI_Comm comm, const char *method, bool with_sd, double *x) {
  fixture s;
  begin(comm, &constrained, method, &s);
  for (int n = 0; n < ALL; n += BATCH) {
    int64_t id[BATCH];
    const gannet_err err = gannet_optimizer_ask(s.optimizer, BATCH, id, x + 2 * n);
    if (err != GANNET_OK) fail_msg("%s: %s", method, gannet_error_message());
    for (int i = 0; i < BATCH; ++i) {
      const double *at = x + 2 * (n + i), stress = at[0] + at[1];
      const double sd = id[i] % 4 == 3 ? 0 : 0.01 * (1 + (double)(id[i] % 3));
      const double value = (at[0] - 0.7) * (at[0] - 0.7) + at[1] * at[1] + sd * sin(9.0 * n);
      const gannet_quantity known[] = {{.name = "objective", .value = value, .sd = sd},
                                       {.name = "stress", .value = stress, .sd = 2 * sd}};
      const gannet_result result = {.id = id[i],
                                    .objective = value,
                                    .constraints = &stress,
                                    .n_quantities = with_sd ? 2 : 0,
                                    .quantities = known};
      assert_ok(gannet_optimizer_tell(s.optimizer, 1, &result));
    }
  }
  drop(&s);
}

/* Methods whose models take no standard deviations of rows know from them that values are noisy,
 * and no more. */
static void every_method_takes_error_bars(void **state) {
  double x[2 * ALL], alone[2 * ALL], without[2 * ALL];
  int n_ranks = 1, others = 0;
  (void)state;
  (void)MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  for (int k = 0; gannet_methods[k]; ++k) {
    const char *method = gannet_methods[k]->name;
    if (is_left_out(method, n_ranks)) continue;
    run(MPI_COMM_WORLD, method, true, x);
    if (n_ranks > 1 && !is_drawing(method)) continue;
    run(MPI_COMM_SELF, method, n_ranks > 1, n_ranks > 1 ? alone : without);
    if (n_ranks > 1 && memcmp(x, alone, sizeof x) != 0)
      fail_msg("%s: other points on one rank", method);
    if (n_ranks == 1) others += memcmp(x, without, sizeof x) != 0;
  }
  if (n_ranks == 1) assert_true(others > 25);
}

static double truth(double x) {
  return (x - 0.3) * (x - 0.3);
}

/* A result of each x; those of x > 1/2 are far too low, and said to be that uncertain. */
static void tell_line(gannet_optimizer *o, bool with_sd) {
  for (int i = 0; i < MANY; ++i) {
    const double x = (i + 0.5) / MANY, sd = x > 0.5 ? 0.5 : 0.01;
    const double value = truth(x) + sd * (i % 2 ? -0.9 : 0.9);
    const gannet_quantity known = {.name = "objective", .value = value, .sd = sd};
    const gannet_result result = {
        .objective = value, .n_quantities = with_sd ? 1 : 0, .quantities = &known};
    assert_ok(gannet_optimizer_tell_point(o, &x, &result, NULL));
  }
}

/* The best value seen is a lucky one; the recommended one, and what is predicted, go by the bars.
 */
static void what_is_uncertain_counts_less(void **state) {
  double error[2];
  (void)state;
  for (int with_sd = 0; with_sd < 2; ++with_sd) {
    fixture s;
    gannet_best best;
    gannet_recommendation r;
    gannet_prediction p[MANY];
    double x[MANY], at = 0;
    begin(MPI_COMM_WORLD, &line, "gp-ei", &s);
    tell_line(s.optimizer, with_sd);
    gannet_optimizer_best(s.optimizer, &best, &at);
    assert_true(at > 0.5);
    assert_ok(gannet_optimizer_recommend(s.optimizer, &r, &at));
    if (with_sd) {
      assert_near(at, 0.3, 0.08);
      assert_near(r.mean, 0, 0.01);
      assert_true(r.noise_sd == 0.01); /* as it was told */
    }
    for (int i = 0; i < MANY; ++i) x[i] = 0.5 * (i + 0.5) / MANY;
    assert_ok(gannet_optimizer_predict(s.optimizer, MANY, x, p, NULL));
    error[with_sd] = 0;
    for (int i = 0; i < MANY; ++i) error[with_sd] += pow(p[i].mean - truth(x[i]), 2) / MANY;
    drop(&s);
  }
  if (!(sqrt(error[1]) < 0.01 && error[1] < 0.1 * error[0]))
    fail_msg("errors %g without and %g with bars", sqrt(error[0]), sqrt(error[1]));
}

/* noise: 0 holds for results without a bar of their own. */
static void bars_count_where_noise_is_zero(void **state) {
  gannet_problem_spec exact = line;
  gannet_recommendation r;
  fixture s;
  double at = 0;
  (void)state;
  exact.noise_sd = 0;
  begin(MPI_COMM_WORLD, &exact, "gp-ei", &s);
  tell_line(s.optimizer, true);
  assert_ok(gannet_optimizer_recommend(s.optimizer, &r, &at));
  assert_near(at, 0.3, 0.08);
  drop(&s);
}

/* Two results of one design are both there. */
static void a_design_may_be_told_twice(void **state) {
  fixture s;
  gannet_prediction p;
  const double x = 0.25;
  (void)state;
  begin(MPI_COMM_WORLD, &line, "gp-ei", &s);
  for (int i = 0; i < 10; ++i) {
    const double other = (i + 0.5) / 10;
    const gannet_quantity known = {.name = "objective", .value = truth(other), .sd = 1e-3};
    const gannet_result result = {
        .objective = truth(other), .n_quantities = 1, .quantities = &known};
    assert_ok(gannet_optimizer_tell_point(s.optimizer, &other, &result, NULL));
  }
  const double lie = truth(x) - 0.3;
  const gannet_quantity wide = {.name = "objective", .value = lie, .sd = 0.5};
  const gannet_result result = {.objective = lie, .n_quantities = 1, .quantities = &wide};
  assert_ok(gannet_optimizer_tell_point(s.optimizer, &x, &result, NULL));
  assert_ok(gannet_optimizer_predict(s.optimizer, 1, &x, &p, NULL));
  assert_near(p.mean, truth(x), 2e-3);
  drop(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_takes_error_bars),
      cmocka_unit_test(what_is_uncertain_counts_less),
      cmocka_unit_test(bars_count_where_noise_is_zero),
      cmocka_unit_test(a_design_may_be_told_twice),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
