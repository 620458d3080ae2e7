/* A folder that all ranks of a test program share. */
#ifndef GANNET_TESTS_SHARED_FOLDER_H
#define GANNET_TESTS_SHARED_FOLDER_H

#include <mpi.h>
#include <string.h>

#include "support/folder.h"

static inline int rank_of_this(void) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static inline int make_shared_folder(void **state) {
  const int failed = rank_of_this() == 0 ? make_folder(state) : 0;
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
  return failed;
}

static inline int remove_shared_folder(void **state) {
  MPI_Barrier(MPI_COMM_WORLD);
  return rank_of_this() == 0 ? remove_folder(state) : 0;
}

static inline void put_text(const char *name, const char *text) {
  if (rank_of_this() == 0) put_bytes(in_folder(name), text, strlen(text));
  MPI_Barrier(MPI_COMM_WORLD);
}

#endif
