#define _GNU_SOURCE /* syscall */
/* The helper process: one loop over commands from the controller, reports of supervisors, and
 * deadlines.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/clock.h"
#include "evaluate/launcher/protocol.h"

extern char **environ;

enum { MOST_SOCKETS = 256 }; /* supervisors that take further orders; the rest are forked anew */
static const double patience = 1; /* seconds from SIGTERM to SIGKILL when the controller has gone */

typedef struct {
  int64_t tag;
  pid_t supervisor, pid; /* pid: 0 = not started yet */
  int orders;            /* socket of its supervisor; -1 = none */
  bool is_signalled;     /* its supervisor, which may meet the signal later */
  uint64_t nonce;
  char *outcome; /* owned; "" = none */
  double grace;
  double started;  /* epoch */
  double begun;    /* the same by the monotonic clock */
  double deadline; /* of the monotonic clock: SIGTERM then, INFINITY = never */
  double kill_at;  /* of the monotonic clock: SIGKILL then, INFINITY = never */
  bool limit, cancelled;
} child;

/* A supervisor without a child. */
typedef struct {
  pid_t supervisor;
  int orders; /* its socket */
} free_supervisor;

typedef struct {
  int socket;
  int reports[2]; /* pipe from the supervisors */
  bool gone;      /* the controller */
  char *message;
  int n, capacity;
  child *children;
  int n_free, n_sockets; /* n_sockets: of all supervisors, at most MOST_SOCKETS */
  free_supervisor free[MOST_SOCKETS];
  int n_events, event_capacity;
  gannet_launch_event *events; /* not yet sent */
} helper;

/* Make room for one more element; NULL when there is no memory, as the helper has no error record.
 */
static void *grown(void *array, int n, int *capacity, size_t size) {
  if (n < *capacity) return array;
  void *larger = realloc(array, 2 * (size_t)(*capacity + 8) * size);
  if (larger) *capacity = 2 * (*capacity + 8);
  return larger;
}

static void queue_event(helper *own, const gannet_launch_event *event) {
  void *larger = grown(own->events, own->n_events, &own->event_capacity, sizeof *event);
  if (!larger) abort(); /* the controller learns that the helper died; a lost event would hang it */
  own->events = larger;
  own->events[own->n_events++] = *event;
}

/* Send events to the controller. It may be busy for hours: events that do not fit into the socket
 * wait here. */
static void send_events(helper *own) {
  int sent = 0;
  while (sent < own->n_events && !own->gone) {
    if (send(own->socket, &own->events[sent], sizeof *own->events, MSG_DONTWAIT | MSG_NOSIGNAL) >=
        0)
      ++sent;
    else if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS)
      break;
    else if (errno != EINTR)
      own->gone = true;
  }
  if (sent == 0) return;
  own->n_events -= sent;
  memmove(own->events, own->events + sent, (size_t)own->n_events * sizeof *own->events);
}

static void report_refusal(helper *own, int64_t tag, const char *stage, int error) {
  gannet_launch_event event;
  memset(&event, 0, sizeof event);
  event.type = GANNET_LAUNCH_REFUSED;
  event.tag = tag;
  event.error = error;
  event.exit_code = -1;
  event.started = event.ended = gannet_clock_epoch();
  (void)snprintf(event.stage, sizeof event.stage, "%s", stage);
  queue_event(own, &event);
}

static void close_orders(helper *own, int orders) {
  if (orders < 0) return;
  (void)close(orders);
  own->n_sockets -= 1;
}

/* Hand the message to a supervisor that is free, as a fork costs more than all else here. Returns
 * whether there was one. */
