/* test: ranks 2 labels unit timeout 240 processors 1 */
/* Jobs that outlive the process that submitted them, or that it gave up. */
#include "standin_arrays.h"

static void recovered(gannet_evaluator *evaluator, int i, bool expected) {
  double x[CONFORM_VARIABLES];
  bool taken = !expected;
  const gannet_request request = standin_request(i, 1, x);
  assert_ok(gannet_evaluator_recover(evaluator, &request, &taken));
  assert_int_equal(taken, expected);
}

/* The id of the array is lost when: 0 never, 1 before it was written down. */
static void adopt(standin *f, int lost) {
  collection all = {0};
  int n = 0;
  f->options.when_stopped = GANNET_SLURM_LEAVE;
  use_simulation(f,
                 "#!/bin/sh\necho \"$GANNET_NONCE\" >>\"$GANNET_INPUT_DIRECTORY/runs\"\nsleep 1\n"
                 "printf 'objective 2\\nstress 1\\n' >results.out\n");
  gannet_evaluator *evaluator = standin_create(f);
  const double before = gannet_clock_epoch();
  submit_all(evaluator, RUNS, 1);
  const double after = gannet_clock_epoch();
  gannet_result_record none = {.constraints = all.constraints};
  assert_ok(gannet_evaluator_poll(evaluator, 0.3, 1, &n, &none));
  assert_int_equal(n, 0);
  gannet_evaluator_destroy(&evaluator);
  if (lost) {
    char command[400];
    (void)snprintf(command, sizeof command, "rm '%s'/slurm/*/job", f->directory);
    conform_shell(command);
  }
  evaluator = standin_create(f);
  const int squeues = calls_of(f, "squeue");
  for (int i = RUNS - 1; i >= 0; --i) recovered(evaluator, i, true);
  if (f->context->rank == 0) assert_int_equal(calls_of(f, "squeue"), squeues + lost);
  collect(evaluator, RUNS, &all);
  for (int i = 0; i < RUNS; ++i) {
    const gannet_result_record *result = result_of(&all, 100 - i); /* see conform_request */
    is_done(result);
    assert_int_equal(result->run.slot, i);
    assert_true(before - 0.01 <= result->run.submitted && result->run.submitted <= after + 0.01);
  }
  gannet_evaluator_destroy(&evaluator);
  assert_runs(f, RUNS);
  if (f->context->rank == 0) assert_int_equal(calls_of(f, "sbatch"), 1);
}

static void arrays_outlive_their_controller(void **state) {
  use_arrays(*state, GANNET_SLURM_ARRAYS, 1, 1);
  adopt(*state, 0);
}

static void an_array_without_its_number_is_found_with_one_call(void **state) {
  use_arrays(*state, GANNET_SLURM_ARRAYS, 2, 1);
  adopt(*state, 1);
}

static void a_bundle_outlives_its_controller(void **state) {
  use_arrays(*state, GANNET_SLURM_JOBS, RUNS, 4);
  adopt(*state, 1);
}

/* Written down, and the process died before sbatch: nothing was submitted. */
static void what_was_never_submitted_is_submitted_anew(void **state) {
  standin *f = *state;
  f->options.when_stopped = GANNET_SLURM_LEAVE;
  use_arrays(f, GANNET_SLURM_ARRAYS, 1, 1);
  use_simulation(f, good);
  gannet_evaluator *evaluator = standin_create(f);
  submit_all(evaluator, RUNS, 1);
  gannet_evaluator_destroy(&evaluator);
  evaluator = standin_create(f);
  for (int i = 0; i < RUNS; ++i) recovered(evaluator, i, false);
  gannet_evaluator_destroy(&evaluator);
  if (f->context->rank == 0) assert_int_equal(calls_of(f, "squeue"), 1);
}

/* Conventions, promise 4 (optuna #4234): attempt 1 was given up as lost and another one is under
 * way when it ends well: its result counts, and the other is ended. */
static void accept_late(standin *f, gannet_eval_status status, const char *script) {
  double constraint = 0;
  gannet_result_record result = {.constraints = &constraint};
  use_simulation(f, script);
  mischief(f, "squeue.lose", "");
  mischief(f, "sacct.off", "");
  mischief(f, "scontrol.off", "");
  char *scancel = f->options.commands.scancel;
  f->options.commands.scancel = TEXT("/bin/true"); /* does not reach it */
  f->options.grace = 0.4;
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  conform_collect(evaluator, 1, &result);
  failed_with(&result, true, "lost");
  gannet_evaluator_destroy(&evaluator);
  no_mischief(f, "squeue.lose");
  f->options.commands.scancel = scancel;
  evaluator = standin_create(f);
  standin_submit(evaluator, 1, 2);
  conform_collect(evaluator, 1, &result);
  assert_int_equal(result.status, status);
  assert_string_equal(result.run.job, "1");
  gannet_evaluator_destroy(&evaluator);
  assert_runs(f, 2);
  if (f->context->rank > 0) return;
  assert_string_equal(content(f->directory, "jobs/2/state"), "CANCELLED\n");
  assert_non_null(strstr(f->log, "attempt 1, given up before, ended well after all"));
}

