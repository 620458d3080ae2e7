/* Bayesian linear regression on the last layer of a trained network, shared by its files:
 * linear_head.c (interface) and linear_head_train.c (the network). */
#ifndef GANNET_SURROGATE_LINEAR_HEAD_H
#define GANNET_SURROGATE_LINEAR_HEAD_H

#include "network/lift.h"
#include "network/mlp.h"
#include "network/train.h"
#include "surrogate/features.h"
#include "surrogate/surrogate.h"

typedef struct {
  int activation, layers, width;
  double input_scale, decay, noise_floor;
  int fit_points, train_points;
  gannet_train_options training;
} linear_head_options;

typedef struct {
  const gannet_context *context;
  const linear_head_options *options;
  gannet_streams streams;
  int d, p;
  gannet_mlp net;
  gannet_lift lift;
  double *rho; /* [d] of the lift */
  double hyper[GANNET_FEATURES_HYPER];
  double noise;
  int n, capacity;
  bool stale;        /* the network must be trained */
  int trained;       /* observations that theta is for */
  int64_t iteration; /* of that training */
  double *theta;     /* [2][parameters] */
  double *weighted;  /* the same with other output weights: see weigh_units */
  double *z;         /* [capacity][d+1] lifted */
  double *y;         /* [capacity] */
  double *phi;       /* [capacity][p] */
  double *w;         /* [p] */
  gannet_features *posterior;
  gannet_mlp_tape tape;
  double *tile;  /* [ROWS][d+1] lifted */
  double *rows;  /* [ROWS][p] */
  double *by_z;  /* [d+1] */
  double *draws; /* [q][p] */
  int q;
} linear_head;

/* Train the network on the first n observations of h->z and h->y, or on a choice of them: rank 0
 * does, and sends its weights to all.
 *
 * Collective over the context's communicator.
 */
GANNET_CHECKED gannet_err linear_head_train(linear_head *h, int n, int64_t iteration);

#endif
