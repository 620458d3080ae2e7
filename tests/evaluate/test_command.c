/* test: ranks 1 2 3 labels unit conform timeout 180 */
#include "conform_evaluator.h"

#include <time.h>

#include "conform_program.h"
#include "evaluate/command/command.h"
#include "processes.h"

#define TEXT(literal) ((char *)(uintptr_t)(literal))

typedef struct {
  gannet_context *context;
  gannet_problem *problem;
  gannet_launcher *launcher;
  char directory[256];
  gannet_evaluator_setup setup;
  gannet_command_options options;
  char *command[6];
} fixture;

static const gannet_evaluator_type *command_type(void) {
  const gannet_evaluator_type *type = NULL;
  assert_ok(gannet_evaluator_find("command", &type));
  return type;
}

/* The launcher is handed through a global because main starts it before anything else. */
static gannet_launcher *started_first;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 1, &f->context));
  f->problem = conform_problem();
  f->launcher = started_first;
  conform_directory(f->directory, sizeof f->directory);
  f->setup = conform_setup(f->context, f->problem, f->directory);
  f->setup.launcher = f->launcher;
  f->options.kill_grace = 0.3;
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  char command[400];
  (void)snprintf(command, sizeof command, "rm -r '%s'", f->directory);
  MPI_Barrier(MPI_COMM_WORLD);
  conform_shell(command);
  gannet_problem_destroy(&f->problem);
  gannet_context_destroy(&f->context);
  free(f);
  return 0;
}

/* The command becomes ./sim with a script of this text. */
static void use_script(fixture *f, const char *script) {
  if (f->context->rank == 0) write_file(f->directory, "sim", script, 0755);
  MPI_Barrier(MPI_COMM_WORLD);
  f->command[0] = TEXT("./sim");
  f->options.command = (gannet_text_list){1, f->command};
}

static gannet_evaluator *create(fixture *f) {
  gannet_evaluator *evaluator = NULL;
  assert_ok(gannet_evaluator_create(command_type(), &f->options, &f->setup, &evaluator));
  return evaluator;
}

static void submit(gannet_evaluator *evaluator, int i, int attempt) {
  double x[CONFORM_VARIABLES];
  conform_point(i, x);
  gannet_request request = conform_request(i, x);
  request.attempt = attempt;
  request.nonce += 1000u * (unsigned)attempt;
  assert_ok(gannet_evaluator_submit(evaluator, 1, &request));
}

static gannet_result_record run(fixture *f, const char *script) {
  use_script(f, script);
  gannet_evaluator *evaluator = create(f);
  submit(evaluator, 1, 1);
  return conform_last(evaluator);
}

static void failed_with(const gannet_result_record *result, const char *reason) {
  assert_int_equal(result->status, GANNET_EVAL_FAILED);
  if (!strstr(result->run.reason, reason))
    fail_msg("'%s' does not contain '%s'", result->run.reason, reason);
}

/* What gannet itself cut off is no number; a last line without an end is one, when its writer is
 * gone. */
static void results_of_a_writer_that_was_left_are_not_cut_off(void **state) {
  fixture *f = *state;
  gannet_result_record result =
      run(f,
          "#!/bin/sh\n(printf 'stress 1\nobjective 1.'; sleep 9; echo 5e3) >results.out &\n"
          "until [ -s results.out ]; do sleep 0.01; done\n");
  failed_with(&result, "results.out ends within a line");
  assert_false(result.run.crashed);
  result = run(f, "#!/bin/sh\nprintf 'stress 1\nobjective 1.5' >results.out\nsleep 9 &\n");
  assert_int_equal(result.status, GANNET_EVAL_DONE);
  assert_true(result.objective == 1.5);
}

static void programs_conform(void **state) {
  fixture *f = *state;
  conform_program(f->directory);
  f->command[0] = TEXT("./bowl");
  f->command[1] = TEXT("{params}");
  f->command[2] = TEXT("{results}");
  f->options.command = (gannet_text_list){3, f->command};
  conform_evaluator(command_type(), &f->options, &f->setup);
}

static void keep_line(void *user, gannet_log_level level, int rank, const char *line) {
  (void)level;
  (void)rank;
  (void)snprintf(user, 1000, "%s", line);
}

/* [python3, sim, points] looks right and is not: the program runs in the evaluation's directory. A
 * script that it does not find there is refused. What follows the script may be a file that the
 * simulation makes. */
