/* Whether a point was proposed before: equal to a known point, or a near-copy of one.
 *
 * Two points are equal when no continuous coordinate differs by more than GANNET_DISTINCT_TOLERANCE
 * and no discrete one at all.
 *
 * A point is a near-copy of y when no discrete coordinate differs, and no continuous one by more
 * than
 *
 *   max(3e-6, min(1e-3 r, 1e-4))     r = distance of y from the (d + 1)-th nearest other point
 *
 * in ranges of the variables. The result of a near-copy would tell nothing new. r is the resolution
 * that the search has reached around y. Where it has just begun, a thousandth of r is no step worth
 * an evaluation, and where it converges, steps become shorter with r. Below 3e-6 the values of a
 * smooth function agree to about 1e-11 of what it varies by over the ranges, and neither the
 * function nor a model of it gains by one more. Near-copies count in problems without noise only:
 * with noise a repetition is an observation.
 */
#ifndef GANNET_SEARCH_DISTINCT_H
#define GANNET_SEARCH_DISTINCT_H

#include <stdbool.h>
#include <stdint.h>

#include "problem/history.h"

#define GANNET_DISTINCT_TOLERANCE 1e-9

/* A set of points that answers quickly whether it has a point. */
typedef struct gannet_distinct gannet_distinct;

/* An empty set.
 *
 * Local.
 *
 * problem   in  borrowed until destroy
 * capacity  in  points that can be added before gannet_distinct_reserve must be called
 */
GANNET_CHECKED gannet_err gannet_distinct_create(const gannet_problem *problem, int64_t capacity,
                                                 gannet_distinct **set);
void gannet_distinct_destroy(gannet_distinct **set);

/* Make room for more points.
 *
 * Local.
 *
 * capacity  in  of points altogether
 *
 * Cost: O(1) per point, because it grows by a constant factor.
 */
GANNET_CHECKED gannet_err gannet_distinct_reserve(gannet_distinct *set, int64_t capacity);

/* Points added so far.
 *
 * Local.
 */
int64_t gannet_distinct_count(const gannet_distinct *set);

/* Add a point, whether it is there already or not; there must be room.
 *
 * Local.
 *
 * x_unit  in  [d] admissible; copied
 */
void gannet_distinct_add(gannet_distinct *set, const double *x_unit);

/* Whether a point is equal to one in the set.
 *
 * Local.
 *
 * Cost: O(d) on average.
 */
bool gannet_distinct_has(const gannet_distinct *set, const double *x_unit);

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
bool gannet_distinct_is_near_copy(const gannet_history *history, int64_t m, const double *further,
                                  const double *x_unit, double *scratch);

#endif
