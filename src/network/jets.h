/* Truncated Taylor series ("jets") of a perceptron along a line, and their gradients with respect
 * to the weights: what differential operators on networks are made of.
 *
 * Along a curve z(t) of inputs, itself a power series, every layer of network/mlp.h is one in t.
 * With the series of the units' inputs u(t), a(t) = phi(u(t)) and s(t) = phi'(u(t)) follow from the
 * derivatives of phi at u(0) (Faa di Bruno), and the backward pass holds for series as it does for
 * numbers:
 *
 *   B_L(t) = c v_out s_L(t),   B_{l-1}(t) = (c W_l^T B_l(t)) s_{l-1}(t),
 *   d f(t) / d W_l = c B_l(t) a_{l-1}(t)^T   (c only for l > 1),   d f(t) / d v_out = c a_L(t),
 *
 * products truncated after t^4. So the gradient of any derivative of the network by its inputs is a
 * sum over coefficients of such products; network/jet_plan.h says which.
 *
 * Workspace belongs to the object: not to be used by two threads at once.
 */
#ifndef GANNET_NETWORK_JETS_H
#define GANNET_NETWORK_JETS_H

#include "network/jet_plan.h"
#include "network/mlp.h"

typedef struct gannet_jets gannet_jets;

/* Workspace for up to rows points.
 *
 * Local.
 *
 * net  in  copied
 *
 * Errors: GANNET_ERR_ARG for an activation that is not smooth, naming the smooth ones;
 * GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_jets_create(const gannet_mlp *net, int rows, gannet_jets **jets);
void gannet_jets_destroy(gannet_jets **jets);

/* Series of f at n points along curves of the inputs.
 *
 * Local.
 *
 * n       in   <= rows
 * z       in   [order + 1][n][inputs] coefficients of the curves: a straight line has two; borrowed
 *              until the next call
 * order   in   0 .. GANNET_JET_ORDER
 * values  out  [order + 1][n] coefficients
 *
 * Cost: (order + 1) times that of a forward pass.
 */
void gannet_jets_forward(gannet_jets *jets, const double *theta, int n, const double *z, int order,
                         double *values);

/* After a forward pass with the same weights: the series of the backward vectors.
 *
 * Local.
 *
 * Cost: (order + 1) times that of a backward pass.
 */
void gannet_jets_backward(gannet_jets *jets, const double *theta);

/* After a backward pass: row += scale d/dtheta sum_k weight_k f_k at point i.
 *
 * Local.
 *
 * weight  in     [order + 1]
 * row     inout  [parameters]
 */
void gannet_jets_add(const gannet_jets *jets, int i, double scale, const double *weight,
                     double *row);

/* The same for the output weights alone; no backward pass is needed.
 *
 * Local.
 *
 * row  inout  [width]
 */
void gannet_jets_add_output(const gannet_jets *jets, int i, double scale, const double *weight,
                            double *row);

#endif
