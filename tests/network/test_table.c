/* test: serial labels unit */
#include "network/table.h"

#include <math.h>
#include <stdlib.h>

#include "base/registers.h"
#include "network/table/lookup.h"
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
  assert_true(largest_error(&table, erf_of, NULL, 6) < 4e-10);
  assert_true(gannet_table_fit(gauss_of, NULL, 6, false, twice, &table));
  assert_true(largest_error(&table, gauss_of, NULL, 6) < 4e-10);
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
    assert_true(largest_error(&table, steep_of, &pole, reach[i]) < 4e-10 * (2 + reach[i]));
  }
}

typedef struct {
  bool terms[GANNET_TABLE_TERMS + 1], pieces[GANNET_TABLE_ROWS + 1];
} kinds;

static void try_widening_ranges(int width, gannet_precision precision, kinds *seen) {
  for (int k = 0; k < 60; ++k) {
    gannet_table table;
    const double reach = 0.05 * pow(1.2, k), pole = reach + 0.5;
    if (!table_fit_for(width, steep_of, &pole, reach, true, precision, &table)) continue;
    seen->terms[table.terms] = seen->pieces[table.pieces] = true;
    assert_true(largest_error(&table, steep_of, &pole, reach) <
                (precision == single ? 4e-7 : 2e-8) * (2 + reach));
  }
}

/* Wider ranges take more terms, then more pieces. */
static void every_number_of_terms_and_pieces_is_met(void **state) {
  (void)state;
  for (int width = 16; width <= 64; width *= 2) {
    const bool rows = width == 32;
    kinds few = {0}, many = {0};
    try_widening_ranges(width, single, &few);
    try_widening_ranges(width, twice, &many);
    for (int terms = 4; terms <= (rows ? 12 : 8); ++terms) assert_true(few.terms[terms]);
    for (int terms = rows ? 6 : 10; terms <= (rows ? 8 : 18); terms += 2)
      assert_true(many.terms[terms]);
    assert_true(few.pieces[16] && few.pieces[4] == rows);
    assert_true(many.pieces[64] == rows && many.pieces[16] != rows && many.pieces[8] != rows);
  }
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

/* The same but for rounding with smaller registers, and with none. */
static void look_up_with_all_registers(const gannet_table *table) {
  enum { M = 77 };
  double x[M], all[M];
  for (int i = 0; i < M; ++i) x[i] = table->reach * (2.1 * i / (M - 1) - 1.05);
  apply(table, M, x, all);
  for (int width = 16; width <= gannet_register_bytes(); width *= 2) {
    float few[M], out[M];
    double y[M];
    for (int i = 0; i < M; ++i) few[i] = (float)x[i];
    table_look_up(width, table, M, table->precision == single ? (void *)few : x,
                  table->precision == single ? (void *)out : y);
    for (int i = 0; i < M; ++i)
      assert_near(
          table->precision == single ? (double)out[i] : y[i], all[i],
          (table->precision == single ? 1e-6 : 1e-14) * (1 + table->reach) * fabs(all[M - 1]));
  }
}

/* Nor do those of a table that was made for other registers. */
static void values_do_not_depend_on_the_registers(void **state) {
  (void)state;
  for (int k = 0; k < 30; ++k)
    for (int p = 0; p < 2; ++p)
      for (int width = 16; width <= 64; width *= 2) {
        gannet_table table;
        const double reach = 0.05 * pow(1.4, k), pole = reach + 0.5;
        const bool odd = k % 2 == 0;
        if (table_fit_for(width, steep_of, &pole, reach, odd, (gannet_precision)p, &table))
          look_up_with_all_registers(&table);
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
      cmocka_unit_test(every_number_of_terms_and_pieces_is_met),
      cmocka_unit_test(no_rounding_leaves_the_last_piece),
      cmocka_unit_test(values_do_not_depend_on_the_place_in_the_array),
      cmocka_unit_test(values_do_not_depend_on_the_registers),
      cmocka_unit_test(values_beyond_the_reach_are_those_at_its_end),
      cmocka_unit_test(functions_that_are_not_smooth_are_refused),
  };
  return run_serial(tests);
}
