/* What the proposers share: the candidates of a batch, the scan for the best of them, and the
 * choice of the batch from ranked options. */
#ifndef GANNET_OPTIMIZER_PROPOSE_IMPL_H
#define GANNET_OPTIMIZER_PROPOSE_IMPL_H

#include "optimizer/propose/propose.h"
#include "search/candidates.h"
#include "search/screen.h"

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
  gannet_screen_bounder bounder;   /* NULL on any rank: all candidates are scored */
  gannet_screen_tightener tighten; /* of the bounds; NULL = none */
  int group;                       /* of the scorer, as there */
  gannet_screen_report *report;    /* of a scan with bounds; NULL when not wanted */
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

/* The precision in which the next scan begins, unless search.precision is exact. After the scan it
 * is told the precision in which the scan ended, and whether single precision was of no use.
 * Neither changes what is proposed.
 *
 * Logically collective.
 */
gannet_precision gannet_propose_precision(const gannet_member *member);
void gannet_propose_report_precision(gannet_member *member, gannet_precision last, bool tightened);

/* Choose the points of the batch, all different, from the options of every list.
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

/* Points of ranked candidates; where there are fewer, the first is repeated.
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
