/* The distributed Cholesky factor: the grid of ranks, growth by panels of rows, and what is done
 * with the factor.
 *
 * Storage: K = U^T U with U = L^T in ScaLAPACK's column-major order. Column c of U is row c of L,
 * so new rows of K are new columns at the end, and a row-major tile of K is what the local array
 * holds.
 *
 * New rows: PBLAS would move the whole factor to the few ranks that own the new rows, for every
 * panel. Here the factor stays where it is, and the new rows move: 8 n panel bytes to each rank of
 * a row of the grid. In blocks, X_k = (B_k - sum_{j<k} X_j L_kj^T) L_kk^-T with B = K21 and X =
 * L21. Rank (k mod rows, j mod columns) has L_jk. So X_k goes along row k mod rows of the grid, and
 * each rank of that row adds X_k L_jk^T to its sums for the B_j of its own rows j of L. The sums of
 * the rows of the grid are added along its columns when X_j is due. The block that is due next
 * comes first, so that it is solved and on its way while all ranks add the other products. Inverses
 * of the L_kk would save a tenth of the time, but made the residual of an ill-conditioned system 15
 * times larger.
 */
#include "linalg/distributed.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blacs.h"
#include "linalg/blas.h"

struct gannet_distributed {
  MPI_Comm comm;         /* the factor's own duplicate */
  MPI_Comm along_row;    /* ranks of this row of the grid, by column; null outside the grid */
  MPI_Comm along_column; /* ranks of this column of the grid, by row; null outside the grid */
  int handle;            /* of comm in BLACS, -1 = none */
  int grid;              /* BLACS context, -1 = this rank is outside the grid */
  gannet_distributed_layout layout;
  int row, column; /* position of this rank in the grid */
  int n;           /* rows of K in the factor */
  int capacity;    /* rows that the arrays are for, a multiple of the panel */
  int ld, width;   /* sizes of the local array; ld >= 1 */
  double *local;   /* [width][ld] this rank's part of U */
  double *work;    /* [panel_work_length()] */
};

/* How many of the indices 0 .. n-1 position `at` of `positions` gets when blocks are dealt out in
 * turn. */
static int local_count(int n, int block, int at, int positions) {
  const int whole = n / block, rest = n % block;
  int count = whole / positions * block;
  if (at < whole % positions) count += block;
  if (at == whole % positions) count += rest;
  return count;
}

/* The global index of local index `local` at a position. */
static int global_index(int local, int block, int at, int positions) {
  return (local / block * positions + at) * block + local % block;
}

static bool in_grid(const gannet_distributed *f) {
  return f->grid >= 0;
}

/* ScaLAPACK takes no leading dimension below one. */
static int at_least_one(int n) {
  return n > 1 ? n : 1;
}

/* ScaLAPACK's description of a matrix whose blocks start on the first rank. */
typedef struct {
  int field[9];
} scalapack_matrix;

static scalapack_matrix describe_matrix(const gannet_distributed *f, int rows, int columns,
                                        int column_block, int ld) {
  return (scalapack_matrix){{1, f->grid, rows, columns, f->layout.block, column_block, 0, 0, ld}};
}

/* The leading n rows and columns of the factor. ScaLAPACK compares the description between ranks,
 * so it must not contain the capacity: ranks differ in it after one of them had no memory. */
static scalapack_matrix leading_matrix(const gannet_distributed *f, int n) {
  return describe_matrix(f, n, n, f->layout.block, f->ld);
}

/* Numbers of workspace for a panel of new rows. */
static size_t panel_work_length(const gannet_distributed *f, int ld, int width) {
  const size_t panel = (size_t)f->layout.panel;
  return panel * ((size_t)ld + (size_t)width + (size_t)f->layout.block + panel);
}

/* The grid and the memory. */

/* Near square, but never at the price of more than a tenth of the ranks. */
static void choose_grid(int np, gannet_distributed_layout *layout) {
  int rows = 1;
  while ((rows + 1) * (rows + 1) <= np) ++rows;
  while (10 * (np / rows) * rows < 9 * np) --rows;
  layout->rows = rows;
  layout->columns = np / rows;
}

