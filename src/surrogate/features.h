/* Bayesian linear regression on explicit features: what models that are linear in their weights, or
 * linearised, share.
 *
 *   y = Phi w + e,  w ~ N(0, I / lambda),  e ~ N(0, 1):
 *   Sigma = lambda I + Phi^T Phi,  w given y ~ N(Sigma^-1 Phi^T y, Sigma^-1)
 *
 * The dual form factorises lambda I + Phi Phi^T [n][n], grows by rows, and serves p >> n; the
 * primal form factorises Sigma [p][p] and serves n >> p. Both give the same numbers up to rounding.
 */
#ifndef GANNET_SURROGATE_FEATURES_H
#define GANNET_SURROGATE_FEATURES_H

#include <stdbool.h>

#include "base/context.h"

typedef struct gannet_features gannet_features;

/* Rows that _solve and _quadratic work on at a time. */
enum { GANNET_FEATURE_ROWS = 64 };

/* An empty regression on p features.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_features_create(int p, bool primal, gannet_features **f);
void gannet_features_destroy(gannet_features **f);

/* Make it that of n observations. A matrix that rounding makes indefinite, because points repeat
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
GANNET_CHECKED gannet_err gannet_features_condition(gannet_features *f, int n, const double *phi,
                                                    double lambda, bool keep);

/* The same by sums, for many observations whose rows are not kept: Phi^T Phi is added up by _add,
 * kept and put back, and Sigma is factorised, lambda being raised as above. Then _solve, _quadratic
 * and _draw serve, and only these.
 *
 * Local.
 *
 * f     inout  of the primal form
 * phi   in     [m][p] borrowed for the call
 * copy  inout  [p][p] of the caller
 *
 * Errors: of _factorise, as of _condition.
 */
void gannet_features_sums_clear(gannet_features *f);
void gannet_features_sums_add(gannet_features *f, int m, const double *phi);
void gannet_features_sums_keep(const gannet_features *f, double *copy);
void gannet_features_sums_put_back(gannet_features *f, const double *copy);
GANNET_CHECKED gannet_err gannet_features_sums_factorise(gannet_features *f, double lambda);

/* out = Phi^T Phi v [p] of the sums.
 *
 * Local.
 */
void gannet_features_sums_apply(const gannet_features *f, const double *v, double *out);

/* w = Sigma^-1 Phi^T y.
 *
 * Local.
 *
 * y  in   [n]
 * w  out  [p]
 */
void gannet_features_mean(const gannet_features *f, const double *y, double *w);

/* v = Sigma^-1 v for m rows, and out = v^T Sigma^-1 v >= 0.
 *
 * Local.
 *
 * v    inout, in  [m][p]
 * out  out        [m]
 */
void gannet_features_solve(const gannet_features *f, int m, double *v);
void gannet_features_quadratic(const gannet_features *f, int m, const double *v, double *out);

/* A draw of N(0, Sigma^-1) by Matheron's rule: w0 - Sigma^-1 Phi^T (Phi w0 + e). Of sums, with
 * Sigma = L L^T: L^-T w0, w0 ~ N(0, I).
 *
 * Local.
 *
 * prior, noise  in   streams of w0 and e
 * w             out  [p]
 */
void gannet_features_draw(const gannet_features *f, gannet_stream prior, gannet_stream noise,
                          double *w);

/* Mean over the observations of the squared leave-one-out residual over its variance in units of
 * the noise: residual^2 / (1 - h), h = phi^T Sigma^-1 phi, is y_loo^2 / variance (Rasmussen and
 * Williams 2006, (5.10)-(5.12)). 1 without observations.
 *
 * Local.
 *
 * y  in  [n]
 */
double gannet_features_leave_one_out(const gannet_features *f, const double *y);

/* Bytes held.
 *
 * Local.
 */
size_t gannet_features_bytes(const gannet_features *f);

/* What the evidence is to be maximised for. */
typedef struct {
  int n, p;
  const double *phi;  /* [n][p] */
  const double *y;    /* [n] */
  double noise_var;   /* NAN = to be learnt */
  double noise_floor; /* least noise variance */
  int evaluations;    /* most per start */
} gannet_features_data;

/* Positions in the result of _learn; natural logarithms. */
enum { GANNET_FEATURES_PRIOR, GANNET_FEATURES_NOISE, GANNET_FEATURES_HYPER };

/* The variances of weights (prior) and noise that maximise the evidence
 * y ~ N(0, prior Phi Phi^T + noise I) times weak priors (MacKay 1992): the variance prior k of a
 * typical value, k the mean of the diagonal of Phi Phi^T, is log-normal (0, 1.5), noise is
 * log-normal (-4, 2).
 *
 * Collective over the context's communicator; arguments the same on all ranks.
 *
 * hyper  inout  [GANNET_FEATURES_HYPER]; the present ones are one of the starts
 */
GANNET_CHECKED gannet_err gannet_features_learn(const gannet_context *context,
                                                const gannet_features_data *data, double *hyper);

#endif
