#include "store/columns.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "store/h5.h"

/* A damaged file may claim any number of values, and any number of bytes that they take. There are
 * no more bytes than the file has, and no more values than bytes, but that compression may make a
 * thousand bytes of one. */
static gannet_err check_size(hid_t file, hid_t dataset, size_t value_size, const char *name,
                             int64_t n) {
  const int64_t unpacked = 1100;
  hsize_t file_size = 0;
  herr_t status = 0;
  hid_t layout = H5I_INVALID_HID;
  GANNET_TRY_H5(status, H5Fget_filesize(file, &file_size), name);
  GANNET_TRY_H5(layout, H5Dget_create_plist(dataset), name);
  const bool is_packed = H5Pget_nfilters(layout) != 0;
  (void)H5Pclose(layout);
  const hsize_t stored = H5Dget_storage_size(dataset);
  const int64_t bytes = (int64_t)(stored < file_size ? stored : file_size);
  const int64_t most = bytes / (int64_t)value_size * (is_packed ? unpacked : 1);
  GANNET_REQUIRE(n <= most, GANNET_ERR_INPUT,
                 "dataset '%s' claims %lld values, but the file has %lld bytes of it: it is "
                 "damaged; make it again",
                 name, (long long)n, (long long)bytes);
  return GANNET_OK;
}

/* Length of a one-dimensional numeric dataset; other shapes and types are the user's mistake. */
static gannet_err length_of(hid_t file, hid_t dataset, const char *name, int64_t *n) {
  hid_t space = H5I_INVALID_HID, type = H5I_INVALID_HID;
  int rank = -1;
  hsize_t size = 0;
  GANNET_TRY_H5(type, H5Dget_type(dataset), name);
  const H5T_class_t kind = H5Tget_class(type);
  const size_t value_size = H5Tget_size(type);
  (void)H5Tclose(type);
  GANNET_TRY_H5(space, H5Dget_space(dataset), name);
  rank = H5Sget_simple_extent_ndims(space);
  if (rank == 1) (void)H5Sget_simple_extent_dims(space, &size, NULL);
  (void)H5Sclose(space);
  GANNET_REQUIRE(rank == 1, GANNET_ERR_INPUT, "dataset '%s' has %d dimensions, expected one", name,
                 rank);
  GANNET_REQUIRE(kind == H5T_INTEGER || kind == H5T_FLOAT || kind == H5T_ENUM, GANNET_ERR_INPUT,
                 "dataset '%s' does not hold numbers; expected integers or reals", name);
  GANNET_REQUIRE(size <= INT64_MAX && value_size > 0, GANNET_ERR_INPUT,
                 "dataset '%s' is damaged; make it again", name);
  *n = (int64_t)size;
  return check_size(file, dataset, value_size, name, *n);
}

typedef struct {
  hid_t file;
  int n_names;
  int64_t n; /* rows, -1 before the first column */
  double *column;
  double **rows;
} reader;

static gannet_err read_values(reader *r, hid_t dataset, const char *name, int at) {
  int64_t n = 0;
  herr_t status = 0;
  GANNET_TRY(length_of(r->file, dataset, name, &n));
  GANNET_REQUIRE(r->n < 0 || n == r->n, GANNET_ERR_INPUT,
                 "dataset '%s' has %lld values, expected %lld as in those before it", name,
                 (long long)n, (long long)r->n);
  if (r->n < 0) {
    r->n = n;
    GANNET_TRY(gannet_alloc((size_t)n, sizeof *r->column, &r->column));
    GANNET_TRY(gannet_alloc((size_t)n * (size_t)r->n_names, sizeof **r->rows, r->rows));
  }
  GANNET_TRY_H5(
      status, H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, r->column), name);
  for (int64_t i = 0; i < n; ++i) (*r->rows)[i * r->n_names + at] = r->column[i];
  return GANNET_OK;
}

static gannet_err read_column(reader *r, const char *name, int at) {
  const gannet_h5_printing printing = gannet_h5_silence();
  const hid_t dataset = H5Dopen2(r->file, name, H5P_DEFAULT);
  gannet_h5_restore(printing);
  GANNET_REQUIRE(dataset >= 0, GANNET_ERR_INPUT,
                 "no dataset '%s'; expected one of numbers for every variable", name);
  const gannet_err err = read_values(r, dataset, name, at);
  (void)H5Dclose(dataset);
  return err;
}

gannet_err gannet_columns_read(const char *path, int n_names, const char *const *names, int64_t *n,
                               double **rows) {
  int descriptor = -1;
  *rows = NULL;
  *n = 0;
  GANNET_TRY(gannet_file_open(path, O_RDONLY, GANNET_ERR_INPUT, &descriptor));
  (void)close(descriptor); /* HDF5 opens it itself, and would wait for a FIFO */
  const gannet_h5_printing printing = gannet_h5_silence();
  reader r = {.file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT),
              .n_names = n_names,
              .n = -1,
              .rows = rows};
  gannet_h5_restore(printing);
  GANNET_REQUIRE(r.file >= 0, GANNET_ERR_INPUT, "'%s' cannot be read; expected an HDF5 file", path);
  gannet_err err = GANNET_OK;
  for (int i = 0; err == GANNET_OK && i < n_names; ++i) err = read_column(&r, names[i], i);
  (void)H5Fclose(r.file);
  gannet_free(&r.column);
  if (err == GANNET_ERR_LIBRARY) {
    char why[400];
    (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
    err = GANNET_RAISE(GANNET_ERR_INPUT, "cannot be read (%s); it may be damaged: make it again",
                       why);
  }
  if (err != GANNET_OK)
    gannet_free(rows);
  else
    *n = r.n;
  return err;
}
