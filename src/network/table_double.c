#define REAL double
#define BITS uint64_t
#define MANTISSA 52
#define ONE 0x3ff0000000000000u
#define LANES 8
#define ROWS(table) (table)->power.twice
#define MOST TABLE_MOST_DOUBLE
#define FOR_TERMS(CASE) CASE(8) CASE(10) CASE(12) CASE(14) CASE(16) CASE(18)
#include "network/table_gather.h"

#ifdef GANNET_HAS_REGISTERS

/* Four coefficients of eight are in a register, moved by halves: one of two picks by the highest
 * bit of piece. */
GANNET_WITH_32_BYTES static inline __attribute__((always_inline)) __m256d pick(__m256i piece,
                                                                               const double *row) {
  const __m256i even = _mm256_slli_epi64(piece, 1);
  const __m256i odd = _mm256_slli_epi64(_mm256_add_epi64(even, _mm256_set1_epi64x(1)), 32);
  const __m256i half = _mm256_blend_epi32(even, odd, 0xaa);
  const __m256 low = _mm256_permutevar8x32_ps(_mm256_castpd_ps(_mm256_loadu_pd(row)), half);
  const __m256 high = _mm256_permutevar8x32_ps(_mm256_castpd_ps(_mm256_loadu_pd(row + 4)), half);
  return _mm256_blendv_pd(_mm256_castps_pd(low), _mm256_castps_pd(high),
                          _mm256_castsi256_pd(_mm256_slli_epi64(piece, 61)));
}

#define TARGET GANNET_WITH_32_BYTES
#define NAME(x) middle_##x
#define VECTOR __m256d
#define INTEGERS __m256i
#define WIDTH 4
#define OF_REAL(operation) _mm256_##operation##_pd
#define OF_BITS(operation) _mm256_##operation##_epi64
#define SET_BITS(value) _mm256_set1_epi64x((long long)(value))
#define AS_BITS _mm256_castpd_si256
#define AS_REAL _mm256_castsi256_pd
#define PICK(piece, row) pick(piece, row)
#define SIZE(x, most) OF_REAL(min)(OF_REAL(andnot)(OF_REAL(set1)(-0.0), x), most)
#define PLACE(v, inside) _mm256_or_si256(_mm256_and_si256(v, inside), SET_BITS(ONE))
#define SIGNED(x, mask, y) OF_REAL (xor)(OF_REAL(and)(x, AS_REAL(mask)), y)
#include "network/table_body.h"

#define TARGET GANNET_WITH_64_BYTES
#define NAME(x) wide_##x
#define VECTOR __m512d
#define INTEGERS __m512i
#define WIDTH 8
#define OF_REAL(operation) _mm512_##operation##_pd
#define OF_BITS(operation) _mm512_##operation##_epi64
#define SET_BITS(value) _mm512_set1_epi64((long long)(value))
#define AS_BITS _mm512_castpd_si512
#define AS_REAL _mm512_castsi512_pd
#define PICK(piece, row) OF_REAL(permutexvar)(piece, OF_REAL(loadu)(row))
#define SIZE(x, most) OF_REAL(range)(x, most, SMALLER_SIZE)
#define PLACE(v, inside) OF_BITS(ternarylogic)(v, inside, SET_BITS(ONE), AND_THEN_OR)
#define SIGNED(x, mask, y) \
  AS_REAL(OF_BITS(ternarylogic)(AS_BITS(x), mask, AS_BITS(y), AND_THEN_XOR))
#include "network/table_body.h"

void table_look_up_double(int width, const gannet_table *table, int n, const double *x, double *y) {
  if (width == 64)
    wide_look_up(table, n, x, y);
  else if (width == 32)
    middle_look_up(table, n, x, y);
  else
    gather(table, n, x, y);
}

#else

void table_look_up_double(int width, const gannet_table *table, int n, const double *x, double *y) {
  (void)width;
  gather(table, n, x, y);
}

#endif
