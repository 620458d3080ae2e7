/* The region that a front does not dominate, as disjoint boxes.
 *
 * All objectives are minimised. With a reference point r and a front P, the region is
 *
 *   { z < r : no p of P with p <= z },
 *
 * and a box of it lower <= z < upper. Each box belongs to a local upper bound u of the front, a
 * corner of the region: no point of the front is below u in every objective, and for each k a point
 * z^k with z^k_k = u_k keeps u from being larger in objective k (Klamroth, Lacour, Vanderpooten
 * 2015). On a line along the first objective the region ends at exactly one u, namely that with
 *
 *   max_{k < j} z^k_j <= z_j < u_j   for j = 2 .. m    (Lacour, Klamroth, Fonseca 2017, eq. (2)).
 *
 * They take the dominated part of the line, from u_1 on; here it is the part below u_1, so that
 *
 *   upper = u,   lower_1 = -inf,   lower_j = max_{k < j} z^k_j.
 *
 * Points in general position give n + 1 boxes for m = 2, 2 n + 1 for m = 3, and at most O(n^2) for
 * m = 4 and 5. Where coordinates are equal, some boxes are empty (lower = upper); they count
 * nothing.
 */
#ifndef GANNET_PARETO_BOXES_H
#define GANNET_PARETO_BOXES_H

#include "base/error.h"

enum {
  GANNET_BOXES_MOST_OBJECTIVES = 5,
  GANNET_BOXES_TILE = 16 /* boxes that have common bounds */
};

typedef struct {
  int m;
  int count;     /* boxes, at least one */
  int capacity;  /* boxes that there is memory for, whole tiles */
  double *lower; /* [m][capacity]: those of one objective lie side by side; -HUGE_VAL = no end */
  double *upper; /* [m][capacity]; -HUGE_VAL for what the last tile lacks, as is lower */
  double *bound; /* [m][capacity / GANNET_BOXES_TILE] largest upper end of each tile: what is not
                    below it in every objective is below no box of the tile */

  /* For updates only. */
  int *defining; /* [m][capacity] z^k of each box, a number of a point */
  int *marks;    /* [capacity] scratch */
  int points;    /* points that defined a box at some time, with m ones that stand for r */
  int points_capacity;
  double *point; /* [points_capacity][m] */
} gannet_boxes;

/* The boxes of n points. Points may be dominated and equal; those that are not below the reference
 * in every objective, or not finite, leave no trace. The same set of points gives the same boxes in
 * the same order, in whatever order they come.
 *
 * Local.
 *
 * y          in   [n][m], n >= 0, m = 1 .. 5
 * reference  in   [m], finite
 * boxes      out  release with gannet_boxes_release, also after an error
 *
 * Errors: GANNET_ERR_ARG for another m, or a reference that is not finite; GANNET_ERR_MEMORY.
 * Cost: O(n count m^2), with the final number of boxes.
 */
GANNET_CHECKED gannet_err gannet_boxes_create(int n, int m, const double *y,
                                              const double *reference, gannet_boxes *boxes);

/* The same boxes once more.
 *
 * Local.
 *
 * copy  out  release with gannet_boxes_release, also after an error
 */
GANNET_CHECKED gannet_err gannet_boxes_copy(const gannet_boxes *boxes, gannet_boxes *copy);

/* Add one more point: the region is then that of all points so far. It may dominate earlier ones.
 * Points that are dominated, not below the reference, or not finite change nothing.
 *
 * Local.
 *
 * y  in  [m]
 *
 * Errors: GANNET_ERR_MEMORY; the boxes are then as before.
 * Cost: O(count m^2).
 */
GANNET_CHECKED gannet_err gannet_boxes_add(gannet_boxes *boxes, const double *y);

/* Local. */
void gannet_boxes_release(gannet_boxes *boxes);

#endif
