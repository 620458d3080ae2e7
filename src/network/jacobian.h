/* Derivatives of the values of a perceptron at all points at once by all weights: the matrix
 * J [n][parameters] is never formed, only its products.
 *
 * With B_l = df/du_l, row i of J is [B_1 z^T, c B_2 a_1^T, .., c B_L a_{L-1}^T, c a_L] at point i.
 */
#ifndef GANNET_NETWORK_JACOBIAN_H
#define GANNET_NETWORK_JACOBIAN_H

#include "network/mlp.h"

/* After a forward pass over n points: replace the slopes of the tape by B_1 .. B_L. The functions
 * below take such a tape; gannet_mlp_backward cannot use it any more.
 *
 * Local.
 */
void gannet_jacobian_prepare(const gannet_mlp *net, const double *theta, int n,
                             gannet_mlp_tape *tape);

/* k [n][n] += scale J J^T.
 *
 * Local.
 *
 * work  out  [2][GANNET_JACOBIAN_BLOCK][n]
 * Cost: 4 L n^2 m operations in matrix products.
 */
enum { GANNET_JACOBIAN_BLOCK = 64 };
void gannet_jacobian_gram(const gannet_mlp *net, int n, const double *z,
                          const gannet_mlp_tape *tape, double scale, double *work, double *k);

/* out [n] += scale J v, v [parameters].
 *
 * Local.
 */
void gannet_jacobian_apply(const gannet_mlp *net, int n, const double *z, gannet_mlp_tape *tape,
                           double scale, const double *v, double *out);

/* out [parameters] += scale J^T w, w [n].
 *
 * Local.
 */
void gannet_jacobian_transpose(const gannet_mlp *net, int n, const double *z, gannet_mlp_tape *tape,
                               double scale, const double *w, double *out);

#endif
