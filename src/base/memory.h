/* Allocation of memory: sizes are checked, blocks are aligned to 64 bytes and zero. */
#ifndef GANNET_BASE_MEMORY_H
#define GANNET_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Allocate count objects of size bytes, zeroed and aligned for vector loads. count = 0 gives a
 * valid pointer. Free with gannet_free.
 *
 *   GANNET_TRY(gannet_alloc(n * d, sizeof *x, (void **)&x));
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY, with the size asked for; of large ones also where the system would
 * grant more than there is.
 */
GANNET_CHECKED gannet_err gannet_alloc(size_t count, size_t size, void *pointer_to_pointer);

/* gannet_alloc on all ranks, or on none where one of them has no memory: a rank that has got some
 * gives it back before the error is returned.
 *
 * Collective over comm; count and size may differ between ranks.
 *
 * Errors: GANNET_ERR_MEMORY from all ranks.
 */
GANNET_CHECKED gannet_err gannet_alloc_on_all(MPI_Comm comm, size_t count, size_t size,
                                              void *pointer_to_pointer);

/* Change the size of an allocation made by gannet_alloc, keeping the first old_count objects and
 * zeroing new ones. On failure the old block is kept.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_resize(size_t old_count, size_t new_count, size_t size,
                                        void *pointer_to_pointer);

/* Free what a pointer points at and set the pointer to NULL; accepts a pointer to NULL.
 *
 *   gannet_free(&x);
 *
 * Local.
 */
void gannet_free(void *pointer_to_pointer);

/* Whether the node has so many bytes at all; true where that is unknown, and for few bytes. Small
 * pieces of memory are granted until the system ends the process, so ask for their sum before.
 *
 * Local.
 *
 * total  out  bytes that the node has, where the answer is no
 */
bool gannet_memory_holds(double bytes, double *total);

/* A copy of a string; NULL stays NULL. Free with gannet_free.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_copy_text(const char *text, char **copy);

#endif
