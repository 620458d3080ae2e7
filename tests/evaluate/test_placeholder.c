/* test: serial labels unit */
#include <string.h>

#include "support/harness.h"

#include "base/memory.h"
#include "evaluate/contract/placeholder.h"

#define TEXT(literal) ((char *)(uintptr_t)(literal))

#define REAL GANNET_FIELD_REAL
#define WHOLE GANNET_FIELD_WHOLE
#define TRUTH GANNET_FIELD_TRUTH
#define WORD GANNET_FIELD_TEXT_KIND
#define TEST(name) cmocka_unit_test(name)

/* Those of Python's format(), D apart, which is Fortran's. */
static const struct {
  const char *format;
  gannet_field_kind kind;
  double number;
  const char *text, *expected;
} written[] = {
    {"8.4f", REAL, 1.0 / 3, "0.33333333333333331", "  0.3333"},
    {"<8.3f", REAL, -2.5, "-2.5", "-2.500  "},
    {"^9.3f", REAL, -2.5, "-2.5", " -2.500  "},
    {"+.2f", REAL, 2.5, "2.5", "+2.50"},
    {"08.3f", REAL, -2.5, "-2.5", "-002.500"},
    {".3e", REAL, 12345.678, "12345.678", "1.235e+04"},
    {"12.3E", REAL, 1.5e-103, "1.5e-103", "  1.500E-103"},
    {".4D", REAL, 1e-5, "1.0000000000000001e-05", "1.0000D-05"},
    {".3g", REAL, 1e-5, "1.0000000000000001e-05", "1e-05"},
    {".3", REAL, 1234567, "1234567", "1.23e+06"},
    {"10", REAL, 0.5, "0.5", "       0.5"},
    {"4.1f", REAL, 1234.5, "1234.5", "1234.5"}, /* does not fit */
    {"03d", WHOLE, 7, "7", "007"},
    {"4d", WHOLE, -7, "-7", "  -7"},
    {"05", WHOLE, -7, "-7", "-0007"},
    {"<4", WHOLE, 7, "7", "7   "},
    {".2f", WHOLE, 7, "7", "7.00"},
    {"20d", WHOLE, 18446744073709551615., "18446744073709551615", "18446744073709551615"},
    {"2d", WHOLE, 123, "123", "123"}, /* does not fit */
    {"6", WORD, 0, "cg", "cg    "},
    {">6s", WORD, 0, "cg", "    cg"},
    {"^6", WORD, 0, "cg", "  cg  "},
    {"s", WORD, 0, "cg", "cg"},
    {"6", TRUTH, 1, "true", "true  "},
    {"2d", TRUTH, 1, "true", " 1"},
};

static void values_are_written_as_their_formats_say(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof written / sizeof *written; ++i) {
    gannet_field field;
    gannet_text to = {0};
    bool fits = false;
    const char *format = written[i].format;
    const gannet_field_kind kind = written[i].kind;
    if (!gannet_field_parse(format, strlen(format), &field)) fail_msg("'%s'", format);
    if (gannet_field_refuse(&field, kind)) fail_msg("%s", gannet_field_refuse(&field, kind));
    assert_ok(gannet_field_write(&field, kind, written[i].number, written[i].text, &to, &fits));
    assert_string_equal(to.text, written[i].expected);
    assert_int_equal(fits, field.width == 0 || strlen(to.text) <= (size_t)field.width);
    gannet_free(&to.text);
  }
}

static void columns_are_counted_in_characters(void **state) {
  (void)state;
  gannet_field field;
  gannet_text to = {0};
  bool fits = false;
  assert_true(gannet_field_parse("4", 1, &field));
  assert_ok(gannet_field_write(&field, WORD, 0, "\xc3\xa9\xc3\xa0", &to, &fits));
  assert_string_equal(to.text, "\xc3\xa9\xc3\xa0  ");
  assert_true(fits);
  gannet_free(&to.text);
}

