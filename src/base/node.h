/* Ranks that share memory, and memory that they share. */
#ifndef GANNET_BASE_NODE_H
#define GANNET_BASE_NODE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A number that other ranks wait for, in a line of memory of its own. It counts what may come every
 * few microseconds for weeks. */
typedef struct {
  _Alignas(64) _Atomic int64_t at;
} gannet_mark;

struct gannet_segments;

/* How ranks of a node wait for each other. */
typedef struct {
  int64_t time;      /* how often they have met */
  gannet_mark *mark; /* [2][n] shared: 2 time, and 1 more where the flag is raised */
  bool crowded;      /* some have no processor of their own, or are to give it away soon */
  double since;      /* when this rank last waited, in seconds of base/clock.h */
} gannet_meeting;

/* Members are set at creation and only read afterwards, but for those of a queue (base/queue.h). */
typedef struct gannet_node {
  MPI_Comm comm;                    /* ranks that share memory */
  int n, place;                     /* their number, and which of them this one is */
  int *ranks;                       /* [n] in the communicator of all, ascending */
  _Atomic int64_t *counter;         /* turns that were taken since the beginning; NULL = n is 1 */
  int64_t begun;                    /* of these before the present queue */
  struct gannet_segments *segments; /* memory that is or was shared */
  gannet_meeting *meeting;
} gannet_node;

/* Find out which ranks share memory; where the system gives them none, every rank is a node of its
 * own.
 *
 * Collective over comm; same result on all ranks of a node.
 *
 * Errors: GANNET_ERR_MEMORY, GANNET_ERR_MPI, from all ranks.
 */
GANNET_CHECKED gannet_err gannet_node_create(MPI_Comm comm, gannet_node **node);

/* Accepts NULL.
 *
 * Collective over the communicator of gannet_node_create.
 */
void gannet_node_destroy(gannet_node **node);

/* Memory that all ranks of a node see, aligned to 64 bytes; NULL where the system gives none, which
 * is no error and the same on all of them. What was given up before is taken again, where its size
 * fits: new memory takes half a microsecond per kB, when it is first written.
 *
 * Collective over the node.
 *
 * cleared  in  leading bytes that are zero when it returns; the others may be anything
 *
 * Errors: GANNET_ERR_MPI.
 */
GANNET_CHECKED gannet_err gannet_node_share(const gannet_node *node, size_t bytes, size_t cleared,
                                            void **memory);

/* Have the system give a part of shared memory now, in one call instead of one interruption for
 * every 4 kB that is written first. Where it cannot, nothing happens.
 *
 * Local.
 */
void gannet_node_touch(void *memory, size_t bytes);

/* Copy numbers into memory that other ranks read, past the caches where the processor can: a line
 * that another core has in its cache takes a fifth of the time then.
 *
 * Local.
 *
 * from  in   [n]
 * to    out  [n] in the shared memory, aligned to 16 bytes
 */
void gannet_node_write(size_t n, const double *from, double *to);

/* Give up what was shared, at the latest before the node is destroyed: the last bit of it goes with
 * the last rank that has it. Accepts NULL.
 *
 * Local.
 */
void gannet_node_unshare(const gannet_node *node, void **memory);

/* Wait until all ranks of the node have come, who then see what the others wrote before; by marks
 * in shared memory, in a tenth of the time of a message.
 *
 * Collective over the node.
 *
 * Returns whether flag is true on any of them.
 */
bool gannet_node_meet(const gannet_node *node, bool flag);

/* As gannet_agree, and all meet.
 *
 * Collective over the node.
 *
 * Errors: err of any rank.
 */
GANNET_CHECKED gannet_err gannet_node_agree(const gannet_node *node, gannet_err err);

/* Wait until another rank has raised a value to at least this; all that it wrote before is seen
 * then. For times shorter than a message. Who waits longer gives its processor away meanwhile:
 * after tens of microseconds where ranks of this node share processors, or else after as long as it
 * has worked before, at most a millisecond, as any other program may keep the processor for
 * several.
 *
 * Local.
 *
 * Returns the value.
 */
int64_t gannet_node_wait(const gannet_node *node, const _Atomic int64_t *value, int64_t least);

#endif
