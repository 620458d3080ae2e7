/* Solving for many right-hand sides that all ranks have and want, by some of them each. */
#include "base/memory.h"
#include "base/parts.h"
#include "linalg/cholesky.h"

typedef void (*half)(const gannet_cholesky *factor, int m, double *b, int ldb);

/* Runs of whole eights, as few lanes take as long: first [np + 1] */
static void cut(int m, int np, int *first) {
  enum { LEAST = 8 };
  for (int r = 0; r <= np; ++r) {
    const int64_t at = ((int64_t)m * r / np + LEAST / 2) / LEAST * LEAST;
    first[r] = r == np || at > m ? m : (int)at;
  }
}

static gannet_err solve(const gannet_cholesky *factor, MPI_Comm comm, half way, int m, double *b) {
  const int n = gannet_cholesky_size(factor);
  int np = 0, rank = 0, *first = NULL;
  GANNET_TRY_MPI(MPI_Comm_size(comm, &np));
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  GANNET_TRY(gannet_agree(comm, gannet_alloc((size_t)np + 1, sizeof *first, &first)));
  cut(m, np, first);
  way(factor, first[rank + 1] - first[rank], b + (ptrdiff_t)first[rank] * n, n);
  const gannet_err err = gannet_runs_gather(comm, first, (size_t)n * sizeof *b, b);
  gannet_free(&first);
  return err;
}

gannet_err gannet_cholesky_forward_dealt(const gannet_cholesky *factor, MPI_Comm comm, int m,
                                         double *b) {
  return solve(factor, comm, gannet_cholesky_forward, m, b);
}

gannet_err gannet_cholesky_backward_dealt(const gannet_cholesky *factor, MPI_Comm comm, int m,
                                          double *b) {
  return solve(factor, comm, gannet_cholesky_backward, m, b);
}
