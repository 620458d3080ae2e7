/* Memory: checked sizes, 64-byte alignment, zero-initialised. */
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

/* Bytes of memory that processes on this node may still take, and all that there are, by the
 * control groups of a job (base/group.h) where they have a limit; 0 = unknown.
 *
 * Local.
 */
void gannet_memory_of_machine(double *available, double *total);

/* Bytes that may be taken at most before the system ends a process, swap included; INFINITY =
 * unknown.
 *
 * Local.
 */
double gannet_memory_left(void);

/* Whether the node has so many bytes at all; true where that is unknown, and without a look for
 * little. What is made in small pieces is granted until the system ends the process, so ask before.
 *
 * Local.
 *
 * total  out  bytes that there are, where the answer is no
 */
bool gannet_memory_holds(double bytes, double *total);

/* A copy of a string; NULL stays NULL. Free with gannet_free.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_copy_text(const char *text, char **copy);

#endif
