/* Expectations of an activation over pairs of normals: one layer of an infinitely wide network. */
#ifndef GANNET_NETWORK_EXPECTATION_H
#define GANNET_NETWORK_EXPECTATION_H

#include "network/activation.h"

/* Partial derivatives of value and slope by the variances p, q and the covariance s. The derivative
 * of value by s is slope itself. value_q and slope_q are both NULL when they are not wanted. No two
 * arrays overlap. */
typedef struct {
  double *value_p, *value_q;
  double *slope_s, *slope_p, *slope_q;
} gannet_expectation_partials;

/* Partial derivatives for pairs of one variance q: by the covariance s, and by q, which moves both
 * sides. value_q and slope_q are both NULL when they are not wanted. No two arrays overlap. */
typedef struct {
  double *slope_s;
  double *value_q, *slope_q;
} gannet_expectation_common;

/* For n pairs (u, u') of normals with variances p, q and covariance s, all [n]:
 *
 *   value = g E phi(u) phi(u'),  slope = g E phi'(u) phi'(u').
 *
 * Outputs must not overlap inputs. The function common is a faster form where all variances are q;
 * it is NULL when there is none. Its argument by is NULL when derivatives are not wanted. */
typedef struct {
  const char *name; /* of the activation */
  void (*moments)(int n, const double *p, const double *q, const double *s, double *value,
                  double *slope);
  void (*partials)(int n, const double *p, const double *q, const double *s,
                   const gannet_expectation_partials *out);
  void (*common)(int n, double q, const double *s, double *value, double *slope,
                 const gannet_expectation_common *by);
} gannet_expectation;

/* The closed form of an activation.
 *
 * Local.
 *
 * Errors: GANNET_ERR_NAME when it has none.
 */
GANNET_CHECKED gannet_err gannet_expectation_find(const gannet_activation *activation,
                                                  const gannet_expectation **expectation);

#endif
