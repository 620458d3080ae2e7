/* Expectations of an activation over a pair of normals: one layer of an infinitely wide network. */
#ifndef GANNET_NETWORK_EXPECTATION_H
#define GANNET_NETWORK_EXPECTATION_H

#include "network/activation.h"

/* For (u, u') normal with variances p, q and covariance s: value = g E phi phi', slope = g E phi'
 * phi'', and the partial derivatives of both. The derivative of value by s is slope. */
typedef struct {
  double value, slope;
  double value_p, value_q;
  double slope_s, slope_p, slope_q;
} gannet_expectation;

typedef void (*gannet_expectation_function)(double p, double q, double s, gannet_expectation *e);

/* The closed form of an activation.
 *
 * Local.
 *
 * Errors: GANNET_ERR_NAME when it has none.
 */
GANNET_CHECKED gannet_err gannet_expectation_find(const gannet_activation *activation,
                                                  gannet_expectation_function *function);

#endif
