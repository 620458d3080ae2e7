/* Vector kernels for triangular systems with several right-hand sides.
 *
 * Terms
 *   panel   right-hand sides of a triangular system L x = b that are solved at once
 *   lane    one right-hand side of a panel: one place of a vector register
 *   lanes   number of lanes: 8, 16 or 32; or 1 to PANEL_FEW (a "few" panel)
 *   run     PANEL_RUN consecutive numbers of one right-hand side of a few panel
 *
 * In a panel of 8 or more lanes the right-hand sides lie side by side: number k of right-hand side
 * j is x[k * lanes + j]. A few panel would leave most of a register empty, so its kernels fill the
 * registers with rows or columns of the matrix instead, and its right-hand sides lie one after the
 * other by runs: run r begins at x[r * PANEL_RUN * lanes], and number k < PANEL_RUN of right-hand
 * side j in it is x[j * PANEL_RUN + k]. The rows of a target lie in one run, and an argument that
 * begins at some number of x begins at the start of a run.
 *
 * Every number of a result takes its products one after the other in a fixed order, each by one
 * fused multiply-add where the processor has them. Its bits therefore depend on its own right-hand
 * side and on the matrix alone: not on the number of other right-hand sides, on how rows are cut,
 * or on the size of registers. BLAS does not promise that: its order changes with the shape.
 *
 * How the kernels are made
 *   dispatch.c             includes the templates once per instruction set and chooses a set
 *   panel_template.h       the kernels for 8 and more lanes, and the table NAME(panel_kernels)
 *   panel_few_template.h   the kernels for few lanes; included by panel_template.h
 *
 * NAME(f) in a template becomes baseline_f, avx2_f and avx512_f: a debugger shows avx2_solve, and
 * the source to look for is NAME(solve).
 *
 * Private to linalg.
 */
#ifndef GANNET_LINALG_SIMD_KERNELS_PANEL_H
#define GANNET_LINALG_SIMD_KERNELS_PANEL_H

#include <stddef.h>

enum {
  PANEL_LEAST = 8, /* lanes of the smallest panel that is not few */
  PANEL_MOST = 32, /* lanes of the largest panel */
  PANEL_FEW = 4,   /* lanes of the largest few panel */
  PANEL_RUN = 64
};

/* Kernels for one instruction set. subtract_self_product, factorise and unpack_streaming take no
 * few panels. */
typedef struct panel_kernels {
  /* Copy right-hand sides from rows into a panel, and back. pack sets lanes beyond m to 0.
   *
   * rows  in, out  [m][ld], of which n columns count
   * x     out, in  [n][lanes]
   */
  void (*pack)(int lanes, int m, int n, const double *rows, size_t ld, double *x);
  void (*unpack)(int lanes, int m, int n, const double *x, double *rows, size_t ld);

  /* unpack by stores that bypass the caches of this core. Rows that another core has in its cache
   * are written in a fifth of the time that way. Call panel_store_fence before telling others that
   * the rows are written. rows and ld are multiples of 64 bytes. */
  void (*unpack_streaming)(int lanes, int m, int n, const double *x, double *rows, size_t ld);

  /* target[r] -= sum_k l[r][k] x[k], k ascending: a step of forward substitution.
   *
   * l       in     [rows][ld], of which k columns count
   * x       in     [k][lanes]
   * target  inout  [rows][lanes]
   */
  void (*subtract_product)(int lanes, int rows, int k, const double *l, size_t ld, const double *x,
                           double *target);

  /* subtract_product where row r of L is lane r of x: products of rows with each other. */
  void (*subtract_self_product)(int lanes, int rows, int k, const double *x, double *target);

  /* target[k] -= sum_r l[r][k] x[r], r ascending: a step of backward substitution.
   *
   * l       in     [rows][ld], of which k columns count
   * x       in     [rows][lanes]
   * target  inout  [k][lanes]
   */
  void (*subtract_transposed)(int lanes, int rows, int k, const double *l, size_t ld,
                              const double *x, double *target);

  /* x = L^-1 x, or L^-T x, for the triangle of a block row.
   *
   * l  in     [rows][ld], lower triangle
   * x  inout  [rows][lanes]
   */
  void (*solve)(int lanes, int rows, const double *l, size_t ld, double *x);
  void (*solve_transposed)(int lanes, int rows, const double *l, size_t ld, double *x);

  /* The Cholesky factor of a small matrix, row r in lane r. Numbers right of the diagonal become
   * anything. Returns the first row whose pivot is not positive, or -1.
   *
   * x  inout  [rows][lanes], rows <= lanes
   */
  int (*factorise)(int lanes, int rows, double *x);
} panel_kernels;

/* The kernels for registers of 64 (AVX-512), 32 (AVX2) or 16 bytes (any processor).
 *
 * Local.
 */
const panel_kernels *panel_dispatch(int register_bytes);

/* Order the stores of unpack_streaming before every later store of this thread.
 *
 * Local.
 */
void panel_store_fence(void);

/* Lanes of the smallest panel for m right-hand sides, 1 .. PANEL_MOST, that is not few.
 *
 * Local.
 */
int panel_lanes(int m);

#endif
