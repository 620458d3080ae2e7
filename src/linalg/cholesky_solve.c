/* Solving, by a rank alone or by all together: forward each makes products with some rows of every
 * block row, backward with some block columns. */
#include "base/memory.h"
#include "linalg/cholesky_impl.h"

enum { B = GANNET_CHOLESKY_BLOCK, GROUP = 8, RANKS = GANNET_CHOLESKY_RANKS };

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

/* As many right-hand sides at a time as a panel has lanes. */
static void by_panels(const gannet_cholesky *factor, int m, double *b, int ldb,
                      void (*first)(const gannet_cholesky *, int, double *),
                      void (*second)(const gannet_cholesky *, int, double *)) {
  for (int from = 0; from < m; from += PANEL_MOST) {
    const int count = m - from < PANEL_MOST ? m - from : PANEL_MOST, lanes = panel_lanes(count);
    double *rows = b + (ptrdiff_t)from * ldb;
    panel_pack(lanes, count, factor->n, rows, (size_t)ldb, factor->panel);
    first(factor, lanes, factor->panel);
    if (second) second(factor, lanes, factor->panel);
    panel_unpack(lanes, count, factor->n, factor->panel, rows, (size_t)ldb);
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

/* A solve that ranks share. */
typedef struct {
  const gannet_cholesky *factor;
  MPI_Comm comm;
  int rank, np, lanes;
  double *x;         /* [n][lanes] */
  int first[RANKS];  /* of the rows of a block, whole groups: what a rank begins with, */
  int counts[RANKS]; /* numbers that it makes of them, */
  int starts[RANKS]; /* and the first of these */
} solve;

static gannet_err open_solve(const gannet_cholesky *factor, MPI_Comm comm, int lanes, solve *s) {
  *s = (solve){.factor = factor, .comm = comm, .np = 1, .lanes = lanes, .x = factor->panel};
  if (comm == MPI_COMM_NULL || factor->n < GANNET_CHOLESKY_SOLVE_TOGETHER) return GANNET_OK;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &s->rank));
  GANNET_TRY_MPI(MPI_Comm_size(comm, &s->np));
  if (s->np > RANKS) s->np = 1;
  for (int r = 0; r < s->np; ++r) {
    s->first[r] = B / GROUP * r / s->np * GROUP;
    s->starts[r] = s->first[r] * lanes;
    s->counts[r] = (B / GROUP * (r + 1) / s->np * GROUP - s->first[r]) * lanes;
  }
  return GANNET_OK;
}

/* What the rows of this rank of block row i take from those before. */
static gannet_err take_together(const solve *s, int i) {
  const size_t ld = (size_t)cholesky_width_of(i);
  double *target = s->x + (ptrdiff_t)i * B * s->lanes;
  s->factor->ways->take_before(s->lanes, s->counts[s->rank] / s->lanes, i * B,
                               s->factor->block[i] + (size_t)s->first[s->rank] * ld, ld, s->x,
                               target + s->starts[s->rank]);
  GANNET_TRY_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, target, s->counts, s->starts,
                                MPI_DOUBLE, s->comm));
  s->factor->ways->solve(s->lanes, B, s->factor->block[i] + (ptrdiff_t)i * B, ld, target);
  return GANNET_OK;
}

static gannet_err forward_shared(const solve *s) {
  const int complete = s->np > 1 ? s->factor->n / B : 0;
  for (int i = 0; i < cholesky_blocks_for(s->factor->n); ++i)
    if (i > 0 && i < complete)
      GANNET_TRY(take_together(s, i));
    else
      forward_block(s->factor, i, s->lanes, s->x);
  return GANNET_OK;
}

gannet_err cholesky_forward_together(const gannet_cholesky *factor, MPI_Comm comm, int lanes,
                                     double *x) {
  solve s;
  GANNET_TRY(open_solve(factor, comm, lanes, &s));
  s.x = x;
  return forward_shared(&s);
}

/* Block i is up to date on its owner, who solves for it and sends it to all. */
static gannet_err give_together(const solve *s, int i) {
  const int owner = i % s->np;
  if (s->rank == owner) solve_corner(s->factor, i, s->lanes, s->x);
  GANNET_TRY_MPI(
      MPI_Bcast(s->x + (ptrdiff_t)i * B * s->lanes, B * s->lanes, MPI_DOUBLE, owner, s->comm));
  for (int k = i - 1; k >= 0; --k)
    if (k % s->np == s->rank) give(s->factor, i, k * B, B, s->lanes, s->x);
  return GANNET_OK;
}

static gannet_err backward_shared(const solve *s) {
  const int complete = s->np > 1 ? s->factor->n / B : 0;
  for (int i = cholesky_blocks_for(s->factor->n) - 1; i >= 0; --i)
    if (i < complete)
      GANNET_TRY(give_together(s, i));
    else
      backward_block(s->factor, i, s->lanes, s->x);
  return GANNET_OK;
}

gannet_err gannet_cholesky_solve_together(const gannet_cholesky *factor, MPI_Comm comm, int m,
                                          double *b, int ldb) {
  for (int from = 0; from < m; from += PANEL_MOST) {
    const int count = m - from < PANEL_MOST ? m - from : PANEL_MOST;
    double *rows = b + (ptrdiff_t)from * ldb;
    solve s;
    GANNET_TRY(open_solve(factor, comm, panel_lanes(count), &s));
    panel_pack(s.lanes, count, factor->n, rows, (size_t)ldb, s.x);
    GANNET_TRY(forward_shared(&s));
    GANNET_TRY(backward_shared(&s));
    panel_unpack(s.lanes, count, factor->n, s.x, rows, (size_t)ldb);
  }
  return GANNET_OK;
}
