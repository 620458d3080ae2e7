/* test: serial labels unit */
#include "support/harness.h"

#include "evaluate/contract/case_folder.h"
#include "evaluate/contract/contract.h"
#include "evaluate/contract/last_words.h"

#include "conform_evaluator.h"
#include "evaluate/result_record.h"
#include "processes.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <sys/syscall.h>

typedef struct {
  gannet_problem *problem;
  char directory[256], evaluation[300];
  gannet_text_list templates, none;
  gannet_contract contract;
  double x[CONFORM_VARIABLES], constraint;
  gannet_request request;
  gannet_search_limits limits;
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  (void)snprintf(f->directory, sizeof f->directory, "/tmp/gannet contract XXXXXX");
  assert_non_null(mkdtemp(f->directory));
  f->problem = conform_problem();
  f->limits.patience = 60;
  f->contract = (gannet_contract){.problem = f->problem,
                                  .evaluations = f->directory,
                                  .input_directory = f->directory,
                                  .templates = &f->templates};
  conform_point(1, f->x);
  f->x[0] = 0.1;
  f->request = (gannet_request){
      .id = 42, .attempt = 1, .seed = 18446744073709551615u, .nonce = 255, .x_user = f->x};
  assert_ok(gannet_contract_directory(&f->contract, 42, f->evaluation, sizeof f->evaluation));
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  assert_int_equal(remove_tree(f->directory), 0);
  gannet_text_list_release(&f->templates);
  gannet_problem_destroy(&f->problem);
  free(f);
  return 0;
}

static void prepare(fixture *f, int attempt, uint64_t nonce) {
  gannet_bindings bindings = {0};
  f->request.attempt = attempt;
  f->request.nonce = nonce;
  assert_ok(gannet_bindings_create(&f->contract, &f->request, f->evaluation, 3, &bindings));
  assert_ok(gannet_contract_prepare(&f->contract, &f->request, &bindings, f->evaluation, NULL));
  gannet_bindings_release(&bindings);
}

static void parameters_are_written_in_both_forms(void **state) {
  fixture *f = *state;
  assert_string_equal(f->evaluation + strlen(f->directory), "/000042");
  prepare(f, 1, 255);
  assert_string_equal(content(f->evaluation, "params.in"),
                      "x 0.10000000000000001\nfins 2\nvent true\nsolver a \"b\" $(rm x) 'c'\n");
  assert_string_equal(content(f->evaluation, "params.json"),
                      "{\n  \"x\": 0.10000000000000001,\n  \"fins\": 2,\n  \"vent\": true,\n"
                      "  \"solver\": \"a \\\"b\\\" $(rm x) 'c'\"\n}");
  assert_non_null(strstr(content(f->evaluation, "attempt.json"), "\"00000000000000ff\""));
}

static long until_failure; /* allocations of jansson until one fails; 0 = none does */

static void *allocate(size_t size) {
  if (until_failure > 0 && --until_failure == 0) return NULL;
  return malloc(size);
}

/* Until each allocation has failed once. */
static void prepare_without_memory(fixture *f, const char *whole) {
  gannet_bindings bindings = {0};
  assert_ok(gannet_bindings_create(&f->contract, &f->request, f->evaluation, 3, &bindings));
  for (long failing = 1; until_failure == 0; ++failing) {
    assert_int_equal(remove_tree(f->evaluation), 0);
    until_failure = failing;
    const gannet_err err =
        gannet_contract_prepare(&f->contract, &f->request, &bindings, f->evaluation, NULL);
    if (err == GANNET_OK)
      assert_string_equal(content(f->evaluation, "params.json"), whole);
    else
      assert_int_equal(err, GANNET_ERR_MEMORY);
  }
  until_failure = 0; /* what was left of it says that the end was reached */
  gannet_bindings_release(&bindings);
}

/* A simulation must not be given a part of its parameters, wherever in the text memory ends. */
static void without_memory_there_are_no_parameters(void **state) {
  fixture *f = *state;
  json_set_alloc_funcs(allocate, free);
  for (f->x[0] = 0.5; f->x[0] > 1e-3; f->x[0] /= 2) {
    char whole[400];
    prepare(f, 1, 255);
    (void)snprintf(whole, sizeof whole, "%s", content(f->evaluation, "params.json"));
    prepare_without_memory(f, whole);
  }
  json_set_alloc_funcs(malloc, free);
}

