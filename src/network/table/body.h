/* Lookup in tables of one precision with registers of one size. Included once for each size, after
 *
 *   TARGET, NAME(x)        attribute of functions, and names of what is defined here
 *   VECTOR, INTEGERS       registers of numbers, and of integers of their size
 *   WIDTH                  numbers in a register
 *   OF_REAL(x), OF_BITS(x) names of operations on such
 *   SET_BITS(x)            an integer in all places
 *   AS_BITS, AS_REAL       the same bits
 *   PICK(piece, row, pieces)  row[piece % LANES] for every piece, where row repeats itself after
 *                          so many
 *   FEW                    number of pieces, besides LANES, for which there is code of its own
 *   SIZE(x, most)          min(|x|, most)
 *   PLACE(v, inside)       (v & inside) | ONE
 *   SIGNED(x, mask, y)     y ^ (x & mask)
 */

typedef struct {
  VECTOR base, slope, reach, middle;
  INTEGERS inside, shift;
  INTEGERS sign; /* the bit that an odd function passes on; 0 = even */
} NAME(line);

/* Some registers at once, as each is a chain of operations that wait for each other. */
TARGET static inline __attribute__((always_inline)) void NAME(values)(const NAME(line) * at,
                                                                      const gannet_table *t,
                                                                      int terms, int pieces,
                                                                      int count, const REAL *x,
                                                                      REAL *y) {
  INTEGERS piece[TOGETHER];
  VECTOR r[TOGETHER], sum[TOGETHER];
  for (int i = 0; i < count; ++i) {
    const VECTOR size = SIZE(OF_REAL(loadu)(x + i * WIDTH), at->reach);
    const INTEGERS v = AS_BITS(OF_REAL(fmadd)(size, at->slope, at->base));
    piece[i] = OF_BITS(srlv)(v, at->shift);
    r[i] = OF_REAL(sub)(AS_REAL(PLACE(v, at->inside)), at->middle);
    sum[i] = PICK(piece[i], ROWS(t)[terms - 1], pieces);
  }
  for (int k = terms - 2; k >= 0; --k)
    for (int i = 0; i < count; ++i)
      sum[i] = OF_REAL(fmadd)(sum[i], r[i], PICK(piece[i], ROWS(t)[k], pieces));
  for (int i = 0; i < count; ++i)
    OF_REAL(storeu)(y + i * WIDTH, SIGNED(OF_REAL(loadu)(x + i * WIDTH), at->sign, sum[i]));
}

TARGET static inline __attribute__((always_inline)) void NAME(terms)(const gannet_table *t,
                                                                     int terms, int pieces, int n,
                                                                     const REAL *x, REAL *y) {
  const int shift = MANTISSA - t->bits;
  const NAME(line) at = {.base = OF_REAL(set1)((REAL)t->base),
                         .slope = OF_REAL(set1)((REAL)t->slope),
                         .reach = OF_REAL(set1)((REAL)t->reach),
                         .middle = OF_REAL(set1)((REAL)(1 + ldexp(0.5, -t->bits))),
                         .inside = SET_BITS(((BITS)1 << shift) - 1),
                         .shift = SET_BITS(shift),
                         .sign = SET_BITS(t->odd ? (BITS)1 << (8 * sizeof(BITS) - 1) : 0)};
  REAL rest[WIDTH] = {0};
  int i = 0;
  for (; i + TOGETHER * WIDTH <= n; i += TOGETHER * WIDTH)
    NAME(values)(&at, t, terms, pieces, TOGETHER, x + i, y + i);
  for (; i < n; i += WIDTH) {
    const size_t bytes = (size_t)(n - i < WIDTH ? n - i : WIDTH) * sizeof *x;
    memcpy(rest, x + i, bytes);
    NAME(values)(&at, t, terms, pieces, 1, rest, rest);
    memcpy(y + i, rest, bytes);
  }
}

TARGET static inline __attribute__((always_inline)) void NAME(pieces)(const gannet_table *t,
                                                                      int terms, int n,
                                                                      const REAL *x, REAL *y) {
  if (t->pieces <= FEW)
    NAME(terms)(t, terms, FEW, n, x, y);
  else
    NAME(terms)(t, terms, LANES, n, x, y);
}

#define ONE_OF_TERMS(number)          \
  case number:                        \
    NAME(pieces)(t, number, n, x, y); \
    break;

TARGET static void NAME(look_up)(const gannet_table *t, int n, const REAL *x, REAL *y) {
  switch (t->terms) {
    FOR_TERMS(ONE_OF_TERMS)
    default:
      NAME(pieces)(t, MOST, n, x, y);
  }
}

#undef ONE_OF_TERMS
#undef FEW
#undef TARGET
#undef NAME
#undef VECTOR
#undef INTEGERS
#undef WIDTH
#undef OF_REAL
#undef OF_BITS
#undef SET_BITS
#undef AS_BITS
#undef AS_REAL
#undef PICK
#undef SIZE
#undef PLACE
#undef SIGNED