static bool reuse_supervisor(helper *own, size_t size, child *made) {
  while (own->n_free > 0) {
    const free_supervisor next = own->free[--own->n_free];
    if (send(next.orders, own->message, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size) {
      made->supervisor = next.supervisor;
      made->orders = next.orders;
      return true;
    }
    close_orders(own, next.orders); /* somebody has killed it */
  }
  return false;
}

static void fork_supervisor(helper *own, const gannet_launcher_order *order, child *made) {
  int pair[2] = {-1, -1}, closed[MOST_SOCKETS + 3], n = 0;
  closed[n++] = own->socket;
  closed[n++] = own->reports[0];
  for (int i = 0; i < own->n; ++i)
    if (own->children[i].orders >= 0) closed[n++] = own->children[i].orders;
  for (int i = 0; i < own->n_free; ++i) closed[n++] = own->free[i].orders;
  /* without a socket, the supervisor ends with its child */
  if (own->n_sockets < MOST_SOCKETS &&
      socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0)
    closed[n++] = pair[0];
  const gannet_launcher_lines lines = {.inherited = environ,
                                       .reports = own->reports[1],
                                       .orders = pair[1],
                                       .n_closed = n,
                                       .closed = closed};
  made->supervisor = gannet_launcher_supervise(order, &lines);
  const int error = errno;
  made->orders = pair[0];
  own->n_sockets += pair[0] >= 0;
  if (pair[1] >= 0) (void)close(pair[1]);
  if (made->supervisor < 0) close_orders(own, made->orders);
  errno = error;
}

static void launch_child(helper *own, size_t size) {
  gannet_launcher_order order;
  const int error = gannet_launcher_unpack(own->message, size, &order);
  const gannet_launcher_command *command = &order.command;
  child *larger = error ? NULL : grown(own->children, own->n, &own->capacity, sizeof *larger);
  if (larger) own->children = larger;
  child made = {.tag = command->tag,
                .orders = -1,
                .nonce = command->nonce,
                .outcome = error ? NULL : strdup(order.outcome),
                .grace = command->grace,
                .started = gannet_clock_epoch(), /* the child may be through before it is seen */
                .begun = gannet_clock_seconds(),
                .kill_at = INFINITY};
  made.deadline = made.begun + command->time_limit;
  if (error || !larger || !made.outcome) {
    report_refusal(own, command->tag, error == EPROTO ? "read" : "allocate",
                   error ? error : ENOMEM);
    free(made.outcome);
  } else {
    if (!reuse_supervisor(own, size, &made)) fork_supervisor(own, &order, &made);
    if (made.supervisor < 0) {
      report_refusal(own, command->tag, "fork", errno);
      free(made.outcome);
    } else {
      own->children[own->n++] = made;
    }
  }
  free(order.texts);
}

/* Tell a supervisor what to do with its child. Somebody may have stopped it, with all of its group
 * for example: it has to go on to meet the signal. */
static void signal_supervisor(child *one, int signal) {
  one->is_signalled = true;
  (void)kill(one->supervisor, signal);
  (void)kill(one->supervisor, SIGCONT);
}

static void terminate_child(child *one, double grace) {
  signal_supervisor(one, GANNET_LAUNCHER_TERMINATE);
  one->deadline = INFINITY;
  one->kill_at = gannet_clock_seconds() + grace;
}

static void receive_command(helper *own) {
  gannet_launcher_command command;
  const ssize_t size = recv(own->socket, own->message, GANNET_LAUNCHER_MESSAGE, 0);
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (size < (ssize_t)sizeof command) {
    own->gone = true;
    return;
  }
  memcpy(&command, own->message, sizeof command);
  if (command.verb == GANNET_LAUNCHER_DO_LAUNCH) {
    launch_child(own, (size_t)size);
    return;
  }
  for (int i = 0; i < own->n; ++i)
    if (own->children[i].tag == command.tag && !own->children[i].cancelled) {
      own->children[i].cancelled = true;
      terminate_child(&own->children[i], command.grace);
    }
}

/* Write a file whole, or not at all. */
static void replace_file(const char *path, const char *text, size_t size) {
  char fresh[PATH_MAX + 8];
  (void)snprintf(fresh, sizeof fresh, "%s.new", path);
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  int file = open(fresh, flags, 0666);
  if (file < 0 && unlink(fresh) == 0) file = open(fresh, flags, 0666); /* of a simulation */
  if (file < 0) return;
  const bool is_written = write(file, text, size) == (ssize_t)size;
  if (close(file) || !is_written || rename(fresh, path)) (void)unlink(fresh);
}

/* Write outcome.json. A failure to write is not fatal, as the event tells the controller the same.
 * The file need not survive a crash of the machine: results without an outcome are made again. */
static void write_outcome(const child *one, const gannet_launch_event *event) {
  char text[512];
  if (!one->outcome[0] || one->cancelled) return;
  const int size =
      snprintf(text, sizeof text,
               "{\"nonce\": \"%016llx\", \"pid\": %d, \"exit_code\": %d, \"signal\": %d, "
               "\"time_limit\": %s, \"results_open\": %s, \"started\": %.6f, \"ended\": %.6f}\n",
               (unsigned long long)one->nonce, event->pid, event->exit_code, event->signal,
               event->limit ? "true" : "false", event->results_open ? "true" : "false",
               event->started, event->ended);
  replace_file(one->outcome, text, (size_t)size);
}

/* Remove a child whose supervisor has nothing left of it. The supervisor waits for another order,
 * unless it was signalled: it may get that signal when it already has the next child. */
static void dismiss(helper *own, child *one, bool is_free) {
  if (is_free && !one->is_signalled)
    own->free[own->n_free++] = (free_supervisor){one->supervisor, one->orders};
  else
    close_orders(own, one->orders);
  free(one->outcome);
  *one = own->children[--own->n];
}

static void report_end(helper *own, child *one, const gannet_launcher_report *report) {
  gannet_launch_event event = report->event;
  event.type = GANNET_LAUNCH_ENDED;
  event.tag = one->tag;
  event.pid = (int)one->pid;
  event.limit = one->limit;
  event.cancelled = one->cancelled;
  event.started = one->started;
  event.ended = one->started + report->ended - one->begun; /* clocks are set at times */
  write_outcome(one, &event);
  queue_event(own, &event);
  dismiss(own, one, report->is_free);
}

static child *find_by_supervisor(helper *own, pid_t supervisor) {
  for (int i = 0; i < own->n; ++i)
    if (own->children[i].supervisor == supervisor) return &own->children[i];
  return NULL;
}

static void take_reports(helper *own) {
  gannet_launcher_report report;
  while (read(own->reports[0], &report, sizeof report) == (ssize_t)sizeof report) {
    child *one = find_by_supervisor(own, report.supervisor);
    if (!one) continue;
    if (report.news == GANNET_LAUNCHER_ENDED) {
      report_end(own, one, &report);
    } else if (report.news == GANNET_LAUNCHER_GAVE_UP) {
      report_refusal(own, one->tag, report.event.stage, report.event.error);
      dismiss(own, one, report.is_free);
    } else {
      gannet_launch_event event = {.type = GANNET_LAUNCH_STARTED, .tag = one->tag};
      one->pid = report.child;
      event.pid = (int)one->pid;
      event.started = one->started;
      event.ended = NAN;
      queue_event(own, &event);
    }
  }
}

/* Kill what supervisors have left that were killed. Such processes become children of this one;
 * kill again until none is left. */
static void kill_strays(const helper *own) {
  const int n = own->n + own->n_free;
  pid_t *spared = calloc((size_t)n + 1, sizeof *spared);
  for (int i = 0; spared && i < own->n; ++i) spared[i] = own->children[i].supervisor;
  for (int i = 0; spared && i < own->n_free; ++i) spared[own->n + i] = own->free[i].supervisor;
  for (int i = 0; spared && i < 50; ++i) {
    if (gannet_launcher_signal_all(n, spared, 0, SIGKILL) == 0) break;
    gannet_clock_sleep(0.005);
  }
  free(spared);
}

/* Report the end of a child whose supervisor was killed: the child was killed with it. */
static void lose_supervisor(helper *own, child *one) {
  const gannet_launcher_report report = {.event = {.exit_code = -1, .signal = SIGKILL},
                                         .ended = gannet_clock_seconds()};
  const bool was_started = one->pid > 0;
  kill_strays(own);
  if (was_started) {
    report_end(own, one, &report);
  } else {
    report_refusal(own, one->tag, "start", EAGAIN);
    dismiss(own, one, false);
  }
}

/* Reap supervisors that have ended, and orphans of those that were killed. */
static void reap_supervisors(helper *own) {
  pid_t ended;
  take_reports(own);
  while ((ended = waitpid(-1, NULL, WNOHANG)) > 0) {
    if (find_by_supervisor(own, ended)) take_reports(own); /* its last one may just have come */
    child *one = find_by_supervisor(own, ended);
    if (one) lose_supervisor(own, one);
    for (int i = own->n_free - 1; i >= 0; --i)
      if (own->free[i].supervisor == ended) {
        close_orders(own, own->free[i].orders);
        own->free[i] = own->free[--own->n_free];
      }
  }
}

static void keep_deadlines(helper *own) {
  const double now = gannet_clock_seconds();
  for (int i = 0; i < own->n; ++i) {
    child *one = &own->children[i];
    if (now >= one->deadline) {
      one->limit = true;
      terminate_child(one, one->grace);
    }
    if (now >= one->kill_at) {
      signal_supervisor(one, GANNET_LAUNCHER_KILL);
      one->kill_at = now + 1; /* again, for what was forked meanwhile */
    }
  }
}

/* Wait for a command, a report, a deadline or SIGCHLD. SIGCHLD is blocked except during pselect, so
 * that none is missed between reaping and waiting. */
static void wait_for_something(helper *own, const sigset_t *during) {
  fd_set in, out;
  double next = INFINITY;
  for (int i = 0; i < own->n; ++i)
    next = fmin(next, fmin(own->children[i].deadline, own->children[i].kill_at));
  const double left = fmin(fmax(next - gannet_clock_seconds(), 0), 3600);
  const struct timespec timeout = {(time_t)left, (long)(1e9 * (left - floor(left)))};
  FD_ZERO(&in);
  FD_ZERO(&out);
  FD_SET(own->socket, &in);
  FD_SET(own->reports[0], &in);
  if (own->n_events > 0) FD_SET(own->socket, &out);
  const int most = own->socket > own->reports[0] ? own->socket : own->reports[0];
  const int found = pselect(most + 1, &in, &out, NULL, &timeout, during);
  if (found > 0 && FD_ISSET(own->socket, &in)) receive_command(own);
}

/* End all simulations. An srun that is killed at once leaves its step on other nodes, where a
 * gannet that resumes the campaign would not find it; so SIGTERM comes first. Outcomes are not
 * written any more: what a simulation writes when it is told to end is no result. */
static void end_all(helper *own) {
  const double begun = gannet_clock_seconds(), until = begun + 10;
  /* Supervisors that are free end by that, also those whose last report was not read. */
  while (own->n_free > 0) close_orders(own, own->free[--own->n_free].orders);
  for (int i = 0; i < own->n; ++i) {
    close_orders(own, own->children[i].orders);
    own->children[i].orders = -1;
  }
  for (int i = 0; i < own->n; ++i) signal_supervisor(&own->children[i], GANNET_LAUNCHER_TERMINATE);
  for (;;) {
    pid_t ended;
    const bool kills = gannet_clock_seconds() > begun + patience;
    for (int i = 0; kills && i < own->n; ++i)
      signal_supervisor(&own->children[i], GANNET_LAUNCHER_KILL);
    while ((ended = waitpid(-1, NULL, WNOHANG)) > 0) {
      child *one = find_by_supervisor(own, ended);
      if (one) dismiss(own, one, false);
    }
    if (ended < 0 && errno == ECHILD) return;
    if (own->n == 0) kill_strays(own);
    if (gannet_clock_seconds() > until) return; /* stuck in the kernel; nothing more can be done */
    gannet_clock_sleep(0.005);
  }
}

static void noticed(int signal) {
  (void)signal; /* its only purpose is to interrupt pselect */
}

/* Ignore the signals of terminals and schedulers: they are for the controller, which then decides.
 */
static void set_signals(sigset_t *during) {
  static const int ignored[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGPIPE,
                                SIGALRM, SIGTSTP, SIGTTIN, SIGTTOU, SIGXCPU};
  struct sigaction action = {.sa_handler = SIG_IGN};
  sigset_t blocked;
  (void)sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; ++i)
    (void)sigaction(ignored[i], &action, NULL);
  action.sa_handler = noticed;
  (void)sigaction(SIGCHLD, &action, NULL);
  /* Supervisors wait for these two, and may get them from their first moment on. */
  action.sa_handler = SIG_DFL;
  (void)sigemptyset(during);
  (void)sigaddset(during, GANNET_LAUNCHER_TERMINATE);
  (void)sigaddset(during, GANNET_LAUNCHER_KILL);
  blocked = *during;
  (void)sigaddset(&blocked, SIGCHLD);
  (void)sigprocmask(SIG_SETMASK, &blocked, NULL);
  (void)sigaction(GANNET_LAUNCHER_TERMINATE, &action, NULL);
  (void)sigaction(GANNET_LAUNCHER_KILL, &action, NULL);
}

