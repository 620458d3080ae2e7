/* Compare evaluations: a feasible one comes before an infeasible one, feasible ones are ordered by
 * their objective, and infeasible ones by how much they violate the constraints. With several
 * objectives those of the front come before others, and of these those that are far from their
 * neighbours. */
#ifndef GANNET_SEARCH_MERIT_RANK_H
#define GANNET_SEARCH_MERIT_RANK_H

#include "problem/history.h"

typedef struct {
  int64_t id;
  double violation; /* 0 = feasible; INFINITY = no result to compare */
  double value;     /* internal objective, minimised; INFINITY without a result. Of several
                       objectives their rank of non-dominated sorting and a share below 1, or
                       INFINITY where one of them is missing */
} gannet_merit_rank;

/* Whether a comes before b; of equal evaluations the one with the lower id does.
 *
 * Local.
 */
bool gannet_merit_rank_is_better(const gannet_merit_rank *a, const gannet_merit_rank *b);

/* Put an evaluation into a list of the best ones, best first, if it is one of them; returns the new
 * length of the list.
 *
 * Local.
 *
 * n     in     length of the list
 * best  inout  [most]
 */
int gannet_merit_rank_insert(const gannet_merit_rank *one, int most, int n,
                             gannet_merit_rank *best);

/* Merits of all evaluations. Those with an id below first, and those without a result, get an
 * infinite violation. Where runs of a design are joined
 * (problem/runs.h), the row that stands for it has the merit of their means, and the others have an
 * infinite violation.
 *
 *   violation = sum_j log(1 + max(c_j, 0) / s_j),   s_j = mean |c_j| of the evaluations that count,
 *
 * so that constraints of any units weigh alike (the bilog transform of Eriksson, Poloczek 2021,
 * whose scale is fixed at 1).
 *
 * Local.
 *
 * first   in   >= 0
 * merits  out  [gannet_history_count]
 */
GANNET_CHECKED gannet_err gannet_merit_rank_all(const gannet_history *history, int64_t first,
                                                gannet_merit_rank *merits);

#endif
