/* How the draws of a batch are minimised, where acquisition.minimise is adaptive.
 *
 * The minimum of a draw over the box is sought by gradients, or it is the best of the candidates,
 * of which half are near the best points; in both cases by the draw as it is, or after its
 * deviation from the mean has been shrunk to a quarter or almost to nothing. A polished draw goes
 * farthest from what is known: in many dimensions every draw has a minimum in some unknown corner.
 * Which use is right depends on the function, the dimension and the budget, so shares of the draws
 * are dealt by what the points of each use have gained (optimizer/allocation.h).
 */
#ifndef GANNET_OPTIMIZER_DRAW_USES_H
#define GANNET_OPTIMIZER_DRAW_USES_H

#include "optimizer/member.h"
#include "optimizer/replicates.h"

enum { GANNET_DRAW_USES = 6 };

/* Deal q prepared draws to the uses, in their order, and shrink those that are to be shrunk. All
 * are polished unless the option says otherwise.
 *
 * Collective; the same on all ranks.
 *
 * count       out  [GANNET_DRAW_USES]
 * n_polished  out  leading draws that are to be polished
 */
GANNET_CHECKED gannet_err gannet_draw_uses_deal(gannet_member *member, int q, int *count,
                                                int *n_polished);

/* Note the evaluations of a batch, in the order of the draws.
 *
 * Local.
 *
 * rows  in  of the batch
 */
void gannet_draw_uses_note(gannet_member *member, const gannet_new_rows *rows, const int *count);

/* The shares, by names that begin with part and "draws.".
 *
 * Local. set: logically collective.
 */
GANNET_CHECKED gannet_err gannet_draw_uses_get_state(const gannet_member *member, const char *part,
                                                     gannet_state *state);
GANNET_CHECKED gannet_err gannet_draw_uses_set_state(gannet_member *member, const char *part,
                                                     gannet_state *state);

#endif
