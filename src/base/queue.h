/* Units of work that ranks take when they are free, where nobody knows before how long each takes.
 *
 * Units go round the ranks, in some rounds backwards: those with an odd number of ones among their
 * digits (Thue and Morse), so that neighbours do not always go to the same. What falls to the ranks
 * of one node is taken by whichever of them is free, through a counter in their shared memory. So
 * who does a unit differs from run to run, and what it gives must not depend on that.
 */
#ifndef GANNET_BASE_QUEUE_H
#define GANNET_BASE_QUEUE_H

#include <stdbool.h>

#include "base/context.h"
#include "base/node.h"

typedef struct {
  const gannet_context *context;
  int64_t units;
  int64_t own; /* taken so far, by a rank that is a node of its own */
  bool at_end;
} gannet_queue;

/* Work of so many units. Between two of them there must be a collective call.
 *
 * Collective in that all ranks must open and close it; returns at once.
 */
gannet_queue gannet_queue_open(const gannet_context *context, int64_t units);

/* A unit that nobody else gets, or -1 at the end. Numbers that one rank gets ascend.
 *
 * Local.
 */
int64_t gannet_queue_next(gannet_queue *queue);

/* Also after an error, when units are left, which nobody else gets then.
 *
 * Local.
 */
void gannet_queue_close(gannet_queue *queue);

#endif
