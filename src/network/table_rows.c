/* Lookup in tables that lie in rows: every number reads the row of its piece. Where four numbers
 * are in a register their rows are turned over by pairs of columns, which takes half as long as it
 * takes shuffles to pick coefficients from a register. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/registers.h"
#include "network/table_lookup.h"

#ifdef GANNET_HAS_REGISTERS
#include <immintrin.h>
#endif

enum { ROWS = GANNET_TABLE_ROWS, ROW = GANNET_TABLE_ROW, MANTISSA = 52 };

static const uint64_t one = 0x3ff0000000000000u; /* the number 1 as bits */

static double middle_of(const gannet_table *t) {
  return 1 + ldexp(0.5, -t->bits);
}

static uint64_t inside_of(const gannet_table *t) {
  return ((uint64_t)1 << (MANTISSA - t->bits)) - 1;
}

/* In any processor. */
static void gather(const gannet_table *t, int n, const double *x, double *y) {
  const double middle = middle_of(t);
  const uint64_t inside = inside_of(t);
  for (int i = 0; i < n; ++i) {
    const double v = t->base + fmin(fabs(x[i]), t->reach) * t->slope;
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    const uint64_t place = (bits & inside) | one;
    const double *row = t->power.row[(bits >> (MANTISSA - t->bits)) % ROWS];
    double r, sum = row[t->terms - 1];
    memcpy(&r, &place, sizeof r);
    r -= middle;
    for (int k = t->terms - 2; k >= 0; --k) sum = sum * r + row[k];
    y[i] = t->odd && x[i] < 0 ? -sum : sum;
  }
}

#ifdef GANNET_HAS_REGISTERS

#define TARGET GANNET_WITH_32_BYTES
#define INLINE static inline __attribute__((always_inline))

enum {
  WIDTH = 4,
  TOGETHER = 4, /* registers, each a chain of operations that wait for each other */
  ROW_BITS = 6  /* of the bytes of a row */
};

_Static_assert(ROW * sizeof(double) == 1 << ROW_BITS, "a row begins at a multiple of its bytes");
_Static_assert(TABLE_FEWEST_ROW == 6 && TABLE_MOST_ROW == 8, "there is code for these terms");

typedef struct {
  const char *rows;
  __m256d base, slope, reach, middle;
  __m256i inside, one;
  __m256i shift, bytes; /* from v to where its row is */
  __m256d sign;         /* the bit that an odd function passes on; 0 = even */
} line;

TARGET static line line_of(const gannet_table *t) {
  return (line){.rows = (const char *)t->power.row,
                .base = _mm256_set1_pd(t->base),
                .slope = _mm256_set1_pd(t->slope),
                .reach = _mm256_set1_pd(t->reach),
                .middle = _mm256_set1_pd(middle_of(t)),
                .inside = _mm256_set1_epi64x((long long)inside_of(t)),
                .one = _mm256_set1_epi64x((long long)one),
                .shift = _mm256_set1_epi64x(MANTISSA - t->bits - ROW_BITS),
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

TARGET static void with_32_bytes(const gannet_table *t, int n, const double *x, double *y) {
  if (t->terms == TABLE_FEWEST_ROW)
    look_up(t, TABLE_FEWEST_ROW, n, x, y);
  else
    look_up(t, TABLE_MOST_ROW, n, x, y);
}

void table_look_up_rows(int width, const gannet_table *table, int n, const double *x, double *y) {
  if (width >= 32)
    with_32_bytes(table, n, x, y);
  else
    gather(table, n, x, y);
}

#else

void table_look_up_rows(int width, const gannet_table *table, int n, const double *x, double *y) {
  (void)width;
  gather(table, n, x, y);
}

#endif
