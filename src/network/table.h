/* Evaluate a smooth function of one variable very often, by a table of polynomials.
 *
 * The function is odd or even. [0, reach] is cut into pieces, and on each piece the function is a
 * polynomial of |x|. Pieces and places in them are found without a search: a linear function v of
 * |x| runs from 1 to a power of 2, and
 *
 *   piece  the low bits of the exponent of v, with the highest bits of its mantissa
 *   place  the bits of the mantissa that follow
 *
 * Pieces are therefore of one length, or shorter and shorter towards one end, where the function
 * may be steep.
 *
 * A processor picks the coefficients of several numbers at once from registers. A register of 64
 * bytes holds 8 coefficients, and one shuffle picks from two registers, so there are 16 pieces, or
 * 8 with more terms. Registers of 32 bytes are too short: there are 64 pieces with few terms then,
 * whose coefficients lie in rows of memory.
 *
 *   table/fit.c                     makes tables
 *   table/gather.c, columns.c, rows.c  look them up: with any registers, and with large ones
 */
#ifndef GANNET_NETWORK_TABLE_H
#define GANNET_NETWORK_TABLE_H

#include <stdbool.h>

enum { GANNET_TABLE_TERMS = 20, GANNET_TABLE_ROWS = 64, GANNET_TABLE_ROW = 8 };

typedef struct {
  _Alignas(64) union {
    double column[GANNET_TABLE_TERMS][16];
    double row[GANNET_TABLE_ROWS][GANNET_TABLE_ROW]; /* of one piece after the other */
  } power; /* coefficients of the powers of the place, by piece; a row is a line of the cache */
  double base, slope; /* v = base + slope |x| >= 1 */
  double reach;
  int terms;
  int pieces; /* 16; 8, whose coefficients are stored several times; 64 = in rows */
  int bits;   /* bits of the mantissa that belong to the piece */
  bool odd;
  double error; /* largest error found, with exact arithmetic */
} gannet_table;

/* Values of a function at n points; [n] each. */
typedef void (*gannet_table_function)(const void *user, int n, const double *x, double *y);

/* Interpolate a function on [0, reach] at the Chebyshev points of every piece. The table has the
 * fewest terms with an error of at most 1e-10 times the largest value, and its short pieces at the
 * end where they make the error least.
 *
 * Local.
 *
 * odd     in   f(-x) = -f(x); otherwise f(-x) = f(x)
 * reach   in   > 0
 * table   out  ready when this returns true
 *
 * Returns false when the error stays above 1e-8 of the largest value found, or a value is
 * not finite.
 */
bool gannet_table_fit(gannet_table_function function, const void *user, double reach, bool odd,
                      gannet_table *table);

/* y[i] = f(x[i]), x clipped to [-reach, reach]; x and y may be the same array. Rounding
 * differs between processors.
 *
 * Local.
 */
void gannet_table_apply(const gannet_table *table, int n, const double *x, double *y);

#endif
