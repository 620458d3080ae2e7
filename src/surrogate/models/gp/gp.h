/* The Gaussian process model, as its files share it.
 *
 *   gp.c           options, conditioning on data, the table of operations
 *   gp_fit.c       hyperparameters by marginal likelihood
 *   gp_predict.c   kernel rows between points and data, moments, covariances
 *   gp_draw.c      draws of functions
 *   gp_estimate.c  fast estimates of moments and draws
 *   stationary.c   kernels as loops over arrays
 */
#ifndef GANNET_SURROGATE_GP_H
#define GANNET_SURROGATE_GP_H

#include "network/kernel_sums.h"
#include "surrogate/estimates.h"
#include "surrogate/factor.h"
#include "surrogate/inducing/inducing.h"
#include "surrogate/models/gp/stationary.h"
#include "surrogate/surrogate.h"

typedef struct {
  int kernel;       /* position in gannet_stationary_kernels */
  int ard;          /* 0: one lengthscale, 1: one per coordinate */
  int length_prior; /* a gp_length_prior */
  double noise_floor;
  int restarts;
  int fit_points;
  int fit_evaluations;
  int features;
  int factor;      /* a gannet_factor_place */
  int inducing;    /* most inducing points */
  int noisy_start; /* a gp_noisy_start */
} gp_options;

/* The prior of lengthscales for each coordinate. */
typedef enum { GP_LENGTHS_INDEPENDENT, GP_LENGTHS_POOLED } gp_length_prior;

/* When one more start of the fit has high noise. */
typedef enum { GP_NOISY_NO, GP_NOISY_SUSPECTED, GP_NOISY_YES } gp_noisy_start;

/* Positions in hyper; lengthscales follow. All are natural logarithms. */
enum { GP_VARIANCE, GP_NOISE, GP_LENGTH };

enum {
  GP_BLOCK = GANNET_MOMENT_GROUP, /* points per product, always, so that a point's bits do not
                                     depend on the number of points in a call */
  GP_FEW = 8                      /* points whose gradients are made at once */
};

/* Draws of functions, which share random frequencies and differ in their weights. */
typedef struct {
  int q;
  int half;          /* frequencies; each has a cosine and a sine */
  double *frequency; /* [half][d] of the unit lengthscale */
  double *across;    /* [d][half] the same, for products with a single point */
  double *normal;    /* [d + freedom] random numbers of one frequency */
  double *weight;    /* [q][2 half] */
  double *update;    /* [q][n] weights of the kernel at the data */
  double *feature;   /* [GP_BLOCK][2 half] */
  double *values;    /* [q][GP_BLOCK] */
  double *sum;       /* [n] weights of the kernel of a sum of draws */
} gp_draws;

/* Table of the kernel times its variance, kept until the hyperparameters change. */
typedef struct {
  gannet_table table;
  gannet_sums_kind kind;
  double variance, reach; /* what the table was made for: reach is a squared distance, 0 = no table
                             yet */
  bool good;              /* the table is good enough */
} gp_table;

typedef struct {
  const gannet_context *context;
  const gp_options *options;
  const gannet_stationary *kernel;
  int d;
  gannet_streams streams;
  int n_hyper;
  double *hyper; /* [n_hyper] */
  gannet_hyper_name *names;
  int n, capacity;            /* rows below: observations, or what stands for them */
  int n_fantasies;            /* rows at the end that stand for results to come */
  bool stale;                 /* hyperparameters changed: the factor and z must be made again */
  double noise_var;           /* of the data as given; NAN = inferred */
  bool looks_noisy;           /* as gannet_surrogate_set_noisy said */
  gannet_row_noise row_noise; /* of the data */
  double variance, noise, mean;
  double least_noise; /* before rounding asked for more */
  double *length;     /* [d] */
  double *z;          /* [n, whole groups][d] centred and scaled points (x - 1/2) / length */
  double *across;     /* [d][n] the same, for products with a single point */
  double *norm;       /* [n] squared norms of z */
  double *y;          /* [n] */
  double *solved;     /* [2][capacity] K^-1 (y - mean), and workspace */
  gannet_factor *factor;
  gannet_inducing *inducing; /* what the data are when they are many */
  double *cross;             /* [GP_BLOCK][capacity] kernel between a block and the data */
  double *rest;              /* [GP_BLOCK][GANNET_GEMM_GROUP] workspace */
  double *block;             /* [GP_BLOCK][d] scaled points, then norms [GP_BLOCK] */
  gp_draws draws;
  gp_table made;
} gp;

