/* Moments with gradients by the ranks of a node together: each makes those of some points, and they
 * share the solves, which take longest. */
#ifndef GANNET_SURROGATE_TOGETHER_H
#define GANNET_SURROGATE_TOGETHER_H

#include "base/shared_buffer.h"
#include "surrogate/surrogate.h"

/* Whether the ranks of a node take less time so, with the present data.
 *
 * Local; the same on all ranks of a node.
 */
bool gannet_surrogate_gains_together(const gannet_surrogate *surrogate);

/* If so: the part of a rank, as types are asked for it (surrogate/surrogate.h).
 *
 * Collective over the node of the context.
 *
 * together  in  points of all ranks, 1 .. GANNET_CHOLESKY_SPREAD
 * m         in  of this rank
 *
 * Errors: as gannet_surrogate_predict with sd.
 */
GANNET_CHECKED gannet_err gannet_surrogate_predict_gradients_part(
    const gannet_surrogate *surrogate, int together, int m, const double *x, double *mean,
    double *sd, double *mean_gradients, double *sd_gradients);

/* Numbers of a board that is for m points in d dimensions.
 *
 * Local.
 */
size_t gannet_together_room(int d, int m);

/* gannet_surrogate_predict_gradients, with the same bits. A model that does not gain by it is asked
 * by every rank for all.
 *
 * Collective over the node of the board, which is that of the model's context; the same on all
 * ranks.
 *
 * board  inout  with room for m points
 *
 * Errors: as gannet_surrogate_predict with sd.
 */
GANNET_CHECKED gannet_err gannet_together_predict_gradients(const gannet_surrogate *surrogate,
                                                            gannet_shared_buffer *board, int m,
                                                            const double *x, double *mean,
                                                            double *sd, double *mean_gradients,
                                                            double *sd_gradients);

#endif
