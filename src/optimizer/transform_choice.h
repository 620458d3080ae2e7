/* Which transform a method uses now, and by which values it is learnt.
 *
 * log-then-none is log until the search has settled (optimizer/settled.h), then none, learnt by the
 * results elsewhere: half of all values and more nearly agree by then, so that any scale that is
 * learnt by all of them is that of their last digits, on which everything else is equally bad, and
 * no other basin is looked for.
 */
#ifndef GANNET_OPTIMIZER_TRANSFORM_CHOICE_H
#define GANNET_OPTIMIZER_TRANSFORM_CHOICE_H

#include "optimizer/transform.h"
#include "problem/history.h"

typedef struct {
  gannet_transform kind; /* none or log */
  int64_t place;         /* evaluation at which the search has settled, where that makes a
                            difference; -1 = it does not, or has not */
} gannet_transform_choice;

/* What the options say, or log unless the problem is noisy; none for a model that obeys equations
 * (laws; NULL = it does not).
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_transform_choose(const gannet_member_options *options,
                                                  const gannet_history *history,
                                                  const gannet_laws *laws,
                                                  gannet_transform_choice *choice);

/* Choose centre and scale for n values; of those at the place the first counts alone, unless there
 * are hardly others.
 *
 * Local.
 *
 * x           in  [n][d] unit cube
 * y           in  [n] minimised
 * kept, work  -   [n] each, scratch
 */
void gannet_transform_choice_learn(const gannet_transform_choice *choice,
                                   const gannet_history *history, int n, const double *x,
                                   const double *y, double *kept, double *work,
                                   gannet_transform_fit *fit);

#endif
