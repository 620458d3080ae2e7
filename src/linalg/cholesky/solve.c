/* Solving with a factor: by one rank, by the ranks of a node for the same right-hand sides, and by
 * all ranks for a part of the right-hand sides each (dealt).
 *
 * How the ranks of a node share a sweep
 *   sweep    forward or backward substitution with some leading block rows
 *   leader   the first rank of the node: it solves for the blocks, one after the other
 *   helper   one of the other ranks: it subtracts products of finished blocks from later blocks
 *
 * Blocks are numbered in the order in which they are solved: from the first forward, from the last
 * backward. A block takes the products of all blocks before it, in their order. The leader takes
 * the products of the last few blocks before a block, and helpers those of all earlier ones. So
 * helpers work far ahead of the leader, and nobody waits for an answer to what it has just
 * published. Of n blocks and p ranks, the leader takes for block i those of i blocks, or of (a - 1)
 * (n - i) blocks where that is less. With a = p / (p - 1) this is the p-th part of all products;
 * the leader takes fewer, because it solves for the blocks besides.
 */
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "linalg/cholesky/factor.h"

enum { B = GANNET_CHOLESKY_BLOCK };

_Static_assert((int)PANEL_RUN == (int)B, "a run of a few panel is a block");

/* Lanes of a panel of m right-hand sides. */
static int lanes_for(int m) {
  return m <= PANEL_FEW ? m : panel_lanes(m);
}

/* By one rank. */

void cholesky_solve_block(const gannet_cholesky *factor, int i, int rows, int lanes, double *x) {
  const size_t ld = (size_t)cholesky_width_of(i);
  const double *l = factor->block[i];
  double *target = x + (ptrdiff_t)i * B * lanes;
  factor->kernels->subtract_product(lanes, rows, i * B, l, ld, x, target);
  factor->kernels->solve(lanes, rows, l + (ptrdiff_t)i * B, ld, target);
}

/* L^-T x for block row i, of which all products of later blocks have been subtracted. */
static void solve_block_transposed(const gannet_cholesky *factor, int i, int lanes, double *x) {
  factor->kernels->solve_transposed(lanes, cholesky_rows_in(factor, i),
                                    factor->block[i] + (ptrdiff_t)i * B,
                                    (size_t)cholesky_width_of(i), x + (ptrdiff_t)i * B * lanes);
}

/* Subtract the products of solved block i from k numbers of each right-hand side, from `from` on.
 */
static void subtract_block_transposed(const gannet_cholesky *factor, int i, int from, int k,
                                      int lanes, double *x) {
  factor->kernels->subtract_transposed(lanes, cholesky_rows_in(factor, i), k,
                                       factor->block[i] + from, (size_t)cholesky_width_of(i),
                                       x + (ptrdiff_t)i * B * lanes, x + (ptrdiff_t)from * lanes);
}

static void forward_sweep(const gannet_cholesky *factor, int lanes, double *x) {
  for (int i = 0; i < cholesky_blocks_for(factor->n); ++i)
    cholesky_solve_block(factor, i, cholesky_rows_in(factor, i), lanes, x);
}

static void backward_sweep(const gannet_cholesky *factor, int lanes, double *x) {
  for (int i = cholesky_blocks_for(factor->n) - 1; i >= 0; --i) {
    solve_block_transposed(factor, i, lanes, x);
    subtract_block_transposed(factor, i, 0, i * B, lanes, x);
  }
}

/* As many right-hand sides at a time as a panel has lanes. second may be NULL. */
static void solve_by_panels(const gannet_cholesky *factor, int m, double *b, int ldb,
                            void (*first)(const gannet_cholesky *, int, double *),
                            void (*second)(const gannet_cholesky *, int, double *)) {
  for (int from = 0; from < m; from += PANEL_MOST) {
    const int count = m - from < PANEL_MOST ? m - from : PANEL_MOST, lanes = lanes_for(count);
    double *rows = b + (ptrdiff_t)from * ldb;
    factor->kernels->pack(lanes, count, factor->n, rows, (size_t)ldb, factor->panel);
    first(factor, lanes, factor->panel);
    if (second) second(factor, lanes, factor->panel);
    factor->kernels->unpack(lanes, count, factor->n, factor->panel, rows, (size_t)ldb);
  }
}

void gannet_cholesky_forward(const gannet_cholesky *factor, int m, double *b, int ldb) {
  solve_by_panels(factor, m, b, ldb, forward_sweep, NULL);
}

void gannet_cholesky_backward(const gannet_cholesky *factor, int m, double *b, int ldb) {
  solve_by_panels(factor, m, b, ldb, backward_sweep, NULL);
}

