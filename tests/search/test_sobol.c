/* test: serial labels unit */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/harness.h"

#include "search/sobol.h"
#include "search/sobol_table.h"

static const gannet_stream stream = {5, GANNET_FOR_TEST, 2, 0};

/* Joe and Kuo's example of the first ten points in three dimensions, in Gray-code order. */
static void the_first_points_are_those_published(void **state) {
  (void)state;
  const double known[10][3] = {{0, 0, 0},
                               {0.5, 0.5, 0.5},
                               {0.75, 0.25, 0.25},
                               {0.25, 0.75, 0.75},
                               {0.375, 0.375, 0.625},
                               {0.875, 0.875, 0.125},
                               {0.625, 0.125, 0.875},
                               {0.125, 0.625, 0.375},
                               {0.1875, 0.3125, 0.9375},
                               {0.6875, 0.8125, 0.4375}};
  gannet_sobol *sobol = NULL;
  assert_ok(gannet_sobol_create(3, NULL, &sobol));
  for (uint32_t i = 0; i < 10; ++i)
    for (int k = 0; k < 3; ++k)
      assert_near(gannet_sobol_bits(sobol, i ^ (i >> 1), k) * 0x1p-32, known[i][k], 0);
  gannet_sobol_destroy(&sobol);
}

/* x^(2^s - 1) = 1 and no smaller divisor power for the prime factors of 2^s - 1. */
static uint32_t power_of_x(uint32_t exponent, uint32_t polynomial, int degree) {
  uint32_t x = 1;
  for (uint32_t i = 0; i < exponent; ++i) {
    x <<= 1;
    if (x >> degree & 1) x ^= polynomial;
  }
  return x;
}

static void the_table_holds_primitive_polynomials_and_odd_numbers(void **state) {
  (void)state;
  const uint16_t *initial = gannet_sobol_initials;
  for (int k = 0; k < GANNET_SOBOL_TABLE - 1; ++k) {
    const uint32_t p = gannet_sobol_polynomials[k];
    if (k > 0) assert_true(p > gannet_sobol_polynomials[k - 1]);
    int degree = 0;
    while (p >> (degree + 1)) ++degree;
    const uint32_t order = (UINT32_C(1) << degree) - 1;
    assert_int_equal(power_of_x(order, p, degree), 1);
    for (uint32_t f = 2; f <= order; ++f)
      if (order % f == 0 && order / f < order && order / f > 0 && degree > 1)
        assert_true(power_of_x(order / f, p, degree) != 1);
    for (int j = 1; j < degree; ++j, ++initial) {
      assert_true(*initial % 2 == 1);
      assert_true(*initial < 2u << j);
    }
  }
  assert_ptr_equal(initial, gannet_sobol_initials + GANNET_SOBOL_INITIALS);
}

static void every_aligned_block_is_stratified(void **state) {
  (void)state;
  enum { D = 1024, LOG = 6, N = 1 << LOG };
  for (int scrambled = 0; scrambled < 2; ++scrambled) {
    gannet_sobol *sobol = NULL;
    assert_ok(gannet_sobol_create(D, scrambled ? &stream : NULL, &sobol));
    for (int k = 0; k < D; ++k)
      for (uint32_t block = 0; block < 5; ++block) {
        uint64_t seen = 0;
        for (uint32_t i = 0; i < N; ++i)
          seen |= UINT64_C(1) << (gannet_sobol_bits(sobol, block * 977 * N + i, k) >> (32 - LOG));
        assert_true(seen == UINT64_MAX);
      }
    gannet_sobol_destroy(&sobol);
  }
}

/* The first two coordinates are a (0, m, 2)-net: every elementary box of area 1/256 holds one of
 * the first 256 points, scrambled or not. */
