/* test: ranks 1 2 labels unit conform timeout 240 processors 1 */
#include "standin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>

/* Counts its runs, so that nothing can be run twice unseen. */
static const char good[] =
    "#!/bin/sh\n"
    "echo run >>\"$GANNET_INPUT_DIRECTORY/runs\"\n"
    "printf 'objective 2\\nstress 1\\n' >results.out\n";

static void jobs_conform(void **state) {
  standin *f = *state;
  use_bowl(f);
  conform_evaluator(slurm_type(), &f->options, &f->setup);
}

/* The job is known by campaign, evaluation and nonce; the record says where it ran. */
static void a_job_has_a_name_an_id_and_a_host(void **state) {
  standin *f = *state;
  const gannet_result_record result = standin_run(f, good);
  is_done(&result);
  assert_string_equal(result.run.job, "1");
  assert_true(result.run.host[0] && result.run.exit_code == 0);
  if (f->context->rank > 0) return;
  assert_string_equal(content(f->directory, "jobs/1/name"),
                      "a_campaign_of_mine-000099-0000000000000411\n");
  assert_non_null(strstr(content(f->directory, "evals/000099/attempt.json"), "\"job\": \"1\""));
  assert_non_null(strstr(content(f->directory, "jobs/1/environment"), "GANNET_SEED='7'"));
  assert_runs(f, 1);
}

/* A script of the user's knows nothing of outcome.json: its results and the state decide. */
static void a_script_of_ones_own_needs_no_wrapper(void **state) {
  standin *f = *state;
  f->options.script = TEXT("job.tmpl");
  mischief(f, "job.tmpl",
           "#!/bin/sh\n#SBATCH --ntasks=1\n"
           "test \"$GANNET_SEED\" = {seed} && echo {fins} \\{unknown} ${HOME} >seen\n"
           "printf 'objective 2\\nstress 1\\n' >\"$GANNET_RESULTS\"\n");
  gannet_result_record result = standin_run(f, NULL);
  is_done(&result);
  if (f->context->rank == 0)
    assert_int_equal(strncmp(content(f->directory, "evals/000099/seen"), "2 {unknown} /", 13), 0);
  mischief(f, "job.tmpl", "#!/bin/sh\necho broken >&2; exit 3\n");
  result = standin_run(f, NULL);
  failed_with(&result, false, "exit code 3; stderr: broken");
  mischief(f, "sacct.off", ""); /* then scontrol tells */
  result = standin_run(f, NULL);
  failed_with(&result, false, "exit code 3");
  mischief(f, "scontrol.off", "");
  result = standin_run(f, NULL);
  failed_with(&result, false, "FAILED, with an unknown exit code; stderr: broken");
}

static void endings_are_judged_as_those_of_commands(void **state) {
  standin *f = *state;
  double codes[] = {42, 150};
  f->options.command.cannot_run_exit_codes = (gannet_real_list){2, codes};
  gannet_result_record result = standin_run(f, "#!/bin/sh\necho it hurts >&2; exit 4\n");
  failed_with(&result, false, "exit code 4; stderr: it hurts");
  assert_int_equal(result.run.exit_code, 4);
  result = standin_run(f, "#!/bin/sh\nexit 42\n");
  assert_int_equal(result.status, GANNET_EVAL_CANNOT_RUN);
  result = standin_run(f, "#!/bin/sh\nexit 150\n"); /* also the shell's word for signal 22 */
  assert_int_equal(result.status, GANNET_EVAL_CANNOT_RUN);
  result = standin_run(f, "#!/bin/sh\nkill -SEGV $$\n");
  failed_with(&result, false, "signal 11");
  assert_int_equal(result.run.signal, SIGSEGV);
  result = standin_run(f, "#!/bin/sh\nkill -KILL $$\n");
  failed_with(&result, true, "signal 9");
  result = standin_run(f, "#!/bin/sh\necho fail too thin >results.out; exit 4\n");
  assert_int_equal(result.status, GANNET_EVAL_CANNOT_RUN);
  mischief(f, "node.state", "TIMEOUT\n");
  result = standin_run(f, NULL);
  assert_int_equal(result.status, GANNET_EVAL_CANNOT_RUN);
  assert_string_equal(result.run.reason, "too thin");
  no_mischief(f, "node.state");
  f->options.grace = 0.2;
  result = standin_run(f, "#!/bin/sh\nexit 0\n");
  failed_with(&result, false, "no results.out");
}

