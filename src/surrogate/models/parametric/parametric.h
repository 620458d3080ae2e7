/* The parametric model of GO-UCB, shared by its files: parametric.c (interface), parametric_fit.c
 * (phase I: the regression that starts the weights), parametric_posterior.c (phase II: the ball of
 * weights), parametric_lower.c (the exact least value over the ball), two_layer.c (the network). */
#ifndef GANNET_SURROGATE_PARAMETRIC_H
#define GANNET_SURROGATE_PARAMETRIC_H

#include "surrogate/models/parametric/two_layer.h"
#include "surrogate/regression.h"
#include "surrogate/surrogate.h"

typedef enum { PARAMETRIC_CALIBRATED, PARAMETRIC_PAPER } parametric_schedule;

typedef struct {
  int units;
  int lift; /* a gannet_embedding_kind */
  double decay;
  int discard;  /* 1: observations of the regression do not enter Sigma */
  int schedule; /* a parametric_schedule */
  int horizon;
  double bound;
  double noise_floor;
  int restarts;
  int fit_evaluations;
  int fit_points;
  int train_points; /* most observations of the regression */
} parametric_options;

/* Positions in hyper. The weights w_0 of the regression follow the last one. */
enum {
  PARAMETRIC_LEARNED, /* number of observations of the regression */
  PARAMETRIC_MISFIT,  /* log of the regression's mean squared residual */
  PARAMETRIC_PRIOR,   /* log of the variance of weights */
  PARAMETRIC_NOISE,   /* log of the variance of noise */
  PARAMETRIC_WEIGHTS
};

/* Sigma by sums (parametric_posterior.c). The open block holds the last observations, fewer than
 * fill a block. */
typedef struct {
  bool used;                     /* Sigma is kept by sums: there are no phi and target */
  int base;                      /* number of observations in gram_base; -1 = not made */
  int open;                      /* first observation of the open block */
  double share;                  /* share of the step from w_0 that was taken */
  double *gram_base, *gram_open; /* [p][p] sum g g^T of the regression, and before the open block */
  double *right, *right_open;    /* [p] sum g target, of all and before the open block */
  double *w_open;                /* [p] weights at which the open block is linearised */
} parametric_sums;

typedef struct {
  const gannet_context *context;
  const parametric_options *options;
  gannet_streams streams;
  two_layer net;
  int d, p;
  double *ones; /* [d] scales of the network's input embedding */
  int n_hyper;
  double *hyper; /* [n_hyper] */
  gannet_hyper_name *names;
  int n, capacity;
  bool fantasizing; /* the last observations stand for results to come */
  bool stale;       /* hyperparameters changed: everything must be made again */
  double noise_var; /* noise variance that came with the data; NAN = inferred */
  double noise;     /* variance that multiplies Sigma^-1 */
  double *z;        /* [capacity][inputs] */
  double *y;        /* [capacity] */
  int n_rows;       /* observations in Sigma, which are the last ones */
  int row_capacity;
  double *phi;    /* [row_capacity][p] gradients g, each at the weights of its round */
  double *target; /* [row_capacity] y - f + g . (w of the round - w_0) */
  parametric_sums sums;
  double *w; /* [p] w_t */
  gannet_regression *posterior;
  int q, q_capacity;
  double *draws; /* [q][p] weights of the draws minus w_t */
  double *work;  /* workspace of the network */
  double *tile;  /* [TWO_LAYER_ROWS][inputs] */
  double *rows;  /* [TWO_LAYER_ROWS][p] */
  double *slope; /* [2][inputs] */
} parametric;

/* Phase I: w_0 by regularised least squares from several starts, then the variances of weights and
 * noise by the evidence of the model linearised at w_0.
 *
 * Collective over the context's communicator.
 */
GANNET_CHECKED gannet_err parametric_learn(parametric *m, const gannet_data *data,
                                           int64_t iteration);

/* Phase II: Sigma and w_t of the first n observations in m->z and m->y, in their order.
 *
 * Local.
 *
 * keep  in  this many first observations are those of the last call
 */
GANNET_CHECKED gannet_err parametric_condition(parametric *m, int n, int keep);

/* Release what _condition made.
 *
 * Local.
 */
void parametric_release_posterior(parametric *m);

/* What multiplies Sigma_t^-1 in the square of sd: the square of the ball's radius for
 * exploration 1.
 *
 * Local.
 */
double parametric_scale(const parametric *m);

/* Mean of the squared leave-one-out residuals, each over its variance in units of the noise: over
 * all observations in Sigma, by sums over those of the regression.
 *
 * Local.
 */
GANNET_CHECKED gannet_err parametric_leave_one_out(const parametric *m, double *square);

/* Operation lower of the family (surrogate/surrogate.h).
 *
 * Local.
 */
gannet_err parametric_lower(const void *state, double exploration, const double *x, double *value,
                            double *gradient);

#endif
