/* test: ranks 1 labels unit */
#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "gannet/simulation.h"

static gannet_simulate_function load(void **library) {
  gannet_simulate_function function = NULL;
  *library = dlopen(GANNET_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (!*library) fail_msg("%s", dlerror());
  void *symbol = dlsym(*library, "gannet_simulate");
  assert_non_null(symbol);
  memcpy(&function, &symbol, sizeof function);
  return function;
}

static void the_example_plugin_follows_the_interface(void **state) {
  (void)state;
  void *library = NULL;
  const gannet_simulate_function simulate = load(&library);
  static const char *const names[3] = {"a", "forbidden", "crash"};
  static const char *const texts[3] = {"", "", ""};
  double x[3] = {1.3, -0.7, 0.3}, c = 7;
  static const char *const constraint = "side";
  gannet_simulation_input input = {.abi = GANNET_SIMULATION_ABI,
                                   .comm = MPI_COMM_SELF,
                                   .attempt = 1,
                                   .n_variables = 3,
                                   .names = names,
                                   .x = x,
                                   .texts = texts,
                                   .n_constraints = 1,
                                   .constraint_names = &constraint};
  gannet_simulation_output output = {.constraints = &c, .reason = "old", .cannot_run = 5};
  assert_int_equal(simulate(&input, &output), 0);
  assert_near(output.objective, 2, 1e-15);
  assert_near(c, 0.3, 1e-15);
  assert_int_equal(output.cannot_run, 0);
  assert_string_equal(output.reason, "");
  x[1] = 0.1;
  assert_int_equal(simulate(&input, &output), 0);
  assert_true(output.cannot_run);
  x[2] = 0.6;
  assert_int_not_equal(simulate(&input, &output), 0);
  assert_true(strstr(output.reason, "crashed") != NULL);
  input.abi += 1;
  assert_int_not_equal(simulate(&input, &output), 0);
  assert_true(strstr(output.reason, "interface") != NULL);
  assert_int_equal(dlclose(library), 0);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_example_plugin_follows_the_interface)};
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
