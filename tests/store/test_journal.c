/* test: serial labels unit */
#include "store/journals.h"

#include <sys/mount.h>
#include <time.h>

/* Each has its own, also at the same path in the same moment. */
static void no_two_journals_have_the_same_identity(void **state) {
  (void)state;
  uint64_t identity[50];
  for (int i = 0; i < 50; ++i) {
    gannet_journal_report report;
    size_t size;
    char *bytes = write_small(in_folder("again"), &size);
    gannet_free(&bytes);
    assert_ok(gannet_journal_identify(in_folder("again"), 3, &report));
    identity[i] = report.identity;
    for (int j = 0; j < i; ++j) assert_true(identity[i] != identity[j]);
  }
  put_bytes(in_folder("again"), "gannet", 6);
  gannet_journal_report report;
  assert_fails(GANNET_ERR_DAMAGED, "again",
               gannet_journal_identify(in_folder("again"), 3, &report));
  assert_true(report.schema == 0 && report.identity == 0);
  assert_fails(GANNET_ERR_MISSING, "none", gannet_journal_identify(in_folder("none"), 3, &report));
}

static gannet_err refuse(void *user, int64_t sequence, const char *payload, size_t length) {
  (void)user, (void)payload, (void)length;
  return sequence == 3 ? GANNET_RAISE(GANNET_ERR_STATE, "stop at three") : GANNET_OK;
}

static void what_was_appended_is_read(void **state) {
  (void)state;
  const char *path = in_folder("journal");
  size_t size;
  found f = {0};
  gannet_journal_report report, first;
  char *bytes = write_small(path, &size);
  assert_ok(gannet_journal_read(path, 3, collect, &f, &report));
  expect_first(&f, RECORDS);
  assert_int_equal(report.schema, 3);
  assert_true(report.identity != 0);
  assert_ok(gannet_journal_identify(path, 3, &first));
  assert_int_equal(first.schema, 3);
  assert_true(first.identity == report.identity);
  assert_fails(GANNET_ERR_VERSION, "schema 3", gannet_journal_identify(path, 2, &first));
  assert_int_equal(report.records, RECORDS);
  assert_int_equal(report.good_bytes, size);
  assert_int_equal(report.dropped_bytes, 0);
  assert_string_equal(report.note, "");
  assert_fails(GANNET_ERR_STATE, "stop at three", gannet_journal_read(path, 3, refuse, NULL, NULL));
  gannet_free(&bytes);
}

/* Deferred records are lost with their owner, or come in their order with the next ones. */
static void deferred_records_wait_for_the_next_sync(void **state) {
  (void)state;
  const char *path = in_folder("deferred");
  gannet_journal *journal;
  int64_t sequence = 0;
  found f = {0}, g = {0}, h = {0};
  assert_ok(gannet_journal_open(path, 3, GANNET_JOURNAL_CREATE, NULL, &journal));
  assert_ok(gannet_journal_defer(journal, payloads[0], &sequence));
  assert_ok(gannet_journal_defer(journal, payloads[1], &sequence));
  assert_int_equal(sequence, 2);
  assert_fails(GANNET_ERR_ARG, "line break", gannet_journal_defer(journal, "a\nb", NULL));
  assert_ok(gannet_journal_read(path, 3, collect, &f, NULL));
  expect_first(&f, 0);
  assert_ok(gannet_journal_append(journal, payloads[2], &sequence));
  assert_int_equal(sequence, 3);
  assert_ok(gannet_journal_read(path, 3, collect, &g, NULL));
  expect_first(&g, 3);
  assert_ok(gannet_journal_defer(journal, payloads[3], NULL));
  assert_ok(gannet_journal_sync(journal));
  assert_ok(gannet_journal_sync(journal));
  assert_ok(gannet_journal_defer(journal, "lost", NULL));
  assert_int_equal(gannet_journal_last(journal), 5);
  gannet_journal_destroy(&journal);
  assert_ok(gannet_journal_open(path, 3, GANNET_JOURNAL_APPEND, NULL, &journal));
  assert_ok(gannet_journal_append(journal, payloads[4], &sequence));
  assert_int_equal(sequence, 5);
  gannet_journal_destroy(&journal);
  assert_ok(gannet_journal_read(path, 3, collect, &h, NULL));
  expect_first(&h, 5);
}

