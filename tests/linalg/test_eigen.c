/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "linalg/eigen.h"

static void vectors_and_values_make_the_matrix_again(void **state) {
  (void)state;
  const double matrix[9] = {4, 1, -2, 1, 1e-6, 0.5, -2, 0.5, -3};
  double v[9], l[3];
  memcpy(v, matrix, sizeof v);
  assert_ok(gannet_eigen_symmetric(3, v, l));
  assert_true(l[0] < l[1] && l[1] < l[2]);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double product = 0, inner = 0;
      for (int k = 0; k < 3; ++k) {
        product += v[k * 3 + i] * l[k] * v[k * 3 + j];
        inner += v[i * 3 + k] * v[j * 3 + k];
      }
      assert_near(product, matrix[i * 3 + j], 1e-14);
      assert_near(inner, i == j, 1e-14);
    }
}

static void a_matrix_that_is_not_finite_is_an_error(void **state) {
  (void)state;
  double a[4] = {1, NAN, NAN, 1}, l[2];
  assert_int_equal(gannet_eigen_symmetric(2, a, l), GANNET_ERR_NUMERIC);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors_and_values_make_the_matrix_again),
      cmocka_unit_test(a_matrix_that_is_not_finite_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