static void an_argument_that_names_a_file_elsewhere_is_warned_about(void **state) {
  fixture *f = *state;
  char line[1000] = "";
  gannet_complaints complaints = {0};
  char *templates[] = {TEXT("points")};
  use_script(f, "#!/bin/sh\n");
  if (f->context->rank == 0) write_file(f->directory, "points", "{x}", 0644);
  MPI_Barrier(MPI_COMM_WORLD);
  gannet_context_set_log(f->context, GANNET_LOG_WARNING, keep_line, line);
  f->command[0] = TEXT("/bin/sh");
  f->command[1] = TEXT("{input_directory}/sim");
  f->command[2] = TEXT("points");
  f->options.command = (gannet_text_list){3, f->command};
  assert_ok(gannet_evaluator_check(command_type(), &f->options, &f->setup, &complaints));
  assert_int_equal(complaints.count, 0);
  if (f->context->rank == 0) assert_non_null(strstr(line, "{input_directory}/points"));
  line[0] = '\0';
  f->options.templates = (gannet_text_list){1, templates};
  assert_ok(gannet_evaluator_check(command_type(), &f->options, &f->setup, &complaints));
  assert_string_equal(line, "");
  f->command[2] = TEXT("{input_directory}/{seed}.csv");
  assert_ok(gannet_evaluator_check(command_type(), &f->options, &f->setup, &complaints));
  assert_string_equal(line, "");
  f->command[2] = TEXT("{input_directory}/misspelt.csv");
  assert_ok(gannet_evaluator_check(command_type(), &f->options, &f->setup, &complaints));
  if (f->context->rank == 0) assert_non_null(strstr(line, "/misspelt.csv' now"));
  assert_int_equal(complaints.count, 0);
  f->command[1] = TEXT("sim");
  assert_ok(gannet_evaluator_check(command_type(), &f->options, &f->setup, &complaints));
  if (f->context->rank == 0) {
    assert_int_equal(complaints.count, 1);
    assert_non_null(strstr(complaints.text, "write \"{input_directory}/sim\""));
  }
  gannet_complaints_release(&complaints);
  gannet_context_set_log(f->context, GANNET_LOG_WARNING, NULL, NULL);
}

/* Without a launcher of the program's the back-end forks one. */
static void a_library_user_needs_no_launcher(void **state) {
  fixture *f = *state;
  f->setup.launcher = NULL;
  const gannet_result_record result =
      run(f, "#!/bin/sh\necho objective 2 >results.out\necho stress 1 >>results.out\n");
  if (result.status != GANNET_EVAL_DONE) fail_msg("%s", result.run.reason);
}

static void nasty_endings_are_results_with_a_reason(void **state) {
  fixture *f = *state;
  gannet_result_record result = run(f, "#!/bin/sh\nhead -c 100 /dev/urandom >results.out\n");
  assert_int_equal(result.status, GANNET_EVAL_FAILED);
  result = run(f, "#!/bin/sh\necho objective nan >results.out; echo stress 1 >>results.out\n");
  failed_with(&result, "objective is nan");
  result = run(f, "#!/bin/sh\nexit 0\n");
  failed_with(&result, "no results.out");
  result = run(f, "#!/bin/sh\nprintf 'objective 1\\nstre' >results.out\n");
  failed_with(&result, "line 2: 'stre'");
  result = run(f, "#!/bin/sh\nprintf 'objective 1\\nstress 1\\n' >results.out; exit 3\n");
  failed_with(&result, "exit code 3");
  assert_int_equal(result.run.exit_code, 3);
  assert_false(result.retry);
  result = run(f, "#!/bin/sh\nkill -SEGV $$\n");
  failed_with(&result, "signal 11");
  assert_int_equal(result.run.signal, SIGSEGV);
  result = run(f, "#!/bin/sh\nkill -KILL $$\n");
  assert_true(result.retry);
  result = run(f, "#!/bin/sh\nyes 'it went wrong' | head -c 20000000 >&2; exit 1\n");
  failed_with(&result, "exit code 1; stderr: it wen"); /* as head has cut it */
  result = run(f, "no shebang\n");
  failed_with(&result, "cannot start (exec): Exec format error (the first line of a script");
}

static void an_interpreter_that_is_missing_is_told_before_anything_runs(void **state) {
  fixture *f = *state;
  gannet_evaluator *evaluator = NULL;
  use_script(f, "#!/bin/sh\r\nexit 0\r\n");
  assert_fails(GANNET_ERR_INPUT,
               "'sim' asks for the interpreter '/bin/sh\\r', for its lines end with CR LF",
               gannet_evaluator_create(command_type(), &f->options, &f->setup, &evaluator));
  use_script(f, "#! /no/such/perl -w\nexit;\n");
  assert_fails(GANNET_ERR_INPUT,
               "No such file or directory: 'sim', or '/no/such/perl', the interpreter",
               gannet_evaluator_create(command_type(), &f->options, &f->setup, &evaluator));
}

