/* test: serial labels unit */
#include "books.h"

#include "campaign/run/fingerprint.h"
#include "campaign/run/record.h"

static gannet_err apply(void *user, int64_t sequence, const char *payload, size_t length) {
  return gannet_ledger_apply(user, sequence, payload, length);
}

/* Books kept in a journal of this name. */
static void write_books(const char *path, books *b) {
  open_books(b, 8);
  (void)unlink(path);
  assert_ok(gannet_journal_open(path, 1, GANNET_JOURNAL_CREATE, NULL, &b->ledger.journal));
  keep_books(b);
  assert_ok(gannet_ledger_stop(&b->ledger, "stop.target: caf\xc3\xa9 has reached 4"));
}

static void replay(const char *path, books *b) {
  gannet_journal_report report;
  open_books(b, 8);
  assert_ok(gannet_journal_read(path, 1, apply, &b->ledger, &report));
  assert_int_equal(report.records, b->ledger.sequence);
}

static void every_kind_of_record_is_read_as_written(void **state) {
  (void)state;
  books a, b;
  write_books(in_folder("journal"), &a);
  replay(in_folder("journal"), &b);
  assert_int_equal(a.ledger.sequence, b.ledger.sequence);
  assert_same_books(&a.ledger, &b.ledger);
  assert_string_equal(b.ledger.ticket[0].result.run.reason,
                      "bad ?? bytes, \"quotes\", caf\xc3\xa9, a tab\t and \\");
  close_books(&a);
  close_books(&b);
}

static void a_rewritten_journal_says_the_same(void **state) {
  (void)state;
  books a, b;
  write_books(in_folder("journal"), &a);
  gannet_journal_destroy(&a.ledger.journal);
  (void)unlink(in_folder("fresh"));
  assert_ok(
      gannet_journal_open(in_folder("fresh"), 1, GANNET_JOURNAL_CREATE, NULL, &a.ledger.journal));
  assert_ok(gannet_ledger_rewrite(&a.ledger));
  replay(in_folder("fresh"), &b);
  assert_int_equal(a.ledger.sequence, b.ledger.sequence);
  assert_same_books(&a.ledger, &b.ledger);
  close_books(&a);
  close_books(&b);
}

/* A stop counts until points are proposed, and is written once. */
static void a_stop_counts_until_the_next_proposal(void **state) {
  (void)state;
  books a, b;
  write_books(in_folder("journal"), &a);
  const int64_t last = a.ledger.sequence;
  assert_ok(gannet_ledger_stop(&a.ledger, "stop.target: caf\xc3\xa9 has reached 4"));
  assert_int_equal(a.ledger.sequence, last);
  propose(&a, 1, 2, GANNET_ORIGIN_METHOD);
  assert_null(a.ledger.stop_reason);
  assert_ok(gannet_ledger_stop(&a.ledger, "stop.stagnation: 4"));
  assert_ok(gannet_ledger_stop(&a.ledger, "stop.target: 5"));
  replay(in_folder("journal"), &b);
  assert_int_equal(b.ledger.sequence, last + 3);
  assert_string_equal(b.ledger.stop_reason, "stop.target: 5");
  close_books(&b);
  assert_ok(gannet_ledger_stop(&a.ledger, ""));
  replay(in_folder("journal"), &b);
  assert_int_equal(b.ledger.sequence, last + 4);
  assert_null(b.ledger.stop_reason);
  close_books(&a);
  close_books(&b);
}

static void a_large_ledger_is_rewritten_with_few_syncs(void **state) {
  (void)state;
  enum { N = 5000 };
  books a, b;
  const double good[] = {1, 2};
  open_books(&a, 8);
  assert_ok(gannet_ledger_campaign(&a.ledger, "large", 1, gannet_problem_fingerprint(a.problem)));
  propose(&a, N, 0, GANNET_ORIGIN_INITIAL);
  for (int64_t id = 0; id < N; ++id) {
    const gannet_result_record ended = make_ended(id, GANNET_EVAL_DONE, good);
    assert_ok(gannet_ledger_results(&a.ledger, 1, &ended));
    assert_ok(gannet_ledger_tell(&a.ledger, 1, &id));
  }
  (void)unlink(in_folder("large"));
  assert_ok(
      gannet_journal_open(in_folder("large"), 1, GANNET_JOURNAL_CREATE, NULL, &a.ledger.journal));
  assert_ok(gannet_ledger_rewrite(&a.ledger));
  replay(in_folder("large"), &b);
  assert_same_books(&a.ledger, &b.ledger);
  close_books(&a);
  close_books(&b);
}

