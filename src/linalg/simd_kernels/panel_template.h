/* Template: panel kernels for registers of one size. simd_kernels/dispatch.c includes it once per
 * instruction set, after defining
 *
 *   BYTES                bytes of a register
 *   ROWS                 rows of a tile whose lanes are 8: their sums stay in registers
 *   TARGET               attribute of functions that may use such registers; may be empty
 *   STREAM(to, numbers)  stores a register past the caches
 *   NAME(x)              prefixes every name that is defined here: baseline_x, avx2_x, avx512_x
 *
 * The template undefines all of them at its end. It defines the table NAME(panel_kernels).
 *
 *   WIDTH  doubles of a register
 *   PARTS  registers that hold PANEL_LEAST lanes
 */
#define WIDTH (BYTES / (int)sizeof(double))
#define PARTS (LEAST / WIDTH)

/* Calls NAME(work) with the rows and registers per row of a tile as constants. AVX-512 has 32
 * registers, the others have 16. */
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

/* One step of a transposition: rows whose numbers differ by step exchange numbers. */
#define LIST(...) __VA_ARGS__
#define EXCHANGE(step, low, high)                                         \
  for (int i = 0; i < WIDTH; ++i) {                                       \
    if (i & step) continue;                                               \
    const NAME(vector) one = row[i], two = row[i + step];                 \
    row[i] = __builtin_shuffle(one, two, (NAME(mask)){LIST low});         \
    row[i + step] = __builtin_shuffle(one, two, (NAME(mask)){LIST high}); \
  }

/* target -= L x for a tile: some rows, of which each takes `parts` registers. */
TARGET static inline __attribute__((always_inline)) void NAME(tile)(int rows, int parts,
                                                                    const panel_product *p, int row,
                                                                    int lane) {
  const size_t lanes = (size_t)p->lanes;
  const double *l = p->l + (size_t)row * p->row_step, *x = p->x + lane;
  double *target = p->target + (size_t)row * lanes + (size_t)lane;
  NAME(vector) sum[REGISTERS];
#pragma GCC unroll 16
  for (int i = 0; i < rows * parts; ++i)
    sum[i] = *(NAME(vector) *)(target + (size_t)(i / parts) * lanes + i % parts * WIDTH);
  for (int k = 0; k < p->inner; ++k, x += lanes, l += p->column_step)
#pragma GCC unroll 16
    for (int i = 0; i < rows * parts; ++i)
      sum[i] -=
          *(const NAME(vector) *)(x + i % parts * WIDTH) * l[(size_t)(i / parts) * p->row_step];
#pragma GCC unroll 16
  for (int i = 0; i < rows * parts; ++i)
    *(NAME(vector) *)(target + (size_t)(i / parts) * lanes + i % parts * WIDTH) = sum[i];
}

TARGET static inline __attribute__((always_inline)) void NAME(tiles)(int rows, int parts,
                                                                     const panel_product *p) {
  int row = 0;
  for (; row + rows <= p->rows; row += rows)
    for (int lane = 0; lane < p->lanes; lane += parts * WIDTH)
      NAME(tile)(rows, parts, p, row, lane);
  for (; row < p->rows; ++row)
    for (int lane = 0; lane < p->lanes; lane += LEAST) NAME(tile)(1, PARTS, p, row, lane);
}

/* target -= L x by pieces of x that stay in the first cache while all rows take them. */
TARGET static void NAME(subtract_by_depth)(const panel_product *p) {
  const int step = DEEP / p->lanes;
  panel_product some = *p;
  for (int k = 0; k < p->inner; k += step) {
    some.inner = p->inner - k < step ? p->inner - k : step;
    BY_LANES(tiles, &some);
    some.x += (size_t)step * (size_t)p->lanes;
    some.l += (size_t)step * p->column_step;
  }
}