static void a_program_that_vanishes_is_named(void **state) {
  fixture *f = *state;
  double constraint = 0;
  gannet_result_record result = {.constraints = &constraint};
  gannet_evaluator *evaluator = NULL;
  f->command[0] = TEXT("./nothing");
  f->options.command = (gannet_text_list){1, f->command};
  assert_fails(GANNET_ERR_INPUT, "cannot run './nothing': No such file",
               gannet_evaluator_create(command_type(), &f->options, &f->setup, &evaluator));
  use_script(f, "#!/bin/sh\n");
  evaluator = create(f);
  MPI_Barrier(MPI_COMM_WORLD);
  if (f->context->rank == 0) {
    char path[400];
    (void)snprintf(path, sizeof path, "%s/sim", f->directory);
    assert_int_equal(unlink(path), 0);
  }
  submit(evaluator, 1, 1);
  conform_collect(evaluator, 1, &result);
  failed_with(&result, "cannot start (exec): No such file or directory: 'sim'");
  gannet_evaluator_destroy(&evaluator);
}

static void a_run_that_never_ends_meets_its_time_limit(void **state) {
  fixture *f = *state;
  f->setup.time_limit = 2; /* in which a busy machine starts the script's processes */
  const gannet_result_record result =
      run(f,
          "#!/bin/bash\ntrap '' TERM\nsleep 100 & echo $! >inside\n"
          "setsid bash -c 'setsid sleep 100 & echo $! >outside'\n"
          "printf 'objective 1\\nstress 1\\n' >results.out\nwhile :; do sleep 1; done\n");
  failed_with(&result, "time limit of 2 s reached");
  assert_false(result.retry);
  char directory[400];
  (void)snprintf(directory, sizeof directory, "%s/evals/000099", f->directory);
  assert_true(dies_within(number_in(directory, "inside"), 20));
  assert_true(dies_within(number_in(directory, "outside"), 20));
}

static void waiting_ends_in_time_and_cancelling_ends_everything(void **state) {
  fixture *f = *state;
  gannet_result_record result = {0};
  double constraint = 0;
  char directory[400];
  int n = -1;
  result.constraints = &constraint;
  use_script(f, "#!/bin/bash\ntrap '' TERM\necho $$ >leader\nwhile :; do sleep 1; done\n");
  (void)snprintf(directory, sizeof directory, "%s/evals/000099", f->directory);
  gannet_evaluator *evaluator = create(f);
  submit(evaluator, 1, 1);
  const double start = gannet_clock_seconds();
  const clock_t before = clock();
  assert_ok(gannet_evaluator_poll(evaluator, 0.6, 1, &n, &result));
  const double took = gannet_clock_seconds() - start;
  assert_int_equal(n, 0);
  assert_true(took > 0.55 && took < 60);
  /* Processors belong to the simulations: whoever waits, on any rank, sleeps. */
  assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 0.2);
  const int leader = number_in(directory, "leader");
  assert_ok(gannet_evaluator_cancel(evaluator));
  assert_true(dies_within(leader, 20));
  gannet_evaluator_destroy(&evaluator);
}

/* What an earlier process left is taken over when it is complete and of the same nonce. */
static void complete_attempts_of_an_earlier_process_are_recovered(void **state) {
  fixture *f = *state;
  double x[CONFORM_VARIABLES], constraint = 0;
  gannet_result_record result = {.constraints = &constraint};
  bool taken = true;
  conform_point(1, x);
  gannet_request request = conform_request(1, x);
  request.nonce += 1000;
  use_script(f, "#!/bin/sh\nprintf 'objective 4\\nstress 1\\n' >results.out\n");
  gannet_evaluator *evaluator = create(f);
  submit(evaluator, 1, 1);
  char directory[400]; /* it ends; nobody polls, as if the controller had died now */
  (void)snprintf(directory, sizeof directory, "%s/evals/000099", f->directory);
  wait_for(directory, "outcome.json");
  f->setup.launcher = NULL; /* the next process has a launcher of its own */
  gannet_evaluator *other = create(f);
  assert_ok(gannet_evaluator_recover(other, &request, &taken));
  assert_true(taken);
  assert_int_equal(gannet_evaluator_in_flight(other), 1);
  conform_collect(other, 1, &result);
  if (result.status != GANNET_EVAL_DONE) fail_msg("%s", result.run.reason);
  assert_true(result.objective == 4 && result.id == 99 && constraint == 1);
  assert_int_equal(result.run.slot, 0); /* where the earlier process ran it, since when */
  assert_true(isfinite(result.run.submitted) && result.run.submitted <= result.run.started + 0.01);
  request.nonce += 1;
  assert_ok(gannet_evaluator_recover(other, &request, &taken));
  assert_false(taken);
  gannet_evaluator_destroy(&other);
  gannet_evaluator_destroy(&evaluator);
}

