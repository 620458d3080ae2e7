/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "base/random.h"
#include "linalg/least_squares.h"

enum { MOST = 170, SQUARE = (MOST + 1) * (MOST + 1) };

/* x into the first p of b. */
static gannet_err minimise(int n, int p, const double *a, double *b, double *rest) {
  static double ab[(MOST + 1) * 300], triangle[SQUARE];
  memcpy(ab, a, (size_t)(n * p) * sizeof *ab);
  memcpy(ab + n * p, b, (size_t)n * sizeof *ab);
  gannet_err err = gannet_least_squares_reduce(n, p, ab, triangle);
  if (err == GANNET_OK) err = gannet_least_squares_solve(p, triangle, b);
  *rest = triangle[p * (p + 2)] * triangle[p * (p + 2)];
  return err;
}

/* t = 3 - 2 x + 1e-6 x^2 on columns of very different size, exactly. */
static void badly_scaled_columns_are_recovered(void **state) {
  (void)state;
  enum { N = 9, P = 3 };
  double a[N * P], b[N], rest = -1;
  for (int i = 0; i < N; ++i) {
    const double x = 1e3 * (i - 3.5);
    a[i] = 1;
    a[N + i] = x;
    a[2 * N + i] = x * x;
    b[i] = 3 - 2 * x + 1e-6 * x * x;
  }
  assert_ok(minimise(N, P, a, b, &rest));
  assert_near(b[0], 3, 1e-9);
  assert_near(b[1], -2, 1e-12);
  assert_near(b[2], 1e-6, 1e-15);
  assert_near(rest, 0, 1e-16);
}

/* Residual of the mean: the sum of squared deviations. */
static void the_residual_is_told(void **state) {
  (void)state;
  double a[4] = {1, 1, 1, 1}, b[4] = {1, 2, 3, 6}, rest = 0;
  assert_ok(minimise(4, 1, a, b, &rest));
  assert_near(b[0], 3, 1e-14);
  assert_near(rest, 4 + 1 + 0 + 9, 1e-13);
}

/* With numbers that do not go into a product with themselves, too, and with a right-hand side of
 * zeros; powers of two, so that only the size is another. */
static void sizes_do_not_matter(void **state) {
  (void)state;
  const int powers[] = {0, 1000, 830, -830, -1000};
  for (int i = 0; i < 5; ++i) {
    const double size = ldexp(1, powers[i]);
    double a[6] = {size, size, size, 0, size, 2 * size}, b[3] = {1, 3, 5.75}, rest = 0;
    assert_ok(minimise(3, 2, a, b, &rest));
    assert_near(b[0] * size, 0.875, 1e-14); /* 3.25 - 2.375 */
    assert_near(b[1] * size, 2.375, 1e-14); /* (5.75 - 1) / 2 */
    assert_near(rest, 0.09375, 1e-14);      /* (0.125, -0.25, 0.125) squared */
  }
  double a[2] = {1, 2}, b[2] = {0, 0}, rest = -1;
  assert_ok(minimise(2, 1, a, b, &rest));
  assert_true(b[0] == 0 && rest == 0);
}

/* Of a size for which LAPACK works by blocks: what is left is orthogonal to the columns, and R of
 * the size of what it is a root of. */
static void what_is_left_is_orthogonal_to_the_columns(void **state) {
  (void)state;
  enum { N = 300, P = MOST };
  static double ab[P + 1][N], kept[P + 1][N], triangle[P + 1][P + 1], left[N];
  double x[P], squares = 0;
  gannet_random_normal((gannet_stream){1, GANNET_FOR_TEST, 0, 0}, 0, (size_t)N * (P + 1),
                       &ab[0][0]);
  memcpy(kept, ab, sizeof kept);
  memcpy(left, ab[P], sizeof left);
  assert_ok(gannet_least_squares_reduce(N, P, &ab[0][0], &triangle[0][0]));
  assert_ok(gannet_least_squares_solve(P, &triangle[0][0], x));
  for (int j = 0; j < P; ++j)
    for (int i = 0; i < N; ++i) left[i] -= kept[j][i] * x[j];
  for (int i = 0; i < N; ++i) squares += left[i] * left[i];
  assert_near(triangle[P][P] * triangle[P][P] / squares, 1, 1e-12);
  for (int j = 0; j < P; ++j) {
    double product = 0, length = 0, root = 0;
    for (int i = 0; i < N; ++i) product += left[i] * kept[j][i];
    for (int i = 0; i < N; ++i) length += kept[j][i] * kept[j][i];
    for (int i = 0; i <= j; ++i) root += triangle[j][i] * triangle[j][i];
    for (int i = j + 1; i <= P; ++i) assert_true(triangle[j][i] == 0);
    assert_near(product, 0, 1e-10);
    assert_near(root / length, 1, 1e-12);
  }
}

