/* Evaluations in a state file: datasets "history/..." of their points, of how these were proposed,
 * of the values of constraints, and of the order in which results were told; and "reported/...", a
 * table with a row for each number that results report besides objective and constraints, since
 * every evaluation may report others.
 */
#ifndef GANNET_PROBLEM_HISTORY_COLUMNS_H
#define GANNET_PROBLEM_HISTORY_COLUMNS_H

#include "problem/history.h"
#include "store/state_file.h"

/* How an evaluation came to be proposed. */
typedef struct {
  int64_t batch;
  gannet_origin origin;
} gannet_proposal;

/* What is read; zero-initialise, and release also after an error. */
typedef struct {
  int64_t n, n_told;
  double *x;                 /* [n][n_variables] in the user's units */
  double *constraints;       /* [n][n_constraints] NAN unless done */
  gannet_proposal *proposal; /* [n] */
  int64_t *order;            /* [n_told] evaluations by the order of telling, 0 to n - 1 each */
} gannet_history_columns;

/* Write the columns of a history.
 *
 * Local.
 *
 * constraints  in  [rows][n_constraints] NAN unless done
 *
 * Errors: those of the store.
 */
GANNET_CHECKED gannet_err gannet_history_columns_write(gannet_store *store,
                                                       const gannet_history *history,
                                                       const double *constraints);

/* Read them.
 *
 * Local.
 *
 * Errors: GANNET_ERR_DAMAGED for columns that do not fit each other; those of the store.
 */
GANNET_CHECKED gannet_err gannet_history_columns_read(const gannet_store *store,
                                                      const gannet_problem *problem,
                                                      gannet_history_columns *columns);
void gannet_history_columns_release(gannet_history_columns *columns);

/* Propose all rows to an empty history.
 *
 * Local.
 *
 * Errors: those of gannet_history_propose.
 */
GANNET_CHECKED gannet_err gannet_history_columns_propose(const gannet_history_columns *columns,
                                                         gannet_history *history);

/* Write what n evaluations report; read it into lists that are empty. Files of before it was
 * introduced have none.
 *
 * Local.
 *
 * lists  in, inout  [n]
 *
 * Errors: GANNET_ERR_DAMAGED for rows that cannot be; those of the store.
 */
GANNET_CHECKED gannet_err gannet_reported_columns_write(gannet_store *store, int n_variables,
                                                        int64_t n,
                                                        const gannet_quantities *const *lists);
GANNET_CHECKED gannet_err gannet_reported_columns_read(const gannet_store *store, int n_variables,
                                                       int64_t n, gannet_quantities *const *lists);

#endif
