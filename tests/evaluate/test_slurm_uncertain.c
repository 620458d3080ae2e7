/* test: ranks 1 labels unit timeout 240 processors 1 */
/* sbatch accepts a job and then fails: no attempt runs twice. */
#include "standin_arrays.h"

#include "evaluate/slurm/answers.h"

/* One of the ways in which sbatch fails after it has accepted the job. */
typedef struct {
  const char *ends, *says;
  bool tells;
} way;

static const way ways[] = {
    {"killed", "", false},
    {"killed", "", true},
    {"stopped", "", false},
    {"stopped", "", true},
    {"", "", false},
    {"", "", true},
    {"", "sbatch: error: Batch job submission failed: Message receive failure\n", false},
    {"",
     "sbatch: error: Batch job submission failed: Header lengths are longer than data received\n",
     false},
    {"",
     "sbatch: error: Batch job submission failed: Unable to contact slurm controller (receive "
     "failure)\n",
     false},
    {"", "sbatch: error: Batch job submission failed: Some text of a later version\n", false},
    /* A site's filter says before what would be a refusal by itself. */
    {"",
     "sbatch: error: invalid account given, the default is used\nsbatch: error: Batch job "
     "submission failed: Zero Bytes were transmitted or received\n",
     false},
};

enum { N_WAYS = sizeof ways / sizeof *ways };

static const char slow[] =
    "#!/bin/sh\necho \"$GANNET_NONCE\" >>\"$GANNET_INPUT_DIRECTORY/runs\"\nsleep 0.4\n"
    "printf 'objective 2\\nstress 1\\n' >results.out\n";

static void fail_like(standin *f, const way *w) {
  mischief(f, "sbatch.accept", "1\n");
  mischief(f, "sbatch.ends", w->ends);
  mischief(f, "sbatch.says", w->says);
  no_mischief(f, "sbatch.tells");
  if (w->tells) mischief(f, "sbatch.tells", "");
}

static void start_anew(const standin *f) {
  char command[400];
  (void)snprintf(command, sizeof command,
                 "cd '%s' && rm -rf calls runs evals slurm && find jobs -mindepth 1 -delete",
                 f->directory);
  conform_shell(command);
}

/* Four evaluations, submitted by calls of sbatch the first of which fails like this. */
static void submit_uncertain(standin *f, const way *w, int expected_calls) {
  collection all = {0};
  f->options.grace = 5;
  start_anew(f);
  fail_like(f, w);
  gannet_evaluator *evaluator = standin_create(f);
  submit_all(evaluator, RUNS, 1);
  collect(evaluator, RUNS, &all);
  gannet_evaluator_destroy(&evaluator);
  for (int i = 0; i < RUNS; ++i) is_done(result_of(&all, 100 - i));
  assert_runs(f, RUNS);
  if (calls_of(f, "sbatch") != expected_calls)
    fail_msg("'%s' '%s': %d calls of sbatch", w->ends, w->says, calls_of(f, "sbatch"));
}

static void no_job_is_submitted_twice(void **state) {
  standin *f = *state;
  f->options.commands.timeout = 3; /* in which a busy machine accepts a job */
  use_simulation(f, slow);
  for (int i = 0; i < N_WAYS; ++i) submit_uncertain(f, &ways[i], RUNS);
}

static void no_array_is_submitted_twice(void **state) {
  standin *f = *state;
  f->options.commands.timeout = 4; /* in which all elements are there */
  use_simulation(f, slow);
  use_arrays(f, GANNET_SLURM_ARRAYS, 1, 1);
  for (int i = 0; i < N_WAYS; i += 3) submit_uncertain(f, &ways[i], 1);
}

static void no_bundle_is_submitted_twice(void **state) {
  standin *f = *state;
  f->options.commands.timeout = 3; /* in which a busy machine accepts a job */
  use_simulation(f, slow);
  use_arrays(f, GANNET_SLURM_JOBS, 2, 2);
  for (int i = 1; i < N_WAYS; i += 3) submit_uncertain(f, &ways[i], 2);
}

/* ... nor a script of the user's. */
static void no_script_is_submitted_twice(void **state) {
  standin *f = *state;
  f->options.script = TEXT("job.tmpl");
  f->options.commands.timeout = 3; /* in which a busy machine accepts a job */
  mischief(f, "job.tmpl", slow);
  for (int i = 0; i < N_WAYS; i += 4) submit_uncertain(f, &ways[i], RUNS);
}

