#include "base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/open_file.h"

/* What a user can do about it, for reasons that are not a matter of the name. */
static const char *advice_on(int reason) {
  switch (reason) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "; free some space or raise the quota";
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
  const gannet_err err =
      GANNET_RAISE(code, "cannot %s '%s': %s%s", doing, name, strerror(reason), advice_on(reason));
  errno = reason;
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

void gannet_directory_of(const char *path, char *directory, size_t size) {
  const char *slash = strrchr(path, '/');
  const int length = slash && slash > path ? (int)(slash - path) : 1;
  (void)snprintf(directory, size, "%.*s", length, slash ? path : ".");
}

const char *gannet_file_name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

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

gannet_err gannet_file_rename(const char *from, const char *to) {
  if (rename(from, to)) return gannet_raise_errno("rename", from);
  return sync_directory_of(to);
}

static gannet_err write_new(const char *path, const void *bytes, size_t size, bool lasting) {
  int descriptor = -1;
  GANNET_TRY(gannet_file_create(path, 0666, &descriptor));
  gannet_err err = gannet_write_all(descriptor, bytes, size, path);
  if (err == GANNET_OK && lasting && fsync(descriptor)) err = gannet_raise_errno("sync", path);
  if (close(descriptor) && err == GANNET_OK) err = gannet_raise_errno("close", path);
  if (err != GANNET_OK) (void)unlink(path);
  return err;
}

static gannet_err exchange(const char *path, const void *bytes, size_t size, bool lasting) {
  char fresh[PATH_MAX];
  GANNET_REQUIRE(snprintf(fresh, sizeof fresh, "%s.new", path) < (int)sizeof fresh, GANNET_ERR_ARG,
                 "path too long: %s", path);
  GANNET_TRY(write_new(fresh, bytes, size, lasting));
  gannet_err err = GANNET_OK;
  if (lasting)
    err = gannet_file_rename(fresh, path);
  else if (rename(fresh, path))
    err = gannet_raise_errno("rename", fresh);
  if (err != GANNET_OK) (void)unlink(fresh);
  return err;
}

gannet_err gannet_file_replace(const char *path, const void *bytes, size_t size) {
  return exchange(path, bytes, size, true);
}

gannet_err gannet_file_put(const char *path, const void *bytes, size_t size) {
  return exchange(path, bytes, size, false);
}

static int full_error(int error) {
  return error == ENOSPC || error == EDQUOT ? error : 0;
}

/* The error by which a file system or a quota is full, 0 = it takes these bytes, or fails
 * otherwise. Some file systems, and those behind a network, say only at the end that they are full.
 */
static int write_zeros(int descriptor, size_t size) {
  static const char block[4096];
  for (size_t at = 0; at < size; at += sizeof block)
    if (write(descriptor, block, sizeof block) < 0) return full_error(errno);
  return fsync(descriptor) ? full_error(errno) : 0;
}

bool gannet_path_is_gone(const char *path) {
  struct stat about;
  return stat(path, &about) && (errno == ENOENT || errno == ENOTDIR);
}

bool gannet_directory_has_room(const char *directory) {
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/.room", directory) >= (int)sizeof path) return true;
  int descriptor = -1, full = 0;
  if (gannet_file_create(path, 0666, &descriptor) != GANNET_OK) {
    full = full_error(errno);
    gannet_error_clear();
  } else {
    (void)unlink(path);
    full = write_zeros(descriptor, 64 << 10);
    if (close(descriptor) && full == 0) full = full_error(errno);
  }
  if (full) errno = full;
  return full == 0;
}

bool gannet_link_leads_nowhere(const char *path, char *target, size_t size) {
  struct stat about;
  if (stat(path, &about) == 0 || errno != ENOENT) return false;
  const ssize_t length = readlink(path, target, size - 1);
  if (length >= 0) target[length] = '\0';
  return length >= 0;
}

/* One directory whose parent is there. What leads elsewhere may exist and be none. */
static gannet_err make_one(const char *path, bool lasting) {
  char target[PATH_MAX];
  if (mkdir(path, 0777) == 0) return lasting ? sync_directory_of(path) : GANNET_OK;
  if (errno != EEXIST) return gannet_raise_errno("create directory", path);
  GANNET_REQUIRE(!gannet_link_leads_nowhere(path, target, sizeof target), GANNET_ERR_MISSING,
                 "'%s' is a symbolic link to '%s', which does not exist; make that directory, or "
                 "remove the link",
                 path, target);
  return GANNET_OK;
}

static gannet_err make_all(const char *path, bool lasting) {
  char part[PATH_MAX];
  GANNET_REQUIRE(snprintf(part, sizeof part, "%s", path) < (int)sizeof part, GANNET_ERR_ARG,
                 "path too long: %s", path);
  for (char *slash = part + 1; (slash = strchr(slash, '/')); ++slash) {
    *slash = '\0';
    GANNET_TRY(make_one(part, lasting));
    *slash = '/';
  }
  GANNET_TRY(make_one(part, lasting));
  struct stat about;
  if (stat(part, &about)) return gannet_raise_errno("look at", part);
  GANNET_REQUIRE(S_ISDIR(about.st_mode), GANNET_ERR_EXISTS,
                 "'%s' exists and is not a directory; move it away, or choose another", part);
  return GANNET_OK;
}

gannet_err gannet_make_directory(const char *path) {
  return make_all(path, false);
}

gannet_err gannet_make_lasting_directory(const char *path) {
  return make_all(path, true);
}

gannet_err gannet_join_path(const char *directory, const char *name, char *path, size_t size) {
  const int needed = snprintf(path, size, "%s/%s", directory, name);
  GANNET_REQUIRE(needed >= 0 && (size_t)needed < size, GANNET_ERR_ARG, "path too long: %s/%s",
                 directory, name);
  return GANNET_OK;
}
