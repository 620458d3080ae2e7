/* Panels for registers of one size; included for each, after
 *
 *   BYTES                 of a register
 *   ROWS                  rows that are worked at once, for eight lanes each
 *   TARGET                attribute of functions that may use them; may be empty
 *   STREAM(to, numbers)   puts a register in memory past the caches
 *   NAME(x)               names of what is defined here; NAME(ways) are the functions
 */
#define PER (BYTES / (int)sizeof(double))
#define PARTS (LEAST / PER)

/* There are 32 of the largest registers, and 16 of the others. */
#define BY_LANES(work, p)                 \
  do {                                    \
    if (PARTS > 1 || (p)->lanes == LEAST) \
      NAME(work)(ROWS, PARTS, p);         \
    else if ((p)->lanes == 2 * LEAST)     \
      NAME(work)(ROWS, 2, p);             \
    else                                  \
      NAME(work)(ROWS / 2, 4, p);         \
  } while (0)

typedef double NAME(vector) __attribute__((vector_size(BYTES), aligned(sizeof(double)), may_alias));
typedef long long NAME(mask) __attribute__((vector_size(BYTES)));

#define LIST(...) __VA_ARGS__
#define TURN(step, low, high)                                             \
  for (int i = 0; i < PER; ++i) {                                         \
    if (i & step) continue;                                               \
    const NAME(vector) one = row[i], two = row[i + step];                 \
    row[i] = __builtin_shuffle(one, two, (NAME(mask)){LIST low});         \
    row[i + step] = __builtin_shuffle(one, two, (NAME(mask)){LIST high}); \
  }

/* target -= L x for some rows, with so many registers of each. */
TARGET static inline __attribute__((always_inline)) void NAME(tile)(int rows, int parts,
                                                                    const product *p, int row,
                                                                    int lane) {
  const size_t lanes = (size_t)p->lanes;
  const double *l = p->l + (size_t)row * p->row_step, *x = p->x + lane;
  double *target = p->target + (size_t)row * lanes + (size_t)lane;
  NAME(vector) sum[REGISTERS];
#pragma GCC unroll 16
  for (int i = 0; i < rows * parts; ++i)
    sum[i] = *(NAME(vector) *)(target + (size_t)(i / parts) * lanes + i % parts * PER);
  for (int k = 0; k < p->inner; ++k, x += lanes, l += p->column_step)
#pragma GCC unroll 16
    for (int i = 0; i < rows * parts; ++i)
      sum[i] -= *(const NAME(vector) *)(x + i % parts * PER) * l[(size_t)(i / parts) * p->row_step];
#pragma GCC unroll 16
  for (int i = 0; i < rows * parts; ++i)
    *(NAME(vector) *)(target + (size_t)(i / parts) * lanes + i % parts * PER) = sum[i];
}

TARGET static inline __attribute__((always_inline)) void NAME(tiles)(int rows, int parts,
                                                                     const product *p) {
  int row = 0;
  for (; row + rows <= p->rows; row += rows)
    for (int lane = 0; lane < p->lanes; lane += parts * PER) NAME(tile)(rows, parts, p, row, lane);
  for (; row < p->rows; ++row)
    for (int lane = 0; lane < p->lanes; lane += LEAST) NAME(tile)(1, PARTS, p, row, lane);
}

/* By so many numbers of x as stay in the first cache while all rows take them. */
TARGET static void NAME(take)(const product *p) {
  const int step = DEEP / p->lanes;
  product some = *p;
  for (int k = 0; k < p->inner; k += step) {
    some.inner = p->inner - k < step ? p->inner - k : step;
    BY_LANES(tiles, &some);
    some.x += (size_t)step * (size_t)p->lanes;
    some.l += (size_t)step * p->column_step;
  }
}

/* A square of numbers turned over: pairs of rows, then of pairs, change numbers. */
TARGET static inline __attribute__((always_inline)) void NAME(transpose)(NAME(vector) * row) {
#if BYTES == 64
  TURN(1, (0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15))
  TURN(2, (0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15))
  TURN(4, (0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15))
#elif BYTES == 32
  TURN(1, (0, 4, 2, 6), (1, 5, 3, 7))
  TURN(2, (0, 1, 4, 5), (2, 3, 6, 7))
#else
  const NAME(vector) other = {row[0][1], row[1][1]};
  row[0] = (NAME(vector)){row[0][0], row[1][0]};
  row[1] = other;
#endif
}

/* Lanes that are no rows become 0. */
TARGET static void NAME(pack)(int lanes, int m, int n, const double *rows, size_t ld, double *x) {
  const size_t step = (size_t)lanes;
  NAME(vector) square[PER];
  if (lanes <= FEW) {
    pack_few(lanes, n, rows, ld, x);
    return;
  }
  for (int r = 0; r < lanes; r += PER) {
    const double *from = rows + (size_t)r * ld;
    int k = 0;
    for (; r + PER <= m && k + PER <= n; k += PER) {
#pragma GCC unroll 8
      for (int i = 0; i < PER; ++i) square[i] = *(const NAME(vector) *)(from + (size_t)i * ld + k);
      NAME(transpose)(square);
#pragma GCC unroll 8
      for (int i = 0; i < PER; ++i) *(NAME(vector) *)(x + (size_t)(k + i) * step + r) = square[i];
    }
    for (; k < n; ++k)
      for (int i = 0; i < PER && r + i < lanes; ++i)
        x[(size_t)k * step + (size_t)(r + i)] = r + i < m ? from[(size_t)i * ld + (size_t)k] : 0;
  }
}

