/* The supervisor of one child: a process between the helper and a simulation. It starts the child,
 * with an environment and files of its own and an exact account of what went wrong, and ends when
 * nothing is left of all that the child has started.
 */
#define _GNU_SOURCE /* sigtimedwait, vfork, syscall, sched_setaffinity */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/clock.h"
#include "evaluate/launcher/protocol.h"

static const double kill_pause = 0.005;  /* seconds between two rounds of SIGKILL */
static const double stuck_pause = 0.9;   /* the same after a second: somebody sits in the kernel */
static const double longest_rest = 0.25; /* seconds for what a child left, as some processes sit in
                                            the kernel */

/* The environment of the child. */

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

/* Variables of these beginnings are passed on: users set them, not launchers. */
static const char *const kept[] = {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_MCA_rmaps_base_oversubscribe="};

/* Every mpirun of Open MPI and PRRTE binds its ranks to the first processors that it finds,
 * although other simulations may run there: these variables keep it from that. */
static const char *const no_binding[] = {"OMPI_MCA_hwloc_base_binding_policy=none",
                                         "PRTE_MCA_hwloc_default_binding_policy=none"};
enum { N_NO_BINDING = sizeof no_binding / sizeof *no_binding };

/* Two more MPIs whose ranks bind themselves to the first processors. MVAPICH2 looks at the whole
 * machine, also where a simulation may use a part of it only; Intel MPI keeps to that part. */
static const struct {
  const char *variable, *chosen[2]; /* a variable that begins so says what the user wants */
  bool keeps_to_place;
} binding_by_itself[] = {{"MV2_ENABLE_AFFINITY=0", {"MV2_ENABLE_AFFINITY=", "MV2_CPU_"}, false},
                         {"I_MPI_PIN=off", {"I_MPI_PIN", "I_MPI_PIN"}, true}};
enum { N_BY_ITSELF = sizeof binding_by_itself / sizeof *binding_by_itself };

static bool starts_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

bool gannet_launcher_chooses_binding(const char *variable) {
  for (size_t i = 0; i < N_NO_BINDING; ++i)
    if (strncmp(variable, no_binding[i], strcspn(no_binding[i], "=") + 1) == 0) return true;
  return false;
}

/* An archive of gannet (tools/make-archive) brings an Open MPI of its own, which is not for the
 * simulations. */
static const char *const of_archive[] = {"OPAL_PREFIX=", "OPAL_SYSCONFDIR="};

bool gannet_launcher_withholds(const char *variable) {
  if (gannet_launcher_chooses_binding(variable)) return false;
  for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i)
    if (starts_with(variable, kept[i])) return false;
  for (size_t i = 0; i < sizeof withheld / sizeof *withheld; ++i)
    if (starts_with(variable, withheld[i])) return true;
  const char *archive = getenv("GANNET_ARCHIVE");
  for (size_t i = 0; archive && archive[0] && i < sizeof of_archive / sizeof *of_archive; ++i) {
    const size_t name = strlen(of_archive[i]);
    if (starts_with(variable, of_archive[i]) && starts_with(variable + name, archive)) return true;
  }
  return starts_with(variable, "GANNET_ARCHIVE=");
}

/* Append to an environment of n variables what keeps ranks from being bound, unless a variable of
 * the environment says something about it. Returns how many variables there are then. */
static size_t add_no_binding(char **environment, size_t n, bool is_placed) {
  bool is_chosen[1 + N_BY_ITSELF] = {false};
  for (size_t i = 0; i < n; ++i) {
    is_chosen[0] = is_chosen[0] || gannet_launcher_chooses_binding(environment[i]);
    for (size_t k = 0; k < N_BY_ITSELF; ++k)
      is_chosen[1 + k] = is_chosen[1 + k] ||
                         starts_with(environment[i], binding_by_itself[k].chosen[0]) ||
                         starts_with(environment[i], binding_by_itself[k].chosen[1]);
  }
  for (size_t i = 0; !is_chosen[0] && i < N_NO_BINDING; ++i)
    environment[n++] = (char *)(uintptr_t)no_binding[i];
  for (size_t k = 0; k < N_BY_ITSELF; ++k)
    if (!is_chosen[1 + k] && !(is_placed && binding_by_itself[k].keeps_to_place))
      environment[n++] = (char *)(uintptr_t)binding_by_itself[k].variable;
  return n;
}

