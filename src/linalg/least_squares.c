#include "linalg/least_squares.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

/* Columns at once: narrower or wider blocks are no faster. */
enum { BLOCK = 16 };

gannet_err gannet_least_squares_reduce(int n, int p, double *ab, double *triangle) {
  const size_t rows = (size_t)n, columns = (size_t)p + 1;
  double length = 0, *work = NULL;
  int info = LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, n, p + 1, ab, n, NULL, &length, -1);
  if (info == 0) {
    GANNET_TRY(gannet_alloc(columns + (size_t)length, sizeof *work, &work));
    info =
        LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, n, p + 1, ab, n, work, work + columns, (int)length);
    gannet_free(&work);
  }
  GANNET_REQUIRE(info == 0, GANNET_ERR_NUMERIC, "least squares: dgeqrf returned %d", info);
  for (size_t j = 0; j < columns; ++j) {
    const size_t own = j + 1 < rows ? j + 1 : rows;
    memcpy(triangle + j * columns, ab + j * rows, own * sizeof *triangle);
    memset(triangle + j * columns + own, 0, (columns - own) * sizeof *triangle);
  }
  return GANNET_OK;
}

gannet_err gannet_least_squares_append(int p, double *triangle, double *more) {
  const int columns = p + 1, block = columns < BLOCK ? columns : BLOCK;
  const size_t length = (size_t)block * (size_t)columns;
  double *work = NULL;
  GANNET_TRY(gannet_alloc(2 * length, sizeof *work, &work));
  const int info = LAPACKE_dtpqrt_work(LAPACK_COL_MAJOR, p, columns, p, block, triangle, columns,
                                       more, p, work, block, work + length);
  gannet_free(&work);
  GANNET_REQUIRE(info == 0, GANNET_ERR_NUMERIC, "least squares: dtpqrt returned %d", info);
  return GANNET_OK;
}

gannet_err gannet_least_squares_solve(int p, const double *triangle, double *x) {
  memcpy(x, triangle + (size_t)p * ((size_t)p + 1), (size_t)p * sizeof *x);
  gannet_least_squares_backward(p, triangle, x);
  GANNET_REQUIRE(isfinite(cblas_dasum(p, x, 1)), GANNET_ERR_NUMERIC,
                 "least squares: a number is not finite");
  return GANNET_OK;
}

void gannet_least_squares_backward(int p, const double *triangle, double *x) {
  cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, p, triangle, p + 1, x, 1);
}

void gannet_least_squares_forward(int p, const double *triangle, double *x) {
  cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, p, triangle, p + 1, x, 1);
}