static gannet_err check_layout(int np, const gannet_distributed_layout *l) {
  GANNET_REQUIRE(l->rows >= 1 && l->columns >= 1, GANNET_ERR_SHAPE,
                 "grid of %d x %d ranks, expected at least 1 x 1", l->rows, l->columns);
  GANNET_REQUIRE(l->rows <= np / l->columns, GANNET_ERR_SHAPE,
                 "grid of %d x %d ranks, but there are %d", l->rows, l->columns, np);
  GANNET_REQUIRE(l->block >= 1, GANNET_ERR_SHAPE, "block = %d, expected at least 1", l->block);
  GANNET_REQUIRE(l->panel >= l->block && l->panel % l->block == 0, GANNET_ERR_SHAPE,
                 "panel = %d, expected a multiple of the block, %d", l->panel, l->block);
  return GANNET_OK;
}

static gannet_err split_comm(MPI_Comm comm, int color, int key, MPI_Comm *part) {
  GANNET_TRY_MPI(MPI_Comm_split(comm, color, key, part));
  if (*part != MPI_COMM_NULL) GANNET_TRY_MPI(MPI_Comm_set_errhandler(*part, MPI_ERRORS_RETURN));
  return GANNET_OK;
}

/* The grid of ranks. After an error f->handle and f->grid tell what there is to free. */
static gannet_err make_grid(gannet_distributed *f, MPI_Comm comm) {
  int np = 0, rank = 0;
  GANNET_TRY_MPI(MPI_Comm_dup(comm, &f->comm));
  GANNET_TRY_MPI(MPI_Comm_set_errhandler(f->comm, MPI_ERRORS_RETURN));
  GANNET_TRY_MPI(MPI_Comm_size(f->comm, &np));
  GANNET_TRY_MPI(MPI_Comm_rank(f->comm, &rank));
  GANNET_TRY(gannet_same(f->comm, &f->layout, sizeof f->layout, "layout of the factor"));
  if (f->layout.rows == 0 && f->layout.columns == 0) choose_grid(np, &f->layout);
  GANNET_TRY(check_layout(np, &f->layout)); /* the same on all ranks */
  f->handle = Csys2blacs_handle(f->comm);
  int context = f->handle;
  Cblacs_gridinit(&context, "Row", f->layout.rows, f->layout.columns);
  f->grid = context;
  f->row = rank / f->layout.columns;
  f->column = rank % f->layout.columns;
  const bool inside = in_grid(f);
  GANNET_TRY(split_comm(f->comm, inside ? f->row : MPI_UNDEFINED, rank, &f->along_row));
  return split_comm(f->comm, inside ? f->column : MPI_UNDEFINED, rank, &f->along_column);
}

gannet_err gannet_distributed_create(MPI_Comm comm, const gannet_distributed_layout *layout,
                                     gannet_distributed **factor) {
  *factor = NULL;
  GANNET_TRY(gannet_alloc_on_all(comm, 1, sizeof **factor, factor));
  gannet_distributed *f = *factor;
  f->comm = f->along_row = f->along_column = MPI_COMM_NULL;
  f->handle = f->grid = -1;
  if (layout) f->layout = *layout;
  if (f->layout.block == 0) f->layout.block = GANNET_DISTRIBUTED_BLOCK;
  if (f->layout.panel == 0 && f->layout.block > 0)
    f->layout.panel =
        (GANNET_DISTRIBUTED_PANEL + f->layout.block - 1) / f->layout.block * f->layout.block;
  const gannet_err err = make_grid(f, comm);
  if (err != GANNET_OK) gannet_distributed_destroy(factor);
  GANNET_TRY(err);
  return GANNET_OK;
}

static void free_arrays(gannet_distributed *f) {
  gannet_free(&f->local);
  gannet_free(&f->work);
}

