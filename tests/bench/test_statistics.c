/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "bench/statistics.h"
#include "support/harness.h"

static double p_of(int n, const double *a, int m, const double *b) {
  double p = NAN;
  assert_ok(bench_rank_test(n, a, m, b, &p));
  return p;
}

/* By definition 7: position share * (n - 1) between the order statistics. */
static void quantiles_lie_between_order_statistics(void **state) {
  const double values[] = {1.25, 2.5, 4.75, 10.125};
  (void)state;
  assert_near(bench_quantile(4, values, 0), 1.25, 0);
  assert_near(bench_quantile(4, values, 1), 10.125, 0);
  assert_near(bench_quantile(4, values, 0.5), 3.625, 1e-15);
  assert_near(bench_quantile(4, values, 0.25), 1.25 + 0.75 * 1.25, 1e-15);
  assert_near(bench_quantile(1, values, 0.75), 1.25, 0);
}

static void an_infinite_neighbour_does_not_spoil_a_quantile(void **state) {
  const double values[] = {1.5, 2.5, INFINITY};
  (void)state;
  assert_near(bench_quantile(3, values, 0.5), 2.5, 0);
  assert_true(isinf(bench_quantile(3, values, 0.75)));
}

static void sorting_puts_the_smallest_first(void **state) {
  double values[] = {3.25, -1.5, INFINITY, 0.125};
  (void)state;
  bench_sort(4, values);
  for (int i = 1; i < 4; ++i) assert_true(values[i - 1] < values[i]);
}

/* Of the C(6,3) = 20 orders of 3 and 3 values one has U = 0, one U = 1, two U = 2. */
static void three_against_three_is_as_counted_by_hand(void **state) {
  const double low[] = {0.1, 0.2, 0.3}, high[] = {0.4, 0.5, 0.6};
  const double one[] = {0.1, 0.2, 0.45}, two[] = {0.1, 0.2, 0.55};
  (void)state;
  assert_near(p_of(3, low, 3, high), 1.0 / 20, 1e-15);
  assert_near(p_of(3, one, 3, high), 2.0 / 20, 1e-15);
  assert_near(p_of(3, two, 3, high), 4.0 / 20, 1e-15);
  assert_near(p_of(3, high, 3, low), 1, 1e-15);
}

/* 2 against 3: U takes the values 0 to 6 in 1, 1, 2, 2, 2, 1, 1 of the C(5,2) = 10 orders. */
static void samples_may_differ_in_size(void **state) {
  const double a[] = {2, 5}, b[] = {1, 3, 4}; /* U = 1 + 3 = 4 */
  (void)state;
  assert_near(p_of(2, a, 3, b), 8.0 / 10, 1e-15);
  assert_near(p_of(3, b, 2, a), 4.0 / 10, 1e-15); /* U = 6 - 4 = 2 */
}

/* Ten against ten without overlap: 1 / C(20,10). */
static void complete_separation_has_the_least_p_value(void **state) {
  double a[10], b[10];
  (void)state;
  for (int i = 0; i < 10; ++i) a[i] = i, b[i] = 10 + i;
  assert_near(p_of(10, a, 10, b), 1.0 / 184756, 1e-18);
}

/* Equal samples: U is its mean, so the continuity correction puts p just above one half. */
static void ties_are_counted_half(void **state) {
  const double a[] = {1, 2, 3, 4}, same[] = {2, 2, 2, 2};
  const double variance = 4 * 4 / 12.0 * (9 - 4 * 6 / (8.0 * 7)); /* four pairs of equals */
  (void)state;
  assert_near(p_of(4, a, 4, a), 0.5 * erfc(-0.5 / sqrt(2 * variance)), 1e-12);
  assert_near(p_of(4, same, 4, same), 1, 0);
}

/* The exact distribution against the normal one, whose error is O(1/n). */
static void the_approximation_agrees_with_the_exact_test(void **state) {
  double a[40], b[40];
  (void)state;
  for (int i = 0; i < 40; ++i) a[i] = i, b[i] = i + 4.5;
  const double exact = p_of(40, a, 40, b);
  b[39] =
      a[39]; /* one tie: the approximation is taken, and U changes by one half or less of 1600 */
  assert_near(p_of(40, a, 40, b), exact, 0.01);
}

static void growth_is_the_exponent(void **state) {
  (void)state;
  assert_near(bench_growth(500, 0.125, 2000, 2), 2, 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quantiles_lie_between_order_statistics),
      cmocka_unit_test(an_infinite_neighbour_does_not_spoil_a_quantile),
      cmocka_unit_test(sorting_puts_the_smallest_first),
      cmocka_unit_test(three_against_three_is_as_counted_by_hand),
      cmocka_unit_test(samples_may_differ_in_size),
      cmocka_unit_test(complete_separation_has_the_least_p_value),
      cmocka_unit_test(ties_are_counted_half),
      cmocka_unit_test(the_approximation_agrees_with_the_exact_test),
      cmocka_unit_test(growth_is_the_exponent),
  };
  return run_serial(tests);
}
