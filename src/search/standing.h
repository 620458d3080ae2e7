/* How good evaluations are compared with each other: feasible ones by their objective, before all
 * others by how much they violate. */
#ifndef GANNET_SEARCH_STANDING_H
#define GANNET_SEARCH_STANDING_H

#include "problem/history.h"

typedef struct {
  int64_t id;
  double violation; /* 0 = feasible; INFINITY = no result to compare */
  double value;     /* internal objective, minimised; INFINITY without a result */
} gannet_standing;

/* Whether a comes before b; on equal standings the lower id does.
 *
 * Local.
 */
bool gannet_standing_is_better(const gannet_standing *a, const gannet_standing *b);

/* Put a standing into a list of the best ones, best first, when it is one of them; the new length.
 *
 * Local.
 *
 * n     in     length of the list
 * best  inout  [most]
 */
int gannet_standing_insert(const gannet_standing *one, int most, int n, gannet_standing *best);

/* Standings of all evaluations from id first on; those before, and those without a result, have an
 * infinite violation.
 *
 *   violation = sum_j log(1 + max(c_j, 0) / s_j),   s_j = mean |c_j| of the evaluations that count,
 *
 * so that constraints of any units weigh alike (the bilog transform of Eriksson, Poloczek 2021,
 * whose scale is fixed at 1).
 *
 * Local.
 *
 * first     in   >= 0
 * standing  out  [gannet_history_count]
 */
GANNET_CHECKED gannet_err gannet_standing_all(const gannet_history *history, int64_t first,
                                              gannet_standing *standing);

#endif
