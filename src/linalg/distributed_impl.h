/* The distributed factor, shared by its files: distributed.c (grid, growth), distributed_panel.c
 * (new rows from those before), distributed_solve.c (what is done with it). */
#ifndef GANNET_LINALG_DISTRIBUTED_IMPL_H
#define GANNET_LINALG_DISTRIBUTED_IMPL_H

#include <stdbool.h>

#include "linalg/blacs.h"
#include "linalg/distributed.h"

/* K = U^T U with U = L^T in ScaLAPACK's column-major storage: column c of U is row c of L, so new
 * rows of K are new columns at the end, and a tile of K in row-major order is what the local array
 * holds. */
struct gannet_distributed {
  MPI_Comm comm;                    /* the factor's own duplicate */
  MPI_Comm along_row, along_column; /* of the grid, null outside; ranks are columns, and rows */
  int handle;                       /* of comm in BLACS, -1 = none */
  int grid;                         /* BLACS context, -1 = this rank is outside */
  gannet_distributed_layout layout;
  int row, column; /* place of this rank in the grid */
  int n, capacity; /* rows of K; multiple of the panel */
  int ld, width;   /* local array for the capacity; ld >= 1 */
  double *local;   /* [width][ld] */
  double *work;    /* [distributed_panel_work()] */
};

/* Indices 0 .. n-1 that land on place 'at' of 'places' when blocks go round. */
static inline int distributed_local_count(int n, int block, int at, int places) {
  const int whole = n / block, rest = n % block;
  int count = whole / places * block;
  if (at < whole % places) count += block;
  if (at == whole % places) count += rest;
  return count;
}

/* Global index of a local one. */
static inline int distributed_global_index(int local, int block, int at, int places) {
  return (local / block * places + at) * block + local % block;
}

static inline bool distributed_in_grid(const gannet_distributed *f) {
  return f->grid >= 0;
}

/* What ScaLAPACK takes for a leading dimension. */
static inline int distributed_at_least_one(int n) {
  return n > 1 ? n : 1;
}

/* ScaLAPACK's description of a matrix whose blocks start on the first rank. */
typedef struct {
  int field[9];
} distributed_matrix;

static inline distributed_matrix distributed_describe(const gannet_distributed *f, int rows,
                                                      int columns, int column_block, int ld) {
  return (distributed_matrix){{1, f->grid, rows, columns, f->layout.block, column_block, 0, 0, ld}};
}

/* The leading n rows and columns of the factor. Not of its capacity, which ranks may differ in
 * after one of them had no memory for a larger one, and which ScaLAPACK compares. */
static inline distributed_matrix distributed_leading(const gannet_distributed *f, int n) {
  return distributed_describe(f, n, n, f->layout.block, f->ld);
}

/* Numbers of workspace for a panel.
 *
 * Local.
 */
size_t distributed_panel_work(const gannet_distributed *f, int ld, int width);

/* Rows first .. last-1 of L left of column first, and what K keeps right of it, from K there:
 * L21 = K21 L11^-T and K22 - L21 L21^T. last - first is at most a panel.
 *
 * Collective over the grid.
 */
GANNET_CHECKED gannet_err distributed_panel_advance(gannet_distributed *f, int first, int last);

#endif
