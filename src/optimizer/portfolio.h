/* The members of an optimiser together: which of them propose, and what happens when one fails.
 *
 * A portfolio goes on without a member whose model fails, as long as another member has something
 * to work on. Failures are numbers that do not work out, an error of a library, too little memory,
 * or an equation's function that cannot be computed. The batch is then made anew as if the member
 * had not been there; the member is tried again when there are twice as many results
 * (optimizer/allocation.h). When the numbers of the only member, or of the last one, do not work
 * out, a substitute proposes (optimizer/substitute.h).
 */
#ifndef GANNET_OPTIMIZER_PORTFOLIO_H
#define GANNET_OPTIMIZER_PORTFOLIO_H

#include "optimizer/optimizer_impl.h"

/* Make the members.
 *
 * Collective over the context's communicator.
 *
 * design  in  evaluations before the first model
 */
GANNET_CHECKED gannet_err gannet_portfolio_create(gannet_optimizer *optimizer, int64_t design);

/* Propose q points by models.
 *
 * Collective; the same on all ranks.
 *
 * x_unit  out  [q][d]
 *
 * Errors: that of the only member, or of the last one when all have failed, for which no substitute
 * helps; those of the substitute.
 */
GANNET_CHECKED gannet_err gannet_portfolio_propose(gannet_optimizer *optimizer, int q,
                                                   double *x_unit);

#endif
