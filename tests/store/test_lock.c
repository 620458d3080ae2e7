/* test: serial labels unit */
/* One owner of a journal at a time, whatever becomes of the lock file. */
#include "store/lock.h"

#include <fcntl.h>

#include "base/process.h"

#include "store/journal.h"
#include "support/folder.h"

/* What stat fails with, as a server that does not answer; 0 = it works. */
static int trouble;

/* In place of the library's. */
__attribute__((visibility("default"))) int stat(const char *path, struct stat *about) {
  if (!trouble) return fstatat(AT_FDCWD, path, about, 0);
  errno = trouble;
  return -1;
}

static void a_second_owner_is_told_who_the_first_is(void **state) {
  (void)state;
  const char *path = in_folder("owned");
  gannet_journal *journal, *second;
  gannet_journal_report report;
  char me[64];
  assert_ok(gannet_journal_open(path, 1, GANNET_JOURNAL_CREATE, &report, &journal));
  assert_false(report.unlocked);
  (void)snprintf(me, sizeof me, "process %ld on ", (long)getpid());
  assert_ok(gannet_journal_append(journal, "one", NULL));
  /* Reading is free, and must not lose the lock. */
  assert_ok(gannet_journal_read(path, 1, NULL, NULL, NULL));
  assert_fails(GANNET_ERR_BUSY, me,
               gannet_journal_open(path, 1, GANNET_JOURNAL_APPEND, NULL, &second));
  const pid_t child = fork();
  if (child == 0)
    _exit(gannet_journal_open(path, 1, GANNET_JOURNAL_APPEND, NULL, &second) == GANNET_ERR_BUSY
              ? 7
              : 8);
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(WEXITSTATUS(status), 7);
  gannet_journal_destroy(&journal);
  assert_ok(gannet_journal_open(path, 1, GANNET_JOURNAL_APPEND, NULL, &second));
  gannet_journal_destroy(&second);
}

/* Somebody clears up files called *.lock. */
static void a_lock_file_that_was_removed_is_made_again(void **state) {
  (void)state;
  const char *path = in_folder("tidied");
  gannet_journal *journal, *second;
  bool renewed = true;
  assert_ok(gannet_journal_open(path, 1, GANNET_JOURNAL_CREATE, NULL, &journal));
  assert_ok(gannet_journal_append(journal, "one", NULL));
  assert_ok(gannet_journal_keep(journal, &renewed));
  assert_false(renewed);
  for (int i = 0; i < 2; ++i) { /* noticed by a look, and by a write */
    assert_int_equal(unlink(in_folder("tidied.lock")), 0);
    if (i == 0) assert_ok(gannet_journal_keep(journal, &renewed));
    if (i == 1) assert_ok(gannet_journal_append(journal, "two", NULL));
    assert_int_equal(renewed, i == 0);
    assert_fails(GANNET_ERR_BUSY, "is held by process",
                 gannet_journal_open(path, 1, GANNET_JOURNAL_APPEND, NULL, &second));
    assert_ok(gannet_journal_keep(journal, &renewed));
    assert_int_equal(renewed, i == 1);
    renewed = false;
  }
  gannet_journal_destroy(&journal);
  assert_ok(gannet_journal_open(path, 1, GANNET_JOURNAL_APPEND, NULL, &journal));
  assert_int_equal(gannet_journal_last(journal), 2);
  gannet_journal_destroy(&journal);
}

/* ... and a second owner came before that was noticed: the first one writes nothing more, whether
 * the second one is still there or has ended. */
static void who_lost_the_lock_leaves_the_journal_alone(void **state) {
  (void)state;
  gannet_journal *journal, *second;
  gannet_journal_report report;
  for (int ended = 0; ended < 2; ++ended) {
    const char *path = in_folder(ended ? "lost-then" : "lost-now");
    assert_ok(gannet_journal_open(path, 1, GANNET_JOURNAL_CREATE, NULL, &journal));
    assert_ok(gannet_journal_append(journal, "one", NULL));
    assert_ok(gannet_journal_defer(journal, "waits", NULL));
    assert_int_equal(unlink(in_folder(ended ? "lost-then.lock" : "lost-now.lock")), 0);
    assert_ok(gannet_journal_open(path, 1, GANNET_JOURNAL_APPEND, NULL, &second));
    assert_ok(gannet_journal_append(second, "of the second", NULL));
    if (ended) gannet_journal_destroy(&second);
    assert_fails(GANNET_ERR_BUSY, "this process no longer has the campaign",
                 gannet_journal_append(journal, "lost", NULL));
    assert_non_null(strstr(gannet_error_message(),
                           ended ? "another process added to the journal" : "is held by process"));
    assert_fails(GANNET_ERR_BUSY, "what it had acknowledged is in the journal",
                 gannet_journal_sync(journal));
    gannet_journal_destroy(&journal);
    if (!ended) assert_ok(gannet_journal_append(second, "and on", NULL));
    if (!ended) gannet_journal_destroy(&second);
    assert_ok(gannet_journal_read(path, 1, NULL, NULL, &report));
    assert_int_equal(report.records, ended ? 2 : 3);
    assert_int_equal(report.dropped_bytes, 0);
  }
}

