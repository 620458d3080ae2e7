/* test: serial labels unit */
/* How many evaluations a campaign is to have, whatever has become of its list of candidates. */
#include <math.h>

#include "support/folder.h"

#include "campaign/example.h"
#include "campaign/run/budget.h"
#include "campaign/run/progress.h"
#include "store/state_file.h"

enum { BUDGET = 10, LISTED = 4 };

static const char two_variables[] =
    "method: gp-ts\n"
    "variables: {a: {lower: 0, upper: 1}, b: {lower: 0, upper: 1}}\n"
    "budget: {evaluations: 10}\n"
    "evaluate: {backend: manual}\n";

/* Lists of columns; the one of b may be absent, with n_b < 0. */
static void write_columns(const char *path, int64_t n_a, int64_t n_b) {
  const double values[LISTED] = {0.1, 0.2, 0.3, 0.2};
  gannet_store *store = NULL;
  assert_ok(gannet_store_create(path, 1, &store));
  assert_ok(gannet_store_write_doubles(store, "a", 1, &n_a, values));
  if (n_b >= 0) assert_ok(gannet_store_write_doubles(store, "b", 1, &n_b, values));
  assert_ok(gannet_store_commit(store));
  gannet_store_destroy(&store);
}

static int64_t total_with(const char *candidates) {
  gannet_campaign_input *input = NULL;
  gannet_complaints complaints = {0};
  assert_ok(parse_text(two_variables, &input, &complaints));
  gannet_free(&input->general.candidates);
  assert_ok(gannet_copy_text(candidates, &input->general.candidates));
  const int64_t total = gannet_budget_total(input);
  assert_string_equal(gannet_error_message(), "");
  gannet_campaign_destroy(&input);
  return total;
}

static void a_short_list_ends_before_the_budget(void **state) {
  const char *h5 = in_folder("list.h5"), *csv = in_folder("list.csv");
  static const char rows[] = "a,b\n0.1,0.5\n0.2,0.5\n0.1,0.5\n";
  (void)state;
  write_columns(h5, LISTED, LISTED);
  put_bytes(csv, rows, sizeof rows - 1);
  assert_int_equal(total_with("none"), BUDGET);
  assert_int_equal(total_with(h5), 3);
  assert_int_equal(total_with(csv), 2);
}

/* The file may be replaced after the campaign began. */
static void an_unusable_list_leaves_the_budget(void **state) {
  const char *h5 = in_folder("unusable.h5"), *csv = in_folder("unusable.csv");
  (void)state;
  assert_int_equal(total_with(h5), BUDGET);
  write_columns(h5, LISTED, -1);
  assert_int_equal(total_with(h5), BUDGET);
  write_columns(h5, LISTED, LISTED - 1);
  assert_int_equal(total_with(h5), BUDGET);
  put_bytes(h5, "junk", 4);
  assert_int_equal(total_with(h5), BUDGET);
  put_bytes(csv, "a,b\n0.1,0.5\n0.2\n", 16);
  assert_int_equal(total_with(csv), BUDGET);
}

static void assert_text(int64_t n, int64_t total, const char *expected) {
  char text[GANNET_BUDGET_TEXT];
  gannet_budget_format(n, " proposed", " of ", total, text);
  assert_string_equal(text, expected);
}

static void counts_are_told_beside_their_limit(void **state) {
  (void)state;
  assert_text(12, 24, "12 proposed of 24");
  assert_text(4, 4, "4 proposed of 4");
  assert_text(12, 0, "12 proposed");
  assert_text(6, 4, "6 proposed (2 over the limit of 4)");
  assert_text(INT64_MAX, 1,
              "9223372036854775807 proposed (9223372036854775806 over the limit of 1)");
}

static double share_of(int n, const double (*times)[2]) {
  gannet_usage usage = {.first = INFINITY, .last = -INFINITY};
  for (int i = 0; i < n; ++i)
    gannet_usage_add(&usage, &(gannet_run_record){.started = times[i][0], .ended = times[i][1]});
  return gannet_usage_share(&usage);
}

static void no_slot_is_busier_than_all_of_the_time(void **state) {
  const double apart[][2] = {{0, 10}, {20, 30}}, rounded[][2] = {{0, 10.001}, {10, 20}};
  const double set_clock[][2] = {{-1e9, 1e9}, {-1e9 + 5, 1e9 + 5}};
  (void)state;
  assert_true(fabs(share_of(2, apart) - 2.0 / 3) < 1e-12);
  assert_true(share_of(2, rounded) == 1);
  assert_true(isnan(share_of(2, set_clock)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_short_list_ends_before_the_budget),
      cmocka_unit_test(an_unusable_list_leaves_the_budget),
      cmocka_unit_test(counts_are_told_beside_their_limit),
      cmocka_unit_test(no_slot_is_busier_than_all_of_the_time),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
