/* test: serial labels unit */
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "store/columns.h"
#include "support/harness.h"

static char path[] = "/tmp/gannet-columns-XXXXXX";

static void write_one(hid_t file, const char *name, int rank, hsize_t n, hid_t type,
                      const void *values) {
  const hsize_t sizes[2] = {n, 1};
  const hid_t space = H5Screate_simple(rank, sizes, NULL);
  const hid_t data = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  (void)H5Dclose(data);
  (void)H5Sclose(space);
}

static int write_file(void **state) {
  const double x[3] = {0.1, 0.2, 0.3}, longer[4] = {0};
  const float y[3] = {0.5F, 1.5F, -2};
  const int n[3] = {7, -8, 9};
  (void)state;
  (void)close(mkstemp(path));
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t text = H5Tcopy(H5T_C_S1);
  write_one(file, "x", 1, 3, H5T_NATIVE_DOUBLE, x);
  write_one(file, "y", 1, 3, H5T_NATIVE_FLOAT, y);
  write_one(file, "n", 1, 3, H5T_NATIVE_INT, n);
  write_one(file, "longer", 1, 4, H5T_NATIVE_DOUBLE, longer);
  write_one(file, "square", 2, 3, H5T_NATIVE_DOUBLE, x);
  write_one(file, "words", 1, 3, text, "abc");
  (void)H5Tclose(text);
  const hsize_t many = (hsize_t)1 << 30, chunk = 1024; /* nothing of it is stored */
  const hid_t space = H5Screate_simple(1, &many, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
  (void)H5Pset_chunk(how, 1, &chunk);
  (void)H5Dclose(
      H5Dcreate2(file, "claims", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how, H5P_DEFAULT));
  (void)H5Pclose(how);
  (void)H5Sclose(space);
  (void)H5Fclose(file);
  return 0;
}

static int remove_file(void **state) {
  (void)state;
  return unlink(path);
}

static void columns_become_rows(void **state) {
  const char *const names[] = {"n", "x", "y"};
  const double wanted[9] = {7, 0.1, 0.5, -8, 0.2, 1.5, 9, 0.3, -2};
  double *rows = NULL;
  int64_t n = 0;
  (void)state;
  assert_ok(gannet_columns_read(path, 3, names, &n, &rows));
  assert_int_equal(n, 3);
  assert_memory_equal(rows, wanted, sizeof wanted);
  gannet_free(&rows);
}

static void fails(const char *second, const char *part) {
  const char *const names[] = {"x", second};
  double *rows = NULL;
  int64_t n = -1;
  assert_fails(GANNET_ERR_INPUT, part, gannet_columns_read(path, 2, names, &n, &rows));
  assert_null(rows);
  assert_int_equal(n, 0);
}

static void what_is_wrong_is_said(void **state) {
  const char *const names[] = {"x"};
  double *rows = NULL;
  int64_t n = 0;
  (void)state;
  fails("z", "no dataset 'z'");
  fails("longer", "'longer' has 4 values, expected 3");
  fails("square", "'square' has 2 dimensions");
  fails("words", "does not hold numbers");
  const char *const claims[] = {"claims"};
  assert_fails(GANNET_ERR_INPUT, "it is damaged", gannet_columns_read(path, 1, claims, &n, &rows));
  assert_fails(GANNET_ERR_INPUT, "a character device",
               gannet_columns_read("/dev/null", 1, names, &n, &rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_become_rows),
      cmocka_unit_test(what_is_wrong_is_said),
  };
  return cmocka_run_group_tests(tests, write_file, remove_file);
}