static void values_that_are_no_text_are_refused(void **state) {
  fixture *f = *state;
  static const char *const values[] = {"cg", "g\xe9n\xe9rale"};
  const gannet_variable variable = {
      .name = "method", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 2, .values = values};
  const gannet_problem_spec spec = {.n_variables = 1, .variables = &variable};
  gannet_problem *problem = NULL;
  gannet_bindings bindings = {0};
  assert_ok(gannet_problem_create(&spec, &problem));
  f->contract.problem = problem;
  f->x[0] = 1;
  assert_ok(gannet_bindings_create(&f->contract, &f->request, f->evaluation, 3, &bindings));
  assert_fails(GANNET_ERR_INPUT, "'method': its value is not valid UTF-8",
               gannet_contract_prepare(&f->contract, &f->request, &bindings, f->evaluation, NULL));
  gannet_bindings_release(&bindings);
  gannet_problem_destroy(&problem);
}

static void earlier_attempts_are_moved_aside(void **state) {
  fixture *f = *state;
  static const char *const left[] = {"attempt-1/results.out", "attempt-2/results.out",
                                     "attempt-2.1/results.out"};
  prepare(f, 1, 1);
  write_file(f->evaluation, "results.out", "objective 1\n", 0644);
  prepare(f, 2, 2);
  assert_false(exists(f->evaluation, "results.out"));
  write_file(f->evaluation, "results.out", "objective 2\n", 0644);
  prepare(f, 2, 3); /* the same number again */
  write_file(f->evaluation, "results.out", "objective 3\n", 0644);
  prepare(f, 3, 4);
  assert_false(exists(f->evaluation, "results.out"));
  for (int i = 0; i < 3; ++i) {
    char expected[32];
    (void)snprintf(expected, sizeof expected, "objective %d\n", i + 1);
    assert_string_equal(content(f->evaluation, left[i]), expected);
  }
  assert_false(exists(f->evaluation, "attempt-2/attempt-1"));
}

/* A file that takes the place of attempt.json as soon as somebody has opened that; NULL = none. */
static const char *successor;

/* In place of the library's, also for other libraries. */
__attribute__((visibility("default"))) int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = flags & O_CREAT ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  const int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  if (descriptor >= 0 && successor && strstr(path, "/attempt.json")) {
    (void)rename(successor, path);
    successor = NULL;
  }
  return descriptor;
}

/* Whoever looks on sees one attempt, not parts of two. */
static void a_look_is_at_one_attempt(void **state) {
  fixture *f = *state;
  char path[400], next[400];
  gannet_attempt_info sight;
  const gannet_attempt_runner first = {
      .attempt = 1, .nonce = 11, .pid = 111, .slot = 1, .started = 1, .job = "1111"};
  const gannet_attempt_runner second = {
      .attempt = 2, .nonce = 22, .pid = 222, .slot = 2, .started = 2, .job = "2222"};
  prepare(f, 1, 1);
  assert_false(gannet_attempt_read(f->directory, &sight));
  assert_int_equal(sight.slot, -1);
  assert_ok(gannet_attempt_write(f->evaluation, &second));
  (void)snprintf(path, sizeof path, "%s/attempt.json", f->evaluation);
  (void)snprintf(next, sizeof next, "%s/next", f->evaluation);
  assert_int_equal(rename(path, next), 0);
  assert_ok(gannet_attempt_write(f->evaluation, &first));
  for (int turn = 1; turn <= 2; ++turn) {
    successor = turn == 1 ? next : NULL;
    assert_true(gannet_attempt_read(f->evaluation, &sight));
    assert_null(successor);
    assert_int_equal(sight.attempt, turn);
    assert_int_equal(sight.nonce, 11 * turn);
    assert_int_equal(sight.pid, 111 * turn);
    assert_int_equal(sight.slot, turn);
    assert_int_equal(strtol(sight.job, NULL, 10), 1111 * turn);
  }
}

