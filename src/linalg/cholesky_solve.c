/* Solving, by a rank alone or by those of a node: blocks of the solution belong to ranks, each of
 * which takes what the others have made when it is there. */
#include "base/memory.h"
#include "linalg/cholesky_impl.h"

enum {
  B = GANNET_CHOLESKY_BLOCK,
  RANKS = GANNET_CHOLESKY_RANKS,
  STRETCH = 2 /* blocks that one rank solves for, backward */
};

static void forward_block(const gannet_cholesky *factor, int i, int lanes, double *x) {
  cholesky_solve_before(factor, i, cholesky_rows_in(factor, i), lanes, x);
}

static void forward(const gannet_cholesky *factor, int lanes, double *x) {
  for (int i = 0; i < cholesky_blocks_for(factor->n); ++i) forward_block(factor, i, lanes, x);
}

/* Block row i from itself, or what it gives k columns from this one on. */
static void solve_corner(const gannet_cholesky *factor, int i, int lanes, double *x) {
  factor->ways->solve_transposed(lanes, cholesky_rows_in(factor, i),
                                 factor->block[i] + (ptrdiff_t)i * B, (size_t)cholesky_width_of(i),
                                 x + (ptrdiff_t)i * B * lanes);
}

static void give(const gannet_cholesky *factor, int i, int from, int k, int lanes, double *x) {
  factor->ways->take_after(lanes, cholesky_rows_in(factor, i), k, factor->block[i] + from,
                           (size_t)cholesky_width_of(i), x + (ptrdiff_t)i * B * lanes,
                           x + (ptrdiff_t)from * lanes);
}

static void backward_block(const gannet_cholesky *factor, int i, int lanes, double *x) {
  solve_corner(factor, i, lanes, x);
  give(factor, i, 0, i * B, lanes, x);
}

static void backward(const gannet_cholesky *factor, int lanes, double *x) {
  for (int i = cholesky_blocks_for(factor->n) - 1; i >= 0; --i) backward_block(factor, i, lanes, x);
}

_Static_assert((int)PANEL_RUN == (int)B, "a run is a block");

static int lanes_for(int m) {
  return m <= PANEL_FEW ? m : panel_lanes(m);
}

/* As many right-hand sides at a time as a panel has lanes. */
static void by_panels(const gannet_cholesky *factor, int m, double *b, int ldb,
                      void (*first)(const gannet_cholesky *, int, double *),
                      void (*second)(const gannet_cholesky *, int, double *)) {
  for (int from = 0; from < m; from += PANEL_MOST) {
    const int count = m - from < PANEL_MOST ? m - from : PANEL_MOST, lanes = lanes_for(count);
    double *rows = b + (ptrdiff_t)from * ldb;
    factor->ways->pack(lanes, count, factor->n, rows, (size_t)ldb, factor->panel);
    first(factor, lanes, factor->panel);
    if (second) second(factor, lanes, factor->panel);
    factor->ways->unpack(lanes, count, factor->n, factor->panel, rows, (size_t)ldb);
  }
}

void gannet_cholesky_forward(const gannet_cholesky *factor, int m, double *b, int ldb) {
  by_panels(factor, m, b, ldb, forward, NULL);
}

void gannet_cholesky_backward(const gannet_cholesky *factor, int m, double *b, int ldb) {
  by_panels(factor, m, b, ldb, backward, NULL);
}

void gannet_cholesky_solve(const gannet_cholesky *factor, int m, double *b, int ldb) {
  by_panels(factor, m, b, ldb, forward, backward);
}

/* Ranks of a node that share a solve, of which this one may be none. */
static int ranks_of(const gannet_cholesky *factor, int n) {
  const int np = factor->shared ? factor->shared->node->n : 1;
  return n < GANNET_CHOLESKY_SOLVE_TOGETHER ? 1 : np < RANKS ? np : RANKS;
}

