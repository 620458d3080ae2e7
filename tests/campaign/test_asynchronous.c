/* test: ranks 1 3 labels unit timeout 120 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/shared_folder.h"

#include "base/clock.h"
#include "campaign/run/loop.h"
#include "campaign/run/record.h"

enum { EVALUATIONS = 16, PARALLEL = 3 };

static const char file_text[] =
    "name: refill\nseed: 5\nbatch: 3\ninitial: 6\nmethod: gp-ei\n"
    "variables:\n  x: {lower: -1, upper: 2}\n  y: {lower: 0, upper: 1}\n"
    "budget: {evaluations: 16}\nsearch: {candidates: 200}\n"
    "evaluate:\n  parallel: 3\n  mode: asynchronous\n";

/* Takes 10, 20 or 30 ms. */
static int run_bowl(const void *options, const gannet_simulation_input *input,
                    gannet_simulation_output *output, gannet_quantity *quantities) {
  (void)options, (void)quantities;
  gannet_clock_sleep(0.01 * (double)(1 + input->id % 3));
  output->objective = pow(input->x[0] - 0.3, 2) + pow(input->x[1] - 0.6, 2);
  return 0;
}

static const gannet_simulation_type bowl = {.name = "bowl", .run = run_bowl};
static const gannet_simulation_type *const simulations[] = {&bowl, NULL};

static void start(const char *directory, bool resume, gannet_campaign *campaign) {
  gannet_complaints complaints = {0};
  const char *path = in_folder(directory);
  const gannet_campaign_start_options options = {
      .file = in_folder("refill.yaml"), .directory = path, .resume = resume};
  assert_ok(gannet_campaign_start(MPI_COMM_WORLD, &options, &complaints, campaign));
  gannet_complaints_release(&complaints);
}

static gannet_run_end run(gannet_campaign *campaign) {
  const gannet_run_options options = {
      .simulations = simulations, .input_directory = folder, .time_limit = INFINITY};
  gannet_run_outcome outcome;
  assert_ok(gannet_campaign_run(campaign, &options, &outcome));
  return outcome.end;
}

/* Replays a journal through an optimiser that never saw it. */
typedef struct {
  gannet_optimizer *optimizer;
  const gannet_history *history; /* what really happened */
  int proposals, tells, largest_tell;
} replay;

static void propose_again(replay *r, const gannet_record *record) {
  int64_t id[EVALUATIONS];
  double x[2 * EVALUATIONS];
  assert_ok(gannet_optimizer_ask(r->optimizer, record->n, id, x));
  assert_int_equal(id[0], record->first);
  assert_memory_equal(x, record->x, (size_t)record->n * 2 * sizeof *x);
  r->proposals += 1;
}

static gannet_err visit(void *user, int64_t sequence, const char *payload, size_t length) {
  replay *r = user;
  gannet_record record = {0};
  (void)sequence;
  assert_ok(gannet_record_parse(gannet_history_problem(r->history), payload, length, &record));
  if (record.kind == GANNET_RECORD_PROPOSE) propose_again(r, &record);
  for (int i = 0; record.kind == GANNET_RECORD_TELL && i < record.n; ++i) {
    const gannet_evaluation *row = gannet_history_get(r->history, record.id[i]);
    const gannet_result result = {
        .id = record.id[i], .outcome = GANNET_RESULT_OK, .objective = row->objective};
    assert_ok(gannet_optimizer_tell(r->optimizer, 1, &result));
  }
  if (record.kind == GANNET_RECORD_TELL) {
    r->tells += 1;
    r->largest_tell = record.n > r->largest_tell ? record.n : r->largest_tell;
  }
  gannet_record_release(&record);
  return GANNET_OK;
}

/* Every point comes out again, bit for bit, from the order in which results were told. */
static replay replayed(const gannet_campaign *campaign, const char *fresh_directory) {
  gannet_campaign fresh;
  char journal[PATH_MAX];
  start(fresh_directory, false, &fresh);
  replay r = {.optimizer = fresh.optimizer, .history = campaign->history};
  assert_ok(gannet_campaign_path(campaign, "journal", journal));
  assert_ok(gannet_journal_read(journal, GANNET_JOURNAL_SCHEMA, visit, &r, NULL));
  gannet_campaign_close(&fresh);
  return r;
}

static void assert_complete(const gannet_campaign *campaign) {
  assert_int_equal(gannet_history_count(campaign->history), EVALUATIONS);
  assert_int_equal(gannet_history_count_done(campaign->history), EVALUATIONS);
  for (int i = 0; i < EVALUATIONS; ++i) assert_int_equal(campaign->ledger.ticket[i].attempt, 1);
}

/* Never more at a time than there are slots, by the times that the evaluations took. */
static void assert_slots(const gannet_campaign *campaign) {
  for (int i = 0; i < EVALUATIONS; ++i) {
    const double when = campaign->ledger.ticket[i].result.run.started;
    int running = 0;
    for (int j = 0; j < EVALUATIONS; ++j) {
      const gannet_run_record *other = &campaign->ledger.ticket[j].result.run;
      running += other->started <= when && when < other->ended;
    }
    assert_true(running <= PARALLEL);
  }
}

