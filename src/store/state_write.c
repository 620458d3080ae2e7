/* Writing into a state. */
#include <string.h>

#include "base/memory.h"
#include "store/h5.h"

/* An array that is written: its element types in the file and in memory, shape and bytes. */
typedef struct {
  hid_t file_type, memory_type;
  int rank;
  const int64_t *dims;
  const void *data;
} array;

static gannet_err check_array(const gannet_store *store, const char *name, const array *a) {
  GANNET_REQUIRE(store->writing && !store->committed, GANNET_ERR_STATE,
                 "'%s' is not open for writing", store->path);
  GANNET_REQUIRE(!gannet_store_has(store, name), GANNET_ERR_EXISTS, "'%s' was written before",
                 name);
  GANNET_REQUIRE(0 <= a->rank && a->rank <= GANNET_STORE_MAX_RANK, GANNET_ERR_SHAPE,
                 "rank %d of '%s' is outside 0 to %d", a->rank, name, GANNET_STORE_MAX_RANK);
  for (int i = 0; i < a->rank; ++i)
    GANNET_REQUIRE(a->dims[i] >= 0, GANNET_ERR_SHAPE, "'%s' has dims[%d] = %lld", name, i,
                   (long long)a->dims[i]);
  return GANNET_OK;
}

static gannet_err create_space(const char *name, const array *a, hid_t *space) {
  hsize_t dims[GANNET_STORE_MAX_RANK] = {0};
  for (int i = 0; i < a->rank; ++i) dims[i] = (hsize_t)a->dims[i];
  if (a->rank == 0)
    GANNET_TRY_H5(*space, H5Screate(H5S_SCALAR), name);
  else
    GANNET_TRY_H5(*space, H5Screate_simple(a->rank, dims, NULL), name);
  return GANNET_OK;
}

static gannet_err write_dataset(const gannet_store *store, const char *name, const array *a,
                                hid_t space) {
  hid_t dataset = H5I_INVALID_HID;
  bool is_empty = false;
  for (int i = 0; i < a->rank; ++i) is_empty = is_empty || a->dims[i] == 0;
  GANNET_TRY_H5(
      dataset,
      H5Dcreate2(store->file, name, a->file_type, space, store->links, H5P_DEFAULT, H5P_DEFAULT),
      name);
  const gannet_h5_printing printing = gannet_h5_silence();
  const herr_t status =
      is_empty ? 0 : H5Dwrite(dataset, a->memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, a->data);
  gannet_h5_restore(printing);
  const gannet_err err =
      status < 0 ? gannet_h5_raise("H5Dwrite", name, __func__, __FILE__, __LINE__) : GANNET_OK;
  (void)H5Dclose(dataset);
  return err;
}

static gannet_err write_array(const gannet_store *store, const char *name, const array *a) {
  hid_t space = H5I_INVALID_HID;
  GANNET_TRY(check_array(store, name, a));
  GANNET_TRY(create_space(name, a, &space));
  const gannet_err err = write_dataset(store, name, a, space);
  (void)H5Sclose(space);
  return err;
}

gannet_err gannet_store_write_doubles(gannet_store *store, const char *name, int rank,
                                      const int64_t *dims, const double *data) {
  const array a = {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, rank, dims, data};
  return write_array(store, name, &a);
}

gannet_err gannet_store_write_int64s(gannet_store *store, const char *name, int rank,
                                     const int64_t *dims, const int64_t *data) {
  const array a = {H5T_STD_I64LE, H5T_NATIVE_INT64, rank, dims, data};
  return write_array(store, name, &a);
}

static gannet_err write_padded(gannet_store *store, const char *name, array *a, size_t size) {
  hid_t type = H5I_INVALID_HID;
  gannet_err err = gannet_h5_text_type(size, &type);
  a->file_type = a->memory_type = type;
  if (err == GANNET_OK) err = write_array(store, name, a);
  if (type >= 0) (void)H5Tclose(type);
  return err;
}

gannet_err gannet_store_write_text(gannet_store *store, const char *name, const char *text) {
  array a = {.data = text};
  return write_padded(store, name, &a, strlen(text));
}

gannet_err gannet_store_write_texts(gannet_store *store, const char *name, int n,
                                    const char *const *texts) {
  const int64_t dims[1] = {n};
  size_t longest = 1;
  char *bytes = NULL;
  GANNET_REQUIRE(n >= 0, GANNET_ERR_SHAPE, "%d texts", n);
  for (int i = 0; i < n; ++i) longest = strlen(texts[i]) > longest ? strlen(texts[i]) : longest;
  GANNET_TRY(gannet_alloc((size_t)n, longest, &bytes));
  for (int i = 0; i < n; ++i) memcpy(bytes + (size_t)i * longest, texts[i], strlen(texts[i]));
  array a = {.rank = 1, .dims = dims, .data = bytes};
  const gannet_err err = write_padded(store, name, &a, longest);
  gannet_free(&bytes);
  return err;
}

static gannet_err create_attribute(hid_t object, const char *attribute, hid_t type,
                                   const char *text) {
  hid_t space, created;
  herr_t status;
  GANNET_TRY_H5(space, H5Screate(H5S_SCALAR), attribute);
  const gannet_h5_printing printing = gannet_h5_silence();
  created = H5Acreate2(object, attribute, type, space, H5P_DEFAULT, H5P_DEFAULT);
  status = created < 0 ? -1 : H5Awrite(created, type, text);
  gannet_h5_restore(printing);
  const gannet_err err =
      status < 0 ? gannet_h5_raise("H5Awrite", attribute, __func__, __FILE__, __LINE__) : GANNET_OK;
  if (created >= 0) (void)H5Aclose(created);
  (void)H5Sclose(space);
  return err;
}

static gannet_err attach_text(hid_t object, const char *name, const char *attribute,
                              const char *text) {
  hid_t type = H5I_INVALID_HID;
  htri_t there;
  GANNET_TRY_H5(there, H5Aexists(object, attribute), name);
  GANNET_REQUIRE(!there, GANNET_ERR_EXISTS, "'%s' already has a '%s'", name, attribute);
  gannet_err err = gannet_h5_text_type(strlen(text), &type);
  if (err == GANNET_OK) err = create_attribute(object, attribute, type, text);
  if (type >= 0) (void)H5Tclose(type);
  return err;
}

gannet_err gannet_store_describe(gannet_store *store, const char *name, const char *attribute,
                                 const char *text) {
  hid_t object = H5I_INVALID_HID;
  GANNET_REQUIRE(store->writing && !store->committed, GANNET_ERR_STATE,
                 "'%s' is not open for writing", store->path);
  GANNET_REQUIRE(gannet_store_has(store, name), GANNET_ERR_MISSING, "nothing is called '%s'", name);
  GANNET_TRY_H5(object, H5Oopen(store->file, name, H5P_DEFAULT), name);
  const gannet_err err = attach_text(object, name, attribute, text);
  (void)H5Oclose(object);
  return err;
}