static void a_move_that_was_interrupted_is_finished(void **state) {
  fixture *f = *state;
  char fresh[400];
  prepare(f, 1, 1);
  (void)snprintf(fresh, sizeof fresh, "%s.new", f->evaluation);
  assert_int_equal(rename(f->evaluation, fresh), 0); /* killed before the second rename */
  prepare(f, 2, 2);
  assert_false(access(fresh, F_OK) == 0);
  assert_non_null(strstr(content(f->evaluation, "attempt.json"), "\"attempt\": 2"));
}

/* Killed before, between and after the earlier attempts are lifted out of the last one. */
static void an_interrupted_move_leaves_no_attempt_inside_another(void **state) {
  fixture *f = *state;
  char fresh[400], inside[420], from[500], to[500];
  (void)snprintf(fresh, sizeof fresh, "%s.new", f->evaluation);
  (void)snprintf(inside, sizeof inside, "%s/attempt-3", fresh);
  for (int lifted = 0; lifted <= 2; ++lifted) {
    assert_int_equal(remove_tree(f->evaluation), 0);
    for (int attempt = 1; attempt <= 3; ++attempt) {
      prepare(f, attempt, (uint64_t)attempt);
      write_file(f->evaluation, "attempt-9.log", "the simulation's own\n", 0644);
    }
    assert_int_equal(mkdir(fresh, 0777), 0);
    assert_int_equal(rename(f->evaluation, inside), 0);
    for (int attempt = 1; attempt <= lifted; ++attempt) {
      (void)snprintf(from, sizeof from, "%s/attempt-%d", inside, attempt);
      (void)snprintf(to, sizeof to, "%s/attempt-%d", fresh, attempt);
      assert_int_equal(rename(from, to), 0);
    }
    prepare(f, 4, 4);
    assert_false(access(fresh, F_OK) == 0);
    for (int attempt = 1; attempt <= 3; ++attempt) {
      char name[40], expected[40];
      (void)snprintf(name, sizeof name, "attempt-%d/attempt.json", attempt);
      (void)snprintf(expected, sizeof expected, "\"attempt\": %d,", attempt);
      assert_non_null(strstr(content(f->evaluation, name), expected));
    }
    assert_false(exists(f->evaluation, "attempt-3/attempt-1"));
    assert_false(exists(f->evaluation, "attempt-3/attempt-2"));
  }
}

static void templates_are_rendered_with_their_mode(void **state) {
  fixture *f = *state;
  char path[600];
  struct stat about;
  write_file(f->directory, "case.sh", "#!/bin/sh\necho {x} {unknown} ${HOME}\n", 0750);
  assert_ok(gannet_text_list_add(&f->templates, "case.sh"));
  prepare(f, 1, 1);
  assert_string_equal(content(f->evaluation, "case.sh"),
                      "#!/bin/sh\necho 0.10000000000000001 {unknown} ${HOME}\n");
  (void)snprintf(path, sizeof path, "%s/case.sh", f->evaluation);
  assert_int_equal(stat(path, &about), 0);
  assert_int_equal(about.st_mode & 0777, 0750);
}

static void the_environment_names_everything(void **state) {
  fixture *f = *state;
  static const char *const expected[] = {"A=1",
                                         "GANNET_EVAL_ID=42",
                                         "GANNET_ATTEMPT=1",
                                         "GANNET_SEED=18446744073709551615",
                                         "X=0.10",
                                         "GANNET_NONCE=00000000000000ff",
                                         "GANNET_SLOT=3",
                                         "GANNET_WORKDIR=/e",
                                         "GANNET_PARAMS=/e/params.in",
                                         "GANNET_RESULTS=/e/results.out"};
  gannet_text_list users = {0}, list = {0};
  gannet_bindings b = {0};
  assert_ok(gannet_bindings_create(&f->contract, &f->request, "/e", 3, &b));
  assert_ok(gannet_text_list_add(&users, "A=1"));
  assert_ok(gannet_text_list_add(&users, "X={x:.2f}"));
  assert_ok(gannet_contract_environment(&f->contract, &f->request, &b, "/e", 3, &users, &list));
  gannet_bindings_release(&b);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
    bool found = false;
    for (int j = 0; j < list.n; ++j) found = found || strcmp(list.item[j], expected[i]) == 0;
    if (!found) fail_msg("no %s", expected[i]);
  }
  assert_null(list.item[list.n]);
  gannet_text_list_release(&users);
  gannet_text_list_release(&list);
}

