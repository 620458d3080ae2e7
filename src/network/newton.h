/* Levenberg-Marquardt for the training loss of network/train.h, in the space of the data. */
#ifndef GANNET_NETWORK_NEWTON_H
#define GANNET_NETWORK_NEWTON_H

#include "base/context.h"
#include "network/train.h"

/* More observations than this cost more than they gain: n^2 memory and n^3 operations per step. */
enum { GANNET_NEWTON_MOST = 2000 };

typedef struct gannet_newton gannet_newton;

/* Room for problems of n observations with one network, one after another.
 *
 * Local; with a team collective over its communicator.
 *
 * net   in  borrowed until destroy
 * n     in  1 .. GANNET_NEWTON_MOST
 * team  in  whose ranks share the work of every step: the matrix, and on one node the passes over
 *           the networks and, if it is large, the factor; NULL = this rank alone
 *
 * Errors: GANNET_ERR_MEMORY; GANNET_ERR_MPI.
 */
GANNET_CHECKED gannet_err gannet_newton_create(const gannet_mlp *net, int n,
                                               const gannet_context *team, gannet_newton **newton);
void gannet_newton_destroy(gannet_newton **newton);

/* Minimise from theta, at most steps times; nothing is allocated but in the first call. The bits
 * are the same with a team and without.
 *
 * With residuals r, times the roots of their weights, their derivatives J, v = theta - theta_0, K =
 * J J^T and damping mu, the step is
 *
 *   p = -J^T s - (lambda / kappa) v,  (K + kappa I) s = r - (lambda / kappa) J v,
 *   kappa = lambda + mu,
 *
 * the minimum of |r + J p|^2 + lambda |v + p|^2 + mu |p|^2. Since r + J p = kappa s, the loss that
 * the linear model promises costs nothing, and the damping follows the ratio of what was gained to
 * what was promised (Nielsen 1999, "Damping parameter in Marquardt's method"). The first undamped
 * step from the start is the kernel ridge regression with the tangent kernel; further ones are what
 * the network learns beyond it. It ends when a step gains less than 1e-5 of the loss.
 *
 * Local; with a team collective over its communicator, arguments the same on all ranks.
 *
 * problem  in     with the network and the number of observations of create
 * theta    inout  [2][parameters]
 * report   out
 *
 * Errors: GANNET_ERR_MEMORY.
 * Cost: per step about 4 L n^2 m + n^3 / 3 operations, m units per layer.
 */
GANNET_CHECKED gannet_err gannet_newton_run(gannet_newton *newton,
                                            const gannet_train_problem *problem, int steps,
                                            double *theta, gannet_train_report *report);

#endif