/* Records that are sound as lines and wrong in what they say. */
static const struct {
  const char *payload, *complaint;
} wrong[] = {
    {"", "not JSON"},
    {"{", "not JSON"},
    {"[1]", "unknown kind"},
    {"{\"record\":\"dance\"}", "unknown kind of record 'dance'"},
    {"{\"record\":\"stop\"}", "a stop without a reason"},
    {"{\"record\":\"campaign\",\"seed\":1}", "name"},
    {"{\"record\":\"campaign\",\"name\":\"a\",\"seed\":1,\"fingerprint\":\"12\"}", "fingerprint"},
    {"{\"record\":\"campaign\",\"name\":\"a\",\"fingerprint\":\"0123456789abcdef\"}", "seed"},
    {"{\"record\":\"propose\",\"origin\":\"user\",\"x\":[]}", "no points"},
    {"{\"record\":\"propose\",\"origin\":\"sky\",\"x\":[[0,1,0,0]]}", "origin"},
    {"{\"record\":\"propose\",\"origin\":\"user\",\"batch\":1,\"x\":[[0,1,0,0]],\"state\":[]}",
     "first"},
    {"{\"record\":\"propose\",\"origin\":\"user\",\"batch\":1,\"first\":0,\"x\":[[0,1,0,0]],"
     "\"state\":[]}",
     "evaluation 0 after 8"},
    {"{\"record\":\"propose\",\"origin\":\"user\",\"batch\":1,\"first\":8,\"x\":[[0,1,0]],"
     "\"state\":[]}",
     "3 numbers, expected 4"},
    {"{\"record\":\"propose\",\"origin\":\"user\",\"batch\":1,\"first\":8,\"x\":[[0,1,0,null]],"
     "\"state\":[]}",
     "not a number"},
    {"{\"record\":\"propose\",\"origin\":\"user\",\"batch\":1,\"first\":8,\"x\":[[0,1,7,0]],"
     "\"state\":[]}",
     "variable steel: 7"},
    {"{\"record\":\"submit\",\"runs\":[[8,1,\"0123456789abcdef\"]]}", "evaluation 8"},
    {"{\"record\":\"submit\",\"runs\":[[-1,1,\"0123456789abcdef\"]]}", "evaluation -1"},
    {"{\"record\":\"submit\",\"runs\":[[1,1]]}", "nonce"},
    {"{\"record\":\"submit\",\"runs\":[[1,3000000000,\"0123456789abcdef\"]]}", "out of range"},
    {"{\"record\":\"result\",\"id\":1}", "status"},
    {"{\"record\":\"result\",\"id\":1,\"status\":\"pending\"}", "status"},
    {"{\"record\":\"result\",\"id\":1,\"status\":\"failed\"}", "submitted"},
    {"{\"record\":\"import\",\"x\":[]}", "no file"},
    {"{\"record\":\"import\",\"from\":\"a\",\"x\":[[0,1,0,0]],\"results\":[]}",
     "not as many results"},
    {"{\"record\":\"import\",\"from\":\"a\",\"x\":[],\"results\":[],\"digest\":\"1\"}", "digest"},
    {"{\"record\":\"import\",\"from\":\"a\",\"digest\":\"0123456789abcdef\",\"refused\":0,"
     "\"imported\":1,"
     "\"batch\":1,\"first\":3,\"x\":[[0,1,0,0]],\"results\":[{\"status\":\"cannot_run\"}]}",
     "evaluation 3 after 8"},
    {"{\"record\":\"import\",\"from\":\"a\",\"digest\":\"0123456789abcdef\",\"refused\":0,"
     "\"imported\":1,"
     "\"batch\":1,\"first\":8,\"x\":[[0,1,7,0]],\"results\":[{\"status\":\"cannot_run\"}]}",
     "variable steel: 7"},
    {"{\"record\":\"import\",\"from\":\"a\",\"digest\":\"0123456789abcdef\",\"refused\":0,"
     "\"imported\":1,"
     "\"batch\":1,\"first\":8,\"x\":[[0,1,0,0]],\"results\":[{\"status\":\"done\",\"objective\":"
     "\"inf\","
     "\"constraints\":[1,2]}]}",
     "not finite"},
    {"{\"record\":\"tell\",\"ids\":[7]}", "before its result"},
    {"{\"record\":\"tell\",\"ids\":[1]}", "already has the result"},
    {"{\"record\":\"tell\",\"ids\":[\"1\"]}", "whole number"},
};

