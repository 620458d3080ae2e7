#include "linalg/cholesky.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/cholesky_impl.h"

enum { B = GANNET_CHOLESKY_BLOCK };

static int blocks_for(int n) {
  return cholesky_blocks_for(n);
}

static int width_of(int i) {
  return cholesky_width_of(i);
}

static int rows_in(const gannet_cholesky *factor, int i) {
  const int left = factor->n - i * B;
  return left < B ? left : B;
}

gannet_err gannet_cholesky_create(gannet_cholesky **factor) {
  return gannet_alloc(1, sizeof **factor, factor);
}

void gannet_cholesky_destroy(gannet_cholesky **factor) {
  if (!*factor) return;
  for (int i = 0; i < (*factor)->n_blocks; ++i) gannet_free(&(*factor)->block[i]);
  gannet_free(&(*factor)->block);
  gannet_free(&(*factor)->growing.kernel);
  gannet_free(&(*factor)->growing.next);
  for (int k = 0; k < 2; ++k) gannet_free(&(*factor)->shared[k].rows_alike);
  gannet_free(factor);
}

void gannet_cholesky_clear(gannet_cholesky *factor) {
  factor->n = 0;
}

void gannet_cholesky_truncate(gannet_cholesky *factor, int n) {
  if (n < factor->n) factor->n = n / B * B;
}

int gannet_cholesky_size(const gannet_cholesky *factor) {
  return factor->n;
}

const double *gannet_cholesky_row(const gannet_cholesky *factor, int i, size_t *step) {
  *step = (size_t)width_of(i / B);
  return factor->block[i / B] + (size_t)(i % B) * *step;
}

/* Blocks are small enough to be granted one by one until the system ends the process. */
static gannet_err check_memory(int n) {
  const double needed = 4.0 * n * n;
  double present = 0;
  GANNET_REQUIRE(gannet_memory_holds(needed, &present), GANNET_ERR_MEMORY,
                 "the factor of a matrix of %d observations takes %.1f GB, and this machine has "
                 "%.1f GB: choose a surrogate with inducing points (tangent-kernel, gp), or one "
                 "that keeps no such matrix (forest, linear-head)",
                 n, needed / 1e9, present / 1e9);
  return GANNET_OK;
}

static gannet_err reserve(gannet_cholesky *factor, int n_blocks) {
  if (n_blocks > factor->capacity) {
    const int larger = 2 * n_blocks;
    GANNET_TRY(gannet_resize((size_t)factor->capacity, (size_t)larger, sizeof *factor->block,
                             &factor->block));
    factor->capacity = larger;
  }
  for (; factor->n_blocks < n_blocks; ++factor->n_blocks) {
    const size_t length = (size_t)B * (size_t)width_of(factor->n_blocks);
    GANNET_TRY(gannet_alloc(length, sizeof(double), &factor->block[factor->n_blocks]));
  }
  return GANNET_OK;
}

/* L_ij = (K_ij - sum_{k<j} L_ik L_jk^T) L_jj^-T. */
void cholesky_make_block(gannet_cholesky *factor, int i, int j, int from, int rows) {
  double *row = factor->block[i] + (ptrdiff_t)from * width_of(i);
  const double *other = factor->block[j];
  const int ld = width_of(i), ldo = width_of(j);
  if (j > 0)
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, B, j * B, -1, row, ld, other, ldo, 1,
                row + j * B, ld);
  cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, rows, B, 1,
              other + j * B, ldo, row + j * B, ld);
}

/* L_ii = chol(K_ii - sum_{k<i} L_ik L_ik^T) */
gannet_err cholesky_make_diagonal(gannet_cholesky *factor, int i, int rows, int *bad) {
  double *row = factor->block[i];
  const int ld = width_of(i);
  *bad = -1;
  if (i > 0)
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, rows, i * B, -1, row, ld, 1, row + i * B,
                ld);
  const lapack_int info = LAPACKE_dpotrf_work(LAPACK_ROW_MAJOR, 'L', rows, row + i * B, ld);
  GANNET_REQUIRE(info >= 0, GANNET_ERR_INTERNAL, "dpotrf: argument %d", (int)-info);
  if (info > 0) *bad = i * B + (int)info - 1;
  return GANNET_OK;
}

