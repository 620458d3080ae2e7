/* Solving by the ranks of a node for right-hand sides that lie with one rank or another. */
#include <string.h>

#include "linalg/cholesky_impl.h"

enum { B = GANNET_CHOLESKY_BLOCK };

_Static_assert((int)GANNET_CHOLESKY_SPREAD == (int)PANEL_FEW, "right-hand sides lie by runs");

bool gannet_cholesky_is_shared(const gannet_cholesky *factor) {
  return factor->shared;
}

/* Where block i of right-hand side j is. */
static double *run_of(const gannet_cholesky *factor, int m, int i, int j) {
  return factor->shared->x + ((ptrdiff_t)i * m + j) * B;
}

static void put_own(const gannet_cholesky *factor, int m, const double *b, int ldb) {
  const gannet_node *node = factor->shared->node;
  for (int j = node->place; j < m; j += node->n, b += ldb)
    for (int i = 0; i < cholesky_blocks_for(factor->n); ++i)
      memcpy(run_of(factor, m, i, j), b + i * B, (size_t)cholesky_rows_in(factor, i) * sizeof *b);
}

/* Each block when it is there. */
static void take_own(const gannet_cholesky *factor, int m, int step, double *b, int ldb) {
  const gannet_node *node = factor->shared->node;
  const int blocks = cholesky_blocks_for(factor->n);
  for (int k = 0; k < blocks; ++k) {
    const int i = step == CHOLESKY_FORWARD ? k : blocks - 1 - k;
    double *row = b + i * B;
    (void)cholesky_await(factor->shared, i, step);
    for (int j = node->place; j < m; j += node->n, row += ldb)
      memcpy(row, run_of(factor, m, i, j), (size_t)cholesky_rows_in(factor, i) * sizeof *row);
  }
}

void gannet_cholesky_forward_spread(gannet_cholesky *factor, int m, double *b, int ldb) {
  ++factor->shared->time;
  (void)gannet_node_meet(factor->shared->node, false); /* others may still read the last ones */
  put_own(factor, m, b, ldb);
  (void)gannet_node_meet(factor->shared->node, false);
  cholesky_forward_part(factor, cholesky_blocks_for(factor->n), m, m, NULL, 0);
  take_own(factor, m, CHOLESKY_FORWARD, b, ldb);
}

void gannet_cholesky_backward_spread(gannet_cholesky *factor, int m, double *b, int ldb) {
  (void)gannet_node_meet(factor->shared->node, false);
  cholesky_backward_part(factor, m);
  take_own(factor, m, CHOLESKY_BACKWARD, b, ldb);
}
