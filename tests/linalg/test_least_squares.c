/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"

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
      cmocka_unit_test(solves_with_r_give_the_inverse_of_the_normal_matrix),
      cmocka_unit_test(too_few_rows_are_refused),
      cmocka_unit_test(what_is_no_number_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
