/* Reading from a state. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "store/h5.h"

/* Whether a path exists. HDF5 answers only for its last part, so every part is asked for. */
static bool has_parts(hid_t file, char *path) {
  for (char *slash = path + 1; (slash = strchr(slash, '/')); ++slash) {
    *slash = '\0';
    const bool there = H5Lexists(file, path, H5P_DEFAULT) > 0;
    *slash = '/';
    if (!there) return false;
  }
  return H5Lexists(file, path, H5P_DEFAULT) > 0;
}

bool gannet_store_has(const gannet_store *store, const char *name) {
  char path[1024];
  if (strcmp(name, "/") == 0) return true;
  if (!*name || snprintf(path, sizeof path, "%s", name) >= (int)sizeof path) return false;
  const gannet_h5_printing printing = gannet_h5_silence();
  const bool there = has_parts(store->file, path);
  gannet_h5_restore(printing);
  return there;
}

static gannet_err open_dataset(const gannet_store *store, const char *name, hid_t *dataset) {
  GANNET_REQUIRE(gannet_store_has(store, name), GANNET_ERR_MISSING, "'%s' does not contain '%s'",
                 store->path, name);
  GANNET_TRY_H5(*dataset, H5Dopen2(store->file, name, H5P_DEFAULT), name);
  return GANNET_OK;
}

static gannet_err dataset_shape(hid_t dataset, const char *name, int *rank, int64_t *dims) {
  hid_t space = H5I_INVALID_HID;
  hsize_t sizes[GANNET_STORE_MAX_RANK] = {0};
  GANNET_TRY_H5(space, H5Dget_space(dataset), name);
  const gannet_h5_printing printing = gannet_h5_silence();
  *rank = H5Sget_simple_extent_ndims(space);
  const bool fits = *rank <= GANNET_STORE_MAX_RANK;
  if (*rank >= 0 && fits && H5Sget_simple_extent_dims(space, sizes, NULL) < 0) *rank = -1;
  gannet_h5_restore(printing);
  gannet_err err = GANNET_OK;
  if (*rank < 0)
    err = gannet_h5_raise("H5Sget_simple_extent_dims", name, __func__, __FILE__, __LINE__);
  else if (!fits)
    err = GANNET_RAISE(GANNET_ERR_SHAPE, "'%s' has rank %d", name, *rank);
  (void)H5Sclose(space);
  for (int i = 0; i < *rank && err == GANNET_OK; ++i) dims[i] = (int64_t)sizes[i];
  return err;
}

gannet_err gannet_store_shape(const gannet_store *store, const char *name, int *rank,
                              int64_t *dims) {
  hid_t dataset = H5I_INVALID_HID;
  GANNET_TRY(open_dataset(store, name, &dataset));
  const gannet_err err = dataset_shape(dataset, name, rank, dims);
  (void)H5Dclose(dataset);
  return err;
}

static void format_shape(int rank, const int64_t *dims, char *text, size_t size) {
  size_t used = 0;
  (void)snprintf(text, size, "one");
  for (int i = 0; i < rank && used < size; ++i)
    used += (size_t)snprintf(text + used, size - used, "[%lld]", (long long)dims[i]);
}

static gannet_err check_shape(hid_t dataset, const char *name, int rank, const int64_t *dims) {
  int found_rank = 0;
  int64_t found[GANNET_STORE_MAX_RANK] = {0};
  char is[200], wanted[200];
  GANNET_TRY(dataset_shape(dataset, name, &found_rank, found));
  bool same = rank == found_rank;
  for (int i = 0; i < rank && same; ++i) same = dims[i] == found[i];
  if (same) return GANNET_OK;
  format_shape(found_rank, found, is, sizeof is);
  format_shape(rank, dims, wanted, sizeof wanted);
  return GANNET_RAISE(GANNET_ERR_SHAPE, "'%s' is %s, expected %s", name, is, wanted);
}

static gannet_err check_class(hid_t dataset, const char *name, H5T_class_t expected) {
  hid_t type = H5I_INVALID_HID;
  GANNET_TRY_H5(type, H5Dget_type(dataset), name);
  const H5T_class_t found = H5Tget_class(type);
  const bool varies = expected == H5T_STRING && H5Tis_variable_str(type) > 0;
  (void)H5Tclose(type);
  GANNET_REQUIRE(found == expected && !varies, GANNET_ERR_SHAPE, "'%s' does not hold %s", name,
                 expected == H5T_FLOAT     ? "real numbers"
                 : expected == H5T_INTEGER ? "whole numbers"
                                           : "texts of fixed length");
  return GANNET_OK;
}

