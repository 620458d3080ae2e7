/* test: serial labels unit */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "support/harness.h"

#include "base/option.h"

typedef struct {
  double noise, margin, wait;
  int layers, activation, width;
  int64_t seed, memory;
  bool verbose;
  char *name, *required;
  gannet_text_list command;
  gannet_real_list lengths;
} settings;

static const char *const activations[] = {"relu", "tanh", "erf", NULL};

#define MEMBER(name, kind) .key = #name, .type = kind, .offset = offsetof(settings, name)

static const gannet_option table[] = {
    {MEMBER(noise, GANNET_REAL), .fallback = "auto", .flags = GANNET_OPTION_AUTO, .lower = 0,
     .upper = HUGE_VAL, .unit = "objective units", .help = "noise"},
    {MEMBER(margin, GANNET_REAL), .fallback = "0.1", .flags = GANNET_OPTION_OPEN_LOW, .lower = 0,
     .upper = 1, .help = "margin"},
    {MEMBER(wait, GANNET_DURATION), .fallback = "10m", .lower = 1, .upper = HUGE_VAL,
     .help = "wait"},
    {MEMBER(layers, GANNET_INTEGER), .fallback = "1", .lower = 1, .upper = 8, .help = "layers"},
    {MEMBER(activation, GANNET_CHOICE), .fallback = "erf", .choices = activations, .help = "a"},
    {MEMBER(width, GANNET_INTEGER), .fallback = "auto", .flags = GANNET_OPTION_AUTO, .lower = 1,
     .upper = 4096, .help = "width"},
    {MEMBER(seed, GANNET_LARGE), .fallback = "1", .help = "seed"},
    {MEMBER(memory, GANNET_SIZE), .fallback = "2GiB", .help = "memory"},
    {MEMBER(verbose, GANNET_BOOLEAN), .fallback = "false", .help = "verbose"},
    {MEMBER(name, GANNET_TEXT), .help = "name"},
    {MEMBER(required, GANNET_TEXT), .flags = GANNET_OPTION_REQUIRED, .help = "what must be given"},
    {MEMBER(command, GANNET_TEXT_LIST), .help = "command"},
    {MEMBER(lengths, GANNET_REAL_LIST), .lower = 0, .upper = 10, .help = "lengths"},
    GANNET_OPTION_RENAMED("depth", "layers"),
    GANNET_OPTION_RENAMED("needed", "required"),
    {0}};

/* Settings from pairs "key", "text", ..., NULL; required is given unless it is among them. */
typedef struct {
  settings values;
  gannet_complaints complaints;
} outcome;

static void apply(outcome *o, int n, const gannet_setting *given) {
  memset(o, 0, sizeof *o);
  assert_ok(gannet_options_apply(table, "surrogate", n, given, &o->values, &o->complaints));
}

static void apply_one(outcome *o, const char *key, const char *text) {
  const gannet_setting given[2] = {{.key = "required", .text = "here"},
                                   {.key = key, .text = text, .location = "in.yaml:3:7"}};
  apply(o, 2, given);
}

static void release(outcome *o) {
  gannet_options_release(table, &o->values, sizeof o->values);
  gannet_complaints_release(&o->complaints);
}

static void accepts(const char *key, const char *text, const char *echo) {
  outcome o;
  char buffer[200];
  apply_one(&o, key, text);
  if (o.complaints.count) fail_msg("%s: %s gave %s", key, text, o.complaints.text);
  const int length =
      gannet_option_format(gannet_option_find(table, key), &o.values, buffer, sizeof buffer);
  assert_string_equal(buffer, echo);
  assert_int_equal(length, strlen(echo));
  release(&o);
}

static void refuses(const char *key, const char *text, const char *part) {
  outcome o;
  apply_one(&o, key, text);
  if (o.complaints.count != 1)
    fail_msg("%s: '%s' gave %d complaints", key, text, o.complaints.count);
  if (!strstr(o.complaints.text, part))
    fail_msg("%s: '%s' gave %s without %s", key, text, o.complaints.text, part);
  assert_int_equal(strncmp(o.complaints.text, "in.yaml:3:7: ", 13), 0);
  release(&o);
}

