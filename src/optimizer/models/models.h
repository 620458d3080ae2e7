/* The surrogates of one member.
 *
 * There is one surrogate of the first objective, one for every one-sided constraint, one for every
 * further objective where these have models of their own, and, once the simulation itself called a
 * design infeasible or crashed, one of where that happens, the hidden constraint. It is fitted to
 * +1 (infeasible or crashed) and -1 (fine), with a noise of its own, because labels are no values
 * of a smooth function. A point counts as feasible where a draw of it is below zero. Its
 * uncertainty is trusted less than that of values: proposals would otherwise go back to where
 * simulations crash for as long as anything is left to learn there. No penalty is ever put into the
 * objective.
 *
 * Terms
 *   fantasy              a made-up observation: a model's own mean at a pending point
 *   incumbent            the value to improve upon
 *   incumbent candidate  an observation that may have the least mean of the objective's model
 */
#ifndef GANNET_OPTIMIZER_MODELS_H
#define GANNET_OPTIMIZER_MODELS_H

#include "optimizer/models/noise_test.h"
#include "optimizer/models/related.h"
#include "optimizer/models/transform.h"
#include "optimizer/options.h"
#include "optimizer/state.h"
#include "problem/front.h"
#include "problem/history.h"

typedef struct gannet_models gannet_models;

/* The noise variance of the hidden constraint's labels +1 and -1. Chosen, as the factor on what
 * the model says it does not know, on problems that crash in half of the box (tests/optimizer). */
extern const double gannet_models_label_noise;

/* Create the models; none is fitted.
 *
 * Collective over the context's communicator.
 *
 * context     in     borrowed until destroy
 * history     in     borrowed until destroy
 * noise_test  inout  borrowed until destroy; NULL = none. Its owner zeroes it with the history
 * options     in     borrowed until destroy
 * member      in     number of the member of the portfolio, which keys its streams
 */
GANNET_CHECKED gannet_err gannet_models_create(const gannet_context *context,
                                               const gannet_history *history,
                                               gannet_noise_test *noise_test,
                                               const gannet_member_options *options, int member,
                                               gannet_models **models);
void gannet_models_destroy(gannet_models **models);

/* The weights of the objectives where one model stands for all of them (scalarises of
 * gannet_acq_type), for the fits to come.
 *
 * Local; the same on all ranks.
 *
 * direction  in  [n_objectives of the problem] >= 0, of sum 1; copied
 */
void gannet_models_set_direction(gannet_models *models, const double *direction);

/* Have the models of objectives and constraints begin with what related problems tell
 * (optimizer/models/related.h). Does nothing where one model stands for all objectives, or with
 * equations, which say more.
 *
 * Local.
 *
 * related  in  borrowed until destroy
 */
void gannet_models_set_related(gannet_models *models, gannet_related *related);

/* Collect what every model is fitted to, the history or a part of it, and decide who learns
 * hyper-parameters: who has enough observations more, in proportion to those that are taken.
 *
 * Collective; the same on all ranks.
 *
 * take  in  [gannet_history_count] whether an evaluation is taken, by id; NULL = all
 */
GANNET_CHECKED gannet_err gannet_models_prepare(gannet_models *models, const bool *take,
                                                int64_t iteration);

/* Have those learn of the models of several members that can do so together; ranks share all their
 * minimisations. What is learnt are the bits of a fit without this.
 *
 * Collective over the context's communicator; the same on all ranks.
 *
 * models  inout  [n], prepared
 *
 * Errors: those of the surrogates; nobody has learnt then.
 */
GANNET_CHECKED gannet_err gannet_models_learn(const gannet_context *context, int n,
                                              gannet_models *const *models);

/* Fit every model to what was prepared, learning hyper-parameters where that is left to do.
 *
 * Collective; the same on all ranks.
 */
GANNET_CHECKED gannet_err gannet_models_fit(gannet_models *models);

/* Add made-up observations after the fit: every model is told its own mean at n points, so that
 * later points of a batch and pending ones are taken into account (Ginsbourger et al. 2010, kriging
 * believer). The next fit forgets them.
 *
 * Collective; the same on all ranks.
 *
 * x_unit  in  [n][d]
 */
GANNET_CHECKED gannet_err gannet_models_fantasize(gannet_models *models, int n,
                                                  const double *x_unit, int64_t iteration);

/* Prepare q draws of every model.
 *
 * Collective; the same on all ranks.
 */
GANNET_CHECKED gannet_err gannet_models_sample(gannet_models *models, int q, int64_t iteration);

/* gannet_surrogate_shrink_draw of the first objective's model.
 *
 * Logically collective.
 */
GANNET_CHECKED gannet_err gannet_models_shrink_draw(gannet_models *models, int draw, double factor);