void gannet_distributed_destroy(gannet_distributed **factor) {
  gannet_distributed *f = *factor;
  int finalized = 0;
  if (!f) return;
  (void)MPI_Finalized(&finalized);
  if (!finalized) {
    if (in_grid(f)) Cblacs_gridexit(f->grid);
    if (f->handle >= 0) Cfree_blacs_system_handle(f->handle);
    MPI_Comm *const comms[] = {&f->along_row, &f->along_column, &f->comm};
    for (size_t i = 0; i < sizeof comms / sizeof *comms; ++i)
      if (*comms[i] != MPI_COMM_NULL) (void)MPI_Comm_free(comms[i]);
  }
  free_arrays(f);
  gannet_free(factor);
}

void gannet_distributed_clear(gannet_distributed *factor) {
  factor->n = 0;
}

int gannet_distributed_size(const gannet_distributed *factor) {
  return factor->n;
}

size_t gannet_distributed_bytes(const gannet_distributed *factor) {
  const gannet_distributed *f = factor;
  const size_t matrix = (size_t)f->ld * (size_t)f->width;
  const size_t work = f->capacity > 0 ? panel_work_length(f, f->ld, f->width) : 0;
  return sizeof *f + (matrix + work) * sizeof(double);
}

/* Copy the factor into an array of leading dimension ld. */
static void copy_factor(const gannet_distributed *f, int ld, double *local) {
  const gannet_distributed_layout *l = &f->layout;
  if (!in_grid(f)) return;
  const int rows = local_count(f->n, l->block, f->row, l->rows);
  const int columns = local_count(f->n, l->block, f->column, l->columns);
  for (int c = 0; c < columns && rows > 0; ++c)
    memcpy(local + (size_t)c * (size_t)ld, f->local + (size_t)c * (size_t)f->ld,
           (size_t)rows * sizeof *local);
}

/* Allocate memory for n rows and move the factor there. */
static gannet_err reserve_rows(gannet_distributed *f, int n) {
  const gannet_distributed_layout *l = &f->layout;
  GANNET_REQUIRE(n >= f->n, GANNET_ERR_SHAPE, "n = %d is below the present %d rows", n, f->n);
  if (n <= f->capacity) return GANNET_OK;
  GANNET_REQUIRE(n <= INT_MAX - l->panel, GANNET_ERR_SHAPE, "n = %d is too large", n);
  const int capacity = (n + l->panel - 1) / l->panel * l->panel;
  int ld = 1, width = 0;
  if (in_grid(f)) {
    ld = at_least_one(local_count(capacity, l->block, f->row, l->rows));
    width = local_count(capacity, l->block, f->column, l->columns);
  }
  GANNET_REQUIRE((int64_t)ld * width <= INT_MAX, GANNET_ERR_SHAPE,
                 "a matrix of %d rows, in panels of %d on %d ranks: more than 2^31 entries on a "
                 "rank; use more ranks or smaller panels",
                 n, l->panel, l->rows * l->columns);
  double *local = NULL, *work = NULL;
  if (f->n == 0) free_arrays(f); /* nothing to keep: never hold both */
  if (f->n == 0) f->capacity = f->width = 0;
  GANNET_TRY(gannet_alloc((size_t)ld * (size_t)width, sizeof *local, &local));
  const gannet_err err = gannet_alloc(panel_work_length(f, ld, width), sizeof *work, &work);
  if (err != GANNET_OK) gannet_free(&local);
  GANNET_TRY(err);
  if (f->n > 0) copy_factor(f, ld, local);
  free_arrays(f);
  f->local = local;
  f->work = work;
  f->ld = ld;
  f->width = width;
  f->capacity = capacity;
  return GANNET_OK;
}

/* New rows from those before them. */

/* A panel of new rows that is being made. */
typedef struct {
  gannet_distributed *f;
  int block;           /* edge of a block */
  int blocks;          /* blocks of rows before the panel */
  int rows;            /* rows of the panel */
  int ldx;             /* columns of L before the panel on this rank */
  int ldw;             /* rows of L before the panel on this rank */
  double *x;           /* [rows][ldx] B, then X; all ranks of a column of the grid have the same */
  double *w;           /* [rows][ldw] sums of X_k L_jk^T over the k of this row of the grid */
  double *arriving;    /* [rows][block] the X_k that is being sent or received */
  MPI_Request request; /* of arriving */
  double *square;      /* [rows][rows] X X^T */
} panel_step;

