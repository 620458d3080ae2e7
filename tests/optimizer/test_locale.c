/* test: serial labels unit */
/* A program whose numbers have a decimal comma uses the library like any other. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "optimizer/fixture.h"
#include "support/folder.h"

#include "gannet/gannet.h"
#include "gannet/physics.h"

static void assert_comma(void) {
  char half[8];
  (void)snprintf(half, sizeof half, "%g", 0.5);
  assert_string_equal(half, "0,5");
}

/* Made here, as a system need not have any; false where it cannot be. */
static bool begin_comma(void) {
  char command[PATH_MAX + 80];
  (void)snprintf(command, sizeof command,
                 "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1", folder);
  (void)!system(command); /* ends with 1 after mere warnings */
  assert_int_equal(setenv("LOCPATH", folder, 1), 0);
  return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void begin(fixture *f) {
  static const gannet_variable variable = {.name = "x", .lower = -0.5, .upper = 1};
  static const gannet_method_setting settings[] = {{"initial", "2"}, {"initial_span", "0.75"}};
  const gannet_problem_spec spec = {.n_variables = 1, .variables = &variable, .noise_sd = NAN};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 1, &f->context));
  assert_ok(gannet_problem_create(&spec, &f->problem));
  assert_ok(gannet_optimizer_create(f->context, f->problem, 2, settings, &f->optimizer));
}

static void a_decimal_comma_of_the_program_does_not_matter(void **state) {
  (void)state;
  fixture f = {0};
  double x = NAN;
  int64_t id = -1;
  if (!begin_comma()) skip();
  assert_comma();
  begin(&f);
  for (int i = 0; i < 5; ++i) {
    assert_ok(gannet_optimizer_ask(f.optimizer, 1, &id, &x));
    const gannet_result result = {.id = id, .outcome = GANNET_RESULT_OK, .objective = x * x};
    assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
  }
  assert_comma();
  drop(&f);
}

static void mistakes_are_told_with_points(void **state) {
  (void)state;
  gannet_problem *problem = NULL;
  static const gannet_variable variable = {.name = "x", .lower = 1.5, .upper = 0.5};
  const gannet_problem_spec spec = {.n_variables = 1, .variables = &variable, .noise_sd = NAN};
  if (!setlocale(LC_ALL, "de_DE.UTF-8")) skip();
  assert_fails(GANNET_ERR_INPUT, "1.5", gannet_problem_create(&spec, &problem));
  assert_comma();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_decimal_comma_of_the_program_does_not_matter),
      cmocka_unit_test(mistakes_are_told_with_points),
  };
  if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return 1;
  const int failed = cmocka_run_group_tests(tests, make_folder, remove_folder);
  (void)MPI_Finalize();
  return failed;
}
