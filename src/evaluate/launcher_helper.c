/* The helper process: one loop over the socket, ended children and deadlines. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/atomic_file.h"
#include "base/clock.h"
#include "evaluate/launcher_protocol.h"

extern char **environ;

enum { N_PATHS = 4 }; /* that an order begins with */

typedef struct {
  int64_t tag;
  pid_t pid;
  uint64_t nonce;
  char *outcome, *results; /* owned; "" = none */
  double grace;
  double started;  /* epoch */
  double begun;    /* the same by the monotonic clock */
  double deadline; /* of the monotonic clock: SIGTERM then, INFINITY = never */
  double kill_at;  /* of the monotonic clock: SIGKILL then, INFINITY = never */
  bool limit, cancelled;
} child;

typedef struct {
  int socket;
  bool gone; /* the controller */
  char *message;
  int n, capacity;
  child *children;
  int n_events, event_capacity;
  gannet_launch_event *events; /* not yet sent */
} helper;

/* Room for one more element, or NULL; the helper has no error record to raise into. */
static void *grown(void *array, int n, int *capacity, size_t size) {
  if (n < *capacity) return array;
  void *larger = realloc(array, 2 * (size_t)(*capacity + 8) * size);
  if (larger) *capacity = 2 * (*capacity + 8);
  return larger;
}

static void push(helper *own, const gannet_launch_event *event) {
  void *larger = grown(own->events, own->n_events, &own->event_capacity, sizeof *event);
  if (!larger) abort(); /* the controller learns that the helper died; a lost event would hang it */
  own->events = larger;
  own->events[own->n_events++] = *event;
}

/* The controller may be busy for hours: what does not fit into the socket waits here. */
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

static void refuse(helper *own, int64_t tag, const char *stage, int error) {
  gannet_launch_event event;
  memset(&event, 0, sizeof event);
  event.type = GANNET_LAUNCH_REFUSED;
  event.tag = tag;
  event.error = error;
  event.exit_code = -1;
  event.started = event.ended = gannet_clock_epoch();
  (void)snprintf(event.stage, sizeof event.stage, "%s", stage);
  push(own, &event);
}

/* Point into the message; -1 when it does not hold together. */
static int unpack(helper *own, size_t size, gannet_launcher_order *order, char **texts) {
  const gannet_launcher_command *command = &order->command;
  const int wanted = N_PATHS + command->n_arguments + command->n_environment;
  char *at = own->message + sizeof *command, *end = own->message + size;
  for (int i = 0; i < wanted; ++i) {
    char *zero = memchr(at, '\0', (size_t)(end - at));
    if (!zero) return -1;
    /* a NULL between and after the two lists */
    texts[i + (i >= N_PATHS + command->n_arguments)] = at;
    at = zero + 1;
  }
  order->directory = texts[0];
  order->program = texts[1];
  order->outcome = texts[2];
  order->results = texts[3];
  order->arguments = texts + N_PATHS;
  order->environment = texts + N_PATHS + command->n_arguments + 1;
  return 0;
}

static void release(child *one) {
  free(one->outcome);
  free(one->results);
}

static void begin(helper *own, const gannet_launcher_order *order) {
  const char *stage = "allocate";
  const gannet_launcher_command *command = &order->command;
  gannet_launch_event event;
  child *larger = grown(own->children, own->n, &own->capacity, sizeof *larger);
  if (larger) own->children = larger;
  child made = {.tag = command->tag,
                .nonce = command->nonce,
                .outcome = strdup(order->outcome),
                .results = strdup(order->results),
                .started = gannet_clock_epoch(), /* the child may be through before it is seen */
                .begun = gannet_clock_seconds()};
  const bool whole = larger && made.outcome && made.results;
  if (!whole || gannet_launcher_spawn(order, environ, &made.pid, &stage)) {
    refuse(own, command->tag, stage, whole ? errno : ENOMEM);
    release(&made);
    return;
  }
  made.grace = command->grace;
  made.deadline = made.begun + command->time_limit;
  made.kill_at = INFINITY;
  own->children[own->n++] = made;
  memset(&event, 0, sizeof event);
  event.type = GANNET_LAUNCH_STARTED;
  event.tag = made.tag;
  event.pid = (int)made.pid;
  event.started = made.started;
  event.ended = NAN;
  push(own, &event);
}

