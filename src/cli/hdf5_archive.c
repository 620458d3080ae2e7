/* What HDF5 calls when it is linked as an archive into a program without MPI and szip: stand-ins
 * for what it asks when it starts, and its allocations.
 *
 * HDF5 looks at few of its allocations (allocate.c), and inside of the program it cannot be told
 * from gannet by the address of a caller. The build therefore renames these three functions in a
 * copy of the archive. One that fails ends the process. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gannet/status.h"

int gannet_hdf5_unset(int *flag);
int gannet_hdf5_zero(void);
void *gannet_hdf5_malloc(size_t size);
void *gannet_hdf5_calloc(size_t count, size_t size);
void *gannet_hdf5_realloc(void *old, size_t size);

/* MPI_Initialized and MPI_Finalized */
int gannet_hdf5_unset(int *flag) {
  *flag = 0;
  return 0;
}

/* SZ_encoder_enabled */
int gannet_hdf5_zero(void) {
  return 0;
}

static void *block_or_end(void *block, size_t bytes) {
  char text[200];
  if (block || bytes == 0) return block;
  const int length = snprintf(
      text, sizeof text,
      "gannet: error: out of memory: %zu bytes for HDF5; ask for more memory, or raise the "
      "limit of memory per process (ulimit -v)\n",
      bytes);
  (void)!write(STDERR_FILENO, text, (size_t)length);
  _exit(GANNET_EXIT_RESOURCE);
}

void *gannet_hdf5_malloc(size_t size) {
  return block_or_end(malloc(size), size);
}

void *gannet_hdf5_calloc(size_t count, size_t size) {
  return block_or_end(calloc(count, size), count * size);
}

void *gannet_hdf5_realloc(void *old, size_t size) {
  return block_or_end(realloc(old, size), size);
}
