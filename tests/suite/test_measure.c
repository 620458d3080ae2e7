/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "suite/measure.h"
#include "support/harness.h"

enum { N = 6 };

/* Six evaluations by hand: the second looks better than it is, the third violates a constraint, the
 * fourth has failed, the fifth looks feasible and is not. */
static double seen[N] = {5.5, 2.5, 0.5, NAN, 1.5, 3.0};
static double exact[N] = {5.0, 4.0, 1.0, NAN, 2.0, 3.0};
static double seen_violation[N] = {0, 0, 0.25, INFINITY, 0, 0};
static double exact_violation[N] = {0, 0, 0.5, INFINITY, 0.125, 0};
static double seconds[N];
static const suite_course course = {N, seen, exact, seen_violation, exact_violation, seconds};
static const double least = 0.5; /* f* */

static void check(suite_measure measure, const double *expected) {
  double values[N];
  suite_measure_course(measure, &course, least, values);
  for (int i = 0; i < N; ++i) {
    if (isinf(expected[i]))
      assert_true(isinf(values[i]) && values[i] > 0);
    else
      assert_near(values[i], expected[i], 1e-15);
  }
}

static void simple_regret_is_of_feasible_evaluations(void **state) {
  (void)state;
  check(SUITE_SIMPLE, (const double[]){4.5, 3.5, 3.5, 3.5, 3.5, 2.5});
}

static void cumulative_regret_counts_failures_as_the_worst_so_far(void **state) {
  (void)state;
  check(SUITE_CUMULATIVE, (const double[]){4.5, 8, 8.5, 13, 14.5, 17});
}

static void violation_is_added_to_positive_regret(void **state) {
  (void)state;
  check(SUITE_VIOLATION, (const double[]){4.5, 3.5, 1, 1, 1, 1});
}

static void the_incumbent_is_what_looks_best(void **state) {
  (void)state;
  check(SUITE_INCUMBENT, (const double[]){4.5, 3.5, 3.5, 3.5, INFINITY, INFINITY});
}

/* Regrets 4.5, 3.5 and 2.5 are below 7, 8 and 9 of the targets 100, 63.1, 39.8, ... */
static void targets_are_counted_over_the_logarithm_of_evaluations(void **state) {
  const int reached[N] = {7, 8, 8, 8, 8, 9};
  double expected[N], area = 0;
  (void)state;
  assert_near(suite_targets_share(1e-9), 1, 0);
  assert_near(suite_targets_share(101), 0, 0);
  for (int i = 0; i < N; ++i) {
    area += reached[i] / 51.0 * (log(i + 2) - log(i + 1));
    expected[i] = 1 - area / log(i + 2);
  }
  check(SUITE_TARGETS, expected);
}

static void nothing_is_known_before_the_first_result(void **state) {
  double none[2] = {NAN, NAN}, far[2] = {INFINITY, INFINITY}, values[2];
  const suite_course empty = {2, none, none, far, far, none};
  (void)state;
  for (int m = 0; m < SUITE_TARGETS; ++m) {
    suite_measure_course((suite_measure)m, &empty, NAN, values);
    assert_true(isinf(values[0]) && isinf(values[1]));
  }
  suite_measure_course(SUITE_TARGETS, &empty, NAN, values);
  assert_near(values[1], 1, 0);
}

static void an_unknown_measure_is_told_the_nearest(void **state) {
  suite_measure measure = SUITE_SIMPLE;
  (void)state;
  assert_ok(suite_measure_find("violation", &measure));
  assert_int_equal(measure, SUITE_VIOLATION);
  assert_fails(GANNET_ERR_NAME, "did you mean 'incumbent'",
               suite_measure_find("incumbant", &measure));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(simple_regret_is_of_feasible_evaluations),
      cmocka_unit_test(cumulative_regret_counts_failures_as_the_worst_so_far),
      cmocka_unit_test(violation_is_added_to_positive_regret),
      cmocka_unit_test(the_incumbent_is_what_looks_best),
      cmocka_unit_test(targets_are_counted_over_the_logarithm_of_evaluations),
      cmocka_unit_test(nothing_is_known_before_the_first_result),
      cmocka_unit_test(an_unknown_measure_is_told_the_nearest),
  };
  return run_serial(tests);
}