/* users-ask 12 (ert #621): the limit is kept on the node, and by the controller if that fails. */
/* Complaints: SMAC3 #1020, SMAC3 #1026. */
static void time_limits_hold(void **state) {
  standin *f = *state;
  f->setup.time_limit = 1;
  gannet_result_record result = standin_run(f, "#!/bin/sh\nsleep 30 & sleep 30\n");
  failed_with(&result, false, "time limit of 1 s reached");
  f->options.script = TEXT("job.tmpl");
  f->options.command.command.n = 0;
  mischief(f, "job.tmpl", "#!/bin/sh\nsleep 30\n");
  result = standin_run(f, NULL);
  failed_with(&result, false, "time limit of 1 s reached");
  assert_int_equal(result.run.failure, GANNET_FAILURE_TIME);
  assert_true(result.run.crashed);
  if (f->context->rank == 0)
    assert_string_equal(content(f->directory, "jobs/2/state"), "CANCELLED\n");
}

/* Without a time between SIGTERM and SIGKILL there is only the latter. */
static void without_grace_a_time_limit_kills_at_once(void **state) {
  standin *f = *state;
  f->setup.time_limit = 1;
  f->options.command.kill_grace = 0;
  const gannet_result_record result = standin_run(f, "#!/bin/sh\ntrap '' TERM\nsleep 30\n");
  failed_with(&result, false, "time limit of 1 s reached");
  if (f->context->rank != 0) return;
  /* On the node, and not later by scancel; the scheduler may say so after the result is read. */
  for (int i = 0; i < 1000 && strcmp(content(f->directory, "jobs/1/state"), "RUNNING\n") == 0; ++i)
    gannet_clock_sleep(0.02);
  assert_string_equal(content(f->directory, "jobs/1/state"), "FAILED\n");
}

/* users-ask 10 (haddock3 #718): TIMEOUT and all the others are known words. */
static void the_scheduler_s_reasons_become_the_result_s(void **state) {
  standin *f = *state;
  static const char *const bad_luck[] = {"OUT_OF_MEMORY\n", "REVOKED\n", "LAUNCH_FAILED\n",
                                         "CANCELLED by 1000\n"};
  static const char sim[] = "#!/bin/sh\necho end >&2; exit 1\n";
  gannet_result_record result;
  for (int i = 0; i < 4; ++i) {
    mischief(f, "node.state", bad_luck[i]);
    result = standin_run(f, sim);
    failed_with(&result, true, "SLURM ended the job: ");
    failed_with(&result, true, "stderr: end");
  }
  mischief(f, "node.state", "TIMEOUT\n");
  result = standin_run(f, sim);
  failed_with(&result, false, "time limit reached: SLURM ended the job: TIMEOUT");
  result = standin_run(f, good); /* complete results count although the node failed afterwards */
  is_done(&result);
}

/* users-ask 8, 9, 14 (Parsl #2207, nextflow #193, slurm-pipeline #45): a job that is not listed is
 * unknown. The files decide, then sacct, then scontrol, then time. */
static double unreadable_until; /* gannet_clock_seconds: results.out cannot be opened before */

/* In place of that of the C library. */
int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (unreadable_until > 0 && strstr(path, "results.out") &&
      gannet_clock_seconds() < unreadable_until) {
    errno = ESTALE;
    return -1;
  }
  return openat(AT_FDCWD, path, flags, mode);
}

static void a_lost_job_is_not_done(void **state) {
  standin *f = *state;
  mischief(f, "squeue.lose", "");
  gannet_result_record result = standin_run(f, good);
  is_done(&result);
  result = standin_run(f, "#!/bin/sh\nsleep 2; printf 'objective 2\\nstress 1\\n' >results.out\n");
  is_done(&result); /* beyond the grace time, because sacct says RUNNING */
  mischief(f, "sacct.off", "");
  result = standin_run(f, NULL);
  is_done(&result); /* because scontrol does */
  mischief(f, "scontrol.off", "");
  result = standin_run(f, NULL);
  double missing = 0; /* seconds, which are more where the processors are busy */
  failed_with(&result, true, " s SLURM has known nothing of job 4");
  assert_int_equal(sscanf(result.run.reason, "lost: for %lf s", &missing), 1);
  assert_true(missing >= f->options.grace);
  if (f->context->rank > 0) return;
  assert_string_equal(content(f->directory, "jobs/4/state"), "CANCELLED\n");
  assert_int_equal(calls_of(f, "sacct") < calls_of(f, "squeue"), 1); /* asked once when off */
}

