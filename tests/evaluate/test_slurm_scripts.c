/* test: ranks 1 labels unit timeout 240 processors 1 */
/* What a job's script looks at before it starts the simulation, and where its own words go. */
#include "standin_arrays.h"

#include "base/hash.h"

/* Poll until one evaluation is given back: the result. */
static gannet_result_record given_back(gannet_evaluator *evaluator) {
  static double constraint;
  gannet_result_record result = {.constraints = &constraint};
  int n = 0;
  for (int i = 0; i < 200 && n == 0; ++i)
    assert_ok(gannet_evaluator_poll(evaluator, 0.1, 1, &n, &result));
  assert_int_equal(n, 1);
  assert_int_equal(result.status, GANNET_EVAL_PENDING);
  return result;
}

/* A file that the job is to read is damaged while the job waits: it is not started, and begun anew
 * without having counted. */
static void damage(standin *f, const char *command_in_directory, const char *words,
                   const char *repair) {
  char command[900];
  double constraint = 0;
  gannet_result_record result = {.constraints = &constraint};
  (void)snprintf(command, sizeof command,
                 "cd '%s' && rm -rf calls runs evals slurm && find jobs -mindepth 1 -delete",
                 f->directory);
  conform_shell(command);
  mischief(f, "node.hold", "");
  f->log[0] = '\0';
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  int n = 0;
  for (int i = 0; i < 100 && !exists(f->directory, "jobs/1/name"); ++i)
    assert_ok(gannet_evaluator_poll(evaluator, 0.1, 1, &n, &result));
  (void)snprintf(command, sizeof command, "cd '%s/evals/000099' && %s", f->directory,
                 command_in_directory);
  conform_shell(command);
  no_mischief(f, "node.hold");
  (void)given_back(evaluator);
  assert_false(exists(f->directory, "runs"));
  if (!strstr(f->log, words)) fail_msg("no '%s' in '%s'", words, f->log);
  if (!strstr(content(f->directory, "evals/000099/gannet.log"), words))
    fail_msg("no '%s' in '%s'", words, content(f->directory, "evals/000099/gannet.log"));
  assert_string_equal(content(f->directory, "evals/000099/stderr.log"), "");
  (void)snprintf(command, sizeof command, "cd '%s' && %s", f->directory, repair);
  conform_shell(command);
  standin_submit(evaluator, 1, 2);
  conform_collect(evaluator, 1, &result);
  is_done(&result);
  assert_runs(f, 1);
  gannet_evaluator_destroy(&evaluator);
}

static char *templates[] = {TEXT("case.in"), NULL};

/* What only an earlier time or nothing at all is on the disk of. */
static void damaged_files_are_not_used(void **state) {
  standin *f = *state;
  use_simulation(f, good);
  mischief(f, "case.in", "width {width}\nlast line\n");
  f->options.command.templates = (gannet_text_list){1, templates};
  damage(f, ": >params.in", "params.in is not what gannet wrote", "true");
  damage(f, "rm params.json", "params.json is not what gannet wrote", "true");
  damage(f, "truncate -s 5 case.in", "case.in is not what gannet wrote", "true");
  damage(f, "truncate -s 0 attempt.json", "attempt.json is not what gannet wrote", "true");
  damage(f,
         "printf '%s' \"$(head -c 3 params.in | tr -c x x)\" | dd of=params.in conv=notrunc "
         "2>/dev/null",
         "params.in is not what gannet wrote", "true");
  damage(f, "chmod -x ../../sim", "sim cannot be run here", "chmod +x sim");
}

static void damaged_scripts_are_not_used(void **state) {
  standin *f = *state;
  f->options.script = TEXT("job.tmpl");
  mischief(f, "job.tmpl", good);
  damage(f, ": >script.sh", "script.sh is not what gannet wrote", "true");
  damage(f, ": >params.in", "params.in is not what gannet wrote", "true");
}

