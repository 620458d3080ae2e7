#include "base/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/memory.h"

static const int64_t most_of_any = INT64_C(64) << 30;

static const char *kind_of(mode_t mode) {
  return S_ISFIFO(mode)   ? "a FIFO (named pipe)"
         : S_ISCHR(mode)  ? "a character device"
         : S_ISBLK(mode)  ? "a block device"
         : S_ISSOCK(mode) ? "a socket"
         : S_ISDIR(mode)  ? "a directory"
         : S_ISLNK(mode)  ? "a link that leads back to itself"
                          : "no regular file";
}

/* What the shell hands over for <(command) and for its standard input. */
static bool is_handed_over(const char *path) {
  return strcmp(path, "/dev/stdin") == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
         strncmp(path, "/proc/self/fd/", 14) == 0;
}

/* Say what is in the place of a regular file. errno is one that does not pass. */
static gannet_err raise_kind(const char *path, mode_t mode, bool writes, gannet_err otherwise) {
  const char *kind = kind_of(mode);
  char target[PATH_MAX];
  const ssize_t length = readlink(path, target, sizeof target - 1);
  if (length >= 0) target[length] = '\0';
  const gannet_err err =
      length < 0 ? GANNET_RAISE(otherwise, "'%s' is %s, expected a regular file", path, kind)
      : writes   ? GANNET_RAISE(otherwise,
                                "'%s' is a symbolic link to '%s', expected a regular file: gannet "
                                  "writes only into files of its own; remove the link",
                                path, target)
                 : GANNET_RAISE(otherwise,
                                "'%s' is a symbolic link to '%s', which is %s; expected a regular "
                                  "file",
                                path, target, kind);
  errno = S_ISDIR(mode) ? EISDIR : S_ISLNK(mode) ? ELOOP : EINVAL;
  return err;
}

/* An open that failed because of what the path is, or for another reason. */
static gannet_err explain_refusal(const char *path, bool writes, gannet_err otherwise) {
  const int reason = errno;
  struct stat about;
  if (reason == ELOOP && lstat(path, &about) == 0 && S_ISLNK(about.st_mode))
    return raise_kind(path, about.st_mode, writes, otherwise);
  const bool is_odd = stat(path, &about) == 0 && !S_ISREG(about.st_mode);
  errno = reason;
  if (is_odd && (reason == ENXIO || reason == EISDIR || reason == ENODEV))
    return raise_kind(path, about.st_mode, false, otherwise);
  return gannet_raise_errno("open", path);
}

gannet_err gannet_file_open(const char *path, int flags, gannet_err otherwise, int *descriptor) {
  const bool writes = (flags & O_ACCMODE) != O_RDONLY;
  const int careful = O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (writes ? O_NOFOLLOW : 0);
  struct stat about;
  gannet_err err = GANNET_OK;
  do {
    *descriptor = open(path, flags | careful, 0666);
  } while (*descriptor < 0 && errno == EINTR);
  if (*descriptor < 0) return explain_refusal(path, writes, otherwise);
  if (fstat(*descriptor, &about))
    err = gannet_raise_errno("look at", path);
  else if (S_ISFIFO(about.st_mode) && !writes && is_handed_over(path))
    (void)fcntl(*descriptor, F_SETFL, 0); /* whoever reads waits for the other end */
  else if (!S_ISREG(about.st_mode))
    err = raise_kind(path, about.st_mode, false, otherwise);
  if (err == GANNET_OK) return err;
  const int reason = errno;
  (void)close(*descriptor);
  *descriptor = -1;
  errno = reason;
  return err;
}

gannet_err gannet_file_stream(const char *path, gannet_err otherwise, FILE **stream) {
  int descriptor = -1;
  *stream = NULL;
  GANNET_TRY(gannet_file_open(path, O_RDONLY, otherwise, &descriptor));
  *stream = fdopen(descriptor, "r");
  if (*stream) return GANNET_OK;
  const gannet_err err = gannet_raise_errno("read", path);
  (void)close(descriptor);
  return err;
}

