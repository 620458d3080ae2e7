/* Partitions of work: which rank makes which part, and how all ranks get what each has made. */
#ifndef GANNET_BASE_PARTITION_H
#define GANNET_BASE_PARTITION_H

#include <mpi.h>
#include <stdbool.h>

#include "base/error.h"

/* Assign parts to ranks. In their order, each part goes to the rank that has least so far, the
 * first one on a tie. This is best with the largest part first.
 *
 * Local.
 *
 * cost   in   [parts], in any unit
 * owner  out  [parts], 0 .. np-1
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_partition_assign(int parts, const double *cost, int np,
                                                  int *owner);

/* The parts that a rank makes: first, first + step, .. */
typedef struct {
  int first, step;
  bool shared; /* whether ranks share the parts: otherwise every rank makes all */
} gannet_stride;

static inline gannet_stride gannet_stride_of(int rank, int np, bool shared) {
  return shared && np > 1 ? (gannet_stride){rank, np, true} : (gannet_stride){0, 1, false};
}

/* Give all ranks what each has made. Every number was made by one rank and is 0 on the others, so a
 * bitwise OR gives its bits to all.
 *
 * Collective over comm; n the same on all ranks.
 *
 * values  inout  [n]
 */
GANNET_CHECKED gannet_err gannet_partition_gather(MPI_Comm comm, size_t n, double *values);

/* Send any number of bytes from one rank to all; MPI_Bcast is limited by its count, an int.
 *
 * Collective over comm; root and size the same on all ranks.
 *
 * bytes  inout  [size]
 */
GANNET_CHECKED gannet_err gannet_bytes_broadcast(MPI_Comm comm, int root, size_t size, void *bytes);

/* Cut rows into runs of about equal cost, one for every rank. A run begins where a piece of rows
 * begins; it may be empty.
 *
 * Local.
 *
 * begin  in   [pieces + 1] first rows of pieces, then the number of rows
 * cost   in   [pieces], in any unit
 * first  out  [np + 1] first rows of runs, then the number of rows
 */
void gannet_partition_cut(int pieces, const int *begin, const double *cost, int np, int *first);

/* Give all ranks the rows of every run, which its rank has made.
 *
 * Collective over comm; first and bytes the same on all ranks.
 *
 * bytes  in     of a row, a multiple of 8
 * rows   inout  [first[np]] rows
 *
 * Errors: GANNET_ERR_MEMORY, GANNET_ERR_SHAPE for rows of 2^34 bytes or of another number of them,
 * from all ranks; GANNET_ERR_MPI.
 */
GANNET_CHECKED gannet_err gannet_partition_gather_rows(MPI_Comm comm, const int *first,
                                                       size_t bytes, void *rows);

#endif