/* A script without a wrapper that nobody knows anything of: its complete results count. */
static void results_of_a_lost_job_count(void **state) {
  standin *f = *state;
  f->options.script = TEXT("job.tmpl");
  mischief(f, "job.tmpl", "#!/bin/sh\nprintf 'objective 2\\nstress 1\\n' >results.out\n");
  mischief(f, "squeue.lose", "");
  mischief(f, "sacct.off", "");
  mischief(f, "scontrol.off", "");
  const gannet_result_record result = standin_run(f, NULL);
  is_done(&result);
}

/* users-ask 10, 11 (haddock3 #718, ert #11115): words of the future neither end nor hang a run. */
static void invented_states_are_survived(void **state) {
  standin *f = *state;
  mischief(f, "squeue.state", "ENTANGLED\n");
  gannet_result_record result = standin_run(f, good);
  is_done(&result);
  mischief(f, "sacct.state", "ENTANGLED\n");
  result = standin_run(f, "#!/bin/sh\nsleep 30\n");
  failed_with(&result, true, "SLURM has reported no known state of job 2");
  if (f->context->rank == 0) assert_non_null(strstr(f->log, "SLURM says 'ENTANGLED'"));
}

/* A job that is listed twice counts as the one that has not ended. */
static void a_job_listed_twice_is_one_job(void **state) {
  standin *f = *state;
  mischief(f, "squeue.twice", "");
  f->options.script = TEXT("job.tmpl");
  mischief(f, "job.tmpl",
           "#!/bin/sh\nsleep 1.5\nprintf 'objective 2\\nstress 1\\n' >results.out\n");
  f->options.grace = 0.2;
  const gannet_result_record result = standin_run(f, NULL);
  is_done(&result);
}

static void late_answers_are_waited_for(void **state) {
  standin *f = *state;
  mischief(f, "squeue.late", "0.7\n");
  mischief(f, "sbatch.late", "0.7\n");
  const gannet_result_record result = standin_run(f, good);
  is_done(&result);
  assert_runs(f, 1);
}

/* The file server is away for longer than the grace: whether the job ended cannot be known. */
static void results_of_a_lost_job_that_cannot_be_read_are_waited_for(void **state) {
  standin *f = *state;
  f->options.script = TEXT("job.tmpl");
  mischief(f, "job.tmpl", "#!/bin/sh\nprintf 'objective 2\nstress 1\n' >results.out\n");
  mischief(f, "squeue.lose", "");
  mischief(f, "sacct.off", "");
  mischief(f, "scontrol.off", "");
  unreadable_until = gannet_clock_seconds() + 4 * f->options.grace;
  gannet_result_record result = standin_run(f, NULL);
  is_done(&result);
  f->options.patience = 2 * f->options.grace;
  unreadable_until = INFINITY;
  result = standin_run(f, NULL);
  unreadable_until = 0;
  comes_back(&result, strerror(ESTALE));
}

/* users-ask 6, 16 (SMAC3 #1016, EngiBench #107): limits of the site are waited out. */
static void refusals_that_may_pass_are_waited_out(void **state) {
  standin *f = *state;
  mischief(f, "sbatch.fail", "3\n");
  mischief(f, "sbatch.says",
           "sbatch: error: AssocMaxSubmitJobLimit\nsbatch: error: Batch job submission failed: Job "
           "violates accounting/QOS policy (job submit limit, user's size and/or time limits)\n");
  gannet_result_record result = standin_run(f, good);
  is_done(&result);
  assert_runs(f, 1);
  if (f->context->rank == 0) assert_non_null(strstr(f->log, "AssocMaxSubmitJobLimit"));
  f->options.patience = 0.3;
  mischief(f, "sbatch.fail", "1000\n");
  result = standin_run(f, good);
  comes_back(&result, "sbatch refused the job: sbatch: error: AssocMaxSubmitJobLimit|");
}

