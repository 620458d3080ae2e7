#include "machine/inspect.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/resources.h"
#include "gannet/version.h"
#include "linalg/blas.h"
#include "linalg/blas_library.h"
#include "machine/topics.h"
#include "simulations/petsc.h"
#include "store/hdf5_version.h"

static gannet_err mpi_library_name(char *text, size_t size) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  GANNET_TRY_MPI(MPI_Get_library_version(version, &length));
  version[strcspn(version, ",\n")] = '\0';
  (void)snprintf(text, size, "%.*s", (int)size - 1, version);
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

/* Programs that were started by the launcher of another MPI library are each alone in their world.
 */
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

static gannet_err inspect_mpi(const machine_request *request, const machine_layout *layout,
                              machine_report *report) {
  char library[MACHINE_VALUE];
  int version = 0, subversion = 0, level = 0;
  GANNET_TRY(mpi_library_name(library, sizeof library));
  GANNET_TRY_MPI(MPI_Get_version(&version, &subversion));
  GANNET_TRY_MPI(MPI_Query_thread(&level));
  machine_say(report, "MPI", "library", "%s", library);
  machine_say(report, "MPI", "standard", "%d.%d", version, subversion);
  if (version != MPI_VERSION || subversion != MPI_SUBVERSION)
    machine_advise(report, MACHINE_CHANGE,
                   "gannet was compiled for MPI %d.%d: compile it again with the library above, or "
                   "load the module it was compiled with",
                   MPI_VERSION, MPI_SUBVERSION);
  machine_say(report, "MPI", "ranks", "%d on %d node%s", request->np, layout->nodes,
              layout->nodes == 1 ? "" : "s");
  compare_with_launcher(request->np, report);
  machine_say(report, "MPI", "thread level", "%s", level_name(level));
  return GANNET_OK;
}

static void compare_versions(const char *topic, const char *built, const char *loaded,
                             machine_state state, machine_report *report) {
  if (strcmp(built, loaded) != 0)
    machine_advise(report, state,
                   "gannet was compiled for %s %s: compile it again, or load the version it was "
                   "compiled with",
                   topic, built);
}

static void inspect_libraries(machine_report *report) {
  char built[32], loaded[32];
  gannet_hdf5_version(built, loaded, sizeof built);
  machine_say(report, "libraries", "HDF5", "%s, %s", loaded,
              gannet_hdf5_is_parallel() ? "built for MPI" : "serial");
  compare_versions("HDF5", built, loaded, MACHINE_CHANGE, report);
  gannet_petsc_version(built, loaded, sizeof built);
  machine_say(report, "libraries", "PETSc", "%s", loaded);
  compare_versions("PETSc", built, loaded, MACHINE_CHANGE, report);
  gannet_scalapack_version(loaded, sizeof loaded);
  machine_say(report, "libraries", "ScaLAPACK", "%s", loaded);
  gannet_lapack_version(loaded, sizeof loaded);
  machine_say(report, "libraries", "LAPACK", "%s", loaded);
}

static void inspect_memory(const machine_layout *layout, machine_report *report) {
  const double least = 256e6; /* bytes: libraries, and models of a few thousand observations */
  double available = 0, total = 0;
  struct rlimit limit;
  gannet_memory_of_machine(&available, &total);
  if (total <= 0) return;
  machine_say(report, "memory", "available", "%.1f of %.1f GB", available / 1e9, total / 1e9);
  machine_say(report, "memory", "per rank", "%.2f GB", available / layout->ranks / 1e9);
  if (available / layout->ranks < least)
    machine_advise(report, MACHINE_CHANGE,
                   "a rank takes about 0.1 GB and 4 n^2 bytes for n observations: start fewer "
                   "ranks, or ask for more memory");
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    machine_say(report, "memory", "limit", "%.2f GB of addresses per process (ulimit -v)",
                (double)limit.rlim_cur / 1e9);
    if ((double)limit.rlim_cur < 1e9)
      machine_advise(report, MACHINE_CHANGE, "libraries alone take most of it: raise the limit");
  }
}

