/* A queue of units of work, for work of which nobody knows before how long each unit takes.
 *
 * Units are dealt out to the ranks in rounds, in some rounds backwards (those whose number has an
 * odd number of ones in binary), so that neighbours do not always go to the same rank. The units of
 * the ranks of one node are taken by whichever of these ranks is free, through a counter in their
 * shared memory. Which rank does a unit differs from run to run, so its result must not depend on
 * the rank.
 */
#ifndef GANNET_BASE_QUEUE_H
#define GANNET_BASE_QUEUE_H

#include <stdbool.h>

#include "base/context.h"
#include "base/node.h"

typedef struct {
  const gannet_context *context;
  int64_t units;
  int64_t own;   /* units taken so far, where the rank does not share them */
  bool is_fixed; /* no other rank takes this one's units */
  bool at_end;
} gannet_queue;

/* Open a queue of so many units. Between two queues there must be a collective call.
 *
 * Collective in that all ranks must open and close it; returns at once.
 */
gannet_queue gannet_queue_open(const gannet_context *context, int64_t units);

/* Open a queue that gives each rank the same units every time, for work of which a rank remembers a
 * part. A rank that is free takes none from the others.
 *
 * Local.
 */
gannet_queue gannet_queue_open_fixed(const gannet_context *context, int64_t units);

/* The next unit for this rank, which no other rank gets; -1 = there is none left. The numbers that
 * a rank gets ascend.
 *
 * Local.
 */
int64_t gannet_queue_next(gannet_queue *queue);

/* Close a queue. After an error units may be left; no rank gets them then.
 *
 * Local.
 */
void gannet_queue_close(gannet_queue *queue);

#endif
