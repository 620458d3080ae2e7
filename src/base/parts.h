/* Parts of one piece of work, shared out over ranks. */
#ifndef GANNET_BASE_PARTS_H
#define GANNET_BASE_PARTS_H

#include <mpi.h>
#include <stdbool.h>

#include "base/error.h"

/* Whom parts belong to: in their order, each goes to the rank that has least so far, of equals to
 * the first. Best with the largest part first.
 *
 * Local.
 *
 * cost   in   [parts], in any unit
 * owner  out  [parts], 0 .. np-1
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_parts_share(int parts, const double *cost, int np, int *owner);

/* Parts first, first + step, .. of a rank, where they go round the ranks; or all of them. */
typedef struct {
  int first, step;
  bool shared;
} gannet_round;

static inline gannet_round gannet_round_of(int rank, int np, bool shared) {
  return shared && np > 1 ? (gannet_round){rank, np, true} : (gannet_round){0, 1, false};
}

/* Put together what ranks have made parts of: every number was made by one rank and is 0 on the
 * others, so a bitwise OR gives its bits to all.
 *
 * Collective over comm; n the same on all ranks.
 *
 * values  inout  [n]
 */
GANNET_CHECKED gannet_err gannet_parts_gather(MPI_Comm comm, size_t n, double *values);

/* Give what one rank has to all, however many bytes: counts of MPI are ints.
 *
 * Collective over comm; root and size the same on all ranks.
 *
 * bytes  inout  [size]
 */
GANNET_CHECKED gannet_err gannet_bytes_broadcast(MPI_Comm comm, int root, size_t size, void *bytes);

/* Cut rows into runs of about equal cost, one for every rank, where pieces of them begin. A run may
 * be empty.
 *
 * Local.
 *
 * begin  in   [pieces + 1] first rows of pieces, then the number of rows
 * cost   in   [pieces], in any unit
 * first  out  [np + 1] first rows of runs, then the number of rows
 */
void gannet_runs_cut(int pieces, const int *begin, const double *cost, int np, int *first);

/* Give the rows of every run, which its rank made, to all.
 *
 * Collective over comm; first and bytes the same on all ranks.
 *
 * bytes  in     of a row, a multiple of 8
 * rows   inout  [first[np]] rows
 *
 * Errors: GANNET_ERR_MEMORY, GANNET_ERR_SHAPE for rows of 2^34 bytes or of another number of them,
 * from all ranks; GANNET_ERR_MPI.
 */
GANNET_CHECKED gannet_err gannet_runs_gather(MPI_Comm comm, const int *first, size_t bytes,
                                             void *rows);

#endif
