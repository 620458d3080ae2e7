/* The block row that grows: its rows are made again only where their bits could be others.
 *
 * The products and solves of a block row give every row the same bits in calls of any length from
 * LEAST on, but for those after the last whole group of eight; shorter calls take other paths in
 * OpenBLAS. That this is so is compared for every length of a product, the first time; where it is
 * not, all rows are made. So is a row's K with that of before.
 */
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "linalg/cholesky_impl.h"

enum {
  B = GANNET_CHOLESKY_BLOCK,
  GROUP = 8,
  LEAST = 24, /* rows that are made together, where not all are */
  SLACK = 4   /* blocks that workspace is longer than it must be */
};

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

/* Block (i, j) of a matrix whose block row i has these rows, from the same numbers as K: some rows
 * of it in one call, to c[B][B]. */
static void make_some(const gannet_cholesky *factor, int i, int j, int first, int rows, double *c) {
  const ptrdiff_t ld = cholesky_width_of(i), ldo = cholesky_width_of(j);
  const double *row = factor->block[i] + first * ld, *other = factor->block[j];
  double *to = c + (ptrdiff_t)first * B;
  for (int r = 0; r < rows; ++r) memcpy(to + (ptrdiff_t)r * B, row + r * ld, B * sizeof *to);
  if (j > 0) gannet_gemm_nt(rows, B, j * B, -1, row, (int)ld, other, (int)ldo, 1, to, B);
  gannet_trsm_nt(rows, B, other + (ptrdiff_t)j * B, (int)ldo, to, B);
}

static bool same_part(const double *a, const double *b, int first, int rows) {
  const size_t at = (size_t)first * B;
  return memcmp(a + at, b + at, (size_t)rows * B * sizeof *a) == 0;
}

/* Whether rows come out the same in calls of other lengths; those after the last whole group, in
 * calls that end with them. */
static bool are_alike(const gannet_cholesky *factor, int i, int j) {
  enum { ODD = LEAST + 2 * GROUP - 1 };
  double whole[B * B], part[B * B], odd[B * B];
  make_some(factor, i, j, 0, B, whole);
  make_some(factor, i, j, 0, LEAST, part);
  make_some(factor, i, j, B - LEAST, LEAST, part);
  bool same = same_part(whole, part, 0, LEAST) && same_part(whole, part, B - LEAST, LEAST);
  make_some(factor, i, j, 0, ODD, odd);
  make_some(factor, i, j, GROUP, ODD - GROUP, part);
  same = same && same_part(whole, odd, 0, ODD / GROUP * GROUP);
  return same && same_part(odd, part, GROUP, ODD - GROUP);
}

/* Compared on the block row before, which is complete. */
static bool may_keep(gannet_cholesky *factor, int i) {
  cholesky_growing *g = &factor->growing;
  for (; g->compared < i && !g->unlike; ++g->compared)
    g->unlike = !are_alike(factor, i - 1, g->compared);
  return !g->unlike;
}

/* Leading rows of block row i of which K left of the diagonal is what it was. */
static int same_rows(const cholesky_growing *g, int i, int rows) {
  const size_t ld = (size_t)cholesky_width_of(i), left = (size_t)i * B * sizeof(double);
  const int most = rows < g->rows ? rows : g->rows;
  int same = 0;
  while (same < most &&
         memcmp(g->kernel + (size_t)same * ld, g->next + (size_t)same * ld, left) == 0)
    ++same;
  return same;
}

/* The first row that is to be made: so that LEAST are, and whole groups before are known. */
static int first_to_make(gannet_cholesky *factor, int i, int rows) {
  const int same = same_rows(&factor->growing, i, rows);
  const int first = (same < rows - LEAST ? same : rows - LEAST) / GROUP * GROUP;
  return first > 0 && may_keep(factor, i) ? first : 0;
}

gannet_err cholesky_take_rows(gannet_cholesky *factor, int i, int rows, gannet_kernel_rows kernel,
                              void *user, int *from) {
  cholesky_growing *g = &factor->growing;
  const int ld = cholesky_width_of(i);
  const bool known = g->block == i && i > 0;
  g->block = 0; /* until this row is made; later ones change with it */
  *from = 0;
  if (rows < LEAST || (rows == B && !known)) return kernel(user, i * B, rows, factor->block[i], ld);
  GANNET_TRY(reserve(g, ld));
  GANNET_TRY(kernel(user, i * B, rows, g->next, ld));
  if (known) *from = first_to_make(factor, i, rows);
  for (int r = 0; r < rows; ++r) {
    const size_t start = r < *from ? (size_t)(i * B) : 0, at = (size_t)r * (size_t)ld + start;
    memcpy(factor->block[i] + at, g->next + at, ((size_t)(i * B + r + 1) - start) * sizeof(double));
  }
  double *swap = g->kernel;
  g->kernel = g->next;
  g->next = swap;
  return GANNET_OK;
}

void cholesky_know_rows(gannet_cholesky *factor, int i, int rows) {
  if (rows < LEAST || rows == B) return;
  factor->growing.block = i;
  factor->growing.rows = rows;
}