/* ... in a job of several runs nor their scripts; the others run. */
static void damaged_parts_are_not_used(void **state) {
  standin *f = *state;
  collection all = {0};
  int n = 0;
  char command[900];
  use_simulation(f, good);
  use_arrays(f, GANNET_SLURM_ARRAYS, 2, 1);
  mischief(f, "node.hold", "");
  gannet_evaluator *evaluator = standin_create(f);
  submit_all(evaluator, RUNS, 1);
  gannet_result_record none = {.constraints = all.constraints};
  for (int i = 0; i < 100 && !exists(f->directory, "jobs/1_1/name"); ++i)
    assert_ok(gannet_evaluator_poll(evaluator, 0.1, 1, &n, &none));
  (void)snprintf(command, sizeof command,
                 "cd '%s/evals' && : >000098/job.sh && : >000097/params.in", f->directory);
  conform_shell(command);
  no_mischief(f, "node.hold");
  collect(evaluator, RUNS, &all);
  gannet_evaluator_destroy(&evaluator);
  is_done(result_of(&all, 100));
  is_done(result_of(&all, 99));
  assert_int_equal(result_of(&all, 98)->status, GANNET_EVAL_PENDING);
  assert_int_equal(result_of(&all, 97)->status, GANNET_EVAL_PENDING);
  assert_non_null(strstr(f->log, "job.sh is not what gannet wrote"));
  assert_non_null(strstr(f->log, "params.in is not what gannet wrote"));
  assert_runs(f, 2);
}

/* A program that is missing on the nodes would be submitted for ever. */
static void what_never_starts_becomes_bad_luck(void **state) {
  standin *f = *state;
  double constraint = 0;
  gannet_result_record result = {.constraints = &constraint};
  char command[400];
  use_simulation(f, good);
  gannet_evaluator *evaluator = standin_create(f);
  (void)snprintf(command, sizeof command, "chmod -x '%s/sim'", f->directory);
  conform_shell(command);
  for (int attempt = 1; attempt < 4; ++attempt) {
    standin_submit(evaluator, 1, attempt);
    (void)given_back(evaluator);
  }
  standin_submit(evaluator, 1, 4);
  conform_collect(evaluator, 1, &result);
  failed_with(&result, true, "the job did not start the simulation: ");
  failed_with(&result, true, "sim cannot be run here");
  gannet_evaluator_destroy(&evaluator);
}

/* One evaluation alone, or two in a job, which waits for the first time when its controller ends,
 * and then begins as one that SLURM has put back into the queue. */
static void run_after_requeue(standin *f, bool shared) {
  const int n_requests = shared ? 2 : 1;
  char command[900];
  double constraint = 0, x[2][CONFORM_VARIABLES];
  gannet_result_record result = {.constraints = &constraint};
  collection all = {0};
  int n = 0;
  const gannet_request requests[] = {standin_request(1, 1, x[0]), standin_request(0, 1, x[1])};
  if (shared) use_arrays(f, GANNET_SLURM_JOBS, RUNS, 2);
  (void)snprintf(command, sizeof command,
                 "cd '%s' && rm -rf calls runs evals slurm && find jobs -mindepth 1 -delete",
                 f->directory);
  conform_shell(command);
  mischief(f, "node.hold", "");
  gannet_evaluator *evaluator = standin_create(f);
  assert_ok(gannet_evaluator_submit(evaluator, n_requests, requests));
  for (int i = 0; i < 100 && !exists(f->directory, "jobs/1/name"); ++i)
    assert_ok(gannet_evaluator_poll(evaluator, 0.1, 1, &n, &result));
  gannet_evaluator_destroy(&evaluator);
  (void)snprintf(command, sizeof command,
                 "cd '%s' && echo 'export SLURM_RESTART_COUNT=1' >>jobs/1/environment && "
                 "rm node.hold",
                 f->directory);
  conform_shell(command);
  evaluator = standin_create(f);
  for (int i = 0; i < n_requests; ++i) {
    bool taken = false;
    assert_ok(gannet_evaluator_recover(evaluator, &requests[i], &taken));
    assert_true(taken);
  }
  collect(evaluator, n_requests, &all);
  for (int i = 0; i < n_requests; ++i) is_done(result_of(&all, 99 + i));
  gannet_evaluator_destroy(&evaluator);
}

