/* Which observations may have the least mean of the objective's model.
 *
 * All of them, while they are at most 4000. Of more, the 1000 best (gannet_standing_is_better: by
 * value, and while fewer are feasible by violation too), and of the infeasible rest the 1000 that
 * violate least: looking for the least mean then takes the same time for any number of them. With
 * noise the mean may be least at an observation whose own value is not among the best of a large
 * history; what is found instead is one of the others close by.
 */
#ifndef GANNET_OPTIMIZER_CONTENDERS_H
#define GANNET_OPTIMIZER_CONTENDERS_H

#include "problem/history.h"

enum { GANNET_CONTENDERS_ALL = 4000, GANNET_CONTENDERS_BEST = 1000 };

/* Positions of the contenders in a list of observations, ascending.
 *
 * Local.
 *
 * id       in   [n] evaluations with a result
 * first    in   evaluations before this id do not contend
 * n_found  out  at most GANNET_CONTENDERS_ALL
 * found    out  [GANNET_CONTENDERS_ALL]
 *
 * Errors: GANNET_ERR_MEMORY. Cost: c log c for c evaluations in the history, when they are many.
 */
GANNET_CHECKED gannet_err gannet_contenders_find(const gannet_history *history, int n,
                                                 const int64_t *id, int64_t first, int *n_found,
                                                 int *found);

#endif