/* Transpose a square of WIDTH rows in place. */
TARGET static inline __attribute__((always_inline)) void NAME(transpose)(NAME(vector) * row) {
#if BYTES == 64
  EXCHANGE(1, (0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15))
  EXCHANGE(2, (0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15))
  EXCHANGE(4, (0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15))
#elif BYTES == 32
  EXCHANGE(1, (0, 4, 2, 6), (1, 5, 3, 7))
  EXCHANGE(2, (0, 1, 4, 5), (2, 3, 6, 7))
#else
  const NAME(vector) other = {row[0][1], row[1][1]};
  row[0] = (NAME(vector)){row[0][0], row[1][0]};
  row[1] = other;
#endif
}

TARGET static void NAME(pack)(int lanes, int m, int n, const double *rows, size_t ld, double *x) {
  const size_t step = (size_t)lanes;
  NAME(vector) square[WIDTH];
  if (lanes <= FEW) {
    pack_few(lanes, n, rows, ld, x);
    return;
  }
  for (int r = 0; r < lanes; r += WIDTH) {
    const double *from = rows + (size_t)r * ld;
    int k = 0;
    for (; r + WIDTH <= m && k + WIDTH <= n; k += WIDTH) {
#pragma GCC unroll 8
      for (int i = 0; i < WIDTH; ++i)
        square[i] = *(const NAME(vector) *)(from + (size_t)i * ld + k);
      NAME(transpose)(square);
#pragma GCC unroll 8
      for (int i = 0; i < WIDTH; ++i) *(NAME(vector) *)(x + (size_t)(k + i) * step + r) = square[i];
    }
    for (; k < n; ++k)
      for (int i = 0; i < WIDTH && r + i < lanes; ++i)
        x[(size_t)k * step + (size_t)(r + i)] = r + i < m ? from[(size_t)i * ld + (size_t)k] : 0;
  }
}

TARGET static inline __attribute__((always_inline)) void NAME(store)(double *to,
                                                                     NAME(vector) numbers,
                                                                     bool past_caches) {
  if (past_caches)
    STREAM(to, numbers);
  else
    *(NAME(vector) *)to = numbers;
}

TARGET static inline __attribute__((always_inline)) void NAME(store_rows)(int lanes, int m, int n,
                                                                          const double *x,
                                                                          double *rows, size_t ld,
                                                                          bool past_caches) {
  const size_t step = (size_t)lanes;
  NAME(vector) square[WIDTH];
  for (int r = 0; r < m; r += WIDTH) {
    double *to = rows + (size_t)r * ld;
    int k = 0;
    for (; r + WIDTH <= m && k + WIDTH <= n; k += WIDTH) {
#pragma GCC unroll 8
      for (int i = 0; i < WIDTH; ++i)
        square[i] = *(const NAME(vector) *)(x + (size_t)(k + i) * step + r);
      NAME(transpose)(square);
#pragma GCC unroll 8
      for (int i = 0; i < WIDTH; ++i) NAME(store)(to + (size_t)i * ld + k, square[i], past_caches);
    }
    for (; k < n; ++k)
      for (int i = 0; i < WIDTH && r + i < m; ++i)
        to[(size_t)i * ld + (size_t)k] = x[(size_t)k * step + (size_t)(r + i)];
  }
}

TARGET static void NAME(unpack)(int lanes, int m, int n, const double *x, double *rows, size_t ld) {
  if (lanes <= FEW)
    unpack_few(lanes, n, x, rows, ld);
  else
    NAME(store_rows)(lanes, m, n, x, rows, ld, false);
}

TARGET static void NAME(unpack_streaming)(int lanes, int m, int n, const double *x, double *rows,
                                          size_t ld) {
  NAME(store_rows)(lanes, m, n, x, rows, ld, true);
}

#include "linalg/simd_kernels/panel_few_template.h"

TARGET static void NAME(subtract_product)(int lanes, int rows, int k, const double *l, size_t ld,
                                          const double *x, double *target) {
  const panel_product p = {lanes, rows, k, l, ld, 1, x, target};
  if (lanes <= FEW)
    NAME(subtract_few)(&p);
  else
    NAME(subtract_by_depth)(&p);
}

