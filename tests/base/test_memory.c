/* test: serial labels unit */
/* Memory that is not there is refused before it is taken. */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "base/memory.h"
#include "base/resources.h"

static double left = INFINITY;

/* In place of the library's: a machine that has little left. */
double gannet_memory_left(void) {
  return left;
}

void gannet_memory_of_machine(double *available, double *total) {
  *available = left;
  *total = 24e9;
}

static void expect(size_t bytes, gannet_err code) {
  char *memory = NULL;
  assert_int_equal(gannet_alloc(bytes, 1, &memory), code);
  assert_true((memory != NULL) == (code == GANNET_OK));
  gannet_free(&memory);
}

static void what_is_not_left_is_refused(void **state) {
  (void)state;
  expect(300000000, GANNET_OK);
  left = 290e6;
  expect(300000000, GANNET_ERR_MEMORY);
  assert_non_null(strstr(gannet_error_message(), "300000000 bytes, and only 0.3 GB are left"));
  expect(280000000, GANNET_OK);
  left = 0;
  expect(1000, GANNET_OK);
}

static void a_refused_resize_keeps_what_there_is(void **state) {
  (void)state;
  char *memory = NULL;
  left = 0;
  assert_ok(gannet_alloc(3, 1, &memory));
  memory[2] = 'x';
  assert_int_equal(gannet_resize(3, 300000000, 1, &memory), GANNET_ERR_MEMORY);
  assert_int_equal(memory[2], 'x');
  gannet_free(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_not_left_is_refused),
      cmocka_unit_test(a_refused_resize_keeps_what_there_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
