/* How members propose the points of a batch: one function per kind of proposer.
 *
 * All functions are collective, give the same points on all ranks, and return admissible points of
 * the unit cube that differ from every earlier point wherever the problem has enough different
 * ones. This is what other folders need to know of proposing.
 */
#ifndef GANNET_OPTIMIZER_PROPOSE_H
#define GANNET_OPTIMIZER_PROPOSE_H

#include "optimizer/member.h"

typedef struct {
  bool uniform;   /* instead of a scrambled Sobol sequence */
  int64_t n_near; /* so many points, the first of a campaign, lie in a box around the middle */
  double span;    /* its sides, in ranges of the variables; continuous coordinates only */
} gannet_design;

/* Points of a scrambled Sobol sequence, continued over the batches of a campaign; or uniform ones.
 *
 * Collective; the same on all ranks.
 *
 * design  in   NULL = the sequence as it is
 * x_unit  out  [q][d]
 */
GANNET_CHECKED gannet_err gannet_propose_design(const gannet_member *member, int q,
                                                const gannet_design *design, double *x_unit);

/* One point per posterior draw: its smallest value over the candidates where every constraint's
 * draw is feasible, polished by a gradient method. Where no candidate is feasible, the smallest
 * summed violation. Needs fitted models.
 *
 * Collective; the same on all ranks.
 */
GANNET_CHECKED gannet_err gannet_propose_draws(gannet_member *member, int q, double *x_unit);

/* The least value of each of q posterior draws, found as above, over the points where every
 * constraint's draw is feasible, and its value at a given point. Needs fitted models.
 *
 * Collective; the same on all ranks.
 *
 * x_unit  in   [d]
 * values  out  [q] at x_unit, in the units of the objective's model
 * least   out  [q] INFINITY = no candidate is feasible
 */
GANNET_CHECKED gannet_err gannet_propose_draw_minima(gannet_member *member, int q,
                                                     const double *x_unit, double *values,
                                                     double *least);

enum { GANNET_PROPOSE_FRONT_MOST = 4 }; /* objectives; with more there are too many boxes */

/* One point after the other, each by the hypervolume that it may add to the front, over draws of
 * all models (optimizer/propose/front_score.h); with more objectives than the most by
 * gannet_propose_draws. Where the member has a trust region, one point in four is sought there and
 * the others everywhere. Needs fitted models.
 *
 * Collective; the same on all ranks.
 */
GANNET_CHECKED gannet_err gannet_propose_front(gannet_member *member, int q, double *x_unit);

/* One independent normal per candidate and point of the batch, the paper's form of Thompson
 * sampling; constraints are drawn the same way. Not polished, because such a draw has no gradient.
 *
 * Collective; the same on all ranks.
 */
GANNET_CHECKED gannet_err gannet_propose_pointwise(gannet_member *member, int q, double *x_unit);

/* One point after the other by an acquisition function of any of the other kinds, each model told
 * its own mean at pending points and at earlier points of the batch. Constraints enter as
 * optimizer/propose/moments_score.h says. Needs fitted models.
 *
 * Collective; the same on all ranks.
 */
GANNET_CHECKED gannet_err gannet_propose_in_turn(gannet_member *member, int q, double *x_unit);

/* Points of the local member (optimizer/local/local.h). Where it has no coordinates to work on
 * there is nothing for it to do, and Sobol points are proposed.
 *
 * Collective; the same on all ranks.
 */
GANNET_CHECKED gannet_err gannet_propose_local(gannet_member *member, int q, double *x_unit);

/* Points of an evolution strategy (optimizer/evolution/evolution.h). Where it has nothing to work
 * on, and before anything has succeeded, Sobol points are proposed.
 *
 * Collective; the same on all ranks.
 *
 * x_unit  out  [q][d]
 */
GANNET_CHECKED gannet_err gannet_propose_evolution(gannet_member *member, int q, double *x_unit);

/* Add the time since *mark to a phase, tell that it has ended, and set *mark to now.
 *
 * Local.
 */
void gannet_propose_end_phase(gannet_member *member, gannet_phase phase, double *mark);

#endif
