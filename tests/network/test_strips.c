/* test: serial labels unit */
#include "network/strips.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/registers.h"
#include "support/harness.h"

enum { INNER = 5, ROWS = 24, LANES = GANNET_STRIP_LANES, WIDTH = 8, ALL = 4096 };

/* All that the processor has: registers of 16, 32, 64 bytes. */
enum { WAYS = 3 };

static const gannet_strips *way(int i) {
  const int width = 16 << i;
  return width > gannet_register_bytes() ? NULL : gannet_strips_for(width);
}

static const double near = 1e-13;

static void draw(uint64_t stream, size_t n, double *x) {
  gannet_random_normal((gannet_stream){1, GANNET_FOR_TEST, 0, stream}, 0, n, x);
}

static void packed_rows_stand_next_to_each_other(void **state) {
  (void)state;
  double from[7 * 10], to[ALL] = {0};
  const gannet_strips_source source = {from, 10, 2}; /* every other column */
  draw(1, 70, from);
  gannet_strips_pack(7, 5, &source, 4, to);
  for (size_t i = 0; i < 8; ++i)
    for (size_t k = 0; k < 5; ++k)
      assert_near(to[i / 4 * 20 + k * 4 + i % 4], i < 7 ? from[i * 10 + 2 * k] : 0, 0);
}

static void products_are_those_of_plain_loops(void **state) {
  (void)state;
  double rows[ROWS * INNER], points[LANES * INNER];
  draw(2, ROWS * INNER, rows);
  draw(3, LANES * INNER, points);
  for (int p = 0; p < WAYS && way(p); ++p) {
    static double row[ALL], strip[ALL], out[ALL], squares[ALL], roots[ALL];
    const gannet_strips *by = way(p);
    const size_t lanes = (size_t)LANES;
    const gannet_strips_source a = {rows, INNER, 1}, b = {points, INNER, 1};
    memcpy(rows, points, INNER * sizeof *rows); /* a distance of 0 */
    gannet_strips_pack(ROWS, INNER, &a, GANNET_STRIP_ROWS, row);
    gannet_strips_pack((int)lanes, INNER, &b, (int)lanes, strip);
    by->multiply(INNER, ROWS, row, strip, out);
    by->distances(INNER, ROWS, row, strip, squares);
    memcpy(roots, squares, sizeof roots);
    by->root(ROWS, roots);
    for (size_t i = 0; i < ROWS; ++i)
      for (size_t l = 0; l < lanes; ++l) {
        double sum = 0, square = 0;
        for (size_t k = 0; k < INNER; ++k) {
          sum += rows[i * INNER + k] * points[l * INNER + k];
          square += pow(rows[i * INNER + k] - points[l * INNER + k], 2);
        }
        assert_near(out[i * lanes + l], sum, near);
        assert_near(squares[i * lanes + l], square, near * square);
        assert_near(roots[i * lanes + l], sqrt(squares[i * lanes + l]),
                    0.05 * near * sqrt(square) + 1e-14);
      }
  }
}

static void waves_are_those_of_half_turns(void **state) {
  (void)state;
  const double pi = 3.14159265358979323846;
  double values[ROWS * LANES];
  draw(9, ROWS * LANES, values);
  for (int i = 0; i < ROWS * LANES; ++i) values[i] *= pow(4, i % 8 - 2); /* up to a few hundred */
  values[0] = 0.5;
  values[1] = -3;
  for (int p = 0; p < WAYS && way(p); ++p) {
    static double x[ALL], cosine[ALL], sine[ALL];
    const gannet_strips *by = way(p);
    const gannet_strips_source all = {values, 1, 1};
    gannet_strips_pack(ROWS * LANES, 1, &all, 1, x);
    memcpy(cosine, x, sizeof cosine);
    by->waves(ROWS, cosine, sine);
    for (size_t i = 0; i < ROWS * (size_t)LANES; ++i) {
      const double part = fmod(x[i], 2); /* is exact */
      assert_near(cosine[i], cos(pi * part), 0.1 * near);
      assert_near(sine[i], sin(pi * part), 0.1 * near);
    }
  }
}

