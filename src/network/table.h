/* Smooth functions of one variable in single precision, for loops over very many values.
 *
 * An odd or even function is a polynomial of |x| on each of GANNET_TABLE_PIECES pieces of [0,
 * reach], cut where a linear function v of |x| crosses 1, 5/4, 3/2, 7/4, 2, 5/2, ..: the piece and
 * the place in it are the bits of v. Pieces are short at one end, where the function may be steep.
 * The coefficients of a piece are looked up in registers where the processor can.
 */
#ifndef GANNET_NETWORK_TABLE_H
#define GANNET_NETWORK_TABLE_H

#include <stdbool.h>

enum { GANNET_TABLE_PIECES = 32, GANNET_TABLE_TERMS = 8 };

typedef struct {
  float coefficient[GANNET_TABLE_TERMS][GANNET_TABLE_PIECES];
  float base, slope; /* v = base + slope |x|, 1 <= v < 256 */
  float reach;
  int terms; /* 6 or 8 */
  bool odd;
  double error; /* largest one found, of exact arithmetic */
} gannet_table;

/* Values of a function at n points; [n] each. */
typedef void (*gannet_table_function)(const void *user, int n, const double *x, double *y);

/* Interpolate a function on [0, reach] at the Chebyshev points of every piece, the short pieces
 * where that makes the error least.
 *
 * Local.
 *
 * odd     in   f(-x) = -f(x); otherwise f(-x) = f(x)
 * reach   in   > 0
 * table   out  ready when this returns true
 *
 * Returns false when the error stays above 1e-7 of the largest value found, or a value is not
 * finite in single precision.
 */
bool gannet_table_fit(gannet_table_function function, const void *user, double reach, bool odd,
                      gannet_table *table);

/* y[i] = f(x[i]), x clipped to [-reach, reach]; x and y may be the same array. Rounding differs
 * between processors.
 *
 * Local.
 */
void gannet_table_apply(const gannet_table *table, int n, const float *x, float *y);

#endif
