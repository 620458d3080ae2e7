/* Whether a point is a near-copy of one that is known: its result would tell nothing new.
 *
 * A point is a near-copy of y when no continuous coordinate differs from y's by more than
 *
 *   max(3e-6, min(1e-3 r, 1e-4))     r = distance of y from the (d + 1)-th nearest other point
 *
 * in ranges of the variables, and no discrete one at all. r is the resolution that the search has
 * reached around y: where it has just begun, a step of a thousandth of that is none, and where it
 * converges, steps become shorter with it. Below 3e-6 the values of a smooth function agree to
 * about 1e-11 of what it varies by over the ranges, and neither it nor a model of it gains by one
 * more. For problems without noise only: with noise a repetition is an observation.
 */
#ifndef GANNET_SEARCH_SPACING_H
#define GANNET_SEARCH_SPACING_H

#include "problem/history.h"

/* Whether x is a near-copy of an evaluation, pending or not, or of one of m further points.
 *
 * Local.
 *
 * further  in  [m][d]
 * x_unit   in  [d]
 * scratch  -   [d + 1]
 *
 * Cost: O((n + m) d), mostly much less.
 */
bool gannet_spacing_is_copy(const gannet_history *history, int64_t m, const double *further,
                            const double *x_unit, double *scratch);

#endif
