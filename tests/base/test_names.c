/* test: serial labels unit */
#include <string.h>

#include "support/harness.h"

#include "base/names.h"

typedef struct {
  const char *name;
  double unused;
} entry;

static const entry ei = {"ei", 1}, lcb = {"lcb", 2}, thompson = {"thompson", 3};
static const void *const entries[] = {&ei, &lcb, &thompson, NULL};
static const char *const words[] = {"lower", "upper", "tangent-kernel", "tanh", "budget", NULL};

static void entries_are_found_by_name(void **state) {
  (void)state;
  int index = -1;
  assert_ok(gannet_name_find("acquisition", "ei", entries, &index));
  assert_int_equal(index, 0);
  assert_ok(gannet_name_find("acquisition", "thompson", entries, &index));
  assert_int_equal(index, 2);
}

static void unknown_names_answer_with_the_known_ones(void **state) {
  (void)state;
  int index = -1;
  assert_fails(GANNET_ERR_NAME, "acquisition 'eii'; did you mean 'ei'? known: ei lcb thompson",
               gannet_name_find("acquisition", "eii", entries, &index));
  assert_fails(GANNET_ERR_NAME, "acquisition 'xyzzy'; known: ei lcb thompson",
               gannet_name_find("acquisition", "xyzzy", entries, &index));
  assert_fails(GANNET_ERR_NAME, "known: ei", gannet_name_find("acquisition", "", entries, &index));
  assert_fails(GANNET_ERR_NAME, "known: ei",
               gannet_name_find("acquisition", "EI", entries, &index));
  assert_int_equal(index, -1);
}

static void the_three_nearest_are_listed(void **state) {
  static const char *const one[] = {"x", NULL};
  char list[40], little[10];
  (void)state;
  gannet_list_nearest("lowr", words, list, sizeof list);
  assert_string_equal(list, "lower, upper, tanh");
  gannet_list_nearest("zz", one, list, sizeof list);
  assert_string_equal(list, "x");
  gannet_list_nearest("lowr", words, little, sizeof little);
  assert_true(strlen(little) < sizeof little);
}

static void misspelt_words_have_a_nearest(void **state) {
  (void)state;
  static const char *const pairs[][2] = {{"lowre", "lower"},
                                         {"UPPER", "upper"},
                                         {"uper", "upper"},
                                         {"bugdet", "budget"},
                                         {"tangent", "tangent-kernel"},
                                         {"tahn", "tanh"},
                                         {"budgets", "budget"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
    const char *near = gannet_nearest(pairs[i][0], words);
    assert_non_null(near);
    assert_string_equal(near, pairs[i][1]);
  }
}

static void words_far_from_all_have_none(void **state) {
  (void)state;
  char longest[500];
  memset(longest, 'l', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  assert_null(gannet_nearest("qqqqqqqq", words));
  assert_null(gannet_nearest("", words));
  static const char *const letters[] = {"x", "Y", NULL};
  assert_null(gannet_nearest("b", letters));
  assert_string_equal(gannet_nearest("y", letters), "Y");
  (void)gannet_nearest(longest, words); /* longer than what is compared: must stay in bounds */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(entries_are_found_by_name),
      cmocka_unit_test(unknown_names_answer_with_the_known_ones),
      cmocka_unit_test(the_three_nearest_are_listed),
      cmocka_unit_test(misspelt_words_have_a_nearest),
      cmocka_unit_test(words_far_from_all_have_none),
  };
  return run_serial(tests);
}
