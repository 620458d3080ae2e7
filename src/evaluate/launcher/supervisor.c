/* The supervisor of one child: a process between the helper and a simulation. */
#define _GNU_SOURCE /* sigtimedwait */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
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

typedef struct {
  int reports;
  const char *results; /* "" = none */
  gannet_launcher_report report;
  bool has_ended; /* the child */
  bool kills;
  double killed_since; /* of the monotonic clock */
} supervisor;

static void tell(supervisor *own, gannet_launcher_report_kind news) {
  ssize_t written;
  own->report.news = news;
  do written = write(own->reports, &own->report, sizeof own->report);
  while (written < 0 && errno == EINTR);
}

static void begin_to_kill(supervisor *own) {
  if (!own->kills) own->killed_since = gannet_clock_seconds();
  own->kills = true;
}

/* Take up what has ended. Returns whether anything is left: what a process that has ended had
 * started is a child of this one by then. */
static bool reap(supervisor *own) {
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

/* Until the child has ended and nothing is left that it started. */
static void watch(supervisor *own, const sigset_t *signals) {
  while (reap(own)) {
    if (own->has_ended && !own->kills) {
      own->report.event.results_open = own->results[0] && gannet_launcher_holds(own->results);
      begin_to_kill(own);
    }
    if (own->kills) (void)gannet_launcher_signal_all(0, NULL, 0, SIGKILL);
    if (own->has_ended && gannet_clock_seconds() > own->killed_since + longest_rest) return;
    wait_for_signals(own, signals);
  }
}

static void run(const gannet_launcher_order *order, char *const *inherited, pid_t helper,
                int reports) {
  supervisor own = {.reports = reports, .results = order->results};
  char mark[GANNET_LAUNCHER_MARK];
  gannet_launcher_failure what;
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
  gannet_launcher_write_mark(helper, order->command.tag, mark);
  own.report.supervisor = getpid();
  own.report.child = gannet_launcher_spawn(order, inherited, mark, &what);
  if (own.report.child < 0) {
    own.report.event.error = what.error;
    (void)snprintf(own.report.event.stage, sizeof own.report.event.stage, "%s", what.stage);
    tell(&own, GANNET_LAUNCHER_GAVE_UP);
    _exit(0);
  }
  tell(&own, GANNET_LAUNCHER_BEGAN);
  watch(&own, &signals);
  tell(&own, GANNET_LAUNCHER_ENDED);
  _exit(0);
}

pid_t gannet_launcher_supervise(const gannet_launcher_order *order, char *const *inherited,
                                int reports, int n_closed, const int *closed) {
  const pid_t helper = getpid();
  const pid_t made = fork();
  if (made != 0) return made;
  for (int i = 0; i < n_closed; ++i) (void)close(closed[i]);
  run(order, inherited, helper, reports);
  _exit(1);
}