static void launch(helper *own, size_t size) {
  gannet_launcher_order order;
  memcpy(&order.command, own->message, sizeof order.command);
  const int texts_needed =
      N_PATHS + order.command.n_arguments + 1 + order.command.n_environment + 1;
  char **texts = calloc((size_t)texts_needed, sizeof *texts);
  if (!texts)
    refuse(own, order.command.tag, "allocate", ENOMEM);
  else if (unpack(own, size, &order, texts))
    refuse(own, order.command.tag, "read", EPROTO);
  else
    begin(own, &order);
  free(texts);
}

static void signal_child(const child *one, int signal) {
  char mark[GANNET_LAUNCHER_MARK];
  gannet_launcher_mark(one->tag, mark);
  (void)gannet_launcher_signal_family(one->pid, mark, signal);
}

static void terminate(child *one, double grace) {
  signal_child(one, SIGTERM);
  one->deadline = INFINITY;
  one->kill_at = gannet_clock_seconds() + grace;
}

static void receive(helper *own) {
  gannet_launcher_command command;
  const ssize_t size = recv(own->socket, own->message, GANNET_LAUNCHER_MESSAGE, 0);
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (size < (ssize_t)sizeof command) {
    own->gone = true;
    return;
  }
  memcpy(&command, own->message, sizeof command);
  if (command.verb == GANNET_LAUNCHER_DO_LAUNCH) {
    launch(own, (size_t)size);
    return;
  }
  for (int i = 0; i < own->n; ++i)
    if (own->children[i].tag == command.tag && !own->children[i].cancelled) {
      own->children[i].cancelled = true;
      terminate(&own->children[i], command.grace);
    }
}

/* Whatever the leader left: again until nothing answers, because members may fork meanwhile. What
 * sits in an uninterruptible system call is given up after a quarter of a second. Returns whether
 * somebody had the results open. */
static bool kill_rest(const helper *own, const child *one) {
  char mark[GANNET_LAUNCHER_MARK];
  if (gannet_launcher_count_children() == own->n) return false; /* the leaders and nobody else */
  gannet_launcher_mark(one->tag, mark);
  const bool open = one->results[0] && gannet_launcher_family_holds(one->pid, mark, one->results);
  for (int i = 0; i < 50; ++i) {
    if (gannet_launcher_signal_family(one->pid, mark, SIGKILL) == 0) break;
    gannet_clock_sleep(0.005);
  }
  return open;
}

/* A failure to write is not fatal: the event tells the controller the same. Nor need it outlive the
 * machine: results without an outcome are made again. */
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
  if (gannet_file_put(one->outcome, text, (size_t)size) != GANNET_OK) gannet_error_clear();
}

/* The leader is a zombie until after this, so that its number cannot be given to another process.
 */
static void finish(helper *own, int index, const siginfo_t *info) {
  child *one = &own->children[index];
  gannet_launch_event event;
  memset(&event, 0, sizeof event);
  const bool exited = info->si_code == CLD_EXITED;
  event.type = GANNET_LAUNCH_ENDED;
  event.tag = one->tag;
  event.pid = (int)one->pid;
  event.exit_code = exited ? info->si_status : -1;
  event.signal = exited ? 0 : info->si_status;
  event.limit = one->limit;
  event.cancelled = one->cancelled;
  event.started = one->started;
  event.ended = one->started + gannet_clock_seconds() - one->begun; /* clocks are set at times */
  event.results_open = kill_rest(own, one);
  write_outcome(one, &event);
  push(own, &event);
  release(one);
  own->children[index] = own->children[--own->n];
}

/* Children, and orphans that came to this process as their subreaper. */
static void reap(helper *own) {
  siginfo_t info;
  for (;;) {
    memset(&info, 0, sizeof info);
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid == 0) return;
    for (int i = 0; i < own->n; ++i)
      if (own->children[i].pid == info.si_pid) {
        finish(own, i, &info);
        break;
      }
    (void)waitpid(info.si_pid, NULL, WNOHANG);
  }
}

