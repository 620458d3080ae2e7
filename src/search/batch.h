/* Choose the q points of a batch from ranked points, all different. */
#ifndef GANNET_SEARCH_BATCH_H
#define GANNET_SEARCH_BATCH_H

#include "base/random.h"
#include "problem/history.h"
#include "search/distinct.h"

typedef struct {
  const gannet_problem *problem;
  gannet_stream stream;        /* of the random points */
  const gannet_distinct *seen; /* points proposed before; NULL = only those in before */
  int64_t n_before;
  const double *before;         /* [n_before][d] more points proposed before; admissible */
  const gannet_history *spaced; /* choose no near-copy of its points, of those in before, or of each
                                   other; NULL = near-copies may be chosen */
  int n_lists;
  int n_ranked;
  const double *ranked; /* [n_lists][n_ranked][d] best first; made admissible first */
} gannet_batch_spec;

/* Point j of the batch is the first of these that exists:
 * - the best fresh point of list j mod n_lists. A point is fresh when it is equal to none that was
 *   proposed before or chosen already, nor a near-copy where those are not wanted
 *   (search/distinct.h);
 * - a fresh random admissible point;
 * - a fresh point of a discrete problem or of a list of designs;
 * - the best point of the list that is not in this batch yet, or its best point.
 *
 * Local; a pure function of its arguments.
 *
 * q       in   >= 1
 * x_unit  out  [q][d] admissible; satisfies the variable constraints
 *
 * Cost: O((n_before + n_lists n_ranked) d).
 */
GANNET_CHECKED gannet_err gannet_batch_choose(const gannet_batch_spec *spec, int q, double *x_unit);

#endif