/* Number of models that take part: 1, plus the constraints, plus the further objectives, plus the
 * hidden one if it exists.
 *
 * Local.
 */
int gannet_models_count(const gannet_models *models);

/* How many of the models are of an objective, at least 1; the model of objective m; and the
 * objective of a model, -1 = it is of a constraint.
 *
 * Local.
 */
int gannet_models_n_objectives(const gannet_models *models);
int gannet_models_of_objective(const gannet_models *models, int m);
int gannet_models_objective(const gannet_models *models, int model);

/* The front of the results, as of the last gannet_models_prepare. Empty with one objective.
 *
 * Local.
 */
const gannet_front *gannet_models_front(const gannet_models *models);

/* Surrogate of a model, 0 being the objective; the threshold below which a constraint model is
 * feasible; the factor on its uncertainty.
 *
 * Local.
 */
const gannet_surrogate *gannet_models_surrogate(const gannet_models *models, int model);
double gannet_models_threshold(const gannet_models *models, int model);
double gannet_models_exploration(const gannet_models *models, int model);

/* Least value that a model was fitted to, fantasies left out; INFINITY without observations.
 *
 * Local.
 */
double gannet_models_least(const gannet_models *models, int model);

/* How the values of objective m became those of its model, by the last fit.
 *
 * Local.
 */
const gannet_transform_fit *gannet_models_transform(const gannet_models *models, int m);

/* A value of the model of objective m as a multiple of the front's range from its least value, and
 * its derivative; and the reference point of the front, likewise. With several objectives.
 *
 * Local.
 */
double gannet_models_in_ranges(const gannet_models *models, int m, double value, double *slope);
double gannet_models_reference(const gannet_models *models, int m);

/* The value in the user's units that a value of a model stands for: of an objective, or of the
 * quantity that a constraint bounds. Not for the hidden constraint, which is no quantity.
 *
 * Local.
 */
double gannet_models_in_units(const gannet_models *models, int model, double value);

/* Whether the objective looked noisy at the last fit (optimizer/models/noise_test.h).
 *
 * Local.
 */
bool gannet_models_look_noisy(const gannet_models *models);

/* Make estimators of all models (gannet_surrogate_estimator).
 *
 * Local; with pivots Collective over the context's communicator.
 *
 * estimators  inout  [models] zeroed, or made before
 * able        out    whether all models give such estimates
 */
GANNET_CHECKED gannet_err gannet_models_estimators(gannet_models *models,
                                                   const gannet_estimator_spec *spec,
                                                   gannet_estimator *estimators, bool *able);

/* A model as acquisition functions see it, until the next fit. The sd of constraints that are
 * measured is certain; the hidden constraint, which is known from labels only, has a factor
 * below 1.
 *
 * Local.
 */
gannet_acq_model gannet_models_acq_model(const gannet_models *models, int model);

/* Evaluations that may have the least mean of the objective's model
 * (optimizer/models/models_impl.h), as positions in the history; valid until the next fit.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_models_incumbent_candidates(gannet_models *models, int *n,
                                                             const int64_t **id);

/* Least fantasy of the objective among the points at which the fantasies of all constraints meet
 * their thresholds; INFINITY without such a point.
 *
 * Local.
 */
double gannet_models_least_fantasy(const gannet_models *models);

/* The incumbent: the smallest mean of the objective's model over the feasible incumbent candidates
 * and the fantasies that meet all thresholds, or over all incumbent candidates when none is
 * feasible. Without the fantasies, the best place for the next point of a batch would be beside the
 * one before.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_models_incumbent(gannet_models *models, double *value);

/* Improvement that is asked for over that, standardised: 0, or a tenth when the transform is
 * log-then-none and the search has converged, for the last digits of a place that is known are
 * nothing to look for.
 *
 * Local.
 */
double gannet_models_required_improvement(const gannet_models *models);

/* Id of the feasible incumbent candidate with the smallest mean of the objective's model, the
 * earliest on a tie; -1 when none is feasible.
 *
 * Local.
 *
 * first  in  evaluations before this id do not count
 */
GANNET_CHECKED gannet_err gannet_models_best(gannet_models *models, int64_t first, int64_t *id);

/* Everything a resumed optimiser needs to go on exactly: hyper-parameters and when they were
 * learnt.
 *
 * Local. set: logically collective.
 *
 * part     in     what comes before the names: "gp-ei/"
 * missing  inout  one more for every hyper-parameter that is absent; its model learns it then
 */
GANNET_CHECKED gannet_err gannet_models_get_state(const gannet_models *models, const char *part,
                                                  gannet_state *state);
GANNET_CHECKED gannet_err gannet_models_set_state(gannet_models *models, const char *part,
                                                  gannet_state *state, int *missing);

#endif
