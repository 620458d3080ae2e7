#define REAL float
#define BITS uint32_t
#define MANTISSA 23
#define ONE 0x3f800000u
#define LANES 16
#define ROWS(table) (table)->power.single
#define MOST TABLE_MOST_SINGLE
#define FOR_TERMS(CASE) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)
#include "network/table_gather.h"

#ifdef GANNET_HAS_REGISTERS

/* Eight coefficients of sixteen are in a register: one of two picks by the highest bit of piece. */
GANNET_WITH_32_BYTES static inline __attribute__((always_inline)) __m256 pick(__m256i piece,
                                                                              const float *row) {
  const __m256 low = _mm256_permutevar8x32_ps(_mm256_loadu_ps(row), piece);
  const __m256 high = _mm256_permutevar8x32_ps(_mm256_loadu_ps(row + 8), piece);
  return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(piece, 28)));
}

#define TARGET GANNET_WITH_32_BYTES
#define NAME(x) middle_##x
#define VECTOR __m256
#define INTEGERS __m256i
#define WIDTH 8
#define OF_REAL(operation) _mm256_##operation##_ps
#define OF_BITS(operation) _mm256_##operation##_epi32
#define SET_BITS(value) _mm256_set1_epi32((int)(value))
#define AS_BITS _mm256_castps_si256
#define AS_REAL _mm256_castsi256_ps
#define PICK(piece, row) pick(piece, row)
#define SIZE(x, most) OF_REAL(min)(OF_REAL(andnot)(OF_REAL(set1)(-0.0F), x), most)
#define PLACE(v, inside) _mm256_or_si256(_mm256_and_si256(v, inside), SET_BITS(ONE))
#define SIGNED(x, mask, y) OF_REAL (xor)(OF_REAL(and)(x, AS_REAL(mask)), y)
#include "network/table_body.h"

#define TARGET GANNET_WITH_64_BYTES
#define NAME(x) wide_##x
#define VECTOR __m512
#define INTEGERS __m512i
#define WIDTH 16
#define OF_REAL(operation) _mm512_##operation##_ps
#define OF_BITS(operation) _mm512_##operation##_epi32
#define SET_BITS(value) _mm512_set1_epi32((int)(value))
#define AS_BITS _mm512_castps_si512
#define AS_REAL _mm512_castsi512_ps
#define PICK(piece, row) OF_REAL(permutexvar)(piece, OF_REAL(loadu)(row))
#define SIZE(x, most) OF_REAL(range)(x, most, SMALLER_SIZE)
#define PLACE(v, inside) OF_BITS(ternarylogic)(v, inside, SET_BITS(ONE), AND_THEN_OR)
#define SIGNED(x, mask, y) \
  AS_REAL(OF_BITS(ternarylogic)(AS_BITS(x), mask, AS_BITS(y), AND_THEN_XOR))
#include "network/table_body.h"

void table_look_up_single(int width, const gannet_table *table, int n, const float *x, float *y) {
  if (width == 64)
    wide_look_up(table, n, x, y);
  else if (width == 32)
    middle_look_up(table, n, x, y);
  else
    gather(table, n, x, y);
}

#else

void table_look_up_single(int width, const gannet_table *table, int n, const float *x, float *y) {
  (void)width;
  gather(table, n, x, y);
}

#endif
