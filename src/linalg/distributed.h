/* A Cholesky factor K = L L^T that is distributed over the ranks of a communicator, for matrices
 * that one rank should not hold or factorise alone.
 *
 * Blocks of K are dealt out to a grid of ranks in both directions (ScaLAPACK's block-cyclic
 * layout). Every rank computes the entries of its own blocks only. The factor grows by panels of
 * rows (left-looking; an incomplete last panel is computed again), so it is a function of K and of
 * the layout: growing in steps or at once gives the same bits on the same ranks. Another number of
 * ranks, another grid and the replicated factor (linalg/cholesky.h) agree to rounding only. Results
 * that are returned are the same bits on all ranks.
 *
 * Memory: 8 n^2 / (ranks of the grid) bytes per rank, n rounded up to a panel, and twice that while
 * it grows; 8 n (panel / rows + panel / columns) beside it. Ranks that do not fit
 * into the grid hold nothing. New rows are made without ScaLAPACK, the rest by
 * ScaLAPACK.
 */
#ifndef GANNET_LINALG_DISTRIBUTED_H
#define GANNET_LINALG_DISTRIBUTED_H

#include "base/error.h"

/* 0 = chosen: rows and columns from the number of ranks, as square as possible with at most a tenth
 * of the ranks idle. */
typedef struct {
  int rows, columns; /* of the grid of ranks; both or neither */
  int block;         /* edge of a block */
  int panel;         /* rows by which the factor grows, a multiple of block */
} gannet_distributed_layout;

enum { GANNET_DISTRIBUTED_BLOCK = 64, GANNET_DISTRIBUTED_PANEL = 128 };

typedef struct gannet_distributed gannet_distributed;

/* Writes rows first .. first+rows-1 and columns from .. from+columns-1 of K, from <= first:
 * k[i*ldk + j] is entry (first + i, from + j). Right of the diagonal nothing is needed. Local, as
 * ranks need different tiles. */
typedef gannet_err (*gannet_kernel_tile)(void *user, int first, int rows, int from, int columns,
                                         double *k, int ldk);

/* An empty factor.
 *
 * Collective over comm; layout the same on all ranks.
 *
 * comm    in   duplicated
 * layout  in   NULL = all chosen
 *
 * Errors: GANNET_ERR_SHAPE when the grid has more places than there are ranks or the panel is not a
 * multiple of the block; GANNET_ERR_RANKS when ranks pass different layouts.
 */
GANNET_CHECKED gannet_err gannet_distributed_create(MPI_Comm comm,
                                                    const gannet_distributed_layout *layout,
                                                    gannet_distributed **factor);

/* Free a factor and set the pointer to NULL; accepts NULL.
 *
 * Collective over the factor's communicator.
 */
void gannet_distributed_destroy(gannet_distributed **factor);

/* Forget all rows, keeping the memory.
 *
 * Local.
 */
void gannet_distributed_clear(gannet_distributed *factor);

/* Make the factor that of the leading n rows of K, n at least the present size; complete panels are
 * kept as they are.
 *
 * Collective over the factor's communicator; n the same on all ranks.
 *
 * tile  in  gives entries of K, noise included on the diagonal
 *
 * Errors: GANNET_ERR_NUMERIC on all ranks, naming the row, when K is not positive definite; the
 * factor keeps the complete panels before it. GANNET_ERR_MEMORY; GANNET_ERR_SHAPE when a rank's
 * part exceeds what ScaLAPACK can index (2^31 entries). An error of tile on any rank.
 * Cost: n^2 (n - old) / ranks operations, and 8 panel n bytes to every rank per panel.
 */
GANNET_CHECKED gannet_err gannet_distributed_extend(gannet_distributed *factor, int n,
                                                    gannet_kernel_tile tile, void *user);

/* Number of rows; bytes that this rank holds.
 *
 * Local.
 */
int gannet_distributed_size(const gannet_distributed *factor);
size_t gannet_distributed_bytes(const gannet_distributed *factor);

/* Overwrite b with K^-1 b. Each of the m right-hand sides is a row of b.
 *
 * Collective over the factor's communicator; m and b the same on all ranks.
 *
 * b  inout  [m][ldb], the first n of each row; the same on all ranks
 *
 * Errors: GANNET_ERR_MEMORY.
 * Cost: 2 n^2 m / ranks operations, 8 n m bytes reduced.
 */
GANNET_CHECKED gannet_err gannet_distributed_solve(const gannet_distributed *factor, int m,
                                                   double *b, int ldb);

/* Diagonal of K^-1, for leave-one-out residuals.
 *
 * Collective over the factor's communicator.
 *
 * diagonal  out  [n] the same on all ranks
 *
 * Errors: GANNET_ERR_MEMORY.
 * Cost: n^3 / (3 ranks) operations, and the memory of the factor once more.
 */
GANNET_CHECKED gannet_err gannet_distributed_inverse_diagonal(const gannet_distributed *factor,
                                                              double *diagonal);

#endif
