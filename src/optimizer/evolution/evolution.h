/* The evolution strategy: CMA-ES whose populations are ranked by a quadratic model.
 *
 * A generation is a population of normal points around a mean, and the minimiser of a quadratic
 * model. The points that the model ranks best are evaluated, until the model has ranked results
 * that it had not seen as they are. Then the best half of the population, by the model, moves the
 * mean, and changes the covariance and the step size. The covariance is learnt from ranks, so the
 * region of the search takes the shape of a valley or a ridge that no quadratic is exact on.
 *
 * CMA-ES: Hansen 2016 (arXiv 1604.00772); ranks by a quadratic model, and the test of the model:
 * Hansen 2019 (lq-CMA-ES); points that were not drawn: Hansen 2011 (arXiv 1110.4181).
 */
#ifndef GANNET_OPTIMIZER_EVOLUTION_H
#define GANNET_OPTIMIZER_EVOLUTION_H

#include "base/context.h"
#include "optimizer/state.h"
#include "problem/history.h"

typedef struct gannet_evolution gannet_evolution;

/* Create one that has not begun. It begins at its first proposal, with mean and covariance of the
 * best results that there are.
 *
 * Local.
 *
 * context, history  in  borrowed until destroy
 * member            in  number of the member, which keys its streams
 */
GANNET_CHECKED gannet_err gannet_evolution_create(const gannet_context *context,
                                                  const gannet_history *history, int member,
                                                  gannet_evolution **evolution);
void gannet_evolution_destroy(gannet_evolution **evolution);

/* Options for q points of a batch: for each the best point by the model that is not evaluated yet,
 * then a further point of the distribution for the case that this one was proposed before.
 *
 * Collective over the context's communicator; the same on all ranks.
 *
 * first_id  in   evaluation of the first of these points; the others follow
 * x_unit    out  [q][GANNET_EVOLUTION_OPTIONS][d]
 *
 * Errors: GANNET_ERR_NUMERIC when the model or the covariance is not finite.
 */
enum { GANNET_EVOLUTION_OPTIONS = 3 };

GANNET_CHECKED gannet_err gannet_evolution_propose(gannet_evolution *evolution, int64_t first_id,
                                                   int q, double *x_unit);

/* Whether it has nothing to work on: it needs 2 to 21 variables, all real, one objective, and no
 * constraints.
 *
 * Local.
 */
bool gannet_evolution_is_idle(const gannet_problem *problem);

/* Mean, covariance, paths and step size, and the evaluations of the generation under way.
 *
 * Local. set: logically collective; the history is that of the state.
 */
GANNET_CHECKED gannet_err gannet_evolution_get_state(const gannet_evolution *evolution,
                                                     const char *part, gannet_state *state);
GANNET_CHECKED gannet_err gannet_evolution_set_state(gannet_evolution *evolution, const char *part,
                                                     gannet_state *state);

#endif