/* A controller that is busy lists a job late. */
static void a_job_that_is_listed_late_is_found(void **state) {
  standin *f = *state;
  f->options.grace = 20;
  mischief(f, "squeue.late-list", "3\n");
  use_simulation(f,
                 "#!/bin/sh\necho run >>\"$GANNET_INPUT_DIRECTORY/runs\"\nsleep 5\n"
                 "printf 'objective 2\\nstress 1\\n' >results.out\n");
  mischief(f, "sbatch.accept", "1\n");
  mischief(f, "node.hold", "");
  double constraint = 0;
  gannet_result_record result = {.constraints = &constraint};
  int n = 0;
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  for (int i = 0; i < 20; ++i) assert_ok(gannet_evaluator_poll(evaluator, 0.1, 1, &n, &result));
  no_mischief(f, "node.hold");
  conform_collect(evaluator, 1, &result);
  gannet_evaluator_destroy(&evaluator);
  is_done(&result);
  assert_runs(f, 1);
  assert_int_equal(calls_of(f, "sbatch"), 1);
}

/* A job that began and ended between two lists, and that SLURM has forgotten since. */
static void a_job_that_is_listed_never_is_known_by_its_files(void **state) {
  standin *f = *state;
  mischief(f, "squeue.lose", "");
  mischief(f, "sacct.off", "");
  mischief(f, "scontrol.off", "");
  mischief(f, "sbatch.accept", "1\n");
  f->options.grace = 3;
  const gannet_result_record result = standin_run(f, slow);
  is_done(&result);
  assert_runs(f, 1);
  assert_int_equal(calls_of(f, "sbatch"), 1);
}

static void a_job_that_only_the_accounting_knows_is_found(void **state) {
  standin *f = *state;
  f->options.script = TEXT("job.tmpl");
  mischief(f, "job.tmpl", "#!/bin/sh\necho run >>\"$GANNET_INPUT_DIRECTORY/runs\"\nexit 3\n");
  mischief(f, "squeue.lose", "");
  mischief(f, "sbatch.accept", "1\n");
  const gannet_result_record result = standin_run(f, NULL);
  failed_with(&result, false, "exit code 3");
  assert_runs(f, 1);
  assert_int_equal(calls_of(f, "sbatch"), 1);
}

/* What sbatch never takes, and says so in words that nobody knows, stops the campaign in the end.
 */
static void doubt_has_an_end(void **state) {
  standin *f = *state;
  f->options.patience = 1;
  f->options.grace = 0.2;
  mischief(f, "sbatch.fail", "1000\n");
  mischief(f, "sbatch.says", "");
  const gannet_result_record result = standin_run(f, slow);
  comes_back(&result, "SLURM does not know the job: exit code 1, and no word of why");
  assert_runs(f, 0);
  assert_true(calls_of(f, "sbatch") > 1);
}

/* Somebody discards an evaluation while sbatch has not said whether it took its array. One list
 * that lacks the array proves nothing to the other evaluations in it. */
static void the_others_of_a_submission_go_on(void **state) {
  standin *f = *state;
  collection all = {0};
  gannet_result_record none = {.constraints = all.constraints};
  int n = 0;
  use_arrays(f, GANNET_SLURM_ARRAYS, 1, 1);
  use_simulation(f, slow);
  mischief(f, "sbatch.fail", "1\n");
  mischief(f, "sbatch.says", "sbatch: error: Some text of a later version\n");
  gannet_evaluator *evaluator = standin_create(f);
  submit_all(evaluator, RUNS, 1);
  assert_ok(gannet_evaluator_poll(evaluator, 0.05, 1, &n, &none));
  assert_int_equal(calls_of(f, "sbatch"), 1);
  assert_ok(gannet_evaluator_withdraw(evaluator, 99));
  collect(evaluator, RUNS - 1, &all);
  gannet_evaluator_destroy(&evaluator);
  is_done(result_of(&all, 97));
  is_done(result_of(&all, 98));
  is_done(result_of(&all, 100));
  assert_runs(f, RUNS - 1);
}