TARGET static inline __attribute__((always_inline)) void NAME(put)(double *to, NAME(vector) numbers,
                                                                   bool past_caches) {
  if (past_caches)
    STREAM(to, numbers);
  else
    *(NAME(vector) *)to = numbers;
}

TARGET static inline __attribute__((always_inline)) void NAME(put_rows)(int lanes, int m, int n,
                                                                        const double *x,
                                                                        double *rows, size_t ld,
                                                                        bool past_caches) {
  const size_t step = (size_t)lanes;
  NAME(vector) square[PER];
  for (int r = 0; r < m; r += PER) {
    double *to = rows + (size_t)r * ld;
    int k = 0;
    for (; r + PER <= m && k + PER <= n; k += PER) {
#pragma GCC unroll 8
      for (int i = 0; i < PER; ++i)
        square[i] = *(const NAME(vector) *)(x + (size_t)(k + i) * step + r);
      NAME(transpose)(square);
#pragma GCC unroll 8
      for (int i = 0; i < PER; ++i) NAME(put)(to + (size_t)i * ld + k, square[i], past_caches);
    }
    for (; k < n; ++k)
      for (int i = 0; i < PER && r + i < m; ++i)
        to[(size_t)i * ld + (size_t)k] = x[(size_t)k * step + (size_t)(r + i)];
  }
}

TARGET static void NAME(unpack)(int lanes, int m, int n, const double *x, double *rows, size_t ld) {
  if (lanes <= FEW)
    unpack_few(lanes, n, x, rows, ld);
  else
    NAME(put_rows)(lanes, m, n, x, rows, ld, false);
}

TARGET static void NAME(unpack_past)(int lanes, int m, int n, const double *x, double *rows,
                                     size_t ld) {
  NAME(put_rows)(lanes, m, n, x, rows, ld, true);
}

#include "linalg/panel_few_body.h"

TARGET static void NAME(take_before)(int lanes, int rows, int k, const double *l, size_t ld,
                                     const double *x, double *target) {
  const product p = {lanes, rows, k, l, ld, 1, x, target};
  if (lanes <= FEW)
    NAME(take_few)(&p);
  else
    NAME(take)(&p);
}

TARGET static void NAME(take_own)(int lanes, int rows, int k, const double *x, double *target) {
  const product p = {lanes, rows, k, x, 1, (size_t)lanes, x, target};
  NAME(take)(&p);
}

/* target -= L^T x for some rows of x, with so many registers of each, and of all targets. */
TARGET static inline __attribute__((always_inline)) void NAME(strip)(int rows, int parts,
                                                                     const product *p, int row,
                                                                     int lane) {
  const size_t lanes = (size_t)p->lanes;
  const double *l = p->l + (size_t)row * p->row_step;
  const double *x = p->x + (size_t)row * lanes + (size_t)lane;
  double *target = p->target + lane;
  NAME(vector) taken[REGISTERS];
#pragma GCC unroll 16
  for (int i = 0; i < rows * parts; ++i)
    taken[i] = *(const NAME(vector) *)(x + (size_t)(i / parts) * lanes + i % parts * PER);
  for (int k = 0; k < p->inner; ++k, target += lanes, ++l) {
    NAME(vector) sum[REGISTERS];
#pragma GCC unroll 4
    for (int part = 0; part < parts; ++part) sum[part] = *(NAME(vector) *)(target + part * PER);
#pragma GCC unroll 16
    for (int i = 0; i < rows * parts; ++i)
      sum[i % parts] -= taken[i] * l[(size_t)(i / parts) * p->row_step];
#pragma GCC unroll 4
    for (int part = 0; part < parts; ++part) *(NAME(vector) *)(target + part * PER) = sum[part];
  }
}

TARGET static inline __attribute__((always_inline)) void NAME(strips)(int rows, int parts,
                                                                      const product *p) {
  int row = 0;
  for (; row + rows <= p->rows; row += rows)
    for (int lane = 0; lane < p->lanes; lane += parts * PER) NAME(strip)(rows, parts, p, row, lane);
  for (; row < p->rows; ++row)
    for (int lane = 0; lane < p->lanes; lane += LEAST) NAME(strip)(1, PARTS, p, row, lane);
}

/* Columns by so many as stay in the second cache while all lanes take them. */
TARGET static void NAME(take_after)(int lanes, int rows, int k, const double *l, size_t ld,
                                    const double *x, double *target) {
  for (int first = 0; first < k; first += COLUMNS) {
    const int inner = k - first < COLUMNS ? k - first : COLUMNS;
    const product p = {lanes, rows, inner, l + first, ld, 1, x, target + (size_t)first * lanes};
    if (lanes <= FEW)
      NAME(give_few)(&p);
    else
      BY_LANES(strips, &p);
  }
}

