/* test: ranks 1 2 3 labels unit timeout 300 */
#include "books.h"

#include <sys/stat.h>

#include "base/hash.h"
#include "campaign/run/fingerprint.h"
#include "campaign/run/resume.h"
#include "campaign/run/snapshot.h"
#include "support/crash.h"

/* Files are rank 0's business; everybody has the same folder name. */
static gannet_context *context;
static char text[4000];
static bool is_old; /* campaigns are written as before journals had identities */

enum { RECORDS = 13 }; /* of keep_books */

static void keep(void *user, gannet_log_level level, int rank, const char *line) {
  (void)user, (void)level, (void)rank;
  const size_t used = strlen(text);
  (void)snprintf(text + used, sizeof text - used, "%s\n", line);
}

static bool is_root(void) {
  return context->rank == 0;
}

static void wait_for_all(void) {
  assert_int_equal(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

static const uint64_t seed = UINT64_MAX - 1; /* that of keep_books */

static int begin(void **state) {
  (void)state;
  if (gannet_context_create(MPI_COMM_WORLD, seed, &context) != GANNET_OK) return -1;
  gannet_context_set_log(context, GANNET_LOG_DEBUG, keep, NULL);
  if (is_root() && make_folder(NULL)) return -1;
  return MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static int end(void **state) {
  const int failed = is_root() ? remove_folder(state) : 0;
  gannet_context_destroy(&context);
  return failed;
}

/* The books that all tests expect to find again; in memory on every rank. */
static void expected(books *b) {
  open_books(b, 8);
  keep_books(b);
}

/* The first line of a journal as it was without an identity. */
static void forget_identity(const char *path) {
  char *bytes = NULL, line[80] = "gannet journal schema 1";
  size_t size = 0;
  assert_ok(gannet_file_read(path, &bytes, &size));
  const size_t first = strcspn(bytes, "\n"), used = strlen(line);
  assert_memory_equal(bytes, line, used);
  (void)snprintf(line + used, sizeof line - used, " %016llx",
                 (unsigned long long)gannet_hash(line, used));
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  (void)fprintf(file, "%s%s", line, bytes + first);
  assert_int_equal(fclose(file), 0);
  gannet_free(&bytes);
}

/* A journal and, after so many of its records (0 = never), a snapshot. */
static void write_campaign(int64_t snapshot_at) {
  wait_for_all();
  text[0] = '\0';
  if (is_root()) {
    books b, part;
    gannet_journal *journal = NULL;
    char command[PATH_MAX + 16];
    (void)snprintf(command, sizeof command, "rm -rf '%s'/*", folder);
    assert_int_equal(system(command), 0);
    open_books(&b, 8);
    gannet_journal_report report;
    assert_ok(
        gannet_journal_open(in_folder("journal"), 1, GANNET_JOURNAL_CREATE, &report, &journal));
    assert_true(report.identity != 0);
    b.ledger.journal = journal;
    keep_books(&b);
    assert_int_equal(b.ledger.sequence, RECORDS);
    close_books(&b);
    open_books(&part, 8);
    if (is_old) forget_identity(in_folder("journal"));
    if (!is_old) part.ledger.identity = report.identity;
    char *bytes = NULL, *line, *rest;
    assert_ok(gannet_file_read(in_folder("journal"), &bytes, NULL));
    line = strtok_r(bytes, "\n", &rest);
    for (int64_t i = 1; i <= snapshot_at; ++i) {
      line = strtok_r(NULL, "\n", &rest);
      const char *payload = strchr(line, '{');
      assert_ok(gannet_ledger_apply(&part.ledger, i, payload, strlen(payload)));
    }
    if (snapshot_at > 0) assert_ok(gannet_snapshot_write(in_folder("state"), &part.ledger));
    gannet_free(&bytes);
    close_books(&part);
  }
  wait_for_all();
}

/* One byte of the line of a record changed; 0 is the header. */
static void hurt_record(int record) {
  if (is_root()) {
    char *bytes = NULL;
    size_t size = 0, at = 0;
    assert_ok(gannet_file_read(in_folder("journal"), &bytes, &size));
    for (int i = 0; i < record; ++i) at += strcspn(bytes + at, "\n") + 1;
    bytes[at + 20] ^= 1;
    put_bytes(in_folder("journal"), bytes, size);
    gannet_free(&bytes);
  }
  wait_for_all();
}

static void hurt_file(const char *name) {
  if (is_root()) {
    char *bytes = NULL;
    size_t size = 0;
    assert_ok(gannet_file_read(in_folder(name), &bytes, &size));
    bytes[size / 2] ^= 1;
    put_bytes(in_folder(name), bytes, size);
    gannet_free(&bytes);
  }
  wait_for_all();
}

static gannet_err restore(books *b) {
  open_books(b, 8);
  return gannet_resume_continue(context, in_folder("journal"), in_folder("state"), "test",
                                &b->ledger);
}

/* All is found again, twice: what was repaired is sound. NULL: whatever is said. */
static void expect_all(const char *said) {
  books a, b;
  expected(&a);
  for (int turn = 0; turn < 2; ++turn) {
    assert_ok(restore(&b));
    assert_same_books(&a.ledger, &b.ledger);
    if (is_root() && turn == 0 && said && *said) assert_non_null(strstr(text, said));
    if (turn == 1 || (said && !*said)) assert_string_equal(text, "");
    text[0] = '\0';
    close_books(&b);
    wait_for_all();
  }
  close_books(&a);
}

static void a_sound_campaign_is_restored_in_silence(void **state) {
  (void)state;
  write_campaign(0);
  expect_all("");
  write_campaign(RECORDS);
  expect_all("");
}

/* Whichever record is damaged, and wherever the snapshot ends after it, all is found again. */
static void damage_before_the_snapshot_loses_nothing(void **state) {
  (void)state;
  for (int record = 0; record <= 12; record += 3)
    for (int snapshot = record < 4 ? 4 : record; snapshot <= RECORDS; snapshot += 3) {
      write_campaign(snapshot);
      hurt_record(record);
      expect_all("moved the damaged journal");
      if (is_root()) assert_true(exists(in_folder("journal.damaged")));
      if (is_root()) assert_false(exists(in_folder("journal.new")));
    }
}

static void damage_after_the_snapshot_loses_only_what_follows(void **state) {
  (void)state;
  books a, b;
  expected(&a);
  write_campaign(4);
  hurt_record(12); /* an acknowledged result; the one after it cannot be used */
  assert_ok(restore(&b));
  if (is_root()) assert_non_null(strstr(text, "1 could not be used"));
  assert_int_equal(b.ledger.n, a.ledger.n);
  assert_false(b.ledger.ticket[5].has_result);
  assert_same_ticket(&a.ledger, &b.ledger, 2);
  assert_same_ticket(&a.ledger, &b.ledger, 4);
  close_books(&a);
  close_books(&b);
}

static gannet_err look_on(books *b, bool replay, gannet_damage *damage) {
  const gannet_resume_paths paths = {in_folder("journal"), in_folder("state"), "test",
                                     &context->seed};
  return gannet_resume_query(&paths, replay, &b->ledger, damage);
}

/* What somebody sees who looks on. */
static void expect_results(void) {
  books a, b;
  gannet_damage damage;
  if (!is_root()) return;
  expected(&a);
  open_books(&b, 8);
  assert_ok(look_on(&b, false, &damage));
  assert_int_equal(b.ledger.n, a.ledger.n);
  for (int64_t id = 0; id < a.ledger.n; ++id)
    assert_int_equal(b.ledger.ticket[id].has_result, a.ledger.ticket[id].has_result);
  close_books(&a);
  close_books(&b);
}

/* Crashes after every number of changes to files while a journal is rebuilt; returns how many there
 * are. */
static int crash_everywhere(int snapshot_at) {
  int changes = 0;
  for (int crashed = 1; crashed; ++changes) {
    books b;
    write_campaign(snapshot_at);
    hurt_record(3);
    if (is_root()) crash_after(changes);
    (void)restore(&b);
    gannet_error_clear();
    close_books(&b);
    crashed = has_crashed;
    changes_left = -1;
    assert_int_equal(MPI_Bcast(&crashed, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    expect_results();
    wait_for_all();
    expect_all(NULL);
    if (is_root()) assert_true(exists(in_folder("journal.damaged")));
    if (is_root() && has_links) assert_false(exists(in_folder("journal.damaged.1")));
    hurt_record(2); /* the snapshots stand in for the new journal */
    expect_all("moved the damaged journal");
  }
  return changes;
}

/* Every window of rebuilding: an older snapshot than the journal and one of its end, with and
 * without links, and of files of before. */
static void a_crash_while_rebuilding_loses_nothing(void **state) {
  (void)state;
  int changes = crash_everywhere(4);
  if (is_root()) assert_in_range(changes, 15, 100); /* five renames among them, and their syncs */
  (void)crash_everywhere(RECORDS);
  has_links = false;
  (void)crash_everywhere(4);
  has_links = true;
  is_old = true;
  (void)crash_everywhere(RECORDS);
  is_old = false;
}

static void campaigns_of_before_are_restored(void **state) {
  (void)state;
  is_old = true;
  write_campaign(RECORDS / 2);
  expect_all("");
  expect_results();
  write_campaign(4);
  hurt_record(3);
  expect_all("moved the damaged journal");
  is_old = false;
}

/* An older snapshot, whose numbers are those of the journal before, does not count against a new
 * journal, nor for it. */
static void numbers_of_another_journal_do_not_count(void **state) {
  (void)state;
  for (int snapshot = 4; snapshot <= RECORDS; snapshot += 9) {
    char *bytes = NULL;
    size_t size = 0;
    write_campaign(snapshot);
    if (is_root()) assert_ok(gannet_file_read(in_folder("state"), &bytes, &size));
    hurt_record(3);
    expect_all("moved the damaged journal");
    if (is_root()) put_bytes(in_folder("state"), bytes, size);
    gannet_free(&bytes);
    expect_results();
    wait_for_all();
    expect_all("");
    if (is_root()) {
      gannet_snapshot_mark mark;
      gannet_journal_report report;
      assert_ok(gannet_snapshot_look(in_folder("state"), NULL, &mark));
      assert_ok(gannet_journal_identify(in_folder("journal"), GANNET_JOURNAL_SCHEMA, &report));
      assert_true(mark.journal == report.identity);
    }
    wait_for_all();
  }
}

static void a_missing_journal_is_rebuilt(void **state) {
  (void)state;
  write_campaign(RECORDS);
  if (is_root()) assert_int_equal(unlink(in_folder("journal")), 0);
  expect_all("rebuilding the journal");
  if (is_root()) assert_false(exists(in_folder("journal.damaged")));
}

static void a_journal_that_lost_its_end_is_completed(void **state) {
  (void)state;
  for (int cut = 1; cut < 3000; cut += 700) {
    write_campaign(RECORDS);
    if (is_root()) {
      struct stat about;
      assert_int_equal(stat(in_folder("journal"), &about), 0);
      const off_t size = about.st_size > cut ? about.st_size - cut : 0;
      assert_int_equal(truncate(in_folder("journal"), size), 0);
    }
    expect_all("rebuilding the journal");
  }
}

static void a_torn_tail_is_cut_off(void **state) {
  (void)state;
  write_campaign(RECORDS);
  if (is_root()) {
    FILE *file = fopen(in_folder("journal"), "ab");
    assert_non_null(file);
    (void)fputs("0123456789abcdef 14 {\"reco", file);
    assert_int_equal(fclose(file), 0);
  }
  expect_all("not completed");
}

static void a_journal_that_was_never_begun_begins(void **state) {
  (void)state;
  books b;
  for (size_t size = 0; size < 20; size += 10) {
    write_campaign(0);
    if (is_root()) put_bytes(in_folder("journal"), "gannet journal schema", size);
    wait_for_all();
    for (int turn = 0; turn < 2; ++turn) {
      assert_ok(restore(&b));
      assert_string_equal(b.ledger.name, "test");
      assert_int_equal(b.ledger.n, 0);
      assert_true(b.ledger.fingerprint == gannet_problem_fingerprint(b.problem));
      close_books(&b);
      wait_for_all();
    }
  }
}

static void a_damaged_snapshot_does_not_matter(void **state) {
  (void)state;
  write_campaign(RECORDS);
  hurt_file("state");
  expect_all("");
}

static void damage_of_both_is_told_and_changes_nothing(void **state) {
  (void)state;
  books b;
  write_campaign(RECORDS);
  hurt_file("state");
  hurt_record(4);
  for (int turn = 0; turn < 2; ++turn) {
    assert_fails(GANNET_ERR_DAMAGED, "first 3 records are sound", restore(&b));
    close_books(&b);
    if (is_root()) assert_true(exists(in_folder("journal")));
    if (is_root()) assert_false(exists(in_folder("journal.damaged")));
    wait_for_all();
  }
  write_campaign(0);
  hurt_record(4);
  assert_fails(GANNET_ERR_DAMAGED, "cannot be rebuilt", restore(&b));
  close_books(&b);
}

static void another_problem_or_seed_is_refused(void **state) {
  (void)state;
  books b;
  write_campaign(RECORDS);
  open_books(&b, 9);
  assert_fails(
      GANNET_ERR_INPUT, "variables",
      gannet_resume_continue(context, in_folder("journal"), in_folder("state"), "test", &b.ledger));
  close_books(&b);
  hurt_record(4);
  open_books(&b, 9);
  assert_fails(
      GANNET_ERR_INPUT, "another problem",
      gannet_resume_continue(context, in_folder("journal"), in_folder("state"), "test", &b.ledger));
  close_books(&b);
  expect_all("rebuilding the journal");
  context->seed = 5;
  assert_fails(GANNET_ERR_INPUT, "seed -2, not 5", restore(&b));
  context->seed = seed;
  close_books(&b);
}

/* A query changes nothing and knows what is acknowledged; from the snapshot and what follows it,
 * from the journal alone, and without a journal. */
static void a_query_tells_what_is_held(void **state) {
  (void)state;
  books b, whole;
  gannet_damage damage;
  write_campaign(RECORDS / 2);
  for (int turn = 0; turn < 3; ++turn) {
    if (turn == 2) write_campaign(RECORDS);
    if (!is_root()) continue;
    if (turn == 2) assert_int_equal(unlink(in_folder("journal")), 0);
    open_books(&b, 8);
    assert_ok(look_on(&b, turn == 1, &damage));
    assert_int_equal(gannet_history_get(b.history, 5)->status, GANNET_EVAL_DONE);
    assert_int_equal(gannet_history_count_told(b.history), 4);
    assert_false(exists(in_folder("journal.damaged")));
    assert_int_equal(damage.text[0] != '\0', turn == 2);
    assert_false(damage.is_partial);
    if (turn == 0) {
      open_books(&whole, 8);
      assert_ok(look_on(&whole, true, &damage));
      assert_same_books(&b.ledger, &whole.ledger);
      for (int s = 0; s < GANNET_EVAL_STATUS_COUNT; ++s)
        assert_int_equal(b.ledger.n_ended[s], whole.ledger.n_ended[s]);
      close_books(&whole);
    }
    close_books(&b);
  }
  wait_for_all();
}

static void query(books *b, gannet_damage *damage, gannet_err expected) {
  open_books(b, 8);
  assert_int_equal(look_on(b, false, damage), expected);
  gannet_error_clear();
}

/* Of a damaged journal a query shows what a resumed campaign would know, else its beginning, and
 * says so. */
static void a_query_tells_of_damage(void **state) {
  (void)state;
  books b;
  gannet_damage damage;
  const struct {
    int snapshot_at, hurt, known;
    bool is_partial;
  } cases[] = {{RECORDS / 2, 3, RECORDS, false},
               {RECORDS / 2, RECORDS - 2, RECORDS - 3, false},
               {0, RECORDS - 2, RECORDS - 3, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    write_campaign(cases[i].snapshot_at);
    hurt_record(cases[i].hurt);
    if (!is_root()) continue;
    query(&b, &damage, GANNET_OK);
    assert_int_equal(b.ledger.sequence, cases[i].known);
    assert_int_equal(damage.is_partial, cases[i].is_partial);
    assert_non_null(strstr(damage.text, "is damaged"));
    assert_non_null(strstr(damage.text, cases[i].is_partial ? "follows line 11" : "--resume"));
    close_books(&b);
  }
  write_campaign(RECORDS);
  if (is_root()) {
    assert_int_equal(truncate(in_folder("journal"), 900), 0);
    query(&b, &damage, GANNET_OK);
    assert_int_equal(b.ledger.sequence, RECORDS);
    assert_non_null(strstr(damage.text, "but the snapshot has 13; shown is"));
    close_books(&b);
  }
  write_campaign(0);
  hurt_record(1);
  if (is_root()) {
    query(&b, &damage, GANNET_ERR_DAMAGED);
    close_books(&b);
  }
  wait_for_all();
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sound_campaign_is_restored_in_silence),
      cmocka_unit_test(damage_before_the_snapshot_loses_nothing),
      cmocka_unit_test(damage_after_the_snapshot_loses_only_what_follows),
      cmocka_unit_test(a_crash_while_rebuilding_loses_nothing),
      cmocka_unit_test(campaigns_of_before_are_restored),
      cmocka_unit_test(numbers_of_another_journal_do_not_count),
      cmocka_unit_test(a_missing_journal_is_rebuilt),
      cmocka_unit_test(a_journal_that_lost_its_end_is_completed),
      cmocka_unit_test(a_torn_tail_is_cut_off),
      cmocka_unit_test(a_journal_that_was_never_begun_begins),
      cmocka_unit_test(a_damaged_snapshot_does_not_matter),
      cmocka_unit_test(damage_of_both_is_told_and_changes_nothing),
      cmocka_unit_test(another_problem_or_seed_is_refused),
      cmocka_unit_test(a_query_tells_what_is_held),
      cmocka_unit_test(a_query_tells_of_damage),
  };
  MPI_Init(&argc, &argv);
  const int failed = run_ranks_(cmocka_run_group_tests(tests, begin, end));
  MPI_Finalize();
  return failed;
}
