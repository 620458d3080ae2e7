/* What the proposers share: the candidates of a batch, the scan for the best of them, and the
 * choice of the batch from ranked options. */
#ifndef GANNET_OPTIMIZER_PROPOSE_IMPL_H
#define GANNET_OPTIMIZER_PROPOSE_IMPL_H

#include "optimizer/propose/propose.h"
#include "search/candidates.h"
#include "search/polish.h"
#include "search/scan.h"

/* Score of a point that violates constraints: below every feasible one, less violation first. */
#define GANNET_INFEASIBLE_SCORE (-1e6)

/* The numbered candidates of the next batch: scrambled Sobol points of the box, and perturbations
 * of the best points found.
 *
 * Local.
 *
 * region  in  that of the member; zeroed = candidates lie everywhere
 */
GANNET_CHECKED gannet_err gannet_propose_candidates(const gannet_member *member,
                                                    const gannet_member_region *region,
                                                    gannet_candidates **candidates);

/* The best candidates by every list of scores, without scoring all candidates; *scored is 0 where
 * that cannot be done.
 *
 * best  out  [n_lists][keep]
 */
typedef gannet_err (*gannet_propose_bounded)(void *user, const gannet_candidates *candidates,
                                             const gannet_distinct *taken, int keep,
                                             gannet_ranked *best, int64_t *scored);

/* The best candidates by every list of scores. In a discrete problem points that were proposed
 * before do not take part: near the end the best of all is known, and its copies would fill the
 * lists. Where nothing else is left, all take part again but for those of this batch, those under
 * way and those that cannot run; and then all.
 *
 * Collective; the same on all ranks.
 *
 * best  out  [n_lists][keep]
 */
typedef struct {
  int n_lists;
  int keep;
  gannet_scorer scorer;
  bool remembers; /* scorer keeps what it has computed of a candidate for the next scan */
  gannet_propose_bounded bounded; /* NULL, and where it fails: all candidates are scored */
  void *user;                     /* of scorer */
  void *bounds;                   /* the user of bounded */
  bool repeats;                   /* points that have run take part from the start */
  int n_chosen;                   /* points of this batch that were chosen by earlier calls */
  const double *chosen;           /* [n_chosen][d] */
} gannet_propose_scores;

GANNET_CHECKED gannet_err gannet_propose_scan(gannet_member *member,
                                              const gannet_candidates *candidates,
                                              const gannet_propose_scores *scores,
                                              gannet_ranked *best);

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

/* Further ranked candidates of a list, in case the best were proposed before. */
enum { GANNET_PROPOSE_SPARE = 12 };

/* How many of a list's best candidates are polished.
 *
 * Local.
 */
int gannet_propose_n_starts(const gannet_member *member);

/* What a single point is chosen from, by proposers that choose one after the other: the polished
 * starts, then the ranked candidates that they were made of. */
typedef struct {
  int n_starts, n_ranked;
  gannet_polisher *polisher;
  gannet_ranked *best;    /* [n_ranked] */
  gannet_choices choices; /* one list of [n_starts + n_ranked] options */
} gannet_point_options;

/* Make room for them; release accepts a zeroed struct.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_point_options_create(const gannet_member *member,
                                                      gannet_point_options *options);
void gannet_point_options_release(gannet_point_options *options);

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
