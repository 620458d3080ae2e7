/* Arrays that ranks fill together. Where all ranks are on one node, there is one copy in memory of
 * the node and nothing is sent; otherwise every rank has a copy. */
#ifndef GANNET_BASE_SHARED_ARRAY_H
#define GANNET_BASE_SHARED_ARRAY_H

#include <stdbool.h>

#include "base/context.h"

/* Zero-initialise. */
typedef struct {
  const gannet_context *context;
  size_t n;       /* length of values */
  bool shared;    /* whether all ranks have the same copy */
  double *values; /* [n] */
} gannet_shared_array;

/* Allocate n numbers, of any value.
 *
 * Collective over the context's communicator; the context is borrowed until release.
 *
 * own  in  length of a copy of a rank's own: n, or less where a rank needs its own part only
 *
 * Errors: GANNET_ERR_MEMORY, GANNET_ERR_MPI, from all ranks.
 */
GANNET_CHECKED gannet_err gannet_shared_array_create(const gannet_context *context, size_t n,
                                                     size_t own, gannet_shared_array *array);

/* Free an array.
 *
 * Local.
 */
void gannet_shared_array_release(gannet_shared_array *array);

/* Begin to fill an array: no rank needs what was there. Then every number is written by one rank.
 *
 * Collective over the context's communicator.
 */
void gannet_shared_array_begin(gannet_shared_array *array);

/* Wait until all ranks that share the array have come; they see what the others have written.
 * Returns at once where every rank has a copy.
 *
 * Collective over the context's communicator.
 */
void gannet_shared_array_barrier(const gannet_shared_array *array);

/* Give all ranks the numbers that each has written since begin.
 *
 * Collective over the context's communicator.
 *
 * Errors: GANNET_ERR_MPI.
 */
GANNET_CHECKED gannet_err gannet_shared_array_complete(gannet_shared_array *array);

#endif
