/* test: ranks 1 2 labels unit */
/* The loop over candidates allocates no memory: ten times as many take as many allocations, but for
 * those of a rank that helps others for the first time, which is a matter of luck. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

#include "support/allocations.h"
#include "support/harness.h"

#include "optimizer/optimizer.h"

enum { D = 3, Q = 2, TOLD = 30, FEW = 2000, MANY = 20000 };

static void tell_random(gannet_optimizer *optimizer) {
  for (int i = 0; i < TOLD; ++i) {
    double x[D];
    gannet_random_uniform((gannet_stream){5, GANNET_FOR_TEST, 0, 0}, (uint64_t)i * D, D, x);
    const gannet_result result = {.objective = pow(x[0] - 0.3, 2) + sin(3 * x[1]) + x[2]};
    assert_ok(gannet_optimizer_tell_point(optimizer, x, &result, NULL));
  }
}

/* Allocations of one ask, on all ranks: starts of a fit are done by whichever is free. */
static long count(const char *method, int candidates) {
  static const gannet_variable variables[D] = {
      {.name = "a", .lower = 0, .upper = 1},
      {.name = "b", .lower = 0, .upper = 1},
      {.name = "c", .lower = 0, .upper = 1},
  };
  const gannet_problem_spec spec = {.n_variables = D, .variables = variables, .noise_sd = NAN};
  gannet_context *context = NULL;
  gannet_problem *problem = NULL;
  gannet_optimizer *optimizer = NULL;
  int64_t id[Q];
  double x[Q * D];
  char number[16];
  (void)snprintf(number, sizeof number, "%d", candidates);
  const gannet_method_setting settings[] = {
      {"method", method}, {"initial", "1"}, {"search.candidates", number}, {"search.polish", "0"}};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &context));
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_ok(gannet_optimizer_create(context, problem, 4, settings, &optimizer));
  tell_random(optimizer);
  const long before = n_allocated;
  assert_ok(gannet_optimizer_ask(optimizer, Q, id, x));
  const long own = n_allocated - before;
  long all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  gannet_optimizer_destroy(&optimizer);
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&context);
  return all;
}

static void more_candidates_need_no_more_allocations(void **state) {
  (void)state;
  static const char *const methods[] = {"neural-bo", "neural-cbo", "gp-ei", "gp-ts"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
    const long few = count(methods[i], FEW), many = count(methods[i], MANY);
    assert_true(few > 0);
    if (many - few >= (MANY - FEW) / GANNET_TILE)
      fail_msg("%s: %ld allocations for %d candidates, %ld for %d", methods[i], few, FEW, many,
               MANY);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(more_candidates_need_no_more_allocations)};
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  (void)MPI_Finalize();
  return failed;
}
