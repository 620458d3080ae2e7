/* test: serial labels unit */
#include <locale.h>
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "base/option.h"

static const struct {
  const char *text;
  double value;
} numbers[] = {
    {"0", 0},
    {"-1.5", -1.5},
    {"+2.", 2},
    {".5", 0.5},
    {"1e-5", 1e-5},
    {"1E5", 1e5},
    {"1d-5", 1e-5},
    {"1.0D+05", 1e5},
    {"1.5q3", 1.5e3},
    {"1.5Q-3", 1.5e-3},
    {"1.5-103", 1.5e-103},
    {"-1.5+103", -1.5e103},
    {"  1.5D+00\r", 1.5},
    {"0.1", 0.1},
    {"1e-400", 0},
};

static const char *const none[] = {"",
                                   " ",
                                   "x",
                                   "1x",
                                   "nan",
                                   "inf",
                                   "-Infinity",
                                   "0x10",
                                   "0x1p3",
                                   "1e",
                                   "1d",
                                   "1.5-3",
                                   "1.5-1034",
                                   "1 2",
                                   "1,000",
                                   "3,14",
                                   "1_000",
                                   "1'000",
                                   "5%",
                                   "--1",
                                   "1e400",
                                   "1d400",
                                   "+",
                                   ".",
                                   "1e5e5",
                                   "1.5D+0x",
                                   ("\xe2\x88\x92"
                                    "1")};

static void fortrans_numbers_are_numbers(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    double value = NAN;
    if (gannet_parse_number(numbers[i].text, &value)) fail_msg("'%s'", numbers[i].text);
    if (value != numbers[i].value) fail_msg("'%s' is %.17g", numbers[i].text, value);
  }
  for (size_t i = 0; i < sizeof none / sizeof *none; ++i) {
    double value = NAN;
    if (!gannet_parse_number(none[i], &value)) fail_msg("'%s' is %g", none[i], value);
  }
}

/* As a program prints it that knows no exponents. */
static void numbers_may_have_all_their_digits(void **state) {
  (void)state;
  char text[600];
  double value = NAN;
  memset(text, '0', sizeof text);
  text[0] = '1';
  text[309] = '\0';
  assert_int_equal(gannet_parse_number(text, &value), 0);
  assert_true(value == 1e308);
  text[309] = '0';
  text[599] = '\0';
  assert_int_equal(gannet_parse_number(text, &value), -1);
}

/* A host program in Python or Fortran may have set any. */
static void the_locale_does_not_matter(void **state) {
  static const char *const with_comma[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8"};
  bool found = false;
  for (size_t i = 0; i < 3 && !found; ++i) found = setlocale(LC_ALL, with_comma[i]) != NULL;
  fortrans_numbers_are_numbers(state);
  (void)setlocale(LC_ALL, "C");
}

static void units_are_no_exponents(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double seconds;
  } durations[] = {{"1d", 86400},      {"1d12h", 129600},
                   {"1.5D+02", 150},   {"1.5d-1", 0.15},
                   {"1e2s", 100},      {"10m", 600},
                   {"1d 2h", 93600},   {"1.0D+01m", 600},
                   {"5 minutes", 300}, {"1 minute 2 seconds", 62},
                   {"1 second", 1}};
  static const char *const wrong[] = {"0x10", "1d5", "1,5h", "inf", "nan"};
  double seconds = NAN;
  int64_t bytes = 0;
  for (size_t i = 0; i < sizeof durations / sizeof *durations; ++i) {
    if (gannet_parse_duration(durations[i].text, &seconds)) fail_msg("%s", durations[i].text);
    assert_float_equal(seconds, durations[i].seconds, 1e-9);
  }
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    if (!gannet_parse_duration(wrong[i], &seconds)) fail_msg("'%s' is %g", wrong[i], seconds);
  assert_int_equal(gannet_parse_size("1.5D+3KB", &bytes), 0);
  assert_int_equal(bytes, 1500000);
  assert_int_equal(gannet_parse_size("0x10", &bytes), -1);
}

static void what_is_wrong_is_said(void **state) {
  (void)state;
  assert_non_null(strstr(gannet_number_hint("1,000"), "decimal point"));
  assert_non_null(strstr(gannet_number_hint("1_000"), "between thousands"));
  assert_non_null(strstr(gannet_number_hint("0x1F"), "decimal"));
  assert_non_null(strstr(gannet_number_hint("5%"), "0.05"));
  assert_non_null(strstr(gannet_number_hint("\xe2\x88\x92"
                                            "5"),
                         "minus sign"));
  assert_string_equal(gannet_number_hint("many"), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fortrans_numbers_are_numbers),
      cmocka_unit_test(numbers_may_have_all_their_digits),
      cmocka_unit_test(the_locale_does_not_matter),
      cmocka_unit_test(units_are_no_exponents),
      cmocka_unit_test(what_is_wrong_is_said),
  };
  return run_serial(tests);
}
