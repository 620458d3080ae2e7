/* The hypervolume that points dominate, up to a reference point r:
 *
 *   HV = volume of { z <= r : y_i <= z for some i }.
 *
 * All objectives are minimised. Points that are not below r in every objective count nothing, nor
 * do those with a coordinate that is not finite; points may be dominated and equal. Coordinates are
 * scaled by powers of two, so that those of 1e+-300 are not too large or small, and points are
 * sorted first: the same set of points gives the same bits in any order.
 */
#ifndef GANNET_PARETO_HYPERVOLUME_H
#define GANNET_PARETO_HYPERVOLUME_H

#include "base/error.h"

enum { GANNET_HYPERVOLUME_MOST_OBJECTIVES = 5 };

/* The hypervolume of n points; exact but for rounding. By a sweep along one coordinate, for m = 3
 * over a staircase of minima (Beume et al. 2009; Fonseca, Paquete, Lopez-Ibanez 2006), and for m =
 * 4 and 5 by exclusive volumes in one dimension less (WFG: While, Bradstreet, Barone 2012).
 *
 * Local.
 *
 * y          in   [n][m], n >= 0, m = 1 .. 5
 * reference  in   [m], finite
 * volume     out  0 when no point is below the reference
 *
 * Errors: GANNET_ERR_ARG for another m, or a reference that is not finite; GANNET_ERR_NUMERIC when
 * the volume exceeds the largest number; GANNET_ERR_MEMORY.
 * Cost: O(n log n) for m <= 3; at worst O(n^(m-2) log n) beyond, in practice less.
 */
GANNET_CHECKED gannet_err gannet_hypervolume(int n, int m, const double *y, const double *reference,
                                             double *volume);

/* Its natural logarithm, finite where gannet_hypervolume is too large or too small for a number.
 *
 * Local.
 *
 * logarithm  out  -HUGE_VAL when no point is below the reference
 *
 * Errors: GANNET_ERR_ARG, GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_log_hypervolume(int n, int m, const double *y,
                                                 const double *reference, double *logarithm);

/* The volume that each point alone dominates: the hypervolume of all points less that without it.
 * It is 0 for dominated points, and for equal ones. Rounding errors are those of the volume between
 * the point and the reference, about 1e-15 of it.
 *
 * Local.
 *
 * contribution  out  [n]
 *
 * Errors: as gannet_hypervolume.
 * Cost: n times the hypervolume of n points; for m = 2 O(n^2).
 */
GANNET_CHECKED gannet_err gannet_hypervolume_contributions(int n, int m, const double *y,
                                                           const double *reference,
                                                           double *contribution);

#endif
