/* Memory that a library wants and does not get.
 *
 * HDF5 and libfyaml look at few of their allocations. When one fails, they write through a null
 * pointer, report a syntax error in a sound file, or call exit(-1) without a word; MPI libraries
 * print pages of their own. The program therefore puts these functions before those of the C
 * library. A failed allocation of a library ends the process with the exit code for missing memory
 * and a message that says so. This is safe: whatever gannet acknowledged is in the journal, which
 * is made for the end of a process at any moment.
 *
 * Callers that report missing memory themselves get the null pointer: gannet, PETSc, LAPACKE, and a
 * simulation that runs in the process. What the C library wants counts as wanted by a library: most
 * of it is for strdup. The allocator behind these functions is the next one that the loader finds,
 * which may be one of the user's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evaluate/in_process/in_process.h"
#include "gannet/status.h"

#define EXPORTED __attribute__((visibility("default")))

typedef struct {
  void *(*malloc)(size_t size);
  void *(*calloc)(size_t count, size_t size);
  void *(*realloc)(void *block, size_t size);
} allocator;

/* The next malloc, calloc and realloc; null pointers while they are looked for, when the loader of
 * an old C library allocates and can do without. */
static const allocator *next_allocator(void) {
  static allocator next;
  static bool begun;
  if (begun) return &next;
  begun = true;
  /* POSIX lets void * hold functions, and ISO C has no conversion. */
  void *const found[3] = {dlsym(RTLD_NEXT, "malloc"), dlsym(RTLD_NEXT, "calloc"),
                          dlsym(RTLD_NEXT, "realloc")};
  memcpy(&next.malloc, &found[0], sizeof next.malloc);
  memcpy(&next.calloc, &found[1], sizeof next.calloc);
  memcpy(&next.realloc, &found[2], sizeof next.realloc);
  return &next;
}

static bool reports_by_itself(const char *library) {
  static const char *const known[] = {"libpetsc", "liblapacke"};
  const char *slash = strrchr(library, '/'), *name = slash ? slash + 1 : library;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    if (strncmp(name, known[i], strlen(known[i])) == 0) return true;
  return false;
}

/* Returns the null pointer to a caller that reports missing memory by itself, else ends the
 * process. Nothing here allocates. */
static void *refuse(size_t bytes, const void *caller) {
  static const char here; /* in the program itself */
  Dl_info library, own;
  char text[400];
  if (gannet_in_process_is_running()) return NULL;
  if (!dladdr(caller, &library) || !dladdr(&here, &own)) return NULL;
  if (library.dli_fbase == own.dli_fbase || reports_by_itself(library.dli_fname)) return NULL;
  const int length =
      snprintf(text, sizeof text,
               "gannet: error: out of memory: %zu bytes for %.200s; ask for more memory, or raise "
               "the limit of memory per process (ulimit -v)\n",
               bytes, library.dli_fname);
  (void)!write(STDERR_FILENO, text, (size_t)length);
  _exit(GANNET_EXIT_RESOURCE);
}

EXPORTED void *malloc(size_t size) {
  const allocator *next = next_allocator();
  void *block = next->malloc ? next->malloc(size) : NULL;
  return block || size == 0 || !next->malloc ? block : refuse(size, __builtin_return_address(0));
}

EXPORTED void *calloc(size_t count, size_t size) {
  const allocator *next = next_allocator();
  void *block = next->calloc ? next->calloc(count, size) : NULL;
  return block || count == 0 || size == 0 || !next->calloc
             ? block
             : refuse(count * size, __builtin_return_address(0));
}

EXPORTED void *realloc(void *old, size_t size) {
  const allocator *next = next_allocator();
  void *block = next->realloc ? next->realloc(old, size) : NULL;
  return block || size == 0 || !next->realloc ? block : refuse(size, __builtin_return_address(0));
}