static void defaults_come_from_the_table(void **state) {
  (void)state;
  outcome o;
  apply_one(&o, "required", "yes");
  assert_int_equal(o.complaints.count, 0);
  assert_true(isnan(o.values.noise));
  assert_true(o.values.margin == 0.1 && o.values.wait == 600);
  assert_int_equal(o.values.layers, 1);
  assert_int_equal(o.values.activation, 2);
  assert_int_equal(o.values.width, GANNET_AUTO);
  assert_true(o.values.seed == 1 && o.values.memory == INT64_C(2147483648));
  assert_false(o.values.verbose);
  assert_null(o.values.name);
  assert_string_equal(o.values.required, "yes");
  assert_int_equal(o.values.command.n + o.values.lengths.n, 0);
  release(&o);
  assert_null(o.values.required);
}

static void every_type_is_read_and_echoed(void **state) {
  (void)state;
  accepts("noise", "1e-3", "0.001");
  accepts("noise", "auto", "auto");
  accepts("noise", "0.30000000000000004", "0.30000000000000004");
  accepts("margin", "1", "1");
  accepts("wait", "1h30m", "5400");
  accepts("wait", "01:30:00", "5400");
  accepts("layers", "8", "8");
  accepts("layers", "2e0", "2");
  accepts("width", "auto", "auto");
  accepts("width", "64", "64");
  accepts("activation", "relu", "relu");
  accepts("seed", "9007199254740993", "9007199254740993"); /* 2^53 + 1 */
  accepts("seed", "1e6", "1000000");
  accepts("seed", "-5", "-5");
  accepts("memory", "64KiB", "65536");
  accepts("verbose", "on", "true");
  accepts("verbose", "True", "true");
  accepts("verbose", "OFF", "false");
  accepts("verbose", "no", "false");
  accepts("name", "two words", "two words");
  accepts("name", "", "");
  accepts("command", "./simulate", "[./simulate]");
  accepts("lengths", "2.5", "[2.5]");
}

static void wrong_values_are_refused_with_what_was_expected(void **state) {
  (void)state;
  refuses("noise", "-1", "number, at least 0, or auto");
  refuses("noise", "abc", "'abc'");
  refuses("noise", "nan", "surrogate.noise: 'nan' is not valid");
  refuses("noise", "inf", "'inf'");
  refuses("noise", "0x10", "'0x10'");
  refuses("noise", "1.5 mm", "'1.5 mm'");
  refuses("noise", "1e999", "'1e999'");
  refuses("noise", "", "''");
  refuses("margin", "0", "above 0, at most 1");
  refuses("margin", "auto", "'auto'");
  refuses("layers", "6.5", "whole number, 1 to 8");
  refuses("layers", "9", "1 to 8");
  refuses("layers", "99999999999999", "1 to 8");
  refuses("width", "-1", "or auto");
  refuses("activation", "tahn", "did you mean 'tanh'?");
  refuses("activation", "zzzz", "one of: relu tanh erf");
  refuses("seed", "1.5", "whole number");
  refuses("seed", "99999999999999999999", "whole number");
  refuses("memory", "2 gigs", "size");
  refuses("memory", "-1", "size");
  refuses("wait", "0.5", "at least 1");
  refuses("wait", "soon", "duration");
  refuses("wait", "inf", "duration");
  refuses("verbose", "maybe", "true or false");
  refuses("lengths", "11", "list of numbers, 0 to 10");
}

