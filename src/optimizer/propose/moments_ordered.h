/* Scans by moments in the order of ceilings of the scores (search/ordered_scan.h).
 *
 * With a long history most of a scan are solves for variances, of which hardly any is needed: a
 * mean and a larger variance are enough to tell that a candidate is not among the best. The first
 * point of a batch begins with prior variances. Where these are too high, they are lowered by what
 * the values at some candidates, the pivots, would explain (gannet_surrogate_ceilings_prepare).
 * Later points of the batch begin with what is kept.
 *
 * For acquisitions that are largest at a corner of the range of the moments, however wide it is:
 * all but mes.
 */
#ifndef GANNET_OPTIMIZER_MOMENTS_ORDERED_H
#define GANNET_OPTIMIZER_MOMENTS_ORDERED_H

#include "optimizer/propose/moments_screen.h"

/* Results from which on solves take longer than all else. */
enum { GANNET_MOMENTS_LONG = 400 };

/* Whether a scan can be made so: something is kept, or the history is long.
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
 * Errors: those of the models and of gannet_ordered_scan, from all ranks.
 */
GANNET_CHECKED gannet_err gannet_moments_ordered_scan(gannet_moments_screen *screen,
                                                      const gannet_candidates *candidates,
                                                      const gannet_distinct *taken,
                                                      gannet_precision precision, int keep,
                                                      gannet_ranked *best, int64_t *scored);

#endif