/* users-ask 43, 44 (everest #142, optimas #143): what cannot work fails with the reason. */
/* Complaints: deephyper #152. */
static void refusals_for_good_fail_at_once(void **state) {
  standin *f = *state;
  mischief(f, "sbatch.fail", "1000\n");
  mischief(f, "sbatch.says",
           "sbatch: error: invalid partition specified: fats\nsbatch: error: Batch job submission "
           "failed: Invalid partition name specified\n");
  const gannet_result_record result = standin_run(f, good);
  failed_with(&result, false, "invalid partition specified: fats");
  if (f->context->rank == 0) assert_int_equal(calls_of(f, "sbatch"), 1);
}

static const char slow[] =
    "#!/bin/sh\nsleep 0.7\necho run >>\"$GANNET_INPUT_DIRECTORY/runs\"\n"
    "printf 'objective 2\\nstress 1\\n' >results.out\n";

/* No answer of sbatch, or none that makes sense: the job is found by its name and not run twice. */
static void a_job_accepted_without_an_answer_is_found(void **state) {
  standin *f = *state;
  f->options.commands.timeout = 3; /* in which a busy machine accepts a job */
  mischief(f, "sbatch.hang", "1\n");
  const gannet_result_record result = standin_run(f, slow);
  is_done(&result);
  assert_runs(f, 1);
  if (f->context->rank == 0) assert_int_equal(calls_of(f, "sbatch"), 1);
}

static void a_job_accepted_without_its_number_is_found(void **state) {
  standin *f = *state;
  mischief(f, "sbatch.mute", "");
  const gannet_result_record result = standin_run(f, slow);
  is_done(&result);
  assert_runs(f, 1);
  if (f->context->rank == 0) assert_int_equal(calls_of(f, "sbatch"), 1);
}

/* ... and when it was not accepted after all, it is submitted again. */
static void a_job_that_was_not_accepted_is_submitted_again(void **state) {
  standin *f = *state;
  mischief(f, "sbatch.fail", "1\n");
  mischief(f, "sbatch.says",
           "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation\n");
  const gannet_result_record result = standin_run(f, good);
  is_done(&result);
  assert_runs(f, 1);
  if (f->context->rank == 0) assert_int_equal(calls_of(f, "sbatch"), 2);
}

/* users-ask 13 (reframe #283): one call for all jobs, and fewer while nothing happens. */
/* Complaints: slurm #74, accel-sim #237. */
static void the_scheduler_is_asked_once_for_all(void **state) {
  standin *f = *state;
  double constraints[CONFORM_RUNS];
  gannet_result_record results[CONFORM_RUNS];
  for (int i = 0; i < CONFORM_RUNS; ++i) results[i].constraints = &constraints[i];
  use_simulation(f, "#!/bin/sh\nsleep 3; printf 'objective 2\\nstress 1\\n' >results.out\n");
  gannet_evaluator *evaluator = standin_create(f);
  const double start = gannet_clock_seconds();
  for (int i = 0; i < CONFORM_RUNS; ++i) standin_submit(evaluator, i, 1);
  conform_collect(evaluator, CONFORM_RUNS, results);
  for (int i = 0; i < CONFORM_RUNS; ++i) is_done(&results[i]);
  gannet_evaluator_destroy(&evaluator);
  if (f->context->rank > 0) return;
  const double polls = (gannet_clock_seconds() - start) / f->options.poll_interval;
  assert_int_equal(calls_of(f, "sacct") + calls_of(f, "scontrol"), 0);
  assert_true(calls_of(f, "squeue") <= 8 + polls / 2); /* backed off: below one per interval */
}

static void recovered(gannet_evaluator *evaluator, int i, int attempt, bool expected) {
  double x[CONFORM_VARIABLES];
  bool taken = !expected;
  const gannet_request request = standin_request(i, attempt, x);
  assert_ok(gannet_evaluator_recover(evaluator, &request, &taken));
  assert_int_equal(taken, expected);
}

