/* test: ranks 2 labels unit timeout 60 processors 1 */
/* Ranks come to their first optimiser with different communicators. Nothing here initialises PETSc,
 * as in a program that does not use it. */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "gannet/gannet.h"

/* What an optimiser on this communicator proposes first. x: [1] */
static void ask(MPI_Comm comm, double *x) {
  static const gannet_variable variable = {.name = "x", .lower = 0, .upper = 1};
  const gannet_problem_spec spec = {.n_variables = 1, .variables = &variable, .noise_sd = NAN};
  gannet_context *context = NULL;
  gannet_problem *problem = NULL;
  gannet_optimizer *optimizer = NULL;
  int64_t id = -1;
  assert_ok(gannet_context_create(comm, 1, &context));
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_ok(gannet_optimizer_create(context, problem, 0, NULL, &optimizer));
  assert_ok(gannet_optimizer_ask(optimizer, 1, &id, x));
  gannet_optimizer_destroy(&optimizer);
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&context);
}

static void one_rank_may_begin_alone(void **state) {
  (void)state;
  double alone = NAN, together = NAN;
  int rank = 0;
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) ask(MPI_COMM_SELF, &alone);
  ask(MPI_COMM_WORLD, &together);
  if (rank == 0) assert_true(alone == together);
}

/* Sums would be those of the other group, and broadcasts reach nobody. */
static void groups_that_face_each_other_are_refused(void **state) {
  (void)state;
  const gannet_variable variable = {.name = "x", .lower = 0, .upper = 1};
  const gannet_problem_spec spec = {.n_variables = 1, .variables = &variable, .noise_sd = NAN};
  const double x = 0.5;
  MPI_Comm facing = MPI_COMM_NULL, merged = MPI_COMM_NULL;
  gannet_context *context = NULL;
  gannet_problem *problem = NULL;
  double proposed = NAN;
  int rank = 0;
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  assert_int_equal(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 3, &facing),
                   MPI_SUCCESS);
  assert_fails(GANNET_ERR_ARG, "MPI_Intercomm_merge", gannet_context_create(facing, 1, &context));
  assert_fails(GANNET_ERR_ARG, "inter-communicator",
               gannet_context_create_fortran((int)MPI_Comm_c2f(facing), 1, &context));
  assert_null(context);
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_fails(GANNET_ERR_ARG, "inter-communicator",
               gannet_problem_set_candidates(problem, facing, 1, &x));
  gannet_problem_destroy(&problem);
  assert_int_equal(MPI_Intercomm_merge(facing, rank, &merged), MPI_SUCCESS);
  ask(merged, &proposed);
  assert_true(proposed >= 0 && proposed <= 1);
  (void)MPI_Comm_free(&merged);
  (void)MPI_Comm_free(&facing);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_rank_may_begin_alone),
      cmocka_unit_test(groups_that_face_each_other_are_refused),
  };
  if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  (void)MPI_Finalize();
  return failed;
}
