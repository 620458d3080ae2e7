/* DNGO: Bayesian linear regression on the last hidden layer of a trained network, as its files
 * share it (Snoek et al. 2015, "Scalable Bayesian optimization using deep neural networks").
 *
 *   linear_head.c      options, conditioning on data, moments, draws, the table of operations
 *   linear_head_fit.c  training of the network, hyperparameters by cross-validation
 *
 *   phi = [c a_L(x; theta_1), c a_L(x; theta_2), 1],   A = ridge I + Phi^T Phi,
 *   f(x) = phi(x) . w,  w ~ N(A^-1 Phi^T y, scale A^-1),   y = f(x) + N(0, noise)
 *
 * a_L are the units of the last layer of the antisymmetric pair of network/mlp.h. Every fit trains
 * the pair anew from the same start, on a choice of the observations where there are many. The
 * regression takes all observations, so its cost is linear in their number.
 */
#ifndef GANNET_SURROGATE_LINEAR_HEAD_H
#define GANNET_SURROGATE_LINEAR_HEAD_H

#include <stdbool.h>

#include "network/input_embedding.h"
#include "network/mlp.h"
#include "network/train.h"
#include "surrogate/regression.h"
#include "surrogate/surrogate.h"

enum { LINEAR_HEAD_ROWS = GANNET_REGRESSION_ROWS /* points whose features are made at once */ };

/* Positions in hyper. All are natural logarithms. */
enum {
  LINEAR_HEAD_DECAY, /* pull of the network's weights towards their start */
  LINEAR_HEAD_RIDGE,
  LINEAR_HEAD_SCALE,
  LINEAR_HEAD_NOISE, /* variance */
  LINEAR_HEAD_HYPER
};

typedef struct {
  int activation, layers, width;
  double input_scale, noise_floor;
  double decay; /* NAN = learned */
  int fit_points, train_points;
  gannet_train_options training;
} linear_head_options;

typedef struct {
  const gannet_context *context;
  const linear_head_options *options;
  gannet_streams streams;
  int d, p; /* variables, features */
  gannet_mlp net;
  gannet_input_embedding embedding; /* input embedding of the network */
  double *rho;                      /* [d] scales of the embedding */
  double hyper[LINEAR_HEAD_HYPER];
  double scale, noise; /* those of the last fit */
  int n, capacity;
  bool told;         /* that the learning rate was lowered */
  bool stale;        /* theta fits no data: the network must be trained */
  int trained;       /* number of observations that theta was trained on */
  int64_t iteration; /* iteration in which theta was trained */
  double *theta;     /* [2][parameters] */
  double *weighted;  /* [2][parameters] theta with output weights of feature_gradient */
  double *z;         /* [capacity][d+1] embedded points */
  double *y;         /* [capacity] */
  double *phi;       /* [capacity][p] */
  double *w;         /* [p] mean of the weights */
  gannet_regression *posterior;
  gannet_mlp_tape tape;
  double *tile;  /* [LINEAR_HEAD_ROWS][d+1] embedded points of a tile */
  double *rows;  /* [LINEAR_HEAD_ROWS][p] features of a tile */
  double *by_z;  /* [d+1] */
  double *draws; /* [q][p] */
  int q;
} linear_head;

/* Features of n <= LINEAR_HEAD_ROWS embedded points with weights theta [2][parameters].
 *
 * Local.
 *
 * z    in   [n][d+1]
 * phi  out  [n][p]
 */
void linear_head_features(const linear_head *h, const double *theta, int n, const double *z,
                          double *phi);

/* Train the network on the first n observations of h->z and h->y, or on a choice of them.
 *
 * Collective over the context's communicator.
 */
GANNET_CHECKED gannet_err linear_head_train(linear_head *h, int n, int64_t iteration);

/* Choose the hyperparameters by the likelihood of held-out observations, of h->z and h->y.
 *
 * Collective over the context's communicator; the bits do not depend on the number of ranks.
 *
 * noise_var  in  that of the data; NAN = learned
 */
GANNET_CHECKED gannet_err linear_head_learn(linear_head *h, double noise_var, int64_t iteration);

#endif
