/* Products of strips for registers of one size. strips.c includes this file once for each size,
 * after it has defined
 *
 *   BYTES    bytes of a register
 *   TARGET   attribute of functions that use such registers; may be empty
 *   NAME(x)  names of the functions that are defined here; NAME(table) has them all
 */

/* A strip is that many registers wide; they are worked one after the other. */
#define PARTS (STRIP_BYTES / BYTES)

typedef double NAME(vector) __attribute__((vector_size(BYTES), aligned(sizeof(double)), may_alias));
typedef uint64_t NAME(bits) __attribute__((vector_size(BYTES)));

/* Where a strip takes several registers, two of them are worked side by side, for half as many
 * rows: a number of a row is loaded once for both, as loads would take longer than the products. */
#define BESIDE (PARTS == 1 ? 1 : 2)
#define ABREAST (ROWS / BESIDE)

/* Sums over k of products, or of squared differences. */
TARGET static inline __attribute__((always_inline)) void NAME(combine)(int inner, int n_rows,
                                                                       const double *rows,
                                                                       const double *strip,
                                                                       double *sums, int squares) {
  for (int part = 0; part < PARTS; part += BESIDE) {
    const NAME(vector) *x = (const NAME(vector) *)strip + part;
    NAME(vector) *out = (NAME(vector) *)sums + part;
    for (int i = 0; i < n_rows; i += ABREAST) {
      const double *row = rows + (size_t)(i / ROWS) * ROWS * (size_t)inner + i % ROWS;
      NAME(vector) sum[ABREAST][BESIDE] = {0};
      for (int k = 0; k < inner; ++k)
#pragma GCC unroll 8
        for (int r = 0; r < ABREAST; ++r)
#pragma GCC unroll 2
          for (int b = 0; b < BESIDE; ++b) {
            NAME(vector) by = x[k * PARTS + b];
            if (squares) {
              by -= row[k * ROWS + r];
              sum[r][b] += by * by;
            } else {
              sum[r][b] += by * row[k * ROWS + r];
            }
          }
#pragma GCC unroll 8
      for (int r = 0; r < ABREAST; ++r)
        for (int b = 0; b < BESIDE; ++b) out[(i + r) * PARTS + b] = sum[r][b];
    }
  }
}

TARGET static void NAME(multiply)(int inner, int n_rows, const double *rows, const double *strip,
                                  double *products) {
  NAME(combine)(inner, n_rows, rows, strip, products, 0);
}

TARGET static void NAME(distances)(int inner, int n_rows, const double *rows, const double *strip,
                                   double *squares) {
  NAME(combine)(inner, n_rows, rows, strip, squares, 1);
}

TARGET static void NAME(root)(int n, double *values) {
  for (int i = 0; i < n * GANNET_STRIP_LANES; ++i) values[i] = sqrt(values[i]);
}

/* x = k + r with the nearest whole number k, which is left in the low bits of k + TO_WHOLE; the
 * sign of both is that of (-1)^k. */
TARGET static void NAME(waves)(int n, double *values, double *sines) {
  NAME(vector) *x = (NAME(vector) *)values, *y = (NAME(vector) *)sines;
  for (int i = 0; i < n * PARTS; ++i) {
    const NAME(vector) shifted = x[i] + TO_WHOLE, r = x[i] - (shifted - TO_WHOLE), u = r * r;
    const NAME(bits) sign = (NAME(bits))shifted << (8 * (int)sizeof(double) - 1);
    NAME(vector) sine = u * sine_powers[WAVE_TERMS - 1] + sine_powers[WAVE_TERMS - 2];
    NAME(vector) cosine = u * cosine_powers[WAVE_TERMS - 1] + cosine_powers[WAVE_TERMS - 2];
#pragma GCC unroll 8
    for (int k = WAVE_TERMS - 3; k >= 0; --k) {
      sine = sine * u + sine_powers[k];
      cosine = cosine * u + cosine_powers[k];
    }
    y[i] = (NAME(vector))((NAME(bits))(r * sine) ^ sign);
    x[i] = (NAME(vector))((NAME(bits))cosine ^ sign);
  }
}

/* ABREAST of the ROWS sums of weigh, from the first of them on: every one goes over its own values
 * where a row of weights serves several. */
TARGET static inline __attribute__((always_inline)) void NAME(weigh_some)(
    int n, int width, int first, const NAME(vector) * values, const double *weights,
    NAME(vector) (*sums)[BESIDE]) {
  const int chains = ROWS / width;
  NAME(vector) sum[ABREAST][BESIDE] = {0};
  for (int i = 0; i < n; i += chains, values += chains * PARTS, weights += ROWS)
#pragma GCC unroll 8
    for (int r = 0; r < ABREAST; ++r)
#pragma GCC unroll 2
      for (int b = 0; b < BESIDE; ++b)
        sum[r][b] += values[(first + r) / width * PARTS + b] * weights[first + r];
#pragma GCC unroll 8
  for (int r = 0; r < ABREAST; ++r)
    for (int b = 0; b < BESIDE; ++b) sums[first + r][b] = sum[r][b];
}

/* Sums of several i at once, where there are few j: additions wait for each other. */
TARGET static inline __attribute__((always_inline)) void NAME(weigh_width)(
    int n, int width, const NAME(vector) * values, const double *weights,
    const NAME(vector) * scale, NAME(vector) * sums) {
  NAME(vector) sum[ROWS][BESIDE];
#pragma GCC unroll 2
  for (int first = 0; first < ROWS; first += ABREAST)
    NAME(weigh_some)(n, width, first, values, weights, sum);
#pragma GCC unroll 2
  for (int b = 0; b < BESIDE; ++b) {
#pragma GCC unroll 8
    for (int r = width; r < ROWS; ++r) sum[r % width][b] += sum[r][b];
#pragma GCC unroll 8
    for (int j = 0; j < width; ++j) {
      if (scale) sum[j][b] *= scale[b];
      sums[j * PARTS + b] += sum[j][b];
    }
  }
}

