/* Moments of candidates, or ceilings of variances, that are kept from one point of a batch to the
 * next. The candidates are the same, and models are told their own means at the points in between:
 * that leaves means as they are, but for rounding, and variances only fall. So what was estimated
 * once bounds what would be found now. Every rank keeps the moments of the tiles that it had first.
 */
#ifndef GANNET_OPTIMIZER_CACHED_MOMENTS_H
#define GANNET_OPTIMIZER_CACHED_MOMENTS_H

#include "optimizer/propose/propose.h"
#include "search/scan.h"
#include "surrogate/surrogate.h"

/* Most numbers that are kept on a rank. */
enum { GANNET_CACHED_MOMENTS_MOST = 1 << 23 };

/* Arrays of the moments of some candidates; variances may be ceilings of them. What is known are
 * exact variances of candidates that were scored, for others infinity. */
typedef struct {
  double *mean, *variance, *known;
} gannet_moments_arrays;

/* How far above the variances, and above those that are known, those of the present models may be.
 */
typedef struct {
  double variance, known;
} gannet_moments_above;

typedef struct {
  bool wanted; /* more points of the batch are to come, or scans in an order; the caller's to set */
  bool known;  /* all candidates of this rank's tiles have moments, of an earlier point */
  int models;
  int64_t count;                /* candidates; 0 = nothing is kept */
  gannet_moments_arrays all;    /* [models][count] by number, of own tiles */
  gannet_moments_arrays sample; /* [models][GANNET_SAMPLE], likewise; nothing known */
  bool *own;                    /* [tiles] of this rank */
} gannet_cached_moments;

/* Memory for all candidates of a batch, unless it is there, not wanted, or too much. Release
 * accepts a zeroed struct.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_cached_moments_reserve(gannet_cached_moments *kept, int models,
                                                        int64_t count);
void gannet_cached_moments_release(gannet_cached_moments *kept);

/* Know nothing.
 *
 * Local.
 */
void gannet_cached_moments_forget(gannet_cached_moments *kept);

/* Keep a model's moments of m candidates of a tile, from one number on; nothing where nothing is
 * kept.
 *
 * Local.
 */
void gannet_cached_moments_put(gannet_cached_moments *kept, int model, int64_t first, int m,
                               const double *mean, const double *variance);

/* The same of the sample.
 *
 * Local.
 */
void gannet_cached_moments_put_sample(gannet_cached_moments *kept, int model, const double *mean,
                                      const double *variance);

/* Means of m candidates and ceilings of their variances, the lower of two. For what is kept only.
 *
 * Local.
 *
 * number         in   [m]
 * mean, ceiling  out  [m]
 */
void gannet_cached_moments_get(const gannet_cached_moments *kept, int model, int m,
                               const int64_t *number, const gannet_moments_above *above,
                               double *mean, double *ceiling);

/* Lower what is known, or what variances are kept, of m candidates to these where they are less.
 * For what is kept only.
 *
 * Local.
 *
 * number        in  [m]
 * sd, variance  in  [m]
 */
void gannet_cached_moments_learn(gannet_cached_moments *kept, int model, int m,
                                 const int64_t *number, const double *sd);
void gannet_cached_moments_lower(gannet_cached_moments *kept, int model, int m,
                                 const int64_t *number, const double *variance);
void gannet_cached_moments_lower_sample(gannet_cached_moments *kept, int model,
                                        const double *variance);

/* Those of the sample. For what is kept only.
 *
 * Local.
 */
gannet_moments_arrays gannet_cached_moments_sample(const gannet_cached_moments *kept, int model);

/* After a scan: whether all candidates of this rank's tiles have moments now that are of use.
 *
 * Local.
 */
void gannet_cached_moments_complete(gannet_cached_moments *kept, bool known);

#endif
