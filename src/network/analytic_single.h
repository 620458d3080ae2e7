/* Sums over the points of a list, weighted by the kernel of an infinitely wide network, in single
 * precision: products of lifted points, a table of the kernel, products with the weights.
 */
#ifndef GANNET_NETWORK_ANALYTIC_SINGLE_H
#define GANNET_NETWORK_ANALYTIC_SINGLE_H

#include "network/analytic_points.h"

enum { GANNET_SINGLE_ROWS = 256 }; /* points that are worked at once */

typedef struct gannet_analytic_single gannet_analytic_single;

/* Make a copy for these weights. Start with a pointer to NULL; an existing copy is made anew.
 *
 * Local.
 *
 * weights  in   [q][n], n as in the list
 * single   out  NULL when the kernel has no table (gannet_analytic_points_table)
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_analytic_single_prepare(gannet_analytic_points *points, int q,
                                                         const double *weights,
                                                         gannet_analytic_single **single);
void gannet_analytic_single_destroy(gannet_analytic_single **single);

/* values[i][j] += sum_k k(z_i, z_k) weights[j][k] for m <= GANNET_SINGLE_ROWS points.
 *
 * Local.
 *
 * z       in     [m][d+1] lifted
 * values  inout  [m][q]
 */
void gannet_analytic_single_add(const gannet_analytic_single *single, int m, const float *z,
                                double *values);

/* Bytes held; 0 for NULL.
 *
 * Local.
 */
size_t gannet_analytic_single_bytes(const gannet_analytic_single *single);

#endif
