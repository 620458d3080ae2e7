/* BLAS: which one, its kernels, its rate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "evaluate/sleeping_wait.h"
#include "linalg/blas.h"
#include "linalg/blas_library.h"
#include "machine/topics.h"

void machine_blas_name(char *text, size_t size) {
  const char *all = gannet_blas_library();
  const char *end = strchr(all, ' ');
  if (end) end = strchr(end + 1, ' ');
  (void)snprintf(text, size, "%.*s", end ? (int)(end - all) : (int)strlen(all), all);
}

bool machine_blas_is_slow(char *why, size_t size) {
  const char *kernel = gannet_blas_kernel(), *pinned = getenv("OPENBLAS_CORETYPE");
  const gannet_vector used = gannet_kernel_vector(kernel), here = gannet_processor_vector();
  if (!gannet_kernel_is_slow(kernel)) return false;
  const int n =
      snprintf(why, size, "BLAS uses its %s kernels (%s), this processor has %s: ", kernel,
               gannet_vector_name(used), gannet_vector_name(here));
  if (n < 0 || (size_t)n >= size) return true;
  if (!gannet_blas_chooses())
    (void)snprintf(why + n, size - (size_t)n,
                   "this OpenBLAS has one set of kernels only; install one that was built with "
                   "DYNAMIC_ARCH=1, or for this processor");
  else if (getenv("GANNET_KEEP_BLAS") && pinned)
    (void)snprintf(why + n, size - (size_t)n,
                   "unset OPENBLAS_CORETYPE (now %s), or GANNET_KEEP_BLAS so that gannet does",
                   pinned);
  else
    (void)snprintf(
        why + n, size - (size_t)n,
        "set OPENBLAS_CORETYPE=%s, or install a newer OpenBLAS that knows this processor",
        gannet_kernel_for(here));
  return true;
}

gannet_err machine_kernels_agree(MPI_Comm comm, bool *agree, char what[2][64]) {
  char mine[64] = "";
  int rank = 0, np = 0, first = 0;
  (void)snprintf(mine, sizeof mine, "%.30s on a processor with %s", gannet_blas_kernel(),
                 gannet_vector_name(gannet_processor_vector()));
  memcpy(what[0], mine, sizeof mine);
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  GANNET_TRY_MPI(MPI_Comm_size(comm, &np));
  GANNET_TRY_MPI(MPI_Bcast(what[0], (int)sizeof mine, MPI_CHAR, 0, comm));
  const int me = strcmp(mine, what[0]) ? rank : np;
  GANNET_TRY_MPI(MPI_Allreduce(&me, &first, 1, MPI_INT, MPI_MIN, comm));
  *agree = first == np;
  memcpy(what[1], mine, sizeof mine);
  if (*agree) return GANNET_OK;
  GANNET_TRY_MPI(MPI_Bcast(what[1], (int)sizeof mine, MPI_CHAR, first, comm));
  return GANNET_OK;
}

/* Operations per second: the best of some products, times the share of a processor that this rank
 * had, because a product is shorter than the turns in which ranks share one. The first product
 * warms up. */
static double product_rate(int n, int products, double *work) {
  const size_t size = (size_t)n * (size_t)n;
  const double begin = gannet_clock_seconds(), worked = gannet_clock_processor();
  double best = 0;
  for (int i = 0; i <= products; ++i) {
    const double start = gannet_clock_seconds();
    gannet_gemm_nt(n, n, n, 1, work, n, work + size, n, 0, work + 2 * size, n);
    const double rate = 2.0 * n * n * n / (gannet_clock_seconds() - start);
    if (i > 0) best = fmax(best, rate);
  }
  return best * fmin(1, (gannet_clock_processor() - worked) / (gannet_clock_seconds() - begin));
}

