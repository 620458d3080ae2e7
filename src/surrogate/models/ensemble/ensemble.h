/* The ensemble of trained networks, shared by its files: ensemble.c (interface) and
 * ensemble_member.c (one member). */
#ifndef GANNET_SURROGATE_ENSEMBLE_H
#define GANNET_SURROGATE_ENSEMBLE_H

#include "network/input_embedding.h"
#include "network/train.h"
#include "surrogate/chosen.h"
#include "surrogate/tangent_kernel.h"

typedef struct {
  tangent_options kernel; /* the network, and the fit of its scales */
  int members;
  int prior;        /* 0: members have a prior function, 1: they have none */
  int train_points; /* most observations that one member is trained on */
  gannet_train_options training;
} ensemble_options;

/* The data and the scales of one fit, which all members share. */
typedef struct {
  gannet_mlp net;
  int d;
  int n;
  const double *x;                  /* [n][d] */
  const double *y;                  /* [n] */
  const double *z;                  /* [n][d+1] embedded points */
  gannet_input_embedding embedding; /* input embedding of the networks */
  double amplitude;                 /* standard deviation that multiplies the network */
  double noise;                     /* variance of the noise in y */
  bool prior;                       /* members have a prior function */
} ensemble_data;

/* f(x) = amplitude (phi(x) . omega + h(x; theta)): a prior function, and a correction that is
 * trained. */
typedef struct {
  gannet_tangent *tangent;         /* features phi at the start; NULL without a prior function */
  gannet_tangent_directions omega; /* one direction */
  double *theta;                   /* [2][parameters] */
} ensemble_member;

/* Random numbers of one member. */
typedef struct {
  gannet_stream weights, prior, noise, training;
} ensemble_streams;

/* An untrained member: its prior function, and room for weights.
 *
 * Local.
 */
GANNET_CHECKED gannet_err ensemble_member_create(const ensemble_data *data,
                                                 const ensemble_streams *streams,
                                                 ensemble_member *member);
void ensemble_member_release(ensemble_member *member);

/* Memory for training members one after another. Each member chooses its own observations when
 * there are too many. */
typedef struct {
  gannet_training *training;
  gannet_chosen chosen;
  double *memory;    /* start [parameters], targets [count], prior values [count] */
  double *x, *y, *z; /* [count] rows chosen; NULL when all are */
} ensemble_trainer;

/* Release accepts a zeroed struct.
 *
 * Local.
 *
 * data  in  borrowed until release
 */
GANNET_CHECKED gannet_err ensemble_trainer_create(const ensemble_data *data,
                                                  const ensemble_options *options,
                                                  ensemble_trainer *trainer);
void ensemble_trainer_release(ensemble_trainer *trainer);

/* Train a member on perturbed targets.
 *
 * Local.
 */
GANNET_CHECKED gannet_err ensemble_member_train(const ensemble_data *data,
                                                ensemble_trainer *trainer,
                                                const ensemble_streams *streams,
                                                ensemble_member *member);

/* Values at m <= GANNET_TILE points x [m][d], embedded z [m][d+1]; work [m].
 *
 * Local.
 */
void ensemble_member_values(const ensemble_data *data, const ensemble_member *member, int m,
                            const double *x, const double *z, gannet_mlp_tape *tape, double *work,
                            double *values);

/* Value and gradient [d] at one point; work [2 (d+1)].
 *
 * Local.
 */
double ensemble_member_gradient(const ensemble_data *data, const ensemble_member *member,
                                const double *x, const double *z, gannet_mlp_tape *tape,
                                double *work, double *gradient);

#endif
