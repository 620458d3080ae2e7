/* Lookup in tables that lie in columns, with registers of 64 bytes: the coefficients of eight
 * numbers are picked from one register, or by one shuffle from two. */
#include "network/table/lookup.h"

#ifdef GANNET_HAS_REGISTERS
#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define TARGET GANNET_WITH_64_BYTES
#define INLINE static inline __attribute__((always_inline))

enum {
  WIDTH = 8,
  TOGETHER = 4, /* registers, each a chain of operations that wait for each other */
  /* codes of operations: min(|x|, |y|); (a & b) | c; (a & b) ^ c */
  SMALLER_SIZE = 10,
  AND_THEN_OR = 0xea,
  AND_THEN_XOR = 0x6a
};

typedef struct {
  __m512d base, slope, reach, middle;
  __m512i inside, shift, one;
  __m512i sign; /* the bit that an odd function passes on; 0 = even */
} line;

TARGET INLINE __m512d pick(__m512i piece, const double *column, int pieces) {
  return pieces == TABLE_FEW
             ? _mm512_permutexvar_pd(piece, _mm512_loadu_pd(column))
             : _mm512_permutex2var_pd(_mm512_loadu_pd(column), piece, _mm512_loadu_pd(column + 8));
}

TARGET INLINE void look_up_registers(const line *at, const gannet_table *t, int terms, int pieces,
                                     int count, const double *x, double *y) {
  __m512i piece[TOGETHER];
  __m512d r[TOGETHER], sum[TOGETHER];
  for (int i = 0; i < count; ++i) {
    const __m512d size = _mm512_range_pd(_mm512_loadu_pd(x + i * WIDTH), at->reach, SMALLER_SIZE);
    const __m512i v = _mm512_castpd_si512(_mm512_fmadd_pd(size, at->slope, at->base));
    piece[i] = _mm512_srlv_epi64(v, at->shift);
    r[i] = _mm512_sub_pd(
        _mm512_castsi512_pd(_mm512_ternarylogic_epi64(v, at->inside, at->one, AND_THEN_OR)),
        at->middle);
    sum[i] = pick(piece[i], t->power.column[terms - 1], pieces);
  }
  for (int k = terms - 2; k >= 0; --k)
    for (int i = 0; i < count; ++i)
      sum[i] = _mm512_fmadd_pd(sum[i], r[i], pick(piece[i], t->power.column[k], pieces));
  for (int i = 0; i < count; ++i)
    _mm512_storeu_pd(y + i * WIDTH, _mm512_castsi512_pd(_mm512_ternarylogic_epi64(
                                        _mm512_castpd_si512(_mm512_loadu_pd(x + i * WIDTH)),
                                        at->sign, _mm512_castpd_si512(sum[i]), AND_THEN_XOR)));
}

TARGET INLINE void look_up_pieces(const gannet_table *t, int terms, int pieces, int n,
                                  const double *x, double *y) {
  const int shift = TABLE_MANTISSA - t->bits;
  const line at = {.base = _mm512_set1_pd(t->base),
                   .slope = _mm512_set1_pd(t->slope),
                   .reach = _mm512_set1_pd(t->reach),
                   .middle = _mm512_set1_pd(1 + ldexp(0.5, -t->bits)),
                   .inside = _mm512_set1_epi64(((long long)1 << shift) - 1),
                   .shift = _mm512_set1_epi64(shift),
                   .one = _mm512_set1_epi64((long long)TABLE_ONE),
                   .sign = _mm512_set1_epi64(t->odd ? INT64_MIN : 0)};
  double rest[WIDTH] = {0};
  int i = 0;
  for (; i + TOGETHER * WIDTH <= n; i += TOGETHER * WIDTH)
    look_up_registers(&at, t, terms, pieces, TOGETHER, x + i, y + i);
  for (; i < n; i += WIDTH) {
    const size_t bytes = (size_t)(n - i < WIDTH ? n - i : WIDTH) * sizeof *x;
    memcpy(rest, x + i, bytes);
    look_up_registers(&at, t, terms, pieces, 1, rest, rest);
    memcpy(y + i, rest, bytes);
  }
}

TARGET INLINE void look_up_terms(const gannet_table *t, int terms, int n, const double *x,
                                 double *y) {
  if (t->pieces <= TABLE_FEW)
    look_up_pieces(t, terms, TABLE_FEW, n, x, y);
  else
    look_up_pieces(t, terms, TABLE_LANES, n, x, y);
}

TARGET void table_look_up_columns(const gannet_table *t, int n, const double *x, double *y) {
  switch (t->terms) {
    case 6:
      look_up_terms(t, 6, n, x, y);
      break;
    case 8:
      look_up_terms(t, 8, n, x, y);
      break;
    case 10:
      look_up_terms(t, 10, n, x, y);
      break;
    case 12:
      look_up_terms(t, 12, n, x, y);
      break;
    case 14:
      look_up_terms(t, 14, n, x, y);
      break;
    case 16:
      look_up_terms(t, 16, n, x, y);
      break;
    case 18:
      look_up_terms(t, 18, n, x, y);
      break;
    default:
      look_up_terms(t, TABLE_MOST, n, x, y);
      break;
  }
}

#endif