/* What the script itself has to say is not the simulation's: rules do not look at it. */
static void rules_look_at_the_simulation_alone(void **state) {
  static char *texts[] = {TEXT("outcome|No such file|does nothing|[Kk]illed|gannet|job"), NULL};
  standin *f = *state;
  f->options.command.cannot_run_text = (gannet_text_list){1, texts};
  f->options.when_stopped = GANNET_SLURM_LEAVE;
  f->setup.time_limit = 30;
  use_simulation(f,
                 "#!/bin/sh\necho run >>\"$GANNET_INPUT_DIRECTORY/runs\"\necho fine\n"
                 "echo fine, too >&2\nprintf 'objective 2\\nstress 1\\n' >results.out\n");
  for (int shared = 0; shared < 2; ++shared) {
    run_after_requeue(f, shared);
    assert_string_equal(content(f->directory, "evals/000099/stdout.log"), "fine\n");
    assert_string_equal(content(f->directory, "evals/000099/stderr.log"), "fine, too\n");
    if (exists(f->directory, "evals/000099/gannet.log"))
      fail_msg("%s", content(f->directory, "evals/000099/gannet.log"));
    for (int i = 0; i < 100 && exists(f->directory, "evals/000099/job.running"); ++i)
      gannet_clock_sleep(0.02); /* it goes after the end was told */
    assert_false(exists(f->directory, "evals/000099/job.running"));
  }
}

/* A shell tells that a program was killed, with all its words. */
static void words_of_the_shell_are_not_the_simulation_s(void **state) {
  static char *texts[] = {TEXT("Segmentation|core dumped|sim"), NULL};
  standin *f = *state;
  f->options.command.cannot_run_text = (gannet_text_list){1, texts};
  for (int limited = 0; limited < 2; ++limited) {
    if (limited) f->setup.time_limit = 30;
    const gannet_result_record result = standin_run(f, "#!/bin/sh\nkill -SEGV $$\n");
    failed_with(&result, false, "signal 11");
  }
}

/* bash hands functions on that a user's shell has exported, as environment modules do. */
static void exported_functions_reach_the_simulation(void **state) {
  static char *command[] = {TEXT("bash"), TEXT("-c"),
                            TEXT("solver && printf 'objective 2\\nstress 1\\n' >results.out")};
  standin *f = *state;
  collection all = {0};
  mischief(f, "sbatch.functions", "");
  (void)setenv("BASH_FUNC_solver%%", "() { true; }", 1);
  for (int way = 0; way < 3; ++way) {
    char clean[400];
    (void)snprintf(clean, sizeof clean,
                   "cd '%s' && rm -rf calls evals slurm && find jobs -mindepth 1 -delete",
                   f->directory);
    conform_shell(clean);
    f->options.command.command = (gannet_text_list){way < 2 ? 3 : 0, command};
    f->options.command.shell = way < 2 ? NULL : command[2];
    f->setup.time_limit = way == 1 ? 30 : INFINITY;
    use_arrays(f, GANNET_SLURM_JOBS, way == 0 ? 1 : RUNS, way == 0 ? 1 : 2);
    gannet_evaluator *evaluator = standin_create(f);
    submit_all(evaluator, RUNS, 1);
    collect(evaluator, RUNS, &all);
    gannet_evaluator_destroy(&evaluator);
    for (int i = 0; i < RUNS; ++i) is_done(result_of(&all, 100 - i));
  }
  (void)unsetenv("BASH_FUNC_solver%%");
}

static bool is_over;

static bool is_asked(void *user) {
  (void)user;
  return false;
}

static bool begins_nothing(void *user) {
  (void)user;
  return is_over;
}