/* squeue does not answer when a process resumes, and then it does. */
static void a_submission_is_recovered_as_a_whole(void **state) {
  standin *f = *state;
  collection all = {0};
  gannet_result_record none = {.constraints = all.constraints};
  double x[CONFORM_VARIABLES];
  int n = 0;
  use_arrays(f, GANNET_SLURM_ARRAYS, 1, 1);
  use_simulation(f, slow);
  f->options.when_stopped = GANNET_SLURM_LEAVE;
  mischief(f, "sbatch.fail", "1\n");
  mischief(f, "sbatch.says", "sbatch: error: Some text of a later version\n");
  gannet_evaluator *evaluator = standin_create(f);
  submit_all(evaluator, RUNS, 1);
  assert_ok(gannet_evaluator_poll(evaluator, 0.05, 1, &n, &none));
  gannet_evaluator_destroy(&evaluator);
  mischief(f, "squeue.fail", "1\n");
  evaluator = standin_create(f);
  for (int i = 0; i < RUNS; ++i) {
    bool taken = false;
    const gannet_request request = standin_request(i, 1, x);
    assert_ok(gannet_evaluator_recover(evaluator, &request, &taken));
    assert_true(taken);
  }
  collect(evaluator, RUNS, &all);
  gannet_evaluator_destroy(&evaluator);
  for (int64_t id = 97; id <= 100; ++id) is_done(result_of(&all, id));
  assert_runs(f, RUNS);
}

/* Both jobs of an attempt are there: the script of the second does nothing, and the result is that
 * of the first. */
static void the_second_job_of_an_attempt_does_nothing(void **state) {
  standin *f = *state;
  double constraint = 0;
  int n = 0;
  gannet_result_record result = {.constraints = &constraint};
  char command[900];
  use_simulation(f,
                 "#!/bin/sh\necho run >>\"$GANNET_INPUT_DIRECTORY/runs\"\necho begun\nsleep 3\n"
                 "printf 'objective 2\\nstress 1\\n' >results.out\n");
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  for (int i = 0; i < 100 && !exists(f->directory, "runs"); ++i)
    assert_ok(gannet_evaluator_poll(evaluator, 0.1, 1, &n, &result));
  assert_int_equal(n, 0);
  /* As if gannet knew only the second one. */
  (void)snprintf(command, sizeof command,
                 "cd '%s' && cp -r jobs/1 jobs/2 && rm -f jobs/2/pid && echo PENDING >jobs/2/state",
                 f->directory);
  conform_shell(command);
  conform_collect(evaluator, 1, &result);
  gannet_evaluator_destroy(&evaluator);
  is_done(&result);
  assert_runs(f, 1);
  assert_string_equal(content(f->directory, "evals/000099/stdout.log"), "begun\n");
  assert_non_null(strstr(content(f->directory, "evals/000099/gannet.log"),
                         "job 2 does nothing: job 1 has begun this attempt"));
  /* ... also when the first has ended. */
  (void)snprintf(command, sizeof command, "cd '%s' && SLURM_JOB_ID=3 sh evals/000099/job.sh",
                 f->directory);
  conform_shell(command);
  assert_runs(f, 1);
}

static void the_job_that_began_is_followed(void **state) {
  standin *f = *state;
  double constraint = 0;
  int n = 0;
  gannet_result_record result = {.constraints = &constraint};
  char command[900];
  use_simulation(f,
                 "#!/bin/sh\necho run >>\"$GANNET_INPUT_DIRECTORY/runs\"\nsleep 4\n"
                 "printf 'objective 2\\nstress 1\\n' >results.out\n");
  mischief(f, "node.hold", "");
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  for (int i = 0; i < 100 && !exists(f->directory, "jobs/1/name"); ++i)
    assert_ok(gannet_evaluator_poll(evaluator, 0.1, 1, &n, &result));
  (void)snprintf(command, sizeof command,
                 "cd '%s' && cp -r jobs/1 jobs/2 && echo RUNNING >jobs/2/state && "
                 "(SLURM_JOB_ID=2 GANNET_INPUT_DIRECTORY=. jobs/2/script >/dev/null 2>&1; "
                 "echo COMPLETED >jobs/2/state) & "
                 "cd '%s'; until [ -e runs ]; do sleep 0.05; done; rm node.hold",
                 f->directory, f->directory);
  conform_shell(command);
  conform_collect(evaluator, 1, &result);
  gannet_evaluator_destroy(&evaluator);
  is_done(&result);
  assert_string_equal(result.run.job, "2");
  assert_runs(f, 1);
  assert_non_null(strstr(f->log, "job 1 found that job 2 has begun this attempt"));
}

