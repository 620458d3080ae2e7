/* test: serial labels unit */
#include "network/table.h"

#include <math.h>
#include <stdlib.h>

#include "base/registers.h"
#include "network/table_lookup.h"
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

static const gannet_precision single = GANNET_PRECISION_SINGLE, twice = GANNET_PRECISION_DOUBLE;

/* As numbers of the precision and back; x and y: [n], n <= N */
static void apply(const gannet_table *table, int n, const double *x, double *y) {
  static float few[N], out[N];
  if (table->precision == GANNET_PRECISION_DOUBLE) {
    gannet_table_apply(table, n, x, y);
    return;
  }
  for (int i = 0; i < n; ++i) few[i] = (float)x[i];
  gannet_table_apply(table, n, few, out);
  for (int i = 0; i < n; ++i) y[i] = (double)out[i];
}

static double largest_error(const gannet_table *table, gannet_table_function f, const void *user,
                            double reach) {
  static double x[N], y[N];
  double most = 0, size = 0;
  for (int i = 0; i < N; ++i) {
    x[i] = reach * (2.0 * i / (N - 1) - 1);
    if (table->precision == GANNET_PRECISION_SINGLE) x[i] = (double)(float)x[i];
  }
  apply(table, N, x, y);
  for (int i = 0; i < N; ++i) {
    const double at = fmin(fabs(x[i]), reach);
    double exact;
    f(user, 1, &at, &exact);
    if (table->odd) exact = copysign(exact, x[i]);
    most = fmax(most, fabs(y[i] - exact));
    size = fmax(size, fabs(exact));
  }
  return most / size;
}

static void smooth_functions_are_met_to_the_precision(void **state) {
  (void)state;
  gannet_table table;
  assert_true(gannet_table_fit(erf_of, NULL, 5, true, single, &table));
  assert_true(largest_error(&table, erf_of, NULL, 5) < 4e-7);
  assert_true(gannet_table_fit(gauss_of, NULL, 5, false, single, &table));
  assert_true(largest_error(&table, gauss_of, NULL, 5) < 4e-7);
  assert_true(gannet_table_fit(erf_of, NULL, 6, true, twice, &table));
  assert_true(largest_error(&table, erf_of, NULL, 6) < 4e-13);
  assert_true(gannet_table_fit(gauss_of, NULL, 6, false, twice, &table));
  assert_true(largest_error(&table, gauss_of, NULL, 6) < 4e-13);
}

static void functions_steep_at_the_end_are_met(void **state) {
  (void)state;
  const double reach[] = {1e-3, 0.1, 1.25, 10, 60, 1600}; /* the last one needs 16 pieces */
  for (int i = 0; i < 6; ++i) {
    gannet_table table;
    const double pole = reach[i] + 0.5;
    assert_true(gannet_table_fit(steep_of, &pole, reach[i], true, single, &table));
    /* rounding of x counts for |f'| x times 2^-24 */
    assert_true(largest_error(&table, steep_of, &pole, reach[i]) < 4e-7 * (2 + reach[i]));
    assert_true(gannet_table_fit(steep_of, &pole, reach[i], true, twice, &table));
    assert_true(largest_error(&table, steep_of, &pole, reach[i]) < 4e-13 * (2 + reach[i]));
  }
}

/* Tables with every number of terms that occurs: wider ranges take more of them. */
static void every_number_of_terms_is_met(void **state) {
  (void)state;
  bool seen[GANNET_TABLE_TERMS + 1] = {false};
  for (int k = 0; k < 60; ++k)
    for (int p = 0; p < 2; ++p) {
      gannet_table table;
      const double reach = 0.05 * pow(1.2, k), pole = reach + 0.5;
      if (!gannet_table_fit(steep_of, &pole, reach, true, (gannet_precision)p, &table)) continue;
      seen[table.terms] = true;
      assert_true(largest_error(&table, steep_of, &pole, reach) <
                  (p == single ? 4e-7 : 2e-8) * (2 + reach));
    }
  for (int terms = 4; terms <= 8; ++terms) assert_true(seen[terms]);
  for (int terms = 10; terms <= 18; terms += 2) assert_true(seen[terms]);
}

