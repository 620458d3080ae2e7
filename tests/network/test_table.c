/* test: serial labels unit */
#include "network/table.h"

#include <math.h>
#include <stdlib.h>

#include "support/harness.h"

static void erf_of(const void *user, int n, const double *x, double *y) {
  (void)user;
  for (int i = 0; i < n; ++i) y[i] = erf(x[i]);
}

static void gauss_of(const void *user, int n, const double *x, double *y) {
  (void)user;
  for (int i = 0; i < n; ++i) y[i] = exp(-x[i] * x[i]);
}

/* Steep at the end of its range: what the kernel of a wide network is like. */
static void steep_of(const void *user, int n, const double *x, double *y) {
  const double pole = *(const double *)user;
  for (int i = 0; i < n; ++i) {
    const double t = x[i] / pole;
    y[i] = asin(t) + t / sqrt(1 - t * t);
  }
}

/* Its slope has a pole. */
static void angle_of(const void *user, int n, const double *x, double *y) {
  for (int i = 0; i < n; ++i) y[i] = asin(fmin(x[i] / *(const double *)user, 1));
}

static void root_of(const void *user, int n, const double *x, double *y) {
  (void)user;
  for (int i = 0; i < n; ++i) y[i] = sqrt(fabs(1 - x[i]));
}

static void nan_of(const void *user, int n, const double *x, double *y) {
  (void)user;
  for (int i = 0; i < n; ++i) y[i] = x[i] > 0.5 ? NAN : 1;
}

enum { N = 5003 };

static double largest_error(const gannet_table *table, gannet_table_function f, const void *user,
                            double reach) {
  static float x[N], y[N];
  double most = 0, size = 0;
  for (int i = 0; i < N; ++i) x[i] = (float)(reach * (2.0 * i / (N - 1) - 1));
  gannet_table_apply(table, N, x, y);
  for (int i = 0; i < N; ++i) {
    const double at = fmin(fabs((double)x[i]), reach);
    double exact;
    f(user, 1, &at, &exact);
    if (table->odd) exact = copysign(exact, x[i]);
    most = fmax(most, fabs((double)y[i] - exact));
    size = fmax(size, fabs(exact));
  }
  return most / size;
}

static void smooth_functions_are_met_to_single_precision(void **state) {
  (void)state;
  gannet_table table;
  assert_true(gannet_table_fit(erf_of, NULL, 5, true, &table));
  assert_true(largest_error(&table, erf_of, NULL, 5) < 4e-7);
  assert_true(gannet_table_fit(gauss_of, NULL, 5, false, &table));
  assert_true(largest_error(&table, gauss_of, NULL, 5) < 4e-7);
}

static void functions_steep_at_the_end_are_met(void **state) {
  (void)state;
  const double reach[] = {1e-3, 0.1, 1.25, 10, 60};
  for (int i = 0; i < 5; ++i) {
    gannet_table table;
    const double pole = reach[i] + 0.5;
    assert_true(gannet_table_fit(steep_of, &pole, reach[i], true, &table));
    /* rounding of x counts for |f'| x times 2^-24 */
    assert_true(largest_error(&table, steep_of, &pole, reach[i]) < 4e-7 * (2 + reach[i]));
  }
}

/* A pole so close to the end that the pieces there are the shortest there are. */
static void no_rounding_leaves_the_last_piece(void **state) {
  (void)state;
  for (int k = 0; k < 40; ++k) {
    const double reach = pow(10, -3 + 0.15 * k), pole = 1.00125 * reach;
    gannet_table table;
    double exact, size;
    float x, y;
    if (!gannet_table_fit(angle_of, &pole, reach, true, &table)) continue;
    angle_of(&pole, 1, &reach, &size);
    for (int i = 0; i < 30; ++i) {
      const double at = reach * (1 - ldexp(1, -i));
      x = (float)at;
      angle_of(&pole, 1, &at, &exact);
      gannet_table_apply(&table, 1, &x, &y);
      assert_near((double)y, exact, 1e-5 * size);
    }
  }
}

static void values_do_not_depend_on_the_place_in_the_array(void **state) {
  (void)state;
  gannet_table table;
  float x[40], all[40], one;
  assert_true(gannet_table_fit(erf_of, NULL, 5, true, &table));
  for (int i = 0; i < 40; ++i) x[i] = 0.17F * (float)(i - 20);
  gannet_table_apply(&table, 40, x, all);
  for (int i = 0; i < 40; ++i) {
    gannet_table_apply(&table, 1, x + i, &one);
    assert_true(one == all[i]);
  }
  gannet_table_apply(&table, 40, x, x);
  assert_memory_equal(x, all, sizeof x);
}

static void values_beyond_the_reach_are_those_at_its_end(void **state) {
  (void)state;
  gannet_table table;
  float x[4] = {1e30F, -1e30F, 5, -5}, y[4];
  assert_true(gannet_table_fit(erf_of, NULL, 5, true, &table));
  gannet_table_apply(&table, 4, x, y);
  assert_true(y[0] == y[2] && y[1] == y[3] && y[0] == -y[1]);
}

static void functions_that_are_not_smooth_are_refused(void **state) {
  (void)state;
  gannet_table table;
  assert_false(gannet_table_fit(root_of, NULL, 2, false, &table));
  assert_false(gannet_table_fit(nan_of, NULL, 1, false, &table));
  assert_false(gannet_table_fit(erf_of, NULL, 0, true, &table));
  assert_false(gannet_table_fit(erf_of, NULL, INFINITY, true, &table));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(smooth_functions_are_met_to_single_precision),
      cmocka_unit_test(functions_steep_at_the_end_are_met),
      cmocka_unit_test(no_rounding_leaves_the_last_piece),
      cmocka_unit_test(values_do_not_depend_on_the_place_in_the_array),
      cmocka_unit_test(values_beyond_the_reach_are_those_at_its_end),
      cmocka_unit_test(functions_that_are_not_smooth_are_refused),
  };
  return run_serial(tests);
}
