/* test: serial labels unit */
#include "base/memory.h"
#include "campaign/example.h"
#include "support/harness.h"

/* Whatever the bytes are: an input or complaints, never neither. */
static void survives(const char *text, size_t size) {
  gannet_campaign_input *input = NULL;
  gannet_complaints complaints = {0};
  const gannet_err err = parse_sized(text, size, 0, NULL, &input, &complaints);
  assert_true(err == GANNET_OK || err == GANNET_ERR_INPUT);
  assert_true((err == GANNET_OK) == (complaints.count == 0));
  assert_true((err == GANNET_OK) == (input != NULL));
  gannet_campaign_destroy(&input);
  gannet_complaints_release(&complaints);
}

static void truncated_and_damaged_files_are_survived(void **unused) {
  static const unsigned char flips[] = {0x01, 0x20, 0x80, '\t' ^ ' ', '{' ^ '\n', 0xff};
  const size_t size = strlen(example);
  char copy[sizeof example];
  (void)unused;
  for (size_t n = 0; n <= size; ++n) survives(example, n);
  for (size_t i = 0; i < size; ++i) {
    memcpy(copy, example, sizeof example);
    copy[i] = (char)(copy[i] ^ flips[i % sizeof flips]);
    survives(copy, size);
    copy[i] = "{}[]&*!|>'\"%@`:,?-#"[i % 19];
    survives(copy, size);
    memmove(copy + i, copy + i + 1, size - i);
    survives(copy, size - 1);
  }
}

/* Repetitions of a unit up to the longest file: an answer comes soon and is short. */
static void long_nonsense_is_answered_briefly(void **unused) {
  static const char *const units[] = {"k%06d: 1\n", "a: &x [*x] # %d\n", "[",         "{a: [",
                                      "- a\n",      "x: {y: 1} # %d\n",  "x%d: {}\n", "'",
                                      "? "};
  const size_t longest = GANNET_CAMPAIGN_LONGEST;
  char *text = NULL;
  (void)unused;
  assert_ok(gannet_alloc(longest + 64, 1, &text));
  for (size_t u = 0; u < sizeof units / sizeof *units; ++u) {
    gannet_campaign_input *input = NULL;
    gannet_complaints complaints = {0};
    size_t used = 0;
    for (int i = 0; used + 32 < longest; ++i)
      used += (size_t)snprintf(text + used, 32, units[u], i);
    assert_int_equal(parse_sized(text, used, 0, NULL, &input, &complaints), GANNET_ERR_INPUT);
    assert_in_range(complaints.count, 1, 50);
    gannet_complaints_release(&complaints);
  }
  gannet_free(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(truncated_and_damaged_files_are_survived),
      cmocka_unit_test(long_nonsense_is_answered_briefly),
  };
  return run_serial(tests);
}