static void the_lock_dies_with_its_owner(void **state) {
  (void)state;
  const char *path = in_folder("killed");
  gannet_journal *journal;
  const pid_t child = fork();
  if (child == 0) {
    if (gannet_journal_open(path, 1, GANNET_JOURNAL_CREATE, NULL, &journal) == GANNET_OK &&
        gannet_journal_append(journal, "one", NULL) == GANNET_OK)
      (void)raise(SIGKILL);
    _exit(1);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
  gannet_lock_holder holder;
  gannet_lock_look(in_folder("killed.lock"), &holder);
  assert_true(holder.pid == child && holder.is_here && !holder.is_alive);
  assert_ok(gannet_journal_open(path, 1, GANNET_JOURNAL_APPEND, NULL, &journal));
  assert_int_equal(gannet_journal_last(journal), 1);
  gannet_journal_destroy(&journal);
}

/* A lock file that cannot be looked at is not one that is gone. */
static void a_look_that_fails_changes_nothing(void **state) {
  (void)state;
  const int troubles[] = {ESTALE, EIO, EMFILE, ENFILE, EACCES, ENOMEM};
  gannet_journal *journal;
  bool renewed = true;
  assert_ok(gannet_journal_open(in_folder("server"), 1, GANNET_JOURNAL_CREATE, NULL, &journal));
  for (size_t i = 0; i < sizeof troubles / sizeof *troubles; ++i) {
    trouble = troubles[i];
    const gannet_err kept = gannet_journal_keep(journal, &renewed);
    const gannet_err added = gannet_journal_append(journal, "one", NULL);
    trouble = 0;
    assert_int_equal(kept, GANNET_OK);
    assert_int_equal(added, GANNET_OK);
    assert_false(renewed);
  }
  gannet_journal_destroy(&journal);
}

/* Whatever somebody does to the journal of a process that runs: it says so, and adds nothing. */
static void a_journal_that_was_touched_is_noticed(void **state) {
  (void)state;
  static const char *const said[] = {"was removed",   "was replaced",     "was cut",
                                     "became longer", "was written into", "was written into"};
  for (int how = 0; how < 6; ++how) {
    const char *path = in_folder("touched");
    gannet_journal *journal;
    assert_ok(gannet_journal_open(path, 1, GANNET_JOURNAL_CREATE, NULL, &journal));
    assert_ok(gannet_journal_append(journal, "first", NULL));
    assert_ok(gannet_journal_append(journal, "second", NULL));
    assert_ok(gannet_journal_sync(journal));
    if (how == 0) assert_int_equal(unlink(path), 0);
    if (how == 1) {
      assert_int_equal(rename(path, in_folder("away")), 0);
      put_bytes(path, "gannet", 6);
    }
    if (how == 2) assert_int_equal(truncate(path, 100), 0);
    const int descriptor = how > 2 ? open(path, O_WRONLY) : -1;
    if (how == 3) assert_int_equal(pwrite(descriptor, "x", 1, lseek(descriptor, 0, SEEK_END)), 1);
    if (how == 4) assert_int_equal(pwrite(descriptor, "garbage", 7, 60), 7);
    if (how == 5) assert_int_equal(pwrite(descriptor, "xxxxxxxxxx", 10, 90), 10);
    if (descriptor >= 0) assert_int_equal(close(descriptor), 0);
    assert_fails(GANNET_ERR_DAMAGED, said[how], gannet_journal_sync(journal));
    assert_fails(GANNET_ERR_DAMAGED, said[how], gannet_journal_append(journal, "third", NULL));
    gannet_journal_destroy(&journal);
    (void)unlink(path);
  }
}

/* Its number was given to another process. */
static void a_number_that_is_in_use_again_is_not_the_holder(void **state) {
  (void)state;
  const char *path = in_folder("again.lock");
  char text[GANNET_PROCESS_TEXT];
  gannet_lock_holder holder;
  gannet_process other = gannet_process_self();
  for (int turn = 0; turn < 2; ++turn) {
    other.started -= (uint64_t)turn;
    const int length = gannet_process_format(&other, text);
    put_bytes(path, text, (size_t)length);
    gannet_lock_look(path, &holder);
    assert_true(holder.pid == getpid() && holder.is_here);
    assert_int_equal(holder.is_alive, turn == 0);
  }
  /* As older versions wrote it: this test is not called gannet. */
  const int length = snprintf(text, sizeof text, "%ld %s\n", (long)getpid(), other.host);
  put_bytes(path, text, (size_t)length);
  gannet_lock_look(path, &holder);
  assert_true(holder.pid == getpid() && !holder.is_alive);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_second_owner_is_told_who_the_first_is),
      cmocka_unit_test(a_lock_file_that_was_removed_is_made_again),
      cmocka_unit_test(who_lost_the_lock_leaves_the_journal_alone),
      cmocka_unit_test(the_lock_dies_with_its_owner),
      cmocka_unit_test(a_look_that_fails_changes_nothing),
      cmocka_unit_test(a_journal_that_was_touched_is_noticed),
      cmocka_unit_test(a_number_that_is_in_use_again_is_not_the_holder),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