/* A pole so close to the end that the pieces there are the shortest there are. */
static void no_rounding_leaves_the_last_piece(void **state) {
  (void)state;
  for (int k = 0; k < 40; ++k)
    for (int p = 0; p < 2; ++p) {
      const double reach = pow(10, -3 + 0.15 * k), pole = 1.00125 * reach;
      gannet_table table;
      double size;
      if (!gannet_table_fit(angle_of, &pole, reach, true, (gannet_precision)p, &table)) continue;
      angle_of(&pole, 1, &reach, &size);
      for (int i = 0; i < 30; ++i) {
        const double x = reach * (1 - ldexp(1, -i));
        double exact, y;
        angle_of(&pole, 1, &x, &exact);
        apply(&table, 1, &x, &y);
        assert_near(y, exact, (p == single ? 1e-5 : 1e-7) * size);
      }
    }
}

static void values_do_not_depend_on_the_place_in_the_array(void **state) {
  (void)state;
  gannet_table table;
  float x[140], all[140], one;
  double wide[140], wide_all[140], wide_one;
  for (int i = 0; i < 140; ++i) wide[i] = (double)(x[i] = 0.05F * (float)(i - 70));
  assert_true(gannet_table_fit(erf_of, NULL, 5, true, single, &table));
  gannet_table_apply(&table, 140, x, all);
  for (int i = 0; i < 140; ++i) {
    gannet_table_apply(&table, 1, x + i, &one);
    assert_true(one == all[i]);
  }
  gannet_table_apply(&table, 140, x, x);
  assert_memory_equal(x, all, sizeof x);
  assert_true(gannet_table_fit(erf_of, NULL, 5, true, twice, &table));
  gannet_table_apply(&table, 140, wide, wide_all);
  for (int i = 0; i < 140; ++i) {
    gannet_table_apply(&table, 1, wide + i, &wide_one);
    assert_true(wide_one == wide_all[i]);
  }
}

/* Code for smaller registers, and for none, gives the same but for rounding. */
static void values_do_not_depend_on_the_registers(void **state) {
  (void)state;
  enum { M = 77 };
  for (int k = 0; k < 30; ++k)
    for (int p = 0; p < 2; ++p) {
      gannet_table table;
      const double reach = 0.05 * pow(1.4, k), pole = reach + 0.5;
      double x[M], all[M];
      const bool odd = k % 2 == 0;
      if (!gannet_table_fit(steep_of, &pole, reach, odd, (gannet_precision)p, &table)) continue;
      for (int i = 0; i < M; ++i) x[i] = reach * (2.1 * i / (M - 1) - 1.05);
      apply(&table, M, x, all);
      for (int width = 16; width <= gannet_register_bytes(); width *= 2) {
        float few[M], out[M];
        double y[M];
        for (int i = 0; i < M; ++i) few[i] = (float)x[i];
        if (p == single)
          table_look_up_single(width, &table, M, few, out);
        else
          table_look_up_double(width, &table, M, x, y);
        for (int i = 0; i < M; ++i)
          assert_near(p == single ? (double)out[i] : y[i], all[i],
                      (p == single ? 1e-6 : 1e-14) * (1 + reach) * fabs(all[M - 1]));
      }
    }
}

static void values_beyond_the_reach_are_those_at_its_end(void **state) {
  (void)state;
  for (int p = 0; p < 2; ++p) {
    gannet_table table;
    double x[4] = {1e30, -1e30, 5, -5}, y[4];
    assert_true(gannet_table_fit(erf_of, NULL, 5, true, (gannet_precision)p, &table));
    apply(&table, 4, x, y);
    assert_true(y[0] == y[2] && y[1] == y[3] && y[0] == -y[1]);
  }
}

static void functions_that_are_not_smooth_are_refused(void **state) {
  (void)state;
  for (int p = 0; p < 2; ++p) {
    gannet_table table;
    const gannet_precision precision = (gannet_precision)p;
    assert_false(gannet_table_fit(root_of, NULL, 2, false, precision, &table));
    assert_false(gannet_table_fit(nan_of, NULL, 1, false, precision, &table));
    assert_false(gannet_table_fit(erf_of, NULL, 0, true, precision, &table));
    assert_false(gannet_table_fit(erf_of, NULL, INFINITY, true, precision, &table));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(smooth_functions_are_met_to_the_precision),
      cmocka_unit_test(functions_steep_at_the_end_are_met),
      cmocka_unit_test(every_number_of_terms_is_met),
      cmocka_unit_test(no_rounding_leaves_the_last_piece),
      cmocka_unit_test(values_do_not_depend_on_the_place_in_the_array),
      cmocka_unit_test(values_do_not_depend_on_the_registers),
      cmocka_unit_test(values_beyond_the_reach_are_those_at_its_end),
      cmocka_unit_test(functions_that_are_not_smooth_are_refused),
  };
  return run_serial(tests);
}
