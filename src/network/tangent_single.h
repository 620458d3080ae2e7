/* Values of directions of a network (network/tangent.h) in single precision. */
#ifndef GANNET_NETWORK_TANGENT_SINGLE_H
#define GANNET_NETWORK_TANGENT_SINGLE_H

#include "network/analytic_single.h"
#include "network/tangent.h"

typedef struct gannet_tangent_single gannet_tangent_single;

/* Make a copy of a network's weights and of directions. Start with a pointer to NULL; an existing
 * copy is filled anew, and keeps its memory where the shapes are the same.
 *
 * Local.
 *
 * single  out  NULL for networks of more than one layer and for activations other than erf and tanh
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_tangent_single_prepare(const gannet_tangent *net,
                                                        const gannet_tangent_directions *directions,
                                                        gannet_tangent_single **single);
void gannet_tangent_single_destroy(gannet_tangent_single **single);

/* values[i][j] = phi(z_i) . delta_j for m <= GANNET_SINGLE_ROWS points.
 *
 * Local.
 *
 * z       in   [m][d+1] lifted
 * values  out  [m][q]
 */
void gannet_tangent_single_values(const gannet_tangent_single *single, int m, const float *z,
                                  double *values);

/* Bytes held; 0 for NULL.
 *
 * Local.
 */
size_t gannet_tangent_single_bytes(const gannet_tangent_single *single);

#endif