static void two_coordinates_are_a_net(void **state) {
  (void)state;
  for (int scrambled = 0; scrambled < 2; ++scrambled) {
    gannet_sobol *sobol = NULL;
    assert_ok(gannet_sobol_create(2, scrambled ? &stream : NULL, &sobol));
    for (int a = 0; a <= 8; ++a) {
      int count[256] = {0};
      for (uint32_t i = 0; i < 256; ++i) {
        const uint64_t column = (uint64_t)gannet_sobol_bits(sobol, i, 0) >> (32 - a);
        const uint64_t row = (uint64_t)gannet_sobol_bits(sobol, i, 1) >> (24 + a);
        count[(column << (8 - a)) + row] += 1;
      }
      for (int b = 0; b < 256; ++b) assert_int_equal(count[b], 1);
    }
    gannet_sobol_destroy(&sobol);
  }
}

/* Squared L2-star discrepancy, Warnock's formula. */
static double discrepancy(int n, int d, const double *x) {
  double single = 0, pairs = 0;
  for (int i = 0; i < n; ++i) {
    double product = 1;
    for (int k = 0; k < d; ++k) product *= 0.5 * (1 - x[i * d + k] * x[i * d + k]);
    single += product;
    for (int j = 0; j < n; ++j) {
      product = 1;
      for (int k = 0; k < d; ++k) product *= 1 - fmax(x[i * d + k], x[j * d + k]);
      pairs += product;
    }
  }
  return pow(3, -d) - 2 * single / n + pairs / n / n;
}

static void points_are_more_even_than_random_ones(void **state) {
  (void)state;
  enum { N = 512, D = 5 };
  static double x[N * D];
  gannet_sobol *sobol = NULL;
  assert_ok(gannet_sobol_create(D, &stream, &sobol));
  gannet_sobol_points(sobol, 0, N, x);
  const double even = discrepancy(N, D, x);
  gannet_random_uniform(stream, 0, N * D, x);
  assert_true(even < 0.1 * discrepancy(N, D, x));
  gannet_sobol_destroy(&sobol);
}

static void points_are_functions_of_their_number_beyond_the_table_too(void **state) {
  (void)state;
  enum { D = 1030 };
  static double whole[8 * D], part[3 * D];
  gannet_sobol *sobol = NULL;
  assert_ok(gannet_sobol_create(D, &stream, &sobol));
  gannet_sobol_points(sobol, 100, 8, whole);
  gannet_sobol_points(sobol, 104, 3, part);
  assert_memory_equal(part, whole + 4 * D, sizeof part);
  for (int i = 0; i < 8 * D; ++i) assert_true(0 < whole[i] && whole[i] < 1);
  assert_true(whole[D - 1] != whole[2 * D - 1]);
  gannet_sobol_destroy(&sobol);
  assert_fails(GANNET_ERR_ARG, "d = 0", gannet_sobol_create(0, NULL, &sobol));
}

static void other_streams_scramble_otherwise(void **state) {
  (void)state;
  gannet_stream other = stream;
  other.iteration += 1;
  gannet_sobol *a = NULL, *b = NULL;
  assert_ok(gannet_sobol_create(2, &stream, &a));
  assert_ok(gannet_sobol_create(2, &other, &b));
  int same = 0;
  for (uint32_t i = 0; i < 1000; ++i)
    same += gannet_sobol_bits(a, i, 1) == gannet_sobol_bits(b, i, 1);
  assert_int_equal(same, 0);
  gannet_sobol_destroy(&a);
  gannet_sobol_destroy(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_points_are_those_published),
      cmocka_unit_test(the_table_holds_primitive_polynomials_and_odd_numbers),
      cmocka_unit_test(every_aligned_block_is_stratified),
      cmocka_unit_test(two_coordinates_are_a_net),
      cmocka_unit_test(points_are_more_even_than_random_ones),
      cmocka_unit_test(points_are_functions_of_their_number_beyond_the_table_too),
      cmocka_unit_test(other_streams_scramble_otherwise),
  };
  return run_serial(tests);
}
