/* Find the best candidates of a long history with hardly any solve for a variance.
 *
 * With a long history most of a scan are triangular solves for variances. A mean and an upper bound
 * of the variance are enough to tell that a candidate is not among the best. We therefore order the
 * candidates by upper bounds of their scores and score them in that order until the next bound is
 * too low (search/best_first.h).
 *
 * Terms
 *   upper bound of a variance  at the first point of a batch the prior variance; at later points
 *                              what is cached (optimizer/propose/cached_moments.h)
 *   pivots                     candidates at which we pretend to know the values: what these would
 *                              explain lowers upper bounds that are too high to tell candidates
 *                              apart (gannet_surrogate_variance_upper_bound_prepare)
 *
 * For acquisitions that are largest at a corner of the range of the moments, however wide that
 * range is: all but mes.
 */
#ifndef GANNET_OPTIMIZER_MOMENTS_ORDERED_H
#define GANNET_OPTIMIZER_MOMENTS_ORDERED_H

#include "optimizer/propose/moments_screen.h"

/* Results from which on solves take longer than all else. */
enum { GANNET_MOMENTS_LONG = 400 };

/* Whether a scan can be made so: moments are cached, or the history is long.
 *
 * Local; the same on all ranks.
 */
bool gannet_moments_ordered_can(const gannet_moments_screen *screen,
                                const gannet_candidates *candidates);

/* Make it.
 *
 * Collective over the member's communicator; arguments the same on all ranks.
 *
 * taken   in   as in gannet_scan
 * best    out  [keep], as gannet_scan finds them; only where scored is positive
 * scored  out  candidates that were, 0 where another scan is needed
 *
 * Errors: those of the models and of gannet_best_first_scan, from all ranks.
 */
GANNET_CHECKED gannet_err gannet_moments_ordered_scan(gannet_moments_screen *screen,
                                                      const gannet_candidates *candidates,
                                                      const gannet_distinct *taken,
                                                      gannet_precision precision, int keep,
                                                      gannet_ranked *best, int64_t *scored);

#endif
