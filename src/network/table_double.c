#define REAL double
#define BITS uint64_t
#define MANTISSA 52
#define ONE 0x3ff0000000000000u
#define LANES 16
#define FEW_32 TABLE_FEW
#define SOME_32 TABLE_SOME
#define FEW_64 TABLE_SOME
#define ROWS(table) (table)->power.twice
#define MOST TABLE_MOST_DOUBLE
#define FOR_TERMS(CASE) CASE(8) CASE(10) CASE(12) CASE(14) CASE(16) CASE(18) CASE(20) CASE(22)
#include "network/table_gather.h"

#ifdef GANNET_HAS_REGISTERS

/* Four coefficients are in a register, which is moved by halves. */
GANNET_WITH_32_BYTES static inline __attribute__((always_inline)) __m256d pick_four(
    __m256i piece, const double *row) {
  const __m256i even = _mm256_slli_epi64(piece, 1);
  const __m256i odd = _mm256_slli_epi64(_mm256_add_epi64(even, _mm256_set1_epi64x(1)), 32);
  const __m256i half = _mm256_blend_epi32(even, odd, 0xaa);
  return _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(_mm256_loadu_pd(row)), half));
}

/* Of eight, one of two registers picks by the highest bit of piece; of sixteen, one of four by the
 * highest two. */
GANNET_WITH_32_BYTES static inline __attribute__((always_inline)) __m256d pick_of_eight(
    __m256i piece, const double *row) {
  return _mm256_blendv_pd(pick_four(piece, row), pick_four(piece, row + 4),
                          _mm256_castsi256_pd(_mm256_slli_epi64(piece, 61)));
}

GANNET_WITH_32_BYTES static inline __attribute__((always_inline)) __m256d pick(__m256i piece,
                                                                               const double *row,
                                                                               int pieces) {
  if (pieces == FEW_32) return pick_four(piece, row);
  if (pieces == SOME_32) return pick_of_eight(piece, row);
  return _mm256_blendv_pd(pick_of_eight(piece, row), pick_of_eight(piece, row + 8),
                          _mm256_castsi256_pd(_mm256_slli_epi64(piece, 60)));
}

#endif

/* Eight of sixteen are in a register, and one shuffle takes from two. */
#define PICK_64(piece, row, pieces)                         \
  ((pieces) == FEW_64                                       \
       ? _mm512_permutexvar_pd(piece, _mm512_loadu_pd(row)) \
       : _mm512_permutex2var_pd(_mm512_loadu_pd(row), piece, _mm512_loadu_pd((row) + 8)))
#define SHORT_REAL pd
#define SHORT_BITS epi64
#define VECTOR_32 __m256d
#define VECTOR_64 __m512d
#define SET_BITS_32(value) _mm256_set1_epi64x((long long)(value))
#define SET_BITS_64(value) _mm512_set1_epi64((long long)(value))
#define LOOK_UP table_look_up_double
#include "network/table_ways.h"
