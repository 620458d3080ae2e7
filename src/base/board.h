/* Numbers that the ranks of a node show each other, time after time. */
#ifndef GANNET_BASE_BOARD_H
#define GANNET_BASE_BOARD_H

#include "base/node.h"

typedef struct gannet_board gannet_board;

/* For so many numbers of each rank at a time.
 *
 * Collective over the node.
 *
 * node   in   borrowed until destroy
 * board  out  NULL, the same on all ranks, where there is no memory to share
 *
 * Errors: GANNET_ERR_MEMORY, GANNET_ERR_MPI, from all ranks.
 */
GANNET_CHECKED gannet_err gannet_board_create(const gannet_node *node, size_t length,
                                              gannet_board **board);

/* Accepts NULL.
 *
 * Local.
 */
void gannet_board_destroy(gannet_board **board);

/* The node it is for.
 *
 * Local.
 */
const gannet_node *gannet_board_node(const gannet_board *board);

/* Where this rank writes what it will show next.
 *
 * Local.
 *
 * Returns [length], anything before it is written.
 */
double *gannet_board_own(gannet_board *board);

/* Wait until all ranks show.
 *
 * Collective over the node.
 *
 * err  in  of this rank, which shows nothing then
 *
 * Errors: err of any rank, from all ranks.
 */
GANNET_CHECKED gannet_err gannet_board_show(gannet_board *board, gannet_err err);

/* What a rank has shown last, until the next time.
 *
 * Local.
 *
 * Returns [length], of which what it wrote counts.
 */
const double *gannet_board_of(const gannet_board *board, int place);

#endif
