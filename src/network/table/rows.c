/* Lookup in tables that lie in rows, with registers of 32 bytes: every number reads the row of its
 * piece. The rows of four numbers are turned over by pairs of columns, which takes half as long as
 * it takes shuffles to pick coefficients from a register. */
#include "network/table/lookup.h"

#ifdef GANNET_HAS_REGISTERS
#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define TARGET GANNET_WITH_32_BYTES
#define INLINE static inline __attribute__((always_inline))

enum {
  ROWS = GANNET_TABLE_ROWS,
  ROW = GANNET_TABLE_ROW,
  WIDTH = 4,
  TOGETHER = 4, /* registers, each a chain of operations that wait for each other */
  ROW_BITS = 6  /* of the bytes of a row */
};

_Static_assert(ROW * sizeof(double) == 1 << ROW_BITS, "a row begins at a multiple of its bytes");
_Static_assert(TABLE_FEWEST_ROW == 6 && TABLE_MOST_ROW == 8, "there is code for these terms");

typedef struct {
  const char *rows;
  __m256d base, slope, reach, middle;
  __m256i inside, one;  /* one: the bits of the number 1 */
  __m256i shift, bytes; /* from v to where its row is */
  __m256d sign;         /* the bit that an odd function passes on; 0 = even */
} line;

TARGET static line line_of(const gannet_table *t) {
  const int shift = TABLE_MANTISSA - t->bits;
  return (line){.rows = (const char *)t->power.row,
                .base = _mm256_set1_pd(t->base),
                .slope = _mm256_set1_pd(t->slope),
                .reach = _mm256_set1_pd(t->reach),
                .middle = _mm256_set1_pd(1 + ldexp(0.5, -t->bits)),
                .inside = _mm256_set1_epi64x(((int64_t)1 << shift) - 1),
                .one = _mm256_set1_epi64x((int64_t)TABLE_ONE),
                .shift = _mm256_set1_epi64x(shift - ROW_BITS),
                .bytes = _mm256_set1_epi64x((ROWS - 1) << ROW_BITS),
                .sign = _mm256_set1_pd(t->odd ? -0.0 : 0.0)};
}

/* Two columns of two rows, one in either half of a register. */
TARGET INLINE __m256d pairs(const line *at, int64_t low, int64_t high, int column) {
  const size_t from = (size_t)column * sizeof(double);
  return _mm256_insertf128_pd(
      _mm256_castpd128_pd256(_mm_loadu_pd((const double *)(at->rows + low + from))),
      _mm_loadu_pd((const double *)(at->rows + high + from)), 1);
}

TARGET INLINE __m256d polynomial(const line *at, const int64_t *row, int terms, __m256d r) {
  __m256d sum = {0};
  for (int k = terms - 2; k >= 0; k -= 2) {
    const __m256d even = pairs(at, row[0], row[2], k), odd = pairs(at, row[1], row[3], k);
    const __m256d upper = _mm256_unpackhi_pd(even, odd);
    sum = k == terms - 2 ? upper : _mm256_fmadd_pd(sum, r, upper);
    sum = _mm256_fmadd_pd(sum, r, _mm256_unpacklo_pd(even, odd));
  }
  return sum;
}

TARGET INLINE void values(const line *at, int terms, int count, const double *x, double *y) {
  int64_t row[TOGETHER][WIDTH];
  __m256d r[TOGETHER];
  for (int i = 0; i < count; ++i) {
    const __m256d all = _mm256_loadu_pd(x + i * WIDTH);
    const __m256d size = _mm256_min_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), all), at->reach);
    const __m256i v = _mm256_castpd_si256(_mm256_fmadd_pd(size, at->slope, at->base));
    const __m256i place = _mm256_or_si256(_mm256_and_si256(v, at->inside), at->one);
    _mm256_storeu_si256((__m256i *)row[i],
                        _mm256_and_si256(_mm256_srlv_epi64(v, at->shift), at->bytes));
    r[i] = _mm256_sub_pd(_mm256_castsi256_pd(place), at->middle);
  }
  for (int i = 0; i < count; ++i) {
    const __m256d sign = _mm256_and_pd(_mm256_loadu_pd(x + i * WIDTH), at->sign);
    _mm256_storeu_pd(y + i * WIDTH, _mm256_xor_pd(sign, polynomial(at, row[i], terms, r[i])));
  }
}

TARGET INLINE void look_up(const gannet_table *t, int terms, int n, const double *x, double *y) {
  const line at = line_of(t);
  double rest[WIDTH] = {0};
  int i = 0;
  for (; i + TOGETHER * WIDTH <= n; i += TOGETHER * WIDTH)
    values(&at, terms, TOGETHER, x + i, y + i);
  for (; i < n; i += WIDTH) {
    const size_t bytes = (size_t)(n - i < WIDTH ? n - i : WIDTH) * sizeof *x;
    memcpy(rest, x + i, bytes);
    values(&at, terms, 1, rest, rest);
    memcpy(y + i, rest, bytes);
  }
}

TARGET void table_look_up_rows(const gannet_table *table, int n, const double *x, double *y) {
  if (table->terms == TABLE_FEWEST_ROW)
    look_up(table, TABLE_FEWEST_ROW, n, x, y);
  else
    look_up(table, TABLE_MOST_ROW, n, x, y);
}

#endif
