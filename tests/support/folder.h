/* A folder of its own for every test program, and what tests do to files in it. */
#ifndef GANNET_TESTS_FOLDER_H
#define GANNET_TESTS_FOLDER_H

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/harness.h"

#include "base/file.h"
#include "base/memory.h"

static char folder[PATH_MAX / 2];

/* Group set-up: a new empty folder below $TMPDIR or /tmp. */
static inline int make_folder(void **state) {
  (void)state;
  const char *above = getenv("TMPDIR");
  (void)snprintf(folder, sizeof folder, "%s/gannet-test-XXXXXX", above ? above : "/tmp");
  return mkdtemp(folder) ? 0 : -1;
}

/* Group tear-down. */
static inline int remove_folder(void **state) {
  (void)state;
  return remove_tree(folder);
}

/* folder/name; one of 64 buffers, used in turn. */
static inline const char *in_folder(const char *name) {
  static char paths[64][PATH_MAX];
  static int turn;
  turn = (turn + 1) % 64;
  (void)snprintf(paths[turn], PATH_MAX, "%s/%s", folder, name);
  return paths[turn];
}

/* Content as it is, without the care of gannet_file_replace. */
static inline void put_bytes(const char *path, const char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static inline int exists(const char *path) {
  struct stat about;
  return stat(path, &about) == 0;
}

/* Let no file of this process grow beyond a size; RLIM_INFINITY lifts it. */
static inline void limit_files(rlim_t bytes) {
  struct rlimit limit;
  (void)signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = bytes;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Run work in a child that is killed after so many milliseconds. work writes every number that it
 * got acknowledged to a pipe; the last of them is returned, 0 when there was none. */
static inline int64_t killed_after(int milliseconds, void (*work)(int acknowledge)) {
  int ends[2], status = 0;
  int64_t last = 0, number;
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    work(ends[1]);
    _exit(1);
  }
  assert_true(child > 0);
  assert_int_equal(close(ends[1]), 0);
  (void)usleep((useconds_t)milliseconds * 1000);
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
  while (read(ends[0], &number, sizeof number) == (ssize_t)sizeof number) last = number;
  assert_int_equal(close(ends[0]), 0);
  return last;
}

#endif
