/* The growing factor, shared by its files: cholesky.c (growth), cholesky_rows.c (the block row
 * that grows), cholesky_together.c (growth by all ranks), cholesky_solve.c, cholesky_inverse.c. */
#ifndef GANNET_LINALG_CHOLESKY_IMPL_H
#define GANNET_LINALG_CHOLESKY_IMPL_H

#include <stdbool.h>

#include "linalg/cholesky.h"
#include "linalg/panel.h"

/* What is known of the last block row, if it is incomplete and the ones before are the same. */
typedef struct {
  int block;      /* its number + 1, 0 = nothing is known */
  int rows;       /* how many it had */
  double *kernel; /* [GANNET_CHOLESKY_BLOCK][its width] of K, as given then */
  double *next;   /* the same, as given now */
  size_t length;  /* of both */
} cholesky_growing;

/* Block row i holds rows i*B .. i*B+B-1 of L in one row-major array of B rows and leading dimension
 * (i+1)*B, so growing never moves what exists. */
struct gannet_cholesky {
  int n;
  int n_blocks; /* allocated block rows */
  int capacity; /* length of block[] */
  double **block;
  cholesky_growing growing;
  const panel_ways *ways;
  double *panel; /* [columns of the last block row][2 PANEL_MOST]: what is being made or solved */
  size_t panel_length;
};

/* Where rows of K come from. */
typedef struct {
  gannet_kernel_rows rows;
  void *user;
} cholesky_source;

static inline int cholesky_blocks_for(int n) {
  return (n + GANNET_CHOLESKY_BLOCK - 1) / GANNET_CHOLESKY_BLOCK;
}

static inline int cholesky_width_of(int i) {
  return (i + 1) * GANNET_CHOLESKY_BLOCK;
}

static inline int cholesky_rows_in(const gannet_cholesky *factor, int i) {
  const int left = factor->n - i * GANNET_CHOLESKY_BLOCK;
  return left < GANNET_CHOLESKY_BLOCK ? left : GANNET_CHOLESKY_BLOCK;
}

/* Memory for n rows, at least the present ones.
 *
 * Local.
 */
GANNET_CHECKED gannet_err cholesky_make_room(gannet_cholesky *factor, int n);

/* L^-1 b for the numbers of one block row of a factor of so many rows, of which those before are
 * solved; and with it a block of new rows, which are right-hand sides until their diagonal block.
 *
 * Local.
 *
 * x  inout  [(i + 1) B][lanes]
 */
void cholesky_solve_before(const gannet_cholesky *factor, int i, int rows, int lanes, double *x);

/* That for all block rows; ranks share the complete ones of a factor that is long enough, where
 * there are several, with the same bits.
 *
 * Collective over comm, which may be MPI_COMM_NULL.
 *
 * x  inout  [n][lanes]
 */
GANNET_CHECKED gannet_err cholesky_forward_together(const gannet_cholesky *factor, MPI_Comm comm,
                                                    int lanes, double *x);

/* Make block rows of a factor that has room for n rows. Ranks share what rows take from those
 * before.
 *
 * Collective over comm, which may be MPI_COMM_NULL.
 */
GANNET_CHECKED gannet_err cholesky_extend_rows(gannet_cholesky *factor, MPI_Comm comm, int n,
                                               const cholesky_source *source);

/* Some rows of L from those of K, in one block row of which the rows before are made.
 *
 * Local.
 *
 * first  in     global number of the first row
 * count  in     rows, at most PANEL_MOST
 * x      inout  [first + count][lanes]: left of this block row L, from there on K
 * bad    out    the number of the row that is to blame, or -1
 */
void cholesky_end_rows(gannet_cholesky *factor, int first, int count, int lanes, double *x,
                       int *bad);
GANNET_CHECKED gannet_err cholesky_blame(int row);

/* Put rows of K where block row i is to be made, but for those that are made already.
 *
 * Collective over comm, if there is one: then errors are agreed on.
 *
 * from  out  first row to be made
 */
GANNET_CHECKED gannet_err cholesky_take_rows(gannet_cholesky *factor, MPI_Comm comm, int i,
                                             int rows, const cholesky_source *source, int *from);

/* Block row i is made of the rows taken last; or nothing is known of any, because block rows before
 * it change.
 *
 * Local.
 */
void cholesky_know_rows(gannet_cholesky *factor, int i, int rows);
void cholesky_forget_rows(gannet_cholesky *factor);

#endif
