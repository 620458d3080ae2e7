/* What acquisition functions that look ahead are given.
 *
 * These are minima of posterior draws over the candidates, and the joint posterior of the objective
 * at the minimisers and at the best observation.
 */
#ifndef GANNET_OPTIMIZER_REFERENCE_H
#define GANNET_OPTIMIZER_REFERENCE_H

#include "optimizer/member.h"
#include "search/candidates.h"

typedef struct {
  int n_minima;
  double *minima; /* [n_minima] feasible minima of draws, exploration included */
  int *minimiser; /* [n_minima] their place among the points */
  double *points; /* [posterior.n][d] different minimisers, then the observation of least mean */
  double *mean, *covariance;      /* of the points; covariance with the factor exploration^2 */
  gannet_acq_reference posterior; /* borrows the arrays above */
} gannet_reference;

/* Draw, scan the candidates, and take the moments. Draws for which no candidate is feasible have no
 * minimum. Needs fitted models; their prepared draws are replaced.
 *
 * Collective over the member's communicator; the same on all ranks.
 *
 * draws      in   number of draws
 * order      in   number of the point in the batch, for random streams
 * reference  out  to be released, also after an error
 */
GANNET_CHECKED gannet_err gannet_reference_make(gannet_member *member,
                                                const gannet_candidates *candidates, int draws,
                                                int order, gannet_reference *reference);
void gannet_reference_release(gannet_reference *reference);

#endif
