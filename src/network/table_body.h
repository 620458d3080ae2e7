/* Lookup in tables of one precision; included by the file of each, which defines
 *
 *   REAL, BITS                 numbers, and integers of their size
 *   MANTISSA, ONE              bits of the mantissa, and the number 1 as bits
 *   LANES, VECTOR              numbers in a register of 512 bits, and its type
 *   OF_REAL, OF_BITS           names of the operations on such, and on integers in them
 *   SET_BITS, AS_BITS, AS_REAL
 *   ROWS(table)                coefficients [terms][LANES]
 *   FOR_TERMS(CASE)            CASE(terms) for every number of terms but the largest, MOST
 *   LOOK_UP                    the function
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "network/vector_clones.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>
#define HAS_WIDE 1
#endif

/* Coefficients are gathered from memory. */
static inline __attribute__((always_inline)) void gather_terms(const gannet_table *t, int terms,
                                                               int n, const REAL *x, REAL *y) {
  const REAL base = (REAL)t->base, slope = (REAL)t->slope, reach = (REAL)t->reach;
  const REAL middle = (REAL)(1 + ldexp(0.5, -t->bits));
  const int shift = MANTISSA - t->bits;
  const BITS inside = ((BITS)1 << shift) - 1;
  for (int i = 0; i < n; ++i) {
    const REAL size = x[i] < 0 ? -x[i] : x[i];
    const REAL v = base + (size < reach ? size : reach) * slope;
    BITS bits;
    memcpy(&bits, &v, sizeof bits);
    const BITS piece = (bits >> shift) % LANES, place = (bits & inside) | ONE;
    REAL r, sum = ROWS(t)[terms - 1][piece];
    memcpy(&r, &place, sizeof r);
    r -= middle;
    for (int k = terms - 2; k >= 0; --k) sum = sum * r + ROWS(t)[k][piece];
    y[i] = t->odd && x[i] < 0 ? -sum : sum;
  }
}

#define GATHER_CASE(terms)           \
  case terms:                        \
    gather_terms(t, terms, n, x, y); \
    break;

GANNET_VECTOR_CLONES static void gather(const gannet_table *t, int n, const REAL *x, REAL *y) {
  switch (t->terms) {
    FOR_TERMS(GATHER_CASE)
    default:
      gather_terms(t, MOST, n, x, y);
  }
}

#ifdef HAS_WIDE

/* The same with all coefficients in registers, of which AVX-512 has enough. */
#define WIDE __attribute__((target("arch=x86-64-v4")))

/* Codes of operations: min(|x|, |y|); (a & b) | c; (a & b) ^ c. */
enum { SMALLER_SIZE = 10, AND_THEN_OR = 0xea, AND_THEN_XOR = 0x6a };

enum { TOGETHER = 4 };

typedef struct {
  VECTOR base, slope, reach, middle;
  __m512i inside, shift;
  __m512i sign; /* the bit that an odd function passes on; 0 = even */
} line;

/* Some registers at once, as each is a chain of operations that wait for each other. */
WIDE static inline __attribute__((always_inline)) void values_at(const line *at, int terms,
                                                                 const VECTOR *c, int count,
                                                                 const REAL *x, REAL *y) {
  __m512i piece[TOGETHER];
  VECTOR r[TOGETHER], sum[TOGETHER];
  for (int i = 0; i < count; ++i) {
    const VECTOR size = OF_REAL(range)(OF_REAL(loadu)(x + i * LANES), at->reach, SMALLER_SIZE);
    const __m512i v = AS_BITS(OF_REAL(fmadd)(size, at->slope, at->base));
    const __m512i place = OF_BITS(ternarylogic)(v, at->inside, SET_BITS(ONE), AND_THEN_OR);
    piece[i] = OF_BITS(srlv)(v, at->shift);
    r[i] = OF_REAL(sub)(AS_REAL(place), at->middle);
    sum[i] = OF_REAL(permutexvar)(piece[i], c[terms - 1]);
  }
  for (int k = terms - 2; k >= 0; --k)
    for (int i = 0; i < count; ++i)
      sum[i] = OF_REAL(fmadd)(sum[i], r[i], OF_REAL(permutexvar)(piece[i], c[k]));
  for (int i = 0; i < count; ++i) {
    const __m512i signs = AS_BITS(OF_REAL(loadu)(x + i * LANES));
    OF_REAL(storeu)
    (y + i * LANES, AS_REAL(OF_BITS(ternarylogic)(signs, at->sign, AS_BITS(sum[i]), AND_THEN_XOR)));
  }
}

WIDE static inline __attribute__((always_inline)) void wide_terms(const gannet_table *t, int terms,
                                                                  int n, const REAL *x, REAL *y) {
  const int shift = MANTISSA - t->bits;
  const line at = {.base = OF_REAL(set1)((REAL)t->base),
                   .slope = OF_REAL(set1)((REAL)t->slope),
                   .reach = OF_REAL(set1)((REAL)t->reach),
                   .middle = OF_REAL(set1)((REAL)(1 + ldexp(0.5, -t->bits))),
                   .inside = SET_BITS(((BITS)1 << shift) - 1),
                   .shift = SET_BITS(shift),
                   .sign = SET_BITS(t->odd ? (BITS)1 << (8 * sizeof(BITS) - 1) : 0)};
  VECTOR c[MOST];
  REAL rest[LANES] = {0};
  int i = 0;
  for (int k = 0; k < terms; ++k) c[k] = OF_REAL(loadu)(ROWS(t)[k]);
  for (; i + TOGETHER * LANES <= n; i += TOGETHER * LANES)
    values_at(&at, terms, c, TOGETHER, x + i, y + i);
  for (; i < n; i += LANES) {
    const size_t bytes = (size_t)(n - i < LANES ? n - i : LANES) * sizeof *x;
    memcpy(rest, x + i, bytes);
    values_at(&at, terms, c, 1, rest, rest);
    memcpy(y + i, rest, bytes);
  }
}

#define WIDE_CASE(terms)           \
  case terms:                      \
    wide_terms(t, terms, n, x, y); \
    break;

WIDE static void wide(const gannet_table *t, int n, const REAL *x, REAL *y) {
  switch (t->terms) {
    FOR_TERMS(WIDE_CASE)
    default:
      wide_terms(t, MOST, n, x, y);
  }
}

#endif

void LOOK_UP(const gannet_table *table, int n, const REAL *x, REAL *y) {
#ifdef HAS_WIDE
  if (__builtin_cpu_supports("x86-64-v4")) {
    wide(table, n, x, y);
    return;
  }
#endif
  gather(table, n, x, y);
}
