/* test: ranks 2 labels unit timeout 60 processors 1 */
/* Ranks come to their first optimiser with different communicators. Nothing here initialises PETSc,
 * as in a program that does not use it. */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "gannet/gannet.h"

/* What an optimiser on this communicator proposes first. x: [1] */
static void ask(MPI_Comm comm, double *x) {
  static const gannet_variable variable = {"x", GANNET_VARIABLE_REAL, 0, 1, GANNET_SCALE_LINEAR, 0,
                                           NULL};
  const gannet_problem_spec spec = {1, &variable, 0, NULL, GANNET_MINIMIZE, NAN};
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_rank_may_begin_alone),
  };
  if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  (void)MPI_Finalize();
  return failed;
}
