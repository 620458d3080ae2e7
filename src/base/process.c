#include "base/process.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_line(const char *path, char *text, int size) {
  FILE *file = fopen(path, "re");
  text[0] = '\0';
  if (!file) return false;
  const bool read = fgets(text, size, file) != NULL;
  (void)fclose(file);
  text[strcspn(text, "\n")] = '\0';
  return read;
}

/* Read the state and the start of a process: fields 3 and 22 of its stat file, counted from 1. The
 * name in field 2 may have blanks and parentheses. False when there is no such process, or nobody
 * can tell.
 *
 * started  out  clock ticks since boot
 */
static bool read_stat(long pid, char *state, uint64_t *started) {
  char path[64], text[1024];
  *state = '?';
  *started = 0;
  (void)snprintf(path, sizeof path, "/proc/%ld/stat", pid);
  if (!read_line(path, text, sizeof text)) return false;
  const char *at = strrchr(text, ')');
  if (!at || at[1] != ' ') return false;
  *state = at[2];
  at += 2;
  for (int field = 3; field < 22 && at; ++field) {
    at = strchr(at, ' ');
    if (at) ++at;
  }
  return at && sscanf(at, "%" SCNu64, started) == 1;
}

static bool is_dead(char state) {
  return state == 'Z' || state == 'X';
}

gannet_process gannet_process_self(void) {
  gannet_process self = {.pid = (long)getpid()};
  struct stat names;
  if (gethostname(self.host, sizeof self.host - 1) || !self.host[0])
    (void)snprintf(self.host, sizeof self.host, "unknown");
  char state = '?';
  if (!read_stat(self.pid, &state, &self.started) || is_dead(state)) self.started = 0;
  (void)read_line("/proc/sys/kernel/random/boot_id", self.boot, sizeof self.boot);
  if (strpbrk(self.boot, " \t")) self.boot[0] = '\0';
  if (stat("/proc/self/ns/pid", &names) == 0) self.names = (uint64_t)names.st_ino;
  return self;
}

gannet_process_state gannet_process_look(const gannet_process *process) {
  const gannet_process self = gannet_process_self();
  char state = '?';
  uint64_t started = 0;
  if (strcmp(self.host, process->host) != 0) return GANNET_PROCESS_UNSEEN;
  if (process->boot[0] && self.boot[0] && strcmp(self.boot, process->boot) != 0)
    return GANNET_PROCESS_ENDED; /* the host was started again since */
  if (process->names && self.names && process->names != self.names) return GANNET_PROCESS_UNSEEN;
  if (process->pid <= 0 || (kill((pid_t)process->pid, 0) && errno != EPERM))
    return GANNET_PROCESS_ENDED;
  const bool known = read_stat(process->pid, &state, &started);
  if (is_dead(state)) return GANNET_PROCESS_ENDED;
  return known && process->started && started != process->started ? GANNET_PROCESS_ENDED
                                                                  : GANNET_PROCESS_ALIVE;
}

int gannet_process_format(const gannet_process *process, char *text) {
  return snprintf(text, GANNET_PROCESS_TEXT, "%ld %s %" PRIu64 " %s %" PRIu64, process->pid,
                  process->host, process->started, process->boot[0] ? process->boot : "-",
                  process->names);
}

bool gannet_process_parse(const char *text, gannet_process *process) {
  *process = (gannet_process){0};
  const int found = sscanf(text, "%ld %255s %" SCNu64 " %39s %" SCNu64, &process->pid,
                           process->host, &process->started, process->boot, &process->names);
  if (strcmp(process->boot, "-") == 0) process->boot[0] = '\0';
  if (found >= 2 && process->pid > 0) return true;
  process->pid = 0;
  return false;
}
