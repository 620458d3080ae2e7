/* test: ranks 2 3 4 labels unit timeout 300 */
/* With histories so long that ranks share solves for pivots, they propose what one rank does, bit
 * for bit. */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "optimizer/fixture.h"

#include "base/node.h"

enum { D = 3, Q = 3, TOLD = 820 };

static int nodes = 1;

/* In place of the library's: ranks of one machine seem to be on several, which share no memory. */
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part) {
  int rank = 0;
  if (nodes == 1) return PMPI_Comm_split_type(comm, type, key, info, part);
  (void)MPI_Comm_rank(comm, &rank);
  return MPI_Comm_split(comm, rank % nodes, key, part);
}

static const gannet_variable variables[D] = {
    {.name = "a", .lower = 0, .upper = 1},
    {.name = "b", .lower = 0, .upper = 1},
    {.name = "c", .type = GANNET_VARIABLE_INTEGER, .lower = 0, .upper = 9},
};
static const gannet_constraint bound[] = {{"g", -INFINITY, 0.2}};

static void tell(fixture *f, int constraints) {
  static double unit[TOLD * D];
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 2, 9}, 0, TOLD * D, unit);
  for (int i = 0; i < TOLD; ++i) {
    const double *u = unit + (size_t)i * D, x[D] = {u[0], u[1], floor(10 * u[2])};
    const double g = x[0] - x[1];
    const gannet_result result = {.objective = sin(5 * x[0]) * x[1] + 0.1 * x[2],
                                  .constraints = constraints ? &g : NULL};
    assert_ok(gannet_optimizer_tell_point(f->optimizer, x, &result, NULL));
  }
}

/* x: [Q][D], proposed by ranks that each seem to have a processor, or not. */
static void propose(MPI_Comm comm, const char *method, int constraints, bool crowded, double *x) {
  const gannet_method_setting settings[] = {
      {"method", method}, {"search.candidates", "600"}, {"surrogate.fit_evaluations", "4"}};
  const gannet_problem_spec spec = {.n_variables = D,
                                    .variables = variables,
                                    .n_constraints = constraints,
                                    .constraints = bound,
                                    .noise_sd = NAN};
  fixture f = {0};
  int64_t ids[Q];
  assert_ok(gannet_context_create(comm, 5, &f.context));
  if (f.context->node) f.context->node->meeting->crowded = crowded;
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 3, settings, &f.optimizer));
  tell(&f, constraints);
  assert_ok(gannet_optimizer_ask(f.optimizer, Q, ids, x));
  drop(&f);
}

static void compare(const char *method, int constraints) {
  double alone[Q * D], apart[Q * D], together[Q * D], by_nodes[Q * D];
  propose(MPI_COMM_SELF, method, constraints, false, alone);
  propose(MPI_COMM_WORLD, method, constraints, true, apart);
  propose(MPI_COMM_WORLD, method, constraints, false, together);
  nodes = 2; /* of which one may have a single rank */
  propose(MPI_COMM_WORLD, method, constraints, false, by_nodes);
  nodes = 1;
  assert_memory_equal(alone, apart, sizeof alone);
  assert_memory_equal(alone, together, sizeof alone);
  assert_memory_equal(alone, by_nodes, sizeof alone);
}

static void improvement_of_a_process(void **state) {
  (void)state;
  compare("gp-ei", 0);
}

static void improvement_of_a_tangent_kernel(void **state) {
  (void)state;
  compare("neural-ei", 0);
}

/* Whose polish asks for conditions, too. */
static void bounds_of_a_constraint(void **state) {
  (void)state;
  compare("neural-cbo", 1);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(improvement_of_a_process),
      cmocka_unit_test(improvement_of_a_tangent_kernel),
      cmocka_unit_test(bounds_of_a_constraint),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  (void)MPI_Finalize();
  return failed;
}
