/* How members propose the points of a batch: one function per kind of proposer.
 *
 * All functions are collective, give the same points on all ranks, and return admissible points of
 * the unit cube that differ from every earlier point wherever the problem has enough different
 * ones. What the proposers share comes after them: candidates, the scan for the best of them, and
 * the choice of the batch from ranked options.
 */
#ifndef GANNET_OPTIMIZER_PROPOSE_H
#define GANNET_OPTIMIZER_PROPOSE_H

#include "optimizer/member.h"
#include "search/candidates.h"
#include "search/screen.h"

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

/* One independent normal per candidate and point of the batch, the paper's form of Thompson
 * sampling; constraints are drawn the same way. Not polished, because such a draw has no gradient.
 *
 * Collective; the same on all ranks.
 */
GANNET_CHECKED gannet_err gannet_propose_pointwise(const gannet_member *member, int q,
                                                   double *x_unit);

/* One point after the other by an acquisition function of mean and standard deviation, each model
 * told its own mean at pending points and at earlier points of the batch. Constraints enter as
 * optimizer/propose/moments_score.h says. Needs fitted models.
 *
 * Collective; the same on all ranks.
 */
GANNET_CHECKED gannet_err gannet_propose_moments(gannet_member *member, int q, double *x_unit);

/* Points of the local member (optimizer/local/local.h). Where it has no coordinates to work on
 * there is nothing for it to do, and Sobol points are proposed.
 *
 * Collective; the same on all ranks.
 */
GANNET_CHECKED gannet_err gannet_propose_local(gannet_member *member, int q, double *x_unit);

/* Add the time since *mark to a phase, tell that it has ended, and set *mark to now.
 *
 * Local.
 */
void gannet_propose_end_phase(gannet_member *member, gannet_phase phase, double *mark);

/* Score of a point that violates constraints: below every feasible one, less violation first. */
#define GANNET_INFEASIBLE_SCORE (-1e6)

/* The numbered candidates of the next batch: scrambled Sobol points of the box, and perturbations
 * of the best points found.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_propose_candidates(const gannet_member *member,
                                                    gannet_candidates **candidates);

/* The points that do not take part in a scan: the history and what was chosen since; NULL for
 * problems with a real variable, whose points do not run out.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_propose_excluded(const gannet_member *member, int n_chosen,
                                                  const double *chosen, gannet_distinct **taken);

/* The best candidates by every list of scores. In a discrete problem points that were proposed
 * before do not take part: near the end the best of all is known, and its copies would fill the
 * lists.
 *
 * Collective; the same on all ranks.
 *
 * best  out  [n_lists][keep]
 */
typedef struct {
  int n_lists;
  int keep;
  gannet_scorer scorer;
  gannet_bounder bounder;       /* NULL on any rank: all candidates are scored */
  gannet_sharpener sharpen;     /* of the bounds; NULL = none */
  int group;                    /* of the scorer, as there */
  gannet_screen_report *report; /* of a scan with bounds; NULL when not wanted */
  void *user;
  int n_chosen;         /* points of this batch that were chosen by earlier calls */
  const double *chosen; /* [n_chosen][d] */
} gannet_propose_scores;

GANNET_CHECKED gannet_err gannet_propose_scan(const gannet_member *member,
                                              const gannet_candidates *candidates,
                                              const gannet_propose_scores *scores,
                                              gannet_ranked *best);

/* Check that a scan has found a candidate for every list, as it does unless all are taken or no
 * score is a number.
 *
 * Local.
 *
 * taken  in  points that took no part in the scan; NULL = none
 * best   in  [n_lists][keep]
 *
 * Errors: GANNET_ERR_NUMERIC when there is a list without one.
 */
GANNET_CHECKED gannet_err gannet_propose_require_scores(const gannet_member *member,
                                                        const gannet_candidates *candidates,
                                                        const gannet_distinct *taken, int n_lists,
                                                        int keep, const gannet_ranked *best);

/* The precision in which the next scan begins, not for search.precision=exact; and what is told of
 * it afterwards: the precision in which it ended, and whether another one had been of no use.
 * Neither changes what is proposed.
 *
 * Logically collective.
 */
gannet_precision gannet_propose_precision(const gannet_member *member);
void gannet_propose_report_precision(gannet_member *member, gannet_precision last, bool sharpened);

/* What the ranked candidates of every list become: the points of the batch, all different.
 *
 * Collective; the same on all ranks.
 *
 * n_options  in   points per list
 * options    in   [n_lists][n_options][d]
 * scores     in   [n_lists][n_options] larger is better; those of rank 0 decide
 * x_unit     out  [q][d]
 */
typedef struct {
  int n_lists;
  int n_options;
  double *options;
  double *scores;
  int n_chosen;         /* points of this batch that were chosen by earlier calls */
  const double *chosen; /* [n_chosen][d] */
} gannet_choices;

GANNET_CHECKED gannet_err gannet_propose_choose(const gannet_member *member,
                                                const gannet_choices *choices, int q,
                                                double *x_unit);

/* Points of ranked candidates; places that are not taken repeat the first.
 *
 * Local.
 *
 * x_unit  out  [n][d]
 */
void gannet_propose_points(const gannet_candidates *candidates, int n, const gannet_ranked *ranked,
                           double *x_unit);

/* The candidates at which the errors of estimates are measured. */
enum { GANNET_SAMPLE = 64 };

/* Spread evenly over the numbers of the candidates.
 *
 * Local.
 *
 * x  out  [GANNET_SAMPLE][d]
 */
void gannet_propose_sample_candidates(const gannet_candidates *candidates, double *x);

/* The last point first: exact values in that order show whether they depend on a point's place
 * among others, which some BLAS do not grant.
 *
 * Local.
 *
 * x  inout  [GANNET_SAMPLE][d]
 */
void gannet_propose_reverse_sample(int d, double *x);

#endif
