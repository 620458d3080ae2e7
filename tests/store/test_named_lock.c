/* test: serial labels unit */
/* Locks on a file system without flock: one owner at a time, and none for ever. */
#include "store/lock.h"

#include <sys/file.h>

#include "base/process.h"
#include "store/journal.h"
#include "support/folder.h"

/* What flock says here; 0 = the system's own answer is not asked for, and the lock is given. */
static int answer = ENOLCK;

/* In place of the library's. */
__attribute__((visibility("default"))) int flock(int descriptor, int operation) {
  (void)descriptor;
  (void)operation;
  errno = answer;
  return answer ? -1 : 0;
}

static void put_owner(const char *path, const gannet_process *owner) {
  char text[GANNET_PROCESS_TEXT];
  const int length = gannet_process_format(owner, text);
  put_bytes(path, text, (size_t)length);
}

static void a_second_owner_is_kept_out_and_told(void **state) {
  (void)state;
  const int answers[] = {ENOLCK, ENOSYS, EOPNOTSUPP};
  for (size_t i = 0; i < sizeof answers / sizeof *answers; ++i) {
    char me[64];
    const char *path = in_folder("journal");
    gannet_journal *journal, *second;
    gannet_journal_report report;
    answer = answers[i];
    (void)snprintf(me, sizeof me, "process %ld on ", (long)getpid());
    assert_ok(gannet_journal_open(path, 1, GANNET_JOURNAL_CREATE, &report, &journal));
    assert_true(report.unlocked);
    assert_non_null(strstr(report.note, "has no locks"));
    assert_fails(GANNET_ERR_BUSY, me,
                 gannet_journal_open(path, 1, GANNET_JOURNAL_APPEND, NULL, &second));
    gannet_lock_holder holder;
    gannet_lock_look(in_folder("journal.lock"), &holder);
    assert_true(holder.pid == getpid() && holder.is_here && holder.is_alive);
    assert_ok(gannet_journal_append(journal, "one", NULL));
    gannet_journal_destroy(&journal);
    assert_false(exists(in_folder("journal.lock.owner")));
    /* It is said once. */
    assert_ok(gannet_journal_open(path, 1, GANNET_JOURNAL_APPEND, &report, &journal));
    assert_true(report.unlocked);
    assert_string_equal(report.note, "");
    gannet_journal_destroy(&journal);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unlink(in_folder("journal.lock")), 0);
  }
  answer = ENOLCK;
}

static void an_owner_that_has_ended_is_followed(void **state) {
  (void)state;
  const char *path = in_folder("ended"), *owner = in_folder("ended.owner");
  gannet_lock lock;
  const pid_t child = fork();
  if (child == 0) {
    if (gannet_lock_acquire(path, &lock) == GANNET_OK) (void)raise(SIGKILL);
    _exit(1);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
  assert_true(exists(owner));
  assert_ok(gannet_lock_acquire(path, &lock));
  gannet_lock_release(path, &lock);
  /* Its number was given to another process, this one; or the host was started again since. */
  for (int boot = 0; boot < 2; ++boot) {
    gannet_process other = gannet_process_self();
    if (boot)
      (void)snprintf(other.boot, sizeof other.boot, "another-start-of-this-host");
    else
      other.started -= 1;
    put_owner(owner, &other);
    gannet_lock_holder holder;
    gannet_lock_look(path, &holder);
    assert_true(holder.pid == getpid() && holder.is_here && !holder.is_alive);
    assert_ok(gannet_lock_acquire(path, &lock));
    gannet_lock_release(path, &lock);
  }
}

static void of_another_host_nobody_guesses(void **state) {
  (void)state;
  const char *path = in_folder("elsewhere"), *owner = in_folder("elsewhere.owner");
  gannet_process other = gannet_process_self();
  gannet_lock lock;
  (void)snprintf(other.host, sizeof other.host, "node17");
  put_owner(owner, &other);
  assert_fails(GANNET_ERR_BUSY, "on node17", gannet_lock_acquire(path, &lock));
  assert_non_null(strstr(gannet_error_message(), "remove that file"));
  assert_non_null(strstr(gannet_error_message(), owner));
  assert_true(exists(owner));
  /* The same where this client has flock and that of the owner has not, and the reverse. */
  answer = 0;
  assert_fails(GANNET_ERR_BUSY, "on node17", gannet_lock_acquire(path, &lock));
  answer = ENOLCK;
  assert_int_equal(unlink(owner), 0);
  put_owner(path, &other);
  assert_fails(GANNET_ERR_BUSY, "on node17", gannet_lock_acquire(path, &lock));
  put_bytes(path, "", 0);
  put_bytes(owner, "", 0);
  assert_fails(GANNET_ERR_BUSY, "names no process", gannet_lock_acquire(path, &lock));
  assert_int_equal(unlink(owner), 0);
  assert_ok(gannet_lock_acquire(path, &lock));
  gannet_lock_release(path, &lock);
}

/* All find the file of an owner that has ended, and try to follow it at once. */
static void one_of_many_wins(void **state) {
  enum { PROCESSES = 12, TURNS = 20 };
  (void)state;
  const char *path = in_folder("many"), *owner = in_folder("many.owner");
  gannet_process other = gannet_process_self();
  other.started -= 1;
  put_owner(owner, &other);
  for (int i = 0; i < PROCESSES; ++i) {
    if (fork() != 0) continue;
    int done = 0;
    for (int turn = 0; turn < 100000 && done < TURNS; ++turn) {
      gannet_lock lock;
      if (gannet_lock_acquire(path, &lock) != GANNET_OK) {
        (void)usleep(200);
        continue;
      }
      if (mkdir(in_folder("inside"), 0777)) _exit(1); /* somebody else is in */
      if (rmdir(in_folder("inside"))) _exit(2);
      gannet_lock_release(path, &lock);
      ++done;
    }
    _exit(done == TURNS ? 0 : 3);
  }
  for (int i = 0; i < PROCESSES; ++i) {
    int status = 0;
    assert_true(wait(&status) > 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
  }
  assert_false(exists(owner));
}

static void who_lost_the_name_writes_nothing_more(void **state) {
  (void)state;
  const char *path = in_folder("taken");
  gannet_journal *journal;
  gannet_process other = gannet_process_self();
  (void)snprintf(other.host, sizeof other.host, "node17");
  assert_ok(gannet_journal_open(path, 1, GANNET_JOURNAL_CREATE, NULL, &journal));
  assert_ok(gannet_journal_append(journal, "one", NULL));
  assert_int_equal(unlink(in_folder("taken.lock.owner")), 0);
  assert_ok(gannet_journal_append(journal, "two", NULL)); /* made again */
  assert_int_equal(unlink(in_folder("taken.lock.owner")), 0);
  put_owner(in_folder("taken.lock.owner"), &other);
  assert_fails(GANNET_ERR_BUSY, "no longer has the campaign",
               gannet_journal_append(journal, "three", NULL));
  gannet_journal_destroy(&journal);
  assert_true(exists(in_folder("taken.lock.owner"))); /* of the other one */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_second_owner_is_kept_out_and_told),
      cmocka_unit_test(an_owner_that_has_ended_is_followed),
      cmocka_unit_test(of_another_host_nobody_guesses),
      cmocka_unit_test(one_of_many_wins),
      cmocka_unit_test(who_lost_the_name_writes_nothing_more),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
