/* The additive part of the tangent kernel: one narrow network per coordinate, each infinitely wide.
 *
 *   A(x, x') = sum_k k_1(x_k, x'_k) / (d c),   K = (1 - share) K_wide + share A
 *
 * k_1 is the tangent kernel of a network that sees the coordinate u = 2 x_k - 1 alone: its inputs
 * are rho u and the constant 2 rho, so that its lengthscale is about 1 / rho, and c = k_1(1, 1) is
 * its largest value. A function of this prior is a sum of functions of single variables.
 *
 * Draws of these functions are kept as cubic polynomials between TANGENT_NODES equidistant nodes
 * over [0,1], or three times as many over [-1,2] where there are data outside the box, as those of
 * a related problem may be (Hermite's form; slopes by finite differences of fourth order). This is
 * exact to about 1e-5 of the prior's deviation at the largest rho; beyond the nodes, draws stay
 * as they are at the ends. A value costs d polynomials, whatever the number of data.
 * Draws of the prior at the nodes are made with a Cholesky factor with pivots, and have the
 * variance of the infinitely wide network.
 */
#ifndef GANNET_SURROGATE_TANGENT_ADDITIVE_H
#define GANNET_SURROGATE_TANGENT_ADDITIVE_H

#include "base/context.h"
#include "base/partition.h"
#include "network/analytic_points.h"

enum { TANGENT_NODES = 257 };

typedef struct tangent_additive tangent_additive;

/* The narrow networks of a wide one of this shape, with rho = 1.
 *
 * Local.
 *
 * Errors: as gannet_analytic_points_create; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err tangent_additive_create(const gannet_analytic_shape *wide,
                                                  tangent_additive **additive);
void tangent_additive_destroy(tangent_additive **additive);

/* Set rho; the list of data becomes empty, and there are no draws.
 *
 * Local.
 */
GANNET_CHECKED gannet_err tangent_additive_set(tangent_additive *additive, double rho);

/* Make the list hold n points; those below the present size must be unchanged and are kept.
 *
 * Local.
 *
 * x  in  [n][d]; NULL where the list becomes shorter
 */
GANNET_CHECKED gannet_err tangent_additive_extend(tangent_additive *additive, int n,
                                                  const double *x);

/* k = (1 - share) k + share A for points first .. of the list against points from .. of it.
 *
 * Local; writes scratch that belongs to additive.
 *
 * k  inout  [rows][ldk]
 */
void tangent_additive_mix_tile(tangent_additive *additive, double share, int first, int rows,
                               int from, int columns, double *k, int ldk);

/* The same for m <= GANNET_TANGENT_BLOCK other points against the list.
 *
 * Local; writes scratch that belongs to additive.
 *
 * x         in     [m][d]
 * k         inout  [m][ldk]; NULL when not wanted
 * diagonal  inout  [m] k(x,x); NULL when not wanted
 */
void tangent_additive_mix_cross(tangent_additive *additive, double share, int m, const double *x,
                                double *k, int ldk, double *diagonal);

/* The same for the gradient [d] by x of own k(x,x) + sum_i c_i k(x,x_i). The derivatives of the
 * last x are kept, so that another sum there costs n d operations.
 *
 * Local.
 *
 * c         in     [n]
 * gradient  inout  [d]
 */
void tangent_additive_mix_gradient(tangent_additive *additive, double share, const double *x,
                                   double own, const double *c, double *gradient);

/* Draw q functions of the prior with kernel A: function j takes the stream with index base.index +
 * j. Replaces the draws.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err tangent_additive_prior(tangent_additive *additive, int q,
                                                 gannet_stream base);

/* draw j = scale draw j + share sum_i weights[j][i] A(x, x_i); and the function that shrinking goes
 * towards, share sum_i center[i] A(x, x_i).
 *
 * Collective over the context's communicator; arguments the same on all ranks.
 *
 * weights  in  [q][n]
 * center   in  [n]
 */
GANNET_CHECKED gannet_err tangent_additive_update(tangent_additive *additive,
                                                  const gannet_context *context, double scale,
                                                  double share, const double *weights,
                                                  const double *center);

/* draw j = center + factor (draw j - center).
 *
 * Local.
 */
void tangent_additive_shrink(tangent_additive *additive, int j, double factor);

/* values[j][i] += factor draw_j(x_i).
 *
 * Local.
 *
 * x       in     [m][d]
 * values  inout  [q][ldv]
 */
void tangent_additive_add_draws(const tangent_additive *additive, double factor, int m,
                                const double *x, double *values, int ldv);

/* The same at the data of blocks own->first, own->first + own->step, .. of GANNET_TANGENT_BLOCK.
 *
 * Local.
 *
 * values  inout  [q][ldv], ldv >= n
 */
void tangent_additive_add_at_data(const tangent_additive *additive, double factor,
                                  const gannet_stride *own, double *values, int ldv);

/* Add value and gradient [d] of draw j at one point.
 *
 * Local.
 */
void tangent_additive_add_slope(const tangent_additive *additive, int j, const double *x,
                                double *value, double *gradient);

#endif