static void lists_are_read_whole(void **state) {
  (void)state;
  outcome o;
  char buffer[100];
  const char *const words[] = {"./simulate", "{params}", ""}, *const numbers[] = {"0.5", "2",
                                                                                  "1e-3"};
  const gannet_setting given[] = {{.key = "required", .text = "x"},
                                  {.key = "command", .n_items = 3, .items = words},
                                  {.key = "lengths", .n_items = 3, .items = numbers}};
  apply(&o, 3, given);
  assert_int_equal(o.complaints.count, 0);
  assert_int_equal(o.values.command.n, 3);
  for (int i = 0; i < 3; ++i) assert_string_equal(o.values.command.item[i], words[i]);
  assert_int_equal(o.values.lengths.n, 3);
  assert_true(o.values.lengths.item[0] == 0.5 && o.values.lengths.item[2] == 1e-3);
  (void)gannet_option_format(gannet_option_find(table, "lengths"), &o.values, buffer,
                             sizeof buffer);
  assert_int_equal(strncmp(buffer, "[0.5, 2, 0.001", 14), 0);
  const int needed =
      gannet_option_format(gannet_option_find(table, "command"), &o.values, buffer, 6);
  assert_int_equal(needed, strlen("[./simulate, {params}, ]"));
  assert_string_equal(buffer, "[./si");
  release(&o);
}

