#include "base/mpi_start.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static bool is_in_path(const char *name) {
  const char *at = getenv("PATH");
  char path[4096];
  while (at && *at) {
    const int length = (int)strcspn(at, ":");
    const int used = snprintf(path, sizeof path, "%.*s/%s", length, at, name);
    if (used > 0 && (size_t)used < sizeof path && access(path, X_OK) == 0) return true;
    at += length + (at[length] == ':');
  }
  return false;
}

static long number_of(const char *variable) {
  const char *text = getenv(variable);
  return text ? strtol(text, NULL, 10) : 0;
}

/* How many processes a launcher of MPI started together with this one and connects; 1 without such
 * a launcher. PMIX_RANK is set by mpirun of Open MPI and by srun --mpi=pmix; PMI_* by Hydra of
 * MPICH and by srun --mpi=pmi2. */
static long count_connected(void) {
  const bool has_pmix = getenv("PMIX_RANK") != NULL;
  const bool has_pmi = getenv("PMI_RANK") || getenv("PMI_FD") || getenv("PMI_PORT");
  if (number_of("OMPI_COMM_WORLD_SIZE") > 0) return number_of("OMPI_COMM_WORLD_SIZE");
  if (!has_pmix && !has_pmi) return 1;
  if (number_of("PMI_SIZE") > 0) return number_of("PMI_SIZE");
  if (number_of("SLURM_STEP_NUM_TASKS") > 0) return number_of("SLURM_STEP_NUM_TASKS");
  return has_pmi ? 2 : 1; /* unknown: the MPI library will find out */
}

/* Only the first task of an interactive SLURM step has a terminal; whoever types there starts one
 * process, which nothing connects with the other tasks. */
static bool is_typed_in_a_step(void) {
  return getenv("SLURM_STEP_ID") && !getenv("OMPI_COMM_WORLD_SIZE") && isatty(STDIN_FILENO);
}

/* Remove what would make an MPI library look for a launcher. A launcher serves a process once: a
 * second command in the same shell would be refused, although it needs no other process. */
static void forget_launcher(void) {
  static const char *const prefixes[] = {"OMPI_", "PMIX_", "PMI_", "PMI2_"};
  static const char kept[] = "OMPI_ALLOW_RUN_AS_ROOT";
  for (char **at = environ; *at;) {
    char name[256];
    const size_t length = strcspn(*at, "=");
    bool is_launchers = false;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; ++i)
      is_launchers = is_launchers || strncmp(*at, prefixes[i], strlen(prefixes[i])) == 0;
    if (!is_launchers || length >= sizeof name || strncmp(*at, kept, strlen(kept)) == 0) {
      ++at;
      continue;
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)length, *at);
    (void)unsetenv(name);
    at = environ; /* the array has moved */
  }
  (void)unsetenv("SLURM_STEP_ID");
}

/* Open MPI begins a helper (orted) for a process without a launcher, and the helper refuses to run
 * on a machine without ssh and rsh, although nothing is to be started elsewhere. An empty
 * OMPI_MCA_plm_rsh_agent tells it so. */
static void allow_missing_ssh(void) {
  if (!is_in_path("ssh") && !is_in_path("rsh")) (void)setenv("OMPI_MCA_plm_rsh_agent", "", 0);
}

gannet_err gannet_mpi_prepare_program(void) {
  /* Without a helper, processes would share one directory of Open MPI's below /tmp, which the first
   * that ends takes from those that begin. So they get no directory, nor the component that warns
   * when it finds none. */
  static const char *const alone[][2] = {{"OMPI_MCA_orte_create_session_dirs", "0"},
                                         {"OMPI_MCA_sharedfp", "^sm"},
                                         {"OMPI_MCA_pml", "ob1"},
                                         {"OMPI_MCA_btl", "self"}};
  const bool isolated = getenv("OMPI_MCA_ess_singleton_isolated") != NULL;
  const long connected = is_typed_in_a_step() ? 1 : count_connected();
  const long tasks = getenv("SLURM_STEP_ID") ? number_of("SLURM_STEP_NUM_TASKS") : 1;
  if (connected > 1) return GANNET_OK;
  GANNET_REQUIRE(tasks <= 1 || is_typed_in_a_step() || getenv("OMPI_COMM_WORLD_SIZE"),
                 GANNET_ERR_INPUT,
                 "srun started %ld tasks without what MPI needs to connect them; type srun "
                 "--mpi=pmix instead of srun where `srun --mpi=list` shows pmix, or mpirun -n %ld "
                 "instead of srun; for a single process unset SLURM_STEP_ID",
                 tasks, tasks);
  if (isolated) return GANNET_OK;
  forget_launcher();
  allow_missing_ssh();
  (void)setenv("OMPI_MCA_ess_singleton_isolated", "1", 1);
  for (size_t i = 0; i < sizeof alone / sizeof *alone; ++i)
    (void)setenv(alone[i][0], alone[i][1], 1);
  return GANNET_OK;
}

int gannet_mpi_early_rank(void) {
  const char *task = getenv("SLURM_PROCID");
  return task ? (int)strtol(task, NULL, 10) : 0;
}

gannet_err gannet_mpi_start_alone(void) {
  const char *step = getenv("SLURM_STEP_ID");
  const bool is_launched = getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMIX_RANK");
  char kept[64] = "";
  int threads = MPI_THREAD_SINGLE;
  const bool hides = step && !is_launched && strlen(step) < sizeof kept;
  if (hides) {
    (void)snprintf(kept, sizeof kept, "%s", step);
    (void)unsetenv("SLURM_STEP_ID");
  }
  if (!is_launched) allow_missing_ssh();
  const int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &threads);
  if (hides) (void)setenv("SLURM_STEP_ID", kept, 1);
  GANNET_TRY_MPI(code);
  return GANNET_OK;
}
