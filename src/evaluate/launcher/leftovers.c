#include "evaluate/launcher/leftovers.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

static const double pause_between = 0.02; /* seconds between two looks at the processes */
static const double longest_kill = 5;     /* seconds of SIGKILL: some processes sit in the kernel */

/* Bytes of a small file in /proc, or -1; a zero byte follows. */
static ssize_t read_proc(int pid, const char *name, char *buffer, size_t size) {
  char path[64];
  if (snprintf(path, sizeof path, "/proc/%d/%s", pid, name) >= (int)sizeof path) return -1;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t got = read(file, buffer, size - 1);
  (void)close(file);
  buffer[got > 0 ? got : 0] = '\0';
  return got;
}

typedef struct {
  int pid, parent, session;
  char state;
  long long start;
  bool is_of_attempt;
} process;

/* proc(5): pid (name) state ppid pgrp session, and the start as field 22; the name may hold
 * anything, so the last ')' counts. */
static bool look_at(int pid, process *found) {
  char text[1024];
  *found = (process){.pid = pid};
  if (read_proc(pid, "stat", text, sizeof text) <= 0) return false;
  const char *after = strrchr(text, ')');
  return after && sscanf(after + 1,
                         " %c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
                         "%*d %lld",
                         &found->state, &found->parent, &found->session, &found->start) == 4;
}

static void read_boot(char *boot, size_t size) {
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
  boot[0] = '\0';
  if (!file) return;
  if (!fgets(boot, (int)size, file)) boot[0] = '\0';
  boot[strcspn(boot, "\n")] = '\0';
  (void)fclose(file);
}

gannet_process_identity gannet_process_identify(int pid) {
  gannet_process_identity identity = {.start = 0};
  process found;
  if (pid <= 0 || !look_at(pid, &found)) return identity;
  identity.start = found.start;
  read_boot(identity.boot, sizeof identity.boot);
  return identity;
}

static bool carries_nonce(int pid, uint64_t nonce) {
  static const size_t capacity = 256 * 1024;
  char mark[40], *text = malloc(capacity);
  bool found = false;
  (void)snprintf(mark, sizeof mark, "GANNET_NONCE=%016llx", (unsigned long long)nonce);
  const ssize_t size = text ? read_proc(pid, "environ", text, capacity) : -1;
  for (const char *at = text; size > 0 && at < text + size && !found; at += strlen(at) + 1)
    found = strcmp(at, mark) == 0;
  free(text);
  return found;
}

static bool works_in(int pid, const char *directory) {
  char name[64], path[PATH_MAX];
  (void)snprintf(name, sizeof name, "/proc/%d/cwd", pid);
  const ssize_t length = readlink(name, path, sizeof path - 1);
  const size_t own = strlen(directory);
  if (length < 0 || (size_t)length < own) return false;
  path[length] = '\0';
  return strncmp(path, directory, own) == 0 && (path[own] == '\0' || path[own] == '/');
}

/* A user who looks on has the logs open for reading, and not as standard output. */
static bool writes_logs(int pid, const char *directory) {
  static const char *const names[] = {"stdout.log", "stderr.log"};
  for (int i = 0; i < 2; ++i) {
    char path[PATH_MAX + 16], descriptor[64];
    struct stat log, output;
    (void)snprintf(path, sizeof path, "%s/%s", directory, names[i]);
    (void)snprintf(descriptor, sizeof descriptor, "/proc/%d/fd/%d", pid, i + 1);
    if (lstat(path, &log) == 0 && S_ISREG(log.st_mode) && stat(descriptor, &output) == 0 &&
        log.st_dev == output.st_dev && log.st_ino == output.st_ino)
      return true;
  }
  return false;
}

/* All processes but this one, those of the attempt marked, with everything that they have started.
 * Returns their number. */
static int find_processes(const gannet_leftovers *attempt, bool same_boot, process **all) {
  int n = 0, capacity = 0;
  DIR *entries = opendir("/proc");
  *all = NULL;
  if (!entries) return 0;
  for (struct dirent *entry; (entry = readdir(entries));) {
    process one;
    if (!isdigit((unsigned char)entry->d_name[0]) ||
        !look_at((int)strtol(entry->d_name, NULL, 10), &one) || one.state == 'Z' ||
        one.pid == getpid())
      continue;
    if (n == capacity) {
      process *more = realloc(*all, (size_t)(2 * capacity + 256) * sizeof *more);
      if (!more) break;
      *all = more;
      capacity = 2 * capacity + 256;
    }
    const bool is_first =
        same_boot && one.pid == attempt->pid && one.start == attempt->process.start;
    const bool is_of_session = same_boot && one.session == attempt->pid &&
                               one.start >= attempt->process.start &&
                               works_in(one.pid, attempt->directory);
    one.is_of_attempt = is_first || is_of_session || carries_nonce(one.pid, attempt->nonce) ||
                        writes_logs(one.pid, attempt->directory);
    (*all)[n++] = one;
  }
  (void)closedir(entries);
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n && !(*all)[i].is_of_attempt; ++j)
        if ((*all)[j].is_of_attempt && (*all)[i].parent == (*all)[j].pid)
          more = (*all)[i].is_of_attempt = true;
  }
  return n;
}

static int signal_all(const gannet_leftovers *attempt, bool same_boot, int signal) {
  process *all = NULL;
  int hit = 0;
  const int n = find_processes(attempt, same_boot, &all);
  for (int i = 0; i < n; ++i)
    if (all[i].is_of_attempt) {
      ++hit;
      if (signal) (void)kill(all[i].pid, signal);
    }
  free(all);
  return hit;
}

int gannet_leftovers_kill(const gannet_leftovers *attempt, double grace) {
  char boot[sizeof attempt->process.boot];
  read_boot(boot, sizeof boot);
  const bool same_boot =
      attempt->pid > 0 && attempt->process.start > 0 && strcmp(boot, attempt->process.boot) == 0;
  const int found = signal_all(attempt, same_boot, SIGTERM);
  const double now = gannet_clock_seconds();
  int left = found;
  while (left > 0 && gannet_clock_seconds() < now + grace + longest_kill) {
    gannet_clock_sleep(pause_between);
    left = signal_all(attempt, same_boot, gannet_clock_seconds() < now + grace ? 0 : SIGKILL);
  }
  return found;
}
