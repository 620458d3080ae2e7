/* Where the local member works when values are noisy, and in a box of what size.
 *
 * The best of noisy values is the luckiest: around it hardly any point is as good, so that the box
 * halves with every batch until nothing but noise is left in it. Sun and Nocedal (2022) relax the
 * test by which a trust region shrinks by the size of the noise; here a box has a least size
 * instead, as a model of many points predicts its own error.
 */
#ifndef GANNET_OPTIMIZER_LOCAL_NOISE_H
#define GANNET_OPTIMIZER_LOCAL_NOISE_H

#include "optimizer/local_data.h"

/* The evaluation at which the model has the least mean: among the data's feasible ones in the box
 * around their centre. The centre itself where that is not feasible, or no other is in the box.
 *
 * Local.
 *
 * objective  in  fitted to the data
 * radius     in  half the side of the box, in the unit cube
 */
int64_t local_noise_centre(const gannet_history *history, const local_data *data,
                           const gannet_quadratic *objective, double radius);

/* Half of how far from its minimum the model has risen by its error: in a smaller box differences
 * of values are mostly noise. In the unit cube.
 *
 * Local.
 */
double local_noise_radius(const local_data *data, const gannet_quadratic *objective);

#endif
