/* Fast estimates of a fitted model at many points: an estimator, made by
 * gannet_surrogate_estimator.
 *
 * Estimates come from tables. They are good enough to rank points, whose leaders are then computed
 * exactly. An estimator has a workspace of its own and leaves its model as it is; it is valid until
 * the model's next fit, fantasize or sample, and must be released before the model is destroyed.
 *
 * Terms
 *   pivots       points at which the posterior is taken to be known
 *   upper bound  of a variance: the prior variance less what the values at the pivots would explain
 *                of it. Close to the variances where points are alike, for the work of one mean per
 *                pivot. Without pivots it is the prior variance.
 */
#ifndef GANNET_SURROGATE_ESTIMATOR_H
#define GANNET_SURROGATE_ESTIMATOR_H

#include "base/error.h"

typedef enum {
  GANNET_ESTIMATE_DRAWS,       /* the prepared draws */
  GANNET_ESTIMATE_MOMENTS,     /* mean and variance */
  GANNET_ESTIMATE_UPPER_BOUNDS /* mean and upper bound of the variance */
} gannet_estimate_kind;

typedef struct {
  gannet_estimate_kind kind;
  int n_pivots;         /* of upper bounds, >= 0 */
  const double *pivots; /* [n_pivots][d] the same on all ranks; borrowed for the call */
} gannet_estimator_spec;

/* What a model computes in an estimator's workspace. */
typedef struct {
  void (*draws)(void *work, int m, const double *x, double *values, int ldv);
  void (*moments)(void *work, int m, const double *x, double *mean, double *variance);
  gannet_err (*upper_bounds)(void *work, int m, const double *x, double *variance);
  void (*destroy)(void *work);
} gannet_estimator_type;

/* Zero-initialise. */
typedef struct {
  const gannet_estimator_type *type;
  void *work; /* NULL: the model gives no such estimates */
  gannet_estimate_kind kind;
} gannet_estimator;

/* Free the workspace; accepts a zeroed struct, and leaves one.
 *
 * Local.
 */
void gannet_estimator_release(gannet_estimator *estimator);

/* Values of all q draws at m points: for ranking, with an error that the caller measures. The bits
 * depend on the processor. No allocation.
 *
 * Local.
 *
 * x       in   [m][d]
 * values  out  [q][ldv], ldv >= m
 *
 * Errors: GANNET_ERR_STATE for an estimator of another kind or without a workspace;
 * GANNET_ERR_SHAPE for m outside 0 .. ldv.
 */
GANNET_CHECKED gannet_err gannet_estimator_draws(const gannet_estimator *estimator, int m,
                                                 const double *x, double *values, int ldv);

/* The same for mean and variance, or mean and upper bound of the variance; NAN where numbers
 * overflow.
 *
 * Local.
 *
 * mean, variance  out  [m]
 */
GANNET_CHECKED gannet_err gannet_estimator_moments(const gannet_estimator *estimator, int m,
                                                   const double *x, double *mean, double *variance);

/* Upper bounds of variances, computed exactly.
 *
 * Local.
 *
 * variance  out  [m]
 */
GANNET_CHECKED gannet_err gannet_estimator_upper_bounds(const gannet_estimator *estimator, int m,
                                                        const double *x, double *variance);

#endif
