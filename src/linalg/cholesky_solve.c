/* A solve that ranks share: forward each makes products with some rows of every block row, backward
 * with some block columns. */
#include <string.h>

#include "base/memory.h"
#include "linalg/cholesky_impl.h"

enum { B = GANNET_CHOLESKY_BLOCK, GROUP = 8, RANKS = GANNET_CHOLESKY_RANKS };

typedef struct {
  gannet_cholesky *factor;
  cholesky_shared *shared;
  MPI_Comm comm;
  int rank, np, m, ldb;
  double *b;
  int complete;      /* block rows */
  bool compares;     /* block rows from shared->known on are to be compared */
  double *part;      /* [m][B] */
  double *all;       /* [m][B] */
  double *other;     /* [m][complete * B] where block rows are compared */
  int counts[RANKS]; /* numbers of ranks in all */
  int starts[RANKS];
} solve;

/* Rows of a block that a rank begins with: whole groups. */
static int first_row(const solve *s, int rank) {
  return B / GROUP * rank / s->np * GROUP;
}

static cholesky_rhs at_block(const solve *s, int i) {
  return (cholesky_rhs){s->m, s->ldb, s->b + (ptrdiff_t)i * B};
}

/* The first columns of m rows. */
static void copy(int m, int columns, const double *from, int ldf, double *to, int ldt) {
  for (int r = 0; r < m; ++r)
    memcpy(to + (ptrdiff_t)r * ldt, from + (ptrdiff_t)r * ldf, (size_t)columns * sizeof *to);
}

static bool same(int m, int columns, const double *a, int lda, const double *b, int ldb) {
  for (int r = 0; r < m; ++r)
    if (memcmp(a + (ptrdiff_t)r * lda, b + (ptrdiff_t)r * ldb, (size_t)columns * sizeof *a) != 0)
      return false;
  return true;
}

/* What the rows of a rank of block row i take from target. */
static void take_rows(const solve *s, int i, int rank, double *target, int ldt) {
  const int ld = cholesky_width_of(i), first = first_row(s, rank);
  const cholesky_rhs before = at_block(s, 0);
  cholesky_take_before(&before, s->factor->block[i] + (ptrdiff_t)first * ld, ld,
                       first_row(s, rank + 1) - first, i * B, target + first, ldt);
}

static gannet_err forward_together(solve *s, int i) {
  const cholesky_rhs target = at_block(s, i);
  const int first = first_row(s, s->rank), rows = first_row(s, s->rank + 1) - first;
  take_rows(s, i, s->rank, target.values, s->ldb);
  copy(s->m, rows, target.values + first, s->ldb, s->part, rows);
  GANNET_TRY_MPI(MPI_Allgatherv(s->part, s->m * rows, MPI_DOUBLE, s->all, s->counts, s->starts,
                                MPI_DOUBLE, s->comm));
  for (int r = 0; r < s->np; ++r) {
    const int from = first_row(s, r), count = first_row(s, r + 1) - from;
    copy(s->m, count, s->all + s->starts[r], count, target.values + from, s->ldb);
  }
  return GANNET_OK;
}

static int rows_in(const solve *s, int i) {
  const int left = s->factor->n - i * B;
  return left < B ? left : B;
}

/* With all rows; where block rows are compared, a new one also in parts. */
static void forward_alone(solve *s, int i) {
  const cholesky_rhs before = at_block(s, 0), target = at_block(s, i);
  const bool compared = s->compares && i >= s->shared->known && i < s->complete;
  if (compared) {
    copy(s->m, B, target.values, s->ldb, s->part, B);
    for (int r = 0; r < s->np; ++r) take_rows(s, i, r, s->part, B);
  }
  cholesky_take_before(&before, s->factor->block[i], cholesky_width_of(i), rows_in(s, i), i * B,
                       target.values, s->ldb);
  if (compared) s->shared->rows_alike[i] = same(s->m, B, target.values, s->ldb, s->part, B);
}

static bool may_share_rows(const solve *s, int i) {
  return i > 0 && i < s->complete && i < s->shared->known && s->shared->rows_alike[i];
}

static gannet_err forward(solve *s) {
  for (int i = 0; i < cholesky_blocks_for(s->factor->n); ++i) {
    const cholesky_rhs target = at_block(s, i);
    if (may_share_rows(s, i))
      GANNET_TRY(forward_together(s, i));
    else
      forward_alone(s, i);
    cholesky_solve_block(s->factor, i, false, &target);
  }
  return GANNET_OK;
}

/* What block row i takes from block column k. */
static void take_column(const solve *s, int i, int k, double *target, int ldt) {
  const cholesky_rhs after = at_block(s, i);
  cholesky_take_after(&after, s->factor->block[i] + (ptrdiff_t)k * B, cholesky_width_of(i),
                      rows_in(s, i), B, target, ldt);
}

