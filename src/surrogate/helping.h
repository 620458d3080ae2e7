/* Ranks that have nothing left to do help others of their node with evaluations of a gannet_joint.
 */
#ifndef GANNET_SURROGATE_HELPING_H
#define GANNET_SURROGATE_HELPING_H

#include "surrogate/joint.h"

typedef struct gannet_helping gannet_helping;

/* joint  in  borrowed until close; prepare must be local
 *
 * Collective over the context's communicator; joint the same on all ranks.
 *
 * Errors: GANNET_ERR_MEMORY, GANNET_ERR_MPI, from all ranks.
 */
GANNET_CHECKED gannet_err gannet_helping_open(const gannet_context *context,
                                              const gannet_joint *joint, gannet_helping **helping);

/* Collective as open. Accepts NULL.
 */
void gannet_helping_close(gannet_helping **helping);

/* A gannet_value_gradient whose user is a gannet_helping: as gannet_joint_evaluate, and with the
 * same bits, but that a rank that helps makes half of the parts. It prepares them, too, as that
 * takes less than to pass on what was prepared.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_helping_evaluate(void *helping, int n, const double *x,
                                                  double *value, double *gradient);

/* When this rank has no evaluation left: help those that have, each until it has none, if nobody
 * else does.
 *
 * Collective over the node, once, but without waiting for ranks that others help; returns when
 * there is nobody to be helped.
 */
void gannet_helping_others(gannet_helping *helping);

#endif