gannet_err cholesky_blame(int row) {
  GANNET_REQUIRE(row < 0, GANNET_ERR_NUMERIC, "kernel matrix not positive definite at row %d", row);
  return GANNET_OK;
}

gannet_err cholesky_make_room(gannet_cholesky *factor, int n) {
  GANNET_REQUIRE(n >= factor->n, GANNET_ERR_SHAPE, "n = %d is below the present %d rows", n,
                 factor->n);
  GANNET_TRY(check_memory(n));
  return reserve(factor, blocks_for(n));
}

/* Block row i from the rows of K, for every earlier block column in turn. Shapes of the calls
 * depend on (i, rows) only, but for rows that are known from before, whose bits are the same: this
 * is what makes the factor independent of how it grew. */
static gannet_err make_row(gannet_cholesky *factor, int i, int rows, gannet_kernel_rows kernel,
                           void *user) {
  int bad = -1, from = 0;
  GANNET_TRY(cholesky_take_rows(factor, i, rows, kernel, user, &from));
  for (int j = 0; j < i; ++j) cholesky_make_block(factor, i, j, from, rows - from);
  GANNET_TRY(cholesky_make_diagonal(factor, i, rows, &bad));
  GANNET_TRY(cholesky_blame(bad));
  cholesky_know_rows(factor, i, rows);
  return GANNET_OK;
}

gannet_err gannet_cholesky_extend(gannet_cholesky *factor, int n, gannet_kernel_rows rows,
                                  void *user) {
  if (n == factor->n) return GANNET_OK;
  GANNET_TRY(cholesky_make_room(factor, n));
  const int first = factor->n / B;
  factor->n = first * B;
  for (int i = first; i < blocks_for(n); ++i) {
    const int count = n - i * B < B ? n - i * B : B;
    GANNET_TRY(make_row(factor, i, count, rows, user));
    factor->n = i * B + count;
  }
  return GANNET_OK;
}

void cholesky_take_before(const cholesky_rhs *b, const double *row, int ld, int rows, int k,
                          double *target, int ldt) {
  if (k == 0) return;
  if (b->m == 1)
    cblas_dgemv(CblasRowMajor, CblasNoTrans, rows, k, -1, row, ld, b->values, 1, 1, target, 1);
  else
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, b->m, rows, k, -1, b->values, b->ld, row,
                ld, 1, target, ldt);
}

void cholesky_take_after(const cholesky_rhs *b, const double *row, int ld, int rows, int k,
                         double *target, int ldt) {
  if (k == 0) return;
  if (b->m == 1)
    cblas_dgemv(CblasRowMajor, CblasTrans, rows, k, -1, row, ld, b->values, 1, 1, target, 1);
  else
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, b->m, k, rows, -1, b->values, b->ld, row,
                ld, 1, target, ldt);
}

void cholesky_solve_block(const gannet_cholesky *factor, int i, bool transposed,
                          const cholesky_rhs *b) {
  const double *corner = factor->block[i] + (ptrdiff_t)i * B;
  const int count = rows_in(factor, i), ld = width_of(i);
  const CBLAS_TRANSPOSE one = transposed ? CblasTrans : CblasNoTrans;
  const CBLAS_TRANSPOSE many = transposed ? CblasNoTrans : CblasTrans;
  if (b->m == 1)
    cblas_dtrsv(CblasRowMajor, CblasLower, one, CblasNonUnit, count, corner, ld, b->values, 1);
  else
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, many, CblasNonUnit, b->m, count, 1, corner,
                ld, b->values, b->ld);
}

void gannet_cholesky_forward(const gannet_cholesky *factor, int m, double *b, int ldb) {
  const cholesky_rhs before = {m, ldb, b};
  for (int i = 0; i < blocks_for(factor->n); ++i) {
    const cholesky_rhs target = {m, ldb, b + (ptrdiff_t)i * B};
    cholesky_take_before(&before, factor->block[i], width_of(i), rows_in(factor, i), i * B,
                         target.values, ldb);
    cholesky_solve_block(factor, i, false, &target);
  }
}

