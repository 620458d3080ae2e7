/* test: serial labels unit */
#include "support/folder.h"

#include <fcntl.h>
#include <hdf5.h>
#include <sys/mount.h>

#include "store/seal.h"
#include "store/state_file.h"

static const double numbers[6] = {0.1, -2.5e-300, 3, 1e300, -0.0, 0x1.fffffffffffffp-3};
static const int64_t wholes[4] = {0, -1, INT64_MAX, INT64_MIN};
static const char *const names[3] = {"rate", "", "caf\xc3\xa9"};

/* A state that holds one of everything; mark tells generations apart. */
static gannet_err fill(gannet_store *store, int64_t mark) {
  const int64_t two_three[2] = {2, 3}, four[1] = {4}, none[2] = {0, 7};
  GANNET_TRY(gannet_store_write_int64s(store, "mark", 0, NULL, &mark));
  GANNET_TRY(gannet_store_write_doubles(store, "history/x_user", 2, two_three, numbers));
  GANNET_TRY(gannet_store_write_int64s(store, "history/deep/er/id", 1, four, wholes));
  GANNET_TRY(gannet_store_write_doubles(store, "history/empty", 2, none, NULL));
  GANNET_TRY(gannet_store_write_text(store, "campaign", "name: heater\nseed: 1\n"));
  GANNET_TRY(gannet_store_write_text(store, "nothing", ""));
  GANNET_TRY(gannet_store_write_texts(store, "names", 3, names));
  GANNET_TRY(gannet_store_write_texts(store, "no_names", 0, NULL));
  GANNET_TRY(gannet_store_describe(store, "history/x_user", "unit", "mm"));
  return gannet_store_describe(store, "/", "program", "gannet");
}

static gannet_err save(const char *path, int schema, int64_t mark) {
  gannet_store *store;
  GANNET_TRY(gannet_store_create(path, schema, &store));
  gannet_err err = fill(store, mark);
  if (err == GANNET_OK) err = gannet_store_commit(store);
  gannet_store_destroy(&store);
  return err;
}

static int64_t mark_of(const gannet_store *store) {
  int64_t mark = 0;
  assert_ok(gannet_store_read_int64s(store, "mark", 0, NULL, &mark));
  return mark;
}

static void expect(const char *path, int64_t mark, int generation) {
  gannet_store *store;
  gannet_store_report report;
  assert_ok(gannet_store_open(path, 9, &report, &store));
  assert_int_equal(mark_of(store), mark);
  assert_int_equal(report.generation, generation);
  assert_int_equal(report.reason[0] != 0, generation != 0);
  gannet_store_destroy(&store);
}

/* path and path.1 hold marks 2 and 1. */
static const char *two_generations(const char *name) {
  const char *path = in_folder(name);
  assert_ok(save(path, 1, 1));
  assert_ok(save(path, 1, 2));
  return path;
}

static void what_was_written_is_read(void **state) {
  (void)state;
  const char *path = in_folder("all.h5");
  gannet_store *store;
  gannet_store_report report;
  const int64_t two_three[2] = {2, 3}, four[1] = {4}, none[2] = {0, 7};
  double x[6];
  int64_t id[4], dims[GANNET_STORE_MAX_RANK];
  int rank = 0, n = 0;
  char *text, **texts;
  assert_ok(save(path, 4, 17));
  assert_false(exists(in_folder("all.h5.new")));
  assert_ok(gannet_store_open(path, 4, &report, &store));
  assert_int_equal(report.schema, 4);
  assert_int_equal(report.generation, 0);
  assert_int_equal(mark_of(store), 17);
  assert_ok(gannet_store_read_doubles(store, "history/x_user", 2, two_three, x));
  assert_memory_equal(x, numbers, sizeof x);
  assert_ok(gannet_store_read_int64s(store, "history/deep/er/id", 1, four, id));
  assert_memory_equal(id, wholes, sizeof id);
  assert_ok(gannet_store_read_doubles(store, "history/empty", 2, none, NULL));
  assert_ok(gannet_store_shape(store, "history/empty", &rank, dims));
  assert_int_equal(rank, 2);
  assert_true(dims[0] == 0 && dims[1] == 7);
  assert_ok(gannet_store_read_text(store, "campaign", &text));
  assert_string_equal(text, "name: heater\nseed: 1\n");
  gannet_free(&text);
  assert_ok(gannet_store_read_text(store, "nothing", &text));
  assert_string_equal(text, "");
  gannet_free(&text);
  assert_ok(gannet_store_read_texts(store, "names", &n, &texts));
  assert_int_equal(n, 3);
  for (int i = 0; i < 3; ++i) assert_string_equal(texts[i], names[i]);
  gannet_free(&texts);
  assert_ok(gannet_store_read_texts(store, "no_names", &n, &texts));
  assert_int_equal(n, 0);
  gannet_free(&texts);
  gannet_store_destroy(&store);
  gannet_store_destroy(&store);
}

