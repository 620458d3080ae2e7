/* test: ranks 1 2 labels unit timeout 120 */
#include <signal.h>
#include <sys/time.h>

#include "standin.h"

/* users-ask 15 (Parsl #1241): calls that hang or fail for a while are tried again. */
static void calls_have_time_outs_and_are_repeated(void **state) {
  standin *f = *state;
  f->options.commands.timeout = 0.5;
  mischief(f, "squeue.hang", "1\n");
  gannet_result_record result =
      standin_run(f, "#!/bin/sh\nsleep 1; printf 'objective 2\\nstress 1\\n' >results.out\n");
  is_done(&result);
  if (f->context->rank == 0) assert_non_null(strstr(f->log, "squeue: no answer within 0.5 s"));
  f->options.grace = 10;
  f->options.commands.timeout = 20; /* in which a busy machine answers */
  mischief(f, "squeue.fail", "3\n");
  mischief(f, "node.state", "OUT_OF_MEMORY\n"); /* only the scheduler can tell */
  result = standin_run(f, "#!/bin/sh\nexit 1\n");
  failed_with(&result, true, "OUT_OF_MEMORY");
  if (f->context->rank == 0) assert_non_null(strstr(f->log, "squeue answers again"));
}

/* Most calls of a tool in a row. */
static int most_in_a_row(const standin *f, const char *tool) {
  int most = 0, row = 0;
  for (const char *at = content(f->directory, "calls"); at && *at; at = strchr(at, '\n')) {
    at += *at == '\n';
    if (!*at) break;
    row = strncmp(at, tool, strlen(tool)) == 0 ? row + 1 : 0;
    most = row > most ? row : most;
  }
  return most;
}

/* A controller that lists jobs and then does not answer holds nothing up for longer than one call
 * may take. */
