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

static double largest_error(const gannet_table *table, gannet_table_function f, const void *user,
                            double reach) {
  static double x[N], y[N];
  double most = 0, size = 0;
  for (int i = 0; i < N; ++i) x[i] = reach * (2.0 * i / (N - 1) - 1);
  gannet_table_apply(table, N, x, y);
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

static void smooth_functions_are_met(void **state) {
  (void)state;
  gannet_table table;
  assert_true(gannet_table_fit(erf_of, NULL, 6, true, &table));
  assert_true(largest_error(&table, erf_of, NULL, 6) < 4e-10);
  assert_true(gannet_table_fit(gauss_of, NULL, 6, false, &table));
  assert_true(largest_error(&table, gauss_of, NULL, 6) < 4e-10);
}

static void functions_steep_at_the_end_are_met(void **state) {
  (void)state;
  const double reach[] = {1e-3, 0.1, 1.25, 10, 60, 1600}; /* the last one needs 16 pieces */
  for (int i = 0; i < 6; ++i) {
    gannet_table table;
    const double pole = reach[i] + 0.5;
    assert_true(gannet_table_fit(steep_of, &pole, reach[i], true, &table));
    assert_true(largest_error(&table, steep_of, &pole, reach[i]) < 4e-10 * (2 + reach[i]));
  }
}

typedef struct {
  bool terms[GANNET_TABLE_TERMS + 1], pieces[GANNET_TABLE_ROWS + 1];
} kinds;

static void try_widening_ranges(int width, kinds *seen) {
  for (int k = 0; k < 60; ++k) {
    gannet_table table;
    const double reach = 0.05 * pow(1.2, k), pole = reach + 0.5;
    if (!table_fit_for(width, steep_of, &pole, reach, true, &table)) continue;
    seen->terms[table.terms] = seen->pieces[table.pieces] = true;
    assert_true(largest_error(&table, steep_of, &pole, reach) < 2e-8 * (2 + reach));
  }
}

/* Wider ranges take more terms, then more pieces. */
static void every_number_of_terms_and_pieces_is_met(void **state) {
  (void)state;
  for (int width = 16; width <= 64; width *= 2) {
    const bool rows = width == 32;
    kinds many = {0};
    try_widening_ranges(width, &many);
    for (int terms = rows ? 6 : 10; terms <= (rows ? 8 : 18); terms += 2)
      assert_true(many.terms[terms]);
    assert_true(many.pieces[64] == rows && many.pieces[16] != rows && many.pieces[8] != rows);
  }
}

/* A pole so close to the end that the pieces there are the shortest there are. */
static void no_rounding_leaves_the_last_piece(void **state) {
  (void)state;
  for (int k = 0; k < 40; ++k) {
    const double reach = pow(10, -3 + 0.15 * k), pole = 1.00125 * reach;
    gannet_table table;
    double size;
    if (!gannet_table_fit(angle_of, &pole, reach, true, &table)) continue;
    angle_of(&pole, 1, &reach, &size);
    for (int i = 0; i < 30; ++i) {
      const double x = reach * (1 - ldexp(1, -i));
      double exact, y;
      angle_of(&pole, 1, &x, &exact);
      gannet_table_apply(&table, 1, &x, &y);
      assert_near(y, exact, 1e-7 * size);
    }
  }
}

static void values_do_not_depend_on_the_place_in_the_array(void **state) {
  (void)state;
  enum { M = 140 };
  gannet_table table;
  double x[M], all[M], one;
  for (int i = 0; i < M; ++i) x[i] = 0.05 * (i - M / 2);
  assert_true(gannet_table_fit(erf_of, NULL, 5, true, &table));
  gannet_table_apply(&table, M, x, all);
  for (int i = 0; i < M; ++i) {
    gannet_table_apply(&table, 1, x + i, &one);
    assert_true(one == all[i]);
  }
  gannet_table_apply(&table, M, x, x);
  assert_memory_equal(x, all, sizeof x);
}

/* The same but for rounding with smaller registers, and with none. */
static void look_up_with_all_registers(const gannet_table *table) {
  enum { M = 77 };
  double x[M], all[M];
  for (int i = 0; i < M; ++i) x[i] = table->reach * (2.1 * i / (M - 1) - 1.05);
  gannet_table_apply(table, M, x, all);
  for (int width = 16; width <= gannet_register_bytes(); width *= 2) {
    double y[M];
    table_look_up(width, table, M, x, y);
    for (int i = 0; i < M; ++i)
      assert_near(y[i], all[i], 1e-14 * (1 + table->reach) * fabs(all[M - 1]));
  }
}

/* Nor do those of a table that was made for other registers. */
static void values_do_not_depend_on_the_registers(void **state) {
  (void)state;
  for (int k = 0; k < 30; ++k)
    for (int width = 16; width <= 64; width *= 2) {
      gannet_table table;
      const double reach = 0.05 * pow(1.4, k), pole = reach + 0.5;
      const bool odd = k % 2 == 0;
      if (table_fit_for(width, steep_of, &pole, reach, odd, &table))
        look_up_with_all_registers(&table);
    }
}

static void values_beyond_the_reach_are_those_at_its_end(void **state) {
  (void)state;
  gannet_table table;
  double x[4] = {1e30, -1e30, 5, -5}, y[4];
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
      cmocka_unit_test(smooth_functions_are_met),
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
