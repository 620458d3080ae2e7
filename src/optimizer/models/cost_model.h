/* A model of what evaluations cost, by which proposals weigh gain per cost.
 *
 * A Gaussian process is fitted to the logarithms of the costs so far. Whoever compares points by
 * their gain divides it by c(x)^a, c(x) the median cost that the model expects at a point. The
 * exponent cools with what is left of the budget, so that in the end the best points count whatever
 * they cost:
 *
 *   a = (limit - spent) / (limit - first design),
 *
 * the least of the limits on evaluations and on cost; 1 without a limit. This is EI-cool of Lee,
 * Perrone, Archambeau and Seeger 2020, "Cost-aware Bayesian optimization", where a campaign is
 * limited by cost alone; with a = 1 it is the expected improvement per second of Snoek, Larochelle
 * and Adams 2012.
 */
#ifndef GANNET_OPTIMIZER_COST_MODEL_H
#define GANNET_OPTIMIZER_COST_MODEL_H

#include "optimizer/options.h"
#include "optimizer/state.h"
#include "problem/history.h"

/* Costs that must be known before they are weighed. */
enum { GANNET_COSTS_LEAST = 4 };

typedef struct gannet_cost_model gannet_cost_model;

/* A model without costs. Options are those of the optimiser, of which those of the cost count.
 *
 * Collective over the context's communicator.
 *
 * history  in  borrowed until destroy
 * options  in  borrowed until destroy
 */
GANNET_CHECKED gannet_err gannet_cost_model_create(const gannet_context *context,
                                                   const gannet_history *history,
                                                   const gannet_optimizer_options *options,
                                                   gannet_cost_model **model);
void gannet_cost_model_destroy(gannet_cost_model **model);

/* Before every proposal: fit the model to the costs of all evaluations whose results tell one above
 * 0, and find the exponent. What cannot be weighed is told once.
 *
 * Collective; the same on all ranks.
 *
 * batch  in  number of the proposal, for random streams
 *
 * Errors: GANNET_ERR_MEMORY; those of the fit, after which the exponent is 0.
 */
GANNET_CHECKED gannet_err gannet_cost_model_prepare(gannet_cost_model *model, int64_t batch);

/* Go on without weights after an error of that fit, which is recorded: it is told once, and the
 * next fit learns anew.
 *
 * Collective.
 */
GANNET_CHECKED gannet_err gannet_cost_model_give_up(gannet_cost_model *model);

/* The exponent a; 0 = nothing is weighed, as with too few costs or when all are equal.
 *
 * Local.
 *
 * model  in  NULL = 0
 */
double gannet_cost_model_exponent(const gannet_cost_model *model);

/* log c(x)^a at m points, up to a constant. For an exponent above 0.
 *
 * Local.
 *
 * x_unit       in   [m][d]
 * log_weights  out  [m]
 */
GANNET_CHECKED gannet_err gannet_cost_model_log_weights(const gannet_cost_model *model, int m,
                                                        const double *x_unit, double *log_weights);

/* The same with gradients.
 *
 * Local.
 *
 * x_unit       in   [m][d]
 * log_weights  out  [m]
 * gradients    out  [m][d]
 * sd, by_sd    -    [m], [m][d] scratch
 */
GANNET_CHECKED gannet_err gannet_cost_model_gradients(const gannet_cost_model *model, int m,
                                                      const double *x_unit, double *log_weights,
                                                      double *gradients, double *sd, double *by_sd);

/* Everything that a resumed optimiser needs to go on exactly, under names that begin with "cost.".
 * Nothing is put, and nothing changes, without a model; what is absent, or of another cost, is
 * learnt.
 *
 * Local. set: logically collective.
 *
 * model  in  NULL = none
 */
GANNET_CHECKED gannet_err gannet_cost_model_get_state(const gannet_cost_model *model,
                                                      gannet_state *state);
GANNET_CHECKED gannet_err gannet_cost_model_set_state(gannet_cost_model *model,
                                                      gannet_state *state);

#endif
