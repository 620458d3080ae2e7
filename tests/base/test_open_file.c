/* test: serial labels unit */
#include "support/folder.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/file.h"

static const char victim[] = "victim";

/* Whatever may be found in the place of a file. */
static const struct {
  const char *name, *kind;
} odd[] = {{"fifo", "a FIFO"},
           {"folder", "a directory"},
           {"socket", "a socket"},
           {"zero", "a character device"},
           {"full", "a character device"},
           {"loop", "leads back to itself"},
           {"to-folder", "a directory"},
           {"to-fifo", "a FIFO"}};
enum { N_ODD = sizeof odd / sizeof *odd };

static int make_odd(void **state) {
  if (make_folder(state)) return -1;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", in_folder("socket"));
  const int endpoint = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int failed =
      endpoint < 0 || bind(endpoint, (struct sockaddr *)&address, sizeof address) ||
      close(endpoint) || mkfifo(in_folder("fifo"), 0666) || mkdir(in_folder("folder"), 0777) ||
      symlink("/dev/zero", in_folder("zero")) || symlink("/dev/full", in_folder("full")) ||
      symlink("loop", in_folder("loop")) || symlink("folder", in_folder("to-folder")) ||
      symlink("fifo", in_folder("to-fifo")) || symlink(victim, in_folder("to-victim"));
  put_bytes(in_folder(victim), "precious", 8);
  return failed ? -1 : 0;
}

static void reading_says_what_is_no_file_and_does_not_wait(void **state) {
  (void)state;
  char *bytes = NULL, tail[20];
  FILE *stream = NULL;
  int descriptor = 0;
  for (int i = 0; i < N_ODD; ++i) {
    const char *path = in_folder(odd[i].name);
    assert_fails(GANNET_ERR_INPUT, odd[i].kind, gannet_file_read(path, &bytes, NULL));
    assert_true(errno == EINVAL || errno == EISDIR || errno == ELOOP);
    assert_null(bytes);
    assert_fails(GANNET_ERR_INPUT, path, gannet_file_read_end(path, sizeof tail, tail, NULL));
    assert_string_equal(tail, "");
    assert_fails(GANNET_ERR_DAMAGED, odd[i].kind,
                 gannet_file_stream(path, GANNET_ERR_DAMAGED, &stream));
    assert_null(stream);
    assert_fails(GANNET_ERR_DAMAGED, "expected a regular file",
                 gannet_file_open(path, O_RDONLY, GANNET_ERR_DAMAGED, &descriptor));
    assert_int_equal(descriptor, -1);
  }
}

static void writing_refuses_links_too(void **state) {
  (void)state;
  const int flags[] = {O_WRONLY | O_APPEND, O_WRONLY | O_APPEND | O_CREAT, O_RDWR | O_CREAT};
  int descriptor = 0;
  for (size_t f = 0; f < sizeof flags / sizeof *flags; ++f) {
    for (int i = 0; i < N_ODD; ++i)
      assert_fails(
          GANNET_ERR_DAMAGED, in_folder(odd[i].name),
          gannet_file_open(in_folder(odd[i].name), flags[f], GANNET_ERR_DAMAGED, &descriptor));
    assert_fails(
        GANNET_ERR_DAMAGED, "remove the link",
        gannet_file_open(in_folder("to-victim"), flags[f], GANNET_ERR_DAMAGED, &descriptor));
    assert_int_equal(descriptor, -1);
  }
}

static void a_users_own_link_is_read(void **state) {
  (void)state;
  char *bytes = NULL, tail[5];
  size_t size = 0;
  assert_ok(gannet_file_read(in_folder("to-victim"), &bytes, &size));
  assert_int_equal(size, 8);
  assert_string_equal(bytes, "precious");
  gannet_free(&bytes);
  assert_ok(gannet_file_read_end(in_folder("to-victim"), sizeof tail, tail, &size));
  assert_int_equal(size, 4);
  assert_string_equal(tail, "ious");
}

/* bash makes /dev/fd/63 of <(command). */
static void what_the_shell_hands_over_may_be_a_pipe(void **state) {
  (void)state;
  int end[2];
  char path[40], *bytes = NULL;
  assert_int_equal(pipe(end), 0);
  assert_int_equal(write(end[1], "x: 1", 4), 4);
  assert_int_equal(close(end[1]), 0);
  (void)snprintf(path, sizeof path, "/dev/fd/%d", end[0]);
  assert_ok(gannet_file_read(path, &bytes, NULL));
  assert_string_equal(bytes, "x: 1");
  gannet_free(&bytes);
  assert_int_equal(close(end[0]), 0);
}

/* A hole takes no space on the disk, but would fill the memory. */
static void sizes_have_limits(void **state) {
  (void)state;
  char *bytes = NULL;
  put_bytes(in_folder("huge"), "", 0);
  assert_int_equal(truncate(in_folder("huge"), (off_t)1 << 40), 0);
  assert_fails(GANNET_ERR_INPUT, "more than 68719476736 bytes",
               gannet_file_read(in_folder("huge"), &bytes, NULL));
  assert_null(bytes);
  put_bytes(in_folder("six"), "123456", 6);
  assert_ok(gannet_file_read_within(in_folder("six"), 6, GANNET_ERR_DAMAGED, &bytes, NULL));
  gannet_free(&bytes);
  assert_fails(GANNET_ERR_DAMAGED, "more than 5 bytes",
               gannet_file_read_within(in_folder("six"), 5, GANNET_ERR_DAMAGED, &bytes, NULL));
  /* Its size is said to be 0. */
  assert_fails(GANNET_ERR_DAMAGED, "more than 5 bytes",
               gannet_file_read_within("/proc/self/status", 5, GANNET_ERR_DAMAGED, &bytes, NULL));
}

static void a_new_file_takes_the_place_of_whatever_is_left(void **state) {
  (void)state;
  char *bytes = NULL;
  int descriptor = -1;
  assert_int_equal(symlink(victim, in_folder("a.new")), 0);
  assert_int_equal(mkfifo(in_folder("b.new"), 0666), 0);
  assert_ok(gannet_file_replace(in_folder("a"), "a", 1));
  assert_ok(gannet_file_put(in_folder("b"), "b", 1));
  assert_ok(gannet_file_read(in_folder(victim), &bytes, NULL));
  assert_string_equal(bytes, "precious");
  gannet_free(&bytes);
  assert_ok(gannet_file_create(in_folder("a"), 0600, &descriptor));
  assert_int_equal(close(descriptor), 0);
  assert_int_equal(mkdir(in_folder("c.new"), 0777), 0);
  assert_fails(GANNET_ERR_IO, "c.new", gannet_file_replace(in_folder("c"), "c", 1));
  assert_int_equal(mkfifo(in_folder(".room"), 0666), 0);
  assert_true(gannet_directory_has_room(folder));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reading_says_what_is_no_file_and_does_not_wait),
      cmocka_unit_test(writing_refuses_links_too),
      cmocka_unit_test(a_users_own_link_is_read),
      cmocka_unit_test(what_the_shell_hands_over_may_be_a_pipe),
      cmocka_unit_test(sizes_have_limits),
      cmocka_unit_test(a_new_file_takes_the_place_of_whatever_is_left),
  };
  return cmocka_run_group_tests(tests, make_odd, remove_folder);
}