TARGET static void NAME(subtract_self_product)(int lanes, int rows, int k, const double *x,
                                               double *target) {
  const panel_product p = {lanes, rows, k, x, 1, (size_t)lanes, x, target};
  NAME(subtract_by_depth)(&p);
}

/* target -= L^T x for some rows of x, of which each takes `parts` registers, and all targets. */
TARGET static inline __attribute__((always_inline)) void NAME(transposed_tile)(
    int rows, int parts, const panel_product *p, int row, int lane) {
  const size_t lanes = (size_t)p->lanes;
  const double *l = p->l + (size_t)row * p->row_step;
  const double *x = p->x + (size_t)row * lanes + (size_t)lane;
  double *target = p->target + lane;
  NAME(vector) taken[REGISTERS];
#pragma GCC unroll 16
  for (int i = 0; i < rows * parts; ++i)
    taken[i] = *(const NAME(vector) *)(x + (size_t)(i / parts) * lanes + i % parts * WIDTH);
  for (int k = 0; k < p->inner; ++k, target += lanes, ++l) {
    NAME(vector) sum[REGISTERS];
#pragma GCC unroll 4
    for (int part = 0; part < parts; ++part) sum[part] = *(NAME(vector) *)(target + part * WIDTH);
#pragma GCC unroll 16
    for (int i = 0; i < rows * parts; ++i)
      sum[i % parts] -= taken[i] * l[(size_t)(i / parts) * p->row_step];
#pragma GCC unroll 4
    for (int part = 0; part < parts; ++part) *(NAME(vector) *)(target + part * WIDTH) = sum[part];
  }
}

TARGET static inline __attribute__((always_inline)) void NAME(transposed_tiles)(
    int rows, int parts, const panel_product *p) {
  int row = 0;
  for (; row + rows <= p->rows; row += rows)
    for (int lane = 0; lane < p->lanes; lane += parts * WIDTH)
      NAME(transposed_tile)(rows, parts, p, row, lane);
  for (; row < p->rows; ++row)
    for (int lane = 0; lane < p->lanes; lane += LEAST)
      NAME(transposed_tile)(1, PARTS, p, row, lane);
}

/* Columns are cut so that those of L stay in the second cache while all lanes take them. */
TARGET static void NAME(subtract_transposed)(int lanes, int rows, int k, const double *l, size_t ld,
                                             const double *x, double *target) {
  for (int first = 0; first < k; first += COLUMNS) {
    const int inner = k - first < COLUMNS ? k - first : COLUMNS;
    const panel_product p = {lanes, rows, inner, l + first,
                             ld,    1,    x,     target + (size_t)first * lanes};
    if (lanes <= FEW)
      NAME(subtract_transposed_few)(&p);
    else
      BY_LANES(transposed_tiles, &p);
  }
}

/* xi -= xk l in every lane. */
TARGET static inline __attribute__((always_inline)) void NAME(subtract_one)(int lanes,
                                                                            const double *xk,
                                                                            double l, double *xi) {
  if (lanes == 1) *xi -= *xk * l;
  for (int lane = 0; lane + WIDTH <= lanes; lane += WIDTH)
    *(NAME(vector) *)(xi + lane) -= *(const NAME(vector) *)(xk + lane) * l;
}

TARGET static inline __attribute__((always_inline)) void NAME(divide_lanes)(int lanes, double by,
                                                                            double *x) {
  if (lanes == 1) *x /= by;
  for (int lane = 0; lane + WIDTH <= lanes; lane += WIDTH) *(NAME(vector) *)(x + lane) /= by;
}