static const struct {
  gannet_launch_event event;
  gannet_eval_status status;
  bool retry;
  gannet_failure failure;
  bool crashed;
  const char *reason;
} ends[] = {
    {{.type = GANNET_LAUNCH_ENDED, .exit_code = 3},
     GANNET_EVAL_FAILED,
     false,
     GANNET_FAILURE_EXIT,
     true,
     "exit code 3; stderr: two"},
    {{.type = GANNET_LAUNCH_ENDED, .exit_code = 137},
     GANNET_EVAL_FAILED,
     true,
     GANNET_FAILURE_EXIT,
     false,
     "exit code 137"},
    {{.type = GANNET_LAUNCH_ENDED, .exit_code = 42},
     GANNET_EVAL_CANNOT_RUN,
     false,
     GANNET_FAILURE_RULE,
     false,
     "exit code 42; stderr: two"},
    {{.type = GANNET_LAUNCH_ENDED, .exit_code = -1, .signal = SIGSEGV},
     GANNET_EVAL_FAILED,
     false,
     GANNET_FAILURE_SIGNAL,
     true,
     "signal 11 (Segmentation fault)"},
    {{.type = GANNET_LAUNCH_ENDED, .exit_code = -1, .signal = SIGKILL},
     GANNET_EVAL_FAILED,
     true,
     GANNET_FAILURE_SIGNAL,
     false,
     "signal 9 (Killed)"},
    {{.type = GANNET_LAUNCH_ENDED, .exit_code = -1, .signal = SIGKILL, .limit = true},
     GANNET_EVAL_FAILED,
     false,
     GANNET_FAILURE_TIME,
     true,
     "time limit of 60 s reached"},
    {{.type = GANNET_LAUNCH_ENDED, .exit_code = 0, .limit = true},
     GANNET_EVAL_FAILED,
     false,
     GANNET_FAILURE_TIME,
     true,
     "time limit of 60 s reached"},
    {{.type = GANNET_LAUNCH_REFUSED, .error = ENOENT, .stage = "exec"},
     GANNET_EVAL_FAILED,
     false,
     GANNET_FAILURE_LAUNCH,
     false,
     "cannot start (exec): No such file"},
    {{.type = GANNET_LAUNCH_REFUSED, .error = EAGAIN, .stage = "fork"},
     GANNET_EVAL_FAILED,
     true,
     GANNET_FAILURE_LAUNCH,
     false,
     "cannot start (fork): Resource temporarily"},
};

static double codes[] = {137, 42};
static const gannet_real_list bad_luck = {1, codes}, cannot_run = {1, codes + 1};
static const gannet_patterns no_patterns;
static const gannet_outcome_rules rules_of_codes = {
    .bad_luck = &bad_luck, .cannot_run = &cannot_run, .patterns = &no_patterns, .time_limit = 60};

/* Complaints: nevergrad #1498, pymoo #474. */
static void ends_are_classified(void **state) {
  fixture *f = *state;
  write_file(f->directory, "results.out", "objective 1\nstress 1\n", 0644);
  write_file(f->directory, "stderr.log", "one\n\r\ntwo\n\n", 0644);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
    gannet_result_record result = {.constraints = &f->constraint};
    gannet_result_clear(1, &result);
    assert_ok(gannet_classify_outcome(f->problem, &rules_of_codes, f->directory, &ends[i].event,
                                      &result));
    assert_int_equal(result.status, ends[i].status);
    assert_int_equal(result.retry, ends[i].retry);
    assert_int_equal(result.run.failure, ends[i].failure);
    assert_int_equal(result.run.crashed, ends[i].crashed);
    if (!strstr(result.run.reason, ends[i].reason))
      fail_msg("'%s' does not contain '%s'", result.run.reason, ends[i].reason);
    assert_true(isnan(result.objective));
  }
}

#define RULE "--------------------------------------------------------------------------\n"
#define OWN_RULE "------------------------------------------------------------\n"

