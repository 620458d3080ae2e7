/* Posterior mean and variance under a kernel that has a table, by strips (network/strips.h):
 * estimates for a scan that scores its leaders again (search/screen.h).
 *
 *   mean = k(z)^T alpha,   explained = |L^-1 k(z)|^2,   L L^T = K + lambda I.
 */
#ifndef GANNET_SURROGATE_MOMENT_SUMS_H
#define GANNET_SURROGATE_MOMENT_SUMS_H

#include "base/context.h"
#include "linalg/cholesky.h"
#include "network/kernel_sums.h"
#include "surrogate/estimates.h"

typedef struct gannet_moment_sums gannet_moment_sums;

/* Strips that are worked at once at most, and points above which a factor is not copied: products
 * of large matrices are as fast then. */
enum { GANNET_MOMENT_STRIPS = 32, GANNET_MOMENT_POINTS = 4096 };

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

/* What a part is made of. */
typedef struct {
  const gannet_context *context;
  gannet_sums_list list;         /* of the factor, the kernel as its function */
  const gannet_cholesky *factor; /* the same on all ranks */
  const double *alpha;           /* [n] */
  int m;                         /* points p, >= 0 */
  double *k;                     /* [m][n] the kernel between them and the list; overwritten */
} gannet_moment_part;

/* The same, but that only a part of what is explained is wanted: that in the span of the solutions
 * for some points p,
 *
 *   |Q^T L^-1 k(z)|^2 = |W k(z)|^2,   Q an orthonormal basis of L^-1 k(p),   W = Q^T L^-1,
 *
 * for the work of so many means instead of a solve. The factor is not copied, so there may be more
 * than GANNET_MOMENT_POINTS points in the list. Ranks share the solves of long lists, with the same
 * bits.
 *
 * Collective over the context's communicator when m is positive, otherwise local.
 *
 * part  in     m the same on all ranks; the other members count when this rank is able
 * err   in     of this rank so far
 * able  inout  whether all ranks are
 * sums  out    NULL unless able
 *
 * Errors: err, and GANNET_ERR_MEMORY; from all ranks.
 * Cost: 2 m n^2 operations over the number of ranks, 2 m^2 n, and about 4 m n numbers.
 */
GANNET_CHECKED gannet_err gannet_moment_sums_prepare_part(const gannet_moment_part *part,
                                                          gannet_err err, bool *able,
                                                          gannet_moment_sums **sums);

/* That part for m <= GANNET_MOMENT_GROUP points, not as an estimate; of sums that _prepare_part
 * made.
 *
 * Local.
 *
 * k     in   [m][n] their kernel with the list
 * part  out  [m]
 */
void gannet_moment_sums_part(const gannet_moment_sums *sums, int m, const double *k, double *part);

/* Mean and explained part of the variance for every point of some strips. No allocation.
 *
 * Local.
 *
 * n_strips   in   at most GANNET_MOMENT_STRIPS
 * strips     in   [n_strips][inputs][lanes] points, numbers of the precision
 * mean       out  [n_strips][lanes]
 * explained  out  [n_strips][lanes]
 */
void gannet_moment_sums_values(const gannet_moment_sums *sums, int n_strips, const void *strips,
                               double *mean, double *explained);

/* What the moments of a model are made of besides: mean + m, amplitude (own - explained). */
typedef struct {
  double mean, own, amplitude;
} gannet_moment_parts;

/* The moments of the points in a workspace of two numbers per point; the variance is not negative,
 * and NAN where the precision overflows.
 *
 * Local.
 *
 * mean, variance  out  [points]
 */
void gannet_moment_sums_estimate(const gannet_moment_sums *sums, const gannet_moment_parts *parts,
                                 const gannet_estimates *estimates, int points, double *mean,
                                 double *variance);

/* Bytes held; 0 for NULL.
 *
 * Local.
 */
size_t gannet_moment_sums_bytes(const gannet_moment_sums *sums);

#endif
