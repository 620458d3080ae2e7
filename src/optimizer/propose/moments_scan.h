/* Find the best candidates by mean and deviation without an exact posterior at most of them.
 *
 * Exact moments need a triangular solve per candidate. Estimates of the moments from tables cost a
 * tenth. With a long history even less is enough to tell that a candidate is not among the best:
 * its mean and an upper bound of its variance. We therefore bound the score of every candidate from
 * above, and let the scan of search/best_first.h score candidates exactly in the order of these
 * bounds. The result is that of scoring all candidates, bit for bit, as long as the bounds hold,
 * which the scan checks.
 *
 * Terms
 *   estimate     mean and variance from a table, or mean and upper bound of the variance
 *   error bound  how far an estimate may be off: 16 times the largest error at the sample
 *   sample       GANNET_SAMPLE candidates, spread evenly over their numbers
 *   cached       estimates that are kept from one point of a batch to the next
 *                (optimizer/propose/cached_moments.h)
 *   pivots       candidates at which we pretend to know the values: what these would explain lowers
 *                upper bounds that are too high to tell candidates apart
 *                (surrogate/estimator.h)
 *
 * A score falls with the mean, and is largest at an end of the range of the variance, however wide
 * that range is. A score of the shape TURNING may turn within the range, by the square of an error
 * bound; bounds of it are made of estimates of the variance alone. The constraint rule `inside` may
 * turn to a larger violation within the range, that is to a score below the bound. Only for scores
 * of mean and deviation alone.
 */
#ifndef GANNET_OPTIMIZER_MOMENTS_SCAN_H
#define GANNET_OPTIMIZER_MOMENTS_SCAN_H

#include "optimizer/propose/cached_moments.h"
#include "optimizer/propose/moments_score.h"
#include "search/best_first.h"

/* Results from which on solves take longer than all else: upper bounds of variances are used. */
enum { GANNET_MOMENTS_LONG = 400 };

typedef struct {
  gannet_moments_score *score;         /* borrowed */
  const gannet_candidates *candidates; /* of the present scan, borrowed */
  bool by_bounds;                      /* estimates are upper bounds of variances, not variances */
  bool estimates; /* the models give estimates, and their error bounds were measured */

  gannet_estimator *estimator; /* [models] of moments or of upper bounds */
  double *error_bound;         /* [models][3], see moments_scan.c */
  double *sample;              /* [GANNET_SAMPLE][d] candidates at which errors are measured */
  double *exact;               /* exact moments at the sample, as of the last measurement */

  gannet_cached_moments cached; /* cached.wanted is the caller's to set */
  double *noise;       /* [models] noise variances of the models whose moments are cached */
  int points;          /* points of the batch that went by cached moments */
  double *log_weights; /* [candidates] of the costs, as of this rank's units; NULL without a cache,
                          or when gains are not weighed */
  double *x;           /* [candidates][d] of this rank's units; NULL = made when they are needed */
  int n_pivots;        /* pivots of the present scan, by which cached variances were lowered */
  double *pivots;      /* [GANNET_BEST_FIRST_PIVOTS * GANNET_BEST_FIRST_ROUNDS][d] */
  int n_leaders;       /* candidates that were best at the last point */
  int64_t leaders[GANNET_BEST_FIRST_GROUP];

  /* Work, [GANNET_TILE]: */
  double *mean, *variance;
  double *corner_mean, *corner_sd, *corner_score; /* at an end of the ranges of the moments */
  double *violation;                              /* least sum of violations */
  double *weight;                                 /* logarithms of the costs */
} gannet_moments_scan;

/* Workspace; release accepts a zeroed struct.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_moments_scan_create(gannet_moments_score *score,
                                                     gannet_moments_scan *scan);
void gannet_moments_scan_release(gannet_moments_scan *scan);

/* The best candidates for the next point of a batch, as gannet_scan finds them: a
 * gannet_propose_bounded.
 *
 * Collective over the member's communicator; arguments the same on all ranks.
 *
 * user    in   a gannet_moments_scan
 * taken   in   as in gannet_scan
 * best    out  [keep]; only where scored is positive
 * scored  out  candidates that were scored; 0 where all have to be: when there are so few that
 *              bounds do not pay, when a model gives no estimates or these are not finite, when
 *              exact moments depend on a point's place among others, and when bounds tell too
 *              little
 *
 * Errors: those of the models and of gannet_best_first_scan, from all ranks.
 */
GANNET_CHECKED gannet_err gannet_moments_scan_best(void *user, const gannet_candidates *candidates,
                                                   const gannet_distinct *taken, int keep,
                                                   gannet_ranked *best, int64_t *scored);

#endif
