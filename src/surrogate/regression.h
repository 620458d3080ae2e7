/* Bayesian linear regression on explicit features, for models that are linear in their weights or
 * are linearised.
 *
 *   y = Phi w + e,  w ~ N(0, I / lambda),  e ~ N(0, 1):
 *   Sigma = lambda I + Phi^T Phi,  w given y ~ N(Sigma^-1 Phi^T y, Sigma^-1)
 *
 * n observations, p features. The dual form factorises lambda I + Phi Phi^T [n][n], grows by rows,
 * and serves p >> n. The primal form factorises Sigma [p][p] and serves n >> p. Both forms give the
 * same numbers up to rounding.
 */
#ifndef GANNET_SURROGATE_REGRESSION_H
#define GANNET_SURROGATE_REGRESSION_H

#include <stdbool.h>

#include "base/context.h"

typedef struct gannet_regression gannet_regression;

/* Rows that _solve and _quadratic treat at a time. */
enum { GANNET_REGRESSION_ROWS = 64 };

/* An empty regression on p features.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_regression_create(int p, bool primal, gannet_regression **f);
void gannet_regression_destroy(gannet_regression **f);

/* Condition on n observations. A matrix that rounding makes indefinite, because points repeat
 * and lambda is small, is an outcome: lambda is raised tenfold from 1e-12 of the size of the matrix
 * on, in steps that depend on the arguments alone.
 *
 * Local.
 *
 * phi     in  [n][p] borrowed until the next call
 * lambda  in  > 0
 * keep    in  the rows of the last call are the first ones of this, with the same lambda
 *
 * Errors: GANNET_ERR_NUMERIC when features are not finite; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_regression_condition(gannet_regression *f, int n,
                                                      const double *phi, double lambda, bool keep);

/* Conditioning by sums, for many observations whose rows are not kept. _add adds rows to Phi^T Phi,
 * _save and _restore copy Phi^T Phi out and in, and _factorise factorises Sigma and raises lambda
 * as above. After _factorise only _solve, _quadratic and _draw may be called.
 *
 * Local.
 *
 * f     inout  of the primal form
 * phi   in     [m][p] borrowed for the call
 * copy  inout  [p][p] of the caller
 *
 * Errors: of _factorise, as of _condition.
 */
void gannet_regression_sums_clear(gannet_regression *f);
void gannet_regression_sums_add(gannet_regression *f, int m, const double *phi);
void gannet_regression_sums_save(const gannet_regression *f, double *copy);
void gannet_regression_sums_restore(gannet_regression *f, const double *copy);
GANNET_CHECKED gannet_err gannet_regression_sums_factorise(gannet_regression *f, double lambda);

/* out = Phi^T Phi v [p] of the sums.
 *
 * Local.
 */
void gannet_regression_sums_apply(const gannet_regression *f, const double *v, double *out);

/* w = Sigma^-1 Phi^T y.
 *
 * Local.
 *
 * y  in   [n]
 * w  out  [p]
 */
void gannet_regression_mean(const gannet_regression *f, const double *y, double *w);

/* v = Sigma^-1 v for m rows, and out = v^T Sigma^-1 v >= 0.
 *
 * Local.
 *
 * v    inout, in  [m][p]
 * out  out        [m]
 */
void gannet_regression_solve(const gannet_regression *f, int m, double *v);
void gannet_regression_quadratic(const gannet_regression *f, int m, const double *v, double *out);

/* A draw of N(0, Sigma^-1) by Matheron's rule: w0 - Sigma^-1 Phi^T (Phi w0 + e). Of sums, with
 * Sigma = L L^T: L^-T w0, w0 ~ N(0, I).
 *
 * Local.
 *
 * prior, noise  in   streams of w0 and e
 * w             out  [p]
 */
void gannet_regression_draw(const gannet_regression *f, gannet_stream prior, gannet_stream noise,
                            double *w);

/* Mean over the observations of the squared leave-one-out residual over its variance in units of
 * the noise: residual^2 / (1 - h), h = phi^T Sigma^-1 phi, is y_loo^2 / variance (Rasmussen and
 * Williams 2006, (5.10)-(5.12)). 1 without observations.
 *
 * Local.
 *
 * y  in  [n]
 */
double gannet_regression_leave_one_out(const gannet_regression *f, const double *y);

/* The data of gannet_regression_learn. */
typedef struct {
  int n, p;
  const double *phi;  /* [n][p] */
  const double *y;    /* [n] */
  double noise_var;   /* NAN = learnt */
  double noise_floor; /* least noise variance */
  int evaluations;    /* most evaluations of the evidence per start */
} gannet_regression_data;

/* Positions in the result of _learn, which are natural logarithms of variances. */
enum { GANNET_REGRESSION_PRIOR, GANNET_REGRESSION_NOISE, GANNET_REGRESSION_HYPER };

/* The variances of weights (prior) and noise that maximise the evidence
 * y ~ N(0, prior Phi Phi^T + noise I) times weak priors (MacKay 1992): the variance prior k of a
 * typical value, k the mean of the diagonal of Phi Phi^T, is log-normal (0, 1.5), noise is
 * log-normal (-4, 2).
 *
 * Collective over the context's communicator; arguments the same on all ranks.
 *
 * hyper  inout  [GANNET_REGRESSION_HYPER]; the present values are one of the starts
 */
GANNET_CHECKED gannet_err gannet_regression_learn(const gannet_context *context,
                                                  const gannet_regression_data *data,
                                                  double *hyper);

#endif
