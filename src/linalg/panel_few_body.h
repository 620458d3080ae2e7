/* Panels of few right-hand sides, for registers of one size: a part of linalg/panel_body.h. Lanes
 * have rows or columns of the matrix in them. */

/* The first numbers, at most a register of them; the others are 0. */
TARGET static inline __attribute__((always_inline)) NAME(vector)
    NAME(get)(int count, const double *from) {
  NAME(vector) numbers = {0};
  if (count >= PER) return *(const NAME(vector) *)from;
  for (int i = 0; i < count; ++i) numbers[i] = from[i];
  return numbers;
}

TARGET static inline __attribute__((always_inline)) void NAME(set)(int count, double *to,
                                                                   NAME(vector) numbers) {
  if (count >= PER) *(NAME(vector) *)to = numbers;
  for (int i = 0; i < count && count < PER; ++i) to[i] = numbers[i];
}

/* target -= L x for some rows of the target in the lanes of so many registers, which they fill, or
 * some lanes of one. Squares of L are turned over, so that every number takes its products in the
 * same order. */
TARGET static inline __attribute__((always_inline)) void NAME(squares)(int squares, int rows,
                                                                       int few, const product *p,
                                                                       int row) {
  const double *l = p->l + (size_t)row * p->row_step, *x = p->x;
  double *target = p->target + row;
  NAME(vector) sum[REGISTERS], square[PER];
  size_t from[PER];
  const int run = few > 1 ? RUN : p->inner;
  int left = p->inner;
#pragma GCC unroll 8
  for (int i = 0; i < PER; ++i) from[i] = (size_t)(i < rows ? i : rows - 1) * p->row_step;
#pragma GCC unroll 16
  for (int i = 0; i < squares * few; ++i)
    sum[i] = NAME(get)(rows, target + i % few * RUN + i / few * PER);
  for (; left >= PER; left -= run, l += run, x += few * run)
    for (int k = 0; k < run && k + PER <= left; k += PER)
#pragma GCC unroll 4
      for (int s = 0; s < squares; ++s) {
#pragma GCC unroll 8
        for (int i = 0; i < PER; ++i)
          square[i] = *(const NAME(vector) *)(l + (size_t)(s * PER) * p->row_step + from[i] + k);
        NAME(transpose)(square);
#pragma GCC unroll 8
        for (int i = 0; i < PER; ++i)
#pragma GCC unroll 4
          for (int j = 0; j < few; ++j) sum[s * few + j] -= square[i] * x[j * RUN + k + i];
        ONE_AFTER_THE_OTHER;
      }
#pragma GCC unroll 16
  for (int i = 0; i < squares * few; ++i)
    NAME(set)(rows, target + i % few * RUN + i / few * PER, sum[i]);
  for (int k = p->inner / PER * PER; k < p->inner; ++k)
    for (int r = 0; r < rows; ++r)
      for (int j = 0; j < few; ++j)
        target[j * RUN + r] -= p->x[few_at(few, j, k)] * p->l[(size_t)(row + r) * p->row_step + k];
}

TARGET static inline __attribute__((always_inline)) void NAME(take_some_few)(int few,
                                                                             const product *p) {
  const int squares = few == 1 ? SQUARES : SQUARES / 2; /* measured */
  int row = 0;
  for (; row + squares * PER <= p->rows; row += squares * PER)
    NAME(squares)(squares, squares * PER, few, p, row);
  for (; row + PER <= p->rows; row += PER) NAME(squares)(1, PER, few, p, row);
  if (row < p->rows) NAME(squares)(1, p->rows - row, few, p, row);
}

TARGET static void NAME(take_few)(const product *p) {
  BY_FEW(p->lanes, take_some_few, p);
}

/* target -= L^T x for some rows of x, with columns in the lanes. */
TARGET static inline __attribute__((always_inline)) void NAME(few_strip)(int rows, int few,
                                                                         const product *p,
                                                                         int row) {
  const double *l = p->l + (size_t)row * p->row_step, *x = p->x + row;
  double *target = p->target;
  const int run = few > 1 ? RUN : p->inner;
  int left = p->inner;
  for (; left >= PER; left -= run, l += run, target += few * run)
    for (int k = 0; k < run && k + PER <= left; k += PER) {
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
  for (int k = p->inner / PER * PER; k < p->inner; ++k)
    for (int r = 0; r < rows; ++r)
      for (int j = 0; j < few; ++j)
        p->target[few_at(few, j, k)] -= x[j * RUN + r] * p->l[(size_t)(row + r) * p->row_step + k];
}

TARGET static inline __attribute__((always_inline)) void NAME(give_some_few)(int few,
                                                                             const product *p) {
  const int rows = few <= 2 ? LEAST : LEAST / 2; /* of which the numbers of x stay in registers */
  int row = 0;
  for (; row + rows <= p->rows; row += rows) NAME(few_strip)(rows, few, p, row);
  for (; row + LEAST / 2 <= p->rows; row += LEAST / 2) NAME(few_strip)(LEAST / 2, few, p, row);
  for (; row < p->rows; ++row) NAME(few_strip)(1, few, p, row);
}

TARGET static void NAME(give_few)(const product *p) {
  BY_FEW(p->lanes, give_some_few, p);
}

/* L^-1 or L^-T for few, in the lanes of a register for each row. */
TARGET static inline __attribute__((always_inline)) void NAME(corner_few)(int few, bool transposed,
                                                                          const double *l,
                                                                          size_t ld, double *x) {
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
