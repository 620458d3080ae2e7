/* The growing factor, shared by its files: cholesky.c (growth, solving), cholesky_rows.c (the block
 * row that grows), cholesky_together.c (by all ranks). */
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

/* Block row i holds rows i*B .. i*B+B-1 of L in one row-major array of B rows and leading dimension
 * (i+1)*B, so growing never moves what exists. */
struct gannet_cholesky {
  int n;
  int n_blocks; /* allocated block rows */
  int capacity; /* length of block[] */
  double **block;
  cholesky_growing growing;
};

static inline int cholesky_blocks_for(int n) {
  return (n + GANNET_CHOLESKY_BLOCK - 1) / GANNET_CHOLESKY_BLOCK;
}

static inline int cholesky_width_of(int i) {
  return (i + 1) * GANNET_CHOLESKY_BLOCK;
}

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
