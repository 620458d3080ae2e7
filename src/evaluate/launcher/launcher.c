#define _GNU_SOURCE /* SOCK_CLOEXEC, sched_getaffinity */
/* The controller's side of the launcher. */
#include "evaluate/launcher/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/resources.h"
#include "evaluate/launcher/protocol.h"

static const double longest_hello = 20;  /* seconds */
static const double longest_silence = 1; /* seconds, before the helper is told to go on */

extern char **environ;

static pid_t last_helper; /* that was started and not stopped; 0 = none */

struct gannet_launcher {
  int socket;
  pid_t helper;
  char *message; /* [GANNET_LAUNCHER_MESSAGE] */
};

/* Let the helper go on where somebody has stopped it, as with kill -STOP for all programs of a
 * name: no time limit would hold, and this process would wait for it for ever. */
static void continue_helper(const gannet_launcher *launcher) {
  if (launcher->helper > 0) (void)kill(launcher->helper, SIGCONT);
}

/* Raise that the helper has died, and end what its children have started: the kernel ends only the
 * children. */
static gannet_err helper_is_gone(const gannet_launcher *launcher) {
  gannet_launcher_end_orphans(launcher->helper);
  return GANNET_RAISE(GANNET_ERR_IO, "the helper process that starts simulations has died");
}

/* Where the program of the helper may lie, relative to the folder of this program: above the
 * program in libexec that it belongs to, in the folder of a build, in that of an installation, and
 * beside the folder of tests in a build. */
static const char *const locations[] = {"..", "libexec/gannet", GANNET_LAUNCHER_FROM_BIN "/gannet",
                                        "../libexec/gannet"};

/* GANNET_LAUNCHER in the environment names another program; empty, it forbids any. */
static bool find_program(size_t location, char *path) {
  const char *named = getenv("GANNET_LAUNCHER");
  char own[PATH_MAX];
  if (named && (location > 0 || !named[0])) return false;
  const ssize_t length = named ? 0 : readlink("/proc/self/exe", own, sizeof own - 1);
  if (length < 0) return false;
  own[length] = '\0';
  if (named) return snprintf(path, PATH_MAX, "%s", named) < PATH_MAX && access(path, X_OK) == 0;
  *strrchr(own, '/') = '\0';
  return snprintf(path, PATH_MAX, "%s/%s/gannet-launcher", own, locations[location]) < PATH_MAX &&
         access(path, X_OK) == 0;
}

/* Whether the helper says that it is there, and not something else that was started. */
static bool hears_hello(int socket) {
  gannet_launch_event event;
  struct pollfd ready = {.fd = socket, .events = POLLIN};
  int found;
  do found = poll(&ready, 1, (int)(1000 * longest_hello));
  while (found < 0 && errno == EINTR);
  return found == 1 && recv(socket, &event, sizeof event, 0) == sizeof event &&
         event.tag == GANNET_LAUNCHER_HELLO;
}

static bool execute_helper(const char *path, gannet_launcher *launcher) {
  posix_spawn_file_actions_t actions;
  int pair[2];
  char *words[] = {(char *)(uintptr_t)path, (char *)(uintptr_t)GANNET_LAUNCHER_PROTOCOL,
                   (char *)(uintptr_t) "3", NULL};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) return false;
  bool runs = posix_spawn_file_actions_init(&actions) == 0;
  if (runs) {
    runs = posix_spawn_file_actions_adddup2(&actions, pair[1], 3) == 0 &&
           posix_spawn(&launcher->helper, path, &actions, NULL, words, environ) == 0;
    (void)posix_spawn_file_actions_destroy(&actions);
  }
  (void)close(pair[1]);
  if (runs && hears_hello(pair[0])) {
    launcher->socket = pair[0];
    return true;
  }
  (void)close(pair[0]);
  if (runs) {
    (void)kill(launcher->helper, SIGKILL);
    (void)waitpid(launcher->helper, NULL, 0);
  }
  launcher->helper = 0;
  return false;
}

/* Without its program the helper is a copy of this process, which starts simulations more slowly.
 */
static gannet_err fork_helper(gannet_launcher *launcher) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
    return gannet_raise_errno("create", "a socket");
  launcher->helper = fork();
  if (launcher->helper == 0) {
    (void)close(pair[0]);
    gannet_launcher_serve(pair[1]);
  }
  (void)close(pair[1]);
  launcher->socket = pair[0];
  if (launcher->helper < 0) return gannet_raise_errno("fork", "the launcher");
  if (!hears_hello(launcher->socket)) return helper_is_gone(launcher);
  return GANNET_OK;
}

gannet_err gannet_launcher_start(gannet_launcher **launcher) {
  gannet_launcher *made = NULL;
  *launcher = NULL;
  gannet_err err = gannet_alloc(1, sizeof *made, &made);
  if (err != GANNET_OK) return err;
  made->socket = -1;
  err = gannet_alloc(GANNET_LAUNCHER_MESSAGE, 1, &made->message);
  char path[PATH_MAX];
  bool runs = false;
  for (size_t i = 0; i < sizeof locations / sizeof *locations && err == GANNET_OK && !runs; ++i)
    runs = find_program(i, path) && execute_helper(path, made);
  if (err == GANNET_OK && !runs) err = fork_helper(made);
  if (err != GANNET_OK)
    gannet_launcher_stop(&made);
  else
    *launcher = made;
  if (*launcher) last_helper = made->helper;
  return err;
}

