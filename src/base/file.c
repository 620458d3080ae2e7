#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/* Errors. */

const char *gannet_advice_on_space(int reason) {
  return reason == EFBIG ? "raise the limit of the size of files (ulimit -f)"
                         : "free some space or raise the quota";
}

/* What a user can do about it, for reasons that are not a matter of the name. */
static const char *advice_on(int reason) {
  switch (reason) {
    case EACCES:
    case EPERM:
    case EROFS:
      return "; choose another place, or have its permissions changed";
    default:
      return "";
  }
}

gannet_err gannet_raise_errno(const char *doing, const char *name) {
  const int reason = errno;
  gannet_err code = GANNET_ERR_IO;
  if (reason == ENOENT || reason == ENOTDIR) code = GANNET_ERR_MISSING;
  if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG) code = GANNET_ERR_NO_SPACE;
  if (reason == EEXIST) code = GANNET_ERR_EXISTS;
  const bool is_full = code == GANNET_ERR_NO_SPACE;
  const gannet_err err = GANNET_RAISE(code, "cannot %s '%s': %s%s%s", doing, name, strerror(reason),
                                      is_full ? "; " : "",
                                      is_full ? gannet_advice_on_space(reason) : advice_on(reason));
  errno = reason;
  return err;
}

/* Paths. */

void gannet_directory_of(const char *path, char *directory, size_t size) {
  const char *slash = strrchr(path, '/');
  const int length = slash && slash > path ? (int)(slash - path) : 1;
  (void)snprintf(directory, size, "%.*s", length, slash ? path : ".");
}

const char *gannet_file_name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

gannet_err gannet_join_path(const char *directory, const char *name, char *path, size_t size) {
  const int needed = snprintf(path, size, "%s/%s", directory, name);
  GANNET_REQUIRE(needed >= 0 && (size_t)needed < size, GANNET_ERR_ARG, "path too long: %s/%s",
                 directory, name);
  return GANNET_OK;
}

bool gannet_path_is_gone(const char *path) {
  struct stat about;
  return stat(path, &about) && (errno == ENOENT || errno == ENOTDIR);
}

bool gannet_link_leads_nowhere(const char *path, char *target, size_t size) {
  struct stat about;
  if (stat(path, &about) == 0 || errno != ENOENT) return false;
  const ssize_t length = readlink(path, target, size - 1);
  if (length >= 0) target[length] = '\0';
  return length >= 0;
}

/* Opening, reading and writing. */

static const int64_t largest_file = INT64_C(64) << 30;

static const char *kind_of(mode_t mode) {
  return S_ISFIFO(mode)   ? "a FIFO (named pipe)"
         : S_ISCHR(mode)  ? "a character device"
         : S_ISBLK(mode)  ? "a block device"
         : S_ISSOCK(mode) ? "a socket"
         : S_ISDIR(mode)  ? "a directory"
         : S_ISLNK(mode)  ? "a link that leads back to itself"
                          : "no regular file";
}

/* Whether a path is one that the shell hands over for <(command) or for standard input. */
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

/* Raise the error of an open that failed: because of what the path is, or for another reason. */
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

static gannet_err raise_too_large(const char *path, int64_t most, gannet_err otherwise) {
  const gannet_err err =
      GANNET_RAISE(otherwise, "'%s' has more than %lld bytes", path, (long long)most);
  errno = EINVAL;
  return err;
}

static gannet_err read_to_end(int descriptor, const char *path, int64_t most, gannet_err otherwise,
                              char **bytes, size_t *size) {
  struct stat about;
  if (fstat(descriptor, &about)) return gannet_raise_errno("look at", path);
  if (about.st_size > most) return raise_too_large(path, most, otherwise);
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
    if (used > (size_t)most) return raise_too_large(path, most, otherwise);
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
  const gannet_err err = read_to_end(descriptor, path, most, otherwise, bytes, size);
  const int reason = errno;
  (void)close(descriptor);
  if (err != GANNET_OK) gannet_free(bytes);
  errno = reason;
  return err;
}

gannet_err gannet_file_read(const char *path, char **bytes, size_t *size) {
  return gannet_file_read_within(path, largest_file, GANNET_ERR_INPUT, bytes, size);
}

