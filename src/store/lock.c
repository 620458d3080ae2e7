#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/process.h"

/* The content of a lock file on a file system without flock. No process has the number 0. */
static const char without_flock[] = "0 no-locks\n";

typedef enum { TAKEN, BUSY_ELSEWHERE, AGAIN, IMPOSSIBLE } outcome;

static bool read_holder(int descriptor, gannet_process *holder) {
  char text[GANNET_PROCESS_TEXT] = "";
  const ssize_t got = pread(descriptor, text, sizeof text - 1, 0);
  *holder = (gannet_process){0};
  return got > 0 && gannet_process_parse(text, holder);
}

static gannet_err owner_path(const char *path, char *owner) {
  GANNET_REQUIRE(snprintf(owner, PATH_MAX, "%s.owner", path) < PATH_MAX - 20, GANNET_ERR_ARG,
                 "path too long: %s", path);
  return GANNET_OK;
}

static gannet_err raise_busy(const char *path, const gannet_process *holder) {
  GANNET_REQUIRE(holder->pid, GANNET_ERR_BUSY,
                 "'%s' is held by another process; wait until it has ended", path);
  return GANNET_RAISE(GANNET_ERR_BUSY,
                      "'%s' is held by process %ld on %s; wait until it has ended, or end it there",
                      path, holder->pid, holder->host);
}

/* Refuse a lock whose holder cannot be seen from here. Without flock, a process that was killed on
 * another host leaves its name behind. */
static gannet_err raise_unseen(const char *path, const gannet_process *holder) {
  GANNET_REQUIRE(holder->pid, GANNET_ERR_BUSY,
                 "'%s' is there, but names no process; when no gannet uses the campaign any more, "
                 "remove that file",
                 path);
  return GANNET_RAISE(
      GANNET_ERR_BUSY,
      "'%s' is held by process %ld on %s, and this file system has no locks by which one could see "
      "from here whether it still runs: wait until it has ended; if it was killed, or %s has gone "
      "down, remove that file",
      path, holder->pid, holder->host, holder->host);
}

/* The name of the holder is a courtesy: the lock holds without it, even on a full disk. */
static void write_name(int descriptor, const char *text, int length) {
  if (ftruncate(descriptor, 0)) return;
  if (pwrite(descriptor, text, (size_t)length, 0) != length) (void)!ftruncate(descriptor, 0);
}

static int format_self(char *text) {
  const gannet_process self = gannet_process_self();
  const int length = gannet_process_format(&self, text);
  return length + snprintf(text + length, GANNET_PROCESS_TEXT - (size_t)length, "\n");
}

/* Remove the file of an owner who has ended. Another process may do the same and be the owner by
 * now: the file is moved out of the way, looked at, and put back when it is not the one. */
