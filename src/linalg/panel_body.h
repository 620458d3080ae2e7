/* Panels for registers of one size; included for each, after
 *
 *   BYTES    of a register
 *   ROWS     rows that are worked at once, for eight lanes each
 *   TARGET   attribute of functions that may use them; may be empty
 *   LESS     (a, b, c) a - b c, as one operation where the processor has it; said where the
 * compiler would not STREAM   (to, numbers) puts a register in memory past the caches NAME(x) names
 * of what is defined here; NAME(ways) are the functions
 */
#define PER (BYTES / (int)sizeof(double))
#define PARTS (LEAST / PER)

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

/* There are 32 of the largest registers, and 16 of the others. */
TARGET static inline __attribute__((always_inline)) void NAME(take_some)(const product *p) {
  if (PARTS > 1 || p->lanes == LEAST)
    NAME(tiles)(ROWS, PARTS, p);
  else if (p->lanes == 2 * LEAST)
    NAME(tiles)(ROWS, 2, p);
  else
    NAME(tiles)(ROWS / 2, 4, p);
}

/* By so many numbers of x as stay in the first cache while all rows take them. */
TARGET static void NAME(take)(const product *p) {
  const int step = DEEP / p->lanes;
  product some = *p;
  for (int k = 0; k < p->inner; k += step) {
    some.inner = p->inner - k < step ? p->inner - k : step;
    NAME(take_some)(&some);
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

/* Few right-hand sides: rows of the target in the lanes. Squares of L are turned over, so that
 * every number takes its products in the same order. */
TARGET static inline __attribute__((always_inline)) void NAME(squares)(int squares, int few,
                                                                       const product *p, int row) {
  const double *l = p->l + (size_t)row * p->row_step, *x = p->x;
  double *target = p->target + row;
  NAME(vector) sum[REGISTERS], square[PER];
  const int run = few > 1 ? RUN : p->inner;
  int left = p->inner;
#pragma GCC unroll 16
  for (int i = 0; i < squares * few; ++i)
    sum[i] = *(NAME(vector) *)(target + i % few * RUN + i / few * PER);
  for (; left >= PER; left -= run, l += run, x += few * run)
    for (int k = 0; k < run && k + PER <= left; k += PER)
#pragma GCC unroll 4
      for (int s = 0; s < squares; ++s) {
#pragma GCC unroll 8
        for (int i = 0; i < PER; ++i)
          square[i] = *(const NAME(vector) *)(l + (size_t)(s * PER + i) * p->row_step + k);
        NAME(transpose)(square);
#pragma GCC unroll 8
        for (int i = 0; i < PER; ++i)
#pragma GCC unroll 4
          for (int j = 0; j < few; ++j) sum[s * few + j] -= square[i] * x[j * RUN + k + i];
      }
#pragma GCC unroll 16
  for (int i = 0; i < squares * few; ++i)
    *(NAME(vector) *)(target + i % few * RUN + i / few * PER) = sum[i];
  for (int k = p->inner / PER * PER; k < p->inner; ++k)
    for (int r = 0; r < squares * PER; ++r)
      for (int j = 0; j < few; ++j)
        target[j * RUN + r] -= p->x[few_at(few, j, k)] * p->l[(size_t)(row + r) * p->row_step + k];
}

TARGET static inline __attribute__((always_inline)) void NAME(take_some_few)(int few,
                                                                             const product *p) {
  const int squares = few == 1 ? SQUARES : few == 2 ? SQUARES / 2 : 1; /* measured */
  int row = 0;
  for (; row + squares * PER <= p->rows; row += squares * PER) NAME(squares)(squares, few, p, row);
  for (; row + PER <= p->rows; row += PER) NAME(squares)(1, few, p, row);
  for (; row < p->rows; ++row)
    for (int k = 0; k < p->inner; ++k)
      for (int j = 0; j < few; ++j)
        p->target[j * RUN + row] -= p->x[few_at(few, j, k)] * p->l[(size_t)row * p->row_step + k];
}

TARGET static void NAME(take_few)(const product *p) {
  switch (p->lanes) {
    case 1:
      NAME(take_some_few)(1, p);
      break;
    case 2:
      NAME(take_some_few)(2, p);
      break;
    case 3:
      NAME(take_some_few)(3, p);
      break;
    default:
      NAME(take_some_few)(4, p);
      break;
  }
}

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

/* target -= L^T x for some rows of x and eight lanes of all targets. */
TARGET static inline __attribute__((always_inline)) void NAME(strip)(int rows, const product *p,
                                                                     int row, int lane) {
  const size_t lanes = (size_t)p->lanes;
  const double *l = p->l + (size_t)row * p->row_step;
  const double *x = p->x + (size_t)row * lanes + (size_t)lane;
  double *target = p->target + lane;
  NAME(vector) taken[REGISTERS];
#pragma GCC unroll 16
  for (int i = 0; i < rows * PARTS; ++i)
    taken[i] = *(const NAME(vector) *)(x + (size_t)(i / PARTS) * lanes + i % PARTS * PER);
  for (int k = 0; k < p->inner; ++k, target += lanes, ++l) {
    NAME(vector) sum[PARTS];
#pragma GCC unroll 4
    for (int part = 0; part < PARTS; ++part) sum[part] = *(NAME(vector) *)(target + part * PER);
#pragma GCC unroll 8
    for (int i = 0; i < rows * PARTS; ++i)
      sum[i % PARTS] -= taken[i] * l[(size_t)(i / PARTS) * p->row_step];
#pragma GCC unroll 4
    for (int part = 0; part < PARTS; ++part) *(NAME(vector) *)(target + part * PER) = sum[part];
  }
}

/* The same for few right-hand sides, with columns in the lanes. */
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
  for (; row < p->rows; ++row) NAME(few_strip)(1, few, p, row);
}

TARGET static void NAME(give_few)(const product *p) {
  switch (p->lanes) {
    case 1:
      NAME(give_some_few)(1, p);
      break;
    case 2:
      NAME(give_some_few)(2, p);
      break;
    case 3:
      NAME(give_some_few)(3, p);
      break;
    default:
      NAME(give_some_few)(4, p);
      break;
  }
}

/* Columns by so many as stay in the second cache while all lanes take them. */
TARGET static void NAME(take_after)(int lanes, int rows, int k, const double *l, size_t ld,
                                    const double *x, double *target) {
  for (int first = 0; first < k; first += COLUMNS) {
    const int inner = k - first < COLUMNS ? k - first : COLUMNS;
    const product p = {lanes, rows, inner, l + first, ld, 1, x, target + (size_t)first * lanes};
    int row = 0;
    if (lanes <= FEW) {
      NAME(give_few)(&p);
      continue;
    }
    for (; row + ROWS <= rows; row += ROWS)
      for (int lane = 0; lane < lanes; lane += LEAST) NAME(strip)(ROWS, &p, row, lane);
    for (; row < rows; ++row)
      for (int lane = 0; lane < lanes; lane += LEAST) NAME(strip)(1, &p, row, lane);
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

/* L^-1 or L^-T for few, whose numbers stay in registers. */
TARGET static inline __attribute__((always_inline)) void NAME(corner_few)(int few, bool transposed,
                                                                          const double *l,
                                                                          size_t ld, double *x) {
  double made[LEAST * FEW];
#pragma GCC unroll 32
  for (int i = 0; i < LEAST * few; ++i) made[i] = x[i % few * RUN + i / few];
#pragma GCC unroll 8
  for (int step = 0; step < LEAST; ++step) {
    const int k = transposed ? LEAST - 1 - step : step;
#pragma GCC unroll 4
    for (int j = 0; j < few; ++j) made[k * few + j] /= l[(size_t)k * ld + (size_t)k];
#pragma GCC unroll 8
    for (int i = 0; i < LEAST; ++i) {
      if (transposed ? i >= k : i <= k) continue;
      const double by = l[(size_t)(transposed ? k : i) * ld + (size_t)(transposed ? i : k)];
#pragma GCC unroll 4
      for (int j = 0; j < few; ++j)
        made[i * few + j] = LESS(made[i * few + j], made[k * few + j], by);
    }
  }
#pragma GCC unroll 32
  for (int i = 0; i < LEAST * few; ++i) x[i % few * RUN + i / few] = made[i];
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
  else if (lanes == 1)
    NAME(corner_few)(1, transposed, l, ld, x);
  else if (lanes == 2)
    NAME(corner_few)(2, transposed, l, ld, x);
  else if (lanes == 3)
    NAME(corner_few)(3, transposed, l, ld, x);
  else
    NAME(corner_few)(4, transposed, l, ld, x);
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
#undef BYTES
#undef ROWS
#undef TARGET
#undef LESS
#undef STREAM
#undef NAME
