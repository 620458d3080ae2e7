/* By how much one more point would enlarge the dominated hypervolume, from the boxes of the region
 * that is not dominated (pareto/boxes.h). Boxes are disjoint, so that their parts add up:
 *
 *   HVI(y) = sum over boxes of  prod_j side_j,
 *   side_j = max(0, upper_j - max(y_j, lower_j)) = (upper_j - y_j)+ - (lower_j - y_j)+,
 *
 * where (lower_j - y_j)+ = 0 for lower_j = -inf. Replace y by a random point with independent
 * coordinates: the expectation of a product of sides is the product of their expectations, and that
 * of (u - y)+ has a closed form for the distributions below.
 *
 * Objectives should be scaled: no difference between coordinates, nor its ratio to a smoothing or a
 * standard deviation, should be beyond 1e50. The order of the sums is fixed: the same boxes give
 * the same bits on all processors.
 */
#ifndef GANNET_PARETO_HYPERVOLUME_IMPROVEMENT_H
#define GANNET_PARETO_HYPERVOLUME_IMPROVEMENT_H

#include "pareto/boxes.h"

/* The improvement HVI(y). Tiles of boxes whose bounds y is not below are skipped.
 *
 * Local.
 *
 * y  in  [m], finite
 */
double gannet_hypervolume_improvement(const gannet_boxes *boxes, const double *y);

/* Logarithm of the improvement, smoothed so that neither it nor its gradient vanishes where HVI
 * does, as the logarithms of Ament et al. 2023 (qLogEHVI, with their fat tails):
 *
 *   log E HVI(y + t),   t_j / s_j independent, of density 2 (4 + t^2)^(-3/2),
 *
 * which is Student's t with two degrees of freedom times sqrt(2). With it
 *
 *   E (u - y - t)+ = f(u - y),   f(x) = (x + sqrt(x^2 + 4 s_j^2)) / 2,
 *
 * the squareplus of Barron 2021, and each side becomes f(upper - y) - f(lower - y). Being an
 * expectation of HVI, it does not depend on how the region is cut into boxes. It is above log HVI;
 * where HVI is large compared with s, by terms like s^2 / side. Far beyond the front it falls like
 * -log of the distance in each objective, and its gradient like 1 / distance. For improvements by
 * random draws: log of the mean of the exponentials.
 *
 * Local.
 *
 * smoothing  in   [m], s_j > 0, e.g. 1e-3 of the range of the front in objective j
 * y          in   [m], finite
 * gradient   out  [m], of the logarithm; or NULL
 */
double gannet_log_hypervolume_improvement(const gannet_boxes *boxes, const double *smoothing,
                                          const double *y, double *gradient);

/* Logarithm of the expected improvement E HVI(Y) for Y_j ~ N(mean_j, sd_j^2), independent:
 *
 *   E side_j = sd_j (h((upper_j - mean_j) / sd_j) - h((lower_j - mean_j) / sd_j)),
 *   h(z) = pdf(z) + z cdf(z)                 (Yang, Emmerich, Deutz, Baeck 2019, in other letters),
 *
 * with sums and products in logarithms, so that it is finite where the expectation underflows.
 *
 * Local.
 *
 * mean           in   [m], finite
 * sd             in   [m], >= 0; smaller ones than 1e-50 are taken as that
 * mean_gradient  out  [m], of the logarithm by the means; NULL together with sd_gradient
 * sd_gradient    out  [m], of the logarithm by the standard deviations
 */
double gannet_log_expected_hypervolume_improvement(const gannet_boxes *boxes, const double *mean,
                                                   const double *sd, double *mean_gradient,
                                                   double *sd_gradient);

#endif