/* Set the hyperparameters' names and the values at which the search for them starts.
 *
 * Local.
 */
void gp_set_defaults(gp *g);

/* Position in hyper of the lengthscale of coordinate k.
 *
 * Local.
 */
int gp_length_at(const gp *g, int k);

/* Learn the hyperparameters: maximum of marginal likelihood times priors.
 *
 * Collective over the context's communicator.
 */
GANNET_CHECKED gannet_err gp_learn(gp *g, const gannet_data *data, int64_t iteration);

/* gp_learn as the operations learn_begin and learn_end (surrogate/surrogate.h).
 *
 * Local.
 */
GANNET_CHECKED gannet_err gp_learn_begin(void *state, const gannet_data *data, int64_t iteration,
                                         gannet_multistart_task *task);
void gp_learn_end(void *state, gannet_multistart_task *task, bool found);

/* Centre and scale m points, with their squared norms unless norm is NULL.
 *
 * Local.
 */
void gp_scale(const gp *g, int m, const double *x, double *z, double *norm);

/* across[k][i] = z[i][k]
 *
 * Local.
 *
 * z       in   [n][d]
 * across  out  [d][n]
 */
void gp_transpose(int n, int d, const double *z, double *across);

/* Scale m <= GP_BLOCK points into g->block.
 *
 * Local.
 */
void gp_scale_block(const gp *g, int m, const double *x);

/* Turn a row of squared distances into one of the kernel.
 *
 * Local.
 */
void gp_to_kernel(const gp *g, int n, double *row);

/* The kernel between m points of g->block and the data into g->cross, with rows of g->n.
 *
 * Local.
 */
void gp_cross(const gp *g, int m);

/* The kernel between one of the first GP_FEW points of g->block and the data into its row of
 * g->cross, and its slopes dk / dr^2 into another: faster than a whole block, with other bits.
 *
 * Local.
 *
 * point  in  number of the row of g->block and of g->cross
 */
void gp_cross_one(const gp *g, int point);

/* gradient[k] = sum_i weight[i] dk(x, x_i)/dx_k by the slopes of gp_cross_one at the point; rows of
 * g->cross from 2 GP_FEW on are workspace.
 *
 * Local.
 *
 * weight    in   [n]
 * gradient  out  [d]
 */
void gp_cross_gradient(const gp *g, int point, const double *weight, double *gradient);

/* Operations of gannet_surrogate_type.
 *
 * Local; gp_sample: Collective over the context's communicator; gp_make_estimator: as the
 * operation.
 */
gannet_err gp_predict(const void *state, int m, const double *x, double *mean, double *sd);
gannet_err gp_predict_gradients(const void *state, int m, const double *x, double *mean, double *sd,
                                double *mean_gradients, double *sd_gradients);
gannet_err gp_covariance(const void *state, int m, const double *x, int n, const double *z,
                         double *covariance);
gannet_err gp_sample(void *state, int q, double exploration, int64_t iteration);
gannet_err gp_draw_values(const void *state, int m, const double *x, double *values, int ldv);
gannet_err gp_draw_gradient(const void *state, int draw, const double *x, double *value,
                            double *gradient);
gannet_err gp_draws_at(const void *state, const double *x, double *values);
gannet_err gp_draws_slope(const void *state, const double *x, const double *weights,
                          double *gradient);
gannet_err gp_make_estimator(void *state, const gannet_estimator_spec *spec,
                             gannet_estimator *estimator);

/* Free the draws.
 *
 * Local.
 */
void gp_release_draws(gp *g);

#endif
