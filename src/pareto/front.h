/* The points that no other point dominates.
 *
 * All objectives are minimised: a dominates b when a_j <= b_j for every j and a_j < b_j for one. A
 * point with a coordinate that is not finite is never on a front, and dominates nothing.
 */
#ifndef GANNET_PARETO_FRONT_H
#define GANNET_PARETO_FRONT_H

#include "base/error.h"

enum { GANNET_FRONT_MOST_OBJECTIVES = 10 };

/* The front of n points. Of equal points only the first one is on it, so that the points of a front
 * are distinct. For m = 3 as Kung, Luccio, Preparata 1975.
 *
 * Local.
 *
 * y      in   [n][m], n >= 0, m = 1 .. 10
 * count  out  points of the front
 * front  out  [n], of which the first count are set: indices of its points, ascending
 *
 * Errors: GANNET_ERR_ARG for another m; GANNET_ERR_MEMORY.
 * Cost: O(n log n) for m <= 3, else O(n m count).
 */
GANNET_CHECKED gannet_err gannet_pareto_front(int n, int m, const double *y, int *count,
                                              int *front);

/* Ranks of non-dominated sorting (Goldberg 1989): 0 for the front, k for the front of what is left
 * without ranks 0 .. k - 1. Equal points have equal ranks. By the binary search of Zhang, Tian,
 * Cheng, Jin 2015 (ENS-BS).
 *
 * Local.
 *
 * y     in   [n][m], n >= 0, m = 1 .. 10
 * rank  out  [n]; -1 for points that are not finite
 *
 * Errors: GANNET_ERR_ARG for another m; GANNET_ERR_MEMORY.
 * Cost: O(n log n) for m <= 2, else at worst O(m n^2).
 */
GANNET_CHECKED gannet_err gannet_pareto_ranks(int n, int m, const double *y, int *rank);

/* The knee of a front: the point below which the hyperplane through the extremes lies farthest
 * away. Each objective runs from 0 to 1 on the front, the extremes are the unit vectors, and so
 *
 *   knee = argmin_i sum_j (y_ij - min_j) / (max_j - min_j),
 *
 * the distance of Das 1999, and for any m the least Manhattan distance of Chiu, Yen, Juan 2016. An
 * objective that is constant on the front adds nothing. Of several knees it is the first one.
 *
 * Local.
 *
 * y      in  [n][m], finite at the points of the front
 * front  in  [count], indices of points
 *
 * Returns an index of y; -1 when count = 0.
 */
int gannet_pareto_knee(int m, const double *y, int count, const int *front);

#endif
