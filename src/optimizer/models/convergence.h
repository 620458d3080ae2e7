/* Whether the search has converged: its best d + 1 results lie at one place.
 *
 * They do so at the bottom of a basin that has been found to some digits. In an ill-conditioned
 * valley they are apart until its bottom is found, whatever their values do. A better result at
 * another place ends convergence.
 */
#ifndef GANNET_OPTIMIZER_CONVERGENCE_H
#define GANNET_OPTIMIZER_CONVERGENCE_H

#include "problem/history.h"

typedef struct {
  int64_t at;    /* the best evaluation, around which the others lie; -1 = it has not converged */
  bool finished; /* nothing is left to be found there: the best d + 1 values differ by less than
                    1e-9 of what the median of the results elsewhere is worse */
  bool round;    /* as at the bottom of a smooth basin, and not on a ridge: with the distance of the
                    best d + 1 points as a share of the ranges, their values differ by less than
                    0.03 times that share of what the median of the results elsewhere is worse */
} gannet_convergence;

/* A function of the history. It never converges with several objectives, and has not with less than
 * 2 (d + 1) results, or less than d + 1 feasible ones.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_convergence_find(const gannet_history *history,
                                                  gannet_convergence *convergence);

/* Whether two points of the unit cube [d] are at one place.
 *
 * Local.
 */
bool gannet_convergence_is_near(int d, const double *x, const double *other);

#endif
