/* Results of related problems in the files of campaigns and optimisers: the datasets related/count,
 * related/x, related/objective and, where some are known, related/constraints, one source after the
 * other.
 */
#ifndef GANNET_OPTIMIZER_RELATED_COLUMNS_H
#define GANNET_OPTIMIZER_RELATED_COLUMNS_H

#include "problem/problem.h"
#include "store/columns.h"
#include "store/state_file.h"

/* Results of one source. */
typedef struct {
  int n;
  double *x;         /* [n][n_variables] in the user's units; NAN = there is no such variable */
  double *objective; /* [n] in the user's sense and units; NAN = not known */
  /* [n][n_constraints] in the user's units, as in a result; NAN = not known; NULL = none is known
   */
  double *constraints;
} gannet_related_rows;

/* Write n sources; nothing without any result.
 *
 * Local.
 *
 * sources  in  [n]
 */
GANNET_CHECKED gannet_err gannet_related_columns_write(gannet_store *store,
                                                       const gannet_problem *problem, int n,
                                                       const gannet_related_rows *sources);

/* Read as many sources as there are.
 *
 * Local.
 *
 * n        out  0 when the file has none
 * sources  out  [n] to be freed with gannet_free after their members, also after an error
 *
 * Errors: GANNET_ERR_DAMAGED when the datasets do not fit each other; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_related_columns_read(const gannet_store *store,
                                                      const gannet_problem *problem, int *n,
                                                      gannet_related_rows **sources);
void gannet_related_columns_release(int n, gannet_related_rows **sources); /* Local. */
void gannet_related_rows_release(gannet_related_rows *rows);               /* Local. */

#endif
