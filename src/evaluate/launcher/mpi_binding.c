/* What an MPI launcher has set for the rank that is the controller, and simulations must not
 * inherit.
 *
 * mpirun and srun bind every rank to processors and memory of its own, and may set variables for
 * its threads. Simulations are no part of that rank, and would all share what rank 0 has. They get
 * what the launcher's own process has instead, which is what the job has: what a batch system, a
 * cpuset or taskset has left to it. What the launcher's command line asks for by name is the
 * user's, and stays.
 *
 * Limits (ulimit) are left as they are: no launcher sets other limits than its own, and this
 * process starts before MPI could. Signals are reset for each child by
 * evaluate/launcher/supervisor.c.
 */
#define _GNU_SOURCE /* sched_setaffinity, memmem */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "evaluate/launcher/protocol.h"

#ifdef __linux__
extern char **environ;

enum {
  MOST_LEVELS = 16,  /* of shells and wrappers between a launcher and its rank */
  DEFAULT_MEMORY = 0 /* MPOL_DEFAULT of set_mempolicy(2) */
};

/* Texts of /proc that end with a zero byte each; empty when they may not be read. */
typedef struct {
  char *text; /* owned */
  size_t size;
} texts;

typedef struct {
  long pid;
  bool is_daemon; /* started by a system and not by a user's command */
  bool is_slurm;
  texts words, environment;
} launcher;

/* Variables that the launchers of Open MPI, PMIx, MPICH, Intel MPI and SLURM set for their ranks.
 */
static bool is_rank(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                      "MPI_LOCALRANKID", "SLURM_PROCID"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (getenv(names[i])) return true;
  return false;
}

/* The kernel keeps 15 characters of a name. */
static bool is_one_of(const char *name, const char *const *names) {
  for (; *names; ++names)
    if (strncmp(name, *names, 15) == 0) return true;
  return false;
}

static const char *const commands[] = {
    "mpirun", "mpiexec",         "orterun",       "prterun",
    "prte",   "hydra_pmi_proxy", "mpiexec.hydra", "hydra_bstrap_proxy",
    NULL};
static const char *const daemons[] = {"orted", "prted", "slurmstepd", NULL};

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

static texts read_texts(long pid, const char *name) {
  enum { STEP = 65536 };
  texts got = {NULL, 0};
  char path[64];
  size_t n = 1;
  (void)snprintf(path, sizeof path, "/proc/%ld/%s", pid, name);
  FILE *file = fopen(path, "re");
  while (file && n > 0) {
    char *larger = realloc(got.text, got.size + STEP + 1);
    if (!larger) break;
    got.text = larger;
    n = fread(got.text + got.size, 1, STEP, file);
    got.size += n;
    got.text[got.size] = '\0';
  }
  if (file) (void)fclose(file);
  return got;
}

/* The outermost of the launchers in a row: mpirun of Intel MPI and MPICH starts others, which have
 * added variables of their own. */
static bool find_launcher(launcher *found) {
  char name[64];
  long pid = (long)getppid(), parent = 0;
  *found = (launcher){0};
  for (int i = 0; i < MOST_LEVELS && pid > 1; ++i, pid = parent) {
    if (!look_at(pid, name, sizeof name, &parent)) break;
    const bool is_daemon = is_one_of(name, daemons);
    if (is_daemon && found->pid) break;
    if (is_daemon || is_one_of(name, commands)) {
      found->pid = pid;
      found->is_daemon = is_daemon;
      found->is_slurm = strcmp(name, "slurmstepd") == 0;
    } else if (found->pid) {
      break;
    }
    if (is_daemon) break;
  }
  if (!found->pid) return false;
  found->words = read_texts(found->pid, "cmdline");
  found->environment = read_texts(found->pid, "environ");
  return true;
}

/* Whether the launcher was told to start one of these programs: mpirun -n 1 nice gannet. */
static bool starts(const launcher *by, const char *program, const char *other) {
  for (size_t at = 0; at < by->words.size; at += strlen(by->words.text + at) + 1) {
    const char *word = by->words.text + at, *slash = strrchr(word, '/');
    if (slash) word = slash + 1;
    if (strcmp(word, program) == 0 || strcmp(word, other) == 0) return true;
  }
  return false;
}

static void take_processors(const launcher *from) {
  cpu_set_t processors;
  if (starts(from, "taskset", "numactl")) return;
  if (sched_getaffinity((pid_t)from->pid, sizeof processors, &processors) == 0)
    (void)sched_setaffinity(0, sizeof processors, &processors);
}