static void only_known_words_are_refusals(void **state) {
  static const char *const never[] = {
      "sbatch: error: QOSMaxWallDurationPerJobLimit\nsbatch: error: Batch job submission failed: "
      "Job "
      "violates accounting/QOS policy (job submit limit, user's size and/or time limits)",
      "sbatch: error: AssocMaxMemPerNode\nsbatch: error: Batch job submission failed: Job violates "
      "accounting/QOS policy (job submit limit, user's size and/or time limits)",
      "sbatch: error: QOSMinCpuNotSatisfied\nsbatch: error: Batch job submission failed: Job "
      "violates accounting/QOS policy (job submit limit, user's size and/or time limits)",
      "sbatch: error: Batch job submission failed: Requested time limit is invalid (missing or "
      "exceeds some limit)",
      "sbatch: error: Batch job submission failed: Requested node configuration is not available",
      "sbatch: error: Batch job submission failed: Invalid account or account/partition "
      "combination "
      "specified",
      "sbatch: error: Batch job submission failed: Memory required by task is not available",
      "sbatch: error: Batch script contains DOS line breaks (\\r\\n)"};
  static const char *const later[] = {
      "sbatch: error: QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission failed: Job "
      "violates accounting/QOS policy (job submit limit, user's size and/or time limits)",
      "sbatch: error: AssocGrpCPUMinutesLimit\nsbatch: error: Batch job submission failed: Job "
      "violates accounting/QOS policy (job submit limit, user's size and/or time limits)",
      "sbatch: error: QOSMaxCpuPerUserLimit\nsbatch: error: Batch job submission failed: Job "
      "violates accounting/QOS policy (job submit limit, user's size and/or time limits)",
      "sbatch: error: Batch job submission failed: Slurm backup controller in standby mode",
      "env: '/usr/bin/sbatch': No such file or directory",
      "cannot start (fork): Resource "
      "temporarily unavailable"};
  (void)state;
  for (size_t i = 0; i < sizeof never / sizeof *never; ++i)
    if (gannet_slurm_refusal_find(never[i]) != GANNET_SLURM_REFUSED) fail_msg("%s", never[i]);
  for (size_t i = 0; i < sizeof later / sizeof *later; ++i)
    if (gannet_slurm_refusal_find(later[i]) != GANNET_SLURM_TRY_LATER) fail_msg("%s", later[i]);
  for (size_t i = 0; i < N_WAYS; ++i)
    if (gannet_slurm_refusal_find(ways[i].says) != GANNET_SLURM_MAYBE_TAKEN)
      fail_msg("%s", ways[i].says);
}

/* A job that SLURM accepts and never starts is ended, and not waited for. */
static void a_job_that_can_never_start_fails(void **state) {
  static const char *const never[] = {"QOSMaxWallDurationPerJobLimit\n", "PartitionTimeLimit\n",
                                      "MaxMemPerLimit\n", "AssocMaxNodePerJobLimit\n"};
  standin *f = *state;
  use_simulation(f, slow);
  f->options.grace = 0.3;
  mischief(f, "node.hold", "");
  for (size_t i = 0; i < sizeof never / sizeof *never; ++i) {
    mischief(f, "squeue.why", never[i]);
    start_anew(f);
    const gannet_result_record result = standin_run(f, NULL);
    failed_with(&result, false, "SLURM can never start the job (");
    assert_string_equal(content(f->directory, "jobs/1/state"), "CANCELLED\n");
  }
  assert_false(gannet_slurm_never_starts("AssocGrpCpuLimit"));
  assert_false(gannet_slurm_never_starts("QOSMaxJobsPerUserLimit"));
  assert_false(gannet_slurm_never_starts("Priority"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, standin_set_up, standin_tear_down)

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      TEST(no_job_is_submitted_twice),
      TEST(no_array_is_submitted_twice),
      TEST(no_bundle_is_submitted_twice),
      TEST(no_script_is_submitted_twice),
      TEST(a_job_that_is_listed_late_is_found),
      TEST(a_job_that_is_listed_never_is_known_by_its_files),
      TEST(a_job_that_only_the_accounting_knows_is_found),
      TEST(doubt_has_an_end),
      TEST(the_others_of_a_submission_go_on),
      TEST(a_submission_is_recovered_as_a_whole),
      TEST(the_second_job_of_an_attempt_does_nothing),
      TEST(the_job_that_began_is_followed),
      TEST(only_known_words_are_refusals),
      TEST(a_job_that_can_never_start_fails),
  };
  MPI_Init(&argc, &argv);
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
