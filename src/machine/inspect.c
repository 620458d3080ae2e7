#include "machine/inspect.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "gannet/version.h"
#include "linalg/blas.h"
#include "linalg/blas_library.h"
#include "machine/parts.h"
#include "minimize/petsc.h"
#include "store/hdf5_version.h"

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
  machine_places places;
  GANNET_TRY(gannet_agree(request->comm, check_directory(request)));
  GANNET_TRY(machine_find_places(request->comm, &places));
  GANNET_TRY(machine_inspect_mpi(request, &places, report));
  GANNET_TRY(machine_inspect_blas(request, report));
  if (request->rank == 0) {
    machine_inspect_processors(request, &places, report);
    machine_inspect_libraries(report);
    machine_inspect_memory(&places, report);
  }
  GANNET_TRY(machine_inspect_storage(request, report));
  return request->rank == 0 ? machine_inspect_slurm(request, report) : GANNET_OK;
}

/* Everything but ranks and nodes is what rank 0 has. */
static gannet_err write_line(const machine_places *places, int np, bool agree, char *line,
                             size_t size) {
  char mpi[128], blas[128], hdf5[32], petsc[32], built[32];
  double available = 0, total = 0;
  GANNET_TRY(machine_mpi_library(mpi, sizeof mpi));
  machine_blas_name(blas, sizeof blas);
  gannet_hdf5_version(built, hdf5, sizeof built);
  gannet_petsc_version(built, petsc, sizeof built);
  gannet_memory_of_machine(&available, &total);
  json_t *json = json_pack(
      "{s:s, s:s, s:i, s:i, s:i, s:s, s:s, s:s, s:s, s:s, s:b, s:i, s:s, s:s, s:I}", "gannet",
      GANNET_VERSION, "host", places->host, "ranks", np, "nodes", places->nodes, "cores_per_node",
      places->cores, "mpi", mpi, "blas", blas, "kernels", gannet_blas_kernel(), "kernels_use",
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
  machine_places places;
  bool agree = true;
  char what[2][64];
  int np = 0;
  memset(summary, 0, sizeof *summary);
  GANNET_TRY_MPI(MPI_Comm_size(comm, &np));
  GANNET_TRY(machine_find_places(comm, &places));
  GANNET_TRY(machine_kernels_agree(comm, &agree, what));
  GANNET_TRY(write_line(&places, np, agree, summary->line, sizeof summary->line));
  if (!machine_blas_is_slow(summary->warning[0], sizeof summary->warning[0]))
    summary->warning[0][0] = '\0';
  if (!agree)
    (void)snprintf(summary->warning[1], sizeof summary->warning[1],
                   "ranks have different BLAS kernels (rank 0 has %s, another %s): batches may "
                   "differ in their last digits from those of other numbers of ranks",
                   what[0], what[1]);
  return GANNET_OK;
}
