/* Counts the allocations of a test's program, and lets one fail when the test says so. */
#ifndef GANNET_TESTS_ALLOCATIONS_H
#define GANNET_TESTS_ALLOCATIONS_H

#include <stdlib.h>

static long n_allocated;
static long until_failure; /* allocations until one fails; 0 = none does */

/* In place of the C library's, which gannet_alloc calls. */
void *aligned_alloc(size_t alignment, size_t size) {
  void *block = NULL;
  ++n_allocated;
  if (until_failure > 0 && --until_failure == 0) return NULL;
  return posix_memalign(&block, alignment, size) == 0 ? block : NULL;
}

#endif
