/* The basins among the results, and the next one for the local member to search.
 *
 * A feasible result without a better one within the critical distance leads a basin; every other
 * one belongs to the basin of its nearest better result. This is multi-level single linkage, which
 * starts a local search at each leader (Rinnooy Kan, Timmer 1987). Deviations: the distance is half
 * of the published one, since the results are no uniform sample, and the best leader comes first.
 */
#ifndef GANNET_OPTIMIZER_BASINS_H
#define GANNET_OPTIMIZER_BASINS_H

#include "problem/history.h"

typedef struct {
  int64_t centre; /* the leader of the best basin that is not searched; -1 = there is none */
  bool *searched; /* [evaluations] whether a result is of a basin that is; NULL without a centre */
} local_basins;

/* Find the best basin that is not searched, other than that of the best result. A function of the
 * history.
 *
 * A basin is searched when it has 10 (d + 1) results, or when its best d + 1 lie within 0.03 of the
 * ranges, and differ by less than the best of them is worse than the best of all.
 *
 * Local.
 *
 * basins  out  to be released, also after an error
 */
GANNET_CHECKED gannet_err local_basins_find(const gannet_history *history, local_basins *basins);

/* Accepts zeroed ones.
 *
 * Local.
 */
void local_basins_release(local_basins *basins);

#endif
