/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "base/random.h"
#include "linalg/least_squares.h"

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
  assert_ok(gannet_least_squares(N, P, a, b, &rest));
  assert_near(b[0], 3, 1e-9);
  assert_near(b[1], -2, 1e-12);
  assert_near(b[2], 1e-6, 1e-15);
  assert_near(rest, 0, 1e-16);
}

/* Residual of the mean: the sum of squared deviations. */
static void the_residual_is_told(void **state) {
  (void)state;
  double a[4] = {1, 1, 1, 1}, b[4] = {1, 2, 3, 6}, rest = 0;
  assert_ok(gannet_least_squares(4, 1, a, b, &rest));
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
    assert_ok(gannet_least_squares(3, 2, a, b, &rest));
    assert_near(b[0] * size, 0.875, 1e-14); /* 3.25 - 2.375 */
    assert_near(b[1] * size, 2.375, 1e-14); /* (5.75 - 1) / 2 */
    assert_near(rest, 0.09375, 1e-14);      /* (0.125, -0.25, 0.125) squared */
  }
  double a[2] = {1, 2}, b[2] = {0, 0}, rest = -1;
  assert_ok(gannet_least_squares(2, 1, a, b, &rest));
  assert_true(b[0] == 0 && rest == 0);
}

/* Of a size for which LAPACK works by blocks: what is left is orthogonal to the columns, and R of
 * the size of what it is a root of. */
static void what_is_left_is_orthogonal_to_the_columns(void **state) {
  (void)state;
  enum { N = 300, P = 170 };
  static double a[P][N], kept[P][N], b[N], left[N];
  double rest = 0, squares = 0;
  gannet_random_normal((gannet_stream){1, GANNET_FOR_TEST, 0, 0}, 0, (size_t)N * P, &a[0][0]);
  gannet_random_normal((gannet_stream){1, GANNET_FOR_TEST, 0, 1}, 0, N, b);
  memcpy(kept, a, sizeof kept);
  memcpy(left, b, sizeof left);
  assert_ok(gannet_least_squares(N, P, &a[0][0], b, &rest));
  for (int j = 0; j < P; ++j)
    for (int i = 0; i < N; ++i) left[i] -= kept[j][i] * b[j];
  for (int i = 0; i < N; ++i) squares += left[i] * left[i];
  assert_near(rest / squares, 1, 1e-12);
  for (int j = 0; j < P; ++j) {
    double product = 0, length = 0, root = 0;
    for (int i = 0; i < N; ++i) product += left[i] * kept[j][i];
    for (int i = 0; i < N; ++i) length += kept[j][i] * kept[j][i];
    for (int i = 0; i <= j; ++i) root += a[j][i] * a[j][i];
    assert_near(product, 0, 1e-10);
    assert_near(root / length, 1, 1e-12);
  }
}

static void solves_with_r_give_the_inverse_of_the_normal_matrix(void **state) {
  (void)state;
  const double given[6] = {1, 2, 0.5, -1, 3, 1}; /* columns (1, 2, 0.5), (-1, 3, 1) */
  double a[6], b[3] = {0}, rest = 0, e[2] = {1, 0};
  for (int i = 0; i < 6; ++i) a[i] = given[i];
  assert_ok(gannet_least_squares(3, 2, a, b, &rest));
  gannet_least_squares_forward(3, 2, a, e);
  gannet_least_squares_backward(3, 2, a, e);
  const double aa = 1 + 4 + 0.25, ab = -1 + 6 + 0.5, bb = 1 + 9 + 1, det = aa * bb - ab * ab;
  assert_near(e[0], bb / det, 1e-14);
  assert_near(e[1], -ab / det, 1e-14);
}

static void too_few_rows_are_refused(void **state) {
  (void)state;
  double a[2] = {1, 1}, b[1] = {1}, rest = 0;
  assert_fails(GANNET_ERR_SHAPE, "1 rows, 2 columns", gannet_least_squares(1, 2, a, b, &rest));
}

static void what_is_no_number_is_refused(void **state) {
  (void)state;
  double a[4] = {1, NAN, 1, 1}, b[4] = {1, 2, 3, 6}, rest = 0;
  assert_fails(GANNET_ERR_NUMERIC, "not finite", gannet_least_squares(4, 1, a, b, &rest));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(badly_scaled_columns_are_recovered),
      cmocka_unit_test(the_residual_is_told),
      cmocka_unit_test(sizes_do_not_matter),
      cmocka_unit_test(what_is_left_is_orthogonal_to_the_columns),
      cmocka_unit_test(solves_with_r_give_the_inverse_of_the_normal_matrix),
      cmocka_unit_test(too_few_rows_are_refused),
      cmocka_unit_test(what_is_no_number_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