/* Complaints: optuna #5470. */
static void a_late_result_is_accepted(void **state) {
  accept_late(*state, GANNET_EVAL_DONE,
              "#!/bin/sh\necho \"$GANNET_NONCE\" >>\"$GANNET_INPUT_DIRECTORY/runs\"\n"
              "[ $GANNET_ATTEMPT = 1 ] && sleep 2 || sleep 30\n"
              "printf 'objective 2\\nstress 1\\n' >results.out\n");
}

/* ... also when it was written to a path, where the other attempt lies by now. */
static void a_late_result_at_a_path_is_accepted(void **state) {
  accept_late(*state, GANNET_EVAL_DONE,
              "#!/bin/sh\necho \"$GANNET_NONCE\" >>\"$GANNET_INPUT_DIRECTORY/runs\"\n"
              "[ $GANNET_ATTEMPT = 1 ] && sleep 2 || sleep 30\n"
              "printf 'objective 2\\nstress 1\\n' >\"$GANNET_RESULTS\"\n");
}

/* ... and is read by the same rules as any other. */
static void a_late_result_is_judged_by_the_user_s_rules(void **state) {
  standin *f = *state;
  char *texts[] = {TEXT("mesh folded"), NULL};
  f->options.command.cannot_run_text = (gannet_text_list){.n = 1, .item = texts};
  accept_late(f, GANNET_EVAL_CANNOT_RUN,
              "#!/bin/sh\necho \"$GANNET_NONCE\" >>\"$GANNET_INPUT_DIRECTORY/runs\"\n"
              "[ $GANNET_ATTEMPT = 1 ] && sleep 2 || sleep 30\n"
              "echo mesh folded\nprintf 'objective 2\\nstress 1\\n' >results.out\n");
}

static void what_runs_can_be_left_and_followed(void **state) {
  standin *f = *state;
  collection all = {0};
  bool submitted = true;
  int n = 0;
  gannet_result_record none = {.constraints = all.constraints};
  use_arrays(f, GANNET_SLURM_ARRAYS, 1, 1);
  use_simulation(f, good);
  mischief(f, "node.hold", "");
  mischief(f, "next.sh", "#!/bin/sh\n");
  gannet_evaluator *evaluator = standin_create(f);
  assert_true(gannet_evaluator_can_detach(evaluator));
  submit_all(evaluator, RUNS, 1);
  assert_ok(gannet_evaluator_all_submitted(evaluator, &submitted));
  assert_false(submitted); /* sbatch was not called yet */
  for (int i = 0; i < 100 && !submitted; ++i) {
    assert_ok(gannet_evaluator_poll(evaluator, 0.1, 1, &n, &none));
    assert_ok(gannet_evaluator_all_submitted(evaluator, &submitted));
  }
  char script[400];
  (void)snprintf(script, sizeof script, "%s/next.sh", f->directory);
  const gannet_follow_up next = {script, "campaign.yaml", f->directory, false, NULL};
  assert_ok(gannet_evaluator_detach(evaluator, &next));
  assert_int_equal(gannet_evaluator_in_flight(evaluator), 0);
  gannet_evaluator_destroy(&evaluator);
  if (f->context->rank == 0) {
    assert_int_equal(calls_of(f, "sbatch"), 2);
    assert_non_null(strstr(content(f->directory, "calls"), "--dependency=afterany:1 "));
    assert_non_null(strstr(content(f->directory, "calls"), "/next.sh campaign.yaml\n"));
  }
  evaluator = standin_create(f); /* once more: nothing is asked for twice */
  for (int i = 0; i < RUNS; ++i) recovered(evaluator, i, true);
  assert_ok(gannet_evaluator_detach(evaluator, &next));
  gannet_evaluator_destroy(&evaluator);
  if (f->context->rank == 0) assert_int_equal(calls_of(f, "sbatch"), 2);
}

