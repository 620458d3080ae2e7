/* Sums over a list of points z_k, sum_k weight_k f(z, z_k), for many points z.
 *
 * Points z come in strips (network/strips.h). For a few points of the list at a time, products or
 * distances are computed, then f by a table (network/table.h), then products with the weights.
 */
#ifndef GANNET_NETWORK_KERNEL_SUMS_H
#define GANNET_NETWORK_KERNEL_SUMS_H

#include "base/error.h"
#include "network/table.h"

/* What f depends on. Waves are two functions, cos and sin, each with its own weights. */
typedef enum {
  GANNET_SUMS_OF_PRODUCT,  /* f(z . z_k) */
  GANNET_SUMS_OF_SQUARE,   /* f(|z - z_k|^2) */
  GANNET_SUMS_OF_DISTANCE, /* f(|z - z_k|) */
  GANNET_SUMS_OF_WAVES     /* cos(pi z . z_k), then sin(pi z . z_k) */
} gannet_sums_kind;

/* A list of points and f, borrowed for a call. */
typedef struct {
  gannet_sums_kind kind;
  const gannet_table *table; /* of f; NULL for waves */
  int inputs, n;
  const double *z; /* [n][inputs] */
} gannet_sums_list;

typedef struct gannet_kernel_sums gannet_kernel_sums;

/* Copy the list and the weights. Start with a pointer to NULL; an existing copy is replaced.
 *
 * Local.
 *
 * weights  in  [q][n], n as in the list; [q][2n] for waves, those of cosines first
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_kernel_sums_prepare(const gannet_sums_list *list, int q,
                                                     const double *weights,
                                                     gannet_kernel_sums **sums);
void gannet_kernel_sums_destroy(gannet_kernel_sums **sums);

/* values[j][lane] += sum_k f(z_lane, z_k) weights[j][k] for every point of some strips. No
 * allocation.
 *
 * Local.
 *
 * strips  in     [n_strips][inputs][lanes] points
 * values  inout  [n_strips][q][lanes]
 */
void gannet_kernel_sums_add(const gannet_kernel_sums *sums, int n_strips, const double *strips,
                            double *values);

/* As gannet_kernel_sums_add for one strip, keeping the values of f; not for waves.
 *
 * Local.
 *
 * kernel  out    [rows][lanes]; what follows the list is anything finite
 * values  inout  [q][lanes]
 */
void gannet_kernel_sums_keep(const gannet_kernel_sums *sums, const double *strip, double *kernel,
                             double *values);

/* The number of points of the list, rounded up to a multiple of GANNET_STRIP_ROWS.
 *
 * Local.
 */
size_t gannet_kernel_sums_rows(const gannet_kernel_sums *sums);

#endif