gannet_err gannet_read_at(int descriptor, int64_t first, void *bytes, size_t size, const char *name,
                          size_t *got) {
  *got = 0;
  while (*got < size) {
    const ssize_t more =
        pread(descriptor, (char *)bytes + *got, size - *got, (off_t)first + (off_t)*got);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return gannet_raise_errno("read", name);
    if (more == 0) break;
    *got += (size_t)more;
  }
  return GANNET_OK;
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

gannet_err gannet_write_all(int descriptor, const void *bytes, size_t size, const char *name) {
  const char *at = bytes;
  while (size > 0) {
    const ssize_t done = write(descriptor, at, size);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return gannet_raise_errno("write", name);
    at += done;
    size -= (size_t)done;
  }
  return GANNET_OK;
}

/* Files that appear whole, and directories. */

static gannet_err sync_directory_of(const char *path) {
  char directory[PATH_MAX];
  gannet_directory_of(path, directory, sizeof directory);
  const int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return gannet_raise_errno("open", directory);
  /* Some file systems cannot sync a directory; they order renames themselves. */
  const int failed = fsync(descriptor) && errno != EINVAL && errno != EROFS;
  const gannet_err err = failed ? gannet_raise_errno("sync", directory) : GANNET_OK;
  (void)close(descriptor);
  return err;
}

/* Raise why a file could not be renamed. */
static gannet_err raise_rename(const char *from, const char *to) {
  GANNET_REQUIRE(errno != EISDIR, GANNET_ERR_IO,
                 "cannot write '%s': there is a directory of that name; move it away", to);
  return gannet_raise_errno("rename", from);
}

gannet_err gannet_file_rename(const char *from, const char *to) {
  if (rename(from, to)) return raise_rename(from, to);
  return sync_directory_of(to);
}

static gannet_err write_new_file(const char *path, const void *bytes, size_t size, bool lasting) {
  int descriptor = -1;
  GANNET_TRY(gannet_file_create(path, 0666, &descriptor));
  gannet_err err = gannet_write_all(descriptor, bytes, size, path);
  if (err == GANNET_OK && lasting && fsync(descriptor)) err = gannet_raise_errno("sync", path);
  if (close(descriptor) && err == GANNET_OK) err = gannet_raise_errno("close", path);
  if (err != GANNET_OK) (void)unlink(path);
  return err;
}

static gannet_err replace_file(const char *path, const void *bytes, size_t size, bool lasting) {
  char fresh[PATH_MAX];
  GANNET_REQUIRE(snprintf(fresh, sizeof fresh, "%s.new", path) < (int)sizeof fresh, GANNET_ERR_ARG,
                 "path too long: %s", path);
  GANNET_TRY(write_new_file(fresh, bytes, size, lasting));
  gannet_err err = GANNET_OK;
  if (lasting)
    err = gannet_file_rename(fresh, path);
  else if (rename(fresh, path))
    err = raise_rename(fresh, path);
  if (err != GANNET_OK) (void)unlink(fresh);
  return err;
}

gannet_err gannet_file_replace(const char *path, const void *bytes, size_t size) {
  return replace_file(path, bytes, size, true);
}

gannet_err gannet_file_put(const char *path, const void *bytes, size_t size) {
  return replace_file(path, bytes, size, false);
}

gannet_err gannet_file_print(const char *directory, const char *name, bool lasting,
                             gannet_file_putter put, const void *user) {
  char path[PATH_MAX], *text = NULL;
  size_t size = 0;
  GANNET_TRY(gannet_join_path(directory, name, path, sizeof path));
  FILE *out = open_memstream(&text, &size);
  GANNET_REQUIRE(out, GANNET_ERR_MEMORY, "%s", path);
  gannet_err err = put(out, user);
  if (fclose(out) && err == GANNET_OK) err = GANNET_RAISE(GANNET_ERR_MEMORY, "%s", path);
  if (err == GANNET_OK) err = replace_file(path, text, size, lasting);
  free(text);
  return err;
}

/* The error if it says that a file system or a quota is full, or else 0. */
static int if_full(int error) {
  return error == ENOSPC || error == EDQUOT ? error : 0;
}

/* Returns the error by which a file system or a quota is full, 0 = it takes these bytes, or fails
 * otherwise. Some file systems, and those behind a network, say only at the end that they are full.
 */
static int try_to_write(int descriptor, size_t size) {
  static const char block[4096];
  for (size_t at = 0; at < size; at += sizeof block)
    if (write(descriptor, block, sizeof block) < 0) return if_full(errno);
  return fsync(descriptor) ? if_full(errno) : 0;
}

bool gannet_directory_has_room(const char *directory) {
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/.room", directory) >= (int)sizeof path) return true;
  int descriptor = -1, full = 0;
  if (gannet_file_create(path, 0666, &descriptor) != GANNET_OK) {
    full = if_full(errno);
    gannet_error_clear();
  } else {
    (void)unlink(path);
    full = try_to_write(descriptor, 64 << 10);
    if (close(descriptor) && full == 0) full = if_full(errno);
  }
  if (full) errno = full;
  return full == 0;
}

/* Make one directory, whose parent is there. What exists under its name may be no directory. */
static gannet_err make_directory_in(const char *path, bool lasting) {
  char target[PATH_MAX];
  if (mkdir(path, 0777) == 0) return lasting ? sync_directory_of(path) : GANNET_OK;
  if (errno != EEXIST) return gannet_raise_errno("create directory", path);
  GANNET_REQUIRE(!gannet_link_leads_nowhere(path, target, sizeof target), GANNET_ERR_MISSING,
                 "'%s' is a symbolic link to '%s', which does not exist; make that directory, or "
                 "remove the link",
                 path, target);
  return GANNET_OK;
}

static gannet_err make_directories(const char *path, bool lasting) {
  char part[PATH_MAX];
  GANNET_REQUIRE(snprintf(part, sizeof part, "%s", path) < (int)sizeof part, GANNET_ERR_ARG,
                 "path too long: %s", path);
  if (mkdir(path, 0777) == 0) return lasting ? sync_directory_of(path) : GANNET_OK;
  for (char *slash = part + 1; (slash = strchr(slash, '/')); ++slash) {
    *slash = '\0';
    GANNET_TRY(make_directory_in(part, lasting));
    *slash = '/';
  }
  GANNET_TRY(make_directory_in(part, lasting));
  struct stat about;
  if (stat(part, &about)) return gannet_raise_errno("look at", part);
  GANNET_REQUIRE(S_ISDIR(about.st_mode), GANNET_ERR_EXISTS,
                 "'%s' exists and is not a directory; move it away, or choose another", part);
  return GANNET_OK;
}

gannet_err gannet_make_directory(const char *path) {
  return make_directories(path, false);
}

gannet_err gannet_make_lasting_directory(const char *path) {
  return make_directories(path, true);
}
