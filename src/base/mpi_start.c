#include "base/mpi_start.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Whether the environment has what an MPI library needs to find the other processes. PMIX_RANK:
 * mpirun of Open MPI 4 and later, and srun --mpi=pmix. PMI_*: Hydra of MPICH, and srun --mpi=pmi2,
 * which Open MPI understands only where it was built so; a single task does not need it. */
static bool is_connected(long tasks) {
  if (getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMIX_RANK")) return true;
  const bool has_pmi = getenv("PMI_RANK") || getenv("PMI_FD") || getenv("PMI_PORT");
#ifdef OPEN_MPI
  if (getenv("SLURM_STEP_ID") && tasks <= 1) return false;
#else
  (void)tasks;
#endif
  return has_pmi;
}

/* The number of tasks of the SLURM step around this process; 0 outside of one. */
static long count_step_tasks(void) {
  const char *text = getenv("SLURM_STEP_NUM_TASKS");
  if (!getenv("SLURM_STEP_ID")) return 0;
  if (!text) text = getenv("SLURM_NTASKS");
  const long tasks = text ? strtol(text, NULL, 10) : 1;
  return tasks > 0 ? tasks : 1;
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
  const long tasks = count_step_tasks();
  if (is_connected(tasks)) return GANNET_OK;
  /* Only the first task of an interactive step has the terminal: its shell is alone. */
  GANNET_REQUIRE(tasks <= 1 || isatty(STDIN_FILENO), GANNET_ERR_INPUT,
                 "srun started %ld tasks without what MPI needs to connect them; type srun "
                 "--mpi=pmix instead of srun where `srun --mpi=list` shows pmix, or mpirun -n %ld "
                 "instead of srun; for a single process unset SLURM_STEP_ID",
                 tasks, tasks);
  (void)unsetenv("SLURM_STEP_ID"); /* Open MPI would take this process for a task of that step */
  allow_missing_ssh();
  if (getenv("OMPI_MCA_ess_singleton_isolated")) return GANNET_OK;
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
  char kept[64] = "";
  int threads = MPI_THREAD_SINGLE;
  const bool hides = step && !is_connected(1) && strlen(step) < sizeof kept;
  if (hides) {
    (void)snprintf(kept, sizeof kept, "%s", step);
    (void)unsetenv("SLURM_STEP_ID");
  }
  if (!is_connected(1)) allow_missing_ssh();
  const int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &threads);
  if (hides) (void)setenv("SLURM_STEP_ID", kept, 1);
  GANNET_TRY_MPI(code);
  return GANNET_OK;
}