static int least(int a, int b) {
  return a < b ? a : b;
}

/* Whether the ranks of this row of the grid have block k of L's columns. */
static bool in_my_row(const panel_step *a, int k) {
  return k % a->f->layout.rows == a->f->row;
}

/* Whether the ranks of this column of the grid have block k of L's rows. */
static bool in_my_column(const panel_step *a, int k) {
  return k % a->f->layout.columns == a->f->column;
}

/* Where block k of L's columns begins in a row of x, and in a row of this rank's part of L. */
static size_t column_at(const panel_step *a, int k) {
  return (size_t)(k / a->f->layout.rows) * (size_t)a->block;
}

/* Where block j of L's rows begins in a row of w, and as which row of this rank's part of L. */
static size_t row_at(const panel_step *a, int j) {
  return (size_t)(j / a->f->layout.columns) * (size_t)a->block;
}

/* L_jk. */
static double *local_at(const panel_step *a, int j, int k) {
  return a->f->local + row_at(a, j) * (size_t)a->f->ld + column_at(a, k);
}

static void copy_rows(int rows, int columns, const double *from, int ld_from, double *to,
                      int ld_to) {
  for (int i = 0; i < rows; ++i)
    memcpy(to + (size_t)i * (size_t)ld_to, from + (size_t)i * (size_t)ld_from,
           (size_t)columns * sizeof *to);
}

static void set_up_panel(gannet_distributed *f, int first, int last, panel_step *a) {
  const gannet_distributed_layout *l = &f->layout;
  const size_t panel = (size_t)l->panel, block = (size_t)l->block;
  *a = (panel_step){.f = f, .block = l->block, .blocks = first / l->block, .rows = last - first};
  a->ldx = local_count(first, l->block, f->row, l->rows);
  a->ldw = local_count(first, l->block, f->column, l->columns);
  a->x = f->work;
  a->w = a->x + panel * (size_t)f->ld;
  a->arriving = a->w + panel * (size_t)f->width;
  a->square = a->arriving + panel * block;
  a->request = MPI_REQUEST_NULL;
  memset(a->w, 0, (size_t)a->rows * (size_t)a->ldw * sizeof *a->w);
}