/* What a launcher adds does not hide the message of the solver. */
static void last_words_are_those_of_the_solver(void **state) {
  fixture *f = *state;
  static const struct {
    const char *log, *words;
  } logs[] = {
      {"mesh folds\n" RULE "Primary job  terminated normally, but 1 process returned\n" RULE RULE
       "mpirun detected that one or more processes exited with non-zero status, thus\n\n"
       "  Exit code:    3\n" RULE,
       "mesh folds"},
      {"mesh folds\n[n1:7] ORTE_ERROR_LOG: read past end\n" RULE
       "MPI_ABORT was invoked on rank 1\n\nNOTE: it kills\n" RULE,
       "mesh folds"},
      {"mesh folds\nsrun: error: n1: task 0: Exited with exit code 3\n", "mesh folds"},
      {"srun: error: n1: task 0: Exited with exit code 3\n",
       "srun: error: n1: task 0: Exited with exit code 3"},
      {RULE "MPI_ABORT was invoked on rank 1\nwith errorcode 3.\n\nNOTE: it kills\n" RULE,
       "MPI_ABORT was invoked on rank 1 with errorcode 3."},
      {"a warning\n" RULE "There are not enough slots for the 8\nslots of:\n\n  ./solver\n\n"
       "Either request fewer\n" RULE,
       "There are not enough slots for the 8 slots of: ./solver"},
      {"mesh folds\n" RULE, "mesh folds"},
      {OWN_RULE "Solver X\n" OWN_RULE "step 1\nstep 2\nmesh folds\n" OWN_RULE, "mesh folds"},
      {RULE RULE, ""},
      {"", ""},
  };
  for (size_t i = 0; i < sizeof logs / sizeof *logs; ++i) {
    char words[GANNET_LAST_WORDS_SIZE];
    write_file(f->directory, "stderr.log", logs[i].log, 0644);
    gannet_contract_last_words(f->directory, words);
    assert_string_equal(words, logs[i].words);
  }
}

/* A simulation that says so itself, and then ends with an error as programs do, is believed. */
static void fail_counts_however_the_simulation_ends(void **state) {
  fixture *f = *state;
  static const char *const texts[] = {"stress 1\nfail mesh folds\n", "{\"fail\": \"mesh folds\"}"};
  for (size_t i = 0; i < 2 * sizeof ends / sizeof *ends; ++i) {
    gannet_result_record result = {.constraints = &f->constraint};
    const gannet_launch_event *event = &ends[i / 2].event;
    if (event->type == GANNET_LAUNCH_REFUSED) continue;
    gannet_result_clear(1, &result);
    write_file(f->directory, "results.out", texts[i % 2], 0644);
    assert_ok(gannet_classify_outcome(f->problem, &rules_of_codes, f->directory, event, &result));
    assert_int_equal(result.status, GANNET_EVAL_CANNOT_RUN);
    assert_int_equal(result.run.failure, GANNET_FAILURE_WORD);
    assert_int_equal(result.run.exit_code, event->exit_code);
    assert_string_equal(result.run.reason, "mesh folds");
    assert_true(isnan(f->constraint) && !result.run.crashed && !result.retry);
  }
}

