/* The tangent kernel of an infinitely wide network between a growing list of points and others.
 *
 * The kernel is that of network/analytic_kernel.h. Workspace belongs to the list: not to be used by
 * two threads at once.
 */
#ifndef GANNET_NETWORK_ANALYTIC_POINTS_H
#define GANNET_NETWORK_ANALYTIC_POINTS_H

#include "network/analytic_kernel.h"
#include "network/kernel_sums.h"

typedef struct gannet_analytic_points gannet_analytic_points;

/* An empty list with scales 1.
 *
 * Local.
 *
 * Errors: as gannet_analytic_create.
 */
GANNET_CHECKED gannet_err gannet_analytic_points_create(const gannet_analytic_shape *shape,
                                                        gannet_analytic_points **points);
void gannet_analytic_points_destroy(gannet_analytic_points **points);

/* Set the scales; the list becomes empty.
 *
 * Local.
 *
 * rho  in  [d]
 */
void gannet_analytic_points_set_inputs(gannet_analytic_points *points, const double *rho,
                                       double bias);

/* Make the list hold n points; those below the present size must be unchanged and are kept.
 *
 * Local.
 *
 * x  in  [n][d]
 */
GANNET_CHECKED gannet_err gannet_analytic_points_extend(gannet_analytic_points *points, int n,
                                                        const double *x);

/* k[rows][columns]: points first .. of the list against points from .. of it.
 *
 * Local.
 */
void gannet_analytic_points_tile(const gannet_analytic_points *points, int first, int rows,
                                 int from, int columns, double *k, int ldk);

/* k[m][n] between m other points, m <= GANNET_TANGENT_BLOCK, and the list of n; the products are
 * always those of a whole block, so k must have GANNET_TANGENT_BLOCK rows.
 *
 * Local.
 *
 * x         in   [m][d]
 * k         out  [GANNET_TANGENT_BLOCK][ldk]; may be NULL when only the diagonal is wanted
 * diagonal  out  [m] k(x,x); NULL when not wanted
 */
void gannet_analytic_points_cross(const gannet_analytic_points *points, int m, const double *x,
                                  double *k, int ldk, double *diagonal);

/* The same for points of one coordinate on the flat embedding, without products of whole blocks: k
 * has m rows.
 *
 * Local.
 */
void gannet_analytic_points_cross_single(const gannet_analytic_points *points, int m,
                                         const double *x, double *k, int ldk, double *diagonal);

/* Value and gradient [d] with respect to x of own k(x,x) + sum_i c_i k(x,x_i).
 *
 * Local.
 *
 * c  in  [n]
 */
void gannet_analytic_points_gradient(const gannet_analytic_points *points, const double *x,
                                     double own, const double *c, double *value, double *gradient);

/* Derivatives by x of k(x, x_i), [n], and of k(x, x), for points of one coordinate on the flat
 * embedding: what several sums over the list need at one x.
 *
 * Local.
 *
 * slopes  out  [n]
 * own     out
 */
void gannet_analytic_points_slopes(const gannet_analytic_points *points, double x, double *slopes,
                                   double *own);

/* The points as a list for sums (network/kernel_sums.h), the kernel as a function of s = z . z'
 * alone, which it is on the sphere, where all points have the same |z|^2. Borrowed until points or
 * scales change; the table is kept until the scales do.
 *
 * Local.
 *
 * Returns false when there is none: on the flat embedding, for relu, and when the table does not
 * reach the precision.
 */
bool gannet_analytic_points_list(gannet_analytic_points *points, gannet_sums_list *list);

/* The points of the list, embedded: [n][d+1], borrowed until the next _extend or _set_inputs.
 *
 * Local.
 */
const double *gannet_analytic_points_inputs(const gannet_analytic_points *points);

/* Embed m other points (network/input_embedding.h).
 *
 * Local.
 *
 * x  in   [m][d]
 * z  out  [m][d+1]
 */
void gannet_analytic_points_embed(const gannet_analytic_points *points, int m, const double *x,
                                  double *z);

#endif
