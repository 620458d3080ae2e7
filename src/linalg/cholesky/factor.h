/* The struct behind linalg/cholesky.h, and what its files use of each other. Private to this
 * folder.
 *
 *   memory.c   creates factors; memory of a rank and of a node; progress counters
 *   solve.c    L^-1 b and L^-T b: by one rank, or by the ranks of a node
 *   grow.c     new rows of L: by one rank, or by the ranks of a node
 *   inverse.c  log det K, and the inverse of K
 *
 * Terms
 *   B           GANNET_CHOLESKY_BLOCK, the number of rows of a block row
 *   block row   rows i B .. i B + B - 1 of L: a row-major array of B rows and (i + 1) B columns
 *   panel       rows of L, or right-hand sides, in the lanes of vector registers, as in
 *               simd_kernels/panel.h
 *   joint step  work that the ranks of a node do together on one factor
 *   counter     a number in shared memory that says how far a block or panel of a joint step is
 */
#ifndef GANNET_LINALG_CHOLESKY_FACTOR_H
#define GANNET_LINALG_CHOLESKY_FACTOR_H

#include <stdatomic.h>
#include <stdbool.h>

#include "linalg/cholesky.h"
#include "linalg/simd_kernels/panel.h"

/* The rows of K of an incomplete last block row. Those that are given again unchanged need not be
 * factorised again. */
typedef struct {
  int block;      /* number of the block row + 1; 0 = no rows are kept */
  int rows;       /* rows that are kept */
  double *kernel; /* [B][columns of the block row] rows of K as they were given last */
  double *next;   /* [B][columns of the block row] rows of K as they are given now */
  size_t length;  /* numbers in each of the two arrays */
} cholesky_kept_rows;

/* Values of a counter within its joint step: the counter is CHOLESKY_STEPS epoch + step. As the
 * epoch grows with every joint step, counters are never set back. */
enum {
  CHOLESKY_FORWARD = 1, /* a block of right-hand sides is L^-1 b */
  CHOLESKY_BACKWARD,    /* a block of right-hand sides is K^-1 b */
  CHOLESKY_LEFT = 1,    /* a panel of new rows is made left of its diagonal block */
  CHOLESKY_ENDED,       /* a panel of new rows is made */
  CHOLESKY_FAILED,      /* a panel of new rows cannot be made */
  CHOLESKY_STEPS
};

/* What a rank knows of a factor in memory of its node. */
typedef struct {
  const gannet_node *node;
  int64_t epoch;                /* number of joint steps so far */
  void **piece;                 /* [n_pieces] shared memory of block rows */
  int n_pieces, piece_capacity; /* used and allocated length of piece[] */
  void *work;                   /* shared memory of counter[] and x */
  int work_blocks;              /* block rows that work has room for */
  gannet_mark *counter;         /* [2 work_blocks + 1]; the last one holds the bad row */
  double *x;                    /* [columns][PANEL_MOST] right-hand sides, or new rows of L */
} cholesky_shared;

struct gannet_cholesky {
  int n;
  int n_blocks;   /* allocated block rows */
  int capacity;   /* length of block[] */
  double **block; /* a block row that exists never moves */
  cholesky_kept_rows kept;
  const panel_kernels *kernels;
  double *panel; /* [columns of the last block row][PANEL_MOST]: what is being made or solved */
  size_t panel_length;
  cholesky_shared *shared; /* NULL = the block rows are this rank's own */
};

/* Where rows of K come from. */
typedef struct {
  gannet_kernel_rows rows;
  void *user;
} cholesky_source;

/* Block rows of a factor of n rows. */
static inline int cholesky_blocks_for(int n) {
  return (n + GANNET_CHOLESKY_BLOCK - 1) / GANNET_CHOLESKY_BLOCK;
}

/* Columns of block row i. */
static inline int cholesky_width_of(int i) {
  return (i + 1) * GANNET_CHOLESKY_BLOCK;
}

/* Rows of block row i that belong to the factor. */
static inline int cholesky_rows_in(const gannet_cholesky *factor, int i) {
  const int left = factor->n - i * GANNET_CHOLESKY_BLOCK;
  return left < GANNET_CHOLESKY_BLOCK ? left : GANNET_CHOLESKY_BLOCK;
}

/* Allocate memory for n rows, at least the present ones.
 *
 * Collective over the node of a shared factor. Where there is no more memory to share, the factor
 * becomes a rank's own.
 *
 * Errors: GANNET_ERR_SHAPE for n below the present rows; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err cholesky_reserve(gannet_cholesky *factor, int n);

/* Begin a joint step: all ranks have come, and nobody reads what the last one left in work.
 *
 * Collective over the node of a shared factor.
 *
 * err  in  of this rank
 *
 * Errors: err of any rank.
 */
GANNET_CHECKED gannet_err cholesky_begin_joint(cholesky_shared *shared, gannet_err err);

/* Set a counter to a step; tell whether it has come to a step; wait until it has. cholesky_await
 * returns false when the step failed.
 *
 * Local.
 */
void cholesky_publish(cholesky_shared *shared, int counter, int step);
bool cholesky_has(const cholesky_shared *shared, int counter, int step);
bool cholesky_await(const cholesky_shared *shared, int counter, int step);

/* The row of K that is not positive definite, -1 = none, for the other ranks of a joint step. They
 * read it after they have waited for a counter that is published after it.
 *
 * Local.
 */
void cholesky_publish_bad_row(cholesky_shared *shared, int row);
int cholesky_bad_row(const cholesky_shared *shared);

/* L^-1 x for the numbers of block row i, of which `rows` rows count; the numbers before are solved.
 * Rows of K are solved in the same way left of their diagonal block.
 *
 * Local.
 *
 * x  inout  [(i + 1) B][lanes]
 */
void cholesky_solve_block(const gannet_cholesky *factor, int i, int rows, int lanes, double *x);

/* The share of this rank in L^-1 b with the leading block rows, in the shared x [n][lanes]. Block i
 * is there when counter i has come to CHOLESKY_FORWARD.
 *
 * Local; part of a joint step.
 *
 * rows  in  b, [m][ld], m <= lanes; NULL = x holds b
 */
void cholesky_forward_share(gannet_cholesky *factor, int n_blocks, int m, int lanes,
                            const double *rows, size_t ld);

#endif
