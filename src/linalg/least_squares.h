/* Dense least squares by Householder QR, for badly scaled systems.
 *
 * Some rows of a system may stay while others change again and again: the rows that stay are
 * reduced to a triangle once, and the others are appended to it. */
#ifndef GANNET_LINALG_LEAST_SQUARES_H
#define GANNET_LINALG_LEAST_SQUARES_H

#include "base/error.h"

/* Minimise |a x - b|. QR does not square the condition, as normal equations would. Where sizes of
 * rows differ, the largest should come first (Powell, Reid 1969).
 *
 * The triangle of a system has p + 1 columns, R and behind it c, of p + 1 rows: R x = c minimises,
 * and what is left has the size of the last row's only entry.
 */

/* The triangle of a system.
 *
 * Local.
 *
 * n, p      in     rows and columns, >= 1; n may be less than p
 * ab        inout  column-major [p + 1][n], b behind a; destroyed
 * triangle  out    column-major [p + 1][p + 1], zero below the diagonal
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_least_squares_reduce(int n, int p, double *ab, double *triangle);

/* The triangle of a system and p more rows that are an upper triangle themselves, in a third of the
 * work of a square system.
 *
 * Local.
 *
 * triangle  inout
 * more      inout  column-major [p + 1][p], right-hand sides behind; not read below the diagonal;
 *                  destroyed
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_least_squares_append(int p, double *triangle, double *more);

/* Local.
 *
 * x  out  [p]
 *
 * Errors: GANNET_ERR_NUMERIC when a has no full rank, or x is not finite.
 */
GANNET_CHECKED gannet_err gannet_least_squares_solve(int p, const double *triangle, double *x);

/* x = R^-1 x and x = R^-T x.
 *
 * Local.
 *
 * x  inout  [p]
 */
void gannet_least_squares_backward(int p, const double *triangle, double *x);
void gannet_least_squares_forward(int p, const double *triangle, double *x);

#endif
