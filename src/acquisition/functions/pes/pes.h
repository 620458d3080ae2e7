/* The posterior of a function given which reference point is its minimiser: part of predictive
 * entropy search (pes.c).
 *
 * D and mu are the covariance and mean of the differences d_j = f(r_j) - f(r_*). Expectation
 * propagation replaces the indicators d_j > 0 by normal sites of precision tau_j and shift nu_j.
 * With
 *
 *   Z = (D + T^-1)^-1,   w = nu - Z (D nu + mu),   T = diag(tau),
 *
 * a value of mean m, variance v and covariance g with d then has the mean m + g^T w and the
 * variance v - g^T Z g.
 */
#ifndef GANNET_ACQUISITION_PES_H
#define GANNET_ACQUISITION_PES_H

#include "acquisition/acquisition.h"

typedef struct {
  int minimiser;
  double weight;         /* set by the caller */
  double mean, variance; /* moments of the minimiser's own value */
  double *z;             /* [n][n] Z, with a row and a column of zeros at the minimiser */
  double *w;             /* [n] */
  double *h;             /* [n] covariance of the minimiser's value with the differences */
} gannet_pes_given;

/* Expectation propagation until it has converged, at most 30 sweeps.
 *
 * Local.
 *
 * given  out  to be released, also after an error
 */
GANNET_CHECKED gannet_err gannet_pes_condition(const gannet_acq_reference *reference, int minimiser,
                                               gannet_pes_given *given);
void gannet_pes_release(gannet_pes_given *given);

/* Variance of a when a - b > 0, for a, b jointly normal.
 *
 * Local.
 *
 * own, other, shared  in  variances of a and b, their covariance
 * gap                 in  mean of a - b
 */
double gannet_pes_truncated(double own, double other, double shared, double gap);

#endif