static void lists_are_cut_at_commas(void **state) {
  (void)state;
  static const struct {
    const char *text, *items[4];
    int n;
  } cases[] = {
      {"a", {"a"}, 1},     {"a,b", {"a", "b"}, 2},      {"[a, b c , d]", {"a", "b c", "d"}, 3},
      {" [a] ", {"a"}, 1}, {"a,,b", {"a", "", "b"}, 3}, {"a, ,", {"a", "", ""}, 3},
      {"", {""}, 1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    char text[32];
    const char *items[4];
    (void)snprintf(text, sizeof text, "%s", cases[k].text);
    assert_int_equal(gannet_list_cut(text, items), cases[k].n);
    for (int i = 0; i < cases[k].n; ++i) assert_string_equal(items[i], cases[k].items[i]);
  }
}

static void defaults_may_be_lists(void **state) {
  (void)state;
  typedef struct {
    gannet_text_list names;
    gannet_real_list numbers;
  } lists;
  static const gannet_option own[] = {{.key = "names",
                                       .type = GANNET_TEXT_LIST,
                                       .offset = offsetof(lists, names),
                                       .fallback = "a,b"},
                                      {.key = "numbers",
                                       .type = GANNET_REAL_LIST,
                                       .offset = offsetof(lists, numbers),
                                       .fallback = "1,2.5"},
                                      {0}};
  lists l = {0};
  gannet_complaints complaints = {0};
  assert_ok(gannet_options_apply(own, NULL, 0, NULL, &l, &complaints));
  assert_ok(gannet_complaints_raise(&complaints));
  assert_int_equal(l.names.n, 2);
  assert_string_equal(l.names.item[1], "b");
  assert_int_equal(l.numbers.n, 2);
  assert_near(l.numbers.item[1], 2.5, 0);
  gannet_options_release(own, &l, sizeof l);
}

static void a_list_is_no_scalar(void **state) {
  (void)state;
  outcome o;
  const char *const words[] = {"1", "2"};
  const gannet_setting given[] = {{.key = "required", .text = "x"},
                                  {.key = "layers", .n_items = 2, .items = words},
                                  {.key = "name", .n_items = 2, .items = words}};
  apply(&o, 3, given);
  assert_int_equal(o.complaints.count, 2);
  assert_non_null(strstr(o.complaints.text, "surrogate.layers: a list is not valid"));
  release(&o);
}

static void the_last_setting_wins(void **state) {
  (void)state;
  outcome o;
  const gannet_setting given[] = {{.key = "required", .text = "first"},
                                  {.key = "layers", .text = "2"},
                                  {.key = "layers", .text = "3", .location = "--set"},
                                  {.key = "required", .text = "second"}};
  apply(&o, 4, given);
  assert_int_equal(o.complaints.count, 0);
  assert_int_equal(o.values.layers, 3);
  assert_string_equal(o.values.required, "second");
  release(&o);
}

static void old_names_are_accepted_with_a_warning(void **state) {
  outcome o;
  char line[200];
  (void)state;
  const gannet_setting given[] = {{.key = "needed", .text = "here", .location = "in.yaml:1:1"},
                                  {.key = "depth", .text = "3", .location = "in.yaml:3:7"},
                                  {.key = "depth", .text = "3", .location = "in.yaml:3:7"}};
  apply(&o, 3, given);
  assert_int_equal(o.complaints.count, 0);
  assert_int_equal(o.values.layers, 3);
  assert_string_equal(o.values.required, "here");
  assert_true(gannet_complaints_next_warning(&o.complaints, line, sizeof line));
  assert_string_equal(line,
                      "in.yaml:1:1: surrogate.needed is now called surrogate.required; the old "
                      "name is still accepted");
  assert_true(gannet_complaints_next_warning(&o.complaints, line, sizeof line));
  assert_non_null(strstr(line, "in.yaml:3:7: surrogate.depth is now called surrogate.layers"));
  assert_false(gannet_complaints_next_warning(&o.complaints, line, sizeof line));
  release(&o);
  refuses("depth", "9", "surrogate.layers: '9' is not valid");
  apply_one(&o, "deph", "2");
  assert_null(strstr(o.complaints.text, "depth"));
  release(&o);
}

static void all_errors_are_told_at_once(void **state) {
  (void)state;
  outcome o;
  const gannet_setting given[] = {{.key = "layer", .text = "2", .location = "in.yaml:4:3"},
                                  {.key = "layers", .text = "0", .location = "in.yaml:5:3"},
                                  {.key = "zzzzzz", .text = "0", .location = "--set"}};
  apply(&o, 3, given);
  assert_int_equal(o.complaints.count, 4);
  const char *const parts[] = {
      ("in.yaml:4:3: unknown key 'surrogate.layer'; did you mean 'layers'?; known keys: noise "
       "margin"),
      "in.yaml:5:3: surrogate.layers: '0' is not valid; expected whole number, 1 to 8\n",
      "--set: unknown key 'surrogate.zzzzzz'; known keys:",
      "missing required key 'surrogate.required' (what must be given)"};
  for (int i = 0; i < 4; ++i)
    if (!strstr(o.complaints.text, parts[i])) fail_msg("%s lacks %s", o.complaints.text, parts[i]);
  assert_fails(GANNET_ERR_INPUT, "in.yaml:5:3", gannet_complaints_raise(&o.complaints));
  release(&o);
  assert_ok(gannet_complaints_raise(&o.complaints));
}

/* A record is too small for all of them. */
static void of_many_errors_the_rest_is_counted(void **state) {
  (void)state;
  const int n = 60;
  gannet_complaints complaints = {0};
  for (int i = 0; i < n; ++i) gannet_complain(&complaints, NULL, "number %d is of no use here", i);
  assert_int_equal(gannet_complaints_raise(&complaints), GANNET_ERR_INPUT);
  const char *at = gannet_error_detail();
  char expected[80];
  int shown = 0;
  for (; strncmp(at, "... ", 4) != 0; ++shown) {
    const int length = snprintf(expected, sizeof expected, "number %d is of no use here\n", shown);
    assert_memory_equal(at, expected, (size_t)length);
    at += length;
  }
  (void)snprintf(expected, sizeof expected, "... and %d more", n - shown);
  assert_string_equal(at, expected);
  assert_true(shown > 30);
  gannet_complaints_release(&complaints);
}

static void complaints_are_lines_that_terminals_only_show(void **state) {
  (void)state;
  gannet_complaints complaints = {0};
  char wide[3000];
  memset(wide, 'w', sizeof wide);
  wide[sizeof wide - 1] = '\0';
  gannet_complain(&complaints, "a.yaml:1:1", "name '%s'", "a\x1b[31m\n\xc3\xa9\xc2\x9b\xff");
  assert_string_equal(complaints.text, "a.yaml:1:1: name 'a [31m \xc3\xa9  ?'\n");
  gannet_complain(&complaints, NULL, "%s", wide);
  assert_non_null(strstr(complaints.text, "www...\n"));
  gannet_complaints_release(&complaints);
}

static void numbers_are_decimal(void **state) {
  (void)state;
  static const char *const bad[] = {"", "0x10", "0X1p3", "nan", "inf", "1e400", "1.5x", "1,5"};
  double value = 0;
  assert_int_equal(gannet_parse_number("-1.5e-3", &value), 0);
  assert_true(value == -1.5e-3);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    if (!gannet_parse_number(bad[i], &value)) fail_msg("'%s' is taken for %g", bad[i], value);
}

static void durations_have_units(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double seconds;
  } good[] = {{"90", 90},     {"90s", 90},        {"10m", 600},           {"4h", 14400},
              {"1d", 86400},  {"1h30m", 5400},    {"1.5 h", 5400},        {"250ms", 0.25},
              {"10:30", 630}, {"01:30:00", 5400}, {"2-01:00:00", 176400}, {" 5 min ", 300},
              {"0", 0}};
  static const char *const bad[] = {"",          "h",   "10x",   "-5",    "1h30",
                                    "1:2:3:4",   "inf", "nan",   "1e400", "1:-2",
                                    "10m later", "5 5", "1:30x", ":30",   "99999999999:00"};
  double seconds;
  for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
    if (gannet_parse_duration(good[i].text, &seconds)) fail_msg("'%s' is refused", good[i].text);
    assert_near(seconds, good[i].seconds, 1e-12 * good[i].seconds);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    if (!gannet_parse_duration(bad[i], &seconds))
      fail_msg("'%s' is taken for %g s", bad[i], seconds);
}