static gannet_err read_whole(hid_t dataset, const char *name, hid_t memory_type, void *data) {
  herr_t status;
  hssize_t count;
  hid_t space = H5I_INVALID_HID;
  GANNET_TRY_H5(space, H5Dget_space(dataset), name);
  count = H5Sget_simple_extent_npoints(space);
  (void)H5Sclose(space);
  if (count == 0) return GANNET_OK;
  GANNET_TRY_H5(status, H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), name);
  return GANNET_OK;
}

gannet_err gannet_store_read_doubles(const gannet_store *store, const char *name, int rank,
                                     const int64_t *dims, double *data) {
  hid_t dataset = H5I_INVALID_HID;
  GANNET_TRY(open_dataset(store, name, &dataset));
  gannet_err err = check_class(dataset, name, H5T_FLOAT);
  if (err == GANNET_OK) err = check_shape(dataset, name, rank, dims);
  if (err == GANNET_OK) err = read_whole(dataset, name, H5T_NATIVE_DOUBLE, data);
  (void)H5Dclose(dataset);
  return err;
}

gannet_err gannet_store_read_int64s(const gannet_store *store, const char *name, int rank,
                                    const int64_t *dims, int64_t *data) {
  hid_t dataset = H5I_INVALID_HID;
  GANNET_TRY(open_dataset(store, name, &dataset));
  gannet_err err = check_class(dataset, name, H5T_INTEGER);
  if (err == GANNET_OK) err = check_shape(dataset, name, rank, dims);
  if (err == GANNET_OK) err = read_whole(dataset, name, H5T_NATIVE_INT64, data);
  (void)H5Dclose(dataset);
  return err;
}

static gannet_err text_size(hid_t dataset, const char *name, size_t *size) {
  hid_t type = H5I_INVALID_HID;
  GANNET_TRY(check_class(dataset, name, H5T_STRING));
  GANNET_TRY_H5(type, H5Dget_type(dataset), name);
  *size = H5Tget_size(type);
  (void)H5Tclose(type);
  return GANNET_OK;
}

/* Read texts of fixed size. A text that fills its size has no terminating zero.
 *
 * bytes  out  [texts][size]
 */
static gannet_err read_padded(hid_t dataset, const char *name, size_t size, char *bytes) {
  hid_t type = H5I_INVALID_HID;
  gannet_err err = gannet_h5_text_type(size, &type);
  if (err == GANNET_OK) err = read_whole(dataset, name, type, bytes);
  if (type >= 0) (void)H5Tclose(type);
  return err;
}

gannet_err gannet_store_read_text(const gannet_store *store, const char *name, char **text) {
  hid_t dataset = H5I_INVALID_HID;
  size_t size = 0;
  *text = NULL;
  GANNET_TRY(open_dataset(store, name, &dataset));
  gannet_err err = text_size(dataset, name, &size);
  if (err == GANNET_OK) err = check_shape(dataset, name, 0, NULL);
  if (err == GANNET_OK) err = gannet_alloc(size + 1, 1, text);
  if (err == GANNET_OK) err = read_padded(dataset, name, size, *text);
  (void)H5Dclose(dataset);
  if (err != GANNET_OK) gannet_free(text);
  return err;
}

/* Read a list of texts into one block: n pointers, then n texts of size + 1 bytes. The file has
 * them side by side without terminating zeros; they are spread from the last to the first. */
static gannet_err read_many(hid_t dataset, const char *name, int *n, char ***texts) {
  int rank = 0;
  int64_t dims[GANNET_STORE_MAX_RANK] = {0};
  size_t size = 0;
  GANNET_TRY(text_size(dataset, name, &size));
  GANNET_TRY(dataset_shape(dataset, name, &rank, dims));
  GANNET_REQUIRE(rank == 1 && dims[0] <= INT_MAX, GANNET_ERR_SHAPE, "'%s' is not a list of texts",
                 name);
  const size_t count = (size_t)dims[0];
  GANNET_TRY(gannet_alloc(count, sizeof **texts + size + 1, texts));
  char *bytes = (char *)(*texts + count);
  GANNET_TRY(read_padded(dataset, name, size, bytes));
  for (size_t i = count; i-- > 0;) {
    (*texts)[i] = bytes + i * (size + 1);
    memmove((*texts)[i], bytes + i * size, size);
    (*texts)[i][size] = '\0';
  }
  *n = (int)count;
  return GANNET_OK;
}

gannet_err gannet_store_read_texts(const gannet_store *store, const char *name, int *n,
                                   char ***texts) {
  hid_t dataset = H5I_INVALID_HID;
  *texts = NULL;
  *n = 0;
  GANNET_TRY(open_dataset(store, name, &dataset));
  const gannet_err err = read_many(dataset, name, n, texts);
  (void)H5Dclose(dataset);
  if (err != GANNET_OK) gannet_free(texts);
  return err;
}