static void backward_alone(solve *s, int i) {
  const cholesky_rhs after = at_block(s, i);
  const bool compared = s->compares && i >= s->shared->known && i < s->complete;
  cholesky_solve_block(s->factor, i, true, &after);
  if (compared) {
    copy(s->m, i * B, s->b, s->ldb, s->other, s->complete * B);
    for (int k = 0; k < i; ++k) take_column(s, i, k, s->other + (ptrdiff_t)k * B, s->complete * B);
  }
  cholesky_take_after(&after, s->factor->block[i], cholesky_width_of(i), rows_in(s, i), i * B, s->b,
                      s->ldb);
  if (compared && !same(s->m, i * B, s->b, s->ldb, s->other, s->complete * B))
    s->shared->columns_unlike = true;
}

/* Block i is up to date on its owner, who solves for it and sends it to all. */
static gannet_err backward_together(solve *s, int i) {
  const int owner = i % s->np;
  const cholesky_rhs after = at_block(s, i);
  if (s->rank == owner) {
    cholesky_solve_block(s->factor, i, true, &after);
    copy(s->m, B, after.values, s->ldb, s->part, B);
  }
  GANNET_TRY_MPI(MPI_Bcast(s->part, s->m * B, MPI_DOUBLE, owner, s->comm));
  if (s->rank != owner) copy(s->m, B, s->part, B, after.values, s->ldb);
  for (int k = i - 1; k >= 0; --k)
    if (k % s->np == s->rank) take_column(s, i, k, s->b + (ptrdiff_t)k * B, s->ldb);
  return GANNET_OK;
}

static gannet_err backward(solve *s) {
  const bool together = s->shared->known >= s->complete && !s->shared->columns_unlike;
  for (int i = cholesky_blocks_for(s->factor->n) - 1; i >= 0; --i)
    if (together && i < s->complete)
      GANNET_TRY(backward_together(s, i));
    else
      backward_alone(s, i);
  return GANNET_OK;
}

/* Ranks of different processors may find different things: what is alike on all of them counts. */
static gannet_err agree_on_likeness(solve *s) {
  cholesky_shared *shared = s->shared;
  int alike = !shared->columns_unlike;
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &alike, 1, MPI_INT, MPI_MIN, s->comm));
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, shared->rows_alike + shared->known,
                               s->complete - shared->known, MPI_INT, MPI_MIN, s->comm));
  shared->columns_unlike = !alike;
  shared->known = s->complete;
  return GANNET_OK;
}

static gannet_err open_solve(solve *s) {
  cholesky_shared *shared = s->shared;
  const size_t m = (size_t)s->m;
  if (shared->m != s->m || shared->np != s->np) {
    gannet_free(&shared->rows_alike);
    *shared = (cholesky_shared){.m = s->m, .np = s->np};
  }
  s->compares = ++shared->asked > 1 && shared->known < s->complete;
  if (shared->capacity < s->complete) {
    const int longer = 2 * s->complete;
    GANNET_TRY(gannet_resize((size_t)shared->capacity, (size_t)longer, sizeof *shared->rows_alike,
                             &shared->rows_alike));
    shared->capacity = longer;
  }
  GANNET_TRY(gannet_alloc(m * B, sizeof *s->part, &s->part));
  GANNET_TRY(gannet_alloc(m * B, sizeof *s->all, &s->all));
  for (int r = 0; r < s->np; ++r) {
    s->starts[r] = s->m * first_row(s, r);
    s->counts[r] = s->m * first_row(s, r + 1) - s->starts[r];
  }
  if (!s->compares) return GANNET_OK;
  return gannet_alloc(m * B * (size_t)s->complete, sizeof *s->other, &s->other);
}

static gannet_err run(solve *s) {
  GANNET_TRY(gannet_agree(s->comm, open_solve(s)));
  GANNET_TRY(forward(s));
  GANNET_TRY(backward(s));
  return s->compares ? agree_on_likeness(s) : GANNET_OK;
}

gannet_err gannet_cholesky_solve_together(gannet_cholesky *factor, MPI_Comm comm, int m, double *b,
                                          int ldb) {
  solve s = {.factor = factor,
             .shared = &factor->shared[m > 2],
             .comm = comm,
             .m = m,
             .ldb = ldb,
             .b = b,
             .complete = factor->n / B};
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &s.rank));
  GANNET_TRY_MPI(MPI_Comm_size(comm, &s.np));
  if (s.np == 1 || s.np > RANKS || m < 2 || factor->n == 0) {
    gannet_cholesky_solve(factor, m, b, ldb);
    return GANNET_OK;
  }
  const gannet_err code = run(&s);
  gannet_free(&s.part);
  gannet_free(&s.all);
  gannet_free(&s.other);
  return code;
}
