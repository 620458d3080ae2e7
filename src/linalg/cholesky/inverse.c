/* log det K, the inverse of K, its diagonal and some of its rows.
 *
 * K^-1 = L^-T L^-1, so element (i, i) is the sum of squares of column i of L^-1, which is the
 * solution of L x = e_i for the unit vector e_i.
 */
#include <math.h>
#include <string.h>

#include "linalg/cholesky/factor.h"

enum { B = GANNET_CHOLESKY_BLOCK };

double gannet_cholesky_logdet(const gannet_cholesky *factor) {
  double sum = 0;
  for (int i = 0; i < cholesky_blocks_for(factor->n); ++i)
    for (int r = 0; r < cholesky_rows_in(factor, i); ++r)
      sum += log(factor->block[i][(size_t)r * (size_t)cholesky_width_of(i) + (size_t)(i * B + r)]);
  return 2 * sum;
}

/* Solutions for the unit vectors e_(block B + first) .. of a block row; their numbers before the
 * block row are 0 and are left out. */
typedef struct {
  const gannet_cholesky *factor;
  int block;
  int first, count; /* rows of the block row whose unit vectors these are */
  double *x;        /* [n - block B][PANEL_MOST] */
} unit_solutions;

/* Go on to the next PANEL_MOST unit vectors of the block row; false = there are no more. */
static bool next_units(unit_solutions *u) {
  const int rows = cholesky_rows_in(u->factor, u->block);
  u->first += u->count;
  u->count = rows - u->first < PANEL_MOST ? rows - u->first : PANEL_MOST;
  return u->count > 0;
}

/* Block row i of L from column block B on, and its numbers in x. */
static const double *row_of(const unit_solutions *u, int i, double **target) {
  *target = u->x + (ptrdiff_t)(i - u->block) * B * PANEL_MOST;
  return u->factor->block[i] + (ptrdiff_t)u->block * B;
}

static void solve_units(const unit_solutions *u) {
  const gannet_cholesky *factor = u->factor;
  const size_t left = (size_t)(factor->n - u->block * B);
  memset(u->x, 0, left * PANEL_MOST * sizeof *u->x);
  for (int r = 0; r < u->count; ++r) u->x[(ptrdiff_t)(u->first + r) * PANEL_MOST + r] = 1;
  for (int i = u->block; i < cholesky_blocks_for(factor->n); ++i) {
    const int rows = cholesky_rows_in(factor, i), before = (i - u->block) * B;
    const size_t ld = (size_t)cholesky_width_of(i);
    double *target = NULL;
    const double *row = row_of(u, i, &target);
    factor->kernels->subtract_product(PANEL_MOST, rows, before, row, ld, u->x, target);
    factor->kernels->solve(PANEL_MOST, rows, row + before, ld, target);
  }
}

static void solve_units_back(const unit_solutions *u) {
  const gannet_cholesky *factor = u->factor;
  for (int i = cholesky_blocks_for(factor->n) - 1; i >= u->block; --i) {
    const int rows = cholesky_rows_in(factor, i), before = (i - u->block) * B;
    const size_t ld = (size_t)cholesky_width_of(i);
    double *target = NULL;
    const double *row = row_of(u, i, &target);
    factor->kernels->solve_transposed(PANEL_MOST, rows, row + before, ld, target);
    factor->kernels->subtract_transposed(PANEL_MOST, rows, before, row, ld, target, u->x);
  }
}

void gannet_cholesky_inverse_diagonal_part(const gannet_cholesky *factor, int block,
                                           double *diagonal) {
  const int left = factor->n - block * B;
  unit_solutions u = {.factor = factor, .block = block, .x = factor->panel};
  while (next_units(&u)) {
    double sum[PANEL_MOST] = {0};
    solve_units(&u);
    for (int k = 0; k < left; ++k)
      for (int r = 0; r < PANEL_MOST; ++r) {
        const double value = u.x[(ptrdiff_t)k * PANEL_MOST + r];
        sum[r] += value * value;
      }
    memcpy(diagonal + block * B + u.first, sum, (size_t)u.count * sizeof *sum);
  }
}

void gannet_cholesky_inverse_diagonal(const gannet_cholesky *factor, double *diagonal) {
  for (int i = 0; i < cholesky_blocks_for(factor->n); ++i)
    gannet_cholesky_inverse_diagonal_part(factor, i, diagonal);
}

void gannet_cholesky_inverse_rows(const gannet_cholesky *factor, int block, double *inverse,
                                  int ld) {
  const int from = block * B;
  unit_solutions u = {.factor = factor, .block = block, .x = factor->panel};
  while (next_units(&u)) {
    solve_units(&u);
    solve_units_back(&u);
    u.factor->kernels->unpack(PANEL_MOST, u.count, factor->n - from, u.x,
                              inverse + (ptrdiff_t)u.first * ld + from, (size_t)ld);
  }
}

/* Copy the upper triangle into the lower one, by squares that stay in the first cache. */
static void mirror_upper(size_t n, double *a) {
  enum { SIDE = 16 };
  for (size_t first = 0; first < n; first += SIDE)
    for (size_t from = 0; from <= first; from += SIDE)
      for (size_t r = first; r < n && r < first + SIDE; ++r)
        for (size_t c = from; c < r && c < from + SIDE; ++c) a[r * n + c] = a[c * n + r];
}

void gannet_cholesky_inverse(const gannet_cholesky *factor, double *inverse) {
  const size_t n = (size_t)factor->n;
  for (int i = 0; i < cholesky_blocks_for(factor->n); ++i)
    gannet_cholesky_inverse_rows(factor, i, inverse + (size_t)i * B * n, factor->n);
  mirror_upper(n, inverse);
}
