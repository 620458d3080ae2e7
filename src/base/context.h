/* The inside of a context (gannet/context.h), for all rooms: its communicator, seed, node and log.
 */
#ifndef GANNET_BASE_CONTEXT_H
#define GANNET_BASE_CONTEXT_H

#include "base/error.h"
#include "base/random.h"
#include "gannet/context.h"

struct gannet_node;

/* Members are set at creation and only read afterwards, but for the log. */
struct gannet_context {
  MPI_Comm comm; /* the context's own duplicate */
  int rank;
  int np;                   /* number of ranks */
  struct gannet_node *node; /* ranks that share memory (base/node.h); NULL = np is 1 */
  uint64_t seed;
  gannet_log_level level;
  gannet_log_sink sink;
  void *sink_user;
};

/* Check that a communicator from outside can be used. Without this check MPI would end the program.
 *
 * Local.
 *
 * Errors: GANNET_ERR_STATE before MPI_Init and after MPI_Finalize; GANNET_ERR_ARG for MPI_COMM_NULL
 * and for an inter-communicator, on which a sum is that of the other group.
 */
GANNET_CHECKED gannet_err gannet_context_check(MPI_Comm comm);

/* Write a line to the log of rank 0. On other ranks nothing happens.
 *
 * Local.
 */
void gannet_log(const gannet_context *context, gannet_log_level level, const char *format, ...)
    GANNET_PRINTF(3, 4);

/* The stream of the context's seed with the given purpose, iteration and index.
 *
 * Local.
 */
gannet_stream gannet_context_stream(const gannet_context *context, gannet_purpose purpose,
                                    uint64_t iteration, uint64_t index);

#endif
