/* The tangent-kernel model, as its files share it.
 *
 *   tangent_kernel.c    options, conditioning on data, the table of operations
 *   tangent_fit.c       hyperparameters by marginal likelihood
 *   tangent_mean.c      the mean of a trained network
 *   tangent_additive.c  narrow networks of single coordinates, and their draws
 *   tangent_predict.c   moments, gradients, covariances
 *   tangent_draw.c      draws of functions
 *   tangent_estimate.c  fast estimates of moments and draws
 *
 * With phi the tangent features of a random network (network/tangent.h) and s^2 the amplitude,
 *
 *   f = s phi . omega,  omega ~ N(0, I),   y = f + N(0, noise),   lambda = noise / s^2,
 *   K = Phi Phi^T,  alpha = (K + lambda I)^-1 y,  mean = k(x)^T alpha.
 *
 * kernel: infinite takes K and k(x) from the infinitely wide network instead, and features for the
 * prior part of draws only. A finite network's kernel is off by about 1/sqrt(width): the data would
 * see that as noise, and draws of one network would have the same wrong variances in every batch.
 * Its mean over networks is right, and every batch of draws therefore has another network.
 *
 * additive: auto replaces K and k(x) by (1 - share) K + share A, A the kernel of narrow networks
 * (tangent_additive.h), where the evidence says so (tangent_fit.c).
 */
#ifndef GANNET_SURROGATE_TANGENT_KERNEL_H
#define GANNET_SURROGATE_TANGENT_KERNEL_H

#include "network/analytic_points.h"
#include "network/tangent.h"
#include "network/train.h"
#include "network/unit_sums.h"
#include "surrogate/estimates.h"
#include "surrogate/factor.h"
#include "surrogate/inducing/inducing.h"
#include "surrogate/models/tangent_kernel/tangent_additive.h"
#include "surrogate/surrogate.h"

typedef struct {
  int activation; /* position in gannet_activations */
  int layers;
  int width;
  int ard;            /* 0: one input scale, 1: one per coordinate */
  int lift;           /* a gannet_embedding_kind */
  int network;        /* 0: kernel of the infinitely wide network, 1: of the network in use */
  double bias;        /* NAN = learned; so are the next three unless > 0 */
  double amplitude;   /* s^2 */
  double noise;       /* variance, whatever the data say of theirs */
  double input_scale; /* rho of all coordinates */
  double noise_floor;
  int restarts;
  int fit_points;
  int fit_evaluations;
  int factor;   /* a gannet_factor_place */
  int inducing; /* most inducing points */
  int trained;  /* 1: the mean is that of a trained network */
  int additive; /* 1: an additive part, where the evidence is for it */
  gannet_train_options training;
} tangent_options;

/* Positions in hyper; input scales follow. All are natural logarithms. */
enum { TANGENT_AMPLITUDE, TANGENT_NOISE, TANGENT_BIAS, TANGENT_RHO };

/* Behind the input scales, for a model that may have an additive part: log(share / (1 - share)),
 * and the logarithm of rho of the narrow networks. */
enum { TANGENT_ODDS, TANGENT_NARROW, TANGENT_ADDITIVE };

/* log(share / (1 - share)) of a model without an additive part. */
#define TANGENT_NO_SHARE (-20.0)

enum { TANGENT_SCREEN = 150 /* observations on which the starts of a long fit compete */ };

/* The mean of a trained network. */
typedef struct tangent_mean tangent_mean;

/* (K + lambda I)^-1 y, solved for when it is first needed: draws do without. */
typedef struct {
  double *values; /* [n] */
  bool known;
} tangent_alpha;

typedef struct {
  const gannet_context *context;
  const tangent_options *options;
  int d;
  gannet_streams streams;
  int n_hyper;
  int n_scales;  /* input scales among the hyperparameters */
  double *hyper; /* [n_hyper] */
  gannet_hyper_name *names;
  gannet_tangent *net;
  gannet_analytic_points *limit; /* the data, for the infinitely wide kernel */
  int n, capacity;               /* rows below: observations, or what stands for them */
  int n_fantasies;               /* rows at the end that stand for results to come */
  bool stale;                    /* hyperparameters changed: everything must be made again */
  double noise_var;              /* of the data as given; NAN = inferred */
  gannet_row_noise row_noise;    /* of the data, divided by s^2 */
  double amplitude, lambda;      /* s^2, noise / s^2 */
  tangent_additive *additive;    /* NULL unless the model may have an additive part */
  double share;                  /* of the additive part; 0 = none */
  double least_lambda;           /* before rounding asked for more */
  gannet_tangent_features data;  /* with the infinite kernel, made for draws alone */
  gannet_factor *factor;         /* of K + lambda I */
  gannet_inducing *inducing;     /* what the data are when they are many */
  double *y;                     /* [n] */
  tangent_alpha *alpha;
  double *update;                 /* [q][n] weights of the kernel at the data, of draws; as many
                                     again are workspace */
  double *slope;                  /* [d] workspace */
  double *work;                   /* [2][n] */
  double *cross;                  /* [block][n], kernel between a block and the data */
  gannet_tangent_features *tile;  /* workspace, one block */
  gannet_tangent_directions mean; /* Phi^T alpha */
  tangent_mean *trained;          /* NULL unless the mean is that of a trained network */
  gannet_tangent_directions
      *spread; /* workspace, phi(x) - Phi^T (K + lambda I)^-1 k(x), at one point */
  gannet_tangent_directions draws;
  gannet_unit_tables tables; /* of the activation, for estimates of draws */
} tangent_model;

