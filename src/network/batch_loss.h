/* The loss of a training (network/train.h) on all its observations, and its gradient.
 *
 * Observations are cut into pieces. The gradient is the sum of the gradients of the pieces, in
 * their order, so its bits do not depend on which rank makes which piece.
 */
#ifndef GANNET_NETWORK_BATCH_LOSS_H
#define GANNET_NETWORK_BATCH_LOSS_H

#include <stdbool.h>

#include "base/context.h"
#include "network/train.h"

typedef struct gannet_batch_loss gannet_batch_loss;

/* Whether ranks gain from evaluating together: there is more than one piece, all ranks are on one
 * node, and the networks are small enough for each rank to hold what a minimiser needs.
 *
 * Local.
 *
 * n  in  observations
 */
bool gannet_batch_loss_is_shared(const gannet_mlp *net, int n, const gannet_context *context);

/* Workspace for n observations.
 *
 * Collective over the team's communicator; local without a team.
 *
 * net   in  borrowed until destroy
 * n     in  >= 1
 * team  in  ranks that evaluate together, borrowed until destroy. They share the pieces where they
 *           share memory; otherwise each of them makes all. NULL = this rank alone
 *
 * Errors: GANNET_ERR_MEMORY, GANNET_ERR_MPI, from all ranks of the team.
 */
GANNET_CHECKED gannet_err gannet_batch_loss_create(const gannet_mlp *net, int n,
                                                   const gannet_context *team,
                                                   gannet_batch_loss **loss);
void gannet_batch_loss_destroy(gannet_batch_loss **loss);

/* Loss and gradient.
 *
 * Collective over the team's communicator, with the same arguments; local without a team.
 *
 * problem   in   of the network and the number of observations of _create
 * theta     in   [2][parameters]
 * gradient  out  [2][parameters]
 *
 * Returns the loss.
 */
double gannet_batch_loss_evaluate(gannet_batch_loss *loss, const gannet_train_problem *problem,
                                  const double *theta, double *gradient);

#endif
