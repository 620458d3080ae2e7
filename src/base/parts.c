#include "base/parts.h"

#include "base/memory.h"

/* Numbers of one reduction, whose count is an int. */
enum { AT_ONCE = 1 << 28 };

gannet_err gannet_parts_share(int parts, const double *cost, int np, int *owner) {
  double *load = NULL;
  GANNET_TRY(gannet_alloc((size_t)np, sizeof *load, &load));
  for (int k = 0; k < parts; ++k) {
    int least = 0;
    for (int r = 1; r < np; ++r)
      if (load[r] < load[least]) least = r;
    owner[k] = least;
    load[least] += cost[k];
  }
  gannet_free(&load);
  return GANNET_OK;
}

gannet_err gannet_parts_gather(MPI_Comm comm, size_t n, double *values) {
  for (size_t done = 0; done < n; done += AT_ONCE) {
    const size_t some = n - done < AT_ONCE ? n - done : AT_ONCE;
    GANNET_TRY_MPI(
        MPI_Allreduce(MPI_IN_PLACE, values + done, (int)some, MPI_UINT64_T, MPI_BOR, comm));
  }
  return GANNET_OK;
}
