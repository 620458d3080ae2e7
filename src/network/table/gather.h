/* Lookup in tables of one precision on any processor: coefficients are gathered from memory. The
 * file of each precision includes this one after it has defined
 *
 *   REAL, BITS              numbers, and integers of their size
 *   MANTISSA, ONE           bits of the mantissa, and the number 1 as bits
 *   LANES                   coefficients of a power
 *   ROWS(table)             coefficients [terms][LANES]
 *   OF_PIECE(table, piece)  the first coefficient of a piece, of which the low bits count;
 *                           STEP(table) numbers further is the next one
 *   FOR_TERMS(CASE)         CASE(terms) for every number of terms but the largest, MOST
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/registers.h"
#include "network/table/lookup.h"

#ifdef GANNET_HAS_REGISTERS
#include <immintrin.h>
#endif

static inline __attribute__((always_inline)) void gather_terms(const gannet_table *t, int terms,
                                                               int n, const REAL *x, REAL *y) {
  const REAL base = (REAL)t->base, slope = (REAL)t->slope, reach = (REAL)t->reach;
  const REAL middle = (REAL)(1 + ldexp(0.5, -t->bits));
  const int shift = MANTISSA - t->bits, step = STEP(t);
  const BITS inside = ((BITS)1 << shift) - 1;
  for (int i = 0; i < n; ++i) {
    const REAL size = x[i] < 0 ? -x[i] : x[i];
    const REAL v = base + (size < reach ? size : reach) * slope;
    BITS bits;
    memcpy(&bits, &v, sizeof bits);
    const BITS piece = bits >> shift, place = (bits & inside) | ONE;
    const REAL *power = OF_PIECE(t, piece);
    REAL r, sum = power[(terms - 1) * step];
    memcpy(&r, &place, sizeof r);
    r -= middle;
    for (int k = terms - 2; k >= 0; --k) sum = sum * r + power[k * step];
    y[i] = t->odd && x[i] < 0 ? -sum : sum;
  }
}

#define GATHER_CASE(terms)           \
  case terms:                        \
    gather_terms(t, terms, n, x, y); \
    break;

static void gather(const gannet_table *t, int n, const REAL *x, REAL *y) {
  switch (t->terms) {
    FOR_TERMS(GATHER_CASE)
    default:
      gather_terms(t, MOST, n, x, y);
  }
}

/* Registers at once, and codes of operations: min(|x|, |y|); (a & b) | c; (a & b) ^ c. */
enum { TOGETHER = 4, SMALLER_SIZE = 10, AND_THEN_OR = 0xea, AND_THEN_XOR = 0x6a };
