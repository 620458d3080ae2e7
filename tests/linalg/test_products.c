/* test: serial labels unit */
/* Products whose bits do not depend on what is made with them. */
#include <math.h>

#include "support/harness.h"

#include "base/random.h"
#include "linalg/products.h"

enum { N = 75, K = 21, PACKED = 96 * K };

static double a[N * K], packed[PACKED], whole[N * N];

static int make(void **state) {
  (void)state;
  gannet_random_normal((gannet_stream){5, GANNET_FOR_TEST, 0, 1}, 0, N * K, a);
  assert_int_equal(gannet_packed_length(N, K), PACKED);
  gannet_pack(N, K, a, packed);
  gannet_packed_products(N, K, a, N, packed, 0, N, whole, N);
  return 0;
}

static void they_are_products(void **state) {
  (void)state;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      double sum = 0, size = 0;
      for (int k = 0; k < K; ++k) {
        sum += a[i * K + k] * a[j * K + k];
        size += fabs(a[i * K + k] * a[j * K + k]);
      }
      assert_true(fabs(whole[i * N + j] - sum) <= K * 1.2e-16 * size);
    }
}

static void the_matrix_is_symmetric_to_the_bit(void **state) {
  (void)state;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < i; ++j)
      assert_memory_equal(&whole[i * N + j], &whole[j * N + i], sizeof *whole);
}

/* Any rows and columns of it; groups of 32 columns are made whole, and nothing beyond. */
static void parts_have_the_bits_of_the_whole(void **state) {
  (void)state;
  const int cuts[][4] = {{0, 1, 0, 1}, {3, 70, 33, 34}, {64, 11, 0, 75}, {10, 40, 31, 65}};
  static double part[N * N];
  for (size_t c = 0; c < sizeof cuts / sizeof *cuts; ++c) {
    const int first = cuts[c][0], rows = cuts[c][1], from = cuts[c][2], end = cuts[c][3];
    for (int i = 0; i < N * N; ++i) part[i] = 7;
    gannet_packed_products(rows, K, a + first * K, N, packed, from, end, part, N);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < N; ++j) {
        if (j >= from && j < end)
          assert_memory_equal(&part[i * N + j], &whole[(first + i) * N + j], sizeof *part);
        if (j < from / 32 * 32 || j >= (end + 31) / 32 * 32) assert_true(part[i * N + j] == 7);
      }
    for (int i = rows * N; i < N * N; ++i) assert_true(part[i] == 7);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(they_are_products),
      cmocka_unit_test(the_matrix_is_symmetric_to_the_bit),
      cmocka_unit_test(parts_have_the_bits_of_the_whole),
  };
  return cmocka_run_group_tests(tests, make, NULL);
}
