/* test: serial labels unit */
/* Changes of the problem in ledgers, journals and snapshots. */
#include "books.h"

#include "campaign/config/config.h"
#include "campaign/run/fingerprint.h"
#include "campaign/run/record.h"
#include "campaign/run/snapshot.h"
#include "problem/runs.h"

/* The problem of books with more: a tighter integer, a variable that had a value, other bounds. */
static gannet_problem *make_changed(void) {
  static const char *const more_steel[] = {"caf\xc3\xa9", "soft, cheap", "say \"hard\"", "none"};
  const gannet_variable variables[] = {
      {.name = "n", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 2},
      {.name = "x", .lower = -0.5, .upper = 1},
      {.name = "rho", .lower = 1, .upper = 3},
      {.name = "steel", .type = GANNET_VARIABLE_CATEGORICAL, .values = more_steel, .n_values = 4},
      {.name = "vent", .type = GANNET_VARIABLE_BOOLEAN}};
  const gannet_constraint constraints[] = {{"stress", 0.5, 2}};
  const gannet_problem_spec spec = {.n_variables = 5,
                                    .variables = variables,
                                    .n_constraints = 1,
                                    .constraints = constraints,
                                    .goal = GANNET_MINIMIZE};
  gannet_problem *problem = NULL;
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_ok(gannet_problem_set_was(problem, 2, 0.5));
  return problem;
}

/* The text of a change from the problem that a ledger has. */
static char *describe_change(const gannet_ledger *ledger, const gannet_problem *to) {
  gannet_revision revision = {
      .when = 1.7e9, .who = "ann@node-7", .fingerprint = ledger->fingerprint};
  char *before = NULL, *after = NULL, *text = NULL;
  assert_ok(gannet_change_list_add(&revision.list, "goal", "maximize", "minimize"));
  assert_ok(gannet_change_list_add(&revision.list, "variables.rho", NULL, "real"));
  assert_ok(gannet_campaign_format_problem(ledger->problem, &before));
  assert_ok(gannet_campaign_format_problem(to, &after));
  assert_ok(gannet_record_change(&revision, before, after, &text));
  gannet_change_list_release(&revision.list);
  gannet_free(&before);
  gannet_free(&after);
  return text;
}

static void a_description_is_the_problem(void **state) {
  (void)state;
  gannet_problem *problems[] = {make_problem(8), make_changed()};
  for (int i = 0; i < 2; ++i) {
    char *text = NULL;
    gannet_problem *again = NULL;
    assert_ok(gannet_campaign_format_problem(problems[i], &text));
    assert_ok(gannet_campaign_parse_problem(text, &again));
    assert_true(gannet_problem_fingerprint(again) == gannet_problem_fingerprint(problems[i]));
    assert_same_number(gannet_problem_was(again, 2), gannet_problem_was(problems[i], 2));
    gannet_free(&text);
    gannet_problem_destroy(&again);
    gannet_problem_destroy(&problems[i]);
  }
}

/* Begin a ledger that is to have another problem in the end. */
static void open_as(books *b, gannet_problem *target, const gannet_problem *first) {
  char *text = NULL;
  b->problem = target;
  assert_ok(gannet_history_create(target, &b->history));
  gannet_ledger_init(&b->ledger, target, b->history);
  assert_ok(gannet_campaign_format_problem(first, &text));
  assert_ok(gannet_ledger_begin_as(&b->ledger, text));
  gannet_free(&text);
}

static void check_translated(const books *b) {
  const gannet_ledger *l = &b->ledger;
  assert_ptr_equal(l->problem, b->problem);
  assert_null(l->described);
  assert_int_equal(l->n_revisions, 1);
  assert_string_equal(l->revision[0].who, "ann@node-7");
  assert_string_equal(l->revision[0].list.item[0].before, "maximize");
  assert_null(l->revision[0].list.item[1].before);
  assert_int_equal(l->state.n, 2); /* method and batch */
  for (int64_t id = 0; id < l->n; ++id) {
    const double *x = gannet_history_x_user(b->history, id), at = (double)id;
    const double steel = fmod(at + 1, 3); /* "soft, cheap" is 1 now */
    assert_true(x[0] == 1 + fmod(at, 8) && x[1] == -1 / (1 + at) && x[2] == 0.5);
    assert_true(x[3] == steel && x[4] == fmod(at, 2));
    assert_true(gannet_history_get(b->history, id)->elsewhere);
  }
  const gannet_result_record *done = &l->ticket[1].result;
  assert_true(done->objective == 1.0 / 3 + 1 && done->constraints[0] == 3.0000000000000004);
  assert_true(gannet_quantities_find(&done->reported, "mass")->value == 2.5);
  assert_null(gannet_quantities_find(&done->reported, "mass")->gradient); /* rho has none */
  assert_true(gannet_quantities_find(&done->reported, "drag")->sd == 0.125);
  assert_int_equal(l->n_feasible, 0);
  assert_int_equal(gannet_history_best(b->history), -1);
}

static gannet_err apply(void *user, int64_t sequence, const char *payload, size_t length) {
  return gannet_ledger_apply(user, sequence, payload, length);
}

