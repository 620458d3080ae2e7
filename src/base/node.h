/* The ranks of a node, memory that they share, and how they wait for each other.
 *
 * Terms
 *   node       ranks that share memory
 *   node rank  number of a rank within its node
 *   mark       a number in shared memory that one rank raises and others wait for
 */
#ifndef GANNET_BASE_NODE_H
#define GANNET_BASE_NODE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A mark, in a cache line of its own. It may count what comes every few microseconds for weeks. */
typedef struct {
  _Alignas(64) _Atomic int64_t at;
} gannet_mark;

struct gannet_segments;

/* How ranks of a node wait for each other. */
typedef struct {
  int64_t time;      /* number of barriers so far */
  gannet_mark *mark; /* [2][n] shared: 2 time, and 1 more where a rank's flag is true */
  bool crowded;      /* ranks that wait give their processor away soon */
  double since;      /* end of this rank's last wait, in seconds of base/clock.h */
} gannet_meeting;

/* Members are set at creation and only read afterwards, but for those of a queue (base/queue.h). */
typedef struct gannet_node {
  MPI_Comm comm;                    /* of the ranks of the node */
  int n;                            /* number of ranks */
  int node_rank;                    /* of this rank, 0 .. n - 1 */
  int *ranks;                       /* [n] ranks in the communicator of all, ascending */
  _Atomic int64_t *counter;         /* turns of queues that were taken so far; NULL = n is 1 */
  int64_t begun;                    /* value of counter when the present queue was opened */
  struct gannet_segments *segments; /* shared memory that is or was in use */
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

/* Ask the system for pages of shared memory now, in one call instead of one interruption for every
 * 4 kB that is written first. Nothing happens where the system cannot do that.
 *
 * Local.
 */
void gannet_node_touch(void *memory, size_t bytes);

/* Copy numbers into memory that other ranks read, past the caches where the processor can: a line
 * that another core has in its cache is written in a fifth of the time.
 *
 * Local.
 *
 * from  in   [n]
 * to    out  [n] in the shared memory, aligned to 16 bytes
 */
void gannet_node_write(size_t n, const double *from, double *to);

/* Give up shared memory, at the latest before the node is destroyed. Accepts NULL.
 *
 * Local.
 */
void gannet_node_unshare(const gannet_node *node, void **memory);

/* Wait until all ranks of the node have come. They then see what the others wrote before. Marks in
 * shared memory take a tenth of the time of a message.
 *
 * Collective over the node.
 *
 * Returns whether flag is true on any of them.
 */
bool gannet_node_barrier(const gannet_node *node, bool flag);

/* gannet_agree, and a barrier.
 *
 * Collective over the node.
 *
 * Errors: err of any rank.
 */
GANNET_CHECKED gannet_err gannet_node_agree(const gannet_node *node, gannet_err err);

/* Wait until another rank has raised a mark to at least this value; all that it wrote before is
 * seen then. Meant for times shorter than a message. A rank that waits longer gives its processor
 * away: after tens of microseconds where ranks of this node share processors, or else after as long
 * as it has worked before, at most a millisecond, because another program may keep the processor
 * for several.
 *
 * Local.
 *
 * Returns the value.
 */
int64_t gannet_node_wait(const gannet_node *node, const _Atomic int64_t *value, int64_t least);

#endif
