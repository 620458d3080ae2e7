/* test: serial labels unit */
#include "store/journals.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "store/lock.h"

/* The file grows by single bytes, as a reader on another host may see it. */
static void a_follower_gets_every_record_once_and_in_order(void **state) {
  (void)state;
  const char *path = in_folder("followed");
  gannet_journal_position position = {0};
  bool replaced = true;
  size_t size;
  char *bytes = write_small(path, &size);
  found f = {0};
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  for (size_t length = 0; length <= size; ++length) {
    assert_ok(gannet_journal_follow(path, 3, &position, &replaced, collect, &f));
    assert_false(replaced);
    expect_first(&f, whole_records(bytes, length));
    if (length < size) (void)fputc(bytes[length], file);
    assert_int_equal(fflush(file), 0);
  }
  (void)fclose(file);
  assert_int_equal(position.bytes, size);
  put_bytes(path, bytes, size - 3); /* what was visited is gone again */
  assert_ok(gannet_journal_follow(path, 3, &position, &replaced, collect, &f));
  assert_true(replaced);
  position = (gannet_journal_position){0};
  f = (found){0};
  assert_ok(gannet_journal_follow(path, 3, &position, &replaced, collect, &f));
  expect_first(&f, RECORDS - 1);
  const char *other = in_folder("followed.new"); /* another file of the same name */
  put_bytes(other, bytes, size);
  assert_ok(gannet_file_rename(other, path));
  assert_ok(gannet_journal_follow(path, 3, &position, &replaced, collect, &f));
  assert_true(replaced);
  gannet_free(&bytes);
}

static void a_follower_is_told_of_damage_and_loses_no_place(void **state) {
  (void)state;
  const char *path = in_folder("followed badly");
  gannet_journal_position position = {0}, before;
  bool replaced;
  size_t size;
  char *bytes = write_small(path, &size);
  found f = {0};
  size_t half = size;
  while (whole_records(bytes, half) > 2 || bytes[half - 1] != '\n') --half;
  put_bytes(path, bytes, half);
  assert_ok(gannet_journal_follow(path, 3, &position, &replaced, collect, &f));
  before = position;
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  bytes[half + 20] ^= 1;
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  (void)fclose(file);
  assert_fails(GANNET_ERR_DAMAGED, "line 4 of",
               gannet_journal_follow(path, 3, &position, &replaced, collect, &f));
  expect_first(&f, 2);
  assert_memory_equal(&position, &before, sizeof position);
  bytes[half + 20] ^= 1;
  file = fopen(path, "r+b");
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  (void)fclose(file);
  assert_ok(gannet_journal_follow(path, 3, &position, &replaced, collect, &f));
  expect_first(&f, RECORDS);
  assert_fails(GANNET_ERR_MISSING, "nowhere",
               gannet_journal_follow(in_folder("nowhere"), 3, &position, &replaced, collect, &f));
  gannet_free(&bytes);
}

static void a_look_at_a_lock_disturbs_nobody(void **state) {
  (void)state;
  const char *path = in_folder("seen.lock");
  gannet_lock lock, second;
  gannet_lock_holder holder;
  gannet_lock_look(path, &holder);
  assert_int_equal(holder.pid, 0);
  assert_int_equal(access(path, F_OK), -1);
  assert_ok(gannet_lock_acquire(path, &lock));
  gannet_lock_look(path, &holder);
  assert_int_equal(holder.pid, getpid());
  assert_true(holder.is_here && holder.is_alive);
  assert_true(fabs(holder.since - (double)time(NULL)) < 60);
  assert_fails(GANNET_ERR_BUSY, "process", gannet_lock_acquire(path, &second));
  gannet_lock_release(path, &lock);
  gannet_lock_look(path, &holder);
  assert_int_equal(holder.pid, 0);
  put_bytes(path, "42 elsewhere.example\n", 21);
  gannet_lock_look(path, &holder);
  assert_true(holder.pid == 42 && !holder.is_here && holder.is_alive);
  put_bytes(path, "nonsense\n", 9);
  gannet_lock_look(path, &holder);
  assert_int_equal(holder.pid, 0);
}

/* kill says that a process is there that has ended and that nobody waited for. */
static void a_holder_that_nobody_waited_for_is_dead(void **state) {
  (void)state;
  const char *path = in_folder("zombie.lock");
  gannet_lock_holder holder;
  char host[256] = "unknown", text[300];
  siginfo_t ended;
  (void)gethostname(host, sizeof host - 1);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  assert_true(child > 0);
  put_bytes(path, text, (size_t)snprintf(text, sizeof text, "%ld %s\n", (long)child, host));
  assert_int_equal(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT), 0);
  assert_int_equal(kill(child, 0), 0);
  gannet_lock_look(path, &holder);
  assert_int_equal(holder.pid, child);
  assert_false(holder.is_alive);
  assert_int_equal(waitpid(child, NULL, 0), child);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_follower_gets_every_record_once_and_in_order),
      cmocka_unit_test(a_follower_is_told_of_damage_and_loses_no_place),
      cmocka_unit_test(a_look_at_a_lock_disturbs_nobody),
      cmocka_unit_test(a_holder_that_nobody_waited_for_is_dead),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
