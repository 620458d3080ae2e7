/* The parametric model of GO-UCB, shared by its files: parametric.c (interface), parametric_fit.c
 * (regression oracle), parametric_ball.c (the ball of weights), parametric_sums.c (that of many
 * observations). */
#ifndef GANNET_SURROGATE_PARAMETRIC_H
#define GANNET_SURROGATE_PARAMETRIC_H

#include "network/lift.h"
#include "surrogate/features.h"
#include "surrogate/surrogate.h"
#include "surrogate/two_layer.h"

typedef enum { PARAMETRIC_CALIBRATED, PARAMETRIC_PAPER } parametric_schedule;

typedef struct {
  int units;
  int lift; /* a gannet_lift_kind */
  double decay;
  int discard;  /* observations of the regression do not enter Sigma */
  int schedule; /* a parametric_schedule */
  int horizon;
  double bound;
  double noise_floor;
  int restarts;
  int fit_evaluations;
  int fit_points;
  int train_points; /* most observations of the regression */
} parametric_options;

/* Positions in hyper; the weights of the regression follow. */
enum {
  PARAMETRIC_LEARNED, /* observations of the regression */
  PARAMETRIC_MISFIT,  /* log of its mean squared residual */
  PARAMETRIC_PRIOR,   /* log of the variance of weights */
  PARAMETRIC_NOISE,   /* log of the variance of noise */
  PARAMETRIC_WEIGHTS
};

/* Sigma by sums: what is known of it at w_0, and where the block of observations begins that the
 * next ones enter. */
typedef struct {
  bool used;                     /* instead of rows: phi and target are not there */
  int base;                      /* observations that gram_base has, -1 = none */
  int open;                      /* number of the first observation of the open block */
  double share;                  /* of the step from w_0 that was taken */
  double *gram_base, *gram_open; /* [p][p] */
  double *right, *right_open;    /* [p] sums of g target */
  double *w_open;                /* [p] weights at which the open block is linearised */
} parametric_sums;

typedef struct {
  const gannet_context *context;
  const parametric_options *options;
  gannet_streams streams;
  gannet_lift lift; /* rho is [d] ones */
  two_layer net;    /* of as many inputs as lifted points have */
  int p;
  int n_hyper;
  double *hyper; /* [n_hyper] */
  gannet_hyper_name *names;
  int n, capacity;
  bool believing;   /* the last observations stand for results to come */
  bool stale;       /* hyper-parameters changed: everything must be made again */
  double noise_var; /* of the data as given; NAN = inferred */
  double noise;     /* variance that multiplies Sigma^-1 */
  double *z;        /* [capacity][inputs] */
  double *y;        /* [capacity] */
  int n_rows;       /* observations in Sigma: the last ones */
  int row_capacity;
  double *phi;    /* [row_capacity][p] gradients, each at the weights of its round */
  double *target; /* [row_capacity] y - f + phi (w of the round - w_0) */
  parametric_sums sums;
  double *w; /* [p] w_t */
  gannet_features *posterior;
  int q, q_capacity;
  double *draws; /* [q][p] weights of the draws minus w_t */
  double *work;  /* of two_layer */
  double *tile;  /* [TWO_LAYER_ROWS][inputs] */
  double *rows;  /* [TWO_LAYER_ROWS][p] */
  double *slope; /* [2][inputs] */
} parametric;

/* Inputs of the network: z = 2 x - 1, on the sphere with the coordinate that makes |z|^2 = d + 1.
 *
 * Local.
 *
 * x  in   [n][d]
 * z  out  [n][inputs]
 */
void parametric_inputs(const parametric *m, int n, const double *x, double *z);

/* Derivatives by x [d] from those by the input z [inputs].
 *
 * Local.
 */
void parametric_input_gradient(const parametric *m, const double *z, const double *by_z,
                               double *gradient);

/* Phase I: w_0 by regularised least squares from several starts, then the variances of weights and
 * noise by the evidence of the model linearised at w_0.
 *
 * Collective over the context's communicator.
 */
GANNET_CHECKED gannet_err parametric_learn(parametric *m, const gannet_data *data,
                                           int64_t iteration);

/* Phase II: Sigma and w_t of the observations in m->z and m->y, in their order; the first keep of
 * them are as they were.
 *
 * Local.
 */
GANNET_CHECKED gannet_err parametric_accumulate(parametric *m, int n, int keep);

/* The same by sums, after parametric_sums_prepare, which drops the rows; observations after those
 * of the regression are linearised by blocks of TWO_LAYER_ROWS. parametric_sums_release goes back
 * to rows.
 *
 * Local.
 */
GANNET_CHECKED gannet_err parametric_sums_prepare(parametric *m);
void parametric_sums_release(parametric *m);
GANNET_CHECKED gannet_err parametric_sums_accumulate(parametric *m, int n, int keep);

/* Mean over the observations of the regression of the squared leave-one-out residual over its
 * variance in units of the noise, from sums.
 *
 * Local.
 */
GANNET_CHECKED gannet_err parametric_sums_leave_one_out(const parametric *m, double *square);

/* Lambda; first observation that enters Sigma, of n; what the step from w_0 is to lower, squared
 * residuals of the first n observations plus the pull.
 *
 * Local.
 */
double parametric_ridge(const parametric *m);
int parametric_first_row(const parametric *m, int n);
double parametric_loss(const parametric *m, int n);

/* What multiplies Sigma_t^-1 in the square of sd: the square of the ball's radius for
 * exploration 1.
 *
 * Local.
 */
double parametric_scale(const parametric *m);

/* Operation lower of the family (surrogate/surrogate.h).
 *
 * Local.
 */
gannet_err parametric_lower(const void *state, double exploration, const double *x, double *value,
                            double *gradient);

#endif
