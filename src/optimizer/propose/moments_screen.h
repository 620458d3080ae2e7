/* Bounds of scores by moments (optimizer/propose/moments_score.h) from estimates of the moments,
 * for a scan that scores its leaders exactly (search/screen.h).
 *
 * Mean and variance are taken to be within their margins, which are measured. Acquisitions are
 * monotone in either moment, so that the corners of that rectangle bound them; mes is so but for
 * minima of draws above the mean, where it may turn within, by the square of a margin. The rule
 * inside may turn within to a larger violation, so to a score below its bounds, never above them:
 * such candidates are scored, and the scan tells (search/screen.h). Only for scores of mean and
 * deviation alone.
 */
#ifndef GANNET_OPTIMIZER_MOMENTS_SCREEN_H
#define GANNET_OPTIMIZER_MOMENTS_SCREEN_H

#include "network/table.h"
#include "optimizer/propose/cached_moments.h"
#include "optimizer/propose/moments_score.h"
#include "search/ordered_scan.h"
#include "search/screen.h"

typedef struct {
  gannet_moments_score *score; /* borrowed */
  gannet_precision precision;  /* of the estimates */
  bool sharpened; /* single precision was of no use in this scan; the caller's to clear */
  const gannet_candidates *candidates; /* of the measurement, borrowed until the scan is over */
  bool estimates;                      /* the models give them, and margins were measured */
  double *margin;                      /* [models][margins] */
  double *mean, *variance;             /* [GANNET_TILE] */
  double *corner[3];                   /* [GANNET_TILE] mean, sd and score at a corner */
  double *least, *most; /* [GANNET_TILE] summed violations, or probabilities' logarithms */
  gannet_cached_moments kept;
  double *noise;  /* [models] of the models whose moments are kept */
  double *sample; /* [GANNET_SAMPLE][d] */
  double *x;      /* [candidates][d] of this rank's tiles, of a scan that began in order; or NULL */
  bool placed;    /* x is of these tiles */
  double *exact;  /* moments at the sample, when they were measured last (moments_sample.c) */
  int points;     /* of the batch that went by what was kept */
  int n_pivots;   /* of the present scan on this rank, by which kept variances were lowered */
  double *pivots; /* [GANNET_ORDERED_PIVOTS * GANNET_ORDERED_ROUNDS][d] */
  int n_leaders;  /* candidates of this rank that were best at the last point */
  int64_t leaders[GANNET_ORDERED_GROUP];
} gannet_moments_screen;

/* Workspace; release accepts a zeroed struct.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_moments_screen_prepare(gannet_moments_score *score,
                                                        gannet_moments_screen *screen);
void gannet_moments_screen_release(gannet_moments_screen *screen);

/* Have the models give estimates in a precision, and measure margins: 16 times the largest error at
 * 64 candidates, spread evenly over their numbers.
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

/* Measure again in double precision, if that was not done: a gannet_sharpener.
 *
 * Collective over the member's communicator.
 *
 * user  inout  a gannet_moments_screen, measured
 */
GANNET_CHECKED gannet_err gannet_moments_screen_sharpen(void *user, bool *again);

/* The scorer and bounder of one list that go together; the user is a gannet_moments_screen. What
 * bounds estimate is kept.
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

/* Of a model: of estimates of mean and variance; of kept means, and how far above kept variances,
 * and above exact ones of earlier points of the batch, those of the present models may be. */
enum {
  OF_MEAN,
  OF_VARIANCE,
  OF_KEPT_MEAN,
  ABOVE_KEPT_VARIANCE,
  ABOVE_KNOWN_VARIANCE,
  MOMENTS_MARGINS
};

/* Workspaces screen->corner. */
enum { MOMENTS_MEAN, MOMENTS_SD, MOMENTS_SCORE };

/* Margins are so many times the largest error that was seen, or that much of the largest size. */
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

/* Have the GANNET_SAMPLE candidates by which margins are measured, spread evenly over their
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

/* The noise of the models whose moments will be kept. Where rounding asks for more of it later,
 * variances rise.
 *
 * Local.
 */
void moments_screen_note_noise(gannet_moments_screen *screen);

/* The largest margins of all ranks; estimates are of use when they are on all.
 *
 * Collective over the member's communicator.
 */
GANNET_CHECKED gannet_err moments_screen_agree(gannet_moments_screen *screen);

/* Bounds of the scores of m candidates: with x_unit, and consecutive numbers, by estimates, which
 * are kept; without by what is kept, and then upper bounds alone.
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