/* Merge the inherited environment and the additions of an order. Only pointers are copied. */
static char **merge_environment(char *const *inherited, const gannet_launcher_order *order,
                                const char *mark) {
  char *const *additions = order->environment;
  size_t n = 2 + N_NO_BINDING + N_BY_ITSELF, used = 0;
  for (char *const *at = inherited; *at; ++at) ++n;
  for (char *const *at = additions; *at; ++at) ++n;
  char **merged = calloc(n, sizeof *merged);
  if (!merged) return NULL;
  merged[used++] =
      (char *)(uintptr_t)mark; /* first, where gannet_launcher_signal_family finds it soon */
  for (char *const *at = inherited; *at; ++at) {
    const size_t name = strcspn(*at, "=") + 1;
    bool is_replaced = false;
    for (char *const *new = additions; *new && !is_replaced; ++new)
      is_replaced = strncmp(*at, *new, name) == 0;
    if (!is_replaced && !gannet_launcher_withholds(*at)) merged[used++] = *at;
  }
  for (char *const *at = additions; *at; ++at) merged[used++] = *at;
  if (order->command.unbinds_mpirun) (void)add_no_binding(merged, used, order->command.is_placed);
  return merged;
}

/* Starting the child. */

/* Which call kept the child from being started, and why. It is volatile, as the child writes it
 * after vfork into the memory of its parent, which the compiler cannot know. */
typedef volatile struct {
  const char *stage; /* NULL = none */
  int error;
} failure;

/* End the child, and write why into the memory of the parent, which waits. */
static void give_up(failure *what, const char *stage) {
  what->error = errno;
  what->stage = stage;
  _exit(127);
}

static void become_descriptor(failure *what, int file, int descriptor) {
  if (file < 0) give_up(what, "open");
  if (dup2(file, descriptor) < 0) give_up(what, "dup2");
  if (file != descriptor) (void)close(file);
}

/* What an earlier attempt left under the name of a log may be a FIFO, a device or a link, which
 * must not stop the launcher or lead it elsewhere: the log is made anew. */
