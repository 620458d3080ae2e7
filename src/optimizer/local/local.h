/* The local member: quadratic models around the best point, minimised in a trust region.
 *
 * There is a quadratic model of the objective and of every constraint, around the best point. Draws
 * from their posterior are minimised in a box, whose size follows from how well earlier predictions
 * came true. All results enter the models, whoever proposed the points; worse and farther results
 * count less.
 *
 * Trust regions with quadratic models: Powell 2002 (UOBYQA); Conn, Scheinberg, Vicente 2009. Here
 * the model is Bayesian (surrogate/quadratic.h), so that it can be used from the first points on,
 * tolerates noise, and gives different points of a batch by draws.
 */
#ifndef GANNET_OPTIMIZER_LOCAL_H
#define GANNET_OPTIMIZER_LOCAL_H

#include "base/context.h"
#include "optimizer/models/noise_test.h"
#include "optimizer/state.h"
#include "problem/history.h"

typedef struct gannet_local gannet_local;

/* Create it with its largest box.
 *
 * Local.
 *
 * context, history  in     borrowed until destroy
 * noise_test         inout  as for gannet_models_create
 * member            in     number of the member, which keys its streams
 */
GANNET_CHECKED gannet_err gannet_local_create(const gannet_context *context,
                                              const gannet_history *history,
                                              gannet_noise_test *noise_test, int member,
                                              gannet_local **local);
void gannet_local_destroy(gannet_local **local);

/* Options for q points of a batch: for each the minimiser of a draw in the box, then points for the
 * case that this one was proposed before. The ids of the batch's points are first_id, first_id + 1,
 * ...
 *
 * Collective over the context's communicator; the same on all ranks.
 *
 * x_unit  out  [q][GANNET_LOCAL_OPTIONS][d]
 */
enum { GANNET_LOCAL_OPTIONS = 3 };

GANNET_CHECKED gannet_err gannet_local_propose(gannet_local *local, int64_t batch, int64_t first_id,
                                               int q, double *x_unit);

/* Whether quadratic models have nothing to work on: they need real variables, or integers of at
 * least four values.
 *
 * Local.
 */
bool gannet_local_is_idle(const gannet_problem *problem);

/* Size of the box, hyperparameters, and what was predicted of the last batch.
 *
 * Local. set: logically collective; the history is that of the state.
 */
GANNET_CHECKED gannet_err gannet_local_get_state(const gannet_local *local, const char *part,
                                                 gannet_state *state);
GANNET_CHECKED gannet_err gannet_local_set_state(gannet_local *local, const char *part,
                                                 gannet_state *state);

#endif