/* users-ask 4 (conventions), 21 (optuna #485, #3215): a controller dies, its jobs are adopted. */
/* Complaints: optuna #3215, optuna #1641, optuna #2908. */
static void jobs_outlive_their_controller(void **state) {
  standin *f = *state;
  double constraints[3];
  gannet_result_record results[3];
  for (int i = 0; i < 3; ++i) results[i].constraints = &constraints[i];
  f->options.when_stopped = GANNET_SLURM_LEAVE;
  use_simulation(f,
                 "#!/bin/sh\necho run >>\"$GANNET_INPUT_DIRECTORY/runs\"\n"
                 "[ $GANNET_EVAL_ID = 100 ] || sleep 2\n"
                 "printf 'objective 2\\nstress 1\\n' >results.out\n");
  gannet_evaluator *evaluator = standin_create(f);
  for (int i = 0; i < 3; ++i) standin_submit(evaluator, i, 1);
  for (int n = 0, more = 0; n == 0; n += more) /* evaluation 100, which is lost with its process */
    assert_ok(gannet_evaluator_poll(evaluator, 1, 1, &more, results));
  gannet_evaluator_destroy(&evaluator);
  if (f->context->rank == 0) { /* as if the process had died before sbatch answered */
    char path[400];
    (void)snprintf(path, sizeof path, "%s/evals/000098", f->directory);
    const gannet_attempt_runner attempt = {.attempt = 1, .nonce = 1042};
    assert_ok(gannet_attempt_write(path, &attempt));
  }
  evaluator = standin_create(f);
  for (int i = 0; i < 3; ++i) recovered(evaluator, i, 1, true);
  recovered(evaluator, 0, 2, false); /* of another nonce */
  recovered(evaluator, 5, 1, false); /* never begun */
  conform_collect(evaluator, 3, results);
  for (int i = 0; i < 3; ++i) is_done(&results[i]);
  gannet_evaluator_destroy(&evaluator);
  assert_runs(f, 3);
  if (f->context->rank == 0) assert_int_equal(calls_of(f, "sbatch"), 3);
}

/* ... also while the scheduler is down; what it never got is submitted when it is back. */
static void recovery_waits_for_a_scheduler_that_is_down(void **state) {
  standin *f = *state;
  double constraint = 0;
  gannet_result_record result = {.constraints = &constraint};
  f->options.when_stopped = GANNET_SLURM_LEAVE;
  use_simulation(f, good);
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1); /* written, but not yet given to sbatch */
  gannet_evaluator_destroy(&evaluator);
  mischief(f, "squeue.fail", "3\n");
  evaluator = standin_create(f);
  recovered(evaluator, 1, 1, true);
  conform_collect(evaluator, 1, &result);
  is_done(&result);
  assert_runs(f, 1);
  gannet_evaluator_destroy(&evaluator);
}

/* ... unless the process ended before it had written the script. */
static void what_has_no_script_was_never_submitted(void **state) {
  standin *f = *state;
  char command[400];
  f->options.when_stopped = GANNET_SLURM_LEAVE;
  use_simulation(f, good);
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  gannet_evaluator_destroy(&evaluator);
  (void)snprintf(command, sizeof command, "rm '%s'/evals/000099/job.sh", f->directory);
  conform_shell(command);
  mischief(f, "squeue.fail", "3\n");
  evaluator = standin_create(f);
  recovered(evaluator, 1, 1, false);
  gannet_evaluator_destroy(&evaluator);
}

/* A failure that was not read before SLURM forgot its job is not run a second time. */
static void a_forgotten_failure_is_read(void **state) {
  standin *f = *state;
  double constraint = 0;
  gannet_result_record result = {.constraints = &constraint};
  f->options.when_stopped = GANNET_SLURM_LEAVE;
  use_simulation(f, "#!/bin/sh\necho run >>\"$GANNET_INPUT_DIRECTORY/runs\"\nexit 3\n");
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  conform_collect(evaluator, 1, &result);
  gannet_evaluator_destroy(&evaluator);
  if (f->context->rank == 0) { /* as if the process had died before sbatch answered */
    char path[400];
    (void)snprintf(path, sizeof path, "%s/evals/000099", f->directory);
    const gannet_attempt_runner attempt = {.attempt = 1, .nonce = 1041};
    assert_ok(gannet_attempt_write(path, &attempt));
  }
  mischief(f, "squeue.lose", "");
  evaluator = standin_create(f);
  recovered(evaluator, 1, 1, true);
  conform_collect(evaluator, 1, &result);
  failed_with(&result, false, "exit code 3");
  gannet_evaluator_destroy(&evaluator);
  assert_runs(f, 1);
}