/* x[i] -= x[k] l, for all lanes. */
TARGET static inline __attribute__((always_inline)) void NAME(take_one)(int lanes, const double *xk,
                                                                        double l, double *xi) {
  if (lanes == 1) *xi -= *xk * l;
  for (int lane = 0; lane + PER <= lanes; lane += PER)
    *(NAME(vector) *)(xi + lane) -= *(const NAME(vector) *)(xk + lane) * l;
}

TARGET static inline __attribute__((always_inline)) void NAME(divide)(int lanes, double by,
                                                                      double *x) {
  if (lanes == 1) *x /= by;
  for (int lane = 0; lane + PER <= lanes; lane += PER) *(NAME(vector) *)(x + lane) /= by;
}

/* x = L^-1 x with a triangle of at most eight rows. */
TARGET static void NAME(corner)(int lanes, int rows, const double *l, size_t ld, double *x) {
  for (int k = 0; k < rows; ++k) {
    double *made = x + (ptrdiff_t)k * lanes;
    NAME(divide)(lanes, l[(size_t)k * ld + (size_t)k], made);
    for (int i = k + 1; i < rows; ++i)
      NAME(take_one)(lanes, made, l[(size_t)i * ld + (size_t)k], x + (ptrdiff_t)i * lanes);
  }
}

/* x = L^-T x */
TARGET static void NAME(corner_transposed)(int lanes, int rows, const double *l, size_t ld,
                                           double *x) {
  for (int k = rows - 1; k >= 0; --k) {
    double *made = x + (ptrdiff_t)k * lanes;
    NAME(divide)(lanes, l[(size_t)k * ld + (size_t)k], made);
    for (int i = 0; i < k; ++i)
      NAME(take_one)(lanes, made, l[(size_t)k * ld + (size_t)i], x + (ptrdiff_t)i * lanes);
  }
}

/* The last rows, one right-hand side after the other. */
TARGET static void NAME(corner_rest)(int few, int rows, bool transposed, const double *l, size_t ld,
                                     double *x) {
  for (int j = 0; j < few; ++j)
    if (transposed)
      NAME(corner_transposed)(1, rows, l, ld, x + j * RUN);
    else
      NAME(corner)(1, rows, l, ld, x + j * RUN);
}

TARGET static void NAME(solve_corner)(int lanes, int rows, bool transposed, const double *l,
                                      size_t ld, double *x) {
  if (lanes > FEW && transposed)
    NAME(corner_transposed)(lanes, rows, l, ld, x);
  else if (lanes > FEW)
    NAME(corner)(lanes, rows, l, ld, x);
  else if (rows < LEAST)
    NAME(corner_rest)(lanes, rows, transposed, l, ld, x);
  else
    BY_FEW(lanes, corner_few, transposed, l, ld, x);
}

/* Eight rows after the other, each with all columns before it first. */
TARGET static void NAME(solve)(int lanes, int rows, const double *l, size_t ld, double *x) {
  const ptrdiff_t step = lanes <= FEW ? 1 : lanes;
  for (int first = 0; first < rows; first += LEAST) {
    const int count = rows - first < LEAST ? rows - first : LEAST;
    const double *some = l + (size_t)first * ld;
    NAME(take_before)(lanes, count, first, some, ld, x, x + first * step);
    NAME(solve_corner)(lanes, count, false, some + first, ld, x + first * step);
  }
}

TARGET static void NAME(solve_transposed)(int lanes, int rows, const double *l, size_t ld,
                                          double *x) {
  const ptrdiff_t step = lanes <= FEW ? 1 : lanes;
  for (int end = rows; end > 0;) {
    const int first = (end - 1) / LEAST * LEAST;
    const double *some = l + (size_t)first * ld;
    NAME(solve_corner)(lanes, end - first, true, some + first, ld, x + first * step);
    NAME(take_after)(lanes, end - first, first, some, ld, x + first * step, x);
    end = first;
  }
}

TARGET static int NAME(factorise)(int lanes, int rows, double *x) {
  const size_t step = (size_t)lanes;
  for (int k = 0; k < rows; ++k) {
    double *row = x + (size_t)k * step;
    const double pivot = row[k];
    if (!(pivot > 0)) return k;
    NAME(divide)(lanes, sqrt(pivot), row);
    row[k] = sqrt(pivot);
    for (int i = k + 1; i < rows; ++i) NAME(take_one)(lanes, row, row[i], x + (size_t)i * step);
  }
  return -1;
}

static const panel_ways NAME(ways) = {
    .pack = NAME(pack),
    .unpack = NAME(unpack),
    .unpack_past = NAME(unpack_past),
    .take_before = NAME(take_before),
    .take_own = NAME(take_own),
    .take_after = NAME(take_after),
    .solve = NAME(solve),
    .solve_transposed = NAME(solve_transposed),
    .factorise = NAME(factorise),
};

#undef PER
#undef LIST
#undef TURN
#undef PARTS
#undef BY_LANES
#undef BYTES
#undef ROWS
#undef TARGET
#undef STREAM
#undef NAME
