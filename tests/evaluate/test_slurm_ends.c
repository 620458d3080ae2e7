/* test: ranks 1 2 labels unit timeout 120 */
#include "standin.h"

static const char good[] =
    "#!/bin/sh\n"
    "echo run >>\"$GANNET_INPUT_DIRECTORY/runs\"\n"
    "printf 'objective 2\\nstress 1\\n' >results.out\n";

static void recovered(gannet_evaluator *evaluator, int i, int attempt, bool expected) {
  double x[CONFORM_VARIABLES];
  bool taken = !expected;
  const gannet_request request = standin_request(i, attempt, x);
  assert_ok(gannet_evaluator_recover(evaluator, &request, &taken));
  assert_int_equal(taken, expected);
}

/* Of two jobs one ends by itself, and nobody looks, before the stop cancels both. */
static void stop_two(standin *f) {
  char command[400];
  double constraint = 0;
  int n = 0, calls = 0;
  gannet_result_record none = {.constraints = &constraint};
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  standin_submit(evaluator, 2, 1);
  for (int i = 0; i < 200 && calls < 2; ++i) {
    assert_ok(gannet_evaluator_poll(evaluator, 0.05, 1, &n, &none));
    if (f->context->rank == 0) calls = calls_of(f, "sbatch");
    assert_int_equal(MPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
  }
  mischief(f, "go", "");
  (void)snprintf(command, sizeof command,
                 "for i in $(seq 500); do grep -q COMPLETED '%s/jobs/2/state' && exit 0; "
                 "sleep 0.02; done; exit 1",
                 f->directory);
  conform_shell(command);
  gannet_evaluator_destroy(&evaluator);
}

static void what_a_stop_cancelled_is_begun_anew(void **state) {
  static const char text[] =
      "#!/bin/sh\n[ $GANNET_EVAL_ID != 99 ] || sleep 60\n"
      "until [ -e \"$GANNET_INPUT_DIRECTORY/go\" ]; do sleep 0.02; done\n"
      "printf 'objective 2\\nstress 1\\n' >results.out\n";
  standin *f = *state;
  double constraint = 0;
  char command[400];
  gannet_result_record result = {.constraints = &constraint};
  mischief(f, "job.tmpl", text);
  for (int own = 0; own < 2; ++own) { /* a script of the user's leaves no outcome */
    if (own) f->options.script = TEXT("job.tmpl");
    if (own) f->options.command.command.n = 0;
    if (!own) use_simulation(f, text);
    (void)snprintf(command, sizeof command, "cd '%s' && rm -rf jobs/* calls go evals",
                   f->directory);
    conform_shell(command);
    stop_two(f);
    gannet_evaluator *evaluator = standin_create(f);
    recovered(evaluator, 1, 1, false);
    recovered(evaluator, 2, 1, true);
    conform_collect(evaluator, 1, &result);
    is_done(&result);
    gannet_evaluator_destroy(&evaluator);
  }
}

/* A preemption ends the steps of a job, whose script writes that down, and puts the job back into
 * the queue, where it waits for longer than the grace. */
static void a_failure_before_a_requeue_is_not_judged(void **state) {
  standin *f = *state;
  const gannet_result_record result =
      standin_run(f,
                  "#!/bin/sh\ncd \"$GANNET_INPUT_DIRECTORY\"\n"
                  "if [ ! -e node.hold ] && [ ! -e again ]; then\n"
                  "  : >node.hold; : >again; echo PENDING >jobs/1/state\n"
                  "  (sleep 4; rm node.hold) >/dev/null 2>&1 &\n"
                  "  exit 1\n"
                  "fi\n"
                  "printf 'objective 2\\nstress 1\\n' >\"$GANNET_RESULTS\"\n");
  is_done(&result);
  if (f->context->rank == 0) assert_int_equal(calls_of(f, "sbatch"), 1);
}

/* Make one attempt whose job SLURM ends so. */
static gannet_result_record end_in_state(standin *f, gannet_evaluator *evaluator, int attempt,
                                         const char *state) {
  static double constraint;
  gannet_result_record result = {.constraints = &constraint};
  mischief(f, "node.state", state);
  standin_submit(evaluator, 1, attempt);
  conform_collect(evaluator, 1, &result);
  return result;
}

/* A preemption or a node that failed says nothing about the simulation, but has to have an end:
 * the simulation may be what ends the nodes. */
static void what_slurm_interrupts_does_not_count(void **state) {
  standin *f = *state;
  use_simulation(f, "#!/bin/sh\nexit 1\n");
  gannet_evaluator *evaluator = standin_create(f);
  for (int attempt = 1; attempt < 5; ++attempt) {
    const char *how = attempt == 2 ? "PREEMPTED\n" : "NODE_FAIL\n";
    gannet_result_record result = end_in_state(f, evaluator, attempt, how);
    assert_int_equal(result.status, GANNET_EVAL_PENDING);
    assert_string_equal(result.run.reason, ""); /* the campaign goes on */
  }
  if (f->context->rank == 0)
    assert_non_null(strstr(f->log,
                           ": PREEMPTED; the evaluation is submitted again, and that does "
                           "not count as an attempt"));
  gannet_result_record result = end_in_state(f, evaluator, 5, "NODE_FAIL\n");
  failed_with(&result, true, "SLURM ended the job: NODE_FAIL");
  if (f->context->rank == 0) /* or a resume would not count it */
    assert_false(exists(f->directory, "evals/000099/job.interrupted"));
  result = end_in_state(f, evaluator, 6, "PREEMPTED\n");
  assert_int_equal(result.status, GANNET_EVAL_PENDING);
  gannet_evaluator_destroy(&evaluator);
  /* A process that resumes need not ask SLURM, which may have forgotten the job. */
  mischief(f, "squeue.lose", "");
  mischief(f, "sacct.off", "");
  mischief(f, "scontrol.off", "");
  evaluator = standin_create(f);
  recovered(evaluator, 1, 6, false);
  gannet_evaluator_destroy(&evaluator);
}

/* A preemption by suspension, or two jobs that take turns. */
static void time_for_which_a_job_was_suspended_is_bad_luck(void **state) {
  standin *f = *state;
  f->setup.time_limit = 1;
  mischief(f, "squeue.state", "SUSPENDED\n");
  gannet_result_record result = standin_run(f, "#!/bin/sh\nexec sleep 20\n");
  failed_with(&result, true, "SLURM had suspended the job meanwhile");
  assert_false(result.run.crashed);
  no_mischief(f, "squeue.state");
  result = standin_run(f, NULL);
  failed_with(&result, false, "time limit of 1 s reached");
}

/* A node without the file system of the campaign says nothing about a design. */
static void a_job_that_a_node_cannot_begin_is_bad_luck(void **state) {
  standin *f = *state;
  f->options.script = TEXT("job.tmpl");
  mischief(f, "job.tmpl", "#!/bin/sh\nexit 1\n");
  mischief(f, "squeue.why", "JobLaunchFailure\n");
  gannet_result_record result = standin_run(f, NULL);
  failed_with(&result, true, "SLURM could not begin the job (JobLaunchFailure)");
  mischief(f, "sacct.signal", "53\n");
  result = standin_run(f, NULL);
  failed_with(&result, true, "SLURM could not begin the job (JobLaunchFailure)");
  assert_false(result.run.crashed);
}

/* SLURM 22.05 gives the same reason for each of them. */
static void a_script_that_a_signal_ended_was_begun(void **state) {
  standin *f = *state;
  f->options.script = TEXT("job.tmpl");
  mischief(f, "job.tmpl", "#!/bin/sh\nkill -SEGV $$\n");
  mischief(f, "squeue.why", "JobLaunchFailure\n");
  mischief(f, "sacct.signal", "11\n");
  const gannet_result_record result = standin_run(f, NULL);
  failed_with(&result, false, "ended by signal 11");
  assert_true(result.run.crashed);
}

/* What sbatch of 22.05 says of options that it never takes, and of some that it may take later. */
static void refusals_for_good_are_known(void **state) {
  static const char *const never[] = {
      "sbatch: error: Batch job submission failed: Invalid license specification",
      "sbatch: error: Batch job submission failed: Invalid node name specified",
      "sbatch: error: Maximum node count 1 is less than minimum node count 2",
      "sbatch: error: \"abc\" is not a valid node count",
      "sbatch: error: unrecognized --hint argument \"nope\", see --hint=help",
      "sbatch: option '--parsable' doesn't allow an argument",
      "sbatch: error: Batch job submission failed: Pathname of a file, directory or other "
      "parameter "
      "too long",
      "sbatch: error: Invalid --mem specification"};
  static const char *const later[] = {
      "sbatch: error: Batch job submission failed: Requested reservation is invalid",
      "sbatch: error: Batch job submission failed: Job dependency problem",
      ("sbatch: error: Batch job submission failed: Unable to contact slurm controller "
       "(connect failure)")};
  (void)state;
  for (size_t i = 0; i < sizeof never / sizeof *never; ++i)
    if (gannet_slurm_refusal_find(never[i]) != GANNET_SLURM_REFUSED) fail_msg("%s", never[i]);
  for (size_t i = 0; i < sizeof later / sizeof *later; ++i)
    if (gannet_slurm_refusal_find(later[i]) != GANNET_SLURM_TRY_LATER) fail_msg("%s", later[i]);
}

/* SLURM replaces %n in the path of a job's output. */
static void a_directory_may_have_percent_signs(void **state) {
  standin *f = *state;
  char campaign[300];
  (void)snprintf(campaign, sizeof campaign, "%s/10%%noise", f->directory);
  f->setup.campaign = campaign;
  const gannet_result_record result = standin_run(f, good);
  is_done(&result);
  if (f->context->rank > 0) return;
  assert_non_null(strstr(content(f->directory, "calls"), "/10%%noise/evals/000099/stdout.log"));
  assert_non_null(strstr(content(f->directory, "calls"), "/10%%noise/evals/000099/stderr.log"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, standin_set_up, standin_tear_down)

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      TEST(what_a_stop_cancelled_is_begun_anew),
      TEST(a_job_that_a_node_cannot_begin_is_bad_luck),
      TEST(a_script_that_a_signal_ended_was_begun),
      TEST(a_failure_before_a_requeue_is_not_judged),
      TEST(what_slurm_interrupts_does_not_count),
      TEST(time_for_which_a_job_was_suspended_is_bad_luck),
      TEST(refusals_for_good_are_known),
      TEST(a_directory_may_have_percent_signs),
  };
  MPI_Init(&argc, &argv);
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
