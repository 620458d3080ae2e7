#define REAL float
#define BITS uint32_t
#define MANTISSA 23
#define ONE 0x3f800000u
#define LANES 16
#define FEW_32 TABLE_FEW
#define ROWS(table) (table)->power.single
#define OF_PIECE(table, piece) &ROWS(table)[0][(piece) % LANES]
#define STEP(table) ((void)(table), LANES)
#define MOST TABLE_MOST_SINGLE
#define FOR_TERMS(CASE) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11)
#include "network/table/gather.h"

#ifdef GANNET_HAS_REGISTERS

/* Four coefficients are there twice, in either half of a register, and nothing crosses the middle,
 * which takes longer. Of sixteen, eight are in a register: one of two picks by the highest bit of
 * piece. */
GANNET_WITH_32_BYTES static inline __attribute__((always_inline)) __m256 pick(__m256i piece,
                                                                              const float *row,
                                                                              int pieces) {
  if (pieces == FEW_32) return _mm256_permutevar_ps(_mm256_loadu_ps(row), piece);
  const __m256 low = _mm256_permutevar8x32_ps(_mm256_loadu_ps(row), piece);
  const __m256 high = _mm256_permutevar8x32_ps(_mm256_loadu_ps(row + 8), piece);
  return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(piece, 28)));
}

#endif

#define PICK_64(piece, row, pieces) \
  ((void)(pieces), _mm512_permutexvar_ps(piece, _mm512_loadu_ps(row)))
#define FEW_64 LANES
#define SHORT_REAL ps
#define SHORT_BITS epi32
#define VECTOR_32 __m256
#define VECTOR_64 __m512
#define SET_BITS_32(value) _mm256_set1_epi32((int)(value))
#define SET_BITS_64(value) _mm512_set1_epi32((int)(value))
#define LOOK_UP table_look_up_single
#include "network/table/dispatch.h"
