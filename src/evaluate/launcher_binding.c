/* Which processors simulations may use when an MPI launcher has bound their controller.
 *
 * mpirun and srun bind every rank to processors of its own. Simulations are no part of that rank,
 * and would all inherit the processors of rank 0. They get those of the launcher's own process
 * instead, which are those of the job: what a batch system, a cpuset or taskset has left to it.
 */
#define _GNU_SOURCE /* sched_setaffinity */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evaluate/launcher_protocol.h"

#ifdef __linux__
enum { MOST_LEVELS = 16 }; /* of shells and wrappers between a launcher and its rank */

/* Variables that the launchers of Open MPI, PMIx, MPICH, Intel MPI and SLURM set for their ranks.
 */
static bool is_rank(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                      "MPI_LOCALRANKID", "SLURM_PROCID"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (getenv(names[i])) return true;
  return false;
}

static bool is_launcher(const char *name) {
  static const char *const names[] = {
      "mpirun", "mpiexec",         "orterun",       "orted",          "prterun",   "prted",
      "prte",   "hydra_pmi_proxy", "mpiexec.hydra", "hydra_bstrap_p", "slurmstepd"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strncmp(name, names[i], 15) == 0) return true;
  return false;
}

/* proc(5): pid (name) state ppid. */
static bool look_at(long pid, char *name, size_t size, long *parent) {
  char path[64], text[512], state;
  (void)snprintf(path, sizeof path, "/proc/%ld/stat", pid);
  FILE *file = fopen(path, "re");
  if (!file) return false;
  const bool got = fgets(text, (int)sizeof text, file) != NULL;
  (void)fclose(file);
  char *first = got ? strchr(text, '(') : NULL, *last = got ? strrchr(text, ')') : NULL;
  if (!first || !last || sscanf(last + 1, " %c %ld", &state, parent) != 2) return false;
  *last = '\0';
  (void)snprintf(name, size, "%s", first + 1);
  return true;
}

void gannet_launcher_unbind(void) {
  char name[64];
  long pid = (long)getppid(), parent = 0;
  cpu_set_t processors;
  if (!is_rank()) return;
  for (int i = 0; i < MOST_LEVELS && pid > 1; ++i, pid = parent) {
    if (!look_at(pid, name, sizeof name, &parent)) return;
    if (!is_launcher(name)) continue;
    if (sched_getaffinity((pid_t)pid, sizeof processors, &processors) == 0)
      (void)sched_setaffinity(0, sizeof processors, &processors);
    return;
  }
}
#else
void gannet_launcher_unbind(void) {
}
#endif
