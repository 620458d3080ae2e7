/* The libraries besides MPI and BLAS. */
#include <string.h>

#include "linalg/blas_library.h"
#include "machine/parts.h"
#include "minimize/petsc.h"
#include "store/hdf5_version.h"

static void compare(const char *topic, const char *built, const char *loaded, machine_state state,
                    machine_report *report) {
  if (strcmp(built, loaded) != 0)
    machine_advise(report, state,
                   "gannet was compiled for %s %s: compile it again, or load the version it was "
                   "compiled with",
                   topic, built);
}

void machine_inspect_libraries(machine_report *report) {
  char built[32], loaded[32];
  gannet_hdf5_version(built, loaded, sizeof built);
  machine_say(report, "libraries", "HDF5", "%s, %s", loaded,
              gannet_hdf5_is_parallel() ? "built for MPI" : "serial");
  compare("HDF5", built, loaded, MACHINE_CHANGE, report);
  gannet_petsc_version(built, loaded, sizeof built);
  machine_say(report, "libraries", "PETSc", "%s", loaded);
  compare("PETSc", built, loaded, MACHINE_CHANGE, report);
  gannet_scalapack_version(loaded, sizeof loaded);
  machine_say(report, "libraries", "ScaLAPACK", "%s", loaded);
  gannet_lapack_version(loaded, sizeof loaded);
  machine_say(report, "libraries", "LAPACK", "%s", loaded);
}