static void a_controller_that_hangs_is_asked_once_for_all(void **state) {
  enum { JOBS = 6 };
  standin *f = *state;
  double constraint = 0;
  gannet_result_record result = {.constraints = &constraint};
  int n = 0;
  f->options.commands.timeout = 0.3;
  f->options.grace = 60;
  mischief(f, "node.hold", "");
  mischief(f, "squeue.lose", "");
  mischief(f, "sacct.off", "");
  mischief(f, "scontrol.hang", "1000\n");
  use_simulation(f, "#!/bin/sh\nprintf 'objective 2\\nstress 1\\n' >results.out\n");
  gannet_evaluator *evaluator = standin_create(f);
  for (int i = 0; i < JOBS; ++i) standin_submit(evaluator, i, 1);
  for (int i = 0, calls = 0; i < 300 && (i < 15 || calls < 2); ++i) {
    assert_ok(gannet_evaluator_poll(evaluator, 0.1, 1, &n, &result));
    if (f->context->rank == 0) calls = calls_of(f, "scontrol");
    MPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (f->context->rank == 0) {
    assert_true(calls_of(f, "scontrol") > 1);
    assert_int_equal(most_in_a_row(f, "scontrol"), 1);
  }
  assert_ok(gannet_evaluator_cancel(evaluator));
  gannet_evaluator_destroy(&evaluator);
}

/* An exit code that nobody could be asked for is asked for again. */
static void a_failure_waits_for_who_can_explain_it(void **state) {
  standin *f = *state;
  f->options.commands.timeout = 0.5;
  f->options.grace = 30;
  f->options.script = TEXT("job.tmpl");
  mischief(f, "job.tmpl", "#!/bin/sh\nexit 3\n");
  mischief(f, "sacct.off", "");
  mischief(f, "scontrol.hang", "1\n");
  const gannet_result_record result = standin_run(f, NULL);
  failed_with(&result, false, "exit code 3");
  f->options.grace = 1;
  mischief(f, "scontrol.hang", "1000\n");
  const gannet_result_record other = standin_run(f, NULL);
  failed_with(&other, false, "an unknown exit code");
}

/* Poll until the note for those who look on has these words; NULL = until there is none. */
static void wait_for_note(const standin *f, gannet_evaluator *evaluator,
                          gannet_scheduler_status_kind kind, const char *words) {
  gannet_result_record none;
  gannet_scheduler_status status = {0};
  int n = 0, found = 0;
  for (int i = 0; i < 600 && !found; ++i) {
    assert_ok(gannet_evaluator_poll(evaluator, 0.1, 1, &n, &none));
    const bool noted = gannet_scheduler_status_read(f->directory, &status);
    found = f->context->rank > 0 || (words ? noted && strstr(status.said, words) : !noted);
    if (found && words && f->context->rank == 0) assert_int_equal(status.kind, kind);
    if (words && noted) assert_true(fabs(status.since - gannet_clock_epoch()) < 60);
    MPI_Bcast(&found, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (!found) fail_msg("expected '%s', not '%s'", words ? words : "no note", status.said);
}

/* A controller that cannot be reached leaves jobs unknown: said in the log with how long that may
 * take, and to those who look on. */
static void silence_is_told(void **state) {
  standin *f = *state;
  double constraint = 0;
  gannet_result_record result = {.constraints = &constraint};
  use_simulation(f,
                 "#!/bin/sh\nuntil [ -e \"$GANNET_INPUT_DIRECTORY/go\" ]; do sleep 0.05; done\n"
                 "printf 'objective 2\\nstress 1\\n' >results.out\n");
  f->options.patience = 7200;
  mischief(f, "sbatch.fail", "1000\n");
  mischief(f, "squeue.fail", "1000\n");
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  wait_for_note(f, evaluator, GANNET_SCHEDULER_REFUSES, "sbatch takes no jobs (sbatch: error:");
  mischief(f, "sbatch.fail", "0\n");
  wait_for_note(f, evaluator, GANNET_SCHEDULER_UNKNOWN, "squeue does not answer (squeue: error:");
  mischief(f, "squeue.fail", "0\n");
  wait_for_note(f, evaluator, GANNET_SCHEDULER_OTHER, NULL);
  mischief(f, "go", "");
  conform_collect(evaluator, 1, &result);
  is_done(&result);
  gannet_evaluator_destroy(&evaluator);
  if (f->context->rank > 0) return;
  assert_non_null(strstr(f->log, "it is tried again for 2 h 00 min (evaluate.patience)"));
  assert_non_null(strstr(f->log, "none is given up"));
  assert_non_null(strstr(f->log, "squeue answers again, after "));
}

/* MaxJobCount is reached: sbatch waits by itself, for longer than a call may take. */
static void an_sbatch_that_waits_is_told(void **state) {
  standin *f = *state;
  double constraint = 0;
  gannet_result_record result = {.constraints = &constraint};
  use_simulation(f, "#!/bin/sh\nprintf 'objective 2\\nstress 1\\n' >results.out\n");
  f->options.commands.timeout = 1;
  mischief(f, "sbatch.busy", "1000\n");
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  wait_for_note(f, evaluator, GANNET_SCHEDULER_REFUSES,
                "sbatch takes no jobs (sbatch: error: Slurm temporarily unable to accept job");
  mischief(f, "sbatch.busy", "0\n");
  conform_collect(evaluator, 1, &result);
  is_done(&result);
  wait_for_note(f, evaluator, GANNET_SCHEDULER_OTHER, NULL);
  gannet_evaluator_destroy(&evaluator);
  if (f->context->rank == 0)
    assert_non_null(
        strstr(f->log, "evaluation 99: sbatch waits for SLURM to take the job: sbatch"));
}

/* A job that is held waits for ever: said once in the log, and to those who look on until it is
 * over. */
static void jobs_that_wait_for_somebody_are_told(void **state) {
  standin *f = *state;
  double constraint = 0;
  gannet_result_record result = {.constraints = &constraint}, none;
  int n = 0;
  use_simulation(f, "#!/bin/sh\nprintf 'objective 2\\nstress 1\\n' >results.out\n");
  mischief(f, "node.hold", "");
  mischief(f, "squeue.why", "Priority\n");
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  for (int i = 0; i < 10; ++i) assert_ok(gannet_evaluator_poll(evaluator, 0.1, 1, &n, &none));
  wait_for_note(f, evaluator, GANNET_SCHEDULER_OTHER, NULL);
  mischief(f, "squeue.why", "launch failed requeued held\n");
  wait_for_note(f, evaluator, GANNET_SCHEDULER_HOLDS,
                "does something about it (launch failed requeued held)");
  for (int i = 0; i < 10; ++i) assert_ok(gannet_evaluator_poll(evaluator, 0.1, 1, &n, &none));
  wait_for_note(f, evaluator, GANNET_SCHEDULER_HOLDS, "SLURM does not start job ");
  mischief(f, "squeue.why", "Resources\n");
  wait_for_note(f, evaluator, GANNET_SCHEDULER_OTHER, NULL);
  mischief(f, "squeue.why", "DependencyNeverSatisfied\n");
  wait_for_note(f, evaluator, GANNET_SCHEDULER_HOLDS, "(DependencyNeverSatisfied)");
  mischief(f, "squeue.fail", "1000\n"); /* only the files tell of its end */
  no_mischief(f, "node.hold");
  conform_collect(evaluator, 1, &result);
  is_done(&result);
  mischief(f, "squeue.fail", "0\n");
  gannet_evaluator_destroy(&evaluator);
  if (f->context->rank > 0) return;
  const char *first = strstr(f->log, "requeued held");
  assert_non_null(first);
  assert_null(strstr(first + 1, "requeued held"));
  assert_non_null(strstr(f->log, "of evaluation "));
}

static volatile sig_atomic_t n_noticed;

static void noticed(int number) {
  (void)number;
  n_noticed = 1;
}

/* A signal on rank 0 after so many microseconds, and again after each pause, 0 = never. */
static void signal_after(const standin *f, int first, int pause) {
  const struct itimerval timer = {{0, pause}, {0, first}};
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = noticed;
  if (f->context->rank > 0) return;
  assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
  assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

/* A call that gannet itself breaks off because it is signalled is no silence of SLURM. */
static void a_call_that_is_broken_off_is_no_silence(void **state) {
  standin *f = *state;
  double constraint = 0;
  gannet_result_record result = {.constraints = &constraint}, none;
  gannet_scheduler_status status;
  int n = 0;
  use_simulation(f,
                 "#!/bin/sh\nuntil [ -e \"$GANNET_INPUT_DIRECTORY/go\" ]; do sleep 0.05; done\n"
                 "printf 'objective 2\\nstress 1\\n' >results.out\n");
  mischief(f, "squeue.late", "1\n");
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  for (int i = 0; i < 3; ++i) assert_ok(gannet_evaluator_poll(evaluator, 0.5, 1, &n, &none));
  signal_after(f, 300000, 300000);
  for (int i = 0; i < 8; ++i) {
    assert_ok(gannet_evaluator_poll(evaluator, 0.2, 1, &n, &none));
    assert_false(f->context->rank == 0 && gannet_scheduler_status_read(f->directory, &status));
  }
  signal_after(f, 0, 0);
  mischief(f, "go", "");
  conform_collect(evaluator, 1, &result);
  is_done(&result);
  gannet_evaluator_destroy(&evaluator);
  if (f->context->rank == 0 && strstr(f->log, "squeue")) fail_msg("%s", f->log);
}

static bool is_noticed(void *user) {
  (void)user;
  return n_noticed > 0;
}

/* After a call that a signal broke off, the next one could hang as long: who waits looks first
 * whether that was a wish to end. */
static void a_stop_breaks_off_one_call_alone(void **state) {
  standin *f = *state;
  gannet_result_record none;
  const gannet_stopping stopping = {.is_asked = is_noticed};
  char command[400];
  int n = 0;
  f->options.commands.timeout = 20;
  f->options.when_stopped = GANNET_SLURM_LEAVE;
  f->setup.stopping = &stopping;
  use_simulation(f, "#!/bin/sh\nsleep 10\n");
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  for (int i = 0; i < 3; ++i) assert_ok(gannet_evaluator_poll(evaluator, 0.5, 1, &n, &none));
  mischief(f, "squeue.hang", "9\n");
  n_noticed = 0;
  signal_after(f, 0, 0);
  (void)snprintf(command, sizeof command,
                 "(cd '%s'; until [ \"$(cat squeue.hang)\" = 8 ]; do [ -e squeue.hang ] || exit; "
                 "sleep 0.05; done; kill -ALRM %d) >/dev/null 2>&1 &",
                 f->directory, (int)getpid());
  if (f->context->rank == 0) conform_shell(command);
  const double start = gannet_clock_seconds();
  assert_ok(gannet_evaluator_poll(evaluator, 60, 1, &n, &none));
  const double passed = gannet_clock_seconds() - start;
  if (passed > 15) fail_msg("waited %g s", passed); /* a call may take 20 */
  assert_ok(gannet_evaluator_cancel(evaluator));
  gannet_evaluator_destroy(&evaluator);
  if (f->context->rank == 0) assert_string_equal(content(f->directory, "squeue.hang"), "8\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, standin_set_up, standin_tear_down)

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      TEST(a_controller_that_hangs_is_asked_once_for_all),
      TEST(a_failure_waits_for_who_can_explain_it),
      TEST(calls_have_time_outs_and_are_repeated),
      TEST(silence_is_told),
      TEST(an_sbatch_that_waits_is_told),
      TEST(jobs_that_wait_for_somebody_are_told),
      TEST(a_call_that_is_broken_off_is_no_silence),
      TEST(a_stop_breaks_off_one_call_alone),
  };
  MPI_Init(&argc, &argv);
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
