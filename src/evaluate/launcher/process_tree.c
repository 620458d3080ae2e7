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
#include "evaluate/launcher/protocol.h"

/* Read a small file in /proc; returns its bytes, or -1. */
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

/* Whether a variable in the environment of a process begins with the mark: 1 or 0, or -1 when that
 * cannot be read, as in the middle of execve. An orphan that began a session of its own is known
 * only by that. */
static int carries_mark(const char *pid, const char *mark, size_t bytes) {
  static const size_t capacity = 256 * 1024;
  char *text = malloc(capacity);
  int found = 0;
  const ssize_t size = text ? read_proc(pid, "environ", text, capacity) : -1;
  for (const char *at = text; size > 0 && at < text + size && !found; at += strlen(at) + 1)
    found = strncmp(at, mark, bytes) == 0;
  free(text);
  return size > 0 ? found : -1;
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

/* A list of processes, each once, parents before children. */
typedef struct {
  int n, capacity;
  pid_t *pid;
} tree;

static void add_process(tree *all, pid_t pid) {
  if (all->n == all->capacity) {
    const int larger = 2 * all->capacity + 64;
    pid_t *more = realloc(all->pid, (size_t)larger * sizeof *more);
    if (!more) return; /* the caller comes again */
    all->pid = more;
    all->capacity = larger;
  }
  all->pid[all->n++] = pid;
}

/* Add the children of one thread, zombies included. proc(5): each is followed by a space. Returns
 * whether the system lists them. */
static bool add_children_of_thread(const char *path, int n_spared, const pid_t *spared, tree *all) {
  long pid;
  FILE *file = fopen(path, "re");
  if (!file) return false;
  while (fscanf(file, "%ld", &pid) == 1) {
    bool is_spared = false;
    for (int i = 0; i < n_spared; ++i) is_spared = is_spared || spared[i] == pid;
    if (!is_spared) add_process(all, (pid_t)pid);
  }
  (void)fclose(file);
  return true;
}

static bool add_children(pid_t parent, int n_spared, const pid_t *spared, tree *all) {
  char path[128];
  bool told = false;
  (void)snprintf(path, sizeof path, "/proc/%ld/task", (long)parent);
  DIR *threads = opendir(path);
  if (!threads) return false;
  for (struct dirent *entry; (entry = readdir(threads));) {
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    if (snprintf(path, sizeof path, "/proc/%ld/task/%.20s/children", (long)parent, entry->d_name) <
        (int)sizeof path)
      told = add_children_of_thread(path, n_spared, spared, all) || told;
  }
  (void)closedir(threads);
  return told;
}

/* Add the children of a process on kernels that do not list them: look at the parent of every
 * process.
 */
static void add_children_by_parents(pid_t parent, int n_spared, const pid_t *spared, tree *all) {
  DIR *processes = opendir("/proc");
  if (!processes) return;
  for (struct dirent *entry; (entry = readdir(processes));) {
    process found;
    if (!isdigit((unsigned char)entry->d_name[0]) || look_at(entry->d_name, &found)) continue;
    const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
    bool is_spared = found.parent != parent;
    for (int i = 0; i < n_spared; ++i) is_spared = is_spared || spared[i] == pid;
    if (!is_spared) add_process(all, pid);
  }
  (void)closedir(processes);
}

static tree find_descendants(int n_spared, const pid_t *spared) {
  tree all = {0};
  const bool lists = add_children(getpid(), n_spared, spared, &all);
  if (!lists) add_children_by_parents(getpid(), n_spared, spared, &all);
  for (int i = 0; i < all.n; ++i) {
    if (lists)
      (void)add_children(all.pid[i], 0, NULL, &all);
    else
      add_children_by_parents(all.pid[i], 0, NULL, &all);
  }
  return all;
}

int gannet_launcher_signal_all(int n_spared, const pid_t *spared, pid_t group, int signal) {
  int alive = 0;
  tree all = find_descendants(n_spared, spared);
  for (int i = 0; i < all.n; ++i) {
    char name[24];
    process found;
    (void)snprintf(name, sizeof name, "%ld", (long)all.pid[i]);
    if (look_at(name, &found) || found.state == 'Z') continue;
    ++alive;
    if (found.group != group) (void)kill(all.pid[i], signal);
  }
  free(all.pid);
  return alive;
}

bool gannet_launcher_holds(const char *file) {
  struct stat about;
  bool holds = false;
  if (stat(file, &about)) return false;
  tree all = find_descendants(0, NULL);
  for (int i = 0; i < all.n && !holds; ++i) {
    char name[24];
    (void)snprintf(name, sizeof name, "%ld", (long)all.pid[i]);
    holds = has_open(name, &about);
  }
  free(all.pid);
  return holds;
}

/* Kill processes that the children of a helper have left. Returns how many there were. */
static int kill_orphans(const char *mark) {
  int n = 0;
  DIR *all = opendir("/proc");
  if (!all) return 0;
  for (struct dirent *entry; (entry = readdir(all));) {
    process found;
    if (!isdigit((unsigned char)entry->d_name[0]) || look_at(entry->d_name, &found)) continue;
    if (found.state == 'Z' || carries_mark(entry->d_name, mark, strlen(mark)) <= 0) continue;
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