gannet_err gannet_file_create(const char *path, unsigned mode, int *descriptor) {
  struct stat about;
  for (int attempt = 0; attempt < 10; ++attempt) { /* another process may be quicker */
    *descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOCTTY | O_CLOEXEC, (mode_t)mode);
    if (*descriptor >= 0) return GANNET_OK;
    if (errno == EINTR) continue;
    if (errno != EEXIST) return gannet_raise_errno("create", path);
    GANNET_REQUIRE(lstat(path, &about) || !S_ISDIR(about.st_mode), GANNET_ERR_IO,
                   "cannot create '%s': there is a directory of that name; remove it", path);
    if (unlink(path) && errno != ENOENT) return gannet_raise_errno("replace", path);
  }
  errno = EEXIST;
  return gannet_raise_errno("create", path);
}

static gannet_err raise_size(const char *path, int64_t most, gannet_err otherwise) {
  const gannet_err err =
      GANNET_RAISE(otherwise, "'%s' has more than %lld bytes", path, (long long)most);
  errno = EINVAL;
  return err;
}

static gannet_err read_all(int descriptor, const char *path, int64_t most, gannet_err otherwise,
                           char **bytes, size_t *size) {
  struct stat about;
  if (fstat(descriptor, &about)) return gannet_raise_errno("look at", path);
  if (about.st_size > most) return raise_size(path, most, otherwise);
  size_t capacity = (size_t)about.st_size + 1, used = 0;
  GANNET_TRY(gannet_alloc(capacity + 1, 1, bytes));
  for (;;) {
    if (used == capacity) {
      GANNET_TRY(gannet_resize(capacity + 1, 2 * capacity + 1, 1, bytes));
      capacity *= 2;
    }
    const ssize_t got = read(descriptor, *bytes + used, capacity - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return gannet_raise_errno("read", path);
    if (got == 0) break;
    used += (size_t)got;
    if (used > (size_t)most) return raise_size(path, most, otherwise);
  }
  (*bytes)[used] = '\0';
  if (size) *size = used;
  return GANNET_OK;
}

gannet_err gannet_file_read_within(const char *path, int64_t most, gannet_err otherwise,
                                   char **bytes, size_t *size) {
  int descriptor = -1;
  *bytes = NULL;
  GANNET_TRY(gannet_file_open(path, O_RDONLY, otherwise, &descriptor));
  const gannet_err err = read_all(descriptor, path, most, otherwise, bytes, size);
  const int reason = errno;
  (void)close(descriptor);
  if (err != GANNET_OK) gannet_free(bytes);
  errno = reason;
  return err;
}

gannet_err gannet_file_read(const char *path, char **bytes, size_t *size) {
  return gannet_file_read_within(path, most_of_any, GANNET_ERR_INPUT, bytes, size);
}

gannet_err gannet_file_read_end(const char *path, size_t room, char *text, size_t *size) {
  int descriptor = -1;
  struct stat about;
  size_t got = 0;
  text[0] = '\0';
  if (size) *size = 0;
  GANNET_TRY(gannet_file_open(path, O_RDONLY, GANNET_ERR_INPUT, &descriptor));
  gannet_err err = fstat(descriptor, &about) ? gannet_raise_errno("look at", path) : GANNET_OK;
  const int64_t wanted = (int64_t)room - 1;
  const int64_t first =
      err == GANNET_OK && about.st_size > wanted ? (int64_t)about.st_size - wanted : 0;
  if (err == GANNET_OK) err = gannet_read_at(descriptor, first, text, (size_t)wanted, path, &got);
  (void)close(descriptor);
  text[err == GANNET_OK ? got : 0] = '\0';
  if (size) *size = err == GANNET_OK ? got : 0;
  return err;
}
