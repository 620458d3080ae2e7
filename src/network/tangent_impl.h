/* The network behind tangent.h, for the files of this room that read its weights. */
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

#endif