static void remove_leftover(const char *owner, const gannet_process *ended) {
  char aside[PATH_MAX + 32];
  gannet_process found = {0};
  (void)snprintf(aside, sizeof aside, "%s.%016" PRIx64, owner, gannet_identity_create(owner));
  if (rename(owner, aside)) return;
  const int descriptor = open(aside, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  const bool same = descriptor >= 0 && read_holder(descriptor, &found) && found.pid == ended->pid &&
                    found.started == ended->started && strcmp(found.host, ended->host) == 0 &&
                    strcmp(found.boot, ended->boot) == 0;
  if (descriptor >= 0) (void)close(descriptor);
  if (!same) (void)!link(aside, owner);
  (void)unlink(aside);
}

/* Who has PATH.owner: AGAIN when nobody has it any more. */
static outcome look_at_owner(const char *owner, gannet_process *holder) {
  int descriptor = -1;
  *holder = (gannet_process){0};
  const gannet_err err = gannet_file_open(owner, O_RDONLY, GANNET_ERR_DAMAGED, &descriptor);
  if (err != GANNET_OK) {
    gannet_error_clear();
    return err == GANNET_ERR_MISSING ? AGAIN : BUSY_ELSEWHERE;
  }
  const bool named = read_holder(descriptor, holder);
  (void)close(descriptor);
  if (!named || gannet_process_look(holder) != GANNET_PROCESS_ENDED) return BUSY_ELSEWHERE;
  remove_leftover(owner, holder);
  return AGAIN;
}

/* Create the file of the owner by a link, so that it is complete when its name appears. NFS may
 * lose the answer to a link that was made; the number of links then tells. */
static outcome link_owner(const char *owner, int *descriptor) {
  char fresh[PATH_MAX + 32], text[GANNET_PROCESS_TEXT];
  struct stat about;
  (void)snprintf(fresh, sizeof fresh, "%s.%016" PRIx64, owner, gannet_identity_create(owner));
  if (gannet_file_create(fresh, 0666, descriptor) != GANNET_OK) return IMPOSSIBLE;
  const int length = format_self(text);
  outcome end = IMPOSSIBLE;
  if (gannet_write_all(*descriptor, text, (size_t)length, fresh) == GANNET_OK) {
    const int failed = link(fresh, owner) ? errno : 0;
    const bool linked = !failed || (stat(fresh, &about) == 0 && about.st_nlink == 2);
    if (!linked) errno = failed;
    end = linked ? TAKEN : failed == EEXIST ? AGAIN : IMPOSSIBLE;
  }
  const int reason = errno;
  (void)unlink(fresh);
  if (end == TAKEN) return end;
  (void)close(*descriptor);
  *descriptor = -1;
  errno = reason;
  return end;
}

/* Create the file of the owner on a file system without links. It is empty for a moment. */
static outcome create_owner(const char *owner, int *descriptor) {
  char text[GANNET_PROCESS_TEXT];
  *descriptor = open(owner, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (*descriptor < 0) return errno == EEXIST ? AGAIN : IMPOSSIBLE;
  const int length = format_self(text);
  if (gannet_write_all(*descriptor, text, (size_t)length, owner) == GANNET_OK) return TAKEN;
  (void)unlink(owner);
  (void)close(*descriptor);
  *descriptor = -1;
  return IMPOSSIBLE;
}

static bool has_no_links(int reason) {
  return reason == EPERM || reason == EOPNOTSUPP || reason == ENOSYS || reason == EMLINK ||
         reason == EINVAL;
}

static gannet_err take_name(const char *path, int *descriptor) {
  enum { ATTEMPTS = 20 };
  char owner[PATH_MAX];
  gannet_process holder = {0};
  GANNET_TRY(owner_path(path, owner));
  for (int attempt = 0; attempt < ATTEMPTS; ++attempt) {
    outcome end = link_owner(owner, descriptor);
    if (end == IMPOSSIBLE && has_no_links(errno)) end = create_owner(owner, descriptor);
    if (end == IMPOSSIBLE) return gannet_raise_errno("create", owner);
    gannet_error_clear();
    if (end == TAKEN) return GANNET_OK;
    if (look_at_owner(owner, &holder) == AGAIN) continue;
    if (holder.pid) break;
    gannet_clock_sleep(0.01); /* its owner may be about to write the name */
  }
  return gannet_process_look(&holder) == GANNET_PROCESS_ALIVE ? raise_busy(path, &holder)
                                                              : raise_unseen(owner, &holder);
}

static bool has_no_locks(int reason) {
  return reason == ENOLCK || reason == ENOSYS || reason == EOPNOTSUPP || reason == EINVAL;
}

/* Take the lock by name, as the file system has no locks here. Another client may see it with locks
 * and hold it by flock. */
static gannet_err lock_by_name(int marker, const char *path, gannet_lock *lock) {
  gannet_process holder;
  char text[sizeof without_flock] = "";
  if (read_holder(marker, &holder)) {
    const gannet_process_state state = gannet_process_look(&holder);
    if (state == GANNET_PROCESS_ALIVE) return raise_busy(path, &holder);
    if (state == GANNET_PROCESS_UNSEEN) return raise_unseen(path, &holder);
  }
  GANNET_TRY(take_name(path, &lock->descriptor));
  lock->by_name = true;
  lock->is_news = pread(marker, text, sizeof text - 1, 0) <= 0 || strcmp(text, without_flock) != 0;
  if (lock->is_news) write_name(marker, without_flock, (int)sizeof without_flock - 1);
  return GANNET_OK;
}

/* Check that no other client, which may see the file system without locks, holds the lock by name.
 */
static gannet_err check_name(const char *path) {
  char owner[PATH_MAX];
  gannet_process holder;
  struct stat about;
  GANNET_TRY(owner_path(path, owner));
  if (lstat(owner, &about) || look_at_owner(owner, &holder) == AGAIN) return GANNET_OK;
  return gannet_process_look(&holder) == GANNET_PROCESS_ALIVE ? raise_busy(path, &holder)
                                                              : raise_unseen(owner, &holder);
}

/* flock and not fcntl: the latter drops the lock when the process closes any descriptor of the
 * file. */
static gannet_err lock_open(int descriptor, const char *path, gannet_lock *lock) {
  char text[GANNET_PROCESS_TEXT];
  gannet_process holder;
  int failed;
  do {
    failed = flock(descriptor, LOCK_EX | LOCK_NB);
  } while (failed && errno == EINTR);
  if (failed && has_no_locks(errno)) return lock_by_name(descriptor, path, lock);
  if (failed && (errno == EWOULDBLOCK || errno == EACCES)) {
    (void)read_holder(descriptor, &holder);
    return raise_busy(path, &holder);
  }
  if (failed) return gannet_raise_errno("lock", path);
  GANNET_TRY(check_name(path));
  write_name(descriptor, text, format_self(text));
  lock->descriptor = descriptor;
  return GANNET_OK;
}

gannet_err gannet_lock_acquire(const char *path, gannet_lock *lock) {
  int descriptor = -1;
  *lock = (gannet_lock){.descriptor = -1};
  GANNET_TRY(gannet_file_open(path, O_RDWR | O_CREAT, GANNET_ERR_DAMAGED, &descriptor));
  const gannet_err err = lock_open(descriptor, path, lock);
  if (lock->descriptor != descriptor) (void)close(descriptor);
  return err;
}

/* Whether another file, or none, is at a path for certain. */
static bool is_gone(int descriptor, const char *path) {
  struct stat held, there;
  if (stat(path, &there)) return errno == ENOENT;
  if (fstat(descriptor, &held)) return false;
  return held.st_dev != there.st_dev || held.st_ino != there.st_ino;
}

gannet_err gannet_lock_keep(const char *path, gannet_lock *lock, bool *renewed) {
  gannet_lock fresh;
  char owner[PATH_MAX];
  *renewed = false;
  GANNET_TRY(owner_path(path, owner));
  const char *file = lock->by_name ? owner : path;
  if (lock->descriptor < 0 || !is_gone(lock->descriptor, file)) return GANNET_OK;
  const gannet_err err = gannet_lock_acquire(path, &fresh);
  if (err == GANNET_ERR_BUSY && is_gone(lock->descriptor, file)) return err;
  if (err != GANNET_OK) gannet_error_clear();
  if (err != GANNET_OK) return GANNET_OK;
  (void)close(lock->descriptor);
  *lock = fresh;
  *renewed = true;
  return GANNET_OK;
}

/* Lines of older versions have no start: a process that is not gannet is another one. */
static bool is_successor(const gannet_process *holder) {
  char path[64], name[64] = "";
  if (holder->started) return false;
  (void)snprintf(path, sizeof path, "/proc/%ld/comm", holder->pid);
  FILE *file = fopen(path, "re");
  const bool named = file && fgets(name, sizeof name, file);
  if (file) (void)fclose(file);
  return named && strncmp(name, "gannet", 6) != 0;
}

static bool look_into(const char *path, gannet_lock_holder *holder) {
  int descriptor = -1;
  struct stat status;
  gannet_process process;
  if (gannet_file_open(path, O_RDONLY, GANNET_ERR_DAMAGED, &descriptor) != GANNET_OK) {
    gannet_error_clear();
    return false;
  }
  const bool named = read_holder(descriptor, &process);
  if (fstat(descriptor, &status) == 0)
    holder->since = (double)status.st_mtim.tv_sec + 1e-9 * (double)status.st_mtim.tv_nsec;
  (void)close(descriptor);
  if (!named) return false;
  const gannet_process_state state = gannet_process_look(&process);
  holder->pid = process.pid;
  (void)snprintf(holder->host, sizeof holder->host, "%s", process.host);
  holder->is_here = state != GANNET_PROCESS_UNSEEN;
  holder->is_alive = state != GANNET_PROCESS_ENDED && !(holder->is_here && is_successor(&process));
  return true;
}

void gannet_lock_look(const char *path, gannet_lock_holder *holder) {
  char owner[PATH_MAX];
  memset(holder, 0, sizeof *holder);
  if (look_into(path, holder)) return;
  if (owner_path(path, owner) == GANNET_OK)
    (void)look_into(owner, holder);
  else
    gannet_error_clear();
}

void gannet_lock_release(const char *path, gannet_lock *lock) {
  char owner[PATH_MAX];
  if (lock->descriptor < 0) return;
  if (lock->by_name && owner_path(path, owner) == GANNET_OK && !is_gone(lock->descriptor, owner))
    (void)unlink(owner);
  else if (!lock->by_name)
    (void)!ftruncate(lock->descriptor, 0);
  (void)close(lock->descriptor);
  lock->descriptor = -1;
}
