/* Find the best candidates by mean and deviation without an exact posterior at most of them.
 *
 * Exact moments need a triangular solve per candidate; estimates from tables cost a tenth. We
 * therefore estimate the moments of every candidate, bound its score by them, and let the scan of
 * search/screen.h score exactly only the candidates whose bounds reach the best. The result is that
 * of scoring all, bit for bit, as long as the bounds hold, which the scan checks.
 *
 * Terms
 *   estimate     mean or variance from a table, in single or double precision
 *   error bound  how far an estimate may be off: 16 times the largest error at the sample
 *   sample       GANNET_SAMPLE candidates, spread evenly over their numbers
 *   corner       one of the four ends of the ranges of mean and variance
 *   cached       estimates that are kept from one point of a batch to the next
 *                (optimizer/propose/cached_moments.h)
 *
 * Acquisitions are monotone in either moment, so that the corners bound them. The function mes is
 * not where minima of draws are above the mean: there it may turn within the range, by the square
 * of an error bound. The constraint rule `inside` may turn to a larger violation within the range,
 * that is to a score below the bounds, never above them: such candidates are scored exactly, and
 * the scan tells. Only for scores of mean and deviation alone.
 */
#ifndef GANNET_OPTIMIZER_MOMENTS_SCREEN_H
#define GANNET_OPTIMIZER_MOMENTS_SCREEN_H

#include "network/table.h"
#include "optimizer/propose/cached_moments.h"
#include "optimizer/propose/moments_score.h"
#include "search/best_first.h"
#include "search/screen.h"

typedef struct {
  gannet_moments_score *score;         /* borrowed */
  const gannet_candidates *candidates; /* of the present scan, borrowed */
  gannet_precision precision;          /* of the estimates */
  bool estimates; /* the models give estimates, and their error bounds were measured */
  bool tightened; /* single precision was of no use in this scan; the caller clears it */

  double *error_bound; /* [models][MOMENTS_ERROR_BOUNDS] */
  double *sample;      /* [GANNET_SAMPLE][d] candidates at which errors are measured */
  double *exact;       /* exact moments at the sample, as of the last measurement */

  gannet_cached_moments cached;
  double *noise; /* [models] noise variances of the models whose moments are cached */

  /* Ordered scans: */
  int points;     /* points of the batch that went by cached moments */
  double *x;      /* [candidates][d] of this rank's tiles; NULL = made when they are needed */
  bool placed;    /* x holds these candidates */
  int n_pivots;   /* pivots of the present scan, by which cached variances were lowered */
  double *pivots; /* [GANNET_BEST_FIRST_PIVOTS * GANNET_BEST_FIRST_ROUNDS][d] */
  int n_leaders;  /* candidates of this rank that were best at the last point */
  int64_t leaders[GANNET_BEST_FIRST_GROUP];

  /* Work, [GANNET_TILE]: */
  double *mean, *variance;
  double *corner[3];    /* mean, deviation and score at a corner */
  double *least, *most; /* sums of violations, or of logarithms of probabilities */
} gannet_moments_screen;

/* Workspace; release accepts a zeroed struct.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_moments_screen_prepare(gannet_moments_score *score,
                                                        gannet_moments_screen *screen);
void gannet_moments_screen_release(gannet_moments_screen *screen);

/* Have the models give estimates in a precision, and measure error bounds: 16 times the largest
 * error at 64 candidates, spread evenly over their numbers.
 *
 * Collective over the member's communicator.
 *
 * Sets estimates, to false when a model gives none, when they are not finite, when exact moments
 * depend on a point's place in its group or on the others there, and when there are so few
 * candidates that it does not pay.
 */
GANNET_CHECKED gannet_err gannet_moments_screen_measure(gannet_moments_screen *screen,
                                                        const gannet_candidates *candidates,
                                                        gannet_precision precision);

