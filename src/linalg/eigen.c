#include "linalg/eigen.h"

#include <lapacke.h>
#include <math.h>

#include "base/memory.h"

gannet_err gannet_eigen_symmetric(int d, double *a, double *values) {
  double length = 0, *work = NULL;
  for (int i = 0; i < d * d; ++i)
    GANNET_REQUIRE(isfinite(a[i]), GANNET_ERR_NUMERIC, "eigenvalues: entry %d of %d x %d is %g", i,
                   d, d, a[i]);
  /* The matrix is symmetric, so its columns may be its rows; so are those of the vectors. */
  int info = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', d, a, d, values, &length, -1);
  if (info == 0) {
    GANNET_TRY(gannet_alloc((size_t)length, sizeof *work, &work));
    info = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', d, a, d, values, work, (int)length);
    gannet_free(&work);
  }
  GANNET_REQUIRE(info == 0, GANNET_ERR_NUMERIC, "eigenvalues: dsyev returned %d", info);
  return GANNET_OK;
}