/* The first list after a call of sbatch without an answer may be older than the job. */
static void a_follow_up_without_an_answer_is_looked_for_twice(void **state) {
  standin *f = *state;
  use_simulation(f, good);
  f->options.commands.timeout = 3; /* in which a busy machine accepts a job */
  mischief(f, "next.sh", "#!/bin/sh\n");
  mischief(f, "sbatch.hang", "1\n");
  mischief(f, "squeue.blind", "2\n"); /* before sbatch is called, and once after */
  char script[400];
  (void)snprintf(script, sizeof script, "%s/next.sh", f->directory);
  const gannet_follow_up next = {script, "campaign.yaml", f->directory, false, NULL};
  gannet_evaluator *evaluator = standin_create(f);
  assert_ok(gannet_evaluator_detach(evaluator, &next));
  gannet_evaluator_destroy(&evaluator);
  if (f->context->rank > 0) return;
  assert_int_equal(calls_of(f, "sbatch"), 1);
  assert_int_equal(calls_of(f, "squeue"), 3);
}

/* ... nor is one submitted twice that sbatch took before it failed. */
static void a_follow_up_that_was_taken_is_not_submitted_again(void **state) {
  static const char *const says[] = {
      "", "sbatch: error: Batch job submission failed: Message receive failure\n"};
  standin *f = *state;
  use_simulation(f, good);
  mischief(f, "next.sh", "#!/bin/sh\n");
  char script[400];
  (void)snprintf(script, sizeof script, "%s/next.sh", f->directory);
  const gannet_follow_up next = {script, "campaign.yaml", f->directory, false, NULL};
  for (int i = 0; i < 2; ++i) {
    char command[400];
    (void)snprintf(command, sizeof command, "cd '%s' && find jobs -mindepth 1 -delete",
                   f->directory);
    conform_shell(command);
    mischief(f, "sbatch.accept", "1\n");
    mischief(f, "sbatch.says", says[i]);
    gannet_evaluator *evaluator = standin_create(f);
    assert_ok(gannet_evaluator_detach(evaluator, &next));
    gannet_evaluator_destroy(&evaluator);
    if (f->context->rank == 0) assert_int_equal(calls_of(f, "sbatch"), i + 1);
  }
}

/* Nothing is to follow after a stop, which may be asked for while sbatch refuses. */
static void no_follow_up_is_submitted_after_a_stop(void **state) {
  standin *f = *state;
  use_simulation(f, good);
  f->options.patience = 100;
  if (f->context->rank == 0)
    write_file(f->directory, "sbatch",
               "#!/bin/sh\nhere=${0%/*}\necho sbatch x >>\"$here/calls\"\n: >\"$here/STOP\"\n"
               "echo 'sbatch: error: QOSMaxSubmitJobPerUserLimit' >&2\nexit 1\n",
               0755);
  MPI_Barrier(MPI_COMM_WORLD);
  const gannet_follow_up next = {"/nowhere.sh", "campaign.yaml", "/", false, NULL};
  gannet_evaluator *evaluator = standin_create(f);
  const double begun = gannet_clock_seconds();
  assert_ok(gannet_evaluator_detach(evaluator, &next));
  assert_true(gannet_clock_seconds() < begun + 60);
  gannet_evaluator_destroy(&evaluator);
  if (f->context->rank > 0) return;
  assert_int_equal(calls_of(f, "sbatch"), 1);
  assert_non_null(strstr(f->log, "was not submitted, because a stop was requested"));
}

/* A scheduler that will never take the script is an error that says so. */
static void a_refused_follow_up_is_an_error(void **state) {
  standin *f = *state;
  use_simulation(f, good);
  gannet_evaluator *evaluator = standin_create(f);
  mischief(f, "sbatch.fail", "100\n");
  mischief(f, "sbatch.says", "sbatch: error: invalid partition specified: fats\n");
  const gannet_follow_up next = {"/nowhere.sh", "campaign.yaml", "/", false, NULL};
  assert_fails(GANNET_ERR_IO, "invalid partition specified: fats",
               gannet_evaluator_detach(evaluator, &next));
  gannet_evaluator_destroy(&evaluator);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, standin_set_up, standin_tear_down)

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      TEST(arrays_outlive_their_controller),
      TEST(an_array_without_its_number_is_found_with_one_call),
      TEST(a_bundle_outlives_its_controller),
      TEST(what_was_never_submitted_is_submitted_anew),
      TEST(a_late_result_is_accepted),
      TEST(a_late_result_at_a_path_is_accepted),
      TEST(a_late_result_is_judged_by_the_user_s_rules),
      TEST(what_runs_can_be_left_and_followed),
      TEST(a_follow_up_without_an_answer_is_looked_for_twice),
      TEST(a_follow_up_that_was_taken_is_not_submitted_again),
      TEST(no_follow_up_is_submitted_after_a_stop),
      TEST(a_refused_follow_up_is_an_error),
  };
  MPI_Init(&argc, &argv);
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
