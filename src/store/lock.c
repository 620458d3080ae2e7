#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/open_file.h"

static bool read_name(int descriptor, long *pid, char host[256]) {
  char holder[300] = "";
  const ssize_t got = pread(descriptor, holder, sizeof holder - 1, 0);
  return got > 0 && sscanf(holder, "%ld %255s", pid, host) == 2;
}

static gannet_err raise_busy(int descriptor, const char *path) {
  long pid = 0;
  char host[256] = "";
  if (read_name(descriptor, &pid, host))
    return GANNET_RAISE(
        GANNET_ERR_BUSY,
        "'%s' is held by process %ld on %s; wait until it has ended, or end it there", path, pid,
        host);
  return GANNET_RAISE(GANNET_ERR_BUSY, "'%s' is held by another process; wait until it has ended",
                      path);
}

/* The name of the holder is a courtesy: the lock holds without it, even on a full disk. */
static void sign(int descriptor) {
  char host[256] = "unknown", holder[300];
  (void)gethostname(host, sizeof host - 1);
  const int length = snprintf(holder, sizeof holder, "%ld %s\n", (long)getpid(), host);
  if (ftruncate(descriptor, 0)) return;
  if (pwrite(descriptor, holder, (size_t)length, 0) != length) (void)!ftruncate(descriptor, 0);
}

static bool has_no_locks(int reason) {
  return reason == ENOLCK || reason == ENOSYS || reason == EOPNOTSUPP || reason == EINVAL;
}

/* flock and not fcntl: the latter drops the lock when the process closes any descriptor of the
 * file. */
static gannet_err lock_open(int descriptor, const char *path, bool *effective) {
  int failed;
  do {
    failed = flock(descriptor, LOCK_EX | LOCK_NB);
  } while (failed && errno == EINTR);
  *effective = !failed;
  if (!failed) sign(descriptor);
  if (!failed || has_no_locks(errno)) return GANNET_OK;
  if (errno == EWOULDBLOCK || errno == EACCES) return raise_busy(descriptor, path);
  return gannet_raise_errno("lock", path);
}

gannet_err gannet_lock_acquire(const char *path, gannet_lock *lock) {
  lock->effective = false;
  GANNET_TRY(gannet_file_open(path, O_RDWR | O_CREAT, GANNET_ERR_DAMAGED, &lock->descriptor));
  const gannet_err err = lock_open(lock->descriptor, path, &lock->effective);
  if (err != GANNET_OK) {
    (void)close(lock->descriptor);
    lock->descriptor = -1;
  }
  return err;
}

static bool is_at(int descriptor, const char *path) {
  struct stat held, there;
  return fstat(descriptor, &held) == 0 && stat(path, &there) == 0 && held.st_dev == there.st_dev &&
         held.st_ino == there.st_ino;
}

gannet_err gannet_lock_keep(const char *path, gannet_lock *lock, bool *renewed) {
  gannet_lock fresh;
  *renewed = false;
  if (!lock->effective || is_at(lock->descriptor, path)) return GANNET_OK;
  const gannet_err err = gannet_lock_acquire(path, &fresh);
  if (err == GANNET_ERR_BUSY) return err;
  if (err != GANNET_OK) gannet_error_clear();
  if (err != GANNET_OK || !fresh.effective) {
    gannet_lock_release(&fresh);
    return GANNET_OK;
  }
  (void)close(lock->descriptor);
  *lock = fresh;
  *renewed = true;
  return GANNET_OK;
}

/* Ended, but nobody asked how: in containers without an init process such processes stay. */
static bool is_zombie(long pid) {
  char path[64], text[512] = "";
  (void)snprintf(path, sizeof path, "/proc/%ld/stat", pid);
  FILE *file = fopen(path, "re");
  if (!file) return false;
  const bool read = fgets(text, sizeof text, file) != NULL;
  (void)fclose(file);
  const char *end = read ? strrchr(text, ')') : NULL; /* of the name, which may have any in it */
  return end && (end[1] == ' ') && (end[2] == 'Z' || end[2] == 'X');
}

void gannet_lock_look(const char *path, gannet_lock_holder *holder) {
  char here[256] = "unknown";
  struct stat status;
  memset(holder, 0, sizeof *holder);
  int descriptor = -1;
  if (gannet_file_open(path, O_RDONLY, GANNET_ERR_DAMAGED, &descriptor) != GANNET_OK) {
    gannet_error_clear();
    return;
  }
  if (!read_name(descriptor, &holder->pid, holder->host) || holder->pid <= 0) holder->pid = 0;
  if (fstat(descriptor, &status) == 0)
    holder->since = (double)status.st_mtim.tv_sec + 1e-9 * (double)status.st_mtim.tv_nsec;
  (void)close(descriptor);
  if (holder->pid == 0) return;
  (void)gethostname(here, sizeof here - 1);
  holder->is_here = strcmp(here, holder->host) == 0;
  holder->is_alive = !holder->is_here || ((kill((pid_t)holder->pid, 0) == 0 || errno == EPERM) &&
                                          !is_zombie(holder->pid));
}

void gannet_lock_release(gannet_lock *lock) {
  if (lock->descriptor < 0) return;
  if (lock->effective) (void)!ftruncate(lock->descriptor, 0);
  (void)close(lock->descriptor);
  lock->descriptor = -1;
}
