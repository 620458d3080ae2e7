/* What files share that bound scores by moments: moments_screen.c (from estimates) and
 * moments_order.c (from ceilings). */
#ifndef GANNET_OPTIMIZER_MOMENTS_SCREEN_IMPL_H
#define GANNET_OPTIMIZER_MOMENTS_SCREEN_IMPL_H

#include "optimizer/moments_screen.h"

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
