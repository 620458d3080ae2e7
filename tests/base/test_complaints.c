/* test: serial labels unit */
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_complaint_is_told_once),
  };
  return run_serial(tests);
}
