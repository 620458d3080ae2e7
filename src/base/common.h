/* Numbers that ranks make together: in memory of their node where all are on one, so that there is
 * one copy and nothing is sent; otherwise every rank has its own. */
#ifndef GANNET_BASE_COMMON_H
#define GANNET_BASE_COMMON_H

#include <stdbool.h>

#include "base/context.h"

/* Zero-initialise. */
typedef struct {
  const gannet_context *context;
  size_t n;
  bool shared;    /* with all ranks */
  double *values; /* [n] */
} gannet_common;

/* Room for n numbers, of any value.
 *
 * Collective over the context's communicator; the context is borrowed until release.
 *
 * own  in  numbers of a rank's own copy, where it has one: n, unless there are as many parts as
 * ranks
 *
 * Errors: GANNET_ERR_MEMORY, GANNET_ERR_MPI, from all ranks.
 */
GANNET_CHECKED gannet_err gannet_common_create(const gannet_context *context, size_t n, size_t own,
                                               gannet_common *common);

/* Local.
 */
void gannet_common_release(gannet_common *common);

/* Before ranks write their parts: nobody needs what was there.
 *
 * Collective over the context's communicator.
 */
void gannet_common_begin(gannet_common *common);

/* Ranks that share it see what the others have written; the others have nothing to wait for.
 *
 * Collective over the context's communicator.
 */
void gannet_common_meet(const gannet_common *common);

/* Every number was written by one rank since begin, and now all ranks have it.
 *
 * Collective over the context's communicator.
 *
 * Errors: GANNET_ERR_MPI.
 */
GANNET_CHECKED gannet_err gannet_common_complete(gannet_common *common);

#endif
