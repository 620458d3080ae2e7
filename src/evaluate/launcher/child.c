#define _GNU_SOURCE /* vfork, syscall */
/* Starting a child: its environment, its files, and an exact account of what went wrong. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "evaluate/launcher/protocol.h"

/* Variables by which a nested launcher would take the child for a rank of this job, or bind it to
 * the processors of this job's step. The rest of SLURM_* stays: a nested srun finds its allocation
 * there.
 */
static const char *const withheld[] = {
    "OMPI_",
    "ORTE_",
    "PMIX_",
    "PRTE_",
    "PMI_",
    "PMI2_",
    "HYDI_",
    "HYDRA_",
    "MPI_LOCAL",
    "MPIR_CVAR_CH3",
    "MV2_COMM_WORLD",
    "PALS_",
    "SLURM_CPU_BIND",
    "SLURM_MEM_BIND",
    "SLURM_ACCEL_BIND",
    "SLURM_STEP",
    "SLURM_SRUN_",
    "SLURM_PROCID",
    "SLURM_LOCALID",
    "SLURM_NODEID",
    "SLURM_GTIDS",
    "SLURM_TASK_PID",
    "SLURM_LAUNCH_NODE",
    "SLURM_DISTRIBUTION",
    "SLURM_EXACT",
    "SLURM_NTASKS",
    "SLURM_NPROCS",
    "SLURM_PMI",
};

/* Set by users, not by launchers. */
static const char *const kept[] = {"OMPI_ALLOW_RUN_AS_ROOT"};

/* Every mpirun of Open MPI and PRRTE binds its ranks to the first processors that it finds, and
 * knows nothing of others beside it. */
static const char *const no_binding[] = {"OMPI_MCA_hwloc_base_binding_policy=none",
                                         "PRTE_MCA_hwloc_default_binding_policy=none"};
enum { N_NO_BINDING = sizeof no_binding / sizeof *no_binding };

static bool starts_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

bool gannet_launcher_chooses_binding(const char *variable) {
  for (size_t i = 0; i < N_NO_BINDING; ++i)
    if (strncmp(variable, no_binding[i], strcspn(no_binding[i], "=") + 1) == 0) return true;
  return false;
}

bool gannet_launcher_withholds(const char *variable) {
  if (gannet_launcher_chooses_binding(variable)) return false;
  for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i)
    if (starts_with(variable, kept[i])) return false;
  for (size_t i = 0; i < sizeof withheld / sizeof *withheld; ++i)
    if (starts_with(variable, withheld[i])) return true;
  return false;
}

static bool is_replaced(const char *variable, char *const *additions) {
  const size_t name = strcspn(variable, "=") + 1;
  for (; *additions; ++additions)
    if (strncmp(variable, *additions, name) == 0) return true;
  return false;
}

/* Pointers only; the texts stay where they are. */
static char **merge(char *const *inherited, char *const *additions, bool unbinds_mpirun,
                    const char *mark) {
  size_t n = 2 + N_NO_BINDING, used = 0;
  for (char *const *at = inherited; *at; ++at) ++n;
  for (char *const *at = additions; *at; ++at) ++n;
  char **merged = calloc(n, sizeof *merged);
  if (!merged) return NULL;
  merged[used++] =
      (char *)(uintptr_t)mark; /* first, where gannet_launcher_signal_family finds it soon */
  for (char *const *at = inherited; *at; ++at)
    if (!gannet_launcher_withholds(*at) && !is_replaced(*at, additions)) merged[used++] = *at;
  for (char *const *at = additions; *at; ++at) merged[used++] = *at;
  for (size_t i = 0; i < used; ++i)
    if (gannet_launcher_chooses_binding(merged[i])) return merged;
  for (size_t i = 0; unbinds_mpirun && i < N_NO_BINDING; ++i)
    merged[used++] = (char *)(uintptr_t)no_binding[i];
  return merged;
}

