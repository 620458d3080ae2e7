/* Template: kernels for few panels, 1 to PANEL_FEW right-hand sides. panel_template.h includes it.
 * Registers hold rows or columns of the matrix here, not right-hand sides. */

/* A register with the first `count` numbers; the others are 0. */
TARGET static inline __attribute__((always_inline)) NAME(vector)
    NAME(load_lanes)(int count, const double *from) {
  NAME(vector) numbers = {0};
  if (count >= WIDTH) return *(const NAME(vector) *)from;
  for (int i = 0; i < count; ++i) numbers[i] = from[i];
  return numbers;
}

TARGET static inline __attribute__((always_inline)) void NAME(store_lanes)(int count, double *to,
                                                                           NAME(vector) numbers) {
  if (count >= WIDTH) *(NAME(vector) *)to = numbers;
  for (int i = 0; i < count && count < WIDTH; ++i) to[i] = numbers[i];
}

/* target -= L x for rows that fill `squares` registers, or a part of one. Squares of L are
 * transposed, so that every number takes its products in ascending order of the column. */
TARGET static inline __attribute__((always_inline)) void NAME(tile_few)(int squares, int rows,
                                                                        int few,
                                                                        const panel_product *p,
                                                                        int row) {
  const double *l = p->l + (size_t)row * p->row_step, *x = p->x;
  double *target = p->target + row;
  NAME(vector) sum[REGISTERS], square[WIDTH];
  size_t from[WIDTH];
  const int run = few > 1 ? RUN : p->inner;
  int left = p->inner;
#pragma GCC unroll 8
  for (int i = 0; i < WIDTH; ++i) from[i] = (size_t)(i < rows ? i : rows - 1) * p->row_step;
#pragma GCC unroll 16
  for (int i = 0; i < squares * few; ++i)
    sum[i] = NAME(load_lanes)(rows, target + i % few * RUN + i / few * WIDTH);
  for (; left >= WIDTH; left -= run, l += run, x += few * run)
    for (int k = 0; k < run && k + WIDTH <= left; k += WIDTH)
#pragma GCC unroll 4
      for (int s = 0; s < squares; ++s) {
#pragma GCC unroll 8
        for (int i = 0; i < WIDTH; ++i)
          square[i] = *(const NAME(vector) *)(l + (size_t)(s * WIDTH) * p->row_step + from[i] + k);
        NAME(transpose)(square);
#pragma GCC unroll 8
        for (int i = 0; i < WIDTH; ++i)
#pragma GCC unroll 4
          for (int j = 0; j < few; ++j) sum[s * few + j] -= square[i] * x[j * RUN + k + i];
        COMPILER_BARRIER;
      }
#pragma GCC unroll 16
  for (int i = 0; i < squares * few; ++i)
    NAME(store_lanes)(rows, target + i % few * RUN + i / few * WIDTH, sum[i]);
  for (int k = p->inner / WIDTH * WIDTH; k < p->inner; ++k)
    for (int r = 0; r < rows; ++r)
      for (int j = 0; j < few; ++j)
        target[j * RUN + r] -= p->x[few_at(few, j, k)] * p->l[(size_t)(row + r) * p->row_step + k];
}

TARGET static inline __attribute__((always_inline)) void NAME(subtract_some_few)(
    int few, const panel_product *p) {
  const int squares = few == 1 ? SQUARES : SQUARES / 2; /* measured */
  int row = 0;
  for (; row + squares * WIDTH <= p->rows; row += squares * WIDTH)
    NAME(tile_few)(squares, squares * WIDTH, few, p, row);
  for (; row + WIDTH <= p->rows; row += WIDTH) NAME(tile_few)(1, WIDTH, few, p, row);
  if (row < p->rows) NAME(tile_few)(1, p->rows - row, few, p, row);
}

TARGET static void NAME(subtract_few)(const panel_product *p) {
  BY_FEW(p->lanes, subtract_some_few, p);
}

/* target -= L^T x for some rows of x; registers hold columns of L. */
TARGET static inline __attribute__((always_inline)) void NAME(transposed_tile_few)(
    int rows, int few, const panel_product *p, int row) {
  const double *l = p->l + (size_t)row * p->row_step, *x = p->x + row;
  double *target = p->target;
  const int run = few > 1 ? RUN : p->inner;
  int left = p->inner;
  for (; left >= WIDTH; left -= run, l += run, target += few * run)
    for (int k = 0; k < run && k + WIDTH <= left; k += WIDTH) {
      NAME(vector) sum[FEW];
#pragma GCC unroll 4
      for (int j = 0; j < few; ++j) sum[j] = *(NAME(vector) *)(target + j * RUN + k);
#pragma GCC unroll 8
      for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
        for (int j = 0; j < few; ++j)
          sum[j] -= *(const NAME(vector) *)(l + (size_t)r * p->row_step + k) * x[j * RUN + r];
#pragma GCC unroll 4
      for (int j = 0; j < few; ++j) *(NAME(vector) *)(target + j * RUN + k) = sum[j];
    }
  for (int k = p->inner / WIDTH * WIDTH; k < p->inner; ++k)
    for (int r = 0; r < rows; ++r)
      for (int j = 0; j < few; ++j)
        p->target[few_at(few, j, k)] -= x[j * RUN + r] * p->l[(size_t)(row + r) * p->row_step + k];
}

TARGET static inline __attribute__((always_inline)) void NAME(subtract_some_transposed_few)(
    int few, const panel_product *p) {
  const int rows = few <= 2 ? LEAST : LEAST / 2; /* whose numbers of x fit into registers */
  int row = 0;
  for (; row + rows <= p->rows; row += rows) NAME(transposed_tile_few)(rows, few, p, row);
  for (; row + LEAST / 2 <= p->rows; row += LEAST / 2)
    NAME(transposed_tile_few)(LEAST / 2, few, p, row);
  for (; row < p->rows; ++row) NAME(transposed_tile_few)(1, few, p, row);
}

TARGET static void NAME(subtract_transposed_few)(const panel_product *p) {
  BY_FEW(p->lanes, subtract_some_transposed_few, p);
}

/* L^-1 or L^-T for a triangle of PANEL_LEAST rows; a register holds one row of all right-hand
 * sides.
 */
TARGET static inline __attribute__((always_inline)) void NAME(solve_corner_few)(
    int few, bool transposed, const double *l, size_t ld, double *x) {
  quad made[LEAST];
#pragma GCC unroll 8
  for (int i = 0; i < LEAST; ++i) {
    made[i] = (quad){0};
#pragma GCC unroll 4
    for (int j = 0; j < few; ++j) made[i][j] = x[j * RUN + i];
  }
#pragma GCC unroll 8
  for (int step = 0; step < LEAST; ++step) {
    const int k = transposed ? LEAST - 1 - step : step;
    made[k] /= l[(size_t)k * ld + (size_t)k];
#pragma GCC unroll 8
    for (int i = 0; i < LEAST; ++i) {
      if (transposed ? i >= k : i <= k) continue;
      made[i] -= made[k] * l[(size_t)(transposed ? k : i) * ld + (size_t)(transposed ? i : k)];
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < LEAST; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < few; ++j) x[j * RUN + i] = made[i][j];
}
