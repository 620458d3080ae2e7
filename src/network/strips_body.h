/* Products of strips in one precision for registers of one size; included for each, after
 *
 *   REAL     the numbers
 *   BYTES    of a register
 *   TARGET   attribute of functions that may use them; may be empty
 *   NAME(x)  names of what is defined here; NAME(table) are the functions
 */

/* A strip is that many registers wide; they are worked one after the other. */
#define PARTS (STRIP_BYTES / BYTES)

typedef REAL NAME(vector) __attribute__((vector_size(BYTES), aligned(sizeof(REAL)), may_alias));

TARGET static void NAME(multiply)(int inner, int n_rows, const void *rows, const void *strip,
                                  void *products) {
  for (int part = 0; part < PARTS; ++part) {
    const NAME(vector) *x = (const NAME(vector) *)strip + part;
    NAME(vector) *out = (NAME(vector) *)products + part;
    const REAL *row = rows;
    for (int i = 0; i < n_rows; i += ROWS, row += (size_t)ROWS * (size_t)inner) {
      NAME(vector) sum[ROWS] = {0};
      for (int k = 0; k < inner; ++k)
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; ++r) sum[r] += x[k * PARTS] * row[k * ROWS + r];
#pragma GCC unroll 8
      for (int r = 0; r < ROWS; ++r) out[(i + r) * PARTS] = sum[r];
    }
  }
}

/* Sums of several i at once, where there are few j: additions wait for each other. */
TARGET static inline __attribute__((always_inline)) void NAME(weigh_width)(
    int n, int width, const NAME(vector) * values, const REAL *weights, const NAME(vector) * scale,
    NAME(vector) * sums) {
  const int chains = ROWS / width;
  NAME(vector) sum[ROWS] = {0};
  for (int i = 0; i < n; i += chains, values += chains * PARTS, weights += ROWS)
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; ++r) sum[r] += values[r / width * PARTS] * weights[r];
#pragma GCC unroll 8
  for (int r = width; r < ROWS; ++r) sum[r % width] += sum[r];
#pragma GCC unroll 8
  for (int j = 0; j < width; ++j) {
    if (scale) sum[j] *= *scale;
    sums[j * PARTS] += sum[j];
  }
}

TARGET static void NAME(weigh)(int n, int width, const void *values, const void *weights,
                               const void *scale, void *sums) {
  for (int part = 0; part < PARTS; ++part) {
    const NAME(vector) *v = (const NAME(vector) *)values + part;
    const NAME(vector) *s = scale ? (const NAME(vector) *)scale + part : NULL;
    NAME(vector) *to = (NAME(vector) *)sums + part;
    switch (width) {
      case 1:
        NAME(weigh_width)(n, 1, v, weights, s, to);
        break;
      case 2:
        NAME(weigh_width)(n, 2, v, weights, s, to);
        break;
      case 4:
        NAME(weigh_width)(n, 4, v, weights, s, to);
        break;
      default:
        NAME(weigh_width)(n, ROWS, v, weights, s, to);
    }
  }
}

/* Eight rows of one or two strips, the second as many registers after the first as apart says: with
 * two, every number of the factor serves two products. Returns the factor of the next rows. */
TARGET static inline __attribute__((always_inline)) const REAL *NAME(solve_rows)(int i, int strips,
                                                                                 const REAL *l,
                                                                                 NAME(vector) * a,
                                                                                 ptrdiff_t apart) {
  NAME(vector) x[2][ROWS];
#pragma GCC unroll 8
  for (int r = 0; r < ROWS; ++r)
    for (int s = 0; s < strips; ++s) x[s][r] = a[s * apart + (i + r) * PARTS];
  for (int k = 0; k < i; ++k, l += ROWS)
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; ++r)
      for (int s = 0; s < strips; ++s) x[s][r] -= a[s * apart + k * PARTS] * l[r];
#pragma GCC unroll 8
  for (int k = 0; k < ROWS; ++k, l += ROWS)
    for (int s = 0; s < strips; ++s) {
      a[s * apart + (i + k) * PARTS] = x[s][k] *= l[k];
#pragma GCC unroll 8
      for (int r = k + 1; r < ROWS; ++r) x[s][r] -= x[s][k] * l[r];
    }
  return l;
}

TARGET static void NAME(solve)(int begin, int end, const void *factor, void *first, void *second) {
  NAME(vector) *a = first, *b = second;
  for (int part = 0; part < PARTS; ++part) {
    const REAL *l = factor;
    for (int i = begin; i < end; i += ROWS) {
      if (PARTS == 1) { /* there are 32 such registers */
        l = NAME(solve_rows)(i, 2, l, a, b - a);
        continue;
      }
      (void)NAME(solve_rows)(i, 1, l, a + part, 0);
      l = NAME(solve_rows)(i, 1, l, b + part, 0);
    }
  }
}

TARGET static void NAME(square)(int n, const void *values, void *sums) {
  for (int part = 0; part < PARTS; ++part) {
    const NAME(vector) *v = (const NAME(vector) *)values + part;
    NAME(vector) *sum = (NAME(vector) *)sums + part, some[ROWS] = {0};
    for (int i = 0; i < n; i += ROWS)
#pragma GCC unroll 8
      for (int r = 0; r < ROWS; ++r) some[r] += v[(i + r) * PARTS] * v[(i + r) * PARTS];
    for (int r = 0; r < ROWS; ++r) *sum += some[r];
  }
}

static const gannet_strips NAME(table) = {.lanes = STRIP_BYTES / sizeof(REAL),
                                          .size = sizeof(REAL),
                                          .pack = pack,
                                          .multiply = NAME(multiply),
                                          .weigh = NAME(weigh),
                                          .solve = NAME(solve),
                                          .square = NAME(square),
                                          .add = add};

#undef PARTS
#undef BYTES
#undef TARGET
#undef NAME
