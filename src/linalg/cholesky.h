/* A Cholesky factor K = L L^T that grows by rows.
 *
 * L is computed row by row, up to 32 rows at once (left-looking, in block rows of
 * GANNET_CHOLESKY_BLOCK rows). The numbers of L and of solutions have the same bits however many
 * rows or right-hand sides are worked together, and by whichever rank
 * (linalg/simd_kernels/panel.h). The factor is therefore a function of K alone: growing one row at
 * a time, in batches, or all at once gives the same bits, and a resumed campaign continues exactly.
 *
 * Memory: the lower triangle by block rows, about 4 n^2 bytes, once per rank or once per node; and
 * 1.5 kB per row and rank for the block row that grows and for solving.
 *
 * The code is in linalg/cholesky/.
 */
#ifndef GANNET_LINALG_CHOLESKY_H
#define GANNET_LINALG_CHOLESKY_H

#include "base/node.h"

enum {
  GANNET_CHOLESKY_BLOCK = 64,           /* rows of a block row */
  GANNET_CHOLESKY_TOGETHER = 128,       /* fewest new rows that ranks make by panels of their own */
  GANNET_CHOLESKY_SOLVE_TOGETHER = 512, /* fewest rows with which ranks share a solve */
  GANNET_CHOLESKY_RANKS = 8             /* most ranks that share a solve */
};

typedef struct gannet_cholesky gannet_cholesky;

/* Writes rows first .. first+rows-1 of the lower triangle of K: k[i*ldk + j] for j <= first+i. What
 * is written right of the diagonal is ignored. Called with first a multiple of the block. */
typedef gannet_err (*gannet_kernel_rows)(void *user, int first, int rows, double *k, int ldk);

/* An empty factor.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_cholesky_create(gannet_cholesky **factor);
void gannet_cholesky_destroy(gannet_cholesky **factor);

/* An empty factor in memory that the ranks of a node share: they extend it together, and each reads
 * it at any time in between. Where there is no memory to share it becomes one of every rank.
 *
 * Collective over the node, as is then gannet_cholesky_extend.
 *
 * node  in  NULL = one rank; borrowed until destroy
 */
GANNET_CHECKED gannet_err gannet_cholesky_create_shared(const gannet_node *node,
                                                        gannet_cholesky **factor);

/* Forget all rows, keeping the memory.
 *
 * Local.
 */
void gannet_cholesky_clear(gannet_cholesky *factor);

/* Forget the rows from n on, and the rows before that share a block row with them. What is left is
 * the same as if they had never been there.
 *
 * Local.
 */
void gannet_cholesky_truncate(gannet_cholesky *factor, int n);

/* Make the factor that of the leading n rows of K, n at least the present size. Complete block rows
 * are kept as they are.
 *
 * Local; collective over the node of a shared factor, n the same on all ranks.
 *
 * rows  in  gives rows of K, noise included on the diagonal; those of a shared factor are asked for
 *           on one rank
 *
 * Errors: GANNET_ERR_NUMERIC, naming the row, when K is not positive definite; the factor keeps the
 * complete blocks before it. GANNET_ERR_MEMORY, before anything is made when the factor is larger
 * than the memory of the machine. Those of rows. All on all ranks of the node.
 * Cost: n^2 (n - old) operations for many new rows, n^2 8 at least; over the number of ranks.
 */
GANNET_CHECKED gannet_err gannet_cholesky_extend(gannet_cholesky *factor, int n,
                                                 gannet_kernel_rows rows, void *user);

/* Make the factor anew, of rows whose bits do not depend on how many are asked for at once. Every
 * rank of a node then asks for the rows of its own panels.
 *
 * Local; collective over the node of a shared factor, n the same on all ranks.
 *
 * rows  in  as for gannet_cholesky_extend, but called with first a multiple of 32
 *
 * Errors: as gannet_cholesky_extend.
 */
GANNET_CHECKED gannet_err gannet_cholesky_factorise(gannet_cholesky *factor, int n,
                                                    gannet_kernel_rows rows, void *user);

