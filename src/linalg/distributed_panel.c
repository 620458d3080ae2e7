/* New rows of the distributed factor from those before them. PBLAS would move the whole factor to
 * the few ranks that own the new rows, for every panel; here the factor stays where it is, and what
 * moves are the new rows: 8 n panel bytes to each rank of a row of the grid.
 *
 * In blocks, X_k = (B_k - sum_{j<k} X_j L_kj^T) L_kk^-T with B = K21 and X = L21. Rank (k mod rows,
 * j mod columns) has L_jk, so X_k goes along row k mod rows of the grid, each of whose ranks adds
 * X_k L_jk^T to the sums for the B_j of its own rows j of L; the sums of the rows of the grid meet
 * in its columns when X_j is due. The block that is due next comes first, so that it is solved and
 * on its way while all add the other products. Tried without gain: products of four blocks at once,
 * which need the sums from memory only once. Inverses of the L_kk save a tenth of the time, but the
 * residual of an ill-conditioned system was 15 times larger. */
#include <string.h>

#include "linalg/blas.h"
#include "linalg/distributed_impl.h"

typedef struct {
  gannet_distributed *f;
  int block, blocks;   /* edge; of the rows before the panel */
  int rows;            /* of the panel */
  int ldx, ldw;        /* columns of L, and rows of L before the panel, on this rank */
  double *x;           /* [rows][ldx] B, then X; the grid's columns all have it */
  double *w;           /* [rows][ldw] sums of X_k L_jk^T over the k of this row of the grid */
  double *arriving;    /* [rows][block] the X_k that is under way */
  MPI_Request request; /* of that */
  double *square;      /* [rows][rows] */
} advance;

size_t distributed_panel_work(const gannet_distributed *f, int ld, int width) {
  const size_t panel = (size_t)f->layout.panel;
  return panel * ((size_t)ld + (size_t)width + (size_t)f->layout.block + panel);
}

static int least(int a, int b) {
  return a < b ? a : b;
}

/* Whether block k of L's columns is on this row of the grid, or of its rows on this column. */
static bool in_my_row(const advance *a, int k) {
  return k % a->f->layout.rows == a->f->row;
}

static bool in_my_column(const advance *a, int k) {
  return k % a->f->layout.columns == a->f->column;
}

/* Where blocks begin in x and w; L_jk is at row_at(j), column_at(k) of the local array. */
static size_t column_at(const advance *a, int k) {
  return (size_t)(k / a->f->layout.rows) * (size_t)a->block;
}

static size_t row_at(const advance *a, int j) {
  return (size_t)(j / a->f->layout.columns) * (size_t)a->block;
}

static double *local_at(const advance *a, int j, int k) {
  return a->f->local + row_at(a, j) * (size_t)a->f->ld + column_at(a, k);
}

static void copy_rows(int rows, int columns, const double *from, int ld_from, double *to,
                      int ld_to) {
  for (int i = 0; i < rows; ++i)
    memcpy(to + (size_t)i * (size_t)ld_to, from + (size_t)i * (size_t)ld_from,
           (size_t)columns * sizeof *to);
}

static void set_up(gannet_distributed *f, int first, int last, advance *a) {
  const gannet_distributed_layout *l = &f->layout;
  const size_t panel = (size_t)l->panel, block = (size_t)l->block;
  *a = (advance){.f = f, .block = l->block, .blocks = first / l->block, .rows = last - first};
  a->ldx = distributed_local_count(first, l->block, f->row, l->rows);
  a->ldw = distributed_local_count(first, l->block, f->column, l->columns);
  a->x = f->work;
  a->w = a->x + panel * (size_t)f->ld;
  a->arriving = a->w + panel * (size_t)f->width;
  a->square = a->arriving + panel * block;
  a->request = MPI_REQUEST_NULL;
  memset(a->w, 0, (size_t)a->rows * (size_t)a->ldw * sizeof *a->w);
}

/* Rows of K go to all ranks that have the same columns. */
static gannet_err spread_rows(const advance *a) {
  for (int i = 0; i * a->block < a->rows && a->ldx > 0; ++i) {
    const int owned = a->blocks + i, rows = least(a->block, a->rows - i * a->block);
    double *x = a->x + (size_t)(i * a->block) * (size_t)a->ldx;
    if (in_my_column(a, owned))
      copy_rows(rows, a->ldx, local_at(a, owned, a->f->row), a->f->ld, x, a->ldx);
    GANNET_TRY_MPI(
        MPI_Bcast(x, rows * a->ldx, MPI_DOUBLE, owned % a->f->layout.columns, a->f->along_row));
  }
  return GANNET_OK;
}

static void keep_rows(const advance *a) {
  for (int i = 0; i * a->block < a->rows; ++i) {
    const int owned = a->blocks + i, rows = least(a->block, a->rows - i * a->block);
    if (in_my_column(a, owned))
      copy_rows(rows, a->ldx, a->x + (size_t)(i * a->block) * (size_t)a->ldx, a->ldx,
                local_at(a, owned, a->f->row), a->f->ld);
  }
}