/* Measure again in double precision, if that was not done: a gannet_screen_tightener.
 *
 * Collective over the member's communicator.
 *
 * user  inout  a gannet_moments_screen, measured
 */
GANNET_CHECKED gannet_err gannet_moments_screen_tighten(void *user, bool *again);

/* The scorer and bounder of one list that go together; the user is a gannet_moments_screen. What
 * bounds estimate is cached.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_moments_screen_points(void *user, int m, const double *x_unit,
                                                       int64_t first, double *scores, int ld);
GANNET_CHECKED gannet_err gannet_moments_screen_bounds(void *user, int m, const double *x_unit,
                                                       int64_t first, double *lower, double *upper,
                                                       int ld);

/* Tell what became of a scan with bounds, so that the next one can go by the moments of this one.
 *
 * Local.
 *
 * report  in  all zero when there was none
 */
void gannet_moments_screen_scan_ended(gannet_moments_screen *screen,
                                      const gannet_screen_report *report);

/* Of a model: of estimates of mean and variance; of cached means, and how far above cached
 * variances, and above exact ones of earlier points of the batch, those of the present models may
 * be. */
enum {
  OF_MEAN,
  OF_VARIANCE,
  OF_CACHED_MEAN,
  ABOVE_CACHED_VARIANCE,
  ABOVE_KNOWN_VARIANCE,
  MOMENTS_ERROR_BOUNDS
};

/* Workspaces screen->corner. */
enum { MOMENTS_MEAN, MOMENTS_SD, MOMENTS_SCORE };

/* Error bounds are so many times the largest error that was seen, or that much of the largest size.
 */
extern const double moments_safety;
extern const double moments_rounding[];

/* Whether there are enough candidates, and a score that moments make.
 *
 * Local.
 */
bool moments_screen_pays(const gannet_moments_screen *screen, const gannet_candidates *candidates);

/* The model of the objective, or of a constraint.
 *
 * Local.
 */
const gannet_surrogate *moments_screen_model(const gannet_moments_screen *screen, int model);

/* Have the GANNET_SAMPLE candidates by which error bounds are measured, spread evenly over their
 * numbers.
 *
 * Local.
 *
 * candidates  in  borrowed until the scan is over; those of before, if there were any
 */
GANNET_CHECKED gannet_err moments_screen_take_sample(gannet_moments_screen *screen,
                                                     const gannet_candidates *candidates);

typedef struct {
  const double *mean, *sd; /* [GANNET_SAMPLE] */
} moments_exact;

/* Exact moments of a model at the sample, as they were made last.
 *
 * Local.
 */
moments_exact moments_screen_exact_of(const gannet_moments_screen *screen, int model);

/* Make them for all models, each by one rank. Takes estimates for useless where they are so on any
 * rank, and unless moments are the same in another place of a group, and with other numbers of
 * points in it. Nothing without a sample.
 *
 * Collective over the member's communicator.
 */
GANNET_CHECKED gannet_err moments_screen_exact(gannet_moments_screen *screen);

/* The noise of the models whose moments will be cached. Where rounding asks for more of it later,
 * variances rise.
 *
 * Local.
 */
void moments_screen_note_noise(gannet_moments_screen *screen);

/* The largest error bounds of all ranks; estimates are of use when they are on all.
 *
 * Collective over the member's communicator.
 */
GANNET_CHECKED gannet_err moments_screen_agree(gannet_moments_screen *screen);

/* Bounds of the scores of m candidates: with x_unit, and consecutive numbers, by estimates, which
 * are cached; without by what is cached, and then upper bounds alone.
 *
 * Local.
 *
 * x_unit        in   [m][d], or NULL
 * number        in   [m] of the candidates; with x_unit that of the first one
 * lower, upper  out  [m]
 */
GANNET_CHECKED gannet_err moments_screen_bound(gannet_moments_screen *screen, int m,
                                               const double *x_unit, const int64_t *number,
                                               double *lower, double *upper);

#endif
