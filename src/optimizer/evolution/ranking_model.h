/* The quadratic model by which a population of the evolution strategy is ranked.
 *
 * It is fitted by least squares to the results that are nearest in the metric of the population's
 * covariance, where the function should look round; better results weigh more, by their rank alone.
 */
#ifndef GANNET_OPTIMIZER_RANKING_MODEL_H
#define GANNET_OPTIMIZER_RANKING_MODEL_H

#include "problem/history.h"

/* Coordinates in which the population is standard normal: x = mean + axes diag(length) z. */
typedef struct {
  int d;
  const double *mean;   /* [d] the unit cube */
  const double *axes;   /* [d][d] each row an axis */
  const double *length; /* [d] standard deviation along each axis */
} evolution_metric;

/* z of a point x.
 *
 * Local.
 *
 * z  out  [d]
 */
void evolution_to_metric(const evolution_metric *metric, const double *x, double *z);

/* Fit a model.
 *
 * Local.
 *
 * end           in   results of evaluations 0 .. end-1 are used
 * coefficients  out  [gannet_quadratic_coefficients(d, true)] 1, z, z_k^2 / 2, z_k z_l
 *
 * Errors: GANNET_ERR_NUMERIC when there is no result, or the coefficients are not finite.
 */
GANNET_CHECKED gannet_err evolution_fit(const gannet_history *history,
                                        const evolution_metric *metric, int64_t end,
                                        double *coefficients);

/* Value of a model at z.
 *
 * Local.
 */
double evolution_predict(int d, const double *coefficients, const double *z);

/* The minimiser of a model in the ball |z| <= radius (More, Sorensen 1983).
 *
 * Local.
 *
 * z  out  [d]
 *
 * Errors: GANNET_ERR_NUMERIC when the model is not finite.
 */
GANNET_CHECKED gannet_err evolution_minimise(int d, const double *coefficients, double radius,
                                             double *z);

#endif
