/* Segments of shared memory (System V) that a process has attached: those that are given up are
 * kept for a while, as new ones must be cleared by the system, page by page. Ranks agree on
 * segments in base/node.c. */
#ifndef GANNET_BASE_SEGMENTS_H
#define GANNET_BASE_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct gannet_segments gannet_segments;

/* None yet.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_segments_create(gannet_segments **segments);

/* Detaches all of them. Accepts NULL.
 *
 * Local.
 */
void gannet_segments_destroy(gannet_segments **segments);

/* The number of a segment of at least so many bytes for all processes to take: of one that was
 * given up and is not much larger, or else of a new one, which lives until it is removed and
 * detached.
 *
 * Local.
 *
 * fresh  out  whether it is new
 *
 * Returns -1 where the system has none.
 */
int gannet_segments_offer(const gannet_segments *segments, size_t bytes, bool *fresh);

/* Have the system end a new segment with the last process that has it.
 *
 * Local.
 */
void gannet_segments_remove(int number);

/* The memory of a segment that a process of this node offers, until it is given up; NULL = it
 * cannot be had.
 *
 * Local.
 */
void *gannet_segments_take(gannet_segments *segments, int number, size_t bytes, bool fresh);

/* Give up what was taken. Beyond 16 MB that nobody uses it is detached.
 *
 * Local.
 */
void gannet_segments_give(gannet_segments *segments, const void *memory);

/* Detach what was taken: where others do not have it, it is of no more use.
 *
 * Local.
 */
void gannet_segments_drop(gannet_segments *segments, const void *memory);

#endif