static void sizes_have_units(void **state) {
  (void)state;
  int64_t bytes;
  assert_int_equal(gannet_parse_size("4096", &bytes), 0);
  assert_true(bytes == 4096);
  assert_int_equal(gannet_parse_size("64KiB", &bytes), 0);
  assert_true(bytes == 65536);
  assert_int_equal(gannet_parse_size("1.5 GB", &bytes), 0);
  assert_true(bytes == 1500000000);
  assert_int_equal(gannet_parse_size("2TiB", &bytes), 0);
  assert_true(bytes == INT64_C(2199023255552));
  static const char *const bad[] = {"", "-1", "1 parsec", "9999999TiB", "1e30", "GiB"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    if (!gannet_parse_size(bad[i], &bytes)) fail_msg("'%s' is taken for a size", bad[i]);
}

static void durations_are_shown_for_people(void **state) {
  (void)state;
  static const struct {
    double seconds;
    const char *text;
  } shown[] = {{0, "0 ms"},           {0.85, "850 ms"},      {0.9999, "1.0 s"},
               {12.34, "12.3 s"},     {99.97, "1 min 39 s"}, {119.9, "1 min 59 s"},
               {3900, "65 min 00 s"}, {7500, "2 h 05 min"},  {HUGE_VAL, "unlimited"}};
  char buffer[40];
  for (size_t i = 0; i < sizeof shown / sizeof *shown; ++i) {
    gannet_format_duration(shown[i].seconds, buffer, sizeof buffer);
    assert_string_equal(buffer, shown[i].text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_come_from_the_table),
      cmocka_unit_test(every_type_is_read_and_echoed),
      cmocka_unit_test(wrong_values_are_refused_with_what_was_expected),
      cmocka_unit_test(lists_are_read_whole),
      cmocka_unit_test(lists_are_cut_at_commas),
      cmocka_unit_test(defaults_may_be_lists),
      cmocka_unit_test(a_list_is_no_scalar),
      cmocka_unit_test(the_last_setting_wins),
      cmocka_unit_test(old_names_are_accepted_with_a_warning),
      cmocka_unit_test(all_errors_are_told_at_once),
      cmocka_unit_test(of_many_errors_the_rest_is_counted),
      cmocka_unit_test(complaints_are_lines_that_terminals_only_show),
      cmocka_unit_test(numbers_are_decimal),
      cmocka_unit_test(durations_have_units),
      cmocka_unit_test(sizes_have_units),
      cmocka_unit_test(durations_are_shown_for_people),
  };
  return run_serial(tests);
}
