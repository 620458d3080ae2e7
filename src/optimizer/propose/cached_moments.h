/* Moments of candidates that are cached from one point of a batch to the next.
 *
 * The points of a batch are chosen among the same candidates. Between two of them the models are
 * only told fantasies, their own means: means stay as they are, but for rounding, and variances
 * only fall. A variance that was estimated once is therefore an upper bound for the rest of the
 * batch. Every rank keeps the moments of the units of candidates that it had at the first point.
 */
#ifndef GANNET_OPTIMIZER_CACHED_MOMENTS_H
#define GANNET_OPTIMIZER_CACHED_MOMENTS_H

#include "optimizer/propose/propose_impl.h"
#include "search/best_first.h"
#include "surrogate/surrogate.h"

/* Most numbers that a rank keeps. */
enum { GANNET_CACHED_MOMENTS_MOST = 1 << 23 };

/* Arrays of the moments of some candidates. */
typedef struct {
  double *mean;
  double *variance; /* estimates, or upper bounds of them */
  double *known;    /* exact variances of candidates that were scored; INFINITY for the others */
} gannet_moments_arrays;

/* How far above the cached estimates and above the known variances those of the present models may
 * be. */
typedef struct {
  double variance, known;
} gannet_moments_above;

typedef struct {
  bool wanted; /* set by the caller: more points of the batch, or an ordered scan, are to come */
  bool known;  /* all candidates of this rank's units have moments of an earlier point */
  int models;
  int64_t count;                /* candidates; 0 = there is no cache */
  gannet_moments_arrays all;    /* [models][count] by number; only the units of this rank are set */
  gannet_moments_arrays sample; /* [models][GANNET_SAMPLE]; known is NULL */
  bool *own; /* [units] whether a unit of GANNET_BEST_FIRST_UNIT is of this rank */
} gannet_cached_moments;

/* Make a cache for all candidates of a batch, unless there is one, none is wanted, or it would be
 * too large. Release accepts a zeroed struct.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_cached_moments_reserve(gannet_cached_moments *cached, int models,
                                                        int64_t count);
void gannet_cached_moments_release(gannet_cached_moments *cached);

/* Forget all moments; the memory stays.
 *
 * Local.
 */
void gannet_cached_moments_forget(gannet_cached_moments *cached);

/* Store a model's moments of m consecutive candidates of a unit. Does nothing without a cache.
 *
 * Local.
 */
void gannet_cached_moments_put(gannet_cached_moments *cached, int model, int64_t first, int m,
                               const double *mean, const double *variance);

/* The same of the sample.
 *
 * Local.
 */
void gannet_cached_moments_put_sample(gannet_cached_moments *cached, int model, const double *mean,
                                      const double *variance);

/* Cached means of m candidates and upper bounds of their variances, by the estimate or by the known
 * variance, whichever is lower. Needs a cache.
 *
 * Local.
 *
 * number         in   [m]
 * mean, variance_upper_bound  out  [m]
 */
void gannet_cached_moments_get(const gannet_cached_moments *cached, int model, int m,
                               const int64_t *number, const gannet_moments_above *above,
                               double *mean, double *variance_upper_bound);

/* Lower the known variances (learn) or the cached estimates (lower) of m candidates to these where
 * these are less. Needs a cache.
 *
 * Local.
 *
 * number        in  [m]
 * sd, variance  in  [m]
 */
void gannet_cached_moments_learn(gannet_cached_moments *cached, int model, int m,
                                 const int64_t *number, const double *sd);
void gannet_cached_moments_lower(gannet_cached_moments *cached, int model, int m,
                                 const int64_t *number, const double *variance);
void gannet_cached_moments_lower_sample(gannet_cached_moments *cached, int model,
                                        const double *variance);

/* The cached moments of the sample. Needs a cache.
 *
 * Local.
 */
gannet_moments_arrays gannet_cached_moments_sample(const gannet_cached_moments *cached, int model);

/* After a scan: whether all candidates of this rank's units have moments now that are of use.
 *
 * Local.
 */
void gannet_cached_moments_set_known(gannet_cached_moments *cached, bool known);

#endif