/* Rows of K go to all ranks that have the same columns. */
static gannet_err spread_rows(const panel_step *a) {
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

/* The rows of X are rows of L now: keep the blocks that this rank has. */
static void keep_rows(const panel_step *a) {
  for (int i = 0; i * a->block < a->rows; ++i) {
    const int owned = a->blocks + i, rows = least(a->block, a->rows - i * a->block);
    if (in_my_column(a, owned))
      copy_rows(rows, a->ldx, a->x + (size_t)(i * a->block) * (size_t)a->ldx, a->ldx,
                local_at(a, owned, a->f->row), a->f->ld);
  }
}

/* X_k from the sums, which are overwritten. */
static void solve_block(const panel_step *a, int k, double *sums) {
  const double *b = a->x + column_at(a, k);
  for (int i = 0; i < a->rows; ++i)
    for (int j = 0; j < a->block; ++j) {
      double *at = sums + (size_t)i * (size_t)a->block + (size_t)j;
      *at = b[(size_t)i * (size_t)a->ldx + (size_t)j] - *at;
    }
  gannet_trsm_nt(a->rows, a->block, local_at(a, k, k), a->f->ld, sums, a->block);
}

/* Solve for X_k, where L_kk is, from the sums of all ranks of that column of the grid, and begin to
 * send it along the row of the grid that needs it. */
static gannet_err send_block(panel_step *a, int k) {
  const int count = a->rows * a->block;
  if (in_my_column(a, k)) {
    copy_rows(a->rows, a->block, a->w + row_at(a, k), a->ldw, a->arriving, a->block);
    if (a->f->layout.rows > 1)
      GANNET_TRY_MPI(MPI_Reduce(in_my_row(a, k) ? MPI_IN_PLACE : a->arriving, a->arriving, count,
                                MPI_DOUBLE, MPI_SUM, k % a->f->layout.rows, a->f->along_column));
  }
  if (!in_my_row(a, k)) return GANNET_OK;
  if (in_my_column(a, k)) solve_block(a, k, a->arriving);
  GANNET_TRY_MPI(MPI_Ibcast(a->arriving, count, MPI_DOUBLE, k % a->f->layout.columns,
                            a->f->along_row, &a->request));
  return GANNET_OK;
}

/* Add the products of X_k to the sums for blocks [j, j_end), by this rank's rows of L. */
static void add_products(const panel_step *a, int k, int j, int j_end) {
  const gannet_distributed *f = a->f;
  const int first = least(j, a->blocks) * a->block, end = least(j_end, a->blocks) * a->block;
  const int row = local_count(first, a->block, f->column, f->layout.columns);
  const int rows = local_count(end, a->block, f->column, f->layout.columns) - row;
  const size_t column = column_at(a, k);
  if (rows > 0 && in_my_row(a, k))
    gannet_gemm_nt(a->rows, rows, a->block, 1, a->x + column, a->ldx,
                   f->local + (size_t)row * (size_t)f->ld + column, f->ld, 1, a->w + (size_t)row,
                   a->ldw);
}

/* X_k from the ranks that send_block has sent it from. */
static gannet_err receive_block(panel_step *a, int k) {
  if (!in_my_row(a, k)) return GANNET_OK;
  GANNET_TRY_MPI(MPI_Wait(&a->request, MPI_STATUS_IGNORE));
  copy_rows(a->rows, a->block, a->arriving, a->block, a->x + column_at(a, k), a->ldx);
  return GANNET_OK;
}

/* The lower triangle of X X^T by blocks; each rank makes the part of some columns of X. */
static gannet_err make_square(const panel_step *a) {
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
static void subtract_square(const panel_step *a) {
  const int n = a->rows;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      const int row = a->blocks + i / a->block, column = a->blocks + j / a->block;
      if (!in_my_column(a, row) || !in_my_row(a, column)) continue;
      double *at = local_at(a, row, column) + (size_t)(i % a->block) * (size_t)a->f->ld;
      at[j % a->block] -= a->square[(size_t)i * (size_t)n + (size_t)j];
    }
}

/* Rows first .. last-1 of L left of column first, and what K keeps right of it, from K there:
 * L21 = K21 L11^-T and K22 - L21 L21^T. last - first is at most a panel. Collective over the grid.
 */
static gannet_err advance_panel(gannet_distributed *f, int first, int last) {
  panel_step a;
  if (first == 0) return GANNET_OK;
  set_up_panel(f, first, last, &a);
  GANNET_TRY(spread_rows(&a));
  GANNET_TRY(send_block(&a, 0));
  for (int k = 0; k < a.blocks; ++k) {
    GANNET_TRY(receive_block(&a, k));
    add_products(&a, k, k + 1, k + 2);
    if (k + 1 < a.blocks) GANNET_TRY(send_block(&a, k + 1));
    add_products(&a, k, k + 2, a.blocks);
  }
  keep_rows(&a);
  GANNET_TRY(make_square(&a));
  subtract_square(&a);
  return GANNET_OK;
}

/* Growth. */

/* Entries of this rank in rows first .. last-1 of K, both multiples of the block but for the end.
 */
static gannet_err fill_kernel_rows(gannet_distributed *f, int first, int last,
                                   gannet_kernel_tile tile, void *user) {
  const gannet_distributed_layout *l = &f->layout;
  const int block = l->block;
  if (!in_grid(f)) return GANNET_OK;
  for (int r = first / block; r * block < last; ++r) {
    if (r % l->columns != f->column) continue;
    const int rows = last - r * block < block ? last - r * block : block;
    double *row = f->local + (size_t)(r / l->columns * block) * (size_t)f->ld;
    for (int c = f->row; c <= r; c += l->rows)
      GANNET_TRY(tile(user, r * block, rows, c * block, c < r ? block : rows,
                      row + c / l->rows * block, f->ld));
  }
  return GANNET_OK;
}

/* Rows first .. last-1 of L from those of K and the rows before. */
static gannet_err factor_panel(gannet_distributed *f, int first, int last) {
  int info = 0;
  if (in_grid(f)) {
    const scalapack_matrix a = leading_matrix(f, last);
    const int rows = last - first, next = first + 1;
    GANNET_TRY(advance_panel(f, first, last));
    pdpotrf_("U", &rows, f->local, &next, &next, a.field, &info, 1);
  }
  GANNET_REQUIRE(info >= 0, GANNET_ERR_INTERNAL, "pdpotrf: argument %d", -info);
  GANNET_REQUIRE(info == 0, GANNET_ERR_NUMERIC, "kernel matrix not positive definite at row %d",
                 first + info - 1);
  return GANNET_OK;
}

gannet_err gannet_distributed_extend(gannet_distributed *factor, int n, gannet_kernel_tile tile,
                                     void *user) {
  gannet_distributed *f = factor;
  GANNET_TRY(gannet_agree(f->comm, reserve_rows(f, n)));
  if (n == f->n) return GANNET_OK;
  const int panel = f->layout.panel;
  f->n = f->n / panel * panel;
  while (f->n < n) {
    const int last = n - f->n < panel ? n : f->n + panel;
    GANNET_TRY(gannet_agree(f->comm, fill_kernel_rows(f, f->n, last, tile, user)));
    GANNET_TRY(gannet_agree(f->comm, factor_panel(f, f->n, last)));
    f->n = last;
  }
  return GANNET_OK;
}

/* Solves, and the diagonal of the inverse. */

/* Sums over the ranks that are the same bits on all of them. */
static gannet_err sum_everywhere(const gannet_distributed *f, int n, double *values) {
  int rank = 0;
  GANNET_TRY_MPI(MPI_Comm_rank(f->comm, &rank));
  GANNET_TRY_MPI(
      MPI_Reduce(rank == 0 ? MPI_IN_PLACE : values, values, n, MPI_DOUBLE, MPI_SUM, 0, f->comm));
  GANNET_TRY_MPI(MPI_Bcast(values, n, MPI_DOUBLE, 0, f->comm));
  return GANNET_OK;
}

/* The part of right-hand sides [m][n] that a rank holds. */
typedef struct {
  int block; /* right-hand sides per column of the grid */
  int n, m;  /* local sizes */
  int ld;
  double *local; /* [m][ld] */
} local_sides;

static gannet_err scatter_sides(const gannet_distributed *f, int m, const double *b, int ldb,
                                local_sides *p) {
  const gannet_distributed_layout *l = &f->layout;
  *p = (local_sides){.block = at_least_one((m + l->columns - 1) / l->columns), .ld = 1};
  if (!in_grid(f)) return GANNET_OK;
  p->n = local_count(f->n, l->block, f->row, l->rows);
  p->m = local_count(m, p->block, f->column, l->columns);
  p->ld = at_least_one(p->n);
  GANNET_TRY(gannet_alloc((size_t)p->ld * (size_t)p->m, sizeof *p->local, &p->local));
  for (int j = 0; j < p->m; ++j) {
    const double *from = b + (size_t)global_index(j, p->block, f->column, l->columns) * (size_t)ldb;
    for (int i = 0; i < p->n; ++i)
      p->local[(size_t)j * (size_t)p->ld + (size_t)i] =
          from[global_index(i, l->block, f->row, l->rows)];
  }
  return GANNET_OK;
}

/* Every entry has one owner and is 0 elsewhere, so the sum over ranks is exact. */
static gannet_err gather_sides(const gannet_distributed *f, const local_sides *p, int m, double *b,
                               int ldb) {
  const gannet_distributed_layout *l = &f->layout;
  for (int j = 0; j < m; ++j) memset(b + (size_t)j * (size_t)ldb, 0, (size_t)f->n * sizeof *b);
  for (int j = 0; j < p->m; ++j) {
    double *to = b + (size_t)global_index(j, p->block, f->column, l->columns) * (size_t)ldb;
    for (int i = 0; i < p->n; ++i)
      to[global_index(i, l->block, f->row, l->rows)] =
          p->local[(size_t)j * (size_t)p->ld + (size_t)i];
  }
  for (int j = 0; j < m; ++j)
    GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, b + (size_t)j * (size_t)ldb, f->n, MPI_DOUBLE,
                                 MPI_SUM, f->comm));
  return GANNET_OK;
}

