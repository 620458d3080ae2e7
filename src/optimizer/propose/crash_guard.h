/* Keep points of members without a surrogate out of places where simulations crash.
 *
 * The local member and the evolution strategy have no model of the hidden constraint. What they
 * know of an objective that gets better towards the crashes would lead them into these for ever.
 * So a point is moved towards the best one when it is nearer to a bad evaluation than to those that
 * worked, or not much farther from it. Steps across an edge of the crashes then become shorter, as
 * in a bisection.
 */
#ifndef GANNET_OPTIMIZER_PROPOSE_CRASH_GUARD_H
#define GANNET_OPTIMIZER_PROPOSE_CRASH_GUARD_H

#include <stdbool.h>

#include "problem/history.h"

/* Move points from places known to crash towards the best evaluation, the infeasible one of least
 * violation where none is feasible. Does nothing while no design was bad.
 *
 * Local; the same on all ranks.
 *
 * points  inout  [n][d]
 * scores  out    [n] 0, or -1 for a point that was left at such a place, as no way out was found
 *
 * Cost: O(n d) per evaluation.
 */
GANNET_CHECKED gannet_err gannet_crash_guard(const gannet_history *history, int n, double *points,
                                             double *scores);

/* Whether the best evaluation lies at the edge of the crashes: of the evaluations that are nearest
 * to it, four for each variable and four more, a quarter or more were bad. false while no design
 * was bad.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_crash_guard_is_at_edge(const gannet_history *history,
                                                        bool *is_at_edge);

#endif