static void open_log(failure *what, const char *name, int descriptor) {
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

/* Signals that this process ignores. Those that it handles are reset when a program is executed. */
static sigset_t find_ignored(void) {
  struct sigaction now;
  sigset_t ignored;
  (void)sigemptyset(&ignored);
  for (int signal = 1; signal < NSIG; ++signal)
    if (sigaction(signal, NULL, &now) == 0 && now.sa_handler == SIG_IGN)
      (void)sigaddset(&ignored, signal);
  return ignored;
}

static void reset_signals(const sigset_t *ignored) {
  struct sigaction standard = {.sa_handler = SIG_DFL};
  sigset_t none;
  (void)sigemptyset(&standard.sa_mask);
  for (int signal = 1; signal < NSIG; ++signal)
    if (sigismember(ignored, signal) == 1) (void)sigaction(signal, &standard, NULL);
#ifdef SYS_rt_sigaction
  /* posix_spawn has the two signals of the C library ignored, which sigaction does not touch. */
  static const char zero[64]; /* the kernel's own struct for SIG_DFL */
  for (int signal = 32; signal < 34; ++signal)
    (void)syscall(SYS_rt_sigaction, signal, zero, NULL, (size_t)8);
#endif
  (void)sigemptyset(&none);
  (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Become the program, in the child. It shares the memory of its parent: only calls are made that
 * are allowed after vfork. Signals that this process ignores or blocks are reset for the
 * simulation. */
static void become_child(const gannet_launcher_order *order, char **environment, pid_t parent,
                         const sigset_t *ignored, failure *what) {
  if (setsid() < 0) give_up(what, "setsid");
#ifdef __linux__
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the parent be killed */
#endif
  if (getppid() != parent) _exit(127);
  if (chdir(order->directory)) give_up(what, "chdir");
  become_descriptor(what, open("/dev/null", O_RDONLY), STDIN_FILENO);
  open_log(what, "stdout.log", STDOUT_FILENO);
  open_log(what, "stderr.log", STDERR_FILENO);
#ifdef __linux__
  if (order->command.is_placed &&
      sched_setaffinity(0, sizeof order->command.processors,
                        (const cpu_set_t *)(const void *)order->command.processors))
    give_up(what, "affinity");
#endif
  reset_signals(ignored);
  (void)execve(order->program, order->arguments, environment);
  give_up(what, "exec");
}

/* vfork, as fork copies the page tables of the process, and returns before exec has succeeded. The
 * parent sleeps until the child has become another program or has given up. */
static pid_t spawn_child(const gannet_launcher_order *order, char **environment,
                         const sigset_t *ignored, failure *what) {
  const pid_t parent = getpid();
  const pid_t made = vfork();
  if (made == 0) become_child(order, environment, parent, ignored, what);
  return made;
}

/* Start the child. Returns its process, which is its session and group, too; or -1.
 *
 * inherited  in  NULL-terminated environment that order->environment is added to
 * mark       in  "GANNET_LAUNCH=...", by which its processes are found when the helper has died
 * ignored    in  signals to be reset
 */
static pid_t start_child(const gannet_launcher_order *order, char *const *inherited,
                         const char *mark, const sigset_t *ignored, failure *what) {
  *what = (failure){.stage = "allocate", .error = ENOMEM};
  char **environment = merge_environment(inherited, order, mark);
  if (!environment) return -1;
  *what = (failure){.stage = NULL};
  const pid_t made = spawn_child(order, environment, ignored, what);
  if (made < 0) *what = (failure){.stage = "fork", .error = errno};
  free(environment);
  if (made > 0 && what->stage) (void)waitpid(made, NULL, 0);
  return what->stage ? -1 : made;
}

/* Watching it. */

typedef struct {
  int reports;
  const char *results; /* "" = none */
  gannet_launcher_report report;
  bool has_ended; /* the child */
  bool kills;
  double killed_since; /* of the monotonic clock */
} supervisor;

static void send_report(supervisor *own, gannet_launcher_report_kind news) {
  ssize_t written;
  own->report.news = news;
  do written = write(own->reports, &own->report, sizeof own->report);
  while (written < 0 && errno == EINTR);
}

static void begin_to_kill(supervisor *own) {
  if (!own->kills) own->killed_since = gannet_clock_seconds();
  own->kills = true;
}

/* Reap processes that have ended. Returns whether any is left: what an ended process had started
 * has become a child of this one by then. */
static bool reap_children(supervisor *own) {
  int status;
  pid_t ended;
  while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
    if (ended != own->report.child) continue;
    own->has_ended = true;
    own->report.ended = gannet_clock_seconds();
    own->report.event.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    own->report.event.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }
  return ended == 0;
}

static void wait_for_signals(supervisor *own, const sigset_t *signals) {
  const bool is_stuck = own->kills && gannet_clock_seconds() > own->killed_since + 1;
  const struct timespec pause = {0, (long)(1e9 * (is_stuck ? stuck_pause : kill_pause))};
  const int caught = own->kills ? sigtimedwait(signals, NULL, &pause) : sigwaitinfo(signals, NULL);
  if (caught == GANNET_LAUNCHER_TERMINATE) {
    const pid_t group = own->has_ended ? 0 : own->report.child;
    if (group) (void)kill(-group, SIGTERM);
    (void)gannet_launcher_signal_all(0, NULL, group, SIGTERM);
  } else if (caught == GANNET_LAUNCHER_KILL) {
    begin_to_kill(own);
  }
}

/* Wait until the child has ended and nothing is left that it started. Returns false when processes
 * that cannot be killed are left. */
static bool watch_child(supervisor *own, const sigset_t *signals) {
  while (reap_children(own)) {
    if (own->has_ended && !own->kills) {
      own->report.event.results_open = own->results[0] && gannet_launcher_holds(own->results);
      begin_to_kill(own);
    }
    if (own->kills) (void)gannet_launcher_signal_all(0, NULL, 0, SIGKILL);
    if (own->has_ended && gannet_clock_seconds() > own->killed_since + longest_rest) return false;
    wait_for_signals(own, signals);
  }
  return true;
}

/* Start and watch one child. Returns whether nothing is left of it. */
static bool run_child(const gannet_launcher_order *order, const gannet_launcher_lines *lines,
                      pid_t helper, const sigset_t *signals, const sigset_t *ignored) {
  supervisor own = {.reports = lines->reports, .results = order->results};
  char mark[GANNET_LAUNCHER_MARK];
  failure what;
  (void)snprintf(mark, sizeof mark, "GANNET_LAUNCH=%ld.%lld", (long)helper,
                 (long long)order->command.tag);
  own.report.supervisor = getpid();
  own.report.child = start_child(order, lines->inherited, mark, ignored, &what);
  if (own.report.child < 0) {
    own.report.event.error = what.error;
    (void)snprintf(own.report.event.stage, sizeof own.report.event.stage, "%s", what.stage);
    own.report.is_free = lines->orders >= 0;
    send_report(&own, GANNET_LAUNCHER_GAVE_UP);
    return true;
  }
  send_report(&own, GANNET_LAUNCHER_BEGAN);
  const bool is_clean = watch_child(&own, signals);
  own.report.is_free = is_clean && lines->orders >= 0;
  send_report(&own, GANNET_LAUNCHER_ENDED);
  return is_clean;
}

int gannet_launcher_unpack(char *message, size_t size, gannet_launcher_order *order) {
  enum { PATHS = 4 }; /* that an order begins with */
  memset(order, 0, sizeof *order);
  memcpy(&order->command, message, sizeof order->command);
  const int n_arguments = order->command.n_arguments;
  const int wanted = PATHS + n_arguments + order->command.n_environment;
  char *at = message + sizeof order->command, *end = message + size;
  char **texts = calloc((size_t)wanted + 2, sizeof *texts);
  order->texts = texts;
  if (!texts) return ENOMEM;
  for (int i = 0; i < wanted; ++i) {
    char *zero = memchr(at, '\0', (size_t)(end - at));
    if (!zero) return EPROTO;
    texts[i + (i >= PATHS + n_arguments)] = at; /* a NULL between and after the two lists */
    at = zero + 1;
  }
  order->directory = texts[0];
  order->program = texts[1];
  order->outcome = texts[2];
  order->results = texts[3];
  order->arguments = texts + PATHS;
  order->environment = texts + PATHS + n_arguments + 1;
  return 0;
}

/* Take orders until the helper closes the socket. */
static void take_orders(const gannet_launcher_lines *lines, pid_t helper, const sigset_t *signals,
                        const sigset_t *ignored) {
  char *message = lines->orders >= 0 ? malloc(GANNET_LAUNCHER_MESSAGE) : NULL;
  bool is_clean = message != NULL;
  while (is_clean) {
    gannet_launcher_order order;
    ssize_t size;
    do size = recv(lines->orders, message, GANNET_LAUNCHER_MESSAGE, 0);
    while (size < 0 && errno == EINTR);
    if (size < (ssize_t)sizeof order.command) return;
    /* the helper has read the same message: what is missing is memory, and it hears of our end */
    is_clean = gannet_launcher_unpack(message, (size_t)size, &order) == 0 &&
               run_child(&order, lines, helper, signals, ignored);
    free(order.texts);
  }
}

static void supervise(const gannet_launcher_order *order, const gannet_launcher_lines *lines,
                      pid_t helper) {
  const sigset_t ignored = find_ignored();
  sigset_t signals;
  (void)sigemptyset(&signals);
  (void)sigaddset(&signals, SIGCHLD);
  (void)sigaddset(&signals, GANNET_LAUNCHER_TERMINATE);
  (void)sigaddset(&signals, GANNET_LAUNCHER_KILL);
  (void)sigprocmask(SIG_BLOCK, &signals, NULL);
  (void)signal(GANNET_LAUNCHER_TERMINATE, SIG_DFL); /* what is ignored cannot be waited for */
  (void)signal(GANNET_LAUNCHER_KILL, SIG_DFL);
#ifdef __linux__
  (void)prctl(PR_SET_NAME, "sim-supervisor");
  (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
  (void)prctl(PR_SET_PDEATHSIG, GANNET_LAUNCHER_KILL);
#endif
  if (getppid() != helper) _exit(1);
  if (run_child(order, lines, helper, &signals, &ignored))
    take_orders(lines, helper, &signals, &ignored);
}

pid_t gannet_launcher_supervise(const gannet_launcher_order *order,
                                const gannet_launcher_lines *lines) {
  const pid_t helper = getpid();
  const pid_t made = fork();
  if (made != 0) return made;
  for (int i = 0; i < lines->n_closed; ++i) (void)close(lines->closed[i]);
  supervise(order, lines, helper);
  _exit(0);
}
