/* test: serial labels unit */
/* Panels against one fused multiply-add after the other, for all lanes and registers. */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "base/random.h"
#include "base/registers.h"
#include "linalg/simd_kernels/panel.h"

enum { MOST = 64, K = 77, LD = 90, ROOM = 128 * 32 };

static double l[MOST * LD], x[MOST * LD], given[MOST * LD], expected[MOST * LD], got[MOST * LD];

_Static_assert(MOST *LD >= ROOM, "two runs of all lanes");

/* Where number k of right-hand side j is. */
static int at(int lanes, int k, int j) {
  return lanes > PANEL_FEW ? k * lanes + j
                           : k / PANEL_RUN * PANEL_RUN * lanes + j * PANEL_RUN + k % PANEL_RUN;
}

/* Length of n numbers of all. */
static int extent(int lanes, int n) {
  return at(lanes, n - 1, lanes - 1) + 1;
}

/* A triangle with a diagonal that is not small, and numbers of any size. */
static void make(void) {
  gannet_random_normal((gannet_stream){5, GANNET_FOR_TEST, 0, 1}, 0, MOST * LD, l);
  gannet_random_normal((gannet_stream){5, GANNET_FOR_TEST, 0, 2}, 0, MOST * LD, x);
  gannet_random_normal((gannet_stream){5, GANNET_FOR_TEST, 0, 3}, 0, MOST * LD, given);
  for (int i = 0; i < MOST; ++i) l[i * LD + i] = 8 + fabs(l[i * LD + i]);
}

/* The smallest registers may have no fused operations. */
static void assert_same(int bytes, int n) {
  for (int i = 0; i < n && bytes == 16; ++i) assert_near(got[i], expected[i], 1e-12);
  if (bytes > 16) assert_memory_equal(got, expected, (size_t)n * sizeof *got);
}

static void for_all(void (*check)(int, int, int)) {
  const int rows[] = {1, 3, 7, 8, 11, 12, 31, 32, 62, 64};
  make();
  const int lanes[] = {1, 2, 3, 4, 8, 16, 32};
  for (int bytes = 16; bytes <= gannet_register_bytes(); bytes *= 2)
    for (size_t c = 0; c < sizeof lanes / sizeof *lanes; ++c)
      for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) check(bytes, lanes[c], rows[r]);
}

static void start(int n) {
  memcpy(got, given, (size_t)n * sizeof *got);
  memcpy(expected, given, (size_t)n * sizeof *got);
}

static void check_before(int bytes, int lanes, int rows) {
  start(extent(lanes, rows));
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < K; ++k)
      for (int j = 0; j < lanes; ++j)
        expected[at(lanes, r, j)] =
            fma(-x[at(lanes, k, j)], l[r * LD + k], expected[at(lanes, r, j)]);
  panel_dispatch(bytes)->subtract_product(lanes, rows, K, l, LD, x, got);
  assert_same(bytes, extent(lanes, rows));
}

static void check_own(int bytes, int lanes, int rows) {
  if (rows > lanes || lanes <= PANEL_FEW) return;
  start(extent(lanes, rows));
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < K; ++k)
      for (int j = 0; j < lanes; ++j)
        expected[r * lanes + j] = fma(-x[k * lanes + j], x[k * lanes + r], expected[r * lanes + j]);
  panel_dispatch(bytes)->subtract_self_product(lanes, rows, K, x, got);
  assert_same(bytes, extent(lanes, rows));
}

static void check_after(int bytes, int lanes, int rows) {
  start(extent(lanes, K));
  for (int k = 0; k < K; ++k)
    for (int r = 0; r < rows; ++r)
      for (int j = 0; j < lanes; ++j)
        expected[at(lanes, k, j)] =
            fma(-x[at(lanes, r, j)], l[r * LD + k], expected[at(lanes, k, j)]);
  panel_dispatch(bytes)->subtract_transposed(lanes, rows, K, l, LD, x, got);
  assert_same(bytes, extent(lanes, K));
}

static void check_solve(int bytes, int lanes, int rows) {
  start(extent(lanes, rows));
  for (int r = 0; r < rows; ++r)
    for (int j = 0; j < lanes; ++j) {
      double *to = &expected[at(lanes, r, j)];
      for (int k = 0; k < r; ++k) *to = fma(-expected[at(lanes, k, j)], l[r * LD + k], *to);
      *to /= l[r * LD + r];
    }
  panel_dispatch(bytes)->solve(lanes, rows, l, LD, got);
  assert_same(bytes, extent(lanes, rows));
}

/* What is solved, multiplied by the transposed triangle, is what it was. */
static void check_transposed(int bytes, int lanes, int rows) {
  start(extent(lanes, rows));
  panel_dispatch(bytes)->solve_transposed(lanes, rows, l, LD, got);
  for (int k = 0; k < rows; ++k)
    for (int j = 0; j < lanes; ++j) {
      double sum = 0;
      for (int r = k; r < rows; ++r) sum += l[r * LD + k] * got[at(lanes, r, j)];
      assert_near(sum, expected[at(lanes, k, j)], 1e-11);
    }
}

