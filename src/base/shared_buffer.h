/* A buffer in which the ranks of a node publish numbers to each other, again and again. */
#ifndef GANNET_BASE_SHARED_BUFFER_H
#define GANNET_BASE_SHARED_BUFFER_H

#include "base/node.h"

typedef struct gannet_shared_buffer gannet_shared_buffer;

/* Create a buffer for so many numbers of each rank.
 *
 * Collective over the node.
 *
 * node   in   borrowed until destroy
 * buffer  out  NULL, the same on all ranks, where there is no memory to share
 *
 * Errors: GANNET_ERR_MEMORY, GANNET_ERR_MPI, from all ranks.
 */
GANNET_CHECKED gannet_err gannet_shared_buffer_create(const gannet_node *node, size_t length,
                                                      gannet_shared_buffer **buffer);

/* Accepts NULL.
 *
 * Local.
 */
void gannet_shared_buffer_destroy(gannet_shared_buffer **buffer);

/* The node it is for.
 *
 * Local.
 */
const gannet_node *gannet_shared_buffer_node(const gannet_shared_buffer *buffer);

/* The numbers that this rank will publish next, for it to write.
 *
 * Local.
 *
 * Returns [length] with any values.
 */
double *gannet_shared_buffer_own(gannet_shared_buffer *buffer);

/* Publish the numbers of all ranks, and wait for all.
 *
 * Collective over the node.
 *
 * err  in  of this rank, which then publishes nothing
 *
 * Errors: err of any rank, from all ranks.
 */
GANNET_CHECKED gannet_err gannet_shared_buffer_publish(gannet_shared_buffer *buffer,
                                                       gannet_err err);

/* The numbers that a rank published last, until the next time.
 *
 * Local.
 *
 * Returns [length], of which the rank may have written only a part.
 */
const double *gannet_shared_buffer_of(const gannet_shared_buffer *buffer, int node_rank);

#endif