static void weighted_sums_are_those_of_plain_loops(void **state) {
  (void)state;
  double values[ROWS * LANES], weights[ROWS * WIDTH], scale[LANES];
  draw(4, ROWS * LANES, values);
  draw(5, ROWS * WIDTH, weights);
  draw(6, LANES, scale);
  for (int p = 0; p < WAYS && way(p); ++p)
    for (int width = 1; width <= WIDTH; width *= 2)
      for (int scaled = 0; scaled < 2; ++scaled) {
        static double v[ALL], w[ALL], s[ALL], sums[ALL];
        const gannet_strips *by = way(p);
        const size_t lanes = (size_t)LANES;
        const gannet_strips_source all = {values, 1, 1}, factors = {scale, 1, 1};
        double total[WIDTH * LANES] = {0};
        memset(sums, 0, sizeof sums);
        gannet_strips_pack(ROWS * (int)lanes, 1, &all, 1, v);
        const gannet_strips_source draws = {weights, 1, WIDTH};
        gannet_strips_pack(width, ROWS, &draws, width, w);
        gannet_strips_pack((int)lanes, 1, &factors, (int)lanes, s);
        for (int again = 0; again < 2; ++again)
          by->weigh(ROWS, width, v, w, scaled ? s : NULL, sums);
        gannet_strips_add((size_t)width * lanes, sums, total);
        for (size_t j = 0; j < (size_t)width; ++j)
          for (size_t l = 0; l < lanes; ++l) {
            double sum = 0;
            for (size_t i = 0; i < ROWS; ++i) sum += values[i * lanes + l] * weights[i * WIDTH + j];
            assert_near(total[j * lanes + l], 2 * sum * (scaled ? scale[l] : 1), 20 * near);
          }
      }
}

/* L v = b for some strips, of which three, two or one are worked at once, in two calls; and the
 * squares of v. */
static void triangular_systems_are_solved(void **state) {
  (void)state;
  enum { STRIPS = 6 };
  double l[ROWS * ROWS], b[STRIPS * ROWS * LANES];
  draw(7, ROWS * ROWS, l);
  draw(8, STRIPS * ROWS * LANES, b);
  for (size_t i = 0; i < ROWS; ++i) l[i * ROWS + i] = 3 + fabs(l[i * ROWS + i]);
  for (int p = 0; p < WAYS && way(p); ++p) {
    static double factor[ALL], strips[STRIPS][ALL], sums[ALL];
    const gannet_strips *by = way(p);
    const size_t lanes = (size_t)LANES;
    gannet_strips_source sides[STRIPS];
    for (size_t s = 0; s < STRIPS; ++s)
      sides[s] = (gannet_strips_source){b + s * ROWS * LANES, 1, 1};
    size_t second = 0;
    double *to = factor;
    for (size_t i = 0; i < ROWS; i += 8) {
      double some[8 * ROWS] = {0};
      for (size_t r = 0; r < 8; ++r)
        for (size_t k = 0; k <= i + r; ++k)
          some[r * ROWS + k] = k == i + r ? 1 / l[k * ROWS + k] : l[(i + r) * ROWS + k];
      const gannet_strips_source rows = {some, ROWS, 1};
      gannet_strips_pack(8, (int)i + 8, &rows, 8, to);
      to += (i + 8) * 8;
      if (i == 0) second = (size_t)(to - factor);
    }
    for (int s = 0; s < STRIPS; ++s)
      gannet_strips_pack(ROWS * (int)lanes, 1, &sides[s], 1, strips[s]);
    for (int s = 0, n = 1; s < STRIPS; s += n++) {
      by->solve(0, 8, factor, n, strips[s], ALL);
      by->solve(8, ROWS, factor + second, n, strips[s], ALL);
    }
    for (int s = 0; s < STRIPS; ++s) {
      double squares[LANES] = {0};
      memset(sums, 0, sizeof sums);
      by->square(ROWS, strips[s], sums);
      gannet_strips_add(lanes, sums, squares);
      for (size_t lane = 0; lane < lanes; ++lane) {
        double total = 0;
        for (size_t i = 0; i < ROWS; ++i) {
          double sum = 0;
          for (size_t k = 0; k <= i; ++k) sum += l[i * ROWS + k] * strips[s][k * lanes + lane];
          assert_near(sum, sides[s].at[i * lanes + lane], 100 * near);
          total += pow(strips[s][i * lanes + lane], 2);
        }
        assert_near(squares[lane], total, 100 * near * (1 + total));
      }
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
      cmocka_unit_test(waves_are_those_of_half_turns),
      cmocka_unit_test(weighted_sums_are_those_of_plain_loops),
      cmocka_unit_test(triangular_systems_are_solved),
      cmocka_unit_test(widths_hold_what_is_left),
  };
  return run_serial(tests);
}