TARGET static void NAME(weigh)(int n, int width, const double *values, const double *weights,
                               const double *scale, double *sums) {
  for (int part = 0; part < PARTS; part += BESIDE) {
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

/* Eight rows of some strips, each so many registers after the one before, less the products with
 * the rows begin .. i-1: every number of the factor serves a product of each. Returns the factor of
 * the next rows. */
TARGET static inline __attribute__((always_inline)) const double *NAME(solve_rows)(
    int begin, int i, int strips, const double *l, NAME(vector) * a, ptrdiff_t apart) {
  NAME(vector) x[SOLVED][ROWS];
#pragma GCC unroll 8
  for (int r = 0; r < ROWS; ++r)
    for (int s = 0; s < strips; ++s) x[s][r] = a[s * apart + (i + r) * PARTS];
  for (int k = begin; k < i; ++k, l += ROWS)
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; ++r)
#pragma GCC unroll 4
      for (int s = 0; s < strips; ++s) x[s][r] -= a[s * apart + k * PARTS] * l[r];
#pragma GCC unroll 8
  for (int k = 0; k < ROWS; ++k, l += ROWS)
#pragma GCC unroll 4
    for (int s = 0; s < strips; ++s) {
      a[s * apart + (i + k) * PARTS] = x[s][k] *= l[k];
#pragma GCC unroll 8
      for (int r = k + 1; r < ROWS; ++r) x[s][r] -= x[s][k] * l[r];
    }
  return l;
}

/* Eight rows of registers beside each other, less the products with all rows before them. Returns
 * the rest of their factor. */
TARGET static inline __attribute__((always_inline)) const double *NAME(subtract)(int i,
                                                                                 const double *l,
                                                                                 NAME(vector) * a) {
  for (int first = 0; first < ROWS; first += ABREAST) {
    NAME(vector) *row = a + (i + first) * PARTS, x[ABREAST][BESIDE];
#pragma GCC unroll 8
    for (int r = 0; r < ABREAST; ++r)
      for (int b = 0; b < BESIDE; ++b) x[r][b] = row[r * PARTS + b];
    for (int k = 0; k < i; ++k)
#pragma GCC unroll 8
      for (int r = 0; r < ABREAST; ++r)
#pragma GCC unroll 2
        for (int b = 0; b < BESIDE; ++b) x[r][b] -= a[k * PARTS + b] * l[k * ROWS + first + r];
#pragma GCC unroll 8
    for (int r = 0; r < ABREAST; ++r)
      for (int b = 0; b < BESIDE; ++b) row[r * PARTS + b] = x[r][b];
  }
  return l + (ptrdiff_t)i * ROWS;
}

TARGET static inline __attribute__((always_inline)) void NAME(solve_some)(
    int begin, int end, int strips, const double *l, NAME(vector) * a, ptrdiff_t apart) {
  for (int i = begin; i < end; i += ROWS) l = NAME(solve_rows)(0, i, strips, l, a, apart);
}

TARGET static inline __attribute__((always_inline)) void NAME(solve_parts)(int begin, int end,
                                                                           const double *l,
                                                                           NAME(vector) * a) {
  for (int i = begin; i < end; i += ROWS) {
    const double *rest = NAME(subtract)(i, l, a);
    for (int b = 0; b < BESIDE; ++b) l = NAME(solve_rows)(i, i, 1, rest, a + b, 0);
  }
}

/* Of the largest registers there are 32: three strips at a time, where there are as many. */
TARGET static void NAME(solve)(int begin, int end, const double *factor, int n_strips,
                               double *strips, size_t apart) {
  NAME(vector) *a = (NAME(vector) *)strips;
  const ptrdiff_t registers = (ptrdiff_t)(apart * sizeof(double) / BYTES);
  int s = 0;
  for (; PARTS == 1 && s + SOLVED <= n_strips; s += SOLVED)
    NAME(solve_some)(begin, end, SOLVED, factor, a + s * registers, registers);
  for (; PARTS == 1 && s + 2 <= n_strips; s += 2)
    NAME(solve_some)(begin, end, 2, factor, a + s * registers, registers);
  for (; PARTS == 1 && s < n_strips; ++s)
    NAME(solve_some)(begin, end, 1, factor, a + s * registers, 0);
  for (; s < n_strips; ++s)
    for (int part = 0; part < PARTS; part += BESIDE)
      NAME(solve_parts)(begin, end, factor, a + s * registers + part);
}

TARGET static void NAME(square)(int n, const double *values, double *sums) {
  for (int part = 0; part < PARTS; ++part) {
    const NAME(vector) *v = (const NAME(vector) *)values + part;
    NAME(vector) *sum = (NAME(vector) *)sums + part, some[ROWS] = {0};
    for (int i = 0; i < n; i += ROWS)
#pragma GCC unroll 8
      for (int r = 0; r < ROWS; ++r) some[r] += v[(i + r) * PARTS] * v[(i + r) * PARTS];
    for (int r = 0; r < ROWS; ++r) *sum += some[r];
  }
}

static const gannet_strips NAME(table) = {.multiply = NAME(multiply),
                                          .distances = NAME(distances),
                                          .root = NAME(root),
                                          .waves = NAME(waves),
                                          .weigh = NAME(weigh),
                                          .solve = NAME(solve),
                                          .square = NAME(square)};

#undef PARTS
#undef BESIDE
#undef ABREAST
#undef BYTES
#undef TARGET
#undef NAME
