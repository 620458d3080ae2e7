#include "base/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/resources.h"

enum { ALIGNMENT = 64 };

static const double little = 256e6; /* bytes for which nobody looks at what is left */

/* Pointers to object pointers arrive as void *; memcpy reads them without breaking aliasing rules.
 */
static void *load(const void *pointer_to_pointer) {
  void *block;
  memcpy(&block, pointer_to_pointer, sizeof block);
  return block;
}

static void save(void *pointer_to_pointer, void *block) {
  memcpy(pointer_to_pointer, &block, sizeof block);
}

gannet_err gannet_alloc(size_t count, size_t size, void *pointer_to_pointer) {
  save(pointer_to_pointer, NULL);
  GANNET_REQUIRE(size == 0 || count <= (SIZE_MAX - ALIGNMENT) / size, GANNET_ERR_MEMORY,
                 "%zu objects of %zu bytes", count, size);
  const size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  /* The system grants more memory than there is. When that memory is written, it ends a process:
   * this one or another. */
  const double left = (double)bytes > little ? gannet_memory_left() : INFINITY;
  GANNET_REQUIRE((double)bytes <= left, GANNET_ERR_MEMORY,
                 "%zu bytes, and only %.1f GB are left on this machine or to this job", bytes,
                 left / 1e9);
  void *block = aligned_alloc(ALIGNMENT, bytes ? bytes : ALIGNMENT);
  GANNET_REQUIRE(block, GANNET_ERR_MEMORY, "%zu bytes", bytes);
  memset(block, 0, bytes);
  save(pointer_to_pointer, block);
  return GANNET_OK;
}

gannet_err gannet_alloc_on_all(MPI_Comm comm, size_t count, size_t size, void *pointer_to_pointer) {
  const gannet_err err = gannet_agree(comm, gannet_alloc(count, size, pointer_to_pointer));
  if (err != GANNET_OK) gannet_free(pointer_to_pointer);
  return err;
}

gannet_err gannet_resize(size_t old_count, size_t new_count, size_t size,
                         void *pointer_to_pointer) {
  void *old = load(pointer_to_pointer), *block = NULL;
  GANNET_TRY(gannet_alloc(new_count, size, &block));
  if (old) memcpy(block, old, (old_count < new_count ? old_count : new_count) * size);
  free(old);
  save(pointer_to_pointer, block);
  return GANNET_OK;
}

void gannet_free(void *pointer_to_pointer) {
  free(load(pointer_to_pointer));
  save(pointer_to_pointer, NULL);
}

gannet_err gannet_copy_text(const char *text, char **copy) {
  *copy = NULL;
  if (!text) return GANNET_OK;
  const size_t bytes = strlen(text) + 1;
  GANNET_TRY(gannet_alloc(bytes, 1, copy));
  memcpy(*copy, text, bytes);
  return GANNET_OK;
}

bool gannet_memory_holds(double bytes, double *total) {
  double available = 0;
  if (bytes <= little) return true;
  gannet_memory_of_machine(&available, total);
  return *total <= 0 || bytes <= *total;
}
