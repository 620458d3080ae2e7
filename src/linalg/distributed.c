#include "linalg/distributed.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/distributed_impl.h"

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

static gannet_err split(MPI_Comm comm, int color, int key, MPI_Comm *part) {
  GANNET_TRY_MPI(MPI_Comm_split(comm, color, key, part));
  if (*part != MPI_COMM_NULL) GANNET_TRY_MPI(MPI_Comm_set_errhandler(*part, MPI_ERRORS_RETURN));
  return GANNET_OK;
}

static gannet_err split_grid(gannet_distributed *f, int rank) {
  const bool inside = distributed_in_grid(f);
  GANNET_TRY(split(f->comm, inside ? f->row : MPI_UNDEFINED, rank, &f->along_row));
  return split(f->comm, inside ? f->column : MPI_UNDEFINED, rank, &f->along_column);
}

/* On an error handle and grid say what there is to free. */
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
  return split_grid(f, rank);
}

gannet_err gannet_distributed_create(MPI_Comm comm, const gannet_distributed_layout *layout,
                                     gannet_distributed **factor) {
  *factor = NULL;
  GANNET_TRY(gannet_agree(comm, gannet_alloc(1, sizeof **factor, factor)));
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

static void release_arrays(gannet_distributed *f) {
  gannet_free(&f->local);
  gannet_free(&f->work);
}

void gannet_distributed_destroy(gannet_distributed **factor) {
  gannet_distributed *f = *factor;
  int finalized = 0;
  if (!f) return;
  (void)MPI_Finalized(&finalized);
  if (!finalized) {
    if (distributed_in_grid(f)) Cblacs_gridexit(f->grid);
    if (f->handle >= 0) Cfree_blacs_system_handle(f->handle);
    MPI_Comm *const comms[] = {&f->along_row, &f->along_column, &f->comm};
    for (size_t i = 0; i < sizeof comms / sizeof *comms; ++i)
      if (*comms[i] != MPI_COMM_NULL) (void)MPI_Comm_free(comms[i]);
  }
  release_arrays(f);
  gannet_free(factor);
}

void gannet_distributed_clear(gannet_distributed *factor) {
  factor->n = 0;
}

int gannet_distributed_size(const gannet_distributed *factor) {
  return factor->n;
}

gannet_distributed_layout gannet_distributed_layout_of(const gannet_distributed *factor) {
  return factor->layout;
}

size_t gannet_distributed_bytes(const gannet_distributed *factor) {
  const gannet_distributed *f = factor;
  const size_t matrix = (size_t)f->ld * (size_t)f->width;
  const size_t work = f->capacity > 0 ? distributed_panel_work(f, f->ld, f->width) : 0;
  return sizeof *f + (matrix + work) * sizeof(double);
}

/* What there is of the factor, into an array of the leading dimension ld. */
static void keep(const gannet_distributed *f, int ld, double *local) {
  const gannet_distributed_layout *l = &f->layout;
  if (!distributed_in_grid(f)) return;
  const int rows = distributed_local_count(f->n, l->block, f->row, l->rows);
  const int columns = distributed_local_count(f->n, l->block, f->column, l->columns);
  for (int c = 0; c < columns && rows > 0; ++c)
    memcpy(local + (size_t)c * (size_t)ld, f->local + (size_t)c * (size_t)f->ld,
           (size_t)rows * sizeof *local);
}

/* Room for n rows; what is kept moves to its place in the larger array. */
static gannet_err reserve(gannet_distributed *f, int n) {
  const gannet_distributed_layout *l = &f->layout;
  if (n <= f->capacity) return GANNET_OK;
  GANNET_REQUIRE(n <= INT_MAX - l->panel, GANNET_ERR_SHAPE, "n = %d is too large", n);
  const int capacity = (n + l->panel - 1) / l->panel * l->panel;
  int ld = 1, width = 0;
  if (distributed_in_grid(f)) {
    ld = distributed_at_least_one(distributed_local_count(capacity, l->block, f->row, l->rows));
    width = distributed_local_count(capacity, l->block, f->column, l->columns);
  }
  GANNET_REQUIRE((int64_t)ld * width <= INT_MAX, GANNET_ERR_SHAPE,
                 "a matrix of %d rows, in panels of %d on %d ranks: more than 2^31 entries on a "
                 "rank; use more ranks or smaller panels",
                 n, l->panel, l->rows * l->columns);
  double *local = NULL, *work = NULL;
  if (f->n == 0) release_arrays(f); /* nothing to keep: never hold both */
  if (f->n == 0) f->capacity = f->width = 0;
  GANNET_TRY(gannet_alloc((size_t)ld * (size_t)width, sizeof *local, &local));
  const gannet_err err = gannet_alloc(distributed_panel_work(f, ld, width), sizeof *work, &work);
  if (err != GANNET_OK) gannet_free(&local);
  GANNET_TRY(err);
  if (f->n > 0) keep(f, ld, local);
  release_arrays(f);
  f->local = local;
  f->work = work;
  f->ld = ld;
  f->width = width;
  f->capacity = capacity;
  return GANNET_OK;
}

/* Entries of this rank in rows first .. last-1 of K, both multiples of the block but for the end.
 */
static gannet_err fill(gannet_distributed *f, int first, int last, gannet_kernel_tile tile,
                       void *user) {
  const gannet_distributed_layout *l = &f->layout;
  const int block = l->block;
  if (!distributed_in_grid(f)) return GANNET_OK;
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

static gannet_err judge_panel(int first, int info) {
  GANNET_REQUIRE(info >= 0, GANNET_ERR_INTERNAL, "pdpotrf: argument %d", -info);
  GANNET_REQUIRE(info == 0, GANNET_ERR_NUMERIC, "kernel matrix not positive definite at row %d",
                 first + info - 1);
  return GANNET_OK;
}

static int factor_corner(gannet_distributed *f, int first, int last) {
  const distributed_matrix a = distributed_leading(f, last);
  const int rows = last - first, next = first + 1;
  int info = 0;
  pdpotrf_("U", &rows, f->local, &next, &next, a.field, &info, 1);
  return info;
}

/* Rows first .. last-1 of L from those of K and the rows before. */
static gannet_err factor_panel(gannet_distributed *f, int first, int last) {
  int info = 0;
  if (distributed_in_grid(f)) {
    GANNET_TRY(distributed_panel_advance(f, first, last));
    info = factor_corner(f, first, last);
  }
  return judge_panel(first, info);
}

static gannet_err check_and_reserve(gannet_distributed *f, int n) {
  GANNET_REQUIRE(n >= f->n, GANNET_ERR_SHAPE, "n = %d is below the present %d rows", n, f->n);
  return reserve(f, n);
}

gannet_err gannet_distributed_extend(gannet_distributed *factor, int n, gannet_kernel_tile tile,
                                     void *user) {
  gannet_distributed *f = factor;
  GANNET_TRY(gannet_agree(f->comm, check_and_reserve(f, n)));
  if (n == f->n) return GANNET_OK;
  const int panel = f->layout.panel;
  f->n = f->n / panel * panel;
  while (f->n < n) {
    const int last = n - f->n < panel ? n : f->n + panel;
    GANNET_TRY(gannet_agree(f->comm, fill(f, f->n, last, tile, user)));
    GANNET_TRY(gannet_agree(f->comm, factor_panel(f, f->n, last)));
    f->n = last;
  }
  return GANNET_OK;
}
