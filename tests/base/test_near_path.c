/* test: serial labels unit */
#include "support/harness.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/near_path.h"

static void expect_near(const char *folder, const char *path, const char *expected) {
  char near[200];
  gannet_find_near_path(folder, path, near, sizeof near);
  assert_string_equal(near, expected);
}

static void the_first_part_that_is_missing_is_replaced(void **state) {
  char folder[] = "/tmp/gannet-near-XXXXXX", name[200], path[200];
  (void)state;
  assert_non_null(mkdtemp(folder));
  (void)snprintf(name, sizeof name, "%s/solvers", folder);
  assert_int_equal(mkdir(name, 0755), 0);
  (void)snprintf(name, sizeof name, "%s/solvers/heat.py", folder);
  assert_int_equal(mkdir(name, 0755), 0);
  expect_near(folder, "solver/heat.py", "solvers/heat.py");
  expect_near(folder, "solvers/haet.py", "solvers/heat.py");
  expect_near("/none", "solvers/haet.py", "");
  expect_near(folder, "q", "");
  expect_near(folder, "quite-another-name", "");
  expect_near(folder, "solvers", "");
  (void)snprintf(path, sizeof path, "%s/solvers/hea.py", folder);
  expect_near("/none", path, name);
  assert_int_equal(rmdir(name), 0);
  (void)snprintf(name, sizeof name, "%s/solvers", folder);
  assert_int_equal(rmdir(name), 0);
  assert_int_equal(rmdir(folder), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_part_that_is_missing_is_replaced)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