/* A job that was given up and starts after all finds its place taken and does nothing. */
static void a_job_that_was_replaced_does_nothing(void **state) {
  standin *f = *state;
  double constraint = 0;
  gannet_result_record result = {.constraints = &constraint};
  mischief(f, "node.hold", "");
  mischief(f, "squeue.lose", "");
  mischief(f, "sacct.off", "");
  mischief(f, "scontrol.off", "");
  f->options.commands.scancel = TEXT("/bin/true"); /* and scancel does not reach it */
  use_simulation(f, good);
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  conform_collect(evaluator, 1, &result);
  failed_with(&result, true, "lost");
  standin_submit(evaluator, 1, 2);
  no_mischief(f, "node.hold");
  conform_collect(evaluator, 1, &result);
  is_done(&result);
  gannet_evaluator_destroy(&evaluator);
  if (f->context->rank == 0)
    for (int i = 0; i < 1000 && !exists(f->directory, "jobs/1/exit"); ++i) gannet_clock_sleep(0.02);
  assert_runs(f, 1);
}

/* users-ask 46 (libEnsemble #21): nothing is left running when that is wanted. */
static void cancelled_jobs_are_cancelled(void **state) {
  standin *f = *state;
  int n = 0;
  gannet_result_record none;
  use_simulation(f, "#!/bin/sh\nsleep 60\n");
  gannet_evaluator *evaluator = standin_create(f);
  for (int i = 0; i < 3; ++i) standin_submit(evaluator, i, 1);
  for (int i = 0; i < 5; ++i) assert_ok(gannet_evaluator_poll(evaluator, 0.2, 1, &n, &none));
  mischief(f, "scancel.fail", "2\n"); /* tried three times */
  gannet_evaluator_destroy(&evaluator);
  if (f->context->rank > 0) return;
  assert_string_equal(content(f->directory, "jobs/1/state"), "CANCELLED\n");
  assert_string_equal(content(f->directory, "jobs/2/state"), "CANCELLED\n");
  assert_string_equal(content(f->directory, "jobs/3/state"), "CANCELLED\n");
}

static void expect(standin *f, const char *where, const char *part) {
  gannet_complaints complaints = {0};
  assert_ok(gannet_evaluator_check(slurm_type(), &f->options, &f->setup, &complaints));
  assert_true(complaints.count > 0);
  assert_fails(GANNET_ERR_INPUT, where, gannet_complaints_raise(&complaints));
  assert_non_null(strstr(gannet_error_message(), part));
  gannet_complaints_release(&complaints);
}

static void what_is_wrong_is_seen_before_anything_runs(void **state) {
  standin *f = *state;
  char *item[] = {TEXT("partition=short")};
  expect(f, "evaluate.command", "missing");
  use_simulation(f, good);
  f->options.sbatch = (gannet_text_list){1, item};
  expect(f, "evaluate.sbatch", "no option of sbatch");
  f->options.sbatch.n = 0;
  f->options.script = TEXT("nowhere.sh");
  expect(f, "evaluate.script", "cannot read 'nowhere.sh'");
  expect(f, "evaluate.script", "either script or command");
  f->options.script = NULL;
  f->options.commands.squeue = TEXT("./no-squeue");
  expect(f, "evaluate.squeue_command", "cannot run './no-squeue'");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, standin_set_up, standin_tear_down)

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      TEST(jobs_conform),
      TEST(a_job_has_a_name_an_id_and_a_host),
      TEST(a_script_of_ones_own_needs_no_wrapper),
      TEST(endings_are_judged_as_those_of_commands),
      TEST(time_limits_hold),
      TEST(without_grace_a_time_limit_kills_at_once),
      TEST(the_scheduler_s_reasons_become_the_result_s),
      TEST(a_lost_job_is_not_done),
      TEST(results_of_a_lost_job_count),
      TEST(results_of_a_lost_job_that_cannot_be_read_are_waited_for),
      TEST(invented_states_are_survived),
      TEST(a_job_listed_twice_is_one_job),
      TEST(late_answers_are_waited_for),
      TEST(refusals_that_may_pass_are_waited_out),
      TEST(refusals_for_good_fail_at_once),
      TEST(a_job_accepted_without_an_answer_is_found),
      TEST(a_job_accepted_without_its_number_is_found),
      TEST(a_job_that_was_not_accepted_is_submitted_again),
      TEST(the_scheduler_is_asked_once_for_all),
      TEST(jobs_outlive_their_controller),
      TEST(recovery_waits_for_a_scheduler_that_is_down),
      TEST(what_has_no_script_was_never_submitted),
      TEST(a_forgotten_failure_is_read),
      TEST(a_job_that_was_replaced_does_nothing),
      TEST(cancelled_jobs_are_cancelled),
      TEST(what_is_wrong_is_seen_before_anything_runs),
  };
  MPI_Init(&argc, &argv);
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
