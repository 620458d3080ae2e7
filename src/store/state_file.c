/* Opening, committing and closing state files. */
#include "store/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "store/h5.h"
#include "store/seal.h"

enum { GROWTH = 1 << 22 }; /* bytes by which the image in memory grows */

static gannet_err with_suffix(const char *path, const char *suffix, char *result) {
  GANNET_REQUIRE(snprintf(result, PATH_MAX, "%s%s", path, suffix) < PATH_MAX, GANNET_ERR_ARG,
                 "path too long: %s%s", path, suffix);
  return GANNET_OK;
}

static gannet_err new_store(const char *path, gannet_store **store) {
  char longest[PATH_MAX];
  *store = NULL;
  GANNET_TRY(with_suffix(path, ".new", longest));
  GANNET_TRY(gannet_alloc(1, sizeof **store, store));
  (*store)->file = (*store)->links = H5I_INVALID_HID;
  (void)snprintf((*store)->path, PATH_MAX, "%s", path);
  return GANNET_OK;
}

void gannet_store_destroy(gannet_store **store) {
  if (!*store) return;
  const gannet_h5_printing printing = gannet_h5_silence();
  if ((*store)->links >= 0) (void)H5Pclose((*store)->links);
  if ((*store)->file >= 0) (void)H5Fclose((*store)->file);
  gannet_h5_restore(printing);
  gannet_free(store);
}

/* The file lives in memory (the "core" driver without a backing file): a full disk can then only
 * hit our own writes. HDF5 itself, failing to flush, would keep the file and its space until the
 * end of the process. */
static gannet_err create_image(gannet_store *store, hid_t creation, hid_t access) {
  herr_t status;
  const char *path = store->path;
  GANNET_TRY_H5(status, H5Pset_userblock(creation, GANNET_SEAL_SIZE), path);
  GANNET_TRY_H5(status, H5Pset_fapl_core(access, GROWTH, false), path);
  GANNET_TRY_H5(store->file, H5Fcreate(path, H5F_ACC_TRUNC, creation, access), path);
  GANNET_TRY_H5(store->links, H5Pcreate(H5P_LINK_CREATE), path);
  GANNET_TRY_H5(status, H5Pset_create_intermediate_group(store->links, 1), path);
  GANNET_TRY_H5(status, H5Pset_char_encoding(store->links, H5T_CSET_UTF8), path);
  return GANNET_OK;
}

static gannet_err create_properties(hid_t *creation, hid_t *access) {
  GANNET_TRY_H5(*creation, H5Pcreate(H5P_FILE_CREATE), "file creation");
  GANNET_TRY_H5(*access, H5Pcreate(H5P_FILE_ACCESS), "file access");
  return GANNET_OK;
}

static void close_properties(hid_t creation, hid_t access) {
  if (creation >= 0) (void)H5Pclose(creation);
  if (access >= 0) (void)H5Pclose(access);
}

gannet_err gannet_store_create(const char *path, int schema, gannet_store **store) {
  hid_t creation = H5I_INVALID_HID, access = H5I_INVALID_HID;
  *store = NULL;
  GANNET_REQUIRE(schema >= 1, GANNET_ERR_ARG, "schema = %d, expected at least 1", schema);
  GANNET_TRY(new_store(path, store));
  (*store)->writing = true;
  (*store)->schema = schema;
  gannet_err err = create_properties(&creation, &access);
  if (err == GANNET_OK) err = create_image(*store, creation, access);
  close_properties(creation, access);
  if (err != GANNET_OK) gannet_store_destroy(store);
  return err;
}

/* The whole file: room for the seal, then the image as HDF5 would have written it. */
static gannet_err get_image(const gannet_store *store, char **bytes, size_t *size) {
  herr_t status;
  ssize_t length, copied;
  GANNET_TRY_H5(status, H5Fflush(store->file, H5F_SCOPE_GLOBAL), store->path);
  GANNET_TRY_H5(length, H5Fget_file_image(store->file, NULL, 0), store->path);
  *size = GANNET_SEAL_SIZE + (size_t)length;
  GANNET_TRY(gannet_alloc(*size, 1, bytes));
  GANNET_TRY_H5(copied, H5Fget_file_image(store->file, *bytes + GANNET_SEAL_SIZE, (size_t)length),
                store->path);
  gannet_seal_write(store->schema, *bytes + GANNET_SEAL_SIZE, (size_t)length, *bytes);
  return GANNET_OK;
}

static gannet_err write_synced(const char *path, const char *bytes, size_t size) {
  int descriptor = -1;
  GANNET_TRY(gannet_file_create(path, 0666, &descriptor));
  gannet_err err = gannet_write_all(descriptor, bytes, size, path);
  int reason = errno;
  if (err == GANNET_OK && fsync(descriptor)) {
    reason = errno;
    err = gannet_raise_errno("sync", path);
  }
  if (close(descriptor) && err == GANNET_OK) {
    reason = errno;
    err = gannet_raise_errno("close", path);
  }
  if (err != GANNET_OK) (void)unlink(path);
  if (err != GANNET_ERR_NO_SPACE) return err;
  return GANNET_RAISE(
      GANNET_ERR_NO_SPACE,
      "cannot write the %zu bytes of '%s' (%s); the states saved before are untouched: "
      "%s, then resume",
      size, path, strerror(reason), gannet_advice_on_space(reason));
}

/* A sound path becomes path.1, by a second name where the file system has such, so that whoever
 * looks on finds a file at path at any moment. A damaged one must not push out the good path.1: it
 * is left to be replaced. Any schema counts as sound. */