/* Number of rows.
 *
 * Local.
 */
int gannet_cholesky_size(const gannet_cholesky *factor);

/* Row i of L, of which i + 1 numbers count, borrowed until the factor changes. Rows of the same
 * sixty-four are *step numbers apart.
 *
 * Local.
 */
const double *gannet_cholesky_row(const gannet_cholesky *factor, int i, size_t *step);

/* Overwrite b with L^-1 b, L^-T b, or K^-1 b. Each of the m right-hand sides is a row of b.
 *
 * Local.
 *
 * b  inout  [m][ldb], the first n of each row
 */
void gannet_cholesky_forward(const gannet_cholesky *factor, int m, double *b, int ldb);
void gannet_cholesky_backward(const gannet_cholesky *factor, int m, double *b, int ldb);
void gannet_cholesky_solve(const gannet_cholesky *factor, int m, double *b, int ldb);

/* gannet_cholesky_solve by the ranks of a node together, with the same bits: each reads its part of
 * a shared factor only. With fewer than GANNET_CHOLESKY_SOLVE_TOGETHER rows every rank solves
 * alone.
 *
 * Collective over the node of a shared factor; arguments the same on all ranks.
 *
 * Errors: GANNET_ERR_MPI.
 */
GANNET_CHECKED gannet_err gannet_cholesky_solve_together(gannet_cholesky *factor, int m, double *b,
                                                         int ldb);

/* The same halves for many right-hand sides that every rank has: each rank solves for a part of
 * them, and all ranks get all solutions, with the same bits. Faster from some hundred rows on.
 *
 * Collective over comm; the factor, shared or not, and m the same on all ranks.
 *
 * b  inout  [m][n]
 *
 * Errors: GANNET_ERR_MEMORY, GANNET_ERR_MPI, and GANNET_ERR_SHAPE for rows of 2^34 bytes; from all
 * ranks.
 */
GANNET_CHECKED gannet_err gannet_cholesky_forward_dealt(const gannet_cholesky *factor,
                                                        MPI_Comm comm, int m, double *b);
GANNET_CHECKED gannet_err gannet_cholesky_backward_dealt(const gannet_cholesky *factor,
                                                         MPI_Comm comm, int m, double *b);

/* log det K.
 *
 * Local.
 */
double gannet_cholesky_logdet(const gannet_cholesky *factor);

/* Diagonal of K^-1, for leave-one-out residuals; _part gives the elements of one block row.
 *
 * Local.
 *
 * diagonal  out  [n]
 * block     in   below gannet_cholesky_blocks
 * Cost: n^3 / 3 operations; (n - i B)^2 B for block row i.
 */
void gannet_cholesky_inverse_diagonal_part(const gannet_cholesky *factor, int block,
                                           double *diagonal);
void gannet_cholesky_inverse_diagonal(const gannet_cholesky *factor, double *diagonal);

/* The full inverse, symmetric, both triangles: for the gradient of the marginal likelihood.
 *
 * Local.
 *
 * inverse  out  [n][n]
 */
void gannet_cholesky_inverse(const gannet_cholesky *factor, double *inverse);

/* Some rows of the inverse, from their first diagonal element on: those of block row i, which are
 * rows i B .. of K^-1, in columns i B .. n-1. All of them together are half of it.
 *
 * Local.
 *
 * block    in   i, below gannet_cholesky_blocks
 * inverse  out  [rows of the block][ld]; columns before i B are left as they are
 * Cost: (n - i B)^2 B operations for each of two passes, all in matrix products.
 */
void gannet_cholesky_inverse_rows(const gannet_cholesky *factor, int block, double *inverse,
                                  int ld);
int gannet_cholesky_blocks(const gannet_cholesky *factor);

/* Bytes held; of what a node shares, the part of one rank.
 *
 * Local.
 */
size_t gannet_cholesky_bytes(const gannet_cholesky *factor);

#endif
