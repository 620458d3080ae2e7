/* test: ranks 1 2 3 labels unit timeout 300 */
#include "books.h"

#include "campaign/run/corrections.h"
#include "campaign/run/loop.h"
#include "campaign/run/snapshot.h"
#include "problem/runs.h"
#include "support/shared_folder.h"

/* What is kept of corrections in files. */

static gannet_correction_note note_of(const char *why, uint64_t key) {
  gannet_correction_note note = {.when = 1.7e9 + (double)key, .who = "ann@node-7", .key = key};
  (void)snprintf(note.why, sizeof note.why, "%s", why);
  return note;
}

static void order_of(books *b, gannet_correction_kind kind, bool undo, int64_t id, uint64_t key) {
  const gannet_correction_order order = {kind, undo, 1, &id, note_of("wrong \"mesh\"", key), NULL};
  assert_ok(gannet_ledger_correct(&b->ledger, &order));
}

/* One of each kind, of evaluations of each status, some taken back. */
static void correct_books(books *b) {
  const int64_t one = 1, several[] = {0, 2};
  double constraints[] = {2.75, 3};
  gannet_result_record other = make_ended(1, GANNET_EVAL_DONE, constraints);
  other.objective = -7;
  const gannet_correction_order values = {GANNET_CORRECTION_VALUES, false, 1, &one,
                                          note_of("typo", 1),       &other};
  const gannet_correction_order retry = {GANNET_CORRECTION_RETRY, false, 2, several,
                                         note_of("", 2),          NULL};
  assert_ok(gannet_ledger_correct(&b->ledger, &values));
  assert_ok(gannet_ledger_correct(&b->ledger, &retry));
  order_of(b, GANNET_CORRECTION_DISCARD, false, 1, 3);
  order_of(b, GANNET_CORRECTION_DISCARD, true, 1, 4);
  order_of(b, GANNET_CORRECTION_RETRY, true, 2, 5);
  order_of(b, GANNET_CORRECTION_DISCARD, false, 3, 6); /* it waits for another attempt */
  order_of(b, GANNET_CORRECTION_DISCARD, false, 4, 7); /* only proposed */
  order_of(b, GANNET_CORRECTION_DISCARD, false, 5, 8); /* with a result that was not told */
  order_of(b, GANNET_CORRECTION_DISCARD, true, 4, 9);
  order_of(b, GANNET_CORRECTION_DISCARD, false, 6, 10);
}

static void assert_same_note(const gannet_correction_note *a, const gannet_correction_note *b) {
  assert_same_number(a->when, b->when);
  assert_string_equal(a->who, b->who);
  assert_string_equal(a->why, b->why);
  assert_true(a->key == b->key);
}

static void assert_same_corrections(const gannet_ledger *a, const gannet_ledger *b) {
  assert_same_books(a, b);
  assert_int_equal(a->n_corrections, b->n_corrections);
  for (int i = 0; i < a->n_corrections; ++i) {
    const gannet_correction *x = &a->correction[i], *y = &b->correction[i];
    assert_int_equal(x->kind, y->kind);
    assert_int_equal(x->id, y->id);
    assert_int_equal(x->had_result, y->had_result);
    assert_int_equal(x->was_told, y->was_told);
    assert_same_note(&x->note, &y->note);
    assert_same_note(&x->undo, &y->undo);
    assert_int_equal(x->before.status, y->before.status);
    assert_int_equal(x->before.id, y->before.id);
    assert_same_number(x->before.objective, y->before.objective);
    assert_int_equal(x->before.run.attempts, y->before.run.attempts);
    assert_string_equal(x->before.run.reason, y->before.run.reason);
    for (int k = 0; k < a->problem->spec.n_constraints; ++k)
      assert_same_number(x->before.constraints[k], y->before.constraints[k]);
    assert_same_reported(&x->before.reported, &y->before.reported, a->problem->spec.n_variables);
  }
}

/* A journal with corrections, as lines of text; returns how many there are. */
static int64_t write_journal(const char *path, books *b, gannet_journal_report *report) {
  (void)unlink(path);
  assert_ok(gannet_journal_open(path, GANNET_JOURNAL_SCHEMA, GANNET_JOURNAL_CREATE, report,
                                &b->ledger.journal));
  b->ledger.identity = report->identity;
  keep_books(b);
  correct_books(b);
  gannet_journal_destroy(&b->ledger.journal);
  return b->ledger.sequence;
}

typedef struct {
  gannet_ledger *ledger;
  int64_t first, last;
} reader;

static gannet_err apply(void *user, int64_t sequence, const char *payload, size_t length) {
  const reader *r = user;
  if (sequence < r->first || sequence > r->last) return GANNET_OK;
  return gannet_ledger_apply(r->ledger, sequence, payload, length);
}

