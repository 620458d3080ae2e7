/* A pool: a finite list of designs that replaces the box. Every proposal is a row of it.
 *
 * Rows are kept in the user's units, so that a simulation gets exactly the numbers of the list. The
 * ranks of a node share one copy. The row nearest to a point is found by projections of all rows on
 * one direction: a row that is farther from the point than the best row so far may be skipped when
 * its projection is farther away, so a sorted list of projections bounds the search.
 */
#ifndef GANNET_PROBLEM_POOL_H
#define GANNET_PROBLEM_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "gannet/problem.h"

typedef struct gannet_pool gannet_pool;

/* Check, sort and share out rows; of rows that are equal, or whose encodings are, the first is
 * kept.
 *
 * Collective over comm, whose rank 0 alone gives rows.
 *
 * problem  in   that the rows belong to
 * n, rows  in   [n][n_variables] in the user's units; significant on rank 0 only
 *
 * Errors: GANNET_ERR_INPUT naming the first row that is outside the variables' ranges, and for an
 * empty list.
 * Memory: n (n_variables + 2) doubles per node; per rank where the system has no memory to share.
 */
GANNET_CHECKED gannet_err gannet_pool_create(MPI_Comm comm, const gannet_problem *problem,
                                             int64_t n, const double *rows, gannet_pool **pool);

/* Collective over the communicator of create; accepts NULL. */
void gannet_pool_destroy(gannet_pool **pool);

/* Number of different rows, and one of them in the user's units, [n_variables].
 *
 * Local.
 *
 * row  in  0 <= row < count
 */
int64_t gannet_pool_count(const gannet_pool *pool);
const double *gannet_pool_row(const gannet_pool *pool, int64_t row);

/* The row whose encoding is nearest to a point in the Euclidean distance, the first one on a tie.
 *
 * Local.
 *
 * x_unit  in   [d]
 * square  out  squared distance; exactly 0 for the encoding of a row; NULL when not wanted
 */
int64_t gannet_pool_nearest(const gannet_pool *pool, const gannet_problem *problem,
                            const double *x_unit, double *square);

/* Whether a row has the encoding of a point.
 *
 * Local.
 *
 * x_user  in  [n_variables]
 */
bool gannet_pool_has(const gannet_pool *pool, const gannet_problem *problem, const double *x_user);

#endif
