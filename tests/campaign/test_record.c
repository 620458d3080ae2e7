/* test: serial labels unit */
#include "books.h"

#include <jansson.h>

#include "campaign/run/record.h"

static long until_failure; /* allocations of jansson until one fails; 0 = none does */

static void *allocate(size_t size) {
  if (until_failure > 0 && --until_failure == 0) return NULL;
  return malloc(size);
}

typedef gannet_err maker(const books *b, char **text);

static gannet_err make_campaign(const books *b, char **text) {
  return gannet_record_campaign(b->problem, "name", 3, 5, text);
}

static gannet_err make_propose(const books *b, char **text) {
  static gannet_state_value values[] = {
      {.name = "method", .kind = GANNET_STATE_TEXT, .text = "gp-ei"},
      {.name = "batch", .kind = GANNET_STATE_WHOLE, .number = 1},
      {.name = "gp-ei/objective.log_noise", .kind = GANNET_STATE_REAL, .number = INFINITY},
      {.name = "gp-ei/open.3", .kind = GANNET_STATE_ABSENT}};
  const gannet_state state = {.n = 4, .value = values};
  const gannet_proposed_rows proposal = {
      .end = 2, .stated = GANNET_STATED_CHANGES, .state = &state, .seconds = 0.25};
  return gannet_record_propose(b->history, &proposal, text);
}

static gannet_err make_submit(const books *b, char **text) {
  const int64_t ids[] = {0, 1};
  const int attempts[] = {1, 2};
  const uint64_t nonces[] = {7, 8};
  (void)b;
  return gannet_record_submit(2, ids, attempts, nonces, text);
}

static gannet_err make_result(const books *b, char **text) {
  double constraints[] = {1.5, 2.5};
  gannet_result_record ended = {.id = 1,
                                .status = GANNET_EVAL_DONE,
                                .objective = 4,
                                .constraints = constraints,
                                .run = gannet_run_unknown()};
  report_more(b->problem, &ended);
  const gannet_err err = gannet_record_result(b->problem, &ended, text);
  gannet_results_release(1, &ended);
  return err;
}

static gannet_err make_tell(const books *b, char **text) {
  const int64_t ids[] = {1, 0};
  (void)b;
  return gannet_record_tell(2, ids, text);
}

/* What is in the journal counts: a record is there with all its parts, or not at all. */
static void without_memory_there_is_no_record(void **state) {
  static maker *const makers[] = {make_campaign, make_propose, make_submit, make_result, make_tell};
  books b;
  (void)state;
  open_books(&b, 8);
  keep_books(&b);
  json_set_alloc_funcs(allocate, free);
  for (size_t i = 0; i < sizeof makers / sizeof *makers; ++i) {
    char *whole = NULL, *text = NULL;
    assert_ok(makers[i](&b, &whole));
    for (long failing = 1; until_failure == 0; ++failing) {
      until_failure = failing;
      if (makers[i](&b, &text) == GANNET_OK)
        assert_string_equal(text, whole); /* jansson can do without some */
      else
        assert_null(text);
      gannet_free(&text);
    }
    until_failure = 0; /* what was left of it says that each has failed once */
    gannet_free(&whole);
  }
  close_books(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(without_memory_there_is_no_record)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
