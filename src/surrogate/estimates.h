/* Fast estimates of draws and moments, for models whose kernel has a table (network/table.h).
 *
 * A scan ranks all candidates by estimates and computes only its leaders exactly
 * (search/best_first.h). Estimates are made of strips of points (network/strips.h), with
 *
 *   mean = k(z)^T alpha,   explained = |L^-1 k(z)|^2,   L L^T = K + lambda I,
 *
 * where explained is what the data explain of the prior variance at z.
 */
#ifndef GANNET_SURROGATE_ESTIMATES_H
#define GANNET_SURROGATE_ESTIMATES_H

#include "base/context.h"
#include "linalg/cholesky.h"
#include "network/kernel_sums.h"
#include "network/strips.h"
#include "surrogate/estimator.h"

/* Points per call of the strip functions: a multiple of the lanes of a strip. */
enum { GANNET_ESTIMATES_POINTS = 256 };

/* Workspace: GANNET_ESTIMATES_POINTS points, and what is computed of them. */
typedef struct {
  int inputs;     /* numbers of a point in z */
  int each;       /* numbers of a point in values */
  double *z;      /* [points][inputs] */
  double *values; /* [strips][each][lanes], or what else has each numbers of a point */
  double *strips; /* the points, as gannet_estimates_pack makes them */
} gannet_estimates;

/* Memory of a workspace; release accepts a zeroed struct.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_estimates_reserve(int inputs, int each,
                                                   gannet_estimates *estimates);
void gannet_estimates_release(gannet_estimates *estimates);

/* Pack so many points of z into strips; returns the number of strips.
 *
 * Local.
 */
int gannet_estimates_pack(const gannet_estimates *estimates, int points);

/* values[j][i] = the j-th of each number of point i.
 *
 * Local.
 *
 * values  out  [each][ldv]
 */
void gannet_estimates_unpack(const gannet_estimates *estimates, int points, double *values,
                             int ldv);

/* Mean and explained part of a variance as sums over the data. */
typedef struct gannet_moment_sums gannet_moment_sums;

enum {
  GANNET_MOMENT_STRIPS = 32,  /* most strips per call */
  GANNET_MOMENT_POINTS = 4096 /* observations above which the factor is not copied: products of
                                 large matrices are as fast then */
};

/* Make a copy of factor and weights. Start with a pointer to NULL; an existing copy is made anew.
 *
 * Local.
 *
 * list    in   of the factor, the kernel as its function
 * alpha   in   [n]
 * sums    out  NULL for more than GANNET_MOMENT_POINTS points
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_moment_sums_prepare(const gannet_sums_list *list,
                                                     const gannet_cholesky *factor,
                                                     const double *alpha,
                                                     gannet_moment_sums **sums);
void gannet_moment_sums_destroy(gannet_moment_sums **sums);

/* What sums with pivots are made of. */
typedef struct {
  const gannet_context *context;
  gannet_sums_list list;         /* of the factor, the kernel as its function */
  const gannet_cholesky *factor; /* the same on all ranks */
  const double *alpha;           /* [n] */
  int m;                         /* pivots p, >= 0 */
  double *k;                     /* [m][n] kernel between the pivots and the list; overwritten */
} gannet_moment_pivots;

/* What the pivots explain at m <= GANNET_MOMENT_GROUP points, computed exactly.
 *
 * Local.
 *
 * k          in   [m][n] kernel between the points and the list
 * explained  out  [m]
 */
void gannet_moment_sums_explained(const gannet_moment_sums *sums, int m, const double *k,
                                  double *explained);

/* Mean and explained part of the variance for every point of some strips. No allocation.
 *
 * Local.
 *
 * n_strips   in   at most GANNET_MOMENT_STRIPS
 * strips     in   [n_strips][inputs][lanes] points
 * mean       out  [n_strips][lanes]
 * explained  out  [n_strips][lanes]
 */
void gannet_moment_sums_values(const gannet_moment_sums *sums, int n_strips, const double *strips,
                               double *mean, double *explained);

/* The moments of a model from its sums: mean + m, amplitude (own - explained). */
typedef struct {
  double mean, own, amplitude;
} gannet_moment_scale;

/* The moments of the points in a workspace of two numbers per point; the variance is not negative,
 * and NAN where numbers overflow.
 *
 * Local.
 *
 * mean, variance  out  [points]
 */
void gannet_moment_sums_estimate(const gannet_moment_sums *sums, const gannet_moment_scale *scale,
                                 const gannet_estimates *estimates, int points, double *mean,
                                 double *variance);

/* What the workspaces of all models' estimators begin with. */
typedef struct {
  void *model;
  gannet_moment_sums *moments; /* of moments and upper bounds */
  gannet_estimates space; /* points as the strips take them; draws, or two numbers of moments */
} gannet_estimator_base;

/* How a model prepares a zeroed workspace, of which base.model is set. Each sets able, which is
 * false before, where the model gives such estimates. */
typedef struct {
  size_t size; /* of the workspace, which begins with its base */
  gannet_err (*draws)(void *work, bool *able);
  gannet_err (*moments)(void *work, bool *able);
  /* Fill list, factor, alpha and k of the sums. */
  gannet_err (*pivots)(void *work, const double *pivots, gannet_moment_pivots *sums, bool *able);
} gannet_estimator_preparation;

/* The operation `estimator` of gannet_surrogate_type, for models with moment sums.
 *
 * Collective over the context's communicator with pivots, otherwise local.
 */
GANNET_CHECKED gannet_err gannet_estimator_prepare(const gannet_context *context, void *model,
                                                   const gannet_estimator_preparation *by,
                                                   const gannet_estimator_type *type,
                                                   const gannet_estimator_spec *spec,
                                                   gannet_estimator *estimator);

#endif