static void assert_described(hid_t file, const char *name, const char *attribute,
                             const char *expected) {
  char text[20] = "";
  const hid_t opened = H5Aopen_by_name(file, name, attribute, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t type = H5Aget_type(opened);
  assert_true(H5Tget_size(type) < sizeof text && H5Aread(opened, type, text) >= 0);
  assert_true(H5Tclose(type) >= 0 && H5Aclose(opened) >= 0);
  assert_string_equal(text, expected);
}

/* As another program reads them: gannet itself does not. */
static void descriptions_are_attributes(void **state) {
  (void)state;
  assert_ok(save(in_folder("described.h5"), 2, 1));
  const hid_t file = H5Fopen(in_folder("described.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  assert_described(file, "history/x_user", "unit", "mm");
  assert_described(file, "/", "program", "gannet");
  assert_true(H5Fclose(file) >= 0);
}

static void wrong_questions_are_refused(void **state) {
  (void)state;
  const char *path = in_folder("wrong.h5");
  gannet_store *store;
  const int64_t six[1] = {6}, three_two[2] = {3, 2};
  double x[6];
  int64_t id[6];
  char *text, **texts;
  int n, rank;
  assert_ok(save(path, 1, 1));
  assert_ok(gannet_store_open(path, 1, NULL, &store));
  assert_true(gannet_store_has(store, "history/deep/er"));
  assert_false(gannet_store_has(store, "history/shallow/er/id"));
  assert_false(gannet_store_has(store, "mark/below"));
  assert_false(gannet_store_has(store, ""));
  assert_fails(GANNET_ERR_SHAPE, "is [2][3], expected [3][2]",
               gannet_store_read_doubles(store, "history/x_user", 2, three_two, x));
  assert_fails(GANNET_ERR_SHAPE, "expected [6]",
               gannet_store_read_doubles(store, "history/x_user", 1, six, x));
  assert_fails(GANNET_ERR_SHAPE, "expected one",
               gannet_store_read_doubles(store, "history/x_user", 0, NULL, x));
  assert_fails(GANNET_ERR_SHAPE, "whole numbers",
               gannet_store_read_int64s(store, "history/x_user", 1, six, id));
  assert_fails(GANNET_ERR_SHAPE, "texts", gannet_store_read_text(store, "mark", &text));
  assert_null(text);
  assert_fails(GANNET_ERR_SHAPE, "expected one", gannet_store_read_text(store, "names", &text));
  assert_fails(GANNET_ERR_SHAPE, "not a list",
               gannet_store_read_texts(store, "campaign", &n, &texts));
  assert_fails(GANNET_ERR_MISSING, "'history/y'",
               gannet_store_shape(store, "history/y", &rank, id));
  assert_fails(GANNET_ERR_LIBRARY, "H5Dopen2", gannet_store_shape(store, "history", &rank, id));
  assert_fails(GANNET_ERR_STATE, "open for", gannet_store_write_text(store, "late", "x"));
  assert_fails(GANNET_ERR_STATE, "open for", gannet_store_describe(store, "mark", "a", "x"));
  assert_fails(GANNET_ERR_STATE, "open for", gannet_store_commit(store));
  gannet_store_destroy(&store);
}

static void wrong_writes_are_refused(void **state) {
  (void)state;
  const char *path = in_folder("refused.h5");
  gannet_store *store;
  const int64_t negative[1] = {-1}, many[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  assert_fails(GANNET_ERR_ARG, "schema", gannet_store_create(path, 0, &store));
  assert_null(store);
  assert_ok(gannet_store_create(path, 1, &store));
  assert_ok(gannet_store_write_text(store, "a", "x"));
  assert_fails(GANNET_ERR_EXISTS, "'a'", gannet_store_write_text(store, "a", "x"));
  assert_fails(GANNET_ERR_LIBRARY, "H5Dcreate2", gannet_store_write_text(store, "a/b", "x"));
  assert_fails(GANNET_ERR_SHAPE, "dims[0] = -1",
               gannet_store_write_doubles(store, "b", 1, negative, numbers));
  assert_fails(GANNET_ERR_SHAPE, "rank 9",
               gannet_store_write_doubles(store, "b", 9, many, numbers));
  assert_fails(GANNET_ERR_MISSING, "'c'", gannet_store_describe(store, "c", "unit", "mm"));
  assert_ok(gannet_store_describe(store, "a", "unit", "mm"));
  assert_fails(GANNET_ERR_EXISTS, "'unit'", gannet_store_describe(store, "a", "unit", "cm"));
  assert_ok(gannet_store_commit(store));
  assert_fails(GANNET_ERR_STATE, "committed", gannet_store_commit(store));
  gannet_store_destroy(&store);
  assert_fails(GANNET_ERR_MISSING, "no/such", save(in_folder("no/such/state.h5"), 1, 1));
}

static void nothing_appears_before_commit(void **state) {
  (void)state;
  const char *path = in_folder("uncommitted.h5");
  gannet_store *store;
  assert_ok(gannet_store_create(path, 1, &store));
  assert_ok(fill(store, 1));
  gannet_store_destroy(&store);
  assert_false(exists(path));
  assert_false(exists(in_folder("uncommitted.h5.new")));
  assert_fails(GANNET_ERR_MISSING, "no saved state", gannet_store_open(path, 1, NULL, &store));
  assert_null(store);
}

/* Complaints: readdy #220, h5py #1807, mlaut #25. */
static void two_generations_are_kept(void **state) {
  (void)state;
  const char *path = two_generations("two.h5");
  expect(path, 2, 0);
  assert_ok(save(path, 1, 3));
  expect(path, 3, 0);
  assert_int_equal(unlink(path), 0);
  expect(path, 2, 1);
}

/* Every truncation, and one flipped bit in every byte: always the older generation, never a crash.
 */
/* Complaints: hdf5 #1707, openmc_data #35. */
static void every_damage_is_noticed_before_hdf5_sees_it(void **state) {
  (void)state;
  const char *path = two_generations("damaged.h5");
  gannet_store *store;
  char *bytes;
  size_t size;
  assert_ok(gannet_file_read(path, &bytes, &size));
  for (size_t at = 0; at < size; at += at < 1100 ? 1 : 37) {
    const char whole = bytes[at];
    put_bytes(path, bytes, at);
    assert_fails(GANNET_ERR_DAMAGED, path, gannet_store_verify(path, 1, NULL));
    bytes[at] = (char)(whole ^ (1 << at % 8));
    put_bytes(path, bytes, size);
    bytes[at] = whole;
    assert_fails(GANNET_ERR_DAMAGED, path, gannet_store_verify(path, 1, NULL));
    if (at % 100 == 0) expect(path, 1, 1);
  }
  put_bytes(path, bytes, size);
  expect(path, 2, 0);
  put_bytes(path, bytes, size - 1);
  put_bytes(in_folder("damaged.h5.1"), bytes, 100);
  assert_fails(GANNET_ERR_DAMAGED, "damaged.h5.1' ends after 100 bytes",
               gannet_store_open(path, 1, NULL, &store));
  assert_fails(GANNET_ERR_DAMAGED, "bytes after its header",
               gannet_store_open(path, 1, NULL, &store));
  assert_int_equal(unlink(in_folder("damaged.h5.1")), 0);
  assert_fails(GANNET_ERR_DAMAGED, "there is no", gannet_store_open(path, 1, NULL, &store));
  gannet_free(&bytes);
}

static void a_damaged_file_does_not_push_out_the_good_one(void **state) {
  (void)state;
  const char *path = two_generations("push.h5");
  put_bytes(path, "rubbish", 7);
  assert_ok(save(path, 1, 3));
  expect(path, 3, 0);
  assert_int_equal(unlink(path), 0);
  expect(path, 1, 1);
}

static void newer_schemas_are_refused_without_fallback(void **state) {
  (void)state;
  const char *path = in_folder("newer.h5");
  gannet_store *store;
  assert_ok(save(path, 1, 1));
  assert_ok(save(path, 6, 2));
  assert_fails(GANNET_ERR_VERSION, "schema 6, this gannet reads up to 5",
               gannet_store_open(path, 5, NULL, &store));
  assert_null(store);
  expect(path, 2, 0);
}

/* Neither generation may suffer, whatever the size at which the disk is full. */
static void a_full_disk_leaves_both_generations(void **state) {
  (void)state;
  const char *path = two_generations("full.h5");
  for (rlim_t limit = 0; limit < 4000; limit += 333) {
    limit_files(limit);
    const gannet_err err = save(path, 1, 3);
    limit_files(RLIM_INFINITY);
    assert_int_equal(err, GANNET_ERR_NO_SPACE);
    assert_non_null(strstr(gannet_error_message(), path));
    assert_non_null(strstr(gannet_error_message(), "raise the limit of the size of files"));
    assert_false(exists(in_folder("full.h5.new")));
    expect(path, 2, 0);
  }
  assert_int_equal(unlink(path), 0);
  expect(path, 1, 1);
  assert_ok(save(path, 1, 4));
  expect(path, 4, 0);
}

/* A file system of 64 KiB with a state of 40 kB twice; needs the right to mount, else skipped. */
static void a_really_full_disk_leaves_the_state(void **state) {
  (void)state;
  const char *mounted = in_folder("tiny");
  char path[PATH_MAX];
  gannet_store *store;
  gannet_err err[2];
  static double zeros[5000];
  const int64_t n[1] = {5000};
  assert_int_equal(mkdir(mounted, 0777), 0);
  if (mount("none", mounted, "tmpfs", 0, "size=64k")) skip();
  (void)snprintf(path, sizeof path, "%s/state.h5", mounted);
  for (int i = 0; i < 2; ++i) {
    err[i] = gannet_store_create(path, 1, &store);
    if (err[i] == GANNET_OK) err[i] = gannet_store_write_doubles(store, "zeros", 1, n, zeros);
    if (err[i] == GANNET_OK) err[i] = gannet_store_commit(store);
    gannet_store_destroy(&store);
  }
  const gannet_err after = gannet_store_verify(path, 1, NULL);
  assert_int_equal(umount(mounted), 0);
  assert_int_equal(err[0], GANNET_OK);
  assert_int_equal(err[1], GANNET_ERR_NO_SPACE);
  assert_int_equal(after, GANNET_OK);
}

static int64_t next_mark;

static void save_for_ever(int acknowledge) {
  for (;; ++next_mark)
    if (save(in_folder("killed.h5"), 1, next_mark) != GANNET_OK ||
        write(acknowledge, &next_mark, sizeof next_mark) < 0)
      _exit(1);
}

/* At every moment there is a sound generation: the last acknowledged one, or the one that was being
 * saved; between its two renames the newest sound one is the last acknowledged one at path.1. */
/* Complaints: UltraNest #21, nautilus #77. */
static void a_kill_at_any_moment_leaves_the_last_state(void **state) {
  (void)state;
  const char *path = in_folder("killed.h5");
  int64_t last = 1;
  assert_ok(save(path, 1, last));
  for (int trial = 0; trial < 20; ++trial) {
    gannet_store *store;
    next_mark = last + 1;
    const int64_t acknowledged = killed_after(3 + 2 * trial, save_for_ever);
    if (acknowledged) last = acknowledged;
    assert_ok(gannet_store_open(path, 1, NULL, &store));
    const int64_t found = mark_of(store);
    gannet_store_destroy(&store);
    assert_true(found == last || found == last + 1);
    last = found;
  }
}

/* Looks at a file until it is killed; ends by itself only when there is none. */
static pid_t start_looker(const char *path) {
  const pid_t child = fork();
  while (child == 0)
    if (access(path, F_OK)) _exit(1);
  return child;
}

static void there_is_a_state_at_any_moment(void **state) {
  const char *path = two_generations("looked-at.h5");
  int status = 0;
  (void)state;
  const pid_t looker = start_looker(path);
  assert_true(looker > 0);
  for (int64_t mark = 3; mark < 100; ++mark) assert_ok(save(path, 1, mark));
  assert_int_equal(kill(looker, SIGKILL), 0);
  assert_int_equal(waitpid(looker, &status, 0), looker);
  if (!WIFSIGNALED(status)) fail_msg("there was no file at %s for a moment", path);
  expect(path, 99, 0);
}

static void h5dump_reads_a_state(void **state) {
  (void)state;
  const char *path = in_folder("dump.h5");
  char command[2 * PATH_MAX], line[400], all[20000] = "";
  if (system("command -v h5dump >/dev/null 2>&1")) skip();
  assert_ok(save(path, 1, 17));
  (void)snprintf(command, sizeof command, "h5dump '%s' 2>&1", path);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  while (fgets(line, sizeof line, pipe))
    if (strlen(all) + strlen(line) < sizeof all) (void)strcat(all, line);
  assert_int_equal(pclose(pipe), 0);
  const char *const parts[] = {"H5T_IEEE_F64LE",      "H5T_STD_I64LE", "(0): 17",
                               "9223372036854775807", "\"rate",        "name: heater",
                               "ATTRIBUTE \"unit\"",  "H5T_CSET_UTF8"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    if (!strstr(all, parts[i])) fail_msg("'%s' is missing in:\n%s", parts[i], all);
}

/* HDF5 must stay silent: its own error text on stderr would frighten users. */
static void hdf5_prints_nothing(void **state) {
  (void)state;
  const char *path = in_folder("silent.h5"), *output = in_folder("stderr");
  gannet_store *store;
  char *text;
  size_t size = 1;
  const int kept = dup(STDERR_FILENO), redirected = open(output, O_WRONLY | O_CREAT, 0666);
  assert_true(kept >= 0 && dup2(redirected, STDERR_FILENO) >= 0);
  assert_ok(gannet_store_create(path, 1, &store));
  assert_ok(gannet_store_write_text(store, "a", "x"));
  const gannet_err err = gannet_store_write_text(store, "a/b", "x");
  gannet_store_destroy(&store);
  assert_true(dup2(kept, STDERR_FILENO) >= 0);
  assert_int_equal(close(kept) | close(redirected), 0);
  assert_int_equal(err, GANNET_ERR_LIBRARY);
  assert_null(strstr(gannet_error_message(), "no message"));
  assert_ok(gannet_file_read(output, &text, &size));
  assert_int_equal(size, 0);
  gannet_free(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_written_is_read),
      cmocka_unit_test(descriptions_are_attributes),
      cmocka_unit_test(wrong_questions_are_refused),
      cmocka_unit_test(wrong_writes_are_refused),
      cmocka_unit_test(nothing_appears_before_commit),
      cmocka_unit_test(two_generations_are_kept),
      cmocka_unit_test(every_damage_is_noticed_before_hdf5_sees_it),
      cmocka_unit_test(a_damaged_file_does_not_push_out_the_good_one),
      cmocka_unit_test(newer_schemas_are_refused_without_fallback),
      cmocka_unit_test(a_full_disk_leaves_both_generations),
      cmocka_unit_test(a_really_full_disk_leaves_the_state),
      cmocka_unit_test(a_kill_at_any_moment_leaves_the_last_state),
      cmocka_unit_test(there_is_a_state_at_any_moment),
      cmocka_unit_test(h5dump_reads_a_state),
      cmocka_unit_test(hdf5_prints_nothing),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
