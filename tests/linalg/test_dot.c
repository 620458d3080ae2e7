/* test: serial labels unit */
/* Sums of products whose bits do not depend on where their rows begin. */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "base/random.h"
#include "linalg/blas.h"

enum { MOST = 300, ROWS = 5, PLACES = 8 };

/* As allocated, blocks of numbers begin at a multiple of 64 bytes. */
static _Alignas(64) double a[MOST * ROWS], b[MOST], moved_a[MOST * ROWS + PLACES],
    moved_b[MOST + PLACES];

static int make(void **state) {
  (void)state;
  gannet_random_normal((gannet_stream){5, GANNET_FOR_TEST, 0, 1}, 0, MOST * ROWS, a);
  gannet_random_normal((gannet_stream){5, GANNET_FOR_TEST, 0, 2}, 0, MOST, b);
  return 0;
}

static void they_are_sums_of_products(void **state) {
  (void)state;
  for (int n = 0; n <= MOST; ++n) {
    double sum = 0, size = 0;
    for (int i = 0; i < n; ++i) {
      sum += a[i] * b[i];
      size += fabs(a[i] * b[i]);
    }
    assert_true(fabs(gannet_dot(n, a, b) - sum) <= n * 1.2e-16 * size);
  }
}

static void a_row_has_the_same_bits_anywhere(void **state) {
  (void)state;
  for (int n = 1; n <= MOST; ++n)
    for (int i = 0; i < PLACES; ++i) {
      const int j = 3 * i % PLACES;
      memcpy(moved_a + i, a, (size_t)n * sizeof *a);
      memcpy(moved_b + j, b, (size_t)n * sizeof *b);
      const double here = gannet_dot(n, a, b), there = gannet_dot(n, moved_a + i, moved_b + j);
      assert_memory_equal(&here, &there, sizeof here);
      const double itself = gannet_dot(n, a, a),
                   elsewhere = gannet_dot(n, moved_a + i, moved_a + i);
      assert_memory_equal(&itself, &elsewhere, sizeof itself);
    }
}

static void products_with_a_matrix_have_the_bits_of_their_rows(void **state) {
  (void)state;
  for (int k = 1; k <= MOST; k += 7) {
    double y[ROWS], with_old[ROWS];
    for (int i = 0; i < ROWS; ++i) {
      y[i] = NAN;
      with_old[i] = i;
    }
    gannet_gemv_n(ROWS, k, -2, a, k, b, 0, y);
    gannet_gemv_n(ROWS, k, -2, a, k, b, 3, with_old);
    for (int i = 0; i < ROWS; ++i) {
      const double product = -2 * gannet_dot(k, a + (size_t)i * (size_t)k, b);
      assert_memory_equal(&y[i], &product, sizeof product);
      assert_true(fabs(with_old[i] - (product + 3 * i)) <= 1e-14 * (1 + fabs(product)));
    }
  }
}

static void products_with_a_transposed_matrix_have_the_same_bits_anywhere(void **state) {
  (void)state;
  for (int k = 1; k <= MOST; k += 7)
    for (int i = 0; i < PLACES; ++i) {
      double here[MOST], there[MOST + PLACES];
      memcpy(moved_a + i, a, ROWS * (size_t)k * sizeof *a);
      memcpy(moved_b + i, b, ROWS * sizeof *b);
      gannet_gemv_t(ROWS, k, -2, a, k, b, 0, here);
      gannet_gemv_t(ROWS, k, -2, moved_a + i, k, moved_b + i, 0, there + i);
      assert_memory_equal(here, there + i, (size_t)k * sizeof *here);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(they_are_sums_of_products),
      cmocka_unit_test(a_row_has_the_same_bits_anywhere),
      cmocka_unit_test(products_with_a_matrix_have_the_bits_of_their_rows),
      cmocka_unit_test(products_with_a_transposed_matrix_have_the_same_bits_anywhere),
  };
  return cmocka_run_group_tests(tests, make, NULL);
}
