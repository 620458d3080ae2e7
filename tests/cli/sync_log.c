/* To be preloaded: adds the name of every file and directory that is synced to $GANNET_SYNC_LOG. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void note(int descriptor) {
  char link[64], line[4200];
  const char *log = getenv("GANNET_SYNC_LOG");
  if (!log) return;
  (void)snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t size = readlink(link, line, sizeof line - 2);
  const int file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (size > 0 && file >= 0) {
    line[size] = '\n';
    if (write(file, line, (size_t)size + 1) < 0) abort();
  }
  if (file >= 0) (void)close(file);
}

__attribute__((visibility("default"))) int fsync(int descriptor) {
  note(descriptor);
  return (int)syscall(SYS_fsync, descriptor);
}

__attribute__((visibility("default"))) int fdatasync(int descriptor) {
  note(descriptor);
  return (int)syscall(SYS_fdatasync, descriptor);
}