/* The sums for block k, from the ranks of a column of the grid to the one that has L_kk. */
static gannet_err collect_sums(const advance *a, int k, double *sums) {
  const int root = k % a->f->layout.rows, count = a->rows * a->block;
  copy_rows(a->rows, a->block, a->w + row_at(a, k), a->ldw, sums, a->block);
  if (a->f->layout.rows == 1) return GANNET_OK;
  GANNET_TRY_MPI(MPI_Reduce(in_my_row(a, k) ? MPI_IN_PLACE : sums, sums, count, MPI_DOUBLE, MPI_SUM,
                            root, a->f->along_column));
  return GANNET_OK;
}

/* X_k from the sums, which are overwritten. */
static void solve_block(const advance *a, int k, double *sums) {
  const double *b = a->x + column_at(a, k);
  for (int i = 0; i < a->rows; ++i)
    for (int j = 0; j < a->block; ++j) {
      double *at = sums + (size_t)i * (size_t)a->block + (size_t)j;
      *at = b[(size_t)i * (size_t)a->ldx + (size_t)j] - *at;
    }
  gannet_trsm_nt(a->rows, a->block, local_at(a, k, k), a->f->ld, sums, a->block);
}

/* Begins to send X_k to the row of the grid that needs it. */
static gannet_err start(advance *a, int k) {
  if (in_my_column(a, k)) GANNET_TRY(collect_sums(a, k, a->arriving));
  if (!in_my_row(a, k)) return GANNET_OK;
  if (in_my_column(a, k)) solve_block(a, k, a->arriving);
  GANNET_TRY_MPI(MPI_Ibcast(a->arriving, a->rows * a->block, MPI_DOUBLE, k % a->f->layout.columns,
                            a->f->along_row, &a->request));
  return GANNET_OK;
}

/* How many of this rank's rows of L are in the blocks before j. */
static int rows_before(const advance *a, int j) {
  return distributed_local_count(least(j, a->blocks) * a->block, a->block, a->f->column,
                                 a->f->layout.columns);
}

/* The products of X_k for the sums of blocks [j, j_end). */
static void add_products(const advance *a, int k, int j, int j_end) {
  const int row = rows_before(a, j), rows = rows_before(a, j_end) - row;
  const size_t column = column_at(a, k);
  if (rows > 0 && in_my_row(a, k))
    gannet_gemm_nt(a->rows, rows, a->block, 1, a->x + column, a->ldx,
                   a->f->local + (size_t)row * (size_t)a->f->ld + column, a->f->ld, 1,
                   a->w + (size_t)row, a->ldw);
}

static gannet_err receive(advance *a, int k) {
  if (!in_my_row(a, k)) return GANNET_OK;
  GANNET_TRY_MPI(MPI_Wait(&a->request, MPI_STATUS_IGNORE));
  copy_rows(a->rows, a->block, a->arriving, a->block, a->x + column_at(a, k), a->ldx);
  return GANNET_OK;
}

static gannet_err step(advance *a, int k) {
  GANNET_TRY(receive(a, k));
  add_products(a, k, k + 1, k + 2);
  if (k + 1 < a->blocks) GANNET_TRY(start(a, k + 1));
  add_products(a, k, k + 2, a->blocks);
  return GANNET_OK;
}

/* The lower triangle of X X^T by blocks; each rank makes the part of some columns of X. */
static gannet_err make_square(const advance *a) {
  const gannet_distributed_layout *l = &a->f->layout;
  const int blocks = a->ldx / a->block, n = a->rows;
  const int from = blocks * a->f->column / l->columns * a->block;
  const int to = blocks * (a->f->column + 1) / l->columns * a->block;
  const double *x = a->x + (size_t)from;
  memset(a->square, 0, (size_t)n * (size_t)n * sizeof *a->square);
  for (int i = 0; i < n && from < to; i += a->block)
    gannet_gemm_nt(least(a->block, n - i), least(i + a->block, n), to - from, 1,
                   x + (size_t)i * (size_t)a->ldx, a->ldx, x, a->ldx, 0,
                   a->square + (size_t)i * (size_t)n, n);
  const MPI_Comm along[] = {a->f->along_row, a->f->along_column};
  for (int i = 0; i < 2; ++i)
    GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, a->square, n * n, MPI_DOUBLE, MPI_SUM, along[i]));
  return GANNET_OK;
}

/* K22 - X X^T where this rank has K22. */
static void subtract_square(const advance *a) {
  const int n = a->rows;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      const int row = a->blocks + i / a->block, column = a->blocks + j / a->block;
      if (!in_my_column(a, row) || !in_my_row(a, column)) continue;
      double *at = local_at(a, row, column) + (size_t)(i % a->block) * (size_t)a->f->ld;
      at[j % a->block] -= a->square[(size_t)i * (size_t)n + (size_t)j];
    }
}

gannet_err distributed_panel_advance(gannet_distributed *f, int first, int last) {
  advance a;
  if (first == 0) return GANNET_OK;
  set_up(f, first, last, &a);
  GANNET_TRY(spread_rows(&a));
  GANNET_TRY(start(&a, 0));
  for (int k = 0; k < a.blocks; ++k) GANNET_TRY(step(&a, k));
  keep_rows(&a);
  GANNET_TRY(make_square(&a));
  subtract_square(&a);
  return GANNET_OK;
}