/* Complaints: optuna #5138. */
static void every_truncation_keeps_the_whole_records_before_it(void **state) {
  (void)state;
  const char *path = in_folder("torn");
  size_t size;
  char *bytes = write_small(path, &size);
  for (size_t length = 0; length < size; ++length) {
    gannet_journal *journal;
    gannet_journal_report report;
    found f = {0}, again = {0};
    const int64_t whole = whole_records(bytes, length);
    put_bytes(path, bytes, length);
    assert_ok(gannet_journal_read(path, 3, collect, &f, &report));
    expect_first(&f, whole);
    assert_int_equal(report.good_bytes + report.dropped_bytes, length);
    assert_int_equal(report.note[0] != 0, report.dropped_bytes > 0 || length == 0);
    assert_ok(gannet_journal_open(path, 3, GANNET_JOURNAL_APPEND, NULL, &journal));
    assert_int_equal(gannet_journal_last(journal), whole);
    assert_ok(gannet_journal_append(journal, payloads[whole], NULL));
    gannet_journal_destroy(&journal);
    assert_ok(gannet_journal_read(path, 3, collect, &again, &report));
    expect_first(&again, whole + 1);
    assert_string_equal(report.note, "");
  }
  gannet_free(&bytes);
}

/* Every bit of every byte: never a wrong record, and damage is named unless it is in the last one.
 */
static void every_flipped_bit_is_noticed(void **state) {
  (void)state;
  const char *path = in_folder("flipped");
  size_t size;
  char *bytes = write_small(path, &size);
  const size_t header = (size_t)(strchr(bytes, '\n') - bytes) + 1;
  for (size_t at = 0; at < size; ++at)
    for (int bit = 0; bit < 8; ++bit) {
      gannet_journal_report report;
      found f = {0};
      bytes[at] = (char)(bytes[at] ^ (1 << bit));
      put_bytes(path, bytes, size);
      bytes[at] = (char)(bytes[at] ^ (1 << bit));
      const gannet_err err = gannet_journal_read(path, 3, collect, &f, &report);
      const int64_t before = whole_records(bytes, at);
      /* A lost newline joins two lines, so the one before the last counts as the last. */
      const int last = before == RECORDS - 1 || (before == RECORDS - 2 && bytes[at] == '\n');
      if (at < header || !last) {
        assert_int_equal(err, GANNET_ERR_DAMAGED);
        assert_int_equal(f.n, 0);
      } else {
        assert_int_equal(err, GANNET_OK);
        expect_first(&f, before);
        assert_true(report.dropped_bytes > 0);
      }
    }
  gannet_free(&bytes);
}

static void damage_before_sound_records_is_named_and_kept(void **state) {
  (void)state;
  const char *path = in_folder("damaged");
  gannet_journal *journal;
  size_t size, again;
  char *bytes = write_small(path, &size), *after;
  char *third = strstr(bytes, " 3 a\n");
  third[3] = 'b';
  put_bytes(path, bytes, size);
  assert_fails(GANNET_ERR_DAMAGED, "line 4 of", gannet_journal_read(path, 3, NULL, NULL, NULL));
  assert_fails(GANNET_ERR_DAMAGED, "line 4 of",
               gannet_journal_open(path, 3, GANNET_JOURNAL_APPEND, NULL, &journal));
  assert_null(journal);
  assert_ok(gannet_file_read(path, &after, &again));
  assert_int_equal(again, size);
  assert_memory_equal(after, bytes, size);
  gannet_free(&after);
  gannet_free(&bytes);
}

static void a_missing_record_is_damage(void **state) {
  (void)state;
  const char *path = in_folder("gap");
  size_t size;
  char *bytes = write_small(path, &size);
  char *second = strchr(strchr(bytes, '\n') + 1, '\n') + 1, *third = strchr(second, '\n') + 1;
  memmove(second, third, (size_t)(bytes + size - third));
  put_bytes(path, bytes, size - (size_t)(third - second));
  assert_fails(GANNET_ERR_DAMAGED, "holds record 3 instead of 2",
               gannet_journal_read(path, 3, NULL, NULL, NULL));
  gannet_free(&bytes);
}

