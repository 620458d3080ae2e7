/* States as version 0.1.0 saved them: bare numbers, one after the other, told apart by how many
 * there are. Whoever reads them must know that they are of the same method and settings.
 */
#ifndef GANNET_OPTIMIZER_STATE_POSITIONAL_H
#define GANNET_OPTIMIZER_STATE_POSITIONAL_H

#include "optimizer/optimizer.h"

/* Give numbers their names.
 *
 * Local.
 *
 * optimizer  in   of the method and settings that the numbers are of
 * values     in   [n]
 * state      out  empty when there are not as many as that method has
 */
GANNET_CHECKED gannet_err gannet_state_name_positional(const gannet_optimizer *optimizer, int n,
                                                       const double *values, gannet_state *state);

/* As gannet_optimizer_left_out.
 *
 * Local.
 *
 * values  in  [n]; of another length than a portfolio has: nobody was left out
 */
int64_t gannet_state_positional_left_out(const gannet_optimizer_options *options, int n,
                                         const double *values, int member);

#endif
