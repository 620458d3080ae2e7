#include "benchmark/memory.h"

#include "base/memory.h"

static gannet_err sum_over_node(MPI_Comm comm, double *bytes) {
  MPI_Comm node = MPI_COMM_NULL;
  GANNET_TRY_MPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  const int code = MPI_Allreduce(MPI_IN_PLACE, bytes, 1, MPI_DOUBLE, MPI_SUM, node);
  (void)MPI_Comm_free(&node);
  GANNET_TRY_MPI(code);
  return GANNET_OK;
}

static gannet_err check(double bytes, const char *what, const char *advice) {
  double present = 0;
  GANNET_REQUIRE(gannet_memory_holds(bytes, &present), GANNET_ERR_MEMORY,
                 "%s would take %.1f GB on all ranks of a machine, and this one has %.1f GB: %s",
                 what, bytes / 1e9, present / 1e9, advice);
  return GANNET_OK;
}

gannet_err bench_memory_check(const bench_world *world, double bytes, const char *what,
                              const char *advice) {
  GANNET_TRY(sum_over_node(world->comm, &bytes));
  return gannet_agree(world->comm, check(bytes, what, advice));
}