static void what_is_no_format_is_told_apart(void **state) {
  (void)state;
  static const char *const none[] = {"",   " 0.5",  "8.f", "8.4q", "8,4f", "4%",    "x",
                                     "f8", "8.4ff", "=8",  "*>8",  "999f", ".999f", "1e3"};
  static const struct {
    const char *format;
    gannet_field_kind kind;
  } refused[] = {{"d", REAL},    {"03d", REAL}, {"s", REAL},    {".2d", WHOLE}, {".2", WHOLE},
                 {"s", WHOLE},   {"f", WORD},   {".3s", WORD},  {"08", WORD},   {"+8", WORD},
                 {".2f", TRUTH}, {"e", TRUTH},  {"<08f", REAL}, {"0f", REAL}};
  gannet_field field;
  for (size_t i = 0; i < sizeof none / sizeof *none; ++i)
    if (gannet_field_parse(none[i], strlen(none[i]), &field)) fail_msg("'%s'", none[i]);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
    assert_true(gannet_field_parse(refused[i].format, strlen(refused[i].format), &field));
    if (!gannet_field_refuse(&field, refused[i].kind))
      fail_msg("'%s' for %d", refused[i].format, (int)refused[i].kind);
  }
}

/* The placeholders of a text, as "name name:format \name". */
static void found(const char *marks, const char *text, const char *expected) {
  char *item[] = {TEXT(marks)}, list[200] = "";
  const gannet_text_list given = {marks ? 1 : 0, item};
  gannet_placeholder one;
  gannet_delimiters read;
  assert_null(gannet_delimiters_read(&given, &read));
  for (size_t at = 0; gannet_placeholder_next(&read, text, strlen(text), &at, &one);) {
    const size_t used = strlen(list);
    (void)snprintf(list + used, sizeof list - used, "%s%s%s%s%s%s", used ? " " : "",
                   one.is_escaped ? "\\" : "", one.name, one.has_format ? ":" : "", one.format,
                   one.is_field ? "" : "?");
  }
  assert_string_equal(list, expected);
}

static void placeholders_are_found_and_dollars_are_left(void **state) {
  (void)state;
  found(NULL, "{x} ${x} {y:8.4f} $${x} {{x}} ${{x}}", "x y:8.4f x x");
  found(NULL, "\\{x} \\\\{x} \\textbf{x} {x:1.2q} { x } {x-1} {1x} {x", "\\x x x x:1.2q?");
  found(NULL, "{\"x\": {x}} {x\n} {x:\n} {}", "x");
  found("@@", "a@x@b {x} @y:.3e@ user@host @ x@ \\@x@ $@x@ @x@y@", "x y:.3e \\x x x");
  found("<<>>", "<<x>> <x> <<y:>8.3f>> <<y:<8>> ${<<x>>}", "x y:>8.3f y:<8 x");
  found("<>", "<x:>8> <x:<8.2f>", "x:>8 x:<8.2f");
  found("{{}}", "{x} {{x}} {{{x}}} ${{x}}", "x x x");
  found("${ }", "${x} {x}", "x");
  found("[[ ]]", "[[x]] [x]", "x");
  found("%", "%x% 5% %y:5d%", "x y:5d");
}

static void marks_that_cannot_be_told_from_names_are_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {"",   "aa", "@x",   "@@@",
                                      "@ ", "::", "\\\\", "..",
                                      "__", "--", "@\t@", "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"};
  gannet_delimiters marks;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    char *item[] = {TEXT(wrong[i])};
    const gannet_text_list given = {1, item};
    if (!gannet_delimiters_read(&given, &marks)) fail_msg("'%s' is accepted", wrong[i]);
    assert_string_equal(marks.pair[0].opening, "{");
  }
  char *three[] = {TEXT("<"), TEXT(">"), TEXT(">")};
  const gannet_text_list many = {3, three}, two = {2, three};
  assert_non_null(gannet_delimiters_read(&many, &marks));
  assert_null(gannet_delimiters_read(&two, &marks));
  assert_string_equal(marks.pair[0].closing, ">");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(values_are_written_as_their_formats_say),
      TEST(columns_are_counted_in_characters),
      TEST(what_is_no_format_is_told_apart),
      TEST(placeholders_are_found_and_dollars_are_left),
      TEST(marks_that_cannot_be_told_from_names_are_refused),
  };
  return run_serial(tests);
}