void gannet_cholesky_backward(const gannet_cholesky *factor, int m, double *b, int ldb) {
  for (int i = blocks_for(factor->n) - 1; i >= 0; --i) {
    const cholesky_rhs after = {m, ldb, b + (ptrdiff_t)i * B};
    cholesky_solve_block(factor, i, true, &after);
    cholesky_take_after(&after, factor->block[i], width_of(i), rows_in(factor, i), i * B, b, ldb);
  }
}

void gannet_cholesky_solve(const gannet_cholesky *factor, int m, double *b, int ldb) {
  gannet_cholesky_forward(factor, m, b, ldb);
  gannet_cholesky_backward(factor, m, b, ldb);
}

double gannet_cholesky_logdet(const gannet_cholesky *factor) {
  double sum = 0;
  for (int i = 0; i < blocks_for(factor->n); ++i)
    for (int r = 0; r < rows_in(factor, i); ++r)
      sum += log(factor->block[i][(size_t)r * (size_t)width_of(i) + (size_t)(i * B + r)]);
  return 2 * sum;
}

/* L as one dense row-major triangle, the rest zero. */
static gannet_err to_dense(const gannet_cholesky *factor, double *dense) {
  const size_t n = (size_t)factor->n;
  memset(dense, 0, n * n * sizeof *dense);
  for (int i = 0; i < blocks_for(factor->n); ++i)
    for (int r = 0; r < rows_in(factor, i); ++r) {
      const size_t at = (size_t)(i * B + r);
      memcpy(dense + at * n, factor->block[i] + (size_t)r * (size_t)width_of(i),
             (at + 1) * sizeof *dense);
    }
  return GANNET_OK;
}

/* L^-1 applied to the unit vectors of block row block, from that on: b is [rows][ld]. */
static void solve_units(const gannet_cholesky *factor, int block, double *b, int ld) {
  const int from = block * B, m = rows_in(factor, block);
  for (int r = 0; r < m; ++r) {
    double *row = b + (size_t)r * (size_t)ld;
    memset(row, 0, (size_t)(factor->n - from) * sizeof *row);
    row[r] = 1;
  }
  for (int i = block; i < blocks_for(factor->n); ++i) {
    const double *row = factor->block[i] + from;
    const int count = rows_in(factor, i), width = width_of(i), before = i * B - from;
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
  const int from = block * B, m = rows_in(factor, block), left = factor->n - from;
  solve_units(factor, block, work + from, factor->n);
  for (int r = 0; r < m; ++r) {
    const double *row = work + (size_t)r * (size_t)factor->n + from;
    diagonal[from + r] = cblas_ddot(left, row, 1, row, 1);
  }
}

gannet_err gannet_cholesky_inverse_diagonal(const gannet_cholesky *factor, double *diagonal) {
  double *work = NULL;
  GANNET_TRY(gannet_alloc(B * (size_t)factor->n, sizeof *work, &work));
  for (int i = 0; i < blocks_for(factor->n); ++i)
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

int gannet_cholesky_blocks(const gannet_cholesky *factor) {
  return blocks_for(factor->n);
}

/* Solving for unit vectors: nothing left of their block is needed, as K^-1 is symmetric. */
void gannet_cholesky_inverse_rows(const gannet_cholesky *factor, int block, double *inverse,
                                  int ld) {
  const int from = block * B, m = rows_in(factor, block);
  double *b = inverse + from;
  solve_units(factor, block, b, ld);
  for (int i = blocks_for(factor->n) - 1; i >= block; --i) {
    const double *row = factor->block[i] + from;
    const int count = rows_in(factor, i), width = width_of(i), before = i * B - from;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, m, count, 1,
                row + before, width, b + before, ld);
    if (before > 0)
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, before, count, -1, b + before, ld,
                  row, width, 1, b, ld);
  }
}

size_t gannet_cholesky_bytes(const gannet_cholesky *factor) {
  size_t bytes = sizeof *factor + (size_t)factor->capacity * sizeof *factor->block +
                 2 * factor->growing.length * sizeof(double);
  for (int i = 0; i < factor->n_blocks; ++i)
    bytes += (size_t)B * (size_t)width_of(i) * sizeof(double);
  return bytes;
}
