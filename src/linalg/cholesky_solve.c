/* Solving, by a rank alone or by all together: forward each makes products with some rows of every
 * stretch of blocks, backward with some stretches of columns. */
#include "base/memory.h"
#include "linalg/cholesky_impl.h"

enum {
  B = GANNET_CHOLESKY_BLOCK,
  GROUP = 8,
  STRETCH = 2, /* blocks between messages */
  RANKS = GANNET_CHOLESKY_RANKS
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

static int lanes_for(int m) {
  return m == 1 ? 1 : panel_lanes(m);
}

/* As many right-hand sides at a time as a panel has lanes. */
static void by_panels(const gannet_cholesky *factor, int m, double *b, int ldb,
                      void (*first)(const gannet_cholesky *, int, double *),
                      void (*second)(const gannet_cholesky *, int, double *)) {
  for (int from = 0; from < m; from += PANEL_MOST) {
    const int count = m - from < PANEL_MOST ? m - from : PANEL_MOST, lanes = lanes_for(count);
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

/* A solve that ranks share: blocks go round them by stretches of STRETCH. */
typedef struct {
  const gannet_cholesky *factor;
  MPI_Comm comm;
  int rank, np, lanes;
  int shared; /* leading blocks that ranks share, whole stretches */
  double *x;  /* [n][lanes] */
} solve;

static gannet_err open_solve(const gannet_cholesky *factor, MPI_Comm comm, int lanes, solve *s) {
  *s = (solve){.factor = factor, .comm = comm, .np = 1, .lanes = lanes, .x = factor->panel};
  if (comm == MPI_COMM_NULL || factor->n < GANNET_CHOLESKY_SOLVE_TOGETHER) return GANNET_OK;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &s->rank));
  GANNET_TRY_MPI(MPI_Comm_size(comm, &s->np));
  if (s->np > 1 && s->np <= RANKS) s->shared = factor->n / B / STRETCH * STRETCH;
  return GANNET_OK;
}

/* Rows of a stretch whose products with the columns before it are made by a rank: whole groups. */
static int first_row(const solve *s, int rank) {
  return STRETCH * B / GROUP * rank / s->np * GROUP;
}

/* The rows of this rank take what the columns before their stretch give them. */
static void take_own(const solve *s, int first) {
  const int end = first_row(s, s->rank + 1);
  for (int row = first_row(s, s->rank); row < end;) {
    const int i = first + row / B, rows = end - row < B - row % B ? end - row : B - row % B;
    const size_t ld = (size_t)cholesky_width_of(i);
    s->factor->ways->take_before(s->lanes, rows, first * B,
                                 s->factor->block[i] + (size_t)(row % B) * ld, ld, s->x,
                                 s->x + ((ptrdiff_t)first * B + row) * s->lanes);
    row += rows;
  }
}

/* Blocks of a stretch take from each other what is left. */
static void forward_stretch(const solve *s, int first) {
  const ptrdiff_t before = (ptrdiff_t)first * B;
  for (int i = first; i < first + STRETCH; ++i) {
    const size_t ld = (size_t)cholesky_width_of(i);
    double *target = s->x + (ptrdiff_t)i * B * s->lanes;
    s->factor->ways->take_before(s->lanes, B, (i - first) * B, s->factor->block[i] + before, ld,
                                 s->x + before * s->lanes, target);
    s->factor->ways->solve(s->lanes, B, s->factor->block[i] + (ptrdiff_t)i * B, ld, target);
  }
}

static gannet_err forward_together(const solve *s, int first) {
  int counts[RANKS], starts[RANKS];
  for (int r = 0; r < s->np; ++r) {
    starts[r] = first_row(s, r) * s->lanes;
    counts[r] = first_row(s, r + 1) * s->lanes - starts[r];
  }
  take_own(s, first);
  GANNET_TRY_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL,
                                s->x + (ptrdiff_t)first * B * s->lanes, counts, starts, MPI_DOUBLE,
                                s->comm));
  forward_stretch(s, first);
  return GANNET_OK;
}

static gannet_err forward_shared(const solve *s) {
  for (int first = 0; first < s->shared; first += STRETCH) GANNET_TRY(forward_together(s, first));
  for (int i = s->shared; i < cholesky_blocks_for(s->factor->n); ++i)
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

/* A stretch is up to date on its owner, who solves for it and sends it to all. */
static gannet_err backward_together(const solve *s, int first) {
  const int owner = first / STRETCH % s->np, end = first + STRETCH;
  for (int i = end - 1; i >= first && s->rank == owner; --i) {
    solve_corner(s->factor, i, s->lanes, s->x);
    give(s->factor, i, first * B, (i - first) * B, s->lanes, s->x);
  }
  GANNET_TRY_MPI(MPI_Bcast(s->x + (ptrdiff_t)first * B * s->lanes, STRETCH * B * s->lanes,
                           MPI_DOUBLE, owner, s->comm));
  for (int k = first - STRETCH; k >= 0; k -= STRETCH)
    for (int i = end - 1; i >= first && k / STRETCH % s->np == s->rank; --i)
      give(s->factor, i, k * B, STRETCH * B, s->lanes, s->x);
  return GANNET_OK;
}

static gannet_err backward_shared(const solve *s) {
  for (int i = cholesky_blocks_for(s->factor->n) - 1; i >= s->shared; --i)
    backward_block(s->factor, i, s->lanes, s->x);
  for (int first = s->shared - STRETCH; first >= 0; first -= STRETCH)
    GANNET_TRY(backward_together(s, first));
  return GANNET_OK;
}

gannet_err gannet_cholesky_solve_together(const gannet_cholesky *factor, MPI_Comm comm, int m,
                                          double *b, int ldb) {
  for (int from = 0; from < m; from += PANEL_MOST) {
    const int count = m - from < PANEL_MOST ? m - from : PANEL_MOST;
    double *rows = b + (ptrdiff_t)from * ldb;
    solve s;
    GANNET_TRY(open_solve(factor, comm, lanes_for(count), &s));
    panel_pack(s.lanes, count, factor->n, rows, (size_t)ldb, s.x);
    GANNET_TRY(forward_shared(&s));
    GANNET_TRY(backward_shared(&s));
    panel_unpack(s.lanes, count, factor->n, s.x, rows, (size_t)ldb);
  }
  return GANNET_OK;
}
