#include "evaluate/sleeping_wait.h"

#include <math.h>

#include "base/clock.h"

gannet_err gannet_sleeping_bcast(MPI_Comm comm, void *bytes, int size) {
  MPI_Request request;
  int done = 0;
  double pause = 1e-3; /* seconds */
  GANNET_TRY_MPI(MPI_Ibcast(bytes, size, MPI_BYTE, 0, comm, &request));
  GANNET_TRY_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
  while (!done) {
    gannet_clock_sleep(pause);
    pause = fmin(1.25 * pause, 20e-3);
    GANNET_TRY_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
  }
  return GANNET_OK;
}

gannet_err gannet_sleeping_agree(MPI_Comm comm, gannet_err local) {
  char token = 0;
  GANNET_TRY(gannet_sleeping_bcast(comm, &token, 1));
  return gannet_agree(comm, local);
}
