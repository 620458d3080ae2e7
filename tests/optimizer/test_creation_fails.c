/* test: ranks 2 3 labels unit timeout 300 */
/* One rank has no memory for some allocation of a new optimiser: all ranks learn of it, and none
 * waits for ever. */
#include <mpi.h>
#include <string.h>

#include "support/allocations.h"

#include "optimizer/fixture.h"

static const gannet_variable variables[] = {
    {.name = "x", .lower = 0, .upper = 1},
    {.name = "y", .lower = 0, .upper = 1},
};
static const gannet_constraint bound[] = {{"c", -INFINITY, 1}};
static const gannet_problem_spec spec = {
    .n_variables = 2, .variables = variables, .n_constraints = 1, .constraints = bound};

static void add_equation(gannet_problem *problem) {
  static const char *const twice[] = {"x", "x"};
  static const gannet_physics_term term = {NULL, 2, twice};
  static const gannet_physics_equation equation = {.n_terms = 1, .terms = &term, .rhs = "2"};
  const gannet_physics_spec physics = {.n_equations = 1, .equations = &equation, .points = 40};
  assert_ok(gannet_problem_set_physics(problem, &physics));
}

/* Allocation k of the last rank fails.
 *
 * Returns whether there was one.
 */
static bool fail_once(fixture *f, const char *method, long k) {
  const gannet_method_setting settings[] = {{"method", method}};
  int rank = 0, np = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  until_failure = rank == np - 1 ? k : 0;
  const gannet_err err =
      gannet_optimizer_create(f->context, f->problem, 1, settings, &f->optimizer);
  bool reached = rank == np - 1 && until_failure == 0;
  until_failure = 0;
  MPI_Bcast(&reached, 1, MPI_C_BOOL, np - 1, MPI_COMM_WORLD);
  assert_int_equal(err, reached ? GANNET_ERR_MEMORY : GANNET_OK);
  assert_true(reached == !f->optimizer);
  gannet_optimizer_destroy(&f->optimizer);
  return reached;
}

static void check(const char *method, bool governed) {
  fixture f = {0};
  long k = 1;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  if (governed) add_equation(f.problem);
  while (fail_once(&f, method, k)) ++k;
  assert_true(k > 20);
  drop(&f);
}

static void of_one_member(void **state) {
  (void)state;
  check("gp-ts", false);
}

static void of_a_portfolio(void **state) {
  (void)state;
  check("auto", false);
}

static void with_equations(void **state) {
  (void)state;
  check("pinn-bo", true);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_one_member),
      cmocka_unit_test(of_a_portfolio),
      cmocka_unit_test(with_equations),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  (void)MPI_Finalize();
  return failed;
}
