/* test: serial labels unit */
#include <string.h>

#include "support/harness.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "campaign/run/failure_reasons.h"

static gannet_ticket ticket_of(const char *reason) {
  gannet_ticket t = {.has_result = true, .result.status = GANNET_EVAL_FAILED};
  t.result.run.failure = GANNET_FAILURE_EXIT;
  t.result.run.exit_code = 1;
  (void)snprintf(t.result.run.reason, sizeof t.result.run.reason, "%s", reason);
  return t;
}

static bool are_equal(const char *one, const char *other) {
  char key[GANNET_REASON_KEY], other_key[GANNET_REASON_KEY];
  const gannet_ticket a = ticket_of(one), b = ticket_of(other);
  gannet_reason_key(&a, key);
  gannet_reason_key(&b, other_key);
  return strcmp(key, other_key) == 0;
}

static void what_differs_from_run_to_run_makes_no_other_reason(void **state) {
  static const char *const equal[][2] = {
      {"element 17 is flat", "element 4 is flat"},
      {"residual 1.5e-3 after 12:30:01", "residual 7 after 2:05:59"},
      {"dt = -0.25", "dt = .5"},
      {"[node17:12345] *** caught signal", "[node3:987] *** caught signal"},
      {"at 0x7ffe1234abcd", "at 0x55d0"},
      {"at 00007f2c0a1b3c4d in solve", "at 00007f0000000000 in solve"},
      {"no 6ba7b810-9dad-11d1-80b4-00c04fd430c8", "no 00000000-0000-4000-8000-000000000001"},
      {"/scratch/c.campaign/evals/000017/mesh.in: bad",
       "/scratch/c.campaign/evals/000004/mesh.in: bad"},
      {"cannot open '/tmp/tmpabcdef/x'", "cannot open '/tmp/tmpqwerty/x'"},
      {"/scratch/job-a1/x", "/scratch/job-b27/x"},
      {"bad elements 1, 2, 3", "bad elements 99"},
      {"2026-03-01T12:34:56Z lost", "2025-11-30T01:02:03Z lost"},
      {"too  wide", "too wide"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof equal / sizeof *equal; ++i)
    if (!are_equal(equal[i][0], equal[i][1]))
      fail_msg("'%s' and '%s' should be equal", equal[i][0], equal[i][1]);
}

static void other_words_make_another_reason(void **state) {
  static const char *const unequal[][2] = {
      {"element 17 is flat", "element 17 is inverted"},
      {"/scratch/mesh/in: bad", "/scratch/solver/in: bad"},
      {"dead", "face"},
      {"bad elements 1, 2", "bad elements 1, x"},
      {"", "no reason given"},
  };
  char key[GANNET_REASON_KEY], other[GANNET_REASON_KEY];
  (void)state;
  for (size_t i = 0; i < sizeof unequal / sizeof *unequal; ++i)
    if (are_equal(unequal[i][0], unequal[i][1]))
      fail_msg("'%s' and '%s' should not be equal", unequal[i][0], unequal[i][1]);
  gannet_ticket t = ticket_of("same");
  gannet_reason_key(&t, key);
  t.result.run.exit_code = 2;
  gannet_reason_key(&t, other);
  assert_string_not_equal(key, other);
  t.result.run.exit_code = 1;
  t.result.status = GANNET_EVAL_CANNOT_RUN;
  gannet_reason_key(&t, other);
  assert_string_not_equal(key, other);
}

static void reasons_are_counted_and_the_last_is_first(void **state) {
  enum { N = 7 };
  static const char *const texts[N] = {"mesh 1", "solver 2", "", "mesh 3",
                                       "mesh 4", "solver 5", ""};
  gannet_ticket tickets[N];
  gannet_reason *reasons = NULL;
  int64_t n = 0;
  (void)state;
  for (int i = 0; i < N; ++i) {
    tickets[i] = ticket_of(texts[i]);
    if (!texts[i][0]) tickets[i].result.status = GANNET_EVAL_DONE;
  }
  tickets[4].has_result = false;
  const gannet_ledger ledger = {.n = N, .ticket = tickets};
  assert_ok(gannet_reasons_collect(&ledger, &reasons, &n));
  assert_int_equal(n, 2);
  assert_true(reasons[0].first == 1 && reasons[0].last == 5 && reasons[0].count == 2);
  assert_true(reasons[1].first == 0 && reasons[1].last == 3 && reasons[1].count == 2);
  gannet_free(&reasons);
  const gannet_ledger none = {.n = 0};
  assert_ok(gannet_reasons_collect(&none, &reasons, &n));
  assert_int_equal(n, 0);
  gannet_free(&reasons);
}

static void assert_shortened(const char *text, size_t size, const char *wanted) {
  char buffer[64];
  (void)snprintf(buffer, sizeof buffer, "%s", text);
  gannet_utf8_shorten(buffer, size);
  assert_string_equal(buffer, wanted);
}

static void texts_are_shortened_at_words(void **state) {
  (void)state;
  assert_shortened("one two three", 14, "one two three");
  assert_shortened("one two three", 13, "one two...");
  assert_shortened("one two   three", 14, "one two...");
  assert_shortened("onetwothree", 10, "onetwo...");
  assert_shortened("a\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 10, "a\xc3\xa9\xc3\xa9...");
  assert_shortened("", 5, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_differs_from_run_to_run_makes_no_other_reason),
      cmocka_unit_test(other_words_make_another_reason),
      cmocka_unit_test(reasons_are_counted_and_the_last_is_first),
      cmocka_unit_test(texts_are_shortened_at_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
