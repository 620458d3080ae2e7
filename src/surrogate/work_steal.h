/* Ranks without work of their own make half of the gradients of others (surrogate/joint.h).
 *
 * When the starts of a fit run out, some ranks of a node are idle while others still minimise. An
 * idle rank becomes the helper of one that nobody helps yet: from then on it makes half of the
 * parts of each of its gradients. A failure of a helper is made up for by the rank that it helps.
 */
#ifndef GANNET_SURROGATE_WORK_STEAL_H
#define GANNET_SURROGATE_WORK_STEAL_H

#include "surrogate/joint.h"

typedef struct gannet_work_steal gannet_work_steal;

/* joint  in  borrowed until close; prepare must be local
 *
 * Collective over the context's communicator; joint the same on all ranks.
 *
 * Errors: GANNET_ERR_MEMORY, GANNET_ERR_MPI, from all ranks.
 */
GANNET_CHECKED gannet_err gannet_work_steal_open(const gannet_context *context,
                                                 const gannet_joint *joint,
                                                 gannet_work_steal **work_steal);

/* Collective as open. Accepts NULL.
 */
void gannet_work_steal_close(gannet_work_steal **work_steal);

/* A gannet_value_gradient whose user is a gannet_work_steal: gannet_joint_evaluate with the same
 * bits, where a helper, if there is one, makes half of the parts. The helper calls prepare, too:
 * that takes less time than passing on what was prepared.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_work_steal_evaluate(void *work_steal, int n, const double *x,
                                                     double *value, double *gradient);

/* Help other ranks of the node, one after the other, each until it has no evaluation left. To be
 * called once, when this rank has none left itself; returns when nobody is without help.
 *
 * Collective over the node, but without waiting for ranks that others help.
 */
void gannet_work_steal_help(gannet_work_steal *work_steal);

#endif
