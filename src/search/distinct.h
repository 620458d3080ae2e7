/* A set of points that answers quickly whether a new point is (almost) among them. */
#ifndef GANNET_SEARCH_DISTINCT_H
#define GANNET_SEARCH_DISTINCT_H

#include <stdbool.h>
#include <stdint.h>

#include "problem/problem.h"

/* Two points are the same when no continuous coordinate differs by more than this, and no discrete
 * one at all. */
#define GANNET_DISTINCT_TOLERANCE 1e-9

typedef struct gannet_distinct gannet_distinct;

/* An empty set.
 *
 * Local.
 *
 * problem   in  borrowed until destroy
 * capacity  in  most points that will be added
 */
GANNET_CHECKED gannet_err gannet_distinct_create(const gannet_problem *problem, int64_t capacity,
                                                 gannet_distinct **set);
void gannet_distinct_destroy(gannet_distinct **set);

/* Add a point, whether it is there already or not.
 *
 * Local.
 *
 * x_unit  in  [d] admissible; borrowed until destroy
 */
void gannet_distinct_add(gannet_distinct *set, const double *x_unit);

/* Whether a point is the same as one in the set.
 *
 * Local.
 *
 * Cost: O(d) on average.
 */
bool gannet_distinct_has(const gannet_distinct *set, const double *x_unit);

#endif