static void errors_of_rank_0_reach_all_ranks(void **state) {
  fixture *f = *state;
  char path[700];
  double x[CONFORM_VARIABLES];
  conform_point(1, x);
  const gannet_request request = conform_request(1, x);
  use_script(f, "#!/bin/sh\n");
  gannet_evaluator *evaluator = create(f);
  (void)snprintf(path, sizeof path, "rm -r '%s/evals' && touch '%s/evals'", f->directory,
                 f->directory);
  conform_shell(path);
  const gannet_err err = gannet_evaluator_submit(evaluator, 1, &request);
  assert_int_not_equal(err, GANNET_OK);
  assert_non_null(strstr(gannet_error_message(), "evals"));
  assert_int_equal(gannet_evaluator_in_flight(evaluator), 0);
  gannet_evaluator_destroy(&evaluator);
}

static void shell_text_and_patterns_work(void **state) {
  fixture *f = *state;
  double constraint = 0;
  gannet_result_record result = {.constraints = &constraint};
  char *patterns[] = {TEXT("objective=^drag (.*)$"), TEXT("stress=^stress (.*)$")};
  char *environment[] = {TEXT("FACTOR=7")};
  f->options.shell = TEXT("echo drag 1; echo drag $FACTOR && echo \"stress $GANNET_EVAL_ID\"");
  f->options.pattern = (gannet_text_list){2, patterns};
  f->options.environment = (gannet_text_list){1, environment};
  gannet_evaluator *evaluator = create(f);
  submit(evaluator, 1, 1);
  conform_collect(evaluator, 1, &result);
  if (result.status != GANNET_EVAL_DONE) fail_msg("%s", result.run.reason);
  assert_true(result.objective == 7 && constraint == 99);
  gannet_evaluator_destroy(&evaluator);
}

/* Open MPI refuses this below a rank unless the helper was forked before MPI_Init. */
/* Complaints: libEnsemble #22, libEnsemble #1015, optimas #75, ompi #7164, ompi #9363,
 * ompi #11148.
 */
static void simulations_may_be_mpi_jobs_themselves(void **state) {
  fixture *f = *state;
  char command[1000];
  static const char ranks[] =
      "#include <mpi.h>\n#include <stdio.h>\nint main(int n, char **v) {\n"
      "  int size, rank; MPI_Init(&n, &v); MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
      "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
      "  if (!rank) { FILE *out = fopen(\"results.out\", \"w\");\n"
      "    fprintf(out, \"objective %d\\nstress 1\\n\", size); fclose(out); }\n"
      "  return MPI_Finalize();\n}\n";
  if (f->context->rank == 0) write_file(f->directory, "ranks.c", ranks, 0644);
  (void)snprintf(command, sizeof command, "cd '%s' && mpicc -o ranks ranks.c", f->directory);
  conform_shell(command);
  const gannet_result_record result =
      run(f, "#!/bin/sh\nexec mpirun --oversubscribe -n 2 \"$GANNET_INPUT_DIRECTORY/ranks\"\n");
  if (result.status != GANNET_EVAL_DONE) fail_msg("%s", result.run.reason);
  assert_true(result.objective == 2);
}

int main(int argc, char **argv) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(programs_conform),
      TEST(results_of_a_writer_that_was_left_are_not_cut_off),
      TEST(an_argument_that_names_a_file_elsewhere_is_warned_about),
      TEST(a_library_user_needs_no_launcher),
      TEST(nasty_endings_are_results_with_a_reason),
      TEST(an_interpreter_that_is_missing_is_told_before_anything_runs),
      TEST(a_program_that_vanishes_is_named),
      TEST(a_run_that_never_ends_meets_its_time_limit),
      TEST(waiting_ends_in_time_and_cancelling_ends_everything),
      TEST(complete_attempts_of_an_earlier_process_are_recovered),
      TEST(errors_of_rank_0_reach_all_ranks),
      TEST(shell_text_and_patterns_work),
      TEST(simulations_may_be_mpi_jobs_themselves),
  };
  if (gannet_launcher_start(&started_first) != GANNET_OK) return 1;
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank > 0) gannet_launcher_stop(&started_first);
  const int failed = run_ranks_(cmocka_run_group_tests(tests, NULL, NULL));
  gannet_launcher_stop(&started_first);
  MPI_Finalize();
  return failed;
}
