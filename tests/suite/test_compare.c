/* test: ranks 1 labels unit */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "suite/compare.h"
#include "support/harness.h"

enum { RUNS = 8, METHODS = 3, BUDGET = 4 };

static const char *const suite =
    "runs: 8\nbudget: 4\nproblems:\n  branin: {function: branin}\n  drop: {function: drop-wave}\n"
    "methods: [random, sobol, gp-ei]\n";

static void load(suite_plan *plan) {
  char path[] = "/tmp/gannet-compare-XXXXXX";
  gannet_complaints complaints = {0};
  const int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  assert_int_equal(write(descriptor, suite, strlen(suite)), (ssize_t)strlen(suite));
  assert_int_equal(close(descriptor), 0);
  assert_ok(suite_plan_load(MPI_COMM_SELF, path, 0, NULL, plan, &complaints));
  assert_int_equal(remove(path), 0);
}

/* Run number run of method k ends 1, 2, 4 above the optimum, and a little more for later runs; the
 * proposals of method k take 0.25, 0.5, 1 s. On the second problem methods 0 and 1 are alike. */
static void make_up(const suite_plan *plan, suite_results *results) {
  *results = (suite_results){.plan = plan, .count = suite_plan_count(plan)};
  assert_ok(gannet_alloc((size_t)results->count, sizeof *results->state, &results->state));
  assert_ok(gannet_alloc((size_t)results->count, sizeof *results->record, &results->record));
  for (int64_t i = 0; i < results->count; ++i) {
    const suite_cell cell = suite_plan_cell(plan, i);
    const int like = cell.problem == 1 && cell.method == 1 ? 0 : cell.method;
    suite_course *course = &results->record[i].course;
    assert_ok(suite_course_create(BUDGET, course));
    for (int t = 0; t < BUDGET; ++t) {
      course->exact[t] = course->seen[t] = plan->problem[cell.problem].optimum + (1 << like) +
                                           0.0625 * (double)cell.seed + BUDGET - 1 - t;
      course->seconds[t] = 0.25 * (1 << cell.method);
    }
    results->state[i] = SUITE_DONE;
  }
}

static void runs_of_several_versions_are_told(void **state) {
  suite_plan plan;
  suite_results results;
  char text[100];
  (void)state;
  load(&plan);
  make_up(&plan, &results);
  suite_results_list_versions(&results, text, sizeof text);
  assert_string_equal(text, "");
  for (int64_t i = 0; i < results.count; ++i)
    (void)snprintf(results.record[i].version, sizeof results.record[i].version, "0.%d.0",
                   i % 3 > 0);
  results.record[5].version[2] = '7';
  results.state[5] = SUITE_FAILED;
  suite_results_list_versions(&results, text, sizeof text);
  assert_string_equal(text, "0.0.0, 0.1.0");
  suite_results_release(&results);
  suite_plan_release(&plan);
}

static void methods_that_are_better_are_found(void **state) {
  suite_plan plan;
  suite_results results;
  suite_tests tests;
  (void)state;
  load(&plan);
  make_up(&plan, &results);
  assert_ok(suite_tests_make(&results, &tests));
  for (int a = 0; a < METHODS; ++a)
    for (int b = 0; b < METHODS; ++b) {
      assert_int_equal(suite_tests_verdict(&tests, 0, a, b, 0.05), (a < b) - (a > b));
      const int same = a + b == 1; /* methods 0 and 1 */
      assert_int_equal(suite_tests_verdict(&tests, 1, a, b, 0.05), same ? 0 : (a < b) - (a > b));
    }
  /* without overlap: 1 / C(16,8) */
  assert_near(tests.wilcoxon[1], 1.0 / 12870, 1e-12);
  assert_true(tests.wilcoxon_adjusted[1] > tests.wilcoxon[1]);
  assert_true(isnan(tests.wilcoxon[0]));
  assert_true(tests.welch[1] < 1e-6 && tests.welch[METHODS] > 1 - 1e-6);
  suite_tests_release(&tests);
  suite_results_release(&results);
  suite_plan_release(&plan);
}

static void ranks_are_averaged_over_whole_problems(void **state) {
  suite_plan plan;
  suite_results results;
  double ranks[3 * METHODS];
  int n = 0;
  (void)state;
  load(&plan);
  make_up(&plan, &results);
  assert_ok(suite_average_ranks(&results, ranks, &n));
  assert_int_equal(n, 2);
  assert_near(ranks[2 * METHODS + 0], (1 + 1.5) / 2, 1e-15);
  assert_near(ranks[2 * METHODS + 1], (2 + 1.5) / 2, 1e-15);
  assert_near(ranks[2 * METHODS + 2], 3, 1e-15);
  for (int run = 0; run < RUNS; ++run) results.state[RUNS * METHODS + run] = SUITE_FAILED;
  assert_ok(suite_average_ranks(&results, ranks, &n));
  assert_int_equal(n, 1);
  assert_near(ranks[2 * METHODS + 1], 2, 1e-15);
  /* Where a method has failed everywhere, the others are ranked without it. */
  for (int run = 0; run < RUNS; ++run) results.state[run] = SUITE_FAILED;
  assert_ok(suite_average_ranks(&results, ranks, &n));
  assert_int_equal(n, 2);
  assert_true(isnan(ranks[2 * METHODS + 0]));
  assert_near(ranks[2 * METHODS + 1], 1, 1e-15);
  suite_results_release(&results);
  suite_plan_release(&plan);
}

static void curves_and_times_are_those_of_done_runs(void **state) {
  suite_plan plan;
  suite_results results;
  suite_curves curves;
  suite_quartiles seconds;
  (void)state;
  load(&plan);
  make_up(&plan, &results);
  results.state[1] = SUITE_FAILED;
  assert_int_equal(suite_results_done(&results, 0, 0), RUNS - 1);
  assert_ok(suite_curves_get(&results, 0, 0, SUITE_SIMPLE, &curves));
  assert_int_equal(curves.n, RUNS - 1);
  assert_near(curves.values[0], 1 + 0.0625 + BUDGET - 1, 1e-12);
  assert_near(curves.values[3 * (RUNS - 1) + 1], 1 + 3 * 0.0625, 1e-12); /* seed 3, at the end */
  gannet_free(&curves.values);
  assert_ok(suite_results_seconds(&results, 0, 1, &seconds));
  assert_near(seconds.median, 0.5, 0);
  assert_ok(suite_results_seconds(&results, -1, 2, &seconds));
  assert_near(seconds.high, 1, 0);
  suite_results_release(&results);
  suite_plan_release(&plan);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_of_several_versions_are_told),
      cmocka_unit_test(methods_that_are_better_are_found),
      cmocka_unit_test(ranks_are_averaged_over_whole_problems),
      cmocka_unit_test(curves_and_times_are_those_of_done_runs),
  };
  MPI_Init(&argc, &argv);
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
