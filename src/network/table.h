/* Smooth functions of one variable, for loops over very many values.
 *
 * An odd or even function is a polynomial of |x| on each of 16 pieces of [0, reach], or on fewer of
 * them, with more terms, where registers pick coefficients from fewer faster. Sixteen of a power
 * fit into one register of 64 bytes in single precision and eight in double; of registers of 32
 * bytes it is four that are picked by one shuffle in single precision. In double they are too short
 * for that: there are 64 pieces with few terms, which lie in rows of memory. A linear function v of
 * |x| runs from 1 to a power of 2; the piece is the low bits of its exponent with the highest of
 * its mantissa, and the place in it the bits that follow. So pieces may be of one length, or ever
 * shorter to one end, where the function may be steep.
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
  } power; /* coefficients of the powers of the place, by the low bits of the piece; a row is a
              line of the cache */
  gannet_precision precision;
  double base, slope; /* v = base + slope |x| >= 1, numbers of the precision */
  double reach;
  int terms;
  int pieces; /* 16; 8 or 4, whose coefficients are there several times; 64 = in rows */
  int bits;   /* of the mantissa that belong to the piece */
  bool odd;
  double error; /* largest one found, of exact arithmetic */
} gannet_table;

/* Values of a function at n points; [n] each. */
typedef void (*gannet_table_function)(const void *user, int n, const double *x, double *y);

/* Interpolate a function on [0, reach] at the Chebyshev points of every piece, with the fewest
 * terms that reach 8e-8 (single) or 1e-10 (double) of the largest value, and the short pieces where
 * that makes the error least.
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