void gannet_cholesky_solve(const gannet_cholesky *factor, int m, double *b, int ldb) {
  solve_by_panels(factor, m, b, ldb, forward_sweep, backward_sweep);
}

/* By the ranks of a node together. */

/* One sweep, as a rank of the node sees it. */
typedef struct {
  gannet_cholesky *factor;
  cholesky_shared *shared;
  bool backward;
  int blocks, lanes;
  int m;              /* right-hand sides in rows */
  const double *rows; /* [m][ld] b; NULL in a backward sweep, as the shared x holds it */
  size_t ld;
  int helpers;   /* number of ranks that help the leader */
  int node_rank; /* 0 = the leader; above helpers: this rank has no share */
  double slope;  /* a - 1 */
} sweep;

/* Ranks of the node that share a solve with n rows: its first ones, at least one. */
static int count_solvers(const gannet_cholesky *factor, int n) {
  const int np = factor->shared ? factor->shared->node->n : 1;
  if (n < GANNET_CHOLESKY_SOLVE_TOGETHER) return 1;
  return np < GANNET_CHOLESKY_RANKS ? np : GANNET_CHOLESKY_RANKS;
}

static sweep sweep_of(gannet_cholesky *factor, int blocks, int lanes, bool backward) {
  /* Solving for a block takes as long as subtracting the products of this many blocks. */
  static const double solve_cost = 1.3;
  const int np = count_solvers(factor, blocks * B);
  double slope = 0;
  if (np > 1) {
    /* The leader's part of all products is (a - 1) / a. */
    const double part = 1.0 / np - 2 * solve_cost * (1 - 1.0 / np) / blocks;
    slope = part > 0 ? part / (1 - part) : 0;
  }
  return (sweep){.factor = factor,
                 .shared = factor->shared,
                 .backward = backward,
                 .blocks = blocks,
                 .lanes = lanes,
                 .helpers = np - 1,
                 .node_rank = factor->shared->node->node_rank,
                 .slope = slope};
}

/* The first block whose products the leader takes for block i; helpers take those of all before. */
static int first_of_leader(const sweep *s, int i) {
  if (s->helpers == 0) return 0;
  const int share = (int)(s->slope * (s->blocks - i)), own = share > 1 ? share : 1;
  return own < i ? i - own : 0;
}

/* The block row of the i-th block of a sweep. */
static int row_of(const sweep *s, int i) {
  return s->backward ? s->blocks - 1 - i : i;
}

static double *x_of(const sweep *s, int i) {
  return s->shared->x + (ptrdiff_t)row_of(s, i) * B * s->lanes;
}

static int solved_step(const sweep *s) {
  return s->backward ? CHOLESKY_BACKWARD : CHOLESKY_FORWARD;
}

/* The counter by which a helper says that it has taken its products for block i. It is another one
 * than that of block i itself. */
static int helped_counter(const sweep *s, int i) {
  return s->shared->work_blocks + row_of(s, i);
}

static void pack_block(const sweep *s, int i) {
  if (s->rows)
    s->factor->kernels->pack(s->lanes, s->m, cholesky_rows_in(s->factor, i),
                             s->rows + (ptrdiff_t)i * B, s->ld, x_of(s, i));
}

/* Subtract the products of blocks from .. end-1 from block i. */
static void subtract_blocks(const sweep *s, int i, int from, int end) {
  const gannet_cholesky *f = s->factor;
  if (s->backward) {
    for (int j = from; j < end; ++j)
      subtract_block_transposed(f, row_of(s, j), row_of(s, i) * B, B, s->lanes, s->shared->x);
    return;
  }
  f->kernels->subtract_product(s->lanes, cholesky_rows_in(f, i), (end - from) * B,
                               f->block[i] + (ptrdiff_t)from * B, (size_t)cholesky_width_of(i),
                               x_of(s, from), x_of(s, i));
}

static void lead_sweep(const sweep *s) {
  const gannet_cholesky *f = s->factor;
  for (int i = 0; i < s->blocks; ++i) {
    const int from = first_of_leader(s, i), row = row_of(s, i);
    if (from == 0)
      pack_block(s, i);
    else
      (void)cholesky_await(s->shared, helped_counter(s, i), solved_step(s));
    if (from < i) subtract_blocks(s, i, from, i);
    if (s->backward)
      solve_block_transposed(f, row, s->lanes, s->shared->x);
    else
      f->kernels->solve(s->lanes, cholesky_rows_in(f, row), f->block[row] + (ptrdiff_t)row * B,
                        (size_t)cholesky_width_of(row), x_of(s, i));
    cholesky_publish(s->shared, row, solved_step(s));
  }
}