gannet_err gannet_distributed_solve(const gannet_distributed *factor, int m, double *b, int ldb) {
  const gannet_distributed *f = factor;
  local_sides p;
  if (m == 0 || f->n == 0) return GANNET_OK;
  gannet_err err = gannet_agree(f->comm, scatter_sides(f, m, b, ldb, &p));
  if (err == GANNET_OK && in_grid(f)) {
    const scalapack_matrix a = leading_matrix(f, f->n);
    const scalapack_matrix d = describe_matrix(f, f->n, m, p.block, p.ld);
    const char *const transposes[] = {"T", "N"}; /* U^T, then U */
    const int one = 1;
    const double plus = 1;
    for (int i = 0; i < 2; ++i)
      pdtrsm_("L", "U", transposes[i], "N", &f->n, &m, &plus, f->local, &one, &one, a.field,
              p.local, &one, &one, d.field);
  }
  if (err == GANNET_OK) err = gather_sides(f, &p, m, b, ldb);
  gannet_free(&p.local);
  return err;
}

/* sums[r] += the squares of row r that this rank holds, of an upper triangle. */
static void add_squares_of_rows(const gannet_distributed *f, const double *local, double *sums) {
  const gannet_distributed_layout *l = &f->layout;
  const int rows = local_count(f->n, l->block, f->row, l->rows);
  const int columns = local_count(f->n, l->block, f->column, l->columns);
  for (int j = 0; j < columns; ++j) {
    const int column = global_index(j, l->block, f->column, l->columns);
    for (int i = 0; i < rows; ++i) {
      const int row = global_index(i, l->block, f->row, l->rows);
      if (row > column) break; /* global indices rise with local ones */
      const double entry = local[(size_t)j * (size_t)f->ld + (size_t)i];
      sums[row] += entry * entry;
    }
  }
}

