#include "base/partition.h"

#include <limits.h>
#include <stdint.h>

#include "base/memory.h"

enum {
  AT_ONCE = 1 << 28
}; /* most numbers of a reduction, or bytes of a broadcast: counts are ints */

gannet_err gannet_partition_assign(int parts, const double *cost, int np, int *owner) {
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

gannet_err gannet_partition_gather(MPI_Comm comm, size_t n, double *values) {
  for (size_t done = 0; done < n; done += AT_ONCE) {
    const size_t some = n - done < AT_ONCE ? n - done : AT_ONCE;
    GANNET_TRY_MPI(
        MPI_Allreduce(MPI_IN_PLACE, values + done, (int)some, MPI_UINT64_T, MPI_BOR, comm));
  }
  return GANNET_OK;
}

gannet_err gannet_bytes_broadcast(MPI_Comm comm, int root, size_t size, void *bytes) {
  for (size_t done = 0; done < size; done += AT_ONCE) {
    const size_t some = size - done < AT_ONCE ? size - done : AT_ONCE;
    GANNET_TRY_MPI(MPI_Bcast((char *)bytes + done, (int)some, MPI_BYTE, root, comm));
  }
  return GANNET_OK;
}

void gannet_partition_cut(int pieces, const int *begin, const double *cost, int np, int *first) {
  double total = 0, before = 0;
  int piece = 0;
  for (int k = 0; k < pieces; ++k) total += cost[k];
  for (int r = 0; r < np; ++r) {
    const double fair = total * r / np;
    while (piece < pieces && before + 0.5 * cost[piece] < fair) before += cost[piece++];
    first[r] = begin[piece];
  }
  first[np] = begin[pieces];
}

/* counts: [np] workspace */
static gannet_err gather_rows(MPI_Comm comm, const int *first, int np, int *counts, size_t bytes,
                              void *rows) {
  const size_t words = bytes / sizeof(uint64_t);
  MPI_Datatype row = MPI_DATATYPE_NULL;
  for (int r = 0; r < np; ++r) counts[r] = first[r + 1] - first[r];
  GANNET_REQUIRE(words * sizeof(uint64_t) == bytes && words <= INT_MAX, GANNET_ERR_SHAPE,
                 "rows of %zu bytes", bytes);
  GANNET_TRY_MPI(MPI_Type_contiguous((int)words, MPI_UINT64_T, &row));
  GANNET_TRY_MPI(MPI_Type_commit(&row));
  const int mpi = MPI_Allgatherv(MPI_IN_PLACE, 0, row, rows, counts, first, row, comm);
  MPI_Type_free(&row);
  GANNET_TRY_MPI(mpi);
  return GANNET_OK;
}

gannet_err gannet_partition_gather_rows(MPI_Comm comm, const int *first, size_t bytes, void *rows) {
  int np = 0, *counts = NULL;
  GANNET_TRY_MPI(MPI_Comm_size(comm, &np));
  GANNET_TRY(gannet_alloc_on_all(comm, (size_t)np, sizeof *counts, &counts));
  const gannet_err code = gather_rows(comm, first, np, counts, bytes, rows);
  gannet_free(&counts);
  return code;
}
