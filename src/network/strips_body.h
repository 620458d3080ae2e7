/* Products of strips in one precision; included by the file of each, which defines REAL and the
 * name TABLE of the functions. */
#include "network/strips.h"
#include "network/vector_clones.h"

enum { ROWS = GANNET_STRIP_ROWS, LANES = 64 / sizeof(REAL) };

typedef REAL vector __attribute__((vector_size(64), aligned(sizeof(REAL)), may_alias));

static void pack(int rows, int columns, const gannet_strips_source *from, int across, void *to) {
  REAL *out = to;
  for (int i = 0; i < rows; ++i) {
    const double *row = from->at + (size_t)i * from->row_step;
    REAL *place = out + (size_t)(i / across) * (size_t)columns * (size_t)across + i % across;
    for (size_t k = 0; k < (size_t)columns; ++k)
      place[k * (size_t)across] = (REAL)row[k * from->column_step];
  }
}

GANNET_VECTOR_CLONES static void multiply(int inner, int n_rows, const void *rows,
                                          const void *strip, void *products) {
  const vector *x = strip;
  const REAL *row = rows;
  vector *out = products;
  for (int i = 0; i < n_rows; i += ROWS, row += (size_t)ROWS * (size_t)inner, out += ROWS) {
    vector sum[ROWS] = {0};
    for (int k = 0; k < inner; ++k)
#pragma GCC unroll 8
      for (int r = 0; r < ROWS; ++r) sum[r] += x[k] * row[k * ROWS + r];
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; ++r) out[r] = sum[r];
  }
}

/* Sums of several i at once, where there are few j: additions wait for each other. */
static inline __attribute__((always_inline)) void weigh_width(int n, int width,
                                                              const vector *values,
                                                              const REAL *weights,
                                                              const vector *scale, vector *sums) {
  const int chains = ROWS / width;
  vector sum[ROWS] = {0};
  for (int i = 0; i < n; i += chains, values += chains, weights += ROWS)
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; ++r) sum[r] += values[r / width] * weights[r];
#pragma GCC unroll 8
  for (int r = width; r < ROWS; ++r) sum[r % width] += sum[r];
#pragma GCC unroll 8
  for (int j = 0; j < width; ++j) {
    if (scale) sum[j] *= *scale;
    sums[j] += sum[j];
  }
}

GANNET_VECTOR_CLONES static void weigh(int n, int width, const void *values, const void *weights,
                                       const void *scale, void *sums) {
  switch (width) {
    case 1:
      weigh_width(n, 1, values, weights, scale, sums);
      break;
    case 2:
      weigh_width(n, 2, values, weights, scale, sums);
      break;
    case 4:
      weigh_width(n, 4, values, weights, scale, sums);
      break;
    default:
      weigh_width(n, ROWS, values, weights, scale, sums);
  }
}

/* Two strips, so that every number of the factor serves two products. */
GANNET_VECTOR_CLONES static void solve(int begin, int end, const void *factor, void *first,
                                       void *second) {
  const REAL *l = factor;
  vector *a = first, *b = second;
  for (int i = begin; i < end; i += ROWS) {
    vector x[ROWS], y[ROWS];
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; ++r) {
      x[r] = a[i + r];
      y[r] = b[i + r];
    }
    for (int k = 0; k < i; ++k, l += ROWS)
#pragma GCC unroll 8
      for (int r = 0; r < ROWS; ++r) {
        x[r] -= a[k] * l[r];
        y[r] -= b[k] * l[r];
      }
#pragma GCC unroll 8
    for (int s = 0; s < ROWS; ++s, l += ROWS) {
      a[i + s] = x[s] *= l[s];
      b[i + s] = y[s] *= l[s];
#pragma GCC unroll 8
      for (int r = s + 1; r < ROWS; ++r) {
        x[r] -= x[s] * l[r];
        y[r] -= y[s] * l[r];
      }
    }
  }
}

GANNET_VECTOR_CLONES static void square(int n, const void *values, void *sums) {
  const vector *v = values;
  vector *sum = sums, part[ROWS] = {0};
  for (int i = 0; i < n; i += ROWS)
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; ++r) part[r] += v[i + r] * v[i + r];
  for (int r = 0; r < ROWS; ++r) *sum += part[r];
}

static void add(size_t n, const void *sums, double *total) {
  const REAL *from = sums;
  for (size_t i = 0; i < n; ++i) total[i] += (double)from[i];
}

const gannet_strips TABLE = {.lanes = LANES,
                             .size = sizeof(REAL),
                             .pack = pack,
                             .multiply = multiply,
                             .weigh = weigh,
                             .solve = solve,
                             .square = square,
                             .add = add};
