/* The block row that grows, and its diagonal block. */
#include <string.h>

#include "base/memory.h"
#include "linalg/cholesky_impl.h"

enum {
  B = GANNET_CHOLESKY_BLOCK,
  SLACK = 4 /* blocks that workspace is longer than it must be */
};

void cholesky_solve_before(const gannet_cholesky *factor, int i, int rows, int lanes, double *x) {
  const size_t ld = (size_t)cholesky_width_of(i);
  const double *l = factor->block[i];
  double *target = x + (ptrdiff_t)i * B * lanes;
  factor->ways->take_before(lanes, rows, i * B, l, ld, x, target);
  factor->ways->solve(lanes, rows, l + (ptrdiff_t)i * B, ld, target);
}

void cholesky_put_corner(gannet_cholesky *factor, int first, int count, int lanes,
                         const double *x) {
  const size_t ld = (size_t)cholesky_width_of(first / B);
  double *row = factor->block[first / B] + (size_t)(first % B) * ld;
  for (int r = 0; r < count; ++r)
    for (int k = first; k <= first + r; ++k)
      row[(size_t)r * ld + (size_t)k] = x[(ptrdiff_t)k * lanes + r];
}

static void put_rows(gannet_cholesky *factor, int first, int count, int lanes, const double *x) {
  const size_t ld = (size_t)cholesky_width_of(first / B);
  double *row = factor->block[first / B] + (size_t)(first % B) * ld;
  factor->ways->unpack(lanes, count, first, x, row, ld);
  cholesky_put_corner(factor, first, count, lanes, x);
}

void cholesky_end_rows(gannet_cholesky *factor, int first, int count, int lanes, double *x,
                       int *bad) {
  double *own = x + (ptrdiff_t)first * lanes;
  if (first % B > 0) cholesky_solve_before(factor, first / B, first % B, lanes, x);
  factor->ways->take_own(lanes, count, first, x, own);
  const int row = factor->ways->factorise(lanes, count, own);
  *bad = row < 0 ? -1 : first + row;
  put_rows(factor, first, count, lanes, x);
}

void cholesky_forget_rows(gannet_cholesky *factor) {
  factor->growing.block = 0;
}

static gannet_err reserve(cholesky_growing *g, int width) {
  const size_t length = (size_t)B * (size_t)width;
  if (length <= g->length) return GANNET_OK;
  const size_t longer = length + (size_t)B * SLACK * B;
  GANNET_TRY(gannet_resize(g->length, longer, sizeof *g->next, &g->next));
  GANNET_TRY(gannet_resize(g->length, longer, sizeof *g->kernel, &g->kernel));
  g->length = longer;
  return GANNET_OK;
}

/* Leading rows of block row i of which K is what it was: the values of a kernel may depend on how
 * many rows are made at once. */
static int same_rows(const cholesky_growing *g, int i, int rows) {
  const size_t ld = (size_t)cholesky_width_of(i);
  const int most = rows < g->rows ? rows : g->rows;
  int same = 0;
  while (same < most && memcmp(g->kernel + (size_t)same * ld, g->next + (size_t)same * ld,
                               (size_t)(i * B + same + 1) * sizeof(double)) == 0)
    ++same;
  return same;
}

gannet_err cholesky_make_kernel(gannet_cholesky *factor, int first, int rows,
                                const cholesky_source *source, const double **k) {
  const int ld = cholesky_width_of(first / B);
  GANNET_TRY(reserve(&factor->growing, ld));
  *k = factor->growing.next;
  return source->rows(source->user, first, rows, factor->growing.next, ld);
}

gannet_err cholesky_take_rows(gannet_cholesky *factor, int i, int rows,
                              const cholesky_source *source, int *from) {
  cholesky_growing *g = &factor->growing;
  const int ld = cholesky_width_of(i);
  const bool known = g->block == i + 1;
  g->block = 0; /* until this row is made; later ones change with it */
  *from = 0;
  if (rows == B && !known) return source->rows(source->user, i * B, rows, factor->block[i], ld);
  const double *kernel = NULL;
  GANNET_TRY(cholesky_make_kernel(factor, i * B, rows, source, &kernel));
  if (known) *from = same_rows(g, i, rows);
  for (int r = *from; r < rows; ++r)
    memcpy(factor->block[i] + (size_t)r * (size_t)ld, g->next + (size_t)r * (size_t)ld,
           (size_t)(i * B + r + 1) * sizeof(double));
  double *swap = g->kernel;
  g->kernel = g->next;
  g->next = swap;
  return GANNET_OK;
}

void cholesky_know_rows(gannet_cholesky *factor, int i, int rows) {
  if (rows == B) return;
  factor->growing.block = i + 1;
  factor->growing.rows = rows;
}
