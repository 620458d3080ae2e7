/* test: serial labels unit */
#include "support/folder.h"

#include <fcntl.h>

#include "base/hash.h"

static void expect_content(const char *path, const char *expected) {
  char *bytes = NULL;
  size_t size = 0;
  assert_ok(gannet_file_read(path, &bytes, &size));
  assert_int_equal(size, strlen(expected));
  assert_string_equal(bytes, expected);
  gannet_free(&bytes);
}

static void a_file_is_replaced_whole(void **state) {
  (void)state;
  const char *path = in_folder("whole");
  assert_ok(gannet_file_replace(path, "first, longer", 13));
  expect_content(path, "first, longer");
  assert_ok(gannet_file_replace(path, "second", 6));
  expect_content(path, "second");
  assert_ok(gannet_file_replace(path, "", 0));
  expect_content(path, "");
  assert_false(exists(in_folder("whole.new")));
}

static void bytes_are_read_from_a_place_up_to_the_end(void **state) {
  (void)state;
  const char *path = in_folder("read");
  char bytes[8] = "-------";
  size_t got = 99;
  assert_ok(gannet_file_replace(path, "0123456789", 10));
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  assert_true(descriptor >= 0);
  assert_ok(gannet_read_at(descriptor, 3, bytes, 4, path, &got));
  assert_int_equal(got, 4);
  assert_string_equal(bytes, "3456---");
  assert_ok(gannet_read_at(descriptor, 8, bytes, 4, path, &got));
  assert_int_equal(got, 2);
  assert_string_equal(bytes, "8956---");
  assert_ok(gannet_read_at(descriptor, 10, bytes, 4, path, &got));
  assert_int_equal(got, 0);
  assert_int_equal(close(descriptor), 0);
  assert_fails(GANNET_ERR_IO, path, gannet_read_at(descriptor, 0, bytes, 4, path, &got));
}

static void a_full_disk_keeps_the_old_file(void **state) {
  (void)state;
  const char *path = in_folder("kept");
  static char large[5000];
  assert_ok(gannet_file_replace(path, "old", 3));
  for (rlim_t limit = 0; limit < sizeof large; limit += 4999) {
    limit_files(limit);
    const gannet_err err = gannet_file_replace(path, large, sizeof large);
    limit_files(RLIM_INFINITY);
    assert_int_equal(err, GANNET_ERR_NO_SPACE);
    assert_non_null(strstr(gannet_error_message(), path));
    expect_content(path, "old");
    assert_false(exists(in_folder("kept.new")));
  }
}

