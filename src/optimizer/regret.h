/* How much better than the best known design the best one may be.
 *
 * A Gaussian process of all results says which functions the objective may be. We draw some of
 * them, find the least value of each draw over the box, and compare it with the draw's value at the
 * incumbent. The share of the draws in which the difference is small is the probability that not
 * more is left (Wilson 2024, "Stopping Bayesian optimization with probabilistic regret bounds").
 * Constraints are drawn as well: a draw's least value is sought where all its constraints are kept.
 *
 * The draws deviate from the model's mean by twice what the model says, because hyperparameters
 * that are learnt from few results make it too sure.
 *
 * Terms
 *   incumbent  the evaluated, feasible design that would be chosen if the campaign ended now: that
 *              of the best value, or where values are noisy that of the least mean of the model
 *   regret     how much better than the incumbent the best feasible point of a draw is, in the
 *              units of the objective; never below 0
 */
#ifndef GANNET_OPTIMIZER_REGRET_H
#define GANNET_OPTIMIZER_REGRET_H

#include "base/context.h"
#include "problem/history.h"

typedef struct {
  double within;      /* regret that does not matter, in the units of the objective, above 0 */
  double probability; /* that is asked for, between 0 and 1 */
} gannet_regret_spec;

typedef struct {
  int64_t incumbent; /* its id; -1 = there is none, or too few results for a model: no draws */
  int n_draws;       /* fewer than planned when the probability can no longer be reached */
  int n_within;      /* draws whose regret is at most spec.within */
  bool is_reached;   /* whether their share is at least spec.probability */
} gannet_regret;

/* A function of the history and of the context's seed alone.
 *
 * Collective; the same on all ranks.
 *
 * Errors: those of the model.
 */
GANNET_CHECKED gannet_err gannet_regret_estimate(const gannet_context *context,
                                                 const gannet_history *history,
                                                 const gannet_regret_spec *spec,
                                                 gannet_regret *regret);

#endif
