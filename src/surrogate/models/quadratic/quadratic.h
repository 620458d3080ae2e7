/* Bayesian regression by a quadratic in a neighbourhood:
 *
 *   t(u) = a + g.u + (1/2) u^T H u,     t_i = t(u_i) + w_i e_i
 *   a ~ N(0, 1e4 s^2), g_k ~ N(0, s^2), H_kk = c + h_k, c ~ N(0, (curvature s)^2),
 *   h_k ~ N(0, (curvature spread s)^2), H_kl ~ N(0, (curvature cross s)^2), e_i ~ N(0, (error s)^2)
 *
 * s has the scale-free prior and is integrated out; curvature, spread, cross and error maximise the
 * evidence (MacKay 1992). So one model is linear, round, separable or full, exact or rough, as the
 * data have it, also with fewer observations than coefficients: d + 2 observations make a round
 * model. In the least-squares problem an observation is divided by its weight w_i: with w_i in
 * proportion to its value over the least value, ill-conditioned quadratics keep their relative
 * precision.
 *
 * Every rank may have models of its own; only the fit is collective.
 */
#ifndef GANNET_SURROGATE_QUADRATIC_H
#define GANNET_SURROGATE_QUADRATIC_H

#include <mpi.h>
#include <stdbool.h>

#include "base/error.h"

enum {
  GANNET_QUADRATIC_CURVATURE,
  GANNET_QUADRATIC_SPREAD,
  GANNET_QUADRATIC_CROSS,
  GANNET_QUADRATIC_ERROR,
  GANNET_QUADRATIC_HYPER
};

typedef struct {
  int n, d;        /* observations, dimension */
  const double *u; /* [n][d] */
  const double *t; /* [n] */
  const double *w; /* [n] > 0 */
} gannet_quadratic_data;

typedef struct {
  int d, p;                             /* variables; coefficients, 1 + 2 d and cross terms */
  int capacity;                         /* most observations */
  int n;                                /* observations */
  double hyper[GANNET_QUADRATIC_HYPER]; /* logarithms to base 10 */
  double scale;                         /* s */
  double evidence;                      /* logarithm, up to a constant */
  double *observed;                     /* [p + 1][p + 1] triangle R of the observations */
  double *factor;                       /* [p + 1][p + 1] triangle of observations and prior */
  double *coefficient;                  /* [p] a, g, diagonal of H, its upper triangle by rows */
  double *spare;                        /* [p + 1][p + 1] factor of the next trial; workspace */
  double *prior;                        /* [p + 1][p] rows of the prior; workspace */
} gannet_quadratic;

/* Where the search for hyperparameters starts, and its steps, by which the prior of the
 * hyperparameters is scaled; logarithms to base 10. */
extern const double gannet_quadratic_start[GANNET_QUADRATIC_HYPER];
extern const double gannet_quadratic_step[GANNET_QUADRATIC_HYPER];

/* Coefficients in d variables.
 *
 * Local.
 */
int gannet_quadratic_coefficients(int d, bool full);

/* Workspace for up to n observations; all hyperparameters at their defaults.
 *
 * Local.
 *
 * full       in   with cross terms
 * quadratic  out  zeroed before; release accepts a zeroed one
 */
GANNET_CHECKED gannet_err gannet_quadratic_create(int d, int n, bool full,
                                                  gannet_quadratic *quadratic);
void gannet_quadratic_release(gannet_quadratic *quadratic);

/* Take the observations that all trials use.
 *
 * Local.
 *
 * Errors: GANNET_ERR_SHAPE without observations or room for them; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_quadratic_observe(gannet_quadratic *quadratic,
                                                   const gannet_quadratic_data *data);

/* Solve with other hyperparameters.
 *
 * Local.
 *
 * hyper     in   logarithms to base 10
 * evidence  out  -INFINITY when the system is singular to rounding
 * better    out  the evidence was larger than that of the quadratic, which became the new one
 */
GANNET_CHECKED gannet_err gannet_quadratic_try(gannet_quadratic *quadratic, const double *hyper,
                                               double *evidence, bool *better);

/* Fit models, and improve the hyperparameters of each by so many rounds of a pattern search from
 * where they are. Ranks share the trials; the bits do not depend on how many there are.
 *
 * Collective over comm; arguments the same on all ranks, which all get the models.
 *
 * n_models   in     >= 1
 * quadratic  inout  [n_models] of one size
 * data       in     [n_models]
 *
 * Errors: GANNET_ERR_NUMERIC when no system of a model could be solved; GANNET_ERR_SHAPE without
 * observations or room for them; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_quadratic_fit(MPI_Comm comm, int n_models,
                                               gannet_quadratic *quadratic,
                                               const gannet_quadratic_data *data, int rounds);

/* Coefficients of a draw from the posterior: the mean plus s R^-1 z, R the factor.
 *
 * Local.
 *
 * z            in   [p] standard normal; NULL = the mean
 * coefficient  out  [p]
 */
void gannet_quadratic_draw(const gannet_quadratic *quadratic, const double *z, double *coefficient);

/* Value with the given coefficients and, unless NULL, gradient [d] and matrix [d][d].
 *
 * Local.
 */
double gannet_quadratic_value(const gannet_quadratic *quadratic, const double *coefficient,
                              const double *u, double *gradient, double *hessian);

/* Standard deviation of the model at u.
 *
 * Local.
 *
 * work  -  [p]
 */
double gannet_quadratic_sd(const gannet_quadratic *quadratic, const double *u, double *work);

#endif
