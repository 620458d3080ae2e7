/* test: serial labels unit */
#include <string.h>

#include "support/harness.h"

#include "base/complaints.h"

static void the_same_complaint_is_told_once(void **state) {
  (void)state;
  gannet_complaints complaints = {0};
  assert_ok(gannet_complaints_raise(&complaints));
  gannet_complain(&complaints, NULL, "refit: expected 0 to 10");
  gannet_complain(&complaints, "file:3", "refit: expected 0 to 10");
  gannet_complain(&complaints, NULL, "refit: expected 0 to 1");
  gannet_complain(&complaints, NULL, "refit: expected 0 to %d", 10);
  assert_string_equal(complaints.text,
                      "refit: expected 0 to 10\n"
                      "file:3: refit: expected 0 to 10\n"
                      "refit: expected 0 to 1\n");
  assert_int_equal(complaints.count, 4);
  assert_int_equal(complaints.told, 3);
  assert_int_equal(gannet_complaints_raise(&complaints), GANNET_ERR_INPUT);
  gannet_complaints_release(&complaints);
}

/* Only budget.wall_time is known to be in line 7; of save nothing is to be told. */
static bool locate(const void *user, const char *key, const char **location) {
  if (strcmp(key, "budget.wall_time") == 0) *location = user;
  return strcmp(key, "save") != 0;
}

static void a_key_gets_its_location(void **state) {
  (void)state;
  gannet_complaints found = {0}, complaints = {0};
  gannet_complain(&found, "budget.wall_time", "'2: 3' is not a time");
  gannet_complain(&found, "save", "too often");
  gannet_complain(&found, NULL, "budget.wall_time: without a key");
  gannet_complaints_pass(&found, locate, "a.yaml:7:3", &complaints);
  assert_string_equal(complaints.text,
                      "a.yaml:7:3: budget.wall_time: '2: 3' is not a time\n"
                      "budget.wall_time: without a key\n");
  assert_int_equal(complaints.count, 2);
  gannet_complaints_release(&found);
  gannet_complaints_release(&complaints);
}

static void a_complaint_carries_its_key(void **state) {
  (void)state;
  gannet_complaints found = {0}, complaints = {0};
  gannet_complain(&complaints, "a.yaml:1:1", "a list is not valid");
  gannet_complain_of_key(&complaints, "a.yaml:7:3", "budget", "wall_time", "'%s' is not a time",
                         "2:");
  gannet_complain_of_key(&complaints, NULL, NULL, "seed", "'%d' is not valid", -1);
  assert_string_equal(complaints.text,
                      "a.yaml:1:1: a list is not valid\n"
                      "a.yaml:7:3: budget.wall_time: '2:' is not a time\n"
                      "seed: '-1' is not valid\n");
  assert_true(gannet_complaints_name_key(&complaints, 3, "budget.wall_time"));
  assert_true(gannet_complaints_name_key(&complaints, 3, "seed"));
  assert_false(gannet_complaints_name_key(&complaints, 2, "seed"));
  assert_false(gannet_complaints_name_key(&complaints, 3, "budget"));
  assert_false(gannet_complaints_name_key(&complaints, 3, "a list is not valid"));
  gannet_complaints_merge(&complaints, &found);
  gannet_complaints_merge(&complaints, &found);
  assert_string_equal(found.text, complaints.text);
  assert_true(gannet_complaints_name_key(&found, 3, "budget.wall_time"));
  gannet_complaints_release(&found);
  gannet_complaints_release(&complaints);
}

static void complaints_are_printed_in_the_order_of_the_file(void **state) {
  gannet_complaints complaints = {0};
  char *text = NULL;
  size_t size = 0;
  (void)state;
  gannet_complain(&complaints, "a:b.yaml:12:1", "third");
  gannet_complain(&complaints, "a:b.yaml:2:11", "second");
  gannet_complain(&complaints, "a:b.yaml:2:9", "first: 1:2: 3");
  gannet_complain(&complaints, "--set", "no place: 3:4");
  gannet_complain(&complaints, "a:b.yaml:2:9", "after it");
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  gannet_complaints_print(&complaints, out);
  assert_int_equal(fclose(out), 0);
  assert_string_equal(text,
                      "--set: no place: 3:4\n"
                      "a:b.yaml:2:9: first: 1:2: 3\n"
                      "a:b.yaml:2:9: after it\n"
                      "a:b.yaml:2:11: second\n"
                      "a:b.yaml:12:1: third\n");
  free(text);
  gannet_complaints_release(&complaints);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_complaint_is_told_once),
      cmocka_unit_test(a_key_gets_its_location),
      cmocka_unit_test(a_complaint_carries_its_key),
      cmocka_unit_test(complaints_are_printed_in_the_order_of_the_file),
  };
  return run_serial(tests);
}
