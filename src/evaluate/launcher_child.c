/* Starting a child: its environment, its files, and an exact account of what went wrong. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "evaluate/launcher_protocol.h"

typedef struct {
  int error;
  char stage[24];
} failure;

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

static bool starts_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

bool gannet_launcher_withholds(const char *variable) {
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
static char **merge(char *const *inherited, char *const *additions, char *mark) {
  size_t n = 2, used = 0;
  for (char *const *at = inherited; *at; ++at) ++n;
  for (char *const *at = additions; *at; ++at) ++n;
  char **merged = calloc(n, sizeof *merged);
  if (!merged) return NULL;
  merged[used++] = mark; /* first, where gannet_launcher_signal_family finds it soon */
  for (char *const *at = inherited; *at; ++at)
    if (!gannet_launcher_withholds(*at) && !is_replaced(*at, additions)) merged[used++] = *at;
  for (char *const *at = additions; *at; ++at) merged[used++] = *at;
  return merged;
}

void gannet_launcher_mark(int64_t tag, char *mark) {
  (void)snprintf(mark, GANNET_LAUNCHER_MARK, "GANNET_LAUNCH=%ld.%lld", (long)getpid(),
                 (long long)tag);
}

static void give_up(int report, const char *stage) {
  failure what = {.error = errno};
  (void)snprintf(what.stage, sizeof what.stage, "%s", stage);
  /* Below PIPE_BUF: whole or not at all. Nothing can be done when even this fails. */
  if (write(report, &what, sizeof what) < 0) _exit(126);
  _exit(127);
}

static void redirect(int report, const char *name, int flags, int descriptor) {
  const int file = open(name, flags, 0666);
  if (file < 0) give_up(report, "open");
  if (dup2(file, descriptor) < 0) give_up(report, "dup2");
  if (file != descriptor) (void)close(file);
}

static void reset_signals(void) {
  struct sigaction standard = {.sa_handler = SIG_DFL};
  sigset_t none;
  (void)sigemptyset(&standard.sa_mask);
  for (int signal = 1; signal < NSIG; ++signal) (void)sigaction(signal, &standard, NULL);
  (void)sigemptyset(&none);
  (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the child; only calls that are allowed after fork. */
static void become(const gannet_launcher_order *order, char **environment, int report) {
  if (setsid() < 0) give_up(report, "setsid");
#ifdef __linux__
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the helper itself be killed */
#endif
  if (chdir(order->directory)) give_up(report, "chdir");
  redirect(report, "/dev/null", O_RDONLY, STDIN_FILENO);
  redirect(report, "stdout.log", O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  redirect(report, "stderr.log", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  reset_signals();
  (void)execve(order->program, order->arguments, environment);
  give_up(report, "exec");
}

/* The pipe closes at exec; what comes through it before that is a failure. */
static int await_exec(int report, failure *what) {
  ssize_t size;
  do size = read(report, what, sizeof *what);
  while (size < 0 && errno == EINTR);
  return size == (ssize_t)sizeof *what ? -1 : 0;
}

static int fail(const char **stage, const char *what, int error) {
  *stage = what;
  errno = error;
  return -1;
}

/* The text of a stage that outlives the record it came in. */
static const char *known_stage(const char *stage) {
  static const char *const stages[] = {"setsid", "chdir", "open", "dup2", "exec"};
  for (size_t i = 0; i < sizeof stages / sizeof *stages; ++i)
    if (strcmp(stage, stages[i]) == 0) return stages[i];
  return "start";
}

int gannet_launcher_spawn(const gannet_launcher_order *order, char *const *inherited, pid_t *pid,
                          const char **stage) {
  char mark[GANNET_LAUNCHER_MARK];
  int report[2];
  failure what = {0};
  gannet_launcher_mark(order->command.tag, mark);
  char **environment = merge(inherited, order->environment, mark);
  if (!environment) return fail(stage, "allocate", ENOMEM);
  if (pipe(report)) {
    const int error = errno;
    free(environment);
    return fail(stage, "pipe", error);
  }
  (void)fcntl(report[0], F_SETFD, FD_CLOEXEC);
  (void)fcntl(report[1], F_SETFD, FD_CLOEXEC);
  *pid = fork();
  const int error = errno;
  if (*pid == 0) become(order, environment, report[1]);
  (void)close(report[1]);
  const int failed = *pid > 0 ? await_exec(report[0], &what) : 0;
  (void)close(report[0]);
  free(environment);
  if (*pid < 0) return fail(stage, "fork", error);
  return failed ? fail(stage, known_stage(what.stage), what.error) : 0;
}