static gannet_err check_directory(const machine_request *request) {
  struct stat about;
  if (request->rank > 0) return GANNET_OK;
  if (stat(request->directory, &about)) return gannet_raise_errno("find", request->directory);
  GANNET_REQUIRE(S_ISDIR(about.st_mode), GANNET_ERR_INPUT,
                 "'%s' is not a directory; give that of a campaign or a campaign file "
                 "(*.yaml), or leave it out",
                 request->directory);
  return GANNET_OK;
}

gannet_err machine_inspect(const machine_request *request, machine_report *report) {
  machine_layout layout;
  GANNET_TRY(gannet_agree(request->comm, check_directory(request)));
  GANNET_TRY(machine_find_layout(request->comm, &layout));
  GANNET_TRY(inspect_mpi(request, &layout, report));
  GANNET_TRY(machine_inspect_blas(request, report));
  if (request->rank == 0) {
    machine_inspect_processors(request, &layout, report);
    GANNET_TRY(machine_inspect_places(request, report));
    inspect_libraries(report);
    inspect_memory(&layout, report);
  }
  GANNET_TRY(machine_inspect_storage(request, report));
  return request->rank == 0 ? machine_inspect_slurm(request, report) : GANNET_OK;
}

/* Write the JSON object of a summary. All but ranks and nodes describes this rank. */
static gannet_err write_summary_line(const machine_layout *layout, int np, bool agree, char *line,
                                     size_t size) {
  char mpi[128], blas[128], hdf5[32], petsc[32], built[32];
  double available = 0, total = 0;
  GANNET_TRY(mpi_library_name(mpi, sizeof mpi));
  machine_blas_name(blas, sizeof blas);
  gannet_hdf5_version(built, hdf5, sizeof built);
  gannet_petsc_version(built, petsc, sizeof built);
  gannet_memory_of_machine(&available, &total);
  json_t *json = json_pack(
      "{s:s, s:s, s:i, s:i, s:i, s:s, s:s, s:s, s:s, s:s, s:b, s:i, s:s, s:s, s:I}", "gannet",
      GANNET_VERSION, "host", layout->host, "ranks", np, "nodes", layout->nodes, "cores_per_node",
      layout->cores, "mpi", mpi, "blas", blas, "kernels", gannet_blas_kernel(), "kernels_use",
      gannet_vector_name(gannet_kernel_vector(gannet_blas_kernel())), "processor_has",
      gannet_vector_name(gannet_processor_vector()), "kernels_agree", (int)agree,
      "threads_per_rank", gannet_blas_threads(), "hdf5", hdf5, "petsc", petsc, "memory_available",
      (json_int_t)available);
  char *text = json ? json_dumps(json, JSON_ENSURE_ASCII) : NULL;
  (void)snprintf(line, size, "%s", text ? text : "{}");
  free(text);
  json_decref(json);
  return GANNET_OK;
}

gannet_err machine_summarise(MPI_Comm comm, machine_summary *summary) {
  machine_layout layout;
  bool agree = true;
  char what[2][64];
  int np = 0;
  memset(summary, 0, sizeof *summary);
  GANNET_TRY_MPI(MPI_Comm_size(comm, &np));
  GANNET_TRY(machine_find_layout(comm, &layout));
  GANNET_TRY(machine_kernels_agree(comm, &agree, what));
  GANNET_TRY(write_summary_line(&layout, np, agree, summary->line, sizeof summary->line));
  if (!machine_blas_is_slow(summary->warning[0], sizeof summary->warning[0]))
    summary->warning[0][0] = '\0';
  if (!agree)
    (void)snprintf(summary->warning[1], sizeof summary->warning[1],
                   "ranks have different BLAS kernels (rank 0 has %s, another %s): batches may "
                   "differ in their last digits from those of other numbers of ranks",
                   what[0], what[1]);
  return GANNET_OK;
}