static void keep_deadlines(helper *own) {
  const double now = gannet_clock_seconds();
  for (int i = 0; i < own->n; ++i) {
    child *one = &own->children[i];
    if (now >= one->deadline) {
      one->limit = true;
      terminate(one, one->grace);
    }
    if (now >= one->kill_at) {
      signal_child(one, SIGKILL);
      one->kill_at = now + 1; /* again, for what was forked meanwhile */
    }
  }
}

static double next_deadline(const helper *own) {
  double next = INFINITY;
  for (int i = 0; i < own->n; ++i)
    next = fmin(next, fmin(own->children[i].deadline, own->children[i].kill_at));
  return next;
}

/* SIGCHLD is blocked but for the duration of pselect, so none is missed between reap and the wait.
 */
static void wait_for_something(helper *own, const sigset_t *during) {
  fd_set in, out;
  const double left = fmin(fmax(next_deadline(own) - gannet_clock_seconds(), 0), 3600);
  const struct timespec timeout = {(time_t)left, (long)(1e9 * (left - floor(left)))};
  FD_ZERO(&in);
  FD_ZERO(&out);
  FD_SET(own->socket, &in);
  if (own->n_events > 0) FD_SET(own->socket, &out);
  const int found = pselect(own->socket + 1, &in, &out, NULL, &timeout, during);
  if (found > 0 && FD_ISSET(own->socket, &in)) receive(own);
}

static void end_all(helper *own) {
  const double until = gannet_clock_seconds() + 10;
  for (;;) {
    pid_t ended;
    for (int i = 0; i < own->n; ++i) signal_child(&own->children[i], SIGKILL);
    while ((ended = waitpid(-1, NULL, WNOHANG)) > 0) {
    }
    if (ended < 0 && errno == ECHILD) return;
    if (gannet_clock_seconds() > until) return; /* stuck in the kernel; nothing more can be done */
    gannet_clock_sleep(0.005);
  }
}

static void noticed(int signal) {
  (void)signal; /* its only purpose is to interrupt pselect */
}

/* Signals of terminals and schedulers are for the controller, which then decides. */
static void set_signals(sigset_t *during) {
  static const int ignored[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1, SIGUSR2,
                                SIGPIPE, SIGALRM, SIGTSTP, SIGTTIN, SIGTTOU, SIGXCPU};
  struct sigaction action = {.sa_handler = SIG_IGN};
  sigset_t blocked;
  (void)sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; ++i)
    (void)sigaction(ignored[i], &action, NULL);
  action.sa_handler = noticed;
  (void)sigaction(SIGCHLD, &action, NULL);
  (void)sigemptyset(&blocked);
  (void)sigaddset(&blocked, SIGCHLD);
  (void)sigprocmask(SIG_SETMASK, &blocked, NULL);
  (void)sigemptyset(during);
}

/* Keep nothing open that somebody waits for the end of: pipes of mpirun, sockets of MPI. Returns
 * the socket, at a small number that select can take. */
static int close_all_but(int socket) {
  if (socket < 3) socket = fcntl(socket, F_DUPFD, 4);
  const int null = open("/dev/null", O_RDWR);
  for (int standard = 0; standard <= 2; ++standard)
    if (null >= 0 && null != standard) (void)dup2(null, standard);
  if (socket != 3) (void)dup2(socket, 3);
  long most = sysconf(_SC_OPEN_MAX);
  if (most < 0 || most > 65536) most = 65536;
  for (int descriptor = 4; descriptor < (int)most; ++descriptor) (void)close(descriptor);
  (void)fcntl(3, F_SETFD, FD_CLOEXEC);
  return 3;
}

void gannet_launcher_serve(int socket) {
  helper own = {0};
  sigset_t during;
  (void)setsid(); /* out of reach of signals to the controller's process group */
  set_signals(&during);
  own.socket = close_all_but(socket);
#ifdef __linux__
  (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
  (void)prctl(PR_SET_NAME, "gannet-launcher");
#endif
  own.message = malloc(GANNET_LAUNCHER_MESSAGE);
  own.gone = !own.message;
  while (!own.gone) {
    reap(&own);
    keep_deadlines(&own);
    send_events(&own);
    if (!own.gone) wait_for_something(&own, &during);
  }
  end_all(&own);
  _exit(0);
}