/* After a stop nothing is submitted any more, however sbatch had answered before. */
static void stop_while(standin *f, const char *says, int expected_calls) {
  const gannet_stopping stopping = {is_asked, NULL, NULL, begins_nothing};
  collection all = {0};
  int n = 0, more = 0;
  char command[400];
  (void)snprintf(command, sizeof command,
                 "cd '%s' && rm -rf calls runs evals slurm && find jobs -mindepth 1 -delete",
                 f->directory);
  conform_shell(command);
  f->setup.stopping = &stopping;
  is_over = false;
  mischief(f, "sbatch.fail", "1000\n");
  mischief(f, "sbatch.says", says);
  gannet_evaluator *evaluator = standin_create(f);
  submit_all(evaluator, RUNS, 1);
  for (int i = 0; i < RUNS; ++i) all.results[i].constraints = &all.constraints[i];
  for (int i = 0; i < 100 && calls_of(f, "sbatch") < expected_calls; ++i)
    assert_ok(gannet_evaluator_poll(evaluator, 0.1, RUNS, &n, all.results));
  assert_int_equal(n, 0);
  is_over = true;
  mischief(f, "sbatch.fail", "0\n");
  const int before = calls_of(f, "sbatch");
  for (int i = 0; i < 50 && n < RUNS; ++i) {
    assert_ok(gannet_evaluator_poll(evaluator, 0.1, RUNS - n, &more, all.results + n));
    n += more;
  }
  assert_int_equal(n, RUNS);
  for (int i = 0; i < RUNS; ++i) assert_int_equal(all.results[i].status, GANNET_EVAL_PENDING);
  assert_int_equal(calls_of(f, "sbatch"), before);
  gannet_evaluator_destroy(&evaluator);
  f->setup.stopping = NULL;
}

static void nothing_is_submitted_after_a_stop(void **state) {
  static const char limit[] =
      "sbatch: error: QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission failed: Job "
      "violates accounting/QOS policy (job submit limit, user's size and/or time limits)\n";
  standin *f = *state;
  use_simulation(f, good);
  f->options.when_stopped = GANNET_SLURM_LEAVE;
  stop_while(f, limit, 2);
  stop_while(f, "", 3); /* it may have been accepted */
  use_arrays(f, GANNET_SLURM_ARRAYS, 1, 1);
  stop_while(f, limit, 1);
  use_arrays(f, GANNET_SLURM_JOBS, 2, 2);
  stop_while(f, limit, 1);
  assert_runs(f, 0);
}

/* In the middle of several submissions. */
static void a_stop_between_two_calls_is_heard(void **state) {
  standin *f = *state;
  const gannet_stopping stopping = {is_asked, NULL, NULL, begins_nothing};
  collection all = {0};
  int n = 0, more = 0;
  use_simulation(f, "#!/bin/sh\nsleep 1\nprintf 'objective 2\\nstress 1\\n' >results.out\n");
  f->setup.stopping = &stopping;
  f->options.when_stopped = GANNET_SLURM_LEAVE;
  is_over = false;
  mischief(f, "sbatch.late", "0.3\n");
  gannet_evaluator *evaluator = standin_create(f);
  submit_all(evaluator, RUNS, 1);
  for (int i = 0; i < RUNS; ++i) all.results[i].constraints = &all.constraints[i];
  assert_ok(gannet_evaluator_poll(evaluator, 0.1, RUNS, &n, all.results)); /* one call */
  is_over = true;
  for (int i = 0; i < 100 && n < RUNS; ++i) {
    assert_ok(gannet_evaluator_poll(evaluator, 0.1, RUNS - n, &more, all.results + n));
    n += more;
  }
  gannet_evaluator_destroy(&evaluator);
  int done = 0;
  for (int i = 0; i < RUNS; ++i) done += all.results[i].status == GANNET_EVAL_DONE;
  assert_int_equal(done, 1);
  assert_int_equal(calls_of(f, "sbatch"), 1);
}

/* The values are those of the program cksum. */
static void checksums_are_those_of_posix(void **state) {
  static char large[70000];
  (void)state;
  memset(large, 'x', sizeof large);
  assert_int_equal(gannet_cksum("", 0), 4294967295u);
  assert_int_equal(gannet_cksum("123456789", 9), 930766865u);
  assert_int_equal(gannet_cksum(large, sizeof large), 4215398528u);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, standin_set_up, standin_tear_down)

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      TEST(damaged_files_are_not_used),
      TEST(damaged_scripts_are_not_used),
      TEST(damaged_parts_are_not_used),
      TEST(what_never_starts_becomes_bad_luck),
      TEST(rules_look_at_the_simulation_alone),
      TEST(words_of_the_shell_are_not_the_simulation_s),
      TEST(exported_functions_reach_the_simulation),
      TEST(nothing_is_submitted_after_a_stop),
      TEST(a_stop_between_two_calls_is_heard),
      TEST(checksums_are_those_of_posix),
  };
  MPI_Init(&argc, &argv);
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
