/* Posterior mean and variance under the kernel of an infinitely wide network, by strips
 * (network/strips.h): estimates for a scan that scores its leaders again (search/screen.h).
 *
 *   mean = k(z)^T alpha,   explained = |L^-1 k(z)|^2,   L L^T = K + lambda I.
 */
#ifndef GANNET_SURROGATE_MOMENT_SUMS_H
#define GANNET_SURROGATE_MOMENT_SUMS_H

#include "linalg/cholesky.h"
#include "network/kernel_sums.h"
#include "network/strips.h"

typedef struct gannet_moment_sums gannet_moment_sums;

/* Strips that are worked at once at most, and points above which a factor is not copied: products
 * of large matrices are as fast then. */
enum { GANNET_MOMENT_STRIPS = 32, GANNET_MOMENT_POINTS = 4096 };

/* Make a copy of factor and weights. Start with a pointer to NULL; an existing copy is made anew.
 *
 * Local.
 *
 * points  inout  the list that the factor is of
 * alpha   in     [n]
 * sums    out    NULL when the kernel has no table, and for more than GANNET_MOMENT_POINTS points
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_moment_sums_prepare(gannet_analytic_points *points,
                                                     gannet_precision precision,
                                                     const gannet_cholesky *factor,
                                                     const double *alpha,
                                                     gannet_moment_sums **sums);
void gannet_moment_sums_destroy(gannet_moment_sums **sums);

/* Mean and explained share of the variance for every point of some strips. No allocation.
 *
 * Local.
 *
 * n_strips   in   at most GANNET_MOMENT_STRIPS
 * strips     in   [n_strips][d+1][lanes] lifted points, numbers of the precision
 * mean       out  [n_strips][lanes]
 * explained  out  [n_strips][lanes]
 */
void gannet_moment_sums_values(const gannet_moment_sums *sums, int n_strips, const void *strips,
                               double *mean, double *explained);

/* Bytes held; 0 for NULL.
 *
 * Local.
 */
size_t gannet_moment_sums_bytes(const gannet_moment_sums *sums);

#endif