/* The network's input scales and bias coordinate, from hyperparameters.
 *
 * Local.
 *
 * rho  out  [d]
 */
void tangent_scales(const tangent_model *t, const double *hyper, double *rho, double *bias);

/* The share of the additive part: 0 for a model without one.
 *
 * Local.
 */
double tangent_share(const tangent_model *t, const double *hyper);

/* Position of TANGENT_ODDS or TANGENT_NARROW in the hyperparameters of a model that may have an
 * additive part.
 *
 * Local.
 */
static inline int tangent_additive_at(const tangent_model *t, int which) {
  return TANGENT_RHO + t->n_scales + which;
}

/* Variance of the noise: given by the user, else that of the data, else learned; at least the
 * floor.
 *
 * Local.
 */
double tangent_noise(const tangent_model *t, const double *hyper);

/* Whether a hyperparameter was given by the user; its logarithm, if so.
 *
 * Local.
 */
bool tangent_fixed(const tangent_model *t, int hyper, double *value);

/* Learn the hyperparameters: maximum of marginal likelihood times priors.
 *
 * Collective over the context's communicator.
 */
GANNET_CHECKED gannet_err tangent_learn(tangent_model *t, const gannet_data *data,
                                        int64_t iteration);

/* What tangent_learn minimises at first: minus the logarithm of likelihood times priors for the
 * infinitely wide network on all data (up to a constant), and its gradient; both [n_hyper]. With
 * the share that hyper has of an additive part, which makes the derivative by TANGENT_NARROW 0.
 *
 * Local.
 */
GANNET_CHECKED gannet_err tangent_evidence(tangent_model *t, const gannet_data *data,
                                           const double *hyper, double *value, double *gradient);

/* An untrained network's mean, for a model whose context, options, d and model number are set.
 *
 * Local.
 */
GANNET_CHECKED gannet_err tangent_mean_create(const tangent_model *t, tangent_mean **mean);
void tangent_mean_destroy(tangent_mean **mean);

/* Train on observations: rank 0 does, and sends its weights to all.
 *
 * Collective over the context's communicator; the same on all ranks.
 *
 * t  in  with its hyperparameters and noise
 */
GANNET_CHECKED gannet_err tangent_mean_train(tangent_mean *mean, const tangent_model *t,
                                             const gannet_data *data, int64_t iteration);

/* Add the values at m points to every one of q rows.
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

/* (K + lambda I)^-1 y, borrowed until the next fit.
 *
 * Local; with a factor that is cut over the ranks it is known after a fit.
 */
const double *tangent_alpha_of(const tangent_model *t);

/* k(x, X) of m <= GANNET_TANGENT_BLOCK points into cross, and k(x,x).
 *
 * Local.
 *
 * diagonal  out  [m]
 */
GANNET_CHECKED gannet_err tangent_block_kernel(const tangent_model *t, int m, const double *x,
                                               double *diagonal);

/* Add k(x, X) applied to weights at m <= GANNET_TANGENT_BLOCK points: values[j][i] += sum_k
 * k(x_i, x_k) weights[j][k], with the kernel of the infinite network.
 *
 * Local.
 *
 * share    in     of the additive part in that kernel; 0 = the wide network alone
 * weights  in     [q][n]
 * values   inout  [q][ldv]
 */
void tangent_add_cross(const tangent_model *t, double share, int m, const double *x, int q,
                       const double *weights, double *values, int ldv);

/* Operations of gannet_surrogate_type on a conditioned model.
 *
 * Local; tangent_sample: Collective over the context's communicator; tangent_make_estimator: as the
 * operation.
 */
gannet_err tangent_predict(const void *state, int m, const double *x, double *mean, double *sd);
gannet_err tangent_predict_gradients(const void *state, int m, const double *x, double *mean,
                                     double *sd, double *mean_gradients, double *sd_gradients);
gannet_err tangent_covariance(const void *state, int m, const double *x, int n, const double *z,
                              double *covariance);
gannet_err tangent_sample(void *state, int q, double exploration, int64_t iteration);
gannet_err tangent_shrink_draw(void *state, int draw, double factor);
gannet_err tangent_draw_values(const void *state, int m, const double *x, double *values, int ldv);
gannet_err tangent_draw_gradient(const void *state, int draw, const double *x, double *value,
                                 double *gradient);
gannet_err tangent_make_estimator(void *state, const gannet_estimator_spec *spec,
                                  gannet_estimator *estimator);

#endif
