/* test: ranks 1 2 labels unit timeout 60 */
/* Where an address space leaves no room for the buffer of BLAS, which would be asked for without
 * end in the middle of a proposal, all ranks learn of it at the beginning. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "optimizer/fixture.h"

/* Bytes of addresses that this process has; 0 = unknown. */
static size_t addresses(void) {
  char line[256];
  size_t kilobytes = 0;
  FILE *file = fopen("/proc/self/status", "re");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "VmSize: %zu", &kilobytes) == 1) break;
  if (file) (void)fclose(file);
  return 1024 * kilobytes;
}

static void creating_fails_on_all_ranks(void **state) {
  (void)state;
  static const gannet_variable x = {.name = "x", .lower = 0, .upper = 1};
  const gannet_problem_spec spec = {.n_variables = 1, .variables = &x};
  struct rlimit before, less;
  fixture f = {0};
  int rank = 0, np = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
  less = before;
  less.rlim_cur = addresses() + (64 << 20);
  const int limited = rank < np - 1 || less.rlim_cur >= (size_t)1 << 40 /* sanitizers */
                          ? 0
                          : setrlimit(RLIMIT_AS, &less) == 0;
  int any = limited;
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  const gannet_err err = gannet_optimizer_create(f.context, f.problem, 0, NULL, &f.optimizer);
  assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
  if (any)
    assert_fails(GANNET_ERR_MEMORY, "the buffer of BLAS", err);
  else
    assert_ok(err);
  drop(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(creating_fails_on_all_ranks),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  (void)MPI_Finalize();
  return failed;
}