/* Blocks that are made, from the first on, and at least so many. */
static int made_from(const cholesky_shared *shared, int first, int least, int most) {
  int end = first;
  while (end < most && (end < least || cholesky_has(shared, end, CHOLESKY_FORWARD)))
    (void)cholesky_await(shared, end++, CHOLESKY_FORWARD);
  return end;
}

void cholesky_forward_part(gannet_cholesky *factor, int n_blocks, int m, int lanes,
                           const double *rows, size_t ld) {
  const int place = factor->shared->node->place, np = ranks_of(factor, n_blocks * B);
  double *x = factor->shared->x;
  for (int i = place; i < n_blocks && place < np; i += np) {
    const int count = cholesky_rows_in(factor, i);
    const size_t width = (size_t)cholesky_width_of(i);
    double *target = x + (ptrdiff_t)i * B * lanes;
    factor->ways->pack(lanes, m, count, rows + (ptrdiff_t)i * B, ld, target);
    for (int from = 0, end; from < i; from = end) {
      end = made_from(factor->shared, from, from + 1, i);
      factor->ways->take_before(lanes, count, (end - from) * B,
                                factor->block[i] + (ptrdiff_t)from * B, width,
                                x + (ptrdiff_t)from * B * lanes, target);
    }
    factor->ways->solve(lanes, count, factor->block[i] + (ptrdiff_t)i * B, width, target);
    cholesky_tell(factor->shared, i, CHOLESKY_FORWARD);
  }
}

/* Some blocks, which have one owner, take what those after them give. */
static void backward_stretch(gannet_cholesky *factor, int first, int end, int lanes, double *x) {
  cholesky_shared *shared = factor->shared;
  for (int i = first; i < end; ++i) (void)cholesky_await(shared, i, CHOLESKY_FORWARD);
  for (int j = cholesky_blocks_for(factor->n) - 1; j >= end; --j) {
    (void)cholesky_await(shared, j, CHOLESKY_BACKWARD);
    give(factor, j, first * B, (end - first) * B, lanes, x);
  }
  for (int i = end - 1; i >= first; --i) {
    solve_corner(factor, i, lanes, x);
    give(factor, i, first * B, (i - first) * B, lanes, x);
    cholesky_tell(shared, i, CHOLESKY_BACKWARD);
  }
}

static void backward_part(gannet_cholesky *factor, int lanes) {
  const int place = factor->shared->node->place, np = ranks_of(factor, factor->n);
  const int blocks = cholesky_blocks_for(factor->n);
  for (int s = (blocks - 1) / STRETCH; s >= 0 && place < np; --s) {
    const int first = s * STRETCH, end = blocks < first + STRETCH ? blocks : first + STRETCH;
    if (s % np == place) backward_stretch(factor, first, end, lanes, factor->shared->x);
  }
}

static void take_solution(const gannet_cholesky *factor, int m, int lanes, double *b, int ldb) {
  for (int i = cholesky_blocks_for(factor->n) - 1; i >= 0; --i)
    (void)cholesky_await(factor->shared, i, CHOLESKY_BACKWARD);
  factor->ways->unpack(lanes, m, factor->n, factor->shared->x, b, (size_t)ldb);
}

gannet_err gannet_cholesky_solve_together(gannet_cholesky *factor, int m, double *b, int ldb) {
  if (ranks_of(factor, factor->n) == 1) {
    gannet_cholesky_solve(factor, m, b, ldb);
    return GANNET_OK;
  }
  for (int from = 0; from < m; from += PANEL_MOST) {
    const int count = m - from < PANEL_MOST ? m - from : PANEL_MOST, lanes = lanes_for(count);
    double *rows = b + (ptrdiff_t)from * ldb;
    GANNET_TRY(cholesky_meet(factor->shared, GANNET_OK));
    cholesky_forward_part(factor, cholesky_blocks_for(factor->n), count, lanes, rows, (size_t)ldb);
    backward_part(factor, lanes);
    take_solution(factor, count, lanes, rows, ldb);
  }
  return GANNET_OK;
}
