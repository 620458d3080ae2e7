/* Solves, determinant and inverse with a distributed factor. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/distributed_impl.h"

/* Sums over the ranks that are the same bits on all of them. */
static gannet_err sum_everywhere(const gannet_distributed *f, int n, double *values) {
  int rank = 0;
  GANNET_TRY_MPI(MPI_Comm_rank(f->comm, &rank));
  GANNET_TRY_MPI(
      MPI_Reduce(rank == 0 ? MPI_IN_PLACE : values, values, n, MPI_DOUBLE, MPI_SUM, 0, f->comm));
  GANNET_TRY_MPI(MPI_Bcast(values, n, MPI_DOUBLE, 0, f->comm));
  return GANNET_OK;
}

/* The part of n x m right-hand sides that a rank holds. */
typedef struct {
  int block; /* of right-hand sides: each column of the grid takes one */
  int n, m;  /* local sizes */
  int ld;
  double *local; /* [m][ld] */
} part;

static gannet_err take_part(const gannet_distributed *f, int m, const double *b, int ldb, part *p) {
  const gannet_distributed_layout *l = &f->layout;
  *p = (part){.block = distributed_at_least_one((m + l->columns - 1) / l->columns), .ld = 1};
  if (!distributed_in_grid(f)) return GANNET_OK;
  p->n = distributed_local_count(f->n, l->block, f->row, l->rows);
  p->m = distributed_local_count(m, p->block, f->column, l->columns);
  p->ld = distributed_at_least_one(p->n);
  GANNET_TRY(gannet_alloc((size_t)p->ld * (size_t)p->m, sizeof *p->local, &p->local));
  for (int j = 0; j < p->m; ++j) {
    const double *from =
        b + (size_t)distributed_global_index(j, p->block, f->column, l->columns) * (size_t)ldb;
    for (int i = 0; i < p->n; ++i)
      p->local[(size_t)j * (size_t)p->ld + (size_t)i] =
          from[distributed_global_index(i, l->block, f->row, l->rows)];
  }
  return GANNET_OK;
}

/* Every entry has one owner, so the sum over ranks is exact. */
static gannet_err give_back(const gannet_distributed *f, const part *p, int m, double *b, int ldb) {
  const gannet_distributed_layout *l = &f->layout;
  for (int j = 0; j < m; ++j) memset(b + (size_t)j * (size_t)ldb, 0, (size_t)f->n * sizeof *b);
  for (int j = 0; j < p->m; ++j) {
    double *to =
        b + (size_t)distributed_global_index(j, p->block, f->column, l->columns) * (size_t)ldb;
    for (int i = 0; i < p->n; ++i)
      to[distributed_global_index(i, l->block, f->row, l->rows)] =
          p->local[(size_t)j * (size_t)p->ld + (size_t)i];
  }
  for (int j = 0; j < m; ++j)
    GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, b + (size_t)j * (size_t)ldb, f->n, MPI_DOUBLE,
                                 MPI_SUM, f->comm));
  return GANNET_OK;
}

/* Triangular solves with the transpose of U, then with U, those that steps names by 'T' and 'N'. */
static gannet_err solve_triangles(const gannet_distributed *f, int m, double *b, int ldb,
                                  const char *steps) {
  part p;
  if (m == 0 || f->n == 0) return GANNET_OK;
  gannet_err err = gannet_agree(f->comm, take_part(f, m, b, ldb, &p));
  if (err == GANNET_OK && distributed_in_grid(f)) {
    const distributed_matrix a = distributed_leading(f, f->n);
    const distributed_matrix d = distributed_describe(f, f->n, m, p.block, p.ld);
    const int one = 1;
    const double plus = 1;
    for (; *steps; ++steps)
      pdtrsm_("L", "U", steps, "N", &f->n, &m, &plus, f->local, &one, &one, a.field, p.local, &one,
              &one, d.field);
  }
  if (err == GANNET_OK) err = give_back(f, &p, m, b, ldb);
  gannet_free(&p.local);
  return err;
}

gannet_err gannet_distributed_forward(const gannet_distributed *factor, int m, double *b, int ldb) {
  return solve_triangles(factor, m, b, ldb, "T");
}

gannet_err gannet_distributed_backward(const gannet_distributed *factor, int m, double *b,
                                       int ldb) {
  return solve_triangles(factor, m, b, ldb, "N");
}

gannet_err gannet_distributed_solve(const gannet_distributed *factor, int m, double *b, int ldb) {
  return solve_triangles(factor, m, b, ldb, "TN");
}

/* sums[r] += the squares of row r that this rank holds, of an upper triangle. */
static void add_squares_of_rows(const gannet_distributed *f, const double *local, double *sums) {
  const gannet_distributed_layout *l = &f->layout;
  const int rows = distributed_local_count(f->n, l->block, f->row, l->rows);
  const int columns = distributed_local_count(f->n, l->block, f->column, l->columns);
  for (int j = 0; j < columns; ++j) {
    const int column = distributed_global_index(j, l->block, f->column, l->columns);
    for (int i = 0; i < rows; ++i) {
      const int row = distributed_global_index(i, l->block, f->row, l->rows);
      if (row > column) break; /* global indices rise with local ones */
      const double entry = local[(size_t)j * (size_t)f->ld + (size_t)i];
      sums[row] += entry * entry;
    }
  }
}

/* The diagonal of U, whose every entry has one owner. */
static gannet_err gather_diagonal(const gannet_distributed *f, double *diagonal) {
  const gannet_distributed_layout *l = &f->layout;
  memset(diagonal, 0, (size_t)f->n * sizeof *diagonal);
  for (int i = 0; i < f->n && distributed_in_grid(f); ++i) {
    const int at = i / l->block;
    if (at % l->rows != f->row || at % l->columns != f->column) continue;
    const int row = at / l->rows * l->block + i % l->block;
    const int column = at / l->columns * l->block + i % l->block;
    diagonal[i] = f->local[(size_t)column * (size_t)f->ld + (size_t)row];
  }
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, diagonal, f->n, MPI_DOUBLE, MPI_SUM, f->comm));
  return GANNET_OK;
}

gannet_err gannet_distributed_logdet(const gannet_distributed *factor, double *logdet) {
  double *diagonal = NULL, sum = 0;
  gannet_err err =
      gannet_agree(factor->comm, gannet_alloc((size_t)factor->n, sizeof *diagonal, &diagonal));
  if (err == GANNET_OK) err = gather_diagonal(factor, diagonal);
  for (int i = 0; err == GANNET_OK && i < factor->n; ++i) sum += log(diagonal[i]);
  gannet_free(&diagonal);
  *logdet = 2 * sum;
  return err;
}

/* K^-1 = U^-1 U^-T: the squares of row i of U^-1 sum to entry (i, i). */
static gannet_err add_inverse_diagonal(const gannet_distributed *f, double *inverse, double *sums) {
  const distributed_matrix a = distributed_leading(f, f->n);
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
    err = gannet_agree(f->comm,
                       distributed_in_grid(f) ? add_inverse_diagonal(f, inverse, diagonal) : err);
  if (err == GANNET_OK) err = sum_everywhere(f, f->n, diagonal);
  gannet_free(&inverse);
  return err;
}
