/* test: serial labels unit */
#include "books.h"

#include <hdf5.h>

#include "campaign/run/fingerprint.h"
#include "campaign/run/snapshot.h"
#include "store/seal.h"

static void write_snapshot(const char *path, books *b) {
  open_books(b, 8);
  keep_books(b);
  assert_ok(gannet_ledger_stop(&b->ledger, "stop.target: caf\xc3\xa9 has reached 4"));
  b->ledger.sequence = 11;
  b->ledger.identity = UINT64_MAX - 2;
  assert_ok(gannet_snapshot_write(path, &b->ledger));
}

static void expect(const char *path, const books *a, int generation) {
  books b;
  gannet_store_report report;
  open_books(&b, 8);
  assert_ok(gannet_snapshot_read(path, NULL, &b.ledger, &report));
  assert_int_equal(report.generation, generation);
  assert_int_equal(b.ledger.sequence, a->ledger.sequence);
  assert_true(b.ledger.identity == a->ledger.identity);
  assert_same_books(&a->ledger, &b.ledger);
  close_books(&b);
}

static void a_snapshot_is_the_ledger(void **state) {
  (void)state;
  books a;
  gannet_store *store = NULL;
  gannet_snapshot_mark mark;
  char **names = NULL;
  int n = 0;
  write_snapshot(in_folder("a.h5"), &a);
  expect(in_folder("a.h5"), &a, 0);
  assert_ok(gannet_snapshot_look(in_folder("a.h5"), NULL, &mark));
  assert_int_equal(mark.sequence, 11);
  assert_true(mark.journal == UINT64_MAX - 2);
  assert_ok(gannet_store_open(in_folder("a.h5"), GANNET_STATE_SCHEMA, NULL, &store));
  assert_ok(gannet_store_read_texts(store, "optimizer/names", &n, &names));
  assert_true(n >= 6);
  assert_string_equal(names[5], "gp-ei/objective.value_4");
  gannet_free(&names);
  gannet_store_destroy(&store);
  close_books(&a);
}

static void an_empty_campaign_has_a_snapshot_too(void **state) {
  (void)state;
  books a;
  open_books(&a, 8);
  assert_ok(gannet_ledger_campaign(&a.ledger, "empty", 3, gannet_problem_fingerprint(a.problem)));
  assert_ok(gannet_snapshot_write(in_folder("empty.h5"), &a.ledger));
  expect(in_folder("empty.h5"), &a, 0);
  close_books(&a);
}

static void another_problem_is_refused(void **state) {
  (void)state;
  books a, b;
  write_snapshot(in_folder("b.h5"), &a);
  open_books(&b, 9);
  assert_fails(GANNET_ERR_INPUT, "another problem",
               gannet_snapshot_read(in_folder("b.h5"), NULL, &b.ledger, NULL));
  assert_int_equal(gannet_history_count(b.history), 0);
  close_books(&a);
  close_books(&b);
}

/* Its numbers mean nothing there. */
static void a_snapshot_of_another_journal_is_refused(void **state) {
  (void)state;
  books a, b;
  const gannet_journal_report another = {.schema = 1, .identity = 5}, unsound = {.schema = 0};
  const gannet_snapshot_want in_another = {.journal = &another}, in_unsound = {.journal = &unsound};
  write_snapshot(in_folder("d.h5"), &a);
  open_books(&b, 8);
  assert_fails(GANNET_ERR_STATE, "another journal",
               gannet_snapshot_read(in_folder("d.h5"), &in_another, &b.ledger, NULL));
  assert_int_equal(gannet_history_count(b.history), 0);
  assert_ok(gannet_snapshot_read(in_folder("d.h5"), &in_unsound, &b.ledger, NULL));
  assert_same_books(&a.ledger, &b.ledger);
  close_books(&a);
  close_books(&b);
}

/* Which may be one of the same problem. */
static void another_seed_or_name_is_refused(void **state) {
  (void)state;
  books a, b;
  const uint64_t own = UINT64_MAX - 1, other = 5;
  const gannet_snapshot_want seed = {.seed = &other}, name = {.name = "another"};
  const gannet_snapshot_want both = {.seed = &own, .name = "test \"1\""};
  write_snapshot(in_folder("e.h5"), &a);
  open_books(&b, 8);
  assert_fails(GANNET_ERR_INPUT, "'test \"1\"', which was begun with seed -2, not 5",
               gannet_snapshot_read(in_folder("e.h5"), &seed, &b.ledger, NULL));
  assert_fails(GANNET_ERR_STATE, "of campaign 'test \"1\"'",
               gannet_snapshot_read(in_folder("e.h5"), &name, &b.ledger, NULL));
  assert_int_equal(b.ledger.sequence, 0);
  assert_null(b.ledger.name);
  assert_ok(gannet_snapshot_read(in_folder("e.h5"), &both, &b.ledger, NULL));
  assert_same_books(&a.ledger, &b.ledger);
  close_books(&a);
  close_books(&b);
}

