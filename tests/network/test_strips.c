/* test: serial labels unit */
#include "network/strips.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "support/harness.h"

enum { INNER = 5, ROWS = 24, LANES = 16, WIDTH = 8, ALL = 4096 };

/* Numbers of either precision. */
typedef union {
  float single[ALL];
  double twice[ALL];
} numbers;

static double get(const gannet_strips *by, const numbers *n, size_t i) {
  return by->size == sizeof(float) ? (double)n->single[i] : n->twice[i];
}

static double near(const gannet_strips *by) {
  return by->size == sizeof(float) ? 1e-5 : 1e-13;
}

static void draw(uint64_t stream, size_t n, double *x) {
  gannet_random_normal((gannet_stream){1, GANNET_FOR_TEST, 0, stream}, 0, n, x);
}

static void packed_rows_stand_next_to_each_other(void **state) {
  (void)state;
  double from[7 * 10];
  draw(1, 70, from);
  for (int p = 0; p < 2; ++p) {
    const gannet_strips *by = gannet_strips_of((gannet_precision)p);
    const gannet_strips_source source = {from, 10, 2}; /* every other column */
    static numbers to;
    memset(&to, 0, sizeof to);
    by->pack(7, 5, &source, 4, &to);
    for (size_t i = 0; i < 8; ++i)
      for (size_t k = 0; k < 5; ++k)
        assert_near(get(by, &to, i / 4 * 20 + k * 4 + i % 4), i < 7 ? from[i * 10 + 2 * k] : 0,
                    near(by));
  }
}

static void products_are_those_of_plain_loops(void **state) {
  (void)state;
  double rows[ROWS * INNER], points[LANES * INNER];
  draw(2, ROWS * INNER, rows);
  draw(3, LANES * INNER, points);
  for (int p = 0; p < 2; ++p) {
    static numbers row, strip, out;
    const gannet_strips *by = gannet_strips_of((gannet_precision)p);
    const size_t lanes = (size_t)by->lanes;
    const gannet_strips_source a = {rows, INNER, 1}, b = {points, INNER, 1};
    assert_true(lanes <= LANES && lanes * by->size == 64);
    by->pack(ROWS, INNER, &a, GANNET_STRIP_ROWS, &row);
    by->pack((int)lanes, INNER, &b, (int)lanes, &strip);
    by->multiply(INNER, ROWS, &row, &strip, &out);
    for (size_t i = 0; i < ROWS; ++i)
      for (size_t l = 0; l < lanes; ++l) {
        double sum = 0;
        for (size_t k = 0; k < INNER; ++k) sum += rows[i * INNER + k] * points[l * INNER + k];
        assert_near(get(by, &out, i * lanes + l), sum, near(by));
      }
  }
}

static void weighted_sums_are_those_of_plain_loops(void **state) {
  (void)state;
  double values[ROWS * LANES], weights[ROWS * WIDTH], scale[LANES];
  draw(4, ROWS * LANES, values);
  draw(5, ROWS * WIDTH, weights);
  draw(6, LANES, scale);
  for (int p = 0; p < 2; ++p)
    for (int width = 1; width <= WIDTH; width *= 2)
      for (int scaled = 0; scaled < 2; ++scaled) {
        static numbers v, w, s, sums;
        const gannet_strips *by = gannet_strips_of((gannet_precision)p);
        const size_t lanes = (size_t)by->lanes;
        const gannet_strips_source all = {values, 1, 1}, factors = {scale, 1, 1};
        double total[WIDTH * LANES] = {0};
        memset(&sums, 0, sizeof sums);
        by->pack(ROWS * (int)lanes, 1, &all, 1, &v);
        const gannet_strips_source draws = {weights, 1, WIDTH};
        by->pack(width, ROWS, &draws, width, &w);
        by->pack((int)lanes, 1, &factors, (int)lanes, &s);
        for (int again = 0; again < 2; ++again)
          by->weigh(ROWS, width, &v, &w, scaled ? &s : NULL, &sums);
        by->add((size_t)width * lanes, &sums, total);
        for (size_t j = 0; j < (size_t)width; ++j)
          for (size_t l = 0; l < lanes; ++l) {
            double sum = 0;
            for (size_t i = 0; i < ROWS; ++i) sum += values[i * lanes + l] * weights[i * WIDTH + j];
            assert_near(total[j * lanes + l], 2 * sum * (scaled ? scale[l] : 1), 20 * near(by));
          }
      }
}

static void widths_hold_what_is_left(void **state) {
  (void)state;
  const int expected[] = {0, 1, 2, 4, 4, 8, 8, 8, 8, 8};
  for (int left = 1; left < 10; ++left) assert_int_equal(gannet_strips_width(left), expected[left]);
  assert_int_equal(gannet_strips_whole(0, 8), 0);
  assert_int_equal(gannet_strips_whole(9, 8), 16);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packed_rows_stand_next_to_each_other),
      cmocka_unit_test(products_are_those_of_plain_loops),
      cmocka_unit_test(weighted_sums_are_those_of_plain_loops),
      cmocka_unit_test(widths_hold_what_is_left),
  };
  return run_serial(tests);
}