/* Complaints: optimas #55. */
static void newer_schemas_and_other_files_are_refused(void **state) {
  (void)state;
  const char *path = in_folder("newer");
  gannet_journal *journal;
  size_t size;
  char *bytes = write_small(path, &size);
  assert_fails(GANNET_ERR_VERSION, "schema 3", gannet_journal_read(path, 2, NULL, NULL, NULL));
  assert_fails(GANNET_ERR_VERSION, "up to 2",
               gannet_journal_open(path, 2, GANNET_JOURNAL_APPEND, NULL, &journal));
  put_bytes(path, "id,x,y\n1,2,3\n", 13);
  assert_fails(GANNET_ERR_DAMAGED, "does not begin",
               gannet_journal_read(path, 3, NULL, NULL, NULL));
  gannet_free(&bytes);
}

static void modes_say_what_must_exist(void **state) {
  (void)state;
  const char *path = in_folder("modes");
  gannet_journal *journal;
  assert_fails(GANNET_ERR_MISSING, "modes",
               gannet_journal_open(path, 1, GANNET_JOURNAL_APPEND, NULL, &journal));
  assert_fails(GANNET_ERR_MISSING, "modes", gannet_journal_read(path, 1, NULL, NULL, NULL));
  assert_fails(
      GANNET_ERR_MISSING, "no/such",
      gannet_journal_open(in_folder("no/such/journal"), 1, GANNET_JOURNAL_CREATE, NULL, &journal));
  assert_fails(GANNET_ERR_ARG, "schema = 0",
               gannet_journal_open(path, 0, GANNET_JOURNAL_CREATE, NULL, &journal));
  assert_ok(gannet_journal_open(path, 1, GANNET_JOURNAL_CREATE, NULL, &journal));
  gannet_journal_destroy(&journal);
  gannet_journal_destroy(&journal);
  assert_fails(GANNET_ERR_EXISTS, "already",
               gannet_journal_open(path, 1, GANNET_JOURNAL_CREATE, NULL, &journal));
}

/* What cannot be read for another reason is not taken for a journal that is there. */
static void running_out_of_descriptors_is_told(void **state) {
  (void)state;
  const char *path = in_folder("descriptors");
  gannet_journal *journal = NULL;
  struct rlimit before, less;
  gannet_err err = GANNET_ERR_IO;
  const int next = dup(STDIN_FILENO);
  assert_true(next >= 0 && close(next) == 0);
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  less = before;
  less.rlim_cur = (rlim_t)next;
  while (err == GANNET_ERR_IO && less.rlim_cur++ < before.rlim_cur) {
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &less), 0);
    err = gannet_journal_open(path, 1, GANNET_JOURNAL_CREATE, NULL, &journal);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
  }
  assert_true(less.rlim_cur > (rlim_t)next + 2);
  assert_ok(err);
  gannet_journal_destroy(&journal);
}

static void line_breaks_are_refused(void **state) {
  (void)state;
  gannet_journal *journal;
  gannet_journal_report report;
  const char *const two[] = {"fine", "not\nfine"};
  assert_ok(gannet_journal_open(in_folder("breaks"), 1, GANNET_JOURNAL_CREATE, NULL, &journal));
  assert_fails(GANNET_ERR_ARG, "line break", gannet_journal_append(journal, "a\nb", NULL));
  assert_fails(GANNET_ERR_ARG, "line break", gannet_journal_append_many(journal, 2, two, NULL));
  assert_ok(gannet_journal_append_many(journal, 0, NULL, NULL));
  gannet_journal_destroy(&journal);
  assert_ok(gannet_journal_read(in_folder("breaks"), 1, NULL, NULL, &report));
  assert_int_equal(report.records, 0);
}

/* Fill up to the limit, for every limit around a record: nothing acknowledged is lost, nothing else
 * stays, and writing goes on when there is room again. */
