/* The score of a point when points are chosen one after the other: an acquisition function, and the
 * rule by which constraints enter (gannet_constraint_rule). Acquisitions of the kind MODELS score
 * constraints themselves, and no rule applies.
 *
 * probability: acquisition + sum_k log Phi((t_k - mean_k) / sd_k), t_k the threshold of constraint
 * k; while nothing feasible is known the sum alone (Gardner et al. 2014). In that sum a constraint
 * that no observation keeps enters by log E max(l_k - c_k, 0), the improvement upon its least
 * observed value l_k, instead: with a threshold far below, its probability is about that of
 * -(t_k - mean_k)^2 / (2 sd_k^2) and largest where sd_k is, at the corners of the box, so that what
 * was observed would not count. Labels of the hidden constraint have no least value to improve
 * upon.
 *
 * bounds: the acquisition where every mean_k - exploration_k sd_k <= t_k; elsewhere below all such
 * points, by the summed violation (Neural-CBO, algorithm 3; Xu et al. 2023 with a lower confidence
 * bound of the objective).
 *
 * inside: as bounds, but where sd_k is below 0.02 standard deviations of the constraint the bound
 * turns continuously into an upper one: lower bounds alone approach an active constraint from
 * outside and never satisfy it.
 *
 * Where gains are weighed by cost (optimizer/models/cost_model.h), the acquisition, or its place
 * while probabilities alone decide, is divided by c^a.
 */
#ifndef GANNET_OPTIMIZER_MOMENTS_SCORE_H
#define GANNET_OPTIMIZER_MOMENTS_SCORE_H

#include "optimizer/propose/reference.h"

typedef struct {
  const gannet_member *member;
  const gannet_cost_model *cost; /* by which gains are weighed now; NULL = they are not */
  gannet_acq_state state;        /* of the present point */
  gannet_acq_model *model;       /* [models] of the state */
  bool feasible_known;           /* otherwise probabilities alone decide */
  bool outside;                  /* no candidate is inside the bounds; the caller's to set */
  bool final;    /* few points are to be scored: by score_points, where the acquisition has it */
  double *unmet; /* [models] least value of a constraint that nothing keeps yet, else NaN */
  double *mean, *sd; /* [GANNET_TILE] */
  double *last_sd;   /* [models][GANNET_TILE] deviations of the models at the points scored last */
  double *violation; /* [GANNET_TILE] */
  double *by_mean, *by_sd;    /* [GANNET_POLISH_MOST][d] gradients of mean and sd */
  double *slope;              /* [d] */
  gannet_reference reference; /* of acquisitions that want it */
  void *work;                 /* of the acquisition, from one _begin_point to the next, or NULL */
  double *covariance;         /* [GANNET_TILE][reference points] */
  double *nearby;             /* [min(2 d, GANNET_TILE)][d] */
} gannet_moments_score;

/* Workspace; release accepts a zeroed struct.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_moments_score_prepare(const gannet_member *member,
                                                       gannet_moments_score *score);
void gannet_moments_score_release(gannet_moments_score *score);

/* Before every point of a batch: find the value to improve upon, and have the acquisition prepare.
 * The member's memory of the acquisition goes on to this point.
 *
 * Collective over the member's communicator; the same on all ranks.
 *
 * order  in  number of the point in the batch
 */
GANNET_CHECKED gannet_err gannet_moments_score_begin_point(gannet_moments_score *score,
                                                           gannet_member *member,
                                                           const gannet_candidates *candidates,
                                                           int order);

/* Whether the merit can be polished.
 *
 * Local.
 */
bool gannet_moments_score_is_smooth(const gannet_moments_score *score);

/* Scores of m <= GANNET_TILE points: a gannet_scorer of one list.
 *
 * Local.
 *
 * user    in   a gannet_moments_score
 * scores  out  [m] larger is better
 */
GANNET_CHECKED gannet_err gannet_moments_score_points(void *user, int m, const double *x_unit,
                                                      int64_t first, double *scores, int ld);

/* Parts of the score, for bounds of it. Whether constraints enter by bounds, and whether the
 * objective takes part. What model i >= 1 of a constraint adds: the logarithm of its probability or
 * improvement, or with bounds its violation >= 0; monotone in either moment but for the rule inside
 * at small sd. And the score with bounds, by the objective's and the summed violation: points
 * outside go below those inside, however hopeless these are.
 *
 * Local.
 */
bool gannet_moments_score_by_bounds(const gannet_moments_score *score);
bool gannet_moments_score_wants_objective(const gannet_moments_score *score);
double gannet_moments_score_constraint(const gannet_moments_score *score, int i, double mean,
                                       double sd);
double gannet_moments_score_inside(double score, double violation);

/* Divide gains by costs: scores of m points by the acquisition, or zeroes while nothing feasible is
 * known.
 *
 * Local.
 *
 * log_weights  in     [m] log c^a
 * scores       inout  [m]
 */
void gannet_moments_score_weigh(const gannet_moments_score *score, int m, const double *log_weights,
                                double *scores);

/* What a polish minimises: minus the score with its gradient [d], bounds left out; while no
 * candidate is inside them, the summed squares of their violations instead: a
 * gannet_polish_function, and the same for several points as a gannet_polish_several.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_moments_score_merit(void *user, int list, const double *x_unit,
                                                     double *value, double *gradient);
GANNET_CHECKED gannet_err gannet_moments_score_merits(void *user, int m, const int *lists,
                                                      const double *x_unit, double *values,
                                                      double *gradients);

/* Bounds as conditions of a polish: mean_k - exploration_k sd_k - t_k for every constraint's model,
 * none with the rule of probabilities and while no candidate is inside: a gannet_polish_conditions
 * and their number; the same for several points as a gannet_polish_several.
 *
 * Local.
 */
int gannet_moments_score_n_bounds(const gannet_moments_score *score);
GANNET_CHECKED gannet_err gannet_moments_score_bounds(void *user, int list, const double *x_unit,
                                                      double *values, double *gradients);
GANNET_CHECKED gannet_err gannet_moments_score_bounds_of(void *user, int m, const int *lists,
                                                         const double *x_unit, double *values,
                                                         double *gradients);

#endif