/* Wait until block first is solved. Returns the end of the solved blocks from there on, at most
 * `most` of them. */
static int await_solved(const sweep *s, int first, int most) {
  const int last = s->blocks < first + most ? s->blocks : first + most;
  int end = first + 1;
  (void)cholesky_await(s->shared, row_of(s, first), solved_step(s));
  while (end < last && cholesky_has(s->shared, row_of(s, end), solved_step(s))) ++end;
  return end;
}

/* Subtract the products of blocks soon after they are solved, from every helpers-th later block. */
static void help_sweep(const sweep *s) {
  enum { MOST = 8 };
  int i = 0, end = 0;
  for (int j = 0; j < s->blocks; j = end) {
    while (i < s->blocks && first_of_leader(s, i) <= j) ++i;
    if (i == s->blocks) return;
    end = await_solved(s, j, MOST);
    for (int k = i; k < s->blocks; ++k) {
      const int own = first_of_leader(s, k), most = end < own ? end : own;
      if (k % s->helpers != s->node_rank - 1) continue;
      if (j == 0) pack_block(s, k);
      subtract_blocks(s, k, j, most);
      if (most == own) cholesky_publish(s->shared, helped_counter(s, k), solved_step(s));
    }
  }
}

static void do_share(const sweep *s) {
  if (s->node_rank == 0)
    lead_sweep(s);
  else if (s->node_rank <= s->helpers)
    help_sweep(s);
}

void cholesky_forward_share(gannet_cholesky *factor, int n_blocks, int m, int lanes,
                            const double *rows, size_t ld) {
  sweep s = sweep_of(factor, n_blocks, lanes, false);
  s.m = m;
  s.rows = rows;
  s.ld = ld;
  do_share(&s);
}

gannet_err gannet_cholesky_solve_together(gannet_cholesky *factor, int m, double *b, int ldb) {
  const int blocks = cholesky_blocks_for(factor->n);
  if (count_solvers(factor, factor->n) == 1) {
    gannet_cholesky_solve(factor, m, b, ldb);
    return GANNET_OK;
  }
  for (int from = 0; from < m; from += PANEL_MOST) {
    const int count = m - from < PANEL_MOST ? m - from : PANEL_MOST, lanes = lanes_for(count);
    double *rows = b + (ptrdiff_t)from * ldb;
    GANNET_TRY(cholesky_begin_joint(factor->shared, GANNET_OK));
    cholesky_forward_share(factor, blocks, count, lanes, rows, (size_t)ldb);
    const sweep backward = sweep_of(factor, blocks, lanes, true); /* L^-T x, in the shared x */
    do_share(&backward);
    for (int i = blocks - 1; i >= 0; --i)
      (void)cholesky_await(factor->shared, i, CHOLESKY_BACKWARD);
    factor->kernels->unpack(lanes, count, factor->n, factor->shared->x, rows, (size_t)ldb);
  }
  return GANNET_OK;
}

/* By all ranks of a communicator, a part of the right-hand sides each. */

static gannet_err solve_dealt(const gannet_cholesky *factor, MPI_Comm comm,
                              void (*half)(const gannet_cholesky *, int, double *, int), int m,
                              double *b) {
  enum { EIGHT = 8 }; /* right-hand sides go by eights: fewer lanes take as long */
  const int n = gannet_cholesky_size(factor);
  int np = 0, rank = 0, *first = NULL;
  GANNET_TRY_MPI(MPI_Comm_size(comm, &np));
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  GANNET_TRY(gannet_alloc_on_all(comm, (size_t)np + 1, sizeof *first, &first));
  for (int r = 0; r <= np; ++r) {
    const int64_t at = ((int64_t)m * r / np + EIGHT / 2) / EIGHT * EIGHT;
    first[r] = r == np || at > m ? m : (int)at;
  }
  half(factor, first[rank + 1] - first[rank], b + (ptrdiff_t)first[rank] * n, n);
  const gannet_err err = gannet_partition_gather_rows(comm, first, (size_t)n * sizeof *b, b);
  gannet_free(&first);
  return err;
}

gannet_err gannet_cholesky_forward_dealt(const gannet_cholesky *factor, MPI_Comm comm, int m,
                                         double *b) {
  return solve_dealt(factor, comm, gannet_cholesky_forward, m, b);
}

gannet_err gannet_cholesky_backward_dealt(const gannet_cholesky *factor, MPI_Comm comm, int m,
                                          double *b) {
  return solve_dealt(factor, comm, gannet_cholesky_backward, m, b);
}
