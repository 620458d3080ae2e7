/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "benchmark/rates.h"
#include "support/harness.h"

static void growth_is_the_exponent(void **state) {
  (void)state;
  assert_near(bench_growth(500, 0.125, 2000, 2), 2, 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(growth_is_the_exponent),
  };
  return run_serial(tests);
}
