/* test: serial labels unit */
#include "support/harness.h"

#include "gannet/gannet.h"

static void the_version_is_that_of_the_headers(void **state) {
  (void)state;
  assert_string_equal(gannet_version(), GANNET_VERSION);
}

static void structures_have_the_sizes_of_the_headers(void **state) {
  (void)state;
  assert_int_equal(gannet_struct_size("gannet_variable"), sizeof(gannet_variable));
  assert_int_equal(gannet_struct_size("gannet_problem_spec"), sizeof(gannet_problem_spec));
  assert_int_equal(gannet_struct_size("gannet_method_setting"), sizeof(gannet_method_setting));
  assert_int_equal(gannet_struct_size("gannet_result"), sizeof(gannet_result));
  assert_int_equal(gannet_struct_size("gannet_physics_spec"), sizeof(gannet_physics_spec));
  assert_int_equal(gannet_struct_size("gannet_simulation_output"),
                   sizeof(gannet_simulation_output));
}

static void other_names_have_no_size(void **state) {
  (void)state;
  assert_int_equal(gannet_struct_size("gannet_optimizer"), 0);
  assert_int_equal(gannet_struct_size("gannet_resul"), 0);
  assert_int_equal(gannet_struct_size(""), 0);
  assert_int_equal(gannet_struct_size(NULL), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_version_is_that_of_the_headers),
      cmocka_unit_test(structures_have_the_sizes_of_the_headers),
      cmocka_unit_test(other_names_have_no_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