static int mark_own(int descriptor) {
  (void)fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
}

/* Close all descriptors but the socket: somebody may wait for the end of pipes of mpirun and
 * sockets of MPI. Returns the socket, at a small number that select can take. */
static int close_all_but(int socket) {
  if (socket < 3) socket = fcntl(socket, F_DUPFD, 4);
  const int null = open("/dev/null", O_RDWR);
  for (int standard = 0; standard <= 2; ++standard)
    if (null >= 0 && null != standard) (void)dup2(null, standard);
  if (socket != 3) (void)dup2(socket, 3);
#ifdef SYS_close_range
  if (syscall(SYS_close_range, 4u, ~0u, 0u) == 0) return mark_own(3);
#endif
  long most = sysconf(_SC_OPEN_MAX);
  if (most < 0 || most > 65536) most = 65536;
  for (int descriptor = 4; descriptor < (int)most; ++descriptor) (void)close(descriptor);
  return mark_own(3);
}

_Noreturn void gannet_launcher_serve(int socket) {
  const gannet_launch_event hello = {.type = GANNET_LAUNCH_STARTED, .tag = GANNET_LAUNCHER_HELLO};
  helper own = {0};
  sigset_t during;
  (void)setsid(); /* out of reach of signals to the controller's process group */
  gannet_launcher_unbind();
  set_signals(&during);
  own.socket = close_all_but(socket);
#ifdef __linux__
  (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
  (void)prctl(PR_SET_NAME, "gannet-launcher");
#endif
  own.message = malloc(GANNET_LAUNCHER_MESSAGE);
  own.gone = !own.message || pipe(own.reports);
  if (!own.gone) {
    (void)fcntl(mark_own(own.reports[0]), F_SETFL, O_NONBLOCK);
    (void)mark_own(own.reports[1]);
  }
  queue_event(&own, &hello);
  while (!own.gone) {
    reap_supervisors(&own);
    keep_deadlines(&own);
    send_events(&own);
    if (!own.gone) wait_for_something(&own, &during);
  }
  end_all(&own);
  _exit(0);
}