static void a_full_disk_leaves_a_sound_journal(void **state) {
  (void)state;
  const char *path = in_folder("full");
  for (rlim_t room = 0; room < 60; ++room) {
    gannet_journal *journal;
    gannet_journal_report report;
    struct stat about;
    int64_t acknowledged = 0;
    (void)unlink(path);
    assert_ok(gannet_journal_open(path, 1, GANNET_JOURNAL_CREATE, NULL, &journal));
    assert_int_equal(stat(path, &about), 0);
    limit_files((rlim_t)about.st_size + room);
    gannet_err err = GANNET_OK;
    while (err == GANNET_OK && acknowledged < 9) {
      err = gannet_journal_append(journal, "x", NULL);
      acknowledged += err == GANNET_OK;
    }
    assert_int_equal(err, GANNET_ERR_NO_SPACE);
    assert_non_null(strstr(gannet_error_message(), path));
    assert_non_null(strstr(gannet_error_message(), "raise the limit of the size of files"));
    assert_int_equal(acknowledged, room / 21); /* hash, two blanks, number, x, newline */
    limit_files(RLIM_INFINITY);
    assert_ok(gannet_journal_read(path, 1, NULL, NULL, &report));
    assert_int_equal(report.records, acknowledged);
    assert_int_equal(report.dropped_bytes, 0);
    assert_ok(gannet_journal_append(journal, "y", NULL));
    assert_int_equal(gannet_journal_last(journal), acknowledged + 1);
    gannet_journal_destroy(&journal);
    assert_ok(gannet_journal_read(path, 1, NULL, NULL, &report));
    assert_int_equal(report.records, acknowledged + 1);
  }
}

static void a_journal_that_cannot_begin_can_begin_later(void **state) {
  (void)state;
  const char *path = in_folder("begin");
  gannet_journal *journal;
  limit_files(10);
  const gannet_err err = gannet_journal_open(path, 1, GANNET_JOURNAL_CREATE, NULL, &journal);
  limit_files(RLIM_INFINITY);
  assert_int_equal(err, GANNET_ERR_NO_SPACE);
  assert_ok(gannet_journal_open(path, 1, GANNET_JOURNAL_CREATE, NULL, &journal));
  assert_ok(gannet_journal_append(journal, "one", NULL));
  gannet_journal_destroy(&journal);
}

/* A file system of 64 KiB; needs the right to mount, else skipped. */
static void a_really_full_disk_leaves_a_sound_journal(void **state) {
  (void)state;
  const char *mounted = in_folder("tiny");
  char path[PATH_MAX], record[1001];
  gannet_journal *journal;
  gannet_journal_report report;
  assert_int_equal(mkdir(mounted, 0777), 0);
  if (mount("none", mounted, "tmpfs", 0, "size=64k")) skip();
  (void)snprintf(path, sizeof path, "%s/journal", mounted);
  memset(record, 'r', sizeof record - 1);
  record[sizeof record - 1] = '\0';
  int64_t acknowledged = 0;
  gannet_err err = gannet_journal_open(path, 1, GANNET_JOURNAL_CREATE, NULL, &journal);
  while (err == GANNET_OK && acknowledged < 1000) {
    err = gannet_journal_append(journal, record, NULL);
    acknowledged += err == GANNET_OK;
  }
  const gannet_err reading = gannet_journal_read(path, 1, NULL, NULL, &report);
  gannet_journal_destroy(&journal);
  assert_int_equal(umount(mounted), 0);
  assert_int_equal(err, GANNET_ERR_NO_SPACE);
  assert_int_equal(reading, GANNET_OK);
  assert_true(acknowledged > 10);
  assert_int_equal(report.records, acknowledged);
  assert_int_equal(report.dropped_bytes, 0);
}

