/* Scripts and processes for the tests of the launcher and of the command back-end. */
#ifndef GANNET_TESTS_PROCESSES_H
#define GANNET_TESTS_PROCESSES_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/harness.h"

#include "base/clock.h"

static inline void write_file(const char *directory, const char *name, const char *text, int mode) {
  char path[1024];
  (void)snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  (void)fputs(text, file);
  (void)fclose(file);
  assert_int_equal(chmod(path, (mode_t)mode), 0);
}

/* The content of a file, "" when there is none; valid until the next call. */
static inline const char *content(const char *directory, const char *name) {
  static char text[16384];
  char path[1024];
  (void)snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "r");
  const size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
  text[size] = '\0';
  if (file) (void)fclose(file);
  return text;
}

static inline int exists(const char *directory, const char *name) {
  char path[1024];
  (void)snprintf(path, sizeof path, "%s/%s", directory, name);
  return access(path, F_OK) == 0;
}

/* Runs; a zombie does not. */
static inline int is_alive(int pid) {
  char directory[64];
  (void)snprintf(directory, sizeof directory, "/proc/%d", pid);
  const char *after = strrchr(content(directory, "stat"), ')');
  return after && after[2] != 'Z';
}

/* Wait until there is a file, up to 20 s, as machines can be busy. */
static inline void wait_for(const char *directory, const char *name) {
  for (int i = 0; i < 2000; ++i) {
    if (exists(directory, name)) return;
    gannet_clock_sleep(0.01);
  }
  fail_msg("no %s/%s", directory, name);
}

/* Wait as long until a file holds a whole number, and give it. */
static inline int number_in(const char *directory, const char *name) {
  for (int i = 0; i < 2000; ++i) {
    const char *text = content(directory, name);
    if (strchr(text, '\n')) return atoi(text);
    gannet_clock_sleep(0.01);
  }
  fail_msg("no number in %s/%s", directory, name);
  return -1;
}

static inline int dies_within(int pid, double seconds) {
  const double until = gannet_clock_seconds() + seconds;
  while (is_alive(pid))
    if (gannet_clock_seconds() > until)
      return 0;
    else
      gannet_clock_sleep(0.005);
  return 1;
}

#endif
