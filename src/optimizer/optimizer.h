/* What the campaign asks an optimiser for, besides ask and tell (gannet/optimizer.h): its history,
 * when and how long it was asked, and the state that must be saved of it.
 */
#ifndef GANNET_OPTIMIZER_OPTIMIZER_H
#define GANNET_OPTIMIZER_OPTIMIZER_H

#include "gannet/optimizer.h"
#include "optimizer/options.h"
#include "optimizer/related_columns.h"
#include "optimizer/state.h"
#include "problem/history.h"

/* The evaluations that the optimiser learns from. Proposals and results may also be entered here,
 * instead of by ask and tell, on all ranks alike: so does a campaign that is resumed.
 *
 * Local.
 */
gannet_history *gannet_optimizer_history(gannet_optimizer *optimizer);

/* Enter designs of the user's own as the next proposals, which the caller then has evaluated.
 * Values that are not given are those of the next points of the first design.
 *
 * Collective; the same on all ranks.
 *
 * x_user  inout  [n][n_variables] NAN = not given; complete afterwards. With a list of candidates
 *                every value must be given
 * alone   in     they are a batch; otherwise the points of the next ask belong to the same batch
 *
 * Errors: GANNET_ERR_INPUT when a design is not admissible.
 */
GANNET_CHECKED gannet_err gannet_optimizer_enter_designs(gannet_optimizer *optimizer, int n,
                                                         double *x_user, bool alone);

/* Begin anew: without evaluations, and with nothing learnt. The caller enters the evaluations that
 * count, and by gannet_optimizer_set_state at least the number of the next batch.
 *
 * Collective.
 */
GANNET_CHECKED gannet_err gannet_optimizer_reset(gannet_optimizer *optimizer);

/* Tell results of a related problem, as gannet_optimizer_tell_related_results.
 *
 * Collective; the same on all ranks.
 *
 * rows  in  copied
 */
GANNET_CHECKED gannet_err gannet_optimizer_enter_related(gannet_optimizer *optimizer,
                                                         const gannet_related_rows *rows);

/* Forget what of related problems has been told.
 *
 * Collective.
 */
void gannet_optimizer_forget_related(gannet_optimizer *optimizer);

/* The largest weight that a related problem has for a member (optimizer/models/related.h), of a
 * saved state; 0 = it is not used, NAN = no model has been made with it.
 *
 * Local.
 *
 * which  in  0 = the first that was told
 * model  in  0 = of the first objective, j + 1 = of the one-sided constraint j
 *            (gannet_problem_find_bound), -m = of objective m >= 1
 */
double gannet_optimizer_related_weight(const gannet_state *state, int which, int model);

/* Number of the next batch: the first is 0.
 *
 * Local.
 */
int64_t gannet_optimizer_next_batch(const gannet_optimizer *optimizer);

/* gannet_optimizer_predict at points that may lie outside of the box: nothing is checked.
 *
 * Collective; the same on all ranks.
 *
 * x_user       in   [n][n_variables] complete, for the variable constraints
 * x_unit       in   [n][d] their coordinates, of which those of numbers may be below 0 or above 1
 * predictions  out  [n][1 + n_constraints] in the order of the quantities (problem/objectives.h)
 *
 * Errors: those of gannet_optimizer_predict that come from the results and the models.
 */
GANNET_CHECKED gannet_err gannet_optimizer_extrapolate(const gannet_optimizer *optimizer, int n,
                                                       const double *x_user, const double *x_unit,
                                                       gannet_prediction *predictions,
                                                       gannet_feasibility *feasibility);

/* Seconds that the last ask took; 0 before the first.
 *
 * Local.
 */
double gannet_optimizer_ask_seconds(const gannet_optimizer *optimizer);

/* Everything that the next ask depends on besides seed, options and history.
 *
 * Local.
 *
 * state  out  zeroed or filled before; to be released
 */
GANNET_CHECKED gannet_err gannet_optimizer_get_state(const gannet_optimizer *optimizer,
                                                     gannet_state *state);

/* What a state did not have for an optimiser. */
typedef struct {
  int missing;       /* hyperparameters of members that are in the state */
  int n_members;     /* that are not in it, or mean something else there: their models learn anew */
  char members[300]; /* their names, "gp-ei, quadratic" */
} gannet_state_report;

/* Take a state over: the number of the next batch, what members share, and the values of every
 * member as far as they are in it and mean the same.
 *
 * Logically collective; the history is that of the state.
 *
 * report  out  may be NULL
 *
 * Errors: GANNET_ERR_DAMAGED naming a value that cannot be.
 */
GANNET_CHECKED gannet_err gannet_optimizer_set_state(gannet_optimizer *optimizer,
                                                     gannet_state *state,
                                                     gannet_state_report *report);

/* Of a saved state of a portfolio with these options: results that there were when a member was
 * left out because its model failed; -1 = it takes part.
 *
 * Local.
 */
int64_t gannet_optimizer_left_out(const gannet_optimizer_options *options,
                                  const gannet_state *state, int member);

/* States as version 0.1.0 saved them: bare numbers, one after the other, told apart by how many
 * there are. Whoever reads them must know that they are of the same method and settings.
 */

/* Give numbers their names.
 *
 * Local.
 *
 * optimizer  in   of the method and settings that the numbers are of
 * values     in   [n]
 * state      out  empty when there are not as many as that method has
 */
GANNET_CHECKED gannet_err gannet_state_name_positional(const gannet_optimizer *optimizer, int n,
                                                       const double *values, gannet_state *state);

/* As gannet_optimizer_left_out.
 *
 * Local.
 *
 * values  in  [n]; of another length than a portfolio has: nobody was left out
 */
int64_t gannet_state_positional_left_out(const gannet_optimizer_options *options, int n,
                                         const double *values, int member);

#endif