/* Root may write anywhere, so the child becomes nobody. */
static void reading_needs_no_permission_to_write(void **state) {
  (void)state;
  const char *path = in_folder("closed/journal");
  size_t size;
  assert_int_equal(mkdir(in_folder("closed"), 0777), 0);
  char *bytes = write_small(path, &size);
  gannet_free(&bytes);
  assert_int_equal(chmod(folder, 0755) | chmod(path, 0444) | chmod(in_folder("closed"), 0555), 0);
  const pid_t child = fork();
  if (child == 0) {
    gannet_journal *journal;
    if (getuid() == 0 && setuid(65534)) _exit(1);
    if (gannet_journal_read(path, 3, NULL, NULL, NULL) != GANNET_OK) _exit(2);
    const gannet_err err = gannet_journal_open(path, 3, GANNET_JOURNAL_APPEND, NULL, &journal);
    _exit(err == GANNET_ERR_IO ? 7 : 3);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  (void)chmod(in_folder("closed"), 0755);
  assert_int_equal(WEXITSTATUS(status), 7);
}

static void append_for_ever(int acknowledge) {
  gannet_journal *journal;
  int64_t number = 0;
  if (gannet_journal_open(in_folder("dying"), 1, GANNET_JOURNAL_APPEND, NULL, &journal) !=
      GANNET_OK)
    _exit(1);
  while (gannet_journal_append(journal, "a record of some length", &number) == GANNET_OK)
    if (write(acknowledge, &number, sizeof number) < 0) _exit(1);
}

static void a_kill_at_any_moment_loses_nothing_acknowledged(void **state) {
  (void)state;
  gannet_journal *journal;
  gannet_journal_report report = {0};
  assert_ok(gannet_journal_open(in_folder("dying"), 1, GANNET_JOURNAL_CREATE, NULL, &journal));
  gannet_journal_destroy(&journal);
  for (int trial = 0; trial < 20; ++trial) {
    const int64_t before = report.records;
    const int64_t acknowledged = killed_after(1 + trial, append_for_ever);
    assert_ok(gannet_journal_read(in_folder("dying"), 1, NULL, NULL, &report));
    assert_true(report.records >= (acknowledged ? acknowledged : before));
    assert_true(report.records <= (acknowledged ? acknowledged : before) + 1);
  }
}

/* 30 MB. The bound is generous for sanitizers and busy machines. */
static void a_large_journal_is_read_quickly(void **state) {
  (void)state;
  enum { N = 100000, GROUP = 1000 };
  const char *path = in_folder("large");
  gannet_journal *journal;
  gannet_journal_report report;
  const char *group[GROUP];
  char record[281];
  struct timespec begin, end;
  memset(record, 'r', sizeof record - 1);
  record[sizeof record - 1] = '\0';
  for (int i = 0; i < GROUP; ++i) group[i] = record;
  assert_ok(gannet_journal_open(path, 1, GANNET_JOURNAL_CREATE, NULL, &journal));
  for (int i = 0; i < N / GROUP; ++i)
    assert_ok(gannet_journal_append_many(journal, GROUP, group, NULL));
  gannet_journal_destroy(&journal);
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  assert_ok(gannet_journal_read(path, 1, NULL, NULL, &report));
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  const double seconds =
      (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
  print_message("%lld bytes read in %.3f s of the processor\n", (long long)report.good_bytes,
                seconds);
  assert_int_equal(report.records, N);
  assert_true(seconds < 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_appended_is_read),
      cmocka_unit_test(no_two_journals_have_the_same_identity),
      cmocka_unit_test(deferred_records_wait_for_the_next_sync),
      cmocka_unit_test(every_truncation_keeps_the_whole_records_before_it),
      cmocka_unit_test(every_flipped_bit_is_noticed),
      cmocka_unit_test(damage_before_sound_records_is_named_and_kept),
      cmocka_unit_test(a_missing_record_is_damage),
      cmocka_unit_test(newer_schemas_and_other_files_are_refused),
      cmocka_unit_test(modes_say_what_must_exist),
      cmocka_unit_test(running_out_of_descriptors_is_told),
      cmocka_unit_test(line_breaks_are_refused),
      cmocka_unit_test(a_full_disk_leaves_a_sound_journal),
      cmocka_unit_test(a_journal_that_cannot_begin_can_begin_later),
      cmocka_unit_test(a_really_full_disk_leaves_a_sound_journal),
      cmocka_unit_test(reading_needs_no_permission_to_write),
      cmocka_unit_test(a_kill_at_any_moment_loses_nothing_acknowledged),
      cmocka_unit_test(a_large_journal_is_read_quickly),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
