/* Reaching everything a child started, also what left its process group. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "evaluate/launcher_protocol.h"

/* Bytes of a small file in /proc, or -1. */
static ssize_t read_proc(const char *pid, const char *name, char *buffer, size_t size) {
  char path[64];
  if (snprintf(path, sizeof path, "/proc/%s/%s", pid, name) >= (int)sizeof path) return -1;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t got = read(file, buffer, size - 1);
  (void)close(file);
  if (got >= 0) buffer[got] = '\0';
  return got;
}

typedef struct {
  char state;
  int parent, group, session;
} process;

/* proc(5): pid (name) state ppid pgrp session ...; the name may hold anything, so the last ')'
 * counts.
 */
static int look_at(const char *pid, process *found) {
  char text[512];
  if (read_proc(pid, "stat", text, sizeof text) <= 0) return -1;
  const char *after = strrchr(text, ')');
  if (!after) return -1;
  return sscanf(after + 1, " %c %d %d %d", &found->state, &found->parent, &found->group,
                &found->session) == 4
             ? 0
             : -1;
}

/* An orphan that began a session of its own is known by the first bytes of a variable in its
 * environment, a whole mark with its zero byte: 1 or 0, or -1 when that cannot be read, as in the
 * middle of execve. */
static int carries(const char *pid, const char *mark, size_t bytes) {
  static const size_t capacity = 256 * 1024;
  char *text = malloc(capacity);
  int found = 0;
  const ssize_t size = text ? read_proc(pid, "environ", text, capacity) : -1;
  for (const char *at = text; size > 0 && at < text + size && !found; at += strlen(at) + 1)
    found = strncmp(at, mark, bytes) == 0;
  free(text);
  return size > 0 ? found : -1;
}

/* Whether a process belongs to a child: 1, 0, or -1 when it cannot be told yet. */
static int belongs(const char *pid, const process *found, pid_t leader, const char *mark) {
  if (found->session == leader) return 1;
  return found->parent == getpid() ? carries(pid, mark, strlen(mark) + 1) : 0;
}

static bool has_open(const char *pid, const struct stat *file) {
  char path[64];
  bool found = false;
  if (snprintf(path, sizeof path, "/proc/%s/fd", pid) >= (int)sizeof path) return false;
  DIR *all = opendir(path);
  if (!all) return false;
  for (struct dirent *entry; !found && (entry = readdir(all));) {
    struct stat about;
    found = isdigit((unsigned char)entry->d_name[0]) &&
            fstatat(dirfd(all), entry->d_name, &about, 0) == 0 && about.st_dev == file->st_dev &&
            about.st_ino == file->st_ino;
  }
  (void)closedir(all);
  return found;
}

bool gannet_launcher_family_holds(pid_t leader, const char *mark, const char *file) {
  struct stat about;
  bool holds = false;
  if (stat(file, &about)) return false;
  DIR *all = opendir("/proc");
  if (!all) return false;
  for (struct dirent *entry; !holds && (entry = readdir(all));) {
    process found;
    if (!isdigit((unsigned char)entry->d_name[0]) || look_at(entry->d_name, &found)) continue;
    holds = belongs(entry->d_name, &found, leader, mark) != 0 && has_open(entry->d_name, &about);
  }
  (void)closedir(all);
  return holds;
}

int gannet_launcher_signal_family(pid_t leader, const char *mark, int signal) {
  int others = 0;
  (void)kill(-leader, signal);
  DIR *all = opendir("/proc");
  if (!all) return 0; /* without /proc the process group has to do */
  for (struct dirent *entry; (entry = readdir(all));) {
    process found;
    if (!isdigit((unsigned char)entry->d_name[0]) || look_at(entry->d_name, &found)) continue;
    const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
    if (pid == leader || found.state == 'Z') continue;
    const int member = belongs(entry->d_name, &found, leader, mark);
    if (member) ++others; /* also when it cannot be told: the caller comes again */
    if (member > 0 && found.group != leader) (void)kill(pid, signal);
  }
  (void)closedir(all);
  return others;
}

/* How many processes that a helper's children left were found, and killed. */
static int kill_orphans(const char *mark) {
  int n = 0;
  DIR *all = opendir("/proc");
  if (!all) return 0;
  for (struct dirent *entry; (entry = readdir(all));) {
    process found;
    if (!isdigit((unsigned char)entry->d_name[0]) || look_at(entry->d_name, &found)) continue;
    if (found.state == 'Z' || carries(entry->d_name, mark, strlen(mark)) <= 0) continue;
    (void)kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL);
    ++n;
  }
  (void)closedir(all);
  return n;
}

void gannet_launcher_end_orphans(pid_t helper) {
  char mark[GANNET_LAUNCHER_MARK];
  (void)snprintf(mark, sizeof mark, "GANNET_LAUNCH=%ld.", (long)helper);
  for (int i = 0; i < 50 && kill_orphans(mark) > 0; ++i) gannet_clock_sleep(0.005);
}

/* proc(5): the children of the only thread, zombies included, each followed by a space. */
int gannet_launcher_count_children(void) {
  char path[64], part[4096];
  int count = 0;
  ssize_t got;
  (void)snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  while ((got = read(file, part, sizeof part)) > 0)
    for (ssize_t i = 0; i < got; ++i) count += part[i] == ' ';
  (void)close(file);
  return got < 0 ? -1 : count;
}