/* However many records a snapshot has: with those that follow it is the whole ledger. */
static void corrections_are_found_again_in_journal_and_snapshots(void **state) {
  (void)state;
  if (rank_of_this() != 0) return;
  books a;
  gannet_journal_report report;
  open_books(&a, 8);
  const int64_t n = write_journal(in_folder("journal"), &a, &report);
  for (int64_t at = 10; at <= n; ++at) {
    books b, c;
    open_books(&b, 8);
    open_books(&c, 8);
    b.ledger.identity = report.identity;
    assert_ok(gannet_journal_read(in_folder("journal"), GANNET_JOURNAL_SCHEMA, apply,
                                  &(reader){&b.ledger, 1, at}, NULL));
    assert_ok(gannet_snapshot_write(in_folder("state"), &b.ledger));
    assert_ok(gannet_snapshot_read(in_folder("state"), NULL, &c.ledger, NULL));
    assert_same_corrections(&b.ledger, &c.ledger);
    assert_ok(gannet_journal_read(in_folder("journal"), GANNET_JOURNAL_SCHEMA, apply,
                                  &(reader){&c.ledger, at + 1, n}, NULL));
    assert_same_corrections(&a.ledger, &c.ledger);
    close_books(&b);
    close_books(&c);
  }
  close_books(&a);
}

/* A journal that is made anew has the results as they are, and the same corrections. */
static void corrections_survive_that_a_journal_is_rebuilt(void **state) {
  (void)state;
  if (rank_of_this() != 0) return;
  books a, b;
  gannet_journal_report report;
  open_books(&a, 8);
  open_books(&b, 8);
  (void)write_journal(in_folder("journal"), &a, &report);
  (void)unlink(in_folder("new"));
  assert_ok(gannet_journal_open(in_folder("new"), GANNET_JOURNAL_SCHEMA, GANNET_JOURNAL_CREATE,
                                NULL, &a.ledger.journal));
  assert_ok(gannet_ledger_rewrite(&a.ledger));
  gannet_journal_destroy(&a.ledger.journal);
  assert_ok(gannet_journal_read(in_folder("new"), GANNET_JOURNAL_SCHEMA, apply,
                                &(reader){&b.ledger, 1, INT64_MAX}, NULL));
  assert_same_corrections(&a.ledger, &b.ledger);
  order_of(&b, GANNET_CORRECTION_DISCARD, true, 5, 20); /* the result is there still */
  assert_true(b.ledger.ticket[5].has_result && !b.ledger.ticket[5].is_told);
  assert_int_equal(b.ledger.ticket[5].result.status, GANNET_EVAL_DONE);
  close_books(&a);
  close_books(&b);
}

static void what_is_taken_back_is_as_it_was(void **state) {
  (void)state;
  books a, b;
  open_books(&a, 8);
  open_books(&b, 8);
  keep_books(&a);
  keep_books(&b);
  gannet_state_clear(&a.ledger.state); /* what was learnt is forgotten all the same */
  for (int64_t id = 0; id < b.ledger.n; ++id) {
    order_of(&b, GANNET_CORRECTION_DISCARD, false, id, 1);
    assert_int_equal(gannet_history_count_kept(b.history), b.ledger.n - 1);
    order_of(&b, GANNET_CORRECTION_DISCARD, true, id, 2);
    assert_int_equal(gannet_history_count_kept(b.history), b.ledger.n);
  }
  gannet_state_clear(&b.ledger.state);
  for (int64_t id = 0; id < a.ledger.n; ++id) /* jobs that ran were ended */
    if (!a.ledger.ticket[id].has_result) a.ledger.ticket[id].nonce = 0;
  assert_same_books(&a.ledger, &b.ledger);
  close_books(&a);
  close_books(&b);
}

/* What the optimiser learns from. */

static const char file_text[] =
    "name: corrected\nseed: 5\nbatch: 3\ninitial: 6\nmethod: %s\nsearch: {candidates: 300}\n"
    "variables:\n  x: {lower: -1, upper: 2}\n  y: {lower: 0, upper: 1}\n"
    "constraints: {c1: {upper: 1.5}}\nbudget: {evaluations: 12}\n"
    "evaluate: {backend: function, simulation: bowl, parallel: 3}\n";

static int run_bowl(const void *options, const gannet_simulation_input *input,
                    gannet_simulation_output *output, gannet_quantity *quantities) {
  (void)options, (void)quantities;
  output->objective = pow(input->x[0] - 0.3, 2) + pow(input->x[1] - 0.6, 2);
  output->constraints[0] = input->x[0] + input->x[1];
  return 0;
}

