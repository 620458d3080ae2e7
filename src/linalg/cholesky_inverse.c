/* The inverse of K, its diagonal and some of its rows. */
#include <cblas.h>
#include <lapacke.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/cholesky_impl.h"

enum { B = GANNET_CHOLESKY_BLOCK };

/* L as one dense row-major triangle, the rest zero. */
static gannet_err to_dense(const gannet_cholesky *factor, double *dense) {
  const size_t n = (size_t)factor->n;
  memset(dense, 0, n * n * sizeof *dense);
  for (int i = 0; i < cholesky_blocks_for(factor->n); ++i)
    for (int r = 0; r < cholesky_rows_in(factor, i); ++r) {
      const size_t at = (size_t)(i * B + r);
      memcpy(dense + at * n, factor->block[i] + (size_t)r * (size_t)cholesky_width_of(i),
             (at + 1) * sizeof *dense);
    }
  return GANNET_OK;
}

/* L^-1 applied to the unit vectors of block row block, from that on: b is [rows][ld]. */
static void solve_units(const gannet_cholesky *factor, int block, double *b, int ld) {
  const int from = block * B, m = cholesky_rows_in(factor, block);
  for (int r = 0; r < m; ++r) {
    double *row = b + (size_t)r * (size_t)ld;
    memset(row, 0, (size_t)(factor->n - from) * sizeof *row);
    row[r] = 1;
  }
  for (int i = block; i < cholesky_blocks_for(factor->n); ++i) {
    const double *row = factor->block[i] + from;
    const int count = cholesky_rows_in(factor, i), width = cholesky_width_of(i),
              before = i * B - from;
    if (before > 0)
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, count, before, -1, b, ld, row, width,
                  1, b + before, ld);
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, m, count, 1,
                row + before, width, b + before, ld);
  }
}

/* K^-1 = L^-T L^-1: an element is the square of a column of L^-1, the solution for a unit vector.
 */
void gannet_cholesky_inverse_diagonal_part(const gannet_cholesky *factor, int block, double *work,
                                           double *diagonal) {
  const int from = block * B, m = cholesky_rows_in(factor, block), left = factor->n - from;
  solve_units(factor, block, work + from, factor->n);
  for (int r = 0; r < m; ++r) {
    const double *row = work + (size_t)r * (size_t)factor->n + from;
    diagonal[from + r] = cblas_ddot(left, row, 1, row, 1);
  }
}

gannet_err gannet_cholesky_inverse_diagonal(const gannet_cholesky *factor, double *diagonal) {
  double *work = NULL;
  GANNET_TRY(gannet_alloc(B * (size_t)factor->n, sizeof *work, &work));
  for (int i = 0; i < cholesky_blocks_for(factor->n); ++i)
    gannet_cholesky_inverse_diagonal_part(factor, i, work, diagonal);
  gannet_free(&work);
  return GANNET_OK;
}

gannet_err gannet_cholesky_inverse(const gannet_cholesky *factor, double *inverse) {
  const int n = factor->n;
  GANNET_TRY(to_dense(factor, inverse));
  /* The row-major lower triangle is the column-major upper one: K = U^T U. */
  const lapack_int info = LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', n, inverse, n > 0 ? n : 1);
  GANNET_REQUIRE(info == 0, GANNET_ERR_NUMERIC, "dpotri: info = %d", (int)info);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < r; ++c)
      inverse[(size_t)c * (size_t)n + (size_t)r] = inverse[(size_t)r * (size_t)n + (size_t)c];
  return GANNET_OK;
}

/* Solving for unit vectors: nothing left of their block is needed, as K^-1 is symmetric. */
void gannet_cholesky_inverse_rows(const gannet_cholesky *factor, int block, double *inverse,
                                  int ld) {
  const int from = block * B, m = cholesky_rows_in(factor, block);
  double *b = inverse + from;
  solve_units(factor, block, b, ld);
  for (int i = cholesky_blocks_for(factor->n) - 1; i >= block; --i) {
    const double *row = factor->block[i] + from;
    const int count = cholesky_rows_in(factor, i), width = cholesky_width_of(i),
              before = i * B - from;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, m, count, 1,
                row + before, width, b + before, ld);
    if (before > 0)
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, before, count, -1, b + before, ld,
                  row, width, 1, b, ld);
  }
}