/* The rate of rank 0 alone, while the others sleep, and then the slowest of all ranks at once. */
static gannet_err compare_rates(const machine_request *request, double *alone, double *together) {
  enum { N = 384, ALONE = 5, TOGETHER = 40 };
  double *work = NULL;
  const size_t size = (size_t)N * N;
  GANNET_TRY(gannet_alloc_on_all(request->comm, 3 * size, sizeof *work, &work));
  for (size_t i = 0; i < 2 * size; ++i) work[i] = 1.0 / (double)(1 + i % 7);
  *alone = request->rank == 0 ? product_rate(N, ALONE, work) : 0;
  gannet_err err = gannet_sleeping_bcast(request->comm, alone, (int)sizeof *alone);
  int mpi = MPI_SUCCESS;
  if (err == GANNET_OK) {
    mpi = MPI_Barrier(request->comm);
    const double mine = product_rate(N, TOGETHER, work);
    if (mpi == MPI_SUCCESS)
      mpi = MPI_Allreduce(&mine, together, 1, MPI_DOUBLE, MPI_MIN, request->comm);
  }
  gannet_free(&work);
  GANNET_TRY_MPI(mpi);
  return err;
}

/* OpenBLAS brings a LAPACK of its own; a reference library can come in through the alternatives of
 * the system that ScaLAPACK or PETSc are linked with. */
static void inspect_origin(const char *routine, const char *item, machine_report *report) {
  char path[MACHINE_VALUE];
  gannet_routine_file(routine, path, sizeof path);
  const char *name = gannet_file_name_of(path);
  machine_say(report, "BLAS", item, "%s", *path ? path : "unknown");
  if (strncmp(name, "libblas.so", 10) == 0 || strncmp(name, "liblapack.so", 12) == 0)
    if (!strstr(path, "openblas") && !strstr(path, "blis") && !strstr(path, "mkl"))
      machine_advise(report, MACHINE_CHANGE,
                     "this is the reference library, ten times slower or worse; on Debian: "
                     "update-alternatives --config %s-x86_64-linux-gnu",
                     strncmp(name, "libblas", 7) == 0 ? "libblas.so.3" : "liblapack.so.3");
}

static void inspect_kernel(machine_report *report) {
  char why[MACHINE_ADVICE];
  const char *kernel = gannet_blas_kernel(), *pinned = getenv("OPENBLAS_CORETYPE");
  machine_say(report, "BLAS", "kernels", "%s (%s; the processor has %s)", kernel,
              gannet_vector_name(gannet_kernel_vector(kernel)),
              gannet_vector_name(gannet_processor_vector()));
  if (machine_blas_is_slow(why, sizeof why))
    machine_advise(report, MACHINE_CHANGE, "%s", why);
  else if (pinned && gannet_kernel_is_slow(pinned))
    machine_advise(report, MACHINE_NOTE,
                   "gannet uses these instead of OPENBLAS_CORETYPE=%s, which other programs still "
                   "obey; GANNET_KEEP_BLAS=1 makes gannet obey it, too",
                   pinned);
}

static void inspect_rates(double alone, double together, int np, machine_report *report) {
  if (np == 1) {
    machine_say(report, "BLAS", "DGEMM", "%.1f GFLOP/s", alone / 1e9);
    return;
  }
  machine_say(report, "BLAS", "DGEMM", "%.1f GFLOP/s alone, %.1f per rank with all at work",
              alone / 1e9, together / 1e9);
  if (together < 0.6 * alone)
    machine_advise(
        report, MACHINE_NOTE,
        "ranks slow each other down: they share cores, or other work runs at the same time");
}

gannet_err machine_inspect_blas(const machine_request *request, machine_report *report) {
  double alone = 0, together = 0;
  bool agree = true;
  char what[2][64], name[MACHINE_VALUE];
  GANNET_TRY(machine_kernels_agree(request->comm, &agree, what));
  GANNET_TRY(compare_rates(request, &alone, &together));
  machine_blas_name(name, sizeof name);
  machine_say(report, "BLAS", "library", "%s%s", name,
              gannet_blas_chooses() ? ", chooses its kernels when loaded" : "");
  inspect_kernel(report);
  machine_say(report, "BLAS", "on all ranks", "%s", agree ? "the same" : "different");
  if (!agree)
    machine_advise(report, MACHINE_CHANGE,
                   "rank 0 has %s, another %s: batches then depend in their last digits on which "
                   "rank computed what; use one kind of node, or OPENBLAS_CORETYPE for the oldest "
                   "with GANNET_KEEP_BLAS=1",
                   what[0], what[1]);
  inspect_rates(alone, together, request->np, report);
  inspect_origin("dgemm_", "DGEMM from", report);
  inspect_origin("dpotrf_", "DPOTRF from", report);
  return GANNET_OK;
}