/* K^-1 = U^-1 U^-T: the squares of row i of U^-1 sum to entry (i, i). */
static gannet_err add_inverse_diagonal(const gannet_distributed *f, double *inverse, double *sums) {
  const scalapack_matrix a = leading_matrix(f, f->n);
  const int one = 1;
  int info = 0;
  memcpy(inverse, f->local, (size_t)f->ld * (size_t)f->width * sizeof *inverse);
  pdtrtri_("U", "N", &f->n, inverse, &one, &one, a.field, &info, 1, 1);
  GANNET_REQUIRE(info == 0, GANNET_ERR_NUMERIC, "pdtrtri: info = %d", info);
  add_squares_of_rows(f, inverse, sums);
  return GANNET_OK;
}

gannet_err gannet_distributed_inverse_diagonal(const gannet_distributed *factor, double *diagonal) {
  const gannet_distributed *f = factor;
  double *inverse = NULL;
  if (f->n == 0) return GANNET_OK;
  memset(diagonal, 0, (size_t)f->n * sizeof *diagonal);
  gannet_err err = gannet_agree(
      f->comm, gannet_alloc((size_t)f->ld * (size_t)f->width, sizeof *inverse, &inverse));
  if (err == GANNET_OK)
    err = gannet_agree(f->comm, in_grid(f) ? add_inverse_diagonal(f, inverse, diagonal) : err);
  if (err == GANNET_OK) err = sum_everywhere(f, f->n, diagonal);
  gannet_free(&inverse);
  return err;
}
