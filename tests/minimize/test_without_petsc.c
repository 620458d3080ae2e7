/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "minimize/minimize.h"

static gannet_err square(void *user, int n, const double *x, double *value, double *gradient) {
  (void)user;
  (void)n;
  *value = x[0] * x[0];
  gradient[0] = 2 * x[0];
  return GANNET_OK;
}

static void a_program_that_forgot_petsc_is_told(void **state) {
  (void)state;
  double x = 3;
  gannet_minimize_result result;
  const gannet_minimize_options options = {10, 0, 0};
  assert_fails(GANNET_ERR_STATE, "PETSc is not initialised",
               gannet_minimize(1, &x, NULL, NULL, square, NULL, &options, &result));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_program_that_forgot_petsc_is_told),
  };
  return run_serial(tests);
}
