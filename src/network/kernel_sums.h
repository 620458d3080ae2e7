/* Sums over the points of a list, weighted by the kernel of an infinitely wide network, by strips
 * (network/strips.h): products of lifted points, a table of the kernel, products with the weights,
 * a few points of the list at a time.
 */
#ifndef GANNET_NETWORK_KERNEL_SUMS_H
#define GANNET_NETWORK_KERNEL_SUMS_H

#include "network/analytic_points.h"

typedef struct gannet_kernel_sums gannet_kernel_sums;

/* Make a copy for these weights. Start with a pointer to NULL; an existing copy is made anew.
 *
 * Local.
 *
 * weights  in   [q][n], n as in the list
 * sums     out  NULL when the kernel has no table (gannet_analytic_points_table)
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_kernel_sums_prepare(gannet_analytic_points *points,
                                                     gannet_precision precision, int q,
                                                     const double *weights,
                                                     gannet_kernel_sums **sums);
void gannet_kernel_sums_destroy(gannet_kernel_sums **sums);

/* values[j][lane] += sum_k k(z_lane, z_k) weights[j][k] for every point of some strips. No
 * allocation.
 *
 * Local.
 *
 * strips  in     [n_strips][d+1][lanes] lifted points, numbers of the precision
 * values  inout  [n_strips][q][lanes]
 */
void gannet_kernel_sums_add(const gannet_kernel_sums *sums, int n_strips, const void *strips,
                            double *values);

/* The same for one strip, keeping the kernel.
 *
 * Local.
 *
 * kernel  out    [rows][lanes], numbers of the precision; what follows the list are no kernels
 * values  inout  [q][lanes]
 */
void gannet_kernel_sums_keep(const gannet_kernel_sums *sums, const void *strip, void *kernel,
                             double *values);

/* Points of the list in whole groups of GANNET_STRIP_ROWS.
 *
 * Local.
 */
size_t gannet_kernel_sums_rows(const gannet_kernel_sums *sums);

/* Bytes held; 0 for NULL.
 *
 * Local.
 */
size_t gannet_kernel_sums_bytes(const gannet_kernel_sums *sums);

#endif