static void missing_places_are_named(void **state) {
  (void)state;
  char *bytes;
  char longest[2 * PATH_MAX];
  memset(longest, 'p', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  assert_fails(GANNET_ERR_MISSING, "no/such", gannet_file_replace(in_folder("no/such"), "x", 1));
  assert_fails(GANNET_ERR_MISSING, "absent", gannet_file_read(in_folder("absent"), &bytes, NULL));
  assert_null(bytes);
  assert_fails(GANNET_ERR_MISSING, "absent",
               gannet_file_rename(in_folder("absent"), in_folder("other")));
  assert_fails(GANNET_ERR_ARG, "path too long", gannet_file_replace(longest, "x", 1));
  assert_fails(GANNET_ERR_ARG, "path too long", gannet_make_directory(longest));
  assert_fails(GANNET_ERR_INPUT, "is a directory", gannet_file_read(folder, &bytes, NULL));
  assert_null(bytes);
}

/* What cannot be renamed into place must not stay behind under its temporary name. */
static void a_directory_is_not_replaced_by_a_file(void **state) {
  (void)state;
  const char *path = in_folder("directory");
  assert_ok(gannet_make_directory(path));
  assert_fails(GANNET_ERR_IO, "directory': there is a directory of that name; move it away",
               gannet_file_replace(path, "x", 1));
  assert_false(exists(in_folder("directory.new")));
}

static void directories_are_made_with_their_parents(void **state) {
  (void)state;
  const char *deep = in_folder("a/b/c");
  assert_ok(gannet_make_directory(deep));
  assert_ok(gannet_make_directory(deep));
  assert_true(exists(deep));
  put_bytes(in_folder("file"), "x", 1);
  assert_fails(GANNET_ERR_EXISTS, "not a directory", gannet_make_directory(in_folder("file")));
  assert_int_not_equal(gannet_make_directory(in_folder("file/below")), GANNET_OK);
}

static void links_that_lead_nowhere_are_told(void **state) {
  (void)state;
  char link[512], target[64];
  (void)snprintf(link, sizeof link, "%s", in_folder("link"));
  assert_int_equal(symlink("purged/scratch", link), 0);
  assert_true(gannet_link_leads_nowhere(link, target, sizeof target));
  assert_string_equal(target, "purged/scratch");
  static const char told[] = "is a symbolic link to 'purged/scratch', which does not exist; make";
  assert_fails(GANNET_ERR_MISSING, told, gannet_make_directory(link));
  assert_fails(GANNET_ERR_MISSING, told, gannet_make_directory(in_folder("link/below")));
  assert_ok(gannet_make_directory(in_folder("purged/scratch")));
  assert_ok(gannet_make_directory(in_folder("link/below")));
  assert_true(exists(in_folder("purged/scratch/below")));
  assert_false(gannet_link_leads_nowhere(link, target, sizeof target));
  assert_false(gannet_link_leads_nowhere(in_folder("missing"), target, sizeof target));
}

static void paths_are_joined_when_they_fit(void **state) {
  (void)state;
  char path[8];
  assert_ok(gannet_join_path("abc", "def", path, sizeof path));
  assert_string_equal(path, "abc/def");
  assert_fails(GANNET_ERR_ARG, "path too long", gannet_join_path("abc", "defg", path, sizeof path));
}

static void a_directory_says_whether_it_has_room(void **state) {
  (void)state;
  assert_true(gannet_directory_has_room(folder));
  assert_false(exists(in_folder(".room")));
  assert_true(gannet_directory_has_room(in_folder("missing"))); /* nobody can tell */
}

/* XXH3 of nothing with seed 0: xxHash's own test vectors. */
static void hashes_are_xxh3(void **state) {
  (void)state;
  static char bytes[200001];
  uint64_t hash = 0;
  int64_t size = 0;
  assert_true(gannet_hash(NULL, 0) == UINT64_C(0x2d06800538d394c2));
  for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = (char)(i * i >> 3);
  put_bytes(in_folder("hashed"), bytes, sizeof bytes);
  const int descriptor = open(in_folder("hashed"), O_RDONLY);
  assert_int_equal(gannet_hash_file(descriptor, 512, &hash, &size), 0);
  assert_int_equal(size, sizeof bytes - 512);
  assert_true(hash == gannet_hash(bytes + 512, sizeof bytes - 512));
  assert_int_equal(gannet_hash_file(descriptor, 300000, &hash, &size), 0);
  assert_int_equal(size, 0);
  assert_int_equal(close(descriptor), 0);
  assert_int_equal(gannet_hash_file(-1, 0, &hash, &size), -1);
}

static void a_path_is_cut_at_its_last_slash(void **state) {
  (void)state;
  static const char *const cases[][3] = {{"a/b", "a", "b"},
                                         {"/b", "/", "b"},
                                         {"b", ".", "b"},
                                         {"/a/b/c.x", "/a/b", "c.x"},
                                         {"../a.d/b", "../a.d", "b"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char directory[16];
    gannet_directory_of(cases[i][0], directory, sizeof directory);
    assert_string_equal(directory, cases[i][1]);
    assert_string_equal(gannet_file_name_of(cases[i][0]), cases[i][2]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_is_replaced_whole),
      cmocka_unit_test(bytes_are_read_from_a_place_up_to_the_end),
      cmocka_unit_test(a_full_disk_keeps_the_old_file),
      cmocka_unit_test(missing_places_are_named),
      cmocka_unit_test(a_directory_is_not_replaced_by_a_file),
      cmocka_unit_test(directories_are_made_with_their_parents),
      cmocka_unit_test(links_that_lead_nowhere_are_told),
      cmocka_unit_test(paths_are_joined_when_they_fit),
      cmocka_unit_test(a_path_is_cut_at_its_last_slash),
      cmocka_unit_test(a_directory_says_whether_it_has_room),
      cmocka_unit_test(hashes_are_xxh3),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