/* What the user's own texts say counts more than exit codes, and results in one case. */
static void texts_in_the_output_are_rules(void **state) {
  fixture *f = *state;
  char *luck[] = {"license +server", NULL}, *bad[] = {"^ *NEGATIVE", "[0-9]+ folded", NULL};
  const gannet_real_list none = {0};
  const gannet_patterns patterns = {0};
  gannet_complaints complaints = {0};
  gannet_text_rules lucks = {0}, bads = {0};
  const gannet_outcome_rules rules = {.bad_luck = &none,
                                      .cannot_run = &none,
                                      .patterns = &patterns,
                                      .time_limit = 60,
                                      .bad_luck_texts = &lucks,
                                      .cannot_run_texts = &bads,
                                      .limits = f->limits};
  const struct {
    const char *out, *err;
    int exit_code;
    gannet_eval_status status;
    bool retry;
    const char *reason;
  } runs[] = {
      {"fine\n", "", 0, GANNET_EVAL_DONE, false, ""},
      {"fine\n", "no license  server today\n", 0, GANNET_EVAL_DONE, false, ""},
      {"fine\n", "no license  server today\n", 1, GANNET_EVAL_FAILED, true, "found: no license"},
      {"  NEGATIVE volume\n", "", 0, GANNET_EVAL_CANNOT_RUN, false, "found: NEGATIVE volume"},
      {"3 folded", "license server\n", 1, GANNET_EVAL_CANNOT_RUN, false, "found: 3 folded"},
      {"9 %\rlicense server\r\n", "", 1, GANNET_EVAL_FAILED, true, "found: license server"},
      {"", "a NEGATIVE volume\n", 1, GANNET_EVAL_FAILED, false, "exit code 1"},
  };
  assert_ok(gannet_text_rules_create("k", &(gannet_text_list){1, luck}, &complaints, &lucks));
  assert_ok(gannet_text_rules_create("k", &(gannet_text_list){2, bad}, &complaints, &bads));
  write_file(f->directory, "results.out", "objective 1\nstress 1\n", 0644);
  for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
    const gannet_launch_event event = {.type = GANNET_LAUNCH_ENDED, .exit_code = runs[i].exit_code};
    gannet_result_record result = {.constraints = &f->constraint};
    gannet_result_clear(1, &result);
    write_file(f->directory, "stdout.log", runs[i].out, 0644);
    write_file(f->directory, "stderr.log", runs[i].err, 0644);
    assert_ok(gannet_classify_outcome(f->problem, &rules, f->directory, &event, &result));
    assert_int_equal(result.status, runs[i].status);
    assert_int_equal(result.retry, runs[i].retry);
    assert_int_equal(result.run.crashed, i == 6);
    assert_non_null(strstr(result.run.reason, runs[i].reason));
  }
  gannet_text_rules_release(&lucks);
  gannet_text_rules_release(&bads);
}

static void only_an_outcome_of_the_same_nonce_is_found(void **state) {
  fixture *f = *state;
  gannet_launch_event event;
  assert_false(gannet_contract_find_outcome(f->directory, 255, &event, NULL));
  write_file(f->directory, "outcome.json",
             "{\"nonce\": \"00000000000000ff\", \"pid\": 7, \"exit_code\": -1, \"signal\": 9, "
             "\"time_limit\": true, \"started\": 1.5, \"ended\": 2}",
             0644);
  assert_false(gannet_contract_find_outcome(f->directory, 254, &event, NULL));
  assert_true(gannet_contract_find_outcome(f->directory, 255, &event, NULL));
  assert_true(event.limit && event.signal == 9 && event.pid == 7 && event.exit_code == -1);
  assert_true(event.started == 1.5 && event.ended == 2);
  write_file(f->directory, "outcome.json", "{\"nonce\": \"00000000000000ff\", \"pid", 0644);
  assert_false(gannet_contract_find_outcome(f->directory, 255, &event, NULL));
}

static void patterns_of_a_case_match_by_folders(void **state) {
  (void)state;
  assert_true(gannet_case_matches("0/U", "0/U"));
  assert_true(gannet_case_matches("./0/", "0/U"));
  assert_true(gannet_case_matches("system/*.dict", "system/control.dict"));
  assert_true(gannet_case_matches("**/*.dict", "control.dict"));
  assert_true(gannet_case_matches("**/*.dict", "a/b/control.dict"));
  assert_true(gannet_case_matches("constant/**", "constant/polyMesh/points"));
  assert_false(gannet_case_matches("*.dict", "system/control.dict"));
  assert_false(gannet_case_matches("0/U", "0"));
  assert_false(gannet_case_matches("0/U", "10/U"));
  assert_false(gannet_case_matches("system/*", "0/system"));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(patterns_of_a_case_match_by_folders),
      TEST(parameters_are_written_in_both_forms),
      TEST(without_memory_there_are_no_parameters),
      TEST(values_that_are_no_text_are_refused),
      TEST(earlier_attempts_are_moved_aside),
      TEST(a_look_is_at_one_attempt),
      TEST(a_move_that_was_interrupted_is_finished),
      TEST(an_interrupted_move_leaves_no_attempt_inside_another),
      TEST(templates_are_rendered_with_their_mode),
      TEST(the_environment_names_everything),
      TEST(ends_are_classified),
      TEST(last_words_are_those_of_the_solver),
      TEST(fail_counts_however_the_simulation_ends),
      TEST(texts_in_the_output_are_rules),
      TEST(only_an_outcome_of_the_same_nonce_is_found),
  };
  return run_serial(tests);
}