static const gannet_simulation_type bowl = {.name = "bowl", .n_constraints = 1, .run = run_bowl};
static const gannet_simulation_type *const simulations[] = {&bowl, NULL};

static void start_campaign(const char *method, bool resume, gannet_campaign *campaign) {
  gannet_complaints complaints = {0};
  char text[sizeof file_text + 40], command[PATH_MAX + 20];
  (void)snprintf(text, sizeof text, file_text, method);
  if (rank_of_this() == 0 && !resume) {
    (void)snprintf(command, sizeof command, "rm -rf '%s'", in_folder("campaign"));
    assert_int_equal(system(command), 0);
  }
  put_text("corrected.yaml", text);
  char file[PATH_MAX], directory[PATH_MAX];
  (void)snprintf(file, sizeof file, "%s", in_folder("corrected.yaml"));
  (void)snprintf(directory, sizeof directory, "%s", in_folder("campaign"));
  const gannet_campaign_start_options options = {
      .file = file, .directory = directory, .resume = resume};
  assert_ok(gannet_campaign_start(MPI_COMM_WORLD, &options, &complaints, campaign));
  gannet_complaints_release(&complaints);
}

/* An optimiser that is told the evaluations of a campaign but those that were discarded, and asked
 * then. */
static void ask_another(const gannet_campaign *campaign, int q, double *x, gannet_best *best,
                        gannet_counts *counts) {
  const gannet_history *from = campaign->history;
  gannet_optimizer *other = NULL;
  gannet_state only_batch = {0};
  int64_t id[8], number[64];
  assert_ok(gannet_optimizer_create(campaign->context, campaign->input->problem,
                                    campaign->input->n_method, campaign->input->method, &other));
  gannet_history *to = gannet_optimizer_history(other);
  for (int64_t i = 0; i < gannet_history_count(from); ++i) {
    const gannet_evaluation *row = gannet_history_get(from, i);
    if (row->status != GANNET_EVAL_DISCARDED)
      assert_ok(gannet_history_propose(to, gannet_history_x_user(from, i), row->batch, row->origin,
                                       &number[i]));
  }
  for (int64_t at = 0; at < gannet_history_count_told(from); ++at) {
    const int64_t i = gannet_history_order(from)[at];
    const gannet_evaluation *row = gannet_history_get(from, i);
    const gannet_result result = {.id = number[i],
                                  .objective = row->objective,
                                  .constraints = gannet_history_constraints(from, i)};
    if (row->status != GANNET_EVAL_DISCARDED) assert_ok(gannet_optimizer_tell(other, 1, &result));
  }
  assert_ok(gannet_state_put(&only_batch, "", "batch", GANNET_STATE_WHOLE,
                             (double)gannet_optimizer_next_batch(campaign->optimizer)));
  assert_ok(gannet_optimizer_set_state(other, &only_batch, NULL));
  gannet_optimizer_best(other, best, NULL);
  gannet_optimizer_count(other, counts);
  assert_ok(gannet_optimizer_ask(other, q, id, x));
  gannet_state_release(&only_batch);
  gannet_optimizer_destroy(&other);
}

/* The next points are those of such an optimiser, and best and counts are its own; after a resume,
 * too, when the campaign is closed. */
static void expect_points_of_another(const char *method, bool resume, gannet_campaign *campaign) {
  enum { Q = 3, V = 2 };
  double x[Q * V];
  gannet_best best;
  gannet_counts counts;
  int64_t first;
  ask_another(campaign, Q, x, &best, &counts);
  const int64_t mine = gannet_history_best(campaign->history);
  assert_true(best.feasible);
  assert_same_number(best.objective, gannet_history_get(campaign->history, mine)->objective);
  assert_int_equal(counts.done, gannet_history_count_done(campaign->history));
  assert_int_equal(counts.feasible, campaign->ledger.n_feasible);
  assert_int_equal(counts.pending, gannet_ledger_pending(&campaign->ledger));
  if (resume) {
    gannet_campaign_close(campaign);
    start_campaign(method, true, campaign);
  }
  assert_ok(gannet_campaign_ask(campaign, Q, &first));
  assert_memory_equal(gannet_history_x_user(campaign->history, first), x, sizeof x);
}

static void correct(gannet_campaign *campaign, gannet_correction_kind kind, bool undo, int64_t id,
                    double objective, uint64_t key) {
  gannet_correction_request request = {
      .kind = kind, .undo = undo, .n = 1, .id = &id, .note = note_of("wrong", key)};
  const gannet_quantity value = {.name = "objective", .value = objective};
  char answer[GANNET_ANSWER_SIZE];
  if (kind == GANNET_CORRECTION_VALUES && !undo)
    assert_ok(gannet_quantities_set(&request.values, 0, &value));
  assert_ok(gannet_corrections_make(campaign, &request, answer));
  gannet_quantities_release(&request.values);
}

