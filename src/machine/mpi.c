/* MPI. */
#include <stdlib.h>
#include <string.h>

#include "machine/parts.h"

gannet_err machine_mpi_library(char *text, size_t size) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  GANNET_TRY_MPI(MPI_Get_library_version(version, &length));
  version[strcspn(version, ",\n")] = '\0';
  (void)snprintf(text, size, "%s", version);
  return GANNET_OK;
}

static const char *level_name(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE:
      return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
      return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED:
      return "MPI_THREAD_SERIALIZED";
    default:
      return "MPI_THREAD_MULTIPLE";
  }
}

/* A program that was started by the launcher of another MPI library is alone in its world, many
 * times over. */
static void compare_with_launcher(int np, machine_report *report) {
  static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    const char *text = getenv(sizes[i]);
    const long started = text ? strtol(text, NULL, 10) : 0;
    if (started <= np) continue;
    machine_advise(report, MACHINE_CHANGE,
                   "the launcher started %ld processes (%s), which do not see each other: use the "
                   "launcher of the MPI library above, with srun perhaps --mpi=pmix",
                   started, sizes[i]);
    return;
  }
}

gannet_err machine_inspect_mpi(const machine_request *request, const machine_places *places,
                               machine_report *report) {
  char library[MACHINE_VALUE];
  int version = 0, subversion = 0, level = 0;
  GANNET_TRY(machine_mpi_library(library, sizeof library));
  GANNET_TRY_MPI(MPI_Get_version(&version, &subversion));
  GANNET_TRY_MPI(MPI_Query_thread(&level));
  machine_say(report, "MPI", "library", "%s", library);
  machine_say(report, "MPI", "standard", "%d.%d", version, subversion);
  if (version != MPI_VERSION || subversion != MPI_SUBVERSION)
    machine_advise(report, MACHINE_CHANGE,
                   "gannet was compiled for MPI %d.%d: compile it again with the library above, or "
                   "load the module it was compiled with",
                   MPI_VERSION, MPI_SUBVERSION);
  machine_say(report, "MPI", "ranks", "%d on %d node%s", request->np, places->nodes,
              places->nodes == 1 ? "" : "s");
  compare_with_launcher(request->np, report);
  machine_say(report, "MPI", "thread level", "%s", level_name(level));
  return GANNET_OK;
}
