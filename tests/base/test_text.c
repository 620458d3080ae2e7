/* test: serial labels unit */
#include <string.h>

#include "support/harness.h"

#include "base/memory.h"
#include "base/text.h"

static void pieces_of_any_size_follow_each_other(void **state) {
  (void)state;
  enum { PIECES = 40 };
  char piece[PIECES];
  size_t sum = 0;
  gannet_text text = {0};
  memset(piece, 'x', sizeof piece);
  for (size_t size = 0; size < PIECES; ++size) {
    piece[0] = (char)('0' + size);
    assert_ok(gannet_text_add(&text, piece, size));
    if (size > 0) assert_int_equal(text.text[sum], piece[0]);
    sum += size;
    assert_int_equal(text.used, sum);
    assert_int_equal(strlen(text.text), sum);
  }
  gannet_free(&text.text);
}

static void zero_bytes_are_kept(void **state) {
  (void)state;
  gannet_text text = {0};
  assert_ok(gannet_text_add(&text, "a\0b", 3));
  assert_ok(gannet_text_add(&text, NULL, 0));
  assert_int_equal(text.used, 3);
  assert_memory_equal(text.text, "a\0b", 4);
  gannet_free(&text.text);
}

/* Before and behind the points at which the memory of the text grows. */
static void formatted_texts_have_any_length(void **state) {
  (void)state;
  enum { LONGEST = 5000 };
  char expected[LONGEST + 8];
  for (int width = 1; width < LONGEST; width += width < 300 ? 1 : 911) {
    gannet_text text = {0};
    assert_ok(gannet_text_put(&text, "a"));
    assert_ok(gannet_text_print(&text, "%*d;", width, 7));
    assert_ok(gannet_text_put(&text, "b"));
    (void)snprintf(expected, sizeof expected, "a%*d;b", width, 7);
    assert_string_equal(text.text, expected);
    assert_int_equal(text.used, width + 3);
    gannet_free(&text.text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_of_any_size_follow_each_other),
      cmocka_unit_test(zero_bytes_are_kept),
      cmocka_unit_test(formatted_texts_have_any_length),
  };
  return run_serial(tests);
}