/* A daemon of the system has a priority of its own. To become less nice needs a permission that
 * most users lack. */
static void take_priority(const launcher *from) {
  struct sched_param parameters;
  if (from->is_daemon || starts(from, "nice", "chrt")) return;
  const int policy = sched_getscheduler((pid_t)from->pid);
  if (policy >= 0 && policy != sched_getscheduler(0) &&
      sched_getparam((pid_t)from->pid, &parameters) == 0)
    (void)sched_setscheduler(0, policy, &parameters);
  errno = 0;
  const int nice_value = getpriority(PRIO_PROCESS, (id_t)from->pid);
  if (errno == 0 && nice_value != getpriority(PRIO_PROCESS, 0))
    (void)setpriority(PRIO_PROCESS, 0, nice_value);
}

/* numa_maps(5): "address policy ..."; the system tells the policy of another process only there.
 * SLURM's daemon belongs to root and lets nobody read it, but says what it has bound. */
static void take_memory(const launcher *from) {
#if defined SYS_set_mempolicy && defined SYS_get_mempolicy
  int policy = DEFAULT_MEMORY;
  char theirs[32] = "";
  const char *bound = getenv("SLURM_MEM_BIND_TYPE");
  if (starts(from, "numactl", "numactl")) return;
  if (syscall(SYS_get_mempolicy, &policy, NULL, 0L, NULL, 0L) || policy == DEFAULT_MEMORY) return;
  const texts maps = read_texts(from->pid, "numa_maps");
  if (maps.size > 0) (void)sscanf(maps.text, "%*s %31s", theirs);
  if (strcmp(theirs, "default") == 0 ||
      (from->is_slurm && !*theirs && bound && *bound && strcmp(bound, "none") != 0))
    (void)syscall(SYS_set_mempolicy, DEFAULT_MEMORY, NULL, 0L);
  free(maps.text);
#else
  (void)from;
#endif
}

/* The value that a variable had when the launcher was started; NULL = none. */
static const char *value_there(const launcher *by, const char *name) {
  const size_t length = strlen(name);
  for (size_t at = 0; at < by->environment.size; at += strlen(by->environment.text + at) + 1) {
    const char *variable = by->environment.text + at;
    if (strncmp(variable, name, length) == 0 && variable[length] == '=')
      return variable + length + 1;
  }
  return NULL;
}

/* Where threads and ranks are put. How many threads there are (OMP_NUM_THREADS) binds nothing, and
 * no launcher of ours sets it. */
static bool binds(const char *variable) {
  static const char *const beginnings[] = {
      "OMP_PLACES=",    "OMP_PROC_BIND=", "GOMP_CPU_AFFINITY=", "KMP_AFFINITY=",
      "KMP_HW_SUBSET=", "I_MPI_PIN",      "HFI_NO_BACKTRACE=",  "IPATH_NO_BACKTRACE="};
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; ++i)
    if (strncmp(variable, beginnings[i], strlen(beginnings[i])) == 0) return true;
  return gannet_launcher_chooses_binding(variable);
}

/* Give a variable the value that it had for the launcher. Words of the launcher's command line that
 * name it (-x OMP_PLACES=cores, env OMP_PLACES=cores) are the user's. */
static void take_variables(const launcher *from) {
  char name[128];
  if (from->environment.size == 0) return;
  for (char **at = environ; *at;) {
    const size_t length = strcspn(*at, "=");
    const bool is_candidate = binds(*at) && length < sizeof name;
    (void)snprintf(name, sizeof name, "%.*s", (int)length, is_candidate ? *at : "");
    const char *before = is_candidate ? value_there(from, name) : NULL;
    if (!is_candidate || (before && strcmp(before, *at + length + 1) == 0) ||
        (from->words.text && memmem(from->words.text, from->words.size, name, length))) {
      ++at;
      continue;
    }
    if (before ? setenv(name, before, 1) : unsetenv(name)) return;
    at = environ; /* the array may have moved */
  }
}

void gannet_launcher_unbind(void) {
  launcher found;
  if (!is_rank() || !find_launcher(&found)) return;
  take_processors(&found);
  take_priority(&found);
  take_memory(&found);
  if (!found.is_daemon) take_variables(&found);
  free(found.words.text);
  free(found.environment.text);
}
#else
void gannet_launcher_unbind(void) {
}
#endif