static void run_to_the_end(gannet_campaign *campaign) {
  gannet_run_outcome outcome;
  const gannet_run_options options = {.simulations = simulations, .time_limit = INFINITY};
  assert_ok(gannet_campaign_run(campaign, &options, &outcome));
  assert_int_equal(outcome.end, GANNET_RUN_FINISHED);
}

static const char *const methods[] = {"gp-ei",     "auto",      "turbo-1",
                                      "neural-bo", "quadratic", "sobol"};

static void an_optimizer_learns_from_what_is_left_alone(void **state) {
  (void)state;
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
    gannet_campaign campaign;
    start_campaign(methods[m], false, &campaign);
    run_to_the_end(&campaign);
    const int64_t best = gannet_history_best(campaign.history);
    correct(&campaign, GANNET_CORRECTION_DISCARD, false, best, 0, 1);
    assert_true(gannet_history_best(campaign.history) != best);
    expect_points_of_another(methods[m], false, &campaign);
    correct(&campaign, GANNET_CORRECTION_VALUES, false, best == 4 ? 5 : 4, -3, 2);
    correct(&campaign, GANNET_CORRECTION_RETRY, false, best == 7 ? 8 : 7, 0, 3);
    assert_int_equal(gannet_history_best(campaign.history), best == 4 ? 5 : 4);
    expect_points_of_another(methods[m], true, &campaign);
    gannet_campaign_close(&campaign);
  }
}

static void a_discarded_evaluation_does_not_count_in_the_budget(void **state) {
  (void)state;
  gannet_campaign campaign;
  start_campaign("gp-ei", false, &campaign);
  run_to_the_end(&campaign);
  correct(&campaign, GANNET_CORRECTION_DISCARD, false, 3, 0, 1);
  correct(&campaign, GANNET_CORRECTION_DISCARD, false, 5, 0, 2);
  correct(&campaign, GANNET_CORRECTION_DISCARD, true, 5, 0, 3);
  run_to_the_end(&campaign);
  assert_int_equal(campaign.ledger.n, 13);
  assert_int_equal(gannet_history_count_done(campaign.history), 12);
  gannet_campaign_close(&campaign);
}

/* A request that is left in a file is made by the campaign that runs, once, and answered. */
static void requests_in_files_are_made_once(void **state) {
  (void)state;
  gannet_campaign campaign;
  char directory[PATH_MAX], answer[GANNET_ANSWER_SIZE];
  bool has_answer = false;
  const int64_t ids[] = {2, 77};
  (void)snprintf(directory, sizeof directory, "%s", in_folder("campaign"));
  start_campaign("sobol", false, &campaign);
  run_to_the_end(&campaign);
  for (int i = 0; i < 3; ++i) { /* the same twice, as after a crash, and one that cannot be */
    int64_t id = ids[i == 2];
    const gannet_correction_request request = {
        .n = 1, .id = &id, .note = note_of("", 50 + (uint64_t)(i == 2))};
    int n = 0;
    if (rank_of_this() == 0) assert_ok(gannet_corrections_post(directory, &request));
    assert_ok(gannet_corrections_take(&campaign, &n));
    assert_int_equal(n, i < 2);
    assert_int_equal(campaign.ledger.n_corrections, 1);
    if (rank_of_this() != 0) continue;
    const gannet_err err =
        gannet_corrections_look(directory, request.note.key, &has_answer, answer);
    assert_true(has_answer);
    assert_int_equal(err, i < 2 ? GANNET_OK : GANNET_ERR_INPUT);
    assert_non_null(strstr(answer, i == 0   ? "evaluation 2 is discarded"
                                   : i == 1 ? "was made already"
                                            : "there is no evaluation 77"));
    assert_false(gannet_corrections_withdraw(directory, request.note.key));
  }
  gannet_campaign_close(&campaign);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corrections_are_found_again_in_journal_and_snapshots),
      cmocka_unit_test(corrections_survive_that_a_journal_is_rebuilt),
      cmocka_unit_test(what_is_taken_back_is_as_it_was),
      cmocka_unit_test(an_optimizer_learns_from_what_is_left_alone),
      cmocka_unit_test(a_discarded_evaluation_does_not_count_in_the_budget),
      cmocka_unit_test(requests_in_files_are_made_once),
  };
  MPI_Init(&argc, &argv);
  const int failed =
      run_ranks_(cmocka_run_group_tests(tests, make_shared_folder, remove_shared_folder));
  MPI_Finalize();
  return failed;
}
