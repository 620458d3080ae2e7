/* Loaded before the C library: one allocation fails, or all from one on. GANNET_FAIL_ALLOCATION is
 * its number, with a plus sign when all that follow fail, too. Without it, the number of all
 * allocations is written to standard error when the process ends. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

/* What glibc calls its functions itself, so that nothing needs to be looked for. */
void *__libc_malloc(size_t size);               /* NOLINT(bugprone-reserved-identifier) */
void *__libc_calloc(size_t count, size_t size); /* NOLINT(bugprone-reserved-identifier) */
void *__libc_realloc(void *old, size_t size);   /* NOLINT(bugprone-reserved-identifier) */

static long n_allocated, failing;
static bool begun, all_that_follow;

static bool fails(void) {
  if (!begun) {
    const char *text = getenv("GANNET_FAIL_ALLOCATION"); /* NOLINT(concurrency-mt-unsafe) */
    begun = true;
    failing = text ? strtol(text, NULL, 10) : 0;
    all_that_follow = text && strchr(text, '+');
  }
  ++n_allocated;
  if (failing == 0 || (all_that_follow ? n_allocated < failing : n_allocated != failing))
    return false;
  errno = ENOMEM;
  return true;
}

EXPORTED void *malloc(size_t size) {
  return fails() ? NULL : __libc_malloc(size);
}

EXPORTED void *calloc(size_t count, size_t size) {
  return fails() ? NULL : __libc_calloc(count, size);
}

EXPORTED void *realloc(void *old, size_t size) {
  return size > 0 && fails() ? NULL : __libc_realloc(old, size);
}

__attribute__((destructor)) static void tell(void) {
  char text[64];
  if (failing != 0) return;
  const int length = snprintf(text, sizeof text, "%ld allocations\n", n_allocated);
  (void)!write(STDERR_FILENO, text, (size_t)length);
}
