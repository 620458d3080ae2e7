/* Solving, by a rank alone or by those of a node for the same right-hand sides. */
#include "base/memory.h"
#include "linalg/cholesky_impl.h"

enum { B = GANNET_CHOLESKY_BLOCK };

static void forward_block(const gannet_cholesky *factor, int i, int lanes, double *x) {
  cholesky_solve_before(factor, i, cholesky_rows_in(factor, i), lanes, x);
}

static void forward(const gannet_cholesky *factor, int lanes, double *x) {
  for (int i = 0; i < cholesky_blocks_for(factor->n); ++i) forward_block(factor, i, lanes, x);
}

void cholesky_solve_corner(const gannet_cholesky *factor, int i, int lanes, double *x) {
  factor->ways->solve_transposed(lanes, cholesky_rows_in(factor, i),
                                 factor->block[i] + (ptrdiff_t)i * B, (size_t)cholesky_width_of(i),
                                 x + (ptrdiff_t)i * B * lanes);
}

void cholesky_give(const gannet_cholesky *factor, int i, int from, int k, int lanes, double *x) {
  factor->ways->take_after(lanes, cholesky_rows_in(factor, i), k, factor->block[i] + from,
                           (size_t)cholesky_width_of(i), x + (ptrdiff_t)i * B * lanes,
                           x + (ptrdiff_t)from * lanes);
}

static void backward_block(const gannet_cholesky *factor, int i, int lanes, double *x) {
  cholesky_solve_corner(factor, i, lanes, x);
  cholesky_give(factor, i, 0, i * B, lanes, x);
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

static void take_solution(const gannet_cholesky *factor, int m, int lanes, double *b, int ldb) {
  for (int i = cholesky_blocks_for(factor->n) - 1; i >= 0; --i)
    (void)cholesky_await(factor->shared, i, CHOLESKY_BACKWARD);
  factor->ways->unpack(lanes, m, factor->n, factor->shared->x, b, (size_t)ldb);
}

gannet_err gannet_cholesky_solve_together(gannet_cholesky *factor, int m, double *b, int ldb) {
  if (cholesky_solvers(factor, factor->n) == 1) {
    gannet_cholesky_solve(factor, m, b, ldb);
    return GANNET_OK;
  }
  for (int from = 0; from < m; from += PANEL_MOST) {
    const int count = m - from < PANEL_MOST ? m - from : PANEL_MOST, lanes = lanes_for(count);
    double *rows = b + (ptrdiff_t)from * ldb;
    GANNET_TRY(cholesky_meet(factor->shared, GANNET_OK));
    cholesky_forward_part(factor, cholesky_blocks_for(factor->n), count, lanes, rows, (size_t)ldb);
    cholesky_backward_part(factor, lanes);
    take_solution(factor, count, lanes, rows, ldb);
  }
  return GANNET_OK;
}
