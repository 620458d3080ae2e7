/* The mean of Neural-BO as published: that of a trained network, instead of the closed form which
 * training approaches while the network stays close to linear in its weights.
 *
 *   theta = argmin (1/2) sum (h(x_i; theta) - y_i/s)^2 + (lambda/2) |theta - theta_0|^2,   mean = s
 * h
 *
 * from the same theta_0 in every fit, which is the network of the tangent kernel at its start.
 */
#ifndef GANNET_SURROGATE_TANGENT_MEAN_H
#define GANNET_SURROGATE_TANGENT_MEAN_H

#include "network/train.h"
#include "surrogate/tangent_kernel.h"

typedef struct tangent_mean tangent_mean;

/* An untrained mean for a model whose context, options, d and model number are set.
 *
 * Local.
 */
GANNET_CHECKED gannet_err tangent_mean_create(const tangent_model *t, tangent_mean **mean);
void tangent_mean_destroy(tangent_mean **mean);

/* Train on observations: rank 0 does, and sends its weights to all.
 *
 * Collective over the context's communicator; the same on all ranks.
 *
 * t  in  with its hyper-parameters and noise
 */
GANNET_CHECKED gannet_err tangent_mean_train(tangent_mean *mean, const tangent_model *t,
                                             const gannet_data *data, int64_t iteration);

/* Values at m points are added to those of every one of q rows.
 *
 * Local.
 *
 * x       in     [m][d]
 * values  inout  [q][ldv]
 */
void tangent_mean_add(const tangent_mean *mean, int m, const double *x, int q, double *values,
                      int ldv);

/* Value at one point, and its gradient [d].
 *
 * Local.
 */
double tangent_mean_gradient(const tangent_mean *mean, const double *x, double *gradient);

/* Bytes held.
 *
 * Local.
 */
size_t tangent_mean_bytes(const tangent_mean *mean);

#endif
