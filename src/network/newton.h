/* Levenberg-Marquardt for the training loss of network/train.h, in the space of the data. */
#ifndef GANNET_NETWORK_NEWTON_H
#define GANNET_NETWORK_NEWTON_H

#include "network/train.h"

/* More observations than this cost more than they gain: n^2 memory and n^3 operations per step. */
enum { GANNET_NEWTON_MOST = 2000 };

/* Minimise from theta, at most steps times.
 *
 * With residuals r, their derivatives J, v = theta - theta_0, K = J J^T and damping mu, the step is
 *
 *   p = -J^T (K + kappa I)^-1 (r - (lambda / kappa) J v) - (lambda / kappa) v,  kappa = lambda +
 * mu,
 *
 * the minimum of |r + J p|^2 + lambda |v + p|^2 + mu |p|^2. The first undamped step from the start
 * is the kernel ridge regression with the tangent kernel; further ones are what the network learns
 * beyond it. It ends when a step gains less than 1e-6 of the loss.
 *
 * Local.
 *
 * theta  inout  [2][parameters]
 *
 * Errors: GANNET_ERR_MEMORY.
 * Cost: per step about 8 L n^2 m + n^3 / 3 operations.
 */
GANNET_CHECKED gannet_err gannet_newton(const gannet_train_problem *problem, int steps,
                                        double *theta);

#endif