void gannet_launcher_stop(gannet_launcher **launcher) {
  gannet_launcher *old = *launcher;
  if (!old) return;
  if (old->helper == last_helper) last_helper = 0;
  if (old->socket >= 0) (void)close(old->socket); /* the helper sees this, kills and ends */
  continue_helper(old);
  while (old->helper > 0 && waitpid(old->helper, NULL, 0) < 0 && errno == EINTR) {
  }
  gannet_free(&old->message);
  gannet_free(launcher);
}

static gannet_err transmit(gannet_launcher *launcher, size_t size) {
  ssize_t sent;
  continue_helper(launcher);
  do sent = send(launcher->socket, launcher->message, size, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) return helper_is_gone(launcher);
  if (sent < 0) return gannet_raise_errno("send to", "the launcher");
  return GANNET_OK;
}

static gannet_err add_text(gannet_launcher *launcher, const char *text, size_t *used) {
  const size_t size = strlen(text) + 1;
  GANNET_REQUIRE(size <= GANNET_LAUNCHER_MESSAGE - *used, GANNET_ERR_ARG,
                 "command line and environment of a simulation exceed %d bytes",
                 GANNET_LAUNCHER_MESSAGE);
  memcpy(launcher->message + *used, text, size);
  *used += size;
  return GANNET_OK;
}

static int count(const char *const *texts) {
  int n = 0;
  while (texts[n]) ++n;
  return n;
}

gannet_err gannet_launcher_launch(gannet_launcher *launcher, const gannet_launch *launch) {
  gannet_launcher_command command = {.verb = GANNET_LAUNCHER_DO_LAUNCH,
                                     .n_arguments = count(launch->arguments),
                                     .n_environment = count(launch->environment),
                                     .tag = launch->tag,
                                     .time_limit = launch->time_limit,
                                     .grace = launch->grace,
                                     .nonce = launch->nonce,
                                     .is_placed = launch->may_use != NULL,
                                     .unbinds_mpirun = launch->unbinds_mpirun};
  size_t used = sizeof command;
  for (int p = 0; launch->may_use && p < GANNET_PROCESSORS_MOST; ++p)
    if (launch->may_use[p]) command.processors[p / 64] |= (uint64_t)1 << p % 64;
  memcpy(launcher->message, &command, sizeof command);
  GANNET_TRY(add_text(launcher, launch->directory, &used));
  GANNET_TRY(add_text(launcher, launch->program, &used));
  GANNET_TRY(add_text(launcher, launch->outcome ? launch->outcome : "", &used));
  GANNET_TRY(add_text(launcher, launch->results ? launch->results : "", &used));
  for (int i = 0; i < command.n_arguments; ++i)
    GANNET_TRY(add_text(launcher, launch->arguments[i], &used));
  for (int i = 0; i < command.n_environment; ++i)
    GANNET_TRY(add_text(launcher, launch->environment[i], &used));
  return transmit(launcher, used);
}

gannet_err gannet_launcher_kill(gannet_launcher *launcher, int64_t tag, double grace) {
  const gannet_launcher_command command = {
      .verb = GANNET_LAUNCHER_DO_KILL, .tag = tag, .grace = grace};
  memcpy(launcher->message, &command, sizeof command);
  return transmit(launcher, sizeof command);
}

gannet_err gannet_launcher_wait(gannet_launcher *launcher, double wait, gannet_launch_event *event,
                                bool *got) {
  struct pollfd ready = {.fd = launcher->socket, .events = POLLIN};
  const double until = gannet_clock_seconds() + wait;
  double left = wait;
  int found;
  *got = false;
  do {
    found = poll(&ready, 1, (int)ceil(1000 * fmin(left, longest_silence)));
    if (found == 0) continue_helper(launcher);
    left = fmax(until - gannet_clock_seconds(), 0);
  } while (found == 0 && left > 0);
  if (found == 0 || (found < 0 && errno == EINTR)) return GANNET_OK;
  if (found < 0) return gannet_raise_errno("wait for", "the launcher");
  const ssize_t size = recv(launcher->socket, event, sizeof *event, 0);
  if (size < 0 && errno == EINTR) return GANNET_OK;
  if (size == 0 || (size < 0 && errno == ECONNRESET)) return helper_is_gone(launcher);
  if (size < 0) return gannet_raise_errno("read from", "the launcher");
  GANNET_REQUIRE(size == sizeof *event, GANNET_ERR_INTERNAL, "a launcher event of %zd bytes", size);
  *got = true;
  return GANNET_OK;
}

int gannet_launcher_processors(const gannet_launcher *launcher, int most, bool *may_use) {
  int n = 0;
  for (int p = 0; p < most; ++p) may_use[p] = false;
#ifdef __linux__
  cpu_set_t theirs;
  if (sched_getaffinity(launcher ? launcher->helper : last_helper, sizeof theirs, &theirs))
    return 0;
  for (int p = 0; p < most && p < CPU_SETSIZE; ++p) {
    may_use[p] = CPU_ISSET(p, &theirs);
    n += may_use[p];
  }
#else
  (void)launcher;
  (void)last_helper;
#endif
  return n;
}