static void a_change_is_found_again(void **state) {
  (void)state;
  books a, b, c, d;
  gannet_journal_report report = {0};
  gannet_problem *first = make_problem(8);
  open_as(&a, make_changed(), first);
  assert_ok(gannet_journal_open(in_folder("journal"), GANNET_JOURNAL_SCHEMA, GANNET_JOURNAL_CREATE,
                                &report, &a.ledger.journal));
  /* The books propose in the terms of the first problem. */
  gannet_problem *target = a.problem;
  a.problem = first;
  keep_books(&a);
  a.problem = target;
  char *text = describe_change(&a.ledger, target);
  assert_ok(gannet_ledger_change(&a.ledger, text, NULL, NULL));
  gannet_free(&text);
  check_translated(&a);
  assert_ok(gannet_ledger_tell_held(&a.ledger));

  open_as(&b, make_changed(), first);
  gannet_journal_destroy(&a.ledger.journal);
  assert_ok(
      gannet_journal_read(in_folder("journal"), GANNET_JOURNAL_SCHEMA, apply, &b.ledger, NULL));
  check_translated(&b);
  assert_same_books(&a.ledger, &b.ledger);

  c.problem = make_changed();
  assert_ok(gannet_history_create(c.problem, &c.history));
  gannet_ledger_init(&c.ledger, c.problem, c.history);
  assert_ok(gannet_snapshot_write(in_folder("state.h5"), &b.ledger));
  assert_ok(gannet_snapshot_read(in_folder("state.h5"), NULL, &c.ledger, NULL));
  check_translated(&c);
  assert_same_books(&b.ledger, &c.ledger);

  assert_ok(gannet_journal_open(in_folder("fresh"), GANNET_JOURNAL_SCHEMA, GANNET_JOURNAL_CREATE,
                                NULL, &c.ledger.journal));
  assert_ok(gannet_ledger_rewrite(&c.ledger));
  gannet_journal_destroy(&c.ledger.journal);
  d.problem = make_changed();
  assert_ok(gannet_history_create(d.problem, &d.history));
  gannet_ledger_init(&d.ledger, d.problem, d.history);
  assert_ok(gannet_journal_read(in_folder("fresh"), GANNET_JOURNAL_SCHEMA, apply, &d.ledger, NULL));
  check_translated(&d);
  assert_same_books(&c.ledger, &d.ledger);
  assert_true(gannet_ledger_had_problem(&d.ledger, gannet_problem_fingerprint(first)));
  assert_false(gannet_ledger_had_problem(&d.ledger, 4711));
  close_books(&a);
  close_books(&b);
  close_books(&c);
  close_books(&d);
  gannet_problem_destroy(&first);
}

/* A refused change leaves everything as it was, and writes nothing. */
static void what_cannot_be_changes_nothing(void **state) {
  (void)state;
  gannet_variable fixed[4];
  memcpy(fixed, four_variables, sizeof fixed);
  fixed[1].role = GANNET_ROLE_FIXED;
  fixed[1].fixed = 3;
  const gannet_problem_spec specs[] = {
      {.n_variables = 3,
       .variables = four_variables,
       .n_constraints = 2,
       .constraints = two_constraints},
      {.n_variables = 4, .variables = fixed, .n_constraints = 2, .constraints = two_constraints}};
  static const char *const complaints[] = {"variables.vent is gone",
                                           "variables.n cannot be fixed at 3: evaluation 0"};
  for (int i = 0; i < 2; ++i) {
    books a, b;
    gannet_problem *to = NULL;
    open_books(&a, 8);
    open_books(&b, 8);
    keep_books(&a);
    keep_books(&b);
    assert_ok(gannet_problem_create(&specs[i], &to));
    char *text = describe_change(&a.ledger, to);
    assert_fails(GANNET_ERR_INPUT, complaints[i],
                 gannet_ledger_change(&a.ledger, text, NULL, NULL));
    assert_same_books(&a.ledger, &b.ledger);
    assert_int_equal(a.ledger.n_revisions, 0);
    gannet_free(&text);
    gannet_problem_destroy(&to);
    close_books(&a);
    close_books(&b);
  }
}

static void damaged_changes_are_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {
      "{\"record\":\"change\"}", "{\"record\":\"change\",\"items\":[]}",
      "{\"record\":\"change\",\"items\":[],\"when\":1}",
      "{\"record\":\"change\",\"items\":[[1]],\"when\":1,\"fingerprint\":\"0000000000000000\"}",
      "{\"record\":\"change\",\"items\":[],\"when\":1,\"fingerprint\":\"0000000000000000\","
      "\"after\":\"variables: 3\"}"};
  books a;
  open_books(&a, 8);
  keep_books(&a);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    assert_int_equal(gannet_ledger_apply(&a.ledger, 9, wrong[i], strlen(wrong[i])),
                     GANNET_ERR_DAMAGED);
    assert_int_equal(a.ledger.n_revisions, 0);
    assert_ptr_equal(a.ledger.problem, a.problem);
  }
  close_books(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_description_is_the_problem),
      cmocka_unit_test(a_change_is_found_again),
      cmocka_unit_test(what_cannot_be_changes_nothing),
      cmocka_unit_test(damaged_changes_are_refused),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
