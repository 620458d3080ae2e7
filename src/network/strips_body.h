/* Products of strips in one precision for registers of one size; included for each, after
 *
 *   REAL     the numbers; BITS integers of their size, ROOT(x) their root
 *   TO_WHOLE 1.5 times the number whose last bit is 1, and powers of r^2 in
 *            sin(pi r)/r and cos(pi r), |r| <= 1/2: sine_powers, cosine_powers [WAVE_TERMS]
 *   BYTES    of a register
 *   TARGET   attribute of functions that may use them; may be empty
 *   NAME(x)  names of what is defined here; NAME(table) are the functions
 */

/* A strip is that many registers wide; they are worked one after the other. */
#define PARTS (STRIP_BYTES / BYTES)

typedef REAL NAME(vector) __attribute__((vector_size(BYTES), aligned(sizeof(REAL)), may_alias));
typedef BITS NAME(bits) __attribute__((vector_size(BYTES)));

/* Sums over k of products, or of squared differences. */
TARGET static inline __attribute__((always_inline)) void NAME(combine)(int inner, int n_rows,
                                                                       const void *rows,
                                                                       const void *strip,
                                                                       void *sums, int squares) {
  for (int part = 0; part < PARTS; ++part) {
    const NAME(vector) *x = (const NAME(vector) *)strip + part;
    NAME(vector) *out = (NAME(vector) *)sums + part;
    const REAL *row = rows;
    for (int i = 0; i < n_rows; i += ROWS, row += (size_t)ROWS * (size_t)inner) {
      NAME(vector) sum[ROWS] = {0};
      for (int k = 0; k < inner; ++k)
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; ++r) {
          NAME(vector) by = x[k * PARTS];
          if (squares) {
            by -= row[k * ROWS + r];
            sum[r] += by * by;
          } else {
            sum[r] += by * row[k * ROWS + r];
          }
        }
#pragma GCC unroll 8
      for (int r = 0; r < ROWS; ++r) out[(i + r) * PARTS] = sum[r];
    }
  }
}

TARGET static void NAME(multiply)(int inner, int n_rows, const void *rows, const void *strip,
                                  void *products) {
  NAME(combine)(inner, n_rows, rows, strip, products, 0);
}

TARGET static void NAME(distances)(int inner, int n_rows, const void *rows, const void *strip,
                                   void *squares) {
  NAME(combine)(inner, n_rows, rows, strip, squares, 1);
}

TARGET static void NAME(root)(int n, void *values) {
  REAL *x = values;
  const int count = n * (int)(STRIP_BYTES / sizeof(REAL));
  for (int i = 0; i < count; ++i) x[i] = ROOT(x[i]);
}

/* x = k + r with the nearest whole number k, which is left in the low bits of k + TO_WHOLE; the
 * sign of both is that of (-1)^k. */
TARGET static void NAME(waves)(int n, void *values, void *sines) {
  NAME(vector) *x = values, *y = sines;
  for (int i = 0; i < n * PARTS; ++i) {
    const NAME(vector) shifted = x[i] + TO_WHOLE, r = x[i] - (shifted - TO_WHOLE), u = r * r;
    const NAME(bits) sign = (NAME(bits))shifted << (8 * (int)sizeof(REAL) - 1);
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

/* Eight rows of some strips, each so many registers after the one before: every number of the
 * factor serves a product of each. Returns the factor of the next rows. */
TARGET static inline __attribute__((always_inline)) const REAL *NAME(solve_rows)(int i, int strips,
                                                                                 const REAL *l,
                                                                                 NAME(vector) * a,
                                                                                 ptrdiff_t apart) {
  NAME(vector) x[SOLVED][ROWS];
#pragma GCC unroll 8
  for (int r = 0; r < ROWS; ++r)
    for (int s = 0; s < strips; ++s) x[s][r] = a[s * apart + (i + r) * PARTS];
  for (int k = 0; k < i; ++k, l += ROWS)
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

TARGET static inline __attribute__((always_inline)) void NAME(solve_some)(int begin, int end,
                                                                          int strips, const REAL *l,
                                                                          NAME(vector) * a,
                                                                          ptrdiff_t apart) {
  for (int i = begin; i < end; i += ROWS) l = NAME(solve_rows)(i, strips, l, a, apart);
}

/* Of the largest registers there are 32: three strips at a time, where there are as many. */
TARGET static void NAME(solve)(int begin, int end, const void *factor, int n_strips, void *strips,
                               size_t apart) {
  NAME(vector) *a = strips;
  const ptrdiff_t registers = (ptrdiff_t)(apart / BYTES);
  int s = 0;
  for (; PARTS == 1 && s + SOLVED <= n_strips; s += SOLVED)
    NAME(solve_some)(begin, end, SOLVED, factor, a + s * registers, registers);
  for (; PARTS == 1 && s + 2 <= n_strips; s += 2)
    NAME(solve_some)(begin, end, 2, factor, a + s * registers, registers);
  for (; s < n_strips; ++s)
    for (int part = 0; part < PARTS; ++part)
      NAME(solve_some)(begin, end, 1, factor, a + s * registers + part, 0);
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
                                          .distances = NAME(distances),
                                          .root = NAME(root),
                                          .waves = NAME(waves),
                                          .weigh = NAME(weigh),
                                          .solve = NAME(solve),
                                          .square = NAME(square),
                                          .add = add};

#undef PARTS
#undef BYTES
#undef TARGET
#undef NAME
