/* What the files of the tangent features share; private to this room. */
#ifndef GANNET_NETWORK_TANGENT_IMPL_H
#define GANNET_NETWORK_TANGENT_IMPL_H

#include "network/tangent.h"

enum { TANGENT_COLUMNS = 512 }; /* columns of a kernel block that is worked at once */

struct gannet_tangent {
  gannet_tangent_shape shape;
  int inputs;  /* d + 1 */
  double c;    /* sqrt(gain / width) */
  double *rho; /* [d] */
  double bias;
  double *weights;                          /* all of them, in the order of the stream */
  double *layer[GANNET_TANGENT_LAYERS + 1]; /* into weights */
  double *u;                                /* [block][m] */
  double *slope[GANNET_TANGENT_LAYERS];     /* [block][m] */
  double *products;                         /* [2][block][TANGENT_COLUMNS] */
  double *point;                            /* vectors of one point: [4 L + 4][m], [2][d+1] more */
  gannet_tangent_features tile;             /* one block */
};

/* Fill z of one block of rows; rows n .. are zero.
 *
 * Local.
 */
void gannet_tangent_lift(const gannet_tangent *net, int n, const double *x, double *z);

/* Activations and backward vectors of the block that starts at row first, z given.
 *
 * Local. */
void gannet_tangent_block(const gannet_tangent *net, gannet_tangent_features *features, int first);

#endif
