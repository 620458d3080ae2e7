/* Triangular systems for several right-hand sides at once, which lie side by side in the lanes of
 * registers: number k of all of them is x[k * lanes .. + lanes - 1]. Few of them would leave lanes
 * empty; theirs are filled with rows or columns of the matrix, and they lie one after the other by
 * runs of PANEL_RUN numbers: number k of the j-th, k < PANEL_RUN, is x[j * PANEL_RUN + k], and run
 * r begins at x[r * PANEL_RUN * lanes]. Rows of a target are of one run, and what is said to begin
 * at a number of x begins with a run. Private to this room.
 *
 * Every number takes its products one after the other in a fixed order, each by one fused
 * multiply-add where the processor has them. So its bits depend on its own right-hand side and the
 * matrix alone: not on how many others there are, on how rows are cut, nor on the size of
 * registers. That is what the products of BLAS do not give: their order changes with the shape.
 */
#ifndef GANNET_LINALG_PANEL_H
#define GANNET_LINALG_PANEL_H

#include <stddef.h>

enum {
  PANEL_LEAST = 8, /* lanes: 8, 16 or 32 */
  PANEL_MOST = 32,
  PANEL_FEW = 4, /* or 1 to 4, but for take_own, factorise and unpack_past */
  PANEL_RUN = 64
};

typedef struct panel_ways {
  /* Rows of numbers to lanes and back; lanes beyond the rows become 0.
   *
   * rows  in, out  [m][ld], of which n columns count
   * x     out, in  [n][lanes]
   */
  void (*pack)(int lanes, int m, int n, const double *rows, size_t ld, double *x);
  void (*unpack)(int lanes, int m, int n, const double *x, double *rows, size_t ld);

  /* The same for rows that other processors have in their caches, past the own one: to take lines
   * of memory from there takes five times as long as to write them. What is written is seen by
   * others after panel_settle. rows and ld are multiples of 64 bytes. */
  void (*unpack_past)(int lanes, int m, int n, const double *x, double *rows, size_t ld);

  /* target[r] -= sum_k l[r][k] x[k], k ascending: what numbers before those of the target give.
   *
   * l       in     [rows][ld], of which k columns count
   * x       in     [k][lanes]
   * target  inout  [rows][lanes]
   */
  void (*take_before)(int lanes, int rows, int k, const double *l, size_t ld, const double *x,
                      double *target);

  /* The same where row r of L is lane r of x: the products of some rows with each other. */
  void (*take_own)(int lanes, int rows, int k, const double *x, double *target);

  /* target[k] -= sum_r l[r][k] x[r], r ascending: what numbers after those of the target give. */
  void (*take_after)(int lanes, int rows, int k, const double *l, size_t ld, const double *x,
                     double *target);

  /* x = L^-1 x, or L^-T x, with a triangle of few rows.
   *
   * l  in     [rows][ld], lower triangle
   * x  inout  [rows][lanes]
   */
  void (*solve)(int lanes, int rows, const double *l, size_t ld, double *x);
  void (*solve_transposed)(int lanes, int rows, const double *l, size_t ld, double *x);

  /* Rows of a Cholesky factor from those of the matrix, with lane r the row r: what is right of the
   * diagonal becomes anything. Returns the first row whose pivot is not positive, or -1.
   *
   * x  inout  [rows][lanes], rows <= lanes
   */
  int (*factorise)(int lanes, int rows, double *x);
} panel_ways;

/* For registers of 64, 32 or 16 bytes.
 *
 * Local.
 */
const panel_ways *panel_ways_for(int register_bytes);

/* To be called between what was written past the caches and the store that tells others of it.
 *
 * Local.
 */
void panel_settle(void);

/* Lanes for so many right-hand sides, at most PANEL_MOST.
 *
 * Local.
 */
int panel_lanes(int m);

#endif
