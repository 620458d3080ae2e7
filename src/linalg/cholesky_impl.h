/* The growing factor, known to its files: cholesky.c (growth), cholesky_rows.c (the block row that
 * grows), cholesky_node.c (memory of a node), cholesky_together.c (growth by its ranks),
 * cholesky_solve.c, cholesky_part.c (by ranks), cholesky_spread.c (for those of several ranks),
 * cholesky_inverse.c. */
#ifndef GANNET_LINALG_CHOLESKY_IMPL_H
#define GANNET_LINALG_CHOLESKY_IMPL_H

#include <stdatomic.h>
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

/* How far a panel of rows or a block is: 4 time + step, where time counts what ranks did together.
 * So marks are never set back, and nobody waits for others to have read them. */
enum {
  CHOLESKY_FORWARD = 1, /* a block of right-hand sides: L^-1 b */
  CHOLESKY_BACKWARD,    /* and K^-1 b */
  CHOLESKY_LEFT = 1,    /* a panel of new rows: columns before its diagonal block */
  CHOLESKY_ENDED,       /* and this */
  CHOLESKY_FAILED,
  CHOLESKY_STEPS
};

/* What a rank has of a factor in memory of its node. */
typedef struct {
  const gannet_node *node;
  int64_t time;
  void **piece;       /* [n_pieces] of shared memory, with block rows */
  int n_pieces, room; /* room: of piece[] */
  void *work;         /* shared: mark, then x */
  int work_blocks;    /* blocks of rows that work is for */
  gannet_mark *mark;  /* [2 work_blocks + 1], of panels or blocks; the last one for a note */
  double *x;          /* [columns][PANEL_MOST] right-hand sides, or new rows */
} cholesky_shared;

/* Block row i holds rows i*B .. i*B+B-1 of L in one row-major array of B rows and leading dimension
 * (i+1)*B, so growing never moves what exists. */
struct gannet_cholesky {
  int n;
  int n_blocks; /* allocated block rows */
  int capacity; /* length of block[] */
  double **block;
  cholesky_growing growing;
  const panel_ways *ways;
  double *panel; /* [columns of the last block row][PANEL_MOST]: what is being made or solved */
  size_t panel_length;
  cholesky_shared *shared; /* NULL = block rows are this rank's own */
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
 * Collective over the node of a shared factor, which becomes a rank's own where there is no more
 * memory to share.
 */
GANNET_CHECKED gannet_err cholesky_make_room(gannet_cholesky *factor, int n);
GANNET_CHECKED gannet_err cholesky_share_room(gannet_cholesky *factor, int n_blocks);
void cholesky_unshare(gannet_cholesky *factor);

/* What a rank has of its own for so many block rows, but for these.
 *
 * Local.
 */
GANNET_CHECKED gannet_err cholesky_reserve(gannet_cholesky *factor, int n_blocks);

/* gannet_cholesky_extend by the ranks of a node.
 *
 * Collective over the node of a shared factor.
 */
GANNET_CHECKED gannet_err cholesky_extend_together(gannet_cholesky *factor, int n,
                                                   const cholesky_source *source);

/* Begin what ranks of a node do together: everybody has come, and has read what was there.
 *
 * Collective over the node of a shared factor.
 *
 * err  in  of this rank
 *
 * Errors: err of any rank.
 */
GANNET_CHECKED gannet_err cholesky_meet(cholesky_shared *shared, gannet_err err);

/* Tell the other ranks that a panel or block has come to a step; whether one has; and wait until
 * then, which returns whether it has not failed.
 *
 * Local.
 */
void cholesky_tell(cholesky_shared *shared, int mark, int step);
bool cholesky_has(const cholesky_shared *shared, int mark, int step);
bool cholesky_await(const cholesky_shared *shared, int mark, int step);

/* A number for the other ranks, which read it when they have waited for what is told after it, and
 * before they meet again.
 *
 * Local.
 */
void cholesky_note(cholesky_shared *shared, int number);
int cholesky_noted(const cholesky_shared *shared);

/* Ranks that share a solve with so many rows: the first of a node, at least one.
 *
 * Local.
 */
int cholesky_solvers(const gannet_cholesky *factor, int n);

/* Block row i of L^-T x from itself, and what it gives k columns from one on.
 *
 * Local.
 */
void cholesky_solve_corner(const gannet_cholesky *factor, int i, int lanes, double *x);
void cholesky_give(const gannet_cholesky *factor, int i, int from, int k, int lanes, double *x);

/* L^-1 b for the numbers of one block row of a factor of so many rows, of which those before are
 * solved; and with it a block of new rows, which are right-hand sides until their diagonal block.
 *
 * Local.
 *
 * x  inout  [(i + 1) B][lanes]
 */
void cholesky_solve_before(const gannet_cholesky *factor, int i, int rows, int lanes, double *x);

/* The part of this rank of L^-1 b with the leading block rows, into the shared x [n][lanes]: block
 * i is there when mark i is at step CHOLESKY_FORWARD. To be called when all have met.
 *
 * Local.
 *
 * rows  in  b, [m][ld], m <= lanes; NULL = x has them
 */
void cholesky_forward_part(gannet_cholesky *factor, int n_blocks, int m, int lanes,
                           const double *rows, size_t ld);

/* The part of this rank of L^-T x, in the shared x: block i is there when mark i is at step
 * CHOLESKY_BACKWARD. To be called after the forward part.
 *
 * Local.
 */
void cholesky_backward_part(gannet_cholesky *factor, int lanes);

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

/* From lanes to their place: from the diagonal on.
 *
 * Local.
 */
void cholesky_put_corner(gannet_cholesky *factor, int first, int count, int lanes, const double *x);
GANNET_CHECKED gannet_err cholesky_blame(int row);

/* Rows of K of one block row, borrowed until the next are made: [rows][width of the block row].
 *
 * Local.
 */
GANNET_CHECKED gannet_err cholesky_make_kernel(gannet_cholesky *factor, int first, int rows,
                                               const cholesky_source *source, const double **k);

/* Put rows of K where block row i is to be made, but for those that are made already.
 *
 * Local.
 *
 * from  out  first row to be made
 */
GANNET_CHECKED gannet_err cholesky_take_rows(gannet_cholesky *factor, int i, int rows,
                                             const cholesky_source *source, int *from);

/* Block row i is made of the rows taken last; or nothing is known of any, because block rows before
 * it change.
 *
 * Local.
 */
void cholesky_know_rows(gannet_cholesky *factor, int i, int rows);
void cholesky_forget_rows(gannet_cholesky *factor);

#endif