static void wrong_records_are_refused_by_number(void **state) {
  (void)state;
  books b;
  open_books(&b, 8);
  keep_books(&b);
  const uint64_t digest = gannet_history_digest(b.history);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    const gannet_err err =
        gannet_ledger_apply(&b.ledger, 4711, wrong[i].payload, strlen(wrong[i].payload));
    if (err != GANNET_ERR_DAMAGED || !strstr(gannet_error_message(), wrong[i].complaint))
      fail_msg("%s gave '%s'", wrong[i].payload, gannet_error_message());
    assert_non_null(strstr(gannet_error_message(), "record 4711"));
    assert_true(gannet_history_digest(b.history) == digest);
  }
  close_books(&b);
}

/* Every prefix of a record and every record with one character changed is read or refused, no
 * more. */
static void broken_records_do_no_harm(void **state) {
  (void)state;
  const double good[] = {2.5, 3};
  const gannet_result_record ended = make_ended(6, GANNET_EVAL_DONE, good);
  char *text = NULL;
  gannet_problem *problem = make_problem(8);
  assert_ok(gannet_record_result(problem, &ended, &text));
  gannet_problem_destroy(&problem);
  for (size_t i = 0; i < strlen(text); ++i) {
    books b;
    open_books(&b, 8);
    keep_books(&b);
    assert_int_equal(gannet_ledger_apply(&b.ledger, 1, text, i), GANNET_ERR_DAMAGED);
    const char before = text[i];
    text[i] = '0';
    (void)!gannet_ledger_apply(&b.ledger, 1, text, strlen(text));
    text[i] = before;
    close_books(&b);
  }
  gannet_free(&text);
}

static void problems_that_differ_have_other_fingerprints(void **state) {
  (void)state;
  gannet_problem *a = make_problem(8), *b = make_problem(9), *c = make_problem(8);
  assert_true(gannet_problem_fingerprint(a) != gannet_problem_fingerprint(b));
  assert_true(gannet_problem_fingerprint(a) == gannet_problem_fingerprint(c));
  gannet_problem_destroy(&a);
  gannet_problem_destroy(&b);
  gannet_problem_destroy(&c);
}

static void a_full_disk_leaves_the_ledger_as_it_was(void **state) {
  (void)state;
  books a, b;
  write_books(in_folder("journal"), &a);
  const int64_t id = 6, sequence = a.ledger.sequence;
  const double good[] = {1, 2};
  const gannet_result_record ended = make_ended(id, GANNET_EVAL_DONE, good);
  char *bytes = NULL;
  size_t size = 0;
  assert_ok(gannet_file_read(in_folder("journal"), &bytes, &size));
  gannet_free(&bytes);
  limit_files(size + 10);
  const gannet_err err = gannet_ledger_results(&a.ledger, 1, &ended);
  limit_files(RLIM_INFINITY);
  assert_int_equal(err, GANNET_ERR_NO_SPACE);
  assert_false(a.ledger.ticket[id].has_result);
  assert_int_equal(a.ledger.sequence, sequence);
  replay(in_folder("journal"), &b);
  assert_same_books(&a.ledger, &b.ledger);
  assert_ok(gannet_ledger_results(&a.ledger, 1, &ended));
  close_books(&a);
  close_books(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_of_record_is_read_as_written),
      cmocka_unit_test(a_rewritten_journal_says_the_same),
      cmocka_unit_test(a_stop_counts_until_the_next_proposal),
      cmocka_unit_test(a_large_ledger_is_rewritten_with_few_syncs),
      cmocka_unit_test(wrong_records_are_refused_by_number),
      cmocka_unit_test(broken_records_do_no_harm),
      cmocka_unit_test(problems_that_differ_have_other_fingerprints),
      cmocka_unit_test(a_full_disk_leaves_the_ledger_as_it_was),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
