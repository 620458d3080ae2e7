/* The growing factor, shared by its files: cholesky.c (growth, solving), cholesky_rows.c (the block
 * row that grows), cholesky_together.c, cholesky_solve.c (growth and solving by all ranks). */
#ifndef GANNET_LINALG_CHOLESKY_IMPL_H
#define GANNET_LINALG_CHOLESKY_IMPL_H

#include <stdbool.h>

#include "linalg/cholesky.h"

/* What is known of the last block row, if it was long enough and the ones before are the same. */
typedef struct {
  int block;      /* its number, 0 = nothing is known */
  int rows;       /* how many it had */
  double *kernel; /* [GANNET_CHOLESKY_BLOCK][its width] of K, as given then */
  double *next;   /* the same, as given now */
  size_t length;  /* of both */
  int compared;   /* blocks (., j) whose products were compared in calls of several lengths, */
  bool unlike;    /* and gave a row other bits */
} cholesky_growing;

/* What is known of solving for so many right-hand sides by several ranks, whose products are parts
 * of those of one rank: whether they have the same bits. */
typedef struct {
  int m, np, asked;    /* right-hand sides, ranks, solves for them */
  int known, capacity; /* complete block rows that were compared; length of rows_alike */
  int *rows_alike;     /* products with some rows of a block row */
  bool columns_unlike; /* products with some columns of any */
} cholesky_shared;

/* Block row i holds rows i*B .. i*B+B-1 of L in one row-major array of B rows and leading dimension
 * (i+1)*B, so growing never moves what exists. */
struct gannet_cholesky {
  int n;
  int n_blocks; /* allocated block rows */
  int capacity; /* length of block[] */
  double **block;
  cholesky_growing growing;
  cholesky_shared shared[2]; /* for two right-hand sides, for more */
};

static inline int cholesky_blocks_for(int n) {
  return (n + GANNET_CHOLESKY_BLOCK - 1) / GANNET_CHOLESKY_BLOCK;
}

static inline int cholesky_width_of(int i) {
  return (i + 1) * GANNET_CHOLESKY_BLOCK;
}

/* m rows of numbers. */
typedef struct {
  int m, ld;
  double *values;
} cholesky_rhs;

/* target -= what k numbers of b before it give: rows of L with k columns; target -= what rows
 * numbers of b after it give: rows of L with the columns of the target.
 *
 * Local.
 *
 * target  inout  [m][ldt]: rows numbers in each of m rows; or k numbers
 */
void cholesky_take_before(const cholesky_rhs *b, const double *row, int ld, int rows, int k,
                          double *target, int ldt);
void cholesky_take_after(const cholesky_rhs *b, const double *row, int ld, int rows, int k,
                         double *target, int ldt);

/* L_ii^-1 b, or L_ii^-T b, for the numbers of block i.
 *
 * Local.
 */
void cholesky_solve_block(const gannet_cholesky *factor, int i, bool transposed,
                          const cholesky_rhs *b);

/* Memory for n rows, at least the present ones.
 *
 * Local.
 */
GANNET_CHECKED gannet_err cholesky_make_room(gannet_cholesky *factor, int n);

/* Some rows of block (i, j), j < i, from those of K, which are in their place.
 *
 * Local.
 *
 * from  in  first row of the block row, and how many
 */
void cholesky_make_block(gannet_cholesky *factor, int i, int j, int from, int rows);

/* Block (i, i), of which K is in its place.
 *
 * Local.
 *
 * bad  out  the number of the row that is to blame, or -1
 */
GANNET_CHECKED gannet_err cholesky_make_diagonal(gannet_cholesky *factor, int i, int rows,
                                                 int *bad);
GANNET_CHECKED gannet_err cholesky_blame(int row);

/* Put rows of K where block row i is to be made, but for what is made already left of the diagonal.
 *
 * Local.
 *
 * from  out  first row to be made left of the diagonal
 */
GANNET_CHECKED gannet_err cholesky_take_rows(gannet_cholesky *factor, int i, int rows,
                                             gannet_kernel_rows kernel, void *user, int *from);

/* Block row i is made of the rows taken last; or nothing is known of any, because block rows before
 * it change.
 *
 * Local.
 */
void cholesky_know_rows(gannet_cholesky *factor, int i, int rows);
void cholesky_forget_rows(gannet_cholesky *factor);

#endif
