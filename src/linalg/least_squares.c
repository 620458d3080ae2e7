#include "linalg/least_squares.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>

#include "base/memory.h"

/* Without the search for numbers that are not, which takes a tenth of the time of small systems:
 * the solution tells. */
static gannet_err solve(int n, int p, double *a, double *b) {
  double length = 0, *work = NULL;
  int info = LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', n, p, 1, a, n, b, n, &length, -1);
  if (info == 0) {
    GANNET_TRY(gannet_alloc((size_t)length, sizeof *work, &work));
    info = LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', n, p, 1, a, n, b, n, work, (int)length);
    gannet_free(&work);
  }
  GANNET_REQUIRE(info == 0, GANNET_ERR_NUMERIC, "least squares: dgels returned %d", info);
  return GANNET_OK;
}

gannet_err gannet_least_squares(int n, int p, double *a, double *b, double *rest) {
  GANNET_REQUIRE(1 <= p && p <= n, GANNET_ERR_SHAPE, "least squares with %d rows, %d columns", n,
                 p);
  GANNET_TRY(solve(n, p, a, b));
  *rest = cblas_ddot(n - p, b + p, 1, b + p, 1);
  GANNET_REQUIRE(isfinite(cblas_dasum(p, b, 1)), GANNET_ERR_NUMERIC,
                 "least squares: a number is not finite");
  return GANNET_OK;
}

void gannet_least_squares_backward(int n, int p, const double *a, double *x) {
  cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, p, a, n, x, 1);
}

void gannet_least_squares_forward(int n, int p, const double *a, double *x) {
  cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, p, a, n, x, 1);
}