/* Complaints: UltraNest #18. */
static void functions_are_refilled_and_replayed(void **state) {
  gannet_campaign campaign;
  char text[1000];
  (void)state;
  (void)snprintf(text, sizeof text, "%s  backend: function\n  simulation: bowl\n", file_text);
  put_text("refill.yaml", text);
  start("functions", false, &campaign);
  assert_int_equal(run(&campaign), GANNET_RUN_FINISHED);
  assert_complete(&campaign);
  const replay r = replayed(&campaign, "functions again");
  assert_true(r.proposals > 1 && r.tells == r.proposals);
  gannet_campaign_close(&campaign);
}

static void use_command(const char *script) {
  char text[1000];
  (void)snprintf(text, sizeof text, "%s  backend: command\n  command: [/bin/sh, \"%s\"]\n",
                 file_text, in_folder("sim"));
  put_text("refill.yaml", text);
  put_text("sim", script);
}

static const char arithmetic[] =
    "awk '{v[$1] = $2} END {printf \"objective %.17g\\n\", (v[\"x\"] - 0.3)^2 + (v[\"y\"] - "
    "0.6)^2}' params.in >results.out\n";

/* One simulation takes longer than all others together: nobody waits for it. */
/* Complaints: Ax #2301, botorch #1356. */
static void a_slow_simulation_holds_nobody_up(void **state) {
  gannet_campaign campaign;
  char script[400];
  (void)state;
  (void)snprintf(script, sizeof script,
                 "until [ $GANNET_EVAL_ID != 0 ] || [ -e '%s' ]; do sleep 0.05; done\n"
                 "[ $GANNET_EVAL_ID != 15 ] || touch '%s'\n%s",
                 in_folder("last"), in_folder("last"), arithmetic);
  use_command(script);
  start("commands", false, &campaign);
  assert_int_equal(run(&campaign), GANNET_RUN_FINISHED);
  assert_complete(&campaign);
  assert_slots(&campaign);
  int place = EVALUATIONS - 1; /* only the two that ran when it was let go may come after it */
  while (place > 0 && gannet_history_order(campaign.history)[place] != 0) --place;
  assert_true(place >= EVALUATIONS - PARALLEL);
  const replay r = replayed(&campaign, "commands again");
  assert_true(r.proposals >= 1 + (EVALUATIONS - PARALLEL) / 2); /* two slots turned over */
  assert_true(r.largest_tell <= PARALLEL);
  gannet_campaign_close(&campaign);
}

/* users-ask 20, 22 (nomad #30, optuna #6283): stopped in the middle and resumed. */
static void a_resumed_campaign_goes_on_where_it_stopped(void **state) {
  gannet_campaign campaign;
  char script[900];
  (void)state;
  (void)snprintf(script, sizeof script,
                 "echo $GANNET_EVAL_ID >>'%s'\n[ $GANNET_EVAL_ID != 8 ] || touch '%s/STOP'\n"
                 "sleep 0.0$((1 + GANNET_EVAL_ID %% 4))\n%s",
                 in_folder("runs"), in_folder("stopped"), arithmetic);
  use_command(script);
  start("stopped", false, &campaign);
  assert_int_equal(run(&campaign), GANNET_RUN_INTERRUPTED);
  const int64_t before = gannet_history_count(campaign.history);
  const int64_t pending = before - gannet_history_count_told(campaign.history);
  assert_true(before < EVALUATIONS && pending <= PARALLEL); /* proposed, and never begun */
  gannet_campaign_close(&campaign);
  if (rank_of_this() == 0) assert_int_equal(unlink(in_folder("stopped/STOP")), 0);
  MPI_Barrier(MPI_COMM_WORLD);
  start("stopped", true, &campaign);
  assert_int_equal(run(&campaign), GANNET_RUN_FINISHED);
  assert_complete(&campaign);
  (void)replayed(&campaign, "stopped again");
  gannet_campaign_close(&campaign);
  if (rank_of_this() > 0) return;
  char *text = NULL;
  size_t size = 0;
  int runs = 0;
  assert_ok(gannet_file_read(in_folder("runs"), &text, &size));
  for (size_t i = 0; i < size; ++i) runs += text[i] == '\n';
  gannet_free(&text);
  assert_int_equal(runs, EVALUATIONS);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_are_refilled_and_replayed),
      cmocka_unit_test(a_slow_simulation_holds_nobody_up),
      cmocka_unit_test(a_resumed_campaign_goes_on_where_it_stopped),
  };
  MPI_Init(&argc, &argv);
  const int failed =
      run_ranks_(cmocka_run_group_tests(tests, make_shared_folder, remove_shared_folder));
  MPI_Finalize();
  return failed;
}
