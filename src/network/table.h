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
 * bytes holds 16 coefficients in single precision and 8 in double, so there are 16 pieces, or fewer
 * pieces with more terms where picking from fewer coefficients is faster. Registers of 32 bytes
 * pick from 4 in single precision. In double precision they are too short: there are 64 pieces with
 * few terms then, whose coefficients lie in rows of memory.
 *
 *   table/fit.c                               makes tables
 *   table/double.c, single.c, rows.c          look them up
 *   table/gather.h, body.h, dispatch.h        their code: for any processor, one and all registers
 */
#ifndef GANNET_NETWORK_TABLE_H
#define GANNET_NETWORK_TABLE_H

#include <stdbool.h>

typedef enum { GANNET_PRECISION_SINGLE, GANNET_PRECISION_DOUBLE } gannet_precision;

enum { GANNET_TABLE_TERMS = 20, GANNET_TABLE_ROWS = 64, GANNET_TABLE_ROW = 8 };

typedef struct {
  _Alignas(64) union {
    float single[GANNET_TABLE_TERMS][16];
    double twice[GANNET_TABLE_TERMS][16];
    double row[GANNET_TABLE_ROWS][GANNET_TABLE_ROW]; /* of one piece after the other */
  } power; /* coefficients of the powers of the place, by piece; a row is a line of the cache */
  gannet_precision precision;
  double base, slope; /* v = base + slope |x| >= 1, numbers of the precision */
  double reach;
  int terms;
  int pieces; /* 16; 8 or 4, whose coefficients are stored several times; 64 = in rows */
  int bits;   /* bits of the mantissa that belong to the piece */
  bool odd;
  double error; /* largest error found, with exact arithmetic */
} gannet_table;

/* Values of a function at n points; [n] each. */
typedef void (*gannet_table_function)(const void *user, int n, const double *x, double *y);

/* Interpolate a function on [0, reach] at the Chebyshev points of every piece. The table has the
 * fewest terms with an error of at most 8e-8 (single) or 1e-10 (double) times the largest value,
 * and its short pieces at the end where they make the error least.
 *
 * Local.
 *
 * odd     in   f(-x) = -f(x); otherwise f(-x) = f(x)
 * reach   in   > 0
 * table   out  ready when this returns true
 *
 * Returns false when the error stays above 1e-7 (single) or 1e-8 (double) of the largest value
 * found, or a value is not finite in the precision.
 */
bool gannet_table_fit(gannet_table_function function, const void *user, double reach, bool odd,
                      gannet_precision precision, gannet_table *table);

/* y[i] = f(x[i]), x clipped to [-reach, reach]; x and y may be the same array, of floats or doubles
 * as the precision of the table says. Rounding differs between processors.
 *
 * Local.
 */
void gannet_table_apply(const gannet_table *table, int n, const void *x, void *y);

#endif