void gannet_launcher_write_mark(pid_t helper, int64_t tag, char *mark) {
  (void)snprintf(mark, GANNET_LAUNCHER_MARK, "GANNET_LAUNCH=%ld.%lld", (long)helper,
                 (long long)tag);
}

/* In the memory of the parent, which waits. */
static void give_up(gannet_launcher_failure *what, const char *stage) {
  what->error = errno;
  what->stage = stage;
  _exit(127);
}

static void become_descriptor(gannet_launcher_failure *what, int file, int descriptor) {
  if (file < 0) give_up(what, "open");
  if (dup2(file, descriptor) < 0) give_up(what, "dup2");
  if (file != descriptor) (void)close(file);
}

/* What an earlier attempt left under the name of a log may be a FIFO, a device or a link, which
 * must not stop the launcher or lead it elsewhere: the log is made anew. */
static void open_log(gannet_launcher_failure *what, const char *name, int descriptor) {
  const int flags = O_WRONLY | O_CREAT | O_NOFOLLOW;
  struct stat about;
  int file = open(name, flags | O_TRUNC | O_NONBLOCK, 0666);
  if (file >= 0 && (fstat(file, &about) || !S_ISREG(about.st_mode))) {
    (void)close(file);
    file = -1;
  }
  if (file >= 0)
    (void)fcntl(file, F_SETFL, 0);
  else if (unlink(name) == 0)
    file = open(name, flags | O_EXCL, 0666);
  become_descriptor(what, file, descriptor);
}

static void reset_signals(void) {
  struct sigaction standard = {.sa_handler = SIG_DFL};
  sigset_t none;
  (void)sigemptyset(&standard.sa_mask);
  for (int signal = 1; signal < NSIG; ++signal) (void)sigaction(signal, &standard, NULL);
#ifdef SYS_rt_sigaction
  /* posix_spawn has the two signals of the C library ignored, which sigaction does not touch. */
  static const char zero[64]; /* the kernel's own struct for SIG_DFL */
  for (int signal = 32; signal < 34; ++signal)
    (void)syscall(SYS_rt_sigaction, signal, zero, NULL, (size_t)8);
#endif
  (void)sigemptyset(&none);
  (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the child, which has the memory of its parent: only calls that are allowed after vfork. What
 * this process ignores or blocks is of no concern to a simulation. */
static void become(const gannet_launcher_order *order, char **environment, pid_t parent,
                   gannet_launcher_failure *what) {
  if (setsid() < 0) give_up(what, "setsid");
#ifdef __linux__
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the parent be killed */
#endif
  if (getppid() != parent) _exit(127);
  if (chdir(order->directory)) give_up(what, "chdir");
  become_descriptor(what, open("/dev/null", O_RDONLY), STDIN_FILENO);
  open_log(what, "stdout.log", STDOUT_FILENO);
  open_log(what, "stderr.log", STDERR_FILENO);
  reset_signals();
  (void)execve(order->program, order->arguments, environment);
  give_up(what, "exec");
}

/* vfork, as fork copies the page tables of the process, and returns before exec has succeeded. The
 * parent sleeps until the child has become another program or has given up. */
static pid_t spawn(const gannet_launcher_order *order, char **environment,
                   gannet_launcher_failure *what) {
  const pid_t parent = getpid();
  const pid_t made = vfork();
  if (made == 0) become(order, environment, parent, what);
  return made;
}

pid_t gannet_launcher_spawn(const gannet_launcher_order *order, char *const *inherited,
                            const char *mark, gannet_launcher_failure *what) {
  *what = (gannet_launcher_failure){.stage = "allocate", .error = ENOMEM};
  char **environment = merge(inherited, order->environment, order->command.unbinds_mpirun, mark);
  if (!environment) return -1;
  *what = (gannet_launcher_failure){.stage = NULL};
  const pid_t made = spawn(order, environment, what);
  if (made < 0) *what = (gannet_launcher_failure){.stage = "fork", .error = errno};
  free(environment);
  if (made > 0 && what->stage) (void)waitpid(made, NULL, 0);
  return what->stage ? -1 : made;
}
