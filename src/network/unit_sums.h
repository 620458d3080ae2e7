/* Values phi(z) . delta of directions of a network with one hidden layer (network/tangent.h), for
 * many points z in strips (network/strips.h).
 */
#ifndef GANNET_NETWORK_UNIT_SUMS_H
#define GANNET_NETWORK_UNIT_SUMS_H

#include "network/table.h"
#include "network/tangent.h"

typedef struct gannet_unit_sums gannet_unit_sums;

/* Tables of an activation and its slope, which take long to make. Zero-initialise. */
typedef struct {
  const gannet_activation *activation; /* NULL = not made yet */
  bool good;
  gannet_table value, slope;
} gannet_unit_tables;

/* Make a copy of a network's weights and of directions. Start with a pointer to NULL; an existing
 * copy is replaced.
 *
 * Local.
 *
 * tables  inout  made for the network's activation when they are not; borrowed until destroy
 * sums    out    NULL for networks of more than one layer, and for activations other than erf and
 *                tanh
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_unit_sums_prepare(const gannet_tangent *net,
                                                   gannet_unit_tables *tables,
                                                   const gannet_tangent_directions *directions,
                                                   gannet_unit_sums **sums);
void gannet_unit_sums_destroy(gannet_unit_sums **sums);

/* values[j][lane] = phi(z_lane) . delta_j for every point of some strips. No allocation.
 *
 * Local.
 *
 * strips  in   [n_strips][d+1][lanes] embedded points
 * values  out  [n_strips][q][lanes]
 */
void gannet_unit_sums_values(const gannet_unit_sums *sums, int n_strips, const double *strips,
                             double *values);

#endif