/* R of n rows and then of p more is that of all of them, but for signs of its rows; with fewer rows
 * than columns to begin with, too. What is below the diagonal of the later rows is not read. */
static void rows_can_come_later(void **state) {
  (void)state;
  enum { P = 40, LEAST = 7, N = 90, ALL = N + P };
  static double ab[P + 1][N], all[P + 1][ALL], more[P + 1][P], triangle[P + 1][P + 1],
      whole[P + 1][P + 1];
  for (int n = LEAST; n <= N; n += N - LEAST) {
    double *observed = &ab[0][0], *both = &all[0][0], x[P], y[P];
    gannet_random_normal((gannet_stream){2, GANNET_FOR_TEST, 0, 0}, 0, (size_t)(n * (P + 1)),
                         observed);
    gannet_random_normal((gannet_stream){2, GANNET_FOR_TEST, 0, 1}, 0, P * (P + 1), &more[0][0]);
    for (int j = 0; j <= P; ++j) {
      for (int i = 0; i < n; ++i) both[j * (n + P) + i] = observed[j * n + i];
      for (int i = 0; i < P; ++i) both[j * (n + P) + n + i] = i <= j ? more[j][i] : 0;
      for (int i = j + 1; i < P; ++i) more[j][i] = NAN;
    }
    assert_ok(gannet_least_squares_reduce(n, P, observed, &triangle[0][0]));
    assert_ok(gannet_least_squares_append(P, &triangle[0][0], &more[0][0]));
    assert_ok(gannet_least_squares_reduce(n + P, P, both, &whole[0][0]));
    for (int j = 0; j <= P; ++j)
      for (int i = 0; i <= P; ++i) assert_near(fabs(triangle[j][i]), fabs(whole[j][i]), 1e-11);
    assert_ok(gannet_least_squares_solve(P, &triangle[0][0], x));
    assert_ok(gannet_least_squares_solve(P, &whole[0][0], y));
    for (int j = 0; j < P; ++j) assert_near(x[j], y[j], 1e-10);
  }
}

static void solves_with_r_give_the_inverse_of_the_normal_matrix(void **state) {
  (void)state;
  double ab[9] = {1, 2, 0.5, -1, 3, 1}; /* columns (1, 2, 0.5), (-1, 3, 1), and 0 */
  double triangle[9], e[2] = {1, 0};
  assert_ok(gannet_least_squares_reduce(3, 2, ab, triangle));
  gannet_least_squares_forward(2, triangle, e);
  gannet_least_squares_backward(2, triangle, e);
  const double aa = 1 + 4 + 0.25, mixed = -1 + 6 + 0.5, bb = 1 + 9 + 1,
               det = aa * bb - mixed * mixed;
  assert_near(e[0], bb / det, 1e-14);
  assert_near(e[1], -mixed / det, 1e-14);
}

static void columns_that_rows_cannot_tell_apart_are_refused(void **state) {
  (void)state;
  const double a[2] = {1, 1};
  double b[2] = {1}, rest = 0;
  assert_fails(GANNET_ERR_NUMERIC, "not finite", minimise(1, 2, a, b, &rest));
}

static void what_is_no_number_is_refused(void **state) {
  (void)state;
  double a[4] = {1, NAN, 1, 1}, b[4] = {1, 2, 3, 6}, rest = 0;
  assert_fails(GANNET_ERR_NUMERIC, "not finite", minimise(4, 1, a, b, &rest));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(badly_scaled_columns_are_recovered),
      cmocka_unit_test(the_residual_is_told),
      cmocka_unit_test(sizes_do_not_matter),
      cmocka_unit_test(what_is_left_is_orthogonal_to_the_columns),
      cmocka_unit_test(rows_can_come_later),
      cmocka_unit_test(solves_with_r_give_the_inverse_of_the_normal_matrix),
      cmocka_unit_test(columns_that_rows_cannot_tell_apart_are_refused),
      cmocka_unit_test(what_is_no_number_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