/* Columns may be worked in any parts that begin with a run. */
static void check_columns(int bytes, int lanes, int rows) {
  const int part = lanes > PANEL_FEW ? 13 : PANEL_RUN;
  start(extent(lanes, K));
  panel_dispatch(bytes)->subtract_transposed(lanes, rows, K, l, LD, x, expected);
  panel_dispatch(bytes)->subtract_transposed(lanes, rows, part, l, LD, x, got);
  panel_dispatch(bytes)->subtract_transposed(lanes, rows, K - part, l + part, LD, x,
                                             got + part * lanes);
  assert_memory_equal(got, expected, (size_t)extent(lanes, K) * sizeof *got);
}

/* Rows of L L^T give L again; a pivot that is not positive is named. */
static void check_factor(int bytes, int lanes, int rows) {
  if (rows > lanes || lanes <= PANEL_FEW) return;
  const panel_kernels *kernels = panel_dispatch(bytes);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < rows; ++c) {
      double sum = 0;
      for (int k = 0; k <= r && k <= c; ++k) sum += l[r * LD + k] * l[c * LD + k];
      got[c * lanes + r] = sum;
    }
  memcpy(expected, got, sizeof got);
  assert_int_equal(kernels->factorise(lanes, rows, got), -1);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c <= r; ++c) assert_near(got[c * lanes + r], l[r * LD + c], 1e-11);
  for (int bad = 0; bad < rows; bad += 5) {
    memcpy(got, expected, sizeof got);
    got[bad * lanes + bad] = bad % 2 ? NAN : 0;
    assert_int_equal(kernels->factorise(lanes, rows, got), bad);
  }
}

static void numbers_before_are_taken_in_their_order(void **state) {
  (void)state;
  for_all(check_before);
}

static void rows_take_each_other_in_their_order(void **state) {
  (void)state;
  for_all(check_own);
}

static void numbers_after_are_taken_in_their_order(void **state) {
  (void)state;
  for_all(check_after);
  for_all(check_columns);
}

static void triangles_are_solved(void **state) {
  (void)state;
  for_all(check_solve);
  for_all(check_transposed);
}

static void rows_become_rows_of_the_factor(void **state) {
  (void)state;
  for_all(check_factor);
}

/* Rows that begin with a line of memory. */
static void check_past(int bytes, int m, int lanes, int n) {
  enum { WIDE = 64 };
  static _Alignas(64) double rows[32 * WIDE];
  const panel_kernels *kernels = panel_dispatch(bytes);
  for (int i = 0; i < 32 * WIDE; ++i) rows[i] = NAN;
  kernels->pack(lanes, m, n, l, LD, got);
  kernels->unpack_streaming(lanes, m, n, got, rows, WIDE);
  panel_store_fence();
  for (int r = 0; r < 32; ++r)
    for (int k = 0; k < WIDE; ++k) {
      if (r < m && k < n)
        assert_true(rows[r * WIDE + k] == l[r * LD + k]);
      else
        assert_true(isnan(rows[r * WIDE + k]));
    }
}

static void check_packing(int bytes, int m, int lanes, int n) {
  const panel_kernels *kernels = panel_dispatch(bytes);
  for (int i = 0; i < MOST * LD; ++i) got[i] = expected[i] = NAN;
  kernels->pack(lanes, m, n, l, LD, got);
  for (int k = 0; k < n; ++k)
    for (int r = 0; r < lanes; ++r) assert_near(got[at(lanes, k, r)], r < m ? l[r * LD + k] : 0, 0);
  assert_true(isnan(got[extent(lanes, n)]));
  kernels->unpack(lanes, m, n, got, expected, LD);
  for (int r = 0; r < m; ++r) {
    assert_memory_equal(expected + r * LD, l + r * LD, (size_t)n * sizeof *l);
    assert_true(isnan(expected[r * LD + n]));
  }
  assert_true(isnan(expected[m * LD]));
}

static void rows_become_lanes_and_rows_again(void **state) {
  (void)state;
  const int m[] = {8, 1, 5, 8, 9, 16, 17, 31, 32}, wanted[] = {8, 8, 8, 8, 16, 16, 32, 32, 32};
  make();
  for (int bytes = 16; bytes <= gannet_register_bytes(); bytes *= 2)
    for (size_t c = 0; c < sizeof m / sizeof *m; ++c) {
      assert_int_equal(panel_lanes(m[c]), wanted[c]);
      check_packing(bytes, m[c], wanted[c], 29);
      check_packing(bytes, m[c], wanted[c], 24);
      check_packing(bytes, m[c], wanted[c], 3);
      check_past(bytes, m[c], wanted[c], 64);
      check_past(bytes, m[c], wanted[c], 37);
    }
  for (int few = 1; few <= PANEL_FEW; ++few) {
    check_packing(gannet_register_bytes(), few, few, 29);
    check_packing(gannet_register_bytes(), few, few, 64);
    check_packing(gannet_register_bytes(), few, few, 77);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_before_are_taken_in_their_order),
      cmocka_unit_test(rows_take_each_other_in_their_order),
      cmocka_unit_test(numbers_after_are_taken_in_their_order),
      cmocka_unit_test(triangles_are_solved),
      cmocka_unit_test(rows_become_rows_of_the_factor),
      cmocka_unit_test(rows_become_lanes_and_rows_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