static gannet_err keep_previous(const char *path) {
  char previous[PATH_MAX], second[PATH_MAX];
  if (gannet_store_verify(path, INT_MAX, NULL) != GANNET_OK) {
    gannet_error_clear();
    return GANNET_OK;
  }
  GANNET_TRY(with_suffix(path, ".1", previous));
  GANNET_TRY(with_suffix(path, ".1.new", second));
  (void)unlink(second);
  const gannet_err err = gannet_file_rename(link(path, second) == 0 ? second : path, previous);
  (void)unlink(second); /* of a file that was both already, a rename leaves the name */
  return err;
}

gannet_err gannet_store_commit(gannet_store *store) {
  char fresh[PATH_MAX], *bytes = NULL;
  size_t size = 0;
  GANNET_REQUIRE(store->writing && !store->committed, GANNET_ERR_STATE,
                 "'%s' is open for reading or was committed before", store->path);
  gannet_err err = get_image(store, &bytes, &size);
  if (err == GANNET_OK) err = with_suffix(store->path, ".new", fresh);
  if (err == GANNET_OK) err = write_synced(fresh, bytes, size);
  if (err == GANNET_OK) err = keep_previous(store->path);
  if (err == GANNET_OK) err = gannet_file_rename(fresh, store->path);
  if (err == GANNET_OK) store->committed = true;
  gannet_free(&bytes);
  return err;
}

gannet_err gannet_store_verify(const char *path, int newest_schema, int *schema) {
  int found = 0;
  int descriptor = -1;
  GANNET_TRY(gannet_file_open(path, O_RDONLY, GANNET_ERR_DAMAGED, &descriptor));
  const gannet_err err = gannet_seal_check(descriptor, path, newest_schema, &found);
  (void)close(descriptor);
  if (schema) *schema = found;
  return err;
}

/* HDF5 sees the bytes that were verified and never the disk: it keeps a file half open after a
 * failure of the system, and dies of it at its end. */
static gannet_err open_image(const char *path, char *bytes, size_t size, gannet_store *store,
                             hid_t access) {
  herr_t status;
  char name[PATH_MAX + 40]; /* of no file, and of no other image */
  (void)snprintf(name, sizeof name, "%s in memory %p", path, (void *)store);
  GANNET_TRY_H5(status, H5Pset_fapl_core(access, GROWTH, false), path);
  GANNET_TRY_H5(status, H5Pset_file_image(access, bytes, size), path);
  GANNET_TRY_H5(store->file, H5Fopen(name, H5F_ACC_RDONLY, access), path);
  return GANNET_OK;
}

gannet_err gannet_store_read_bytes(const char *path, int newest_schema, int *schema, char **bytes,
                                   size_t *size) {
  struct stat about;
  int descriptor = -1;
  *bytes = NULL;
  *size = 0;
  GANNET_TRY(gannet_file_open(path, O_RDONLY, GANNET_ERR_DAMAGED, &descriptor));
  gannet_err err = gannet_seal_check(descriptor, path, newest_schema, schema);
  if (err == GANNET_OK && fstat(descriptor, &about)) err = gannet_raise_errno("look at", path);
  if (err == GANNET_OK) err = gannet_alloc((size_t)about.st_size, 1, bytes);
  if (err == GANNET_OK)
    err = gannet_read_at(descriptor, 0, *bytes, (size_t)about.st_size, path, size);
  (void)close(descriptor);
  if (err != GANNET_OK) gannet_free(bytes);
  return err;
}

gannet_err gannet_store_open_bytes(const char *path, int schema, char *bytes, size_t size,
                                   gannet_store **store) {
  hid_t creation = H5I_INVALID_HID, access = H5I_INVALID_HID;
  GANNET_TRY(new_store(path, store));
  (*store)->schema = schema;
  gannet_err err = create_properties(&creation, &access);
  if (err == GANNET_OK) err = open_image(path, bytes, size, *store, access);
  close_properties(creation, access);
  if (err != GANNET_OK) gannet_store_destroy(store);
  return err;
}

static gannet_err open_generation(const char *path, int newest_schema, gannet_store **store) {
  int schema = 0;
  char *bytes = NULL;
  size_t size = 0;
  GANNET_TRY(gannet_store_read_bytes(path, newest_schema, &schema, &bytes, &size));
  const gannet_err err = gannet_store_open_bytes(path, schema, bytes, size, store);
  gannet_free(&bytes);
  return err;
}

static bool may_fall_back(gannet_err err) {
  return err == GANNET_ERR_DAMAGED || err == GANNET_ERR_MISSING || err == GANNET_ERR_IO;
}

gannet_err gannet_store_open(const char *path, int newest_schema, gannet_store_report *report,
                             gannet_store **store) {
  gannet_store_report unused, *about = report ? report : &unused;
  char previous[PATH_MAX];
  memset(about, 0, sizeof *about);
  *store = NULL;
  gannet_err err = open_generation(path, newest_schema, store);
  if (may_fall_back(err)) {
    GANNET_TRY(with_suffix(path, ".1", previous));
    (void)snprintf(about->reason, sizeof about->reason, "%s", gannet_error_message());
    const gannet_err first = err;
    err = open_generation(previous, newest_schema, store);
    if (err == GANNET_ERR_MISSING) /* then the first reason is the one to tell */
      return first == GANNET_ERR_MISSING
                 ? GANNET_RAISE(first, "no saved state at '%s'", path)
                 : GANNET_RAISE(first, "%s; there is no '%s' either", about->reason, previous);
    if (may_fall_back(err))
      return GANNET_RAISE(err, "%s; and %s", about->reason, gannet_error_message());
    about->generation = 1;
  }
  if (err == GANNET_OK) about->schema = (*store)->schema;
  return err;
}