/* x = L^-1 x for a triangle of at most PANEL_LEAST rows. */
TARGET static void NAME(solve_corner_forward)(int lanes, int rows, const double *l, size_t ld,
                                              double *x) {
  for (int k = 0; k < rows; ++k) {
    double *made = x + (ptrdiff_t)k * lanes;
    NAME(divide_lanes)(lanes, l[(size_t)k * ld + (size_t)k], made);
    for (int i = k + 1; i < rows; ++i)
      NAME(subtract_one)(lanes, made, l[(size_t)i * ld + (size_t)k], x + (ptrdiff_t)i * lanes);
  }
}

/* x = L^-T x for such a triangle. */
TARGET static void NAME(solve_corner_backward)(int lanes, int rows, const double *l, size_t ld,
                                               double *x) {
  for (int k = rows - 1; k >= 0; --k) {
    double *made = x + (ptrdiff_t)k * lanes;
    NAME(divide_lanes)(lanes, l[(size_t)k * ld + (size_t)k], made);
    for (int i = 0; i < k; ++i)
      NAME(subtract_one)(lanes, made, l[(size_t)k * ld + (size_t)i], x + (ptrdiff_t)i * lanes);
  }
}

/* A few panel whose triangle has less than PANEL_LEAST rows: one right-hand side at a time. */
TARGET static void NAME(solve_corner_rest)(int few, int rows, bool transposed, const double *l,
                                           size_t ld, double *x) {
  for (int j = 0; j < few; ++j)
    if (transposed)
      NAME(solve_corner_backward)(1, rows, l, ld, x + j * RUN);
    else
      NAME(solve_corner_forward)(1, rows, l, ld, x + j * RUN);
}

TARGET static void NAME(solve_corner)(int lanes, int rows, bool transposed, const double *l,
                                      size_t ld, double *x) {
  if (lanes > FEW && transposed)
    NAME(solve_corner_backward)(lanes, rows, l, ld, x);
  else if (lanes > FEW)
    NAME(solve_corner_forward)(lanes, rows, l, ld, x);
  else if (rows < LEAST)
    NAME(solve_corner_rest)(lanes, rows, transposed, l, ld, x);
  else
    BY_FEW(lanes, solve_corner_few, transposed, l, ld, x);
}

/* Groups of PANEL_LEAST rows in turn: subtract the columns before a group, then solve its corner.
 */
TARGET static void NAME(solve)(int lanes, int rows, const double *l, size_t ld, double *x) {
  const ptrdiff_t step = lanes <= FEW ? 1 : lanes;
  for (int first = 0; first < rows; first += LEAST) {
    const int count = rows - first < LEAST ? rows - first : LEAST;
    const double *some = l + (size_t)first * ld;
    NAME(subtract_product)(lanes, count, first, some, ld, x, x + first * step);
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
    NAME(subtract_transposed)(lanes, end - first, first, some, ld, x + first * step, x);
    end = first;
  }
}

TARGET static int NAME(factorise)(int lanes, int rows, double *x) {
  const size_t step = (size_t)lanes;
  for (int k = 0; k < rows; ++k) {
    double *row = x + (size_t)k * step;
    const double pivot = row[k];
    if (!(pivot > 0)) return k;
    NAME(divide_lanes)(lanes, sqrt(pivot), row);
    row[k] = sqrt(pivot);
    for (int i = k + 1; i < rows; ++i) NAME(subtract_one)(lanes, row, row[i], x + (size_t)i * step);
  }
  return -1;
}

static const panel_kernels NAME(panel_kernels) = {
    .pack = NAME(pack),
    .unpack = NAME(unpack),
    .unpack_streaming = NAME(unpack_streaming),
    .subtract_product = NAME(subtract_product),
    .subtract_self_product = NAME(subtract_self_product),
    .subtract_transposed = NAME(subtract_transposed),
    .solve = NAME(solve),
    .solve_transposed = NAME(solve_transposed),
    .factorise = NAME(factorise),
};

#undef WIDTH
#undef LIST
#undef EXCHANGE
#undef PARTS
#undef BY_LANES
#undef BYTES
#undef ROWS
#undef TARGET
#undef STREAM
#undef NAME
