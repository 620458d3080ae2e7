/* A crash at a chosen moment: from some change of a file on, no change reaches the disk any more,
 * whatever the program goes on to do. */
#ifndef GANNET_TESTS_CRASH_H
#define GANNET_TESTS_CRASH_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int changes_left = -1; /* before the crash; -1 = none is to come */
static bool has_crashed, has_links = true;

static inline void crash_after(int changes) {
  changes_left = changes;
  has_crashed = false;
}

static inline bool is_refused(void) {
  if (changes_left < 0) return false;
  has_crashed = changes_left == 0;
  changes_left -= !has_crashed;
  if (has_crashed) errno = EIO;
  return has_crashed;
}

static inline bool is_file(int descriptor) {
  struct stat about;
  return changes_left >= 0 && fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
}

/* In place of the library's. */

ssize_t write(int descriptor, const void *bytes, size_t size) {
  if (is_file(descriptor) && is_refused()) return -1;
  return syscall(SYS_write, descriptor, bytes, size);
}

int fsync(int descriptor) {
  return is_file(descriptor) && is_refused() ? -1 : (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
  return is_file(descriptor) && is_refused() ? -1 : (int)syscall(SYS_fdatasync, descriptor);
}

int rename(const char *from, const char *to) {
  return is_refused() ? -1 : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

int unlink(const char *path) {
  return is_refused() ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int link(const char *from, const char *to) {
  if (is_refused()) return -1;
  errno = EPERM;
  return has_links ? (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0) : -1;
}

#endif