static void the_older_generation_serves_when_the_newer_is_damaged(void **state) {
  (void)state;
  books a, b;
  gannet_snapshot_mark mark;
  char *bytes = NULL;
  size_t size = 0;
  const char *path = in_folder("c.h5");
  write_snapshot(path, &a);
  open_books(&b, 8);
  keep_books(&b);
  propose(&b, 2, 2, GANNET_ORIGIN_METHOD);
  b.ledger.sequence = 12;
  assert_ok(gannet_snapshot_write(path, &b.ledger));
  expect(path, &b, 0);
  assert_ok(gannet_file_read(path, &bytes, &size));
  bytes[size / 2] ^= 1;
  put_bytes(path, bytes, size);
  gannet_free(&bytes);
  expect(path, &a, 1);
  assert_ok(gannet_snapshot_look(path, NULL, &mark));
  assert_int_equal(mark.sequence, 11);
  put_bytes(in_folder("c.h5.1"), "junk", 4);
  close_books(&b);
  open_books(&b, 8);
  assert_fails(GANNET_ERR_DAMAGED, "c.h5", gannet_snapshot_read(path, NULL, &b.ledger, NULL));
  assert_fails(GANNET_ERR_DAMAGED, "c.h5", gannet_snapshot_look(path, NULL, &mark));
  assert_fails(GANNET_ERR_MISSING, "none.h5",
               gannet_snapshot_look(in_folder("none.h5"), NULL, &mark));
  close_books(&a);
  close_books(&b);
}

/* One text instead of a column of them, under a sound checksum. */
static void shorten(const char *path, const char *column) {
  const hsize_t one = 1;
  char *bytes = NULL;
  size_t size = 0;
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(1, &one, NULL), text = H5Tcopy(H5T_C_S1);
  assert_true(file >= 0 && H5Ldelete(file, column, H5P_DEFAULT) >= 0);
  assert_true(H5Tset_cset(text, H5T_CSET_UTF8) >= 0);
  const hid_t made = H5Dcreate2(file, column, text, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Dwrite(made, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, "h") >= 0);
  assert_true(H5Dclose(made) >= 0 && H5Tclose(text) >= 0 && H5Sclose(space) >= 0);
  assert_true(H5Fclose(file) >= 0);
  assert_ok(gannet_file_read(path, &bytes, &size));
  gannet_seal_write(GANNET_STATE_SCHEMA, bytes + GANNET_SEAL_SIZE, size - GANNET_SEAL_SIZE, bytes);
  put_bytes(path, bytes, size);
  gannet_free(&bytes);
}

static void expect_damage(const char *path, const char *part) {
  books b;
  open_books(&b, 8);
  assert_fails(GANNET_ERR_DAMAGED, part, gannet_snapshot_read(path, NULL, &b.ledger, NULL));
  close_books(&b);
}

/* As another program may have written them, checksums and all. */
static void columns_that_do_not_fit_are_damage(void **state) {
  (void)state;
  books a;
  write_snapshot(in_folder("e.h5"), &a);
  shorten(in_folder("e.h5"), "history/host");
  expect_damage(in_folder("e.h5"), "history/host has 1 rows, expected");
  a.ledger.ticket[2].result.status = (gannet_eval_status)77;
  assert_ok(gannet_snapshot_write(in_folder("f.h5"), &a.ledger));
  expect_damage(in_folder("f.h5"), "history/status of evaluation 2 is 77");
  a.ledger.ticket[2].result.status = GANNET_EVAL_DONE;
  a.ledger.course.row[1].parameter = a.ledger.course.n_parameters;
  assert_ok(gannet_snapshot_write(in_folder("g.h5"), &a.ledger));
  expect_damage(in_folder("g.h5"), "optimizer/course/parameter: row 1 is");
  a.ledger.course.row[1].parameter = 0;
  a.ledger.course.row[1].evaluation = -1;
  assert_ok(gannet_snapshot_write(in_folder("h.h5"), &a.ledger));
  expect_damage(in_folder("h.h5"), "optimizer/course/evaluation: row 1 is -1");
  close_books(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_snapshot_is_the_ledger),
      cmocka_unit_test(an_empty_campaign_has_a_snapshot_too),
      cmocka_unit_test(another_problem_is_refused),
      cmocka_unit_test(a_snapshot_of_another_journal_is_refused),
      cmocka_unit_test(another_seed_or_name_is_refused),
      cmocka_unit_test(the_older_generation_serves_when_the_newer_is_damaged),
      cmocka_unit_test(columns_that_do_not_fit_are_damage),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
