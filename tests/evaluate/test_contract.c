/* test: serial labels unit */
#include "evaluate/contract.h"

#include "conform_evaluator.h"
#include "evaluate/record.h"
#include "processes.h"

#include <errno.h>

typedef struct {
  gannet_problem *problem;
  char directory[256], evaluation[300];
  gannet_text_list templates, none;
  gannet_contract contract;
  double x[CONFORM_VARIABLES], constraint;
  gannet_request request;
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  (void)snprintf(f->directory, sizeof f->directory, "/tmp/gannet contract XXXXXX");
  assert_non_null(mkdtemp(f->directory));
  f->problem = conform_problem();
  f->contract = (gannet_contract){f->problem, f->directory, f->directory, &f->templates, false};
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
  char command[400];
  (void)snprintf(command, sizeof command, "rm -r '%s'", f->directory);
  assert_int_equal(system(command), 0);
  gannet_text_list_release(&f->templates);
  gannet_problem_destroy(&f->problem);
  free(f);
  return 0;
}

static void prepare(fixture *f, int attempt, uint64_t nonce) {
  gannet_bindings bindings = {0};
  f->request.attempt = attempt;
  f->request.nonce = nonce;
  assert_ok(gannet_bindings_create(&f->contract, &f->request, f->evaluation, &bindings));
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

static void substituted(const gannet_bindings *bindings, const char *text, const char *expected) {
  char *out = NULL;
  size_t size = 0;
  assert_ok(gannet_substitute(bindings, text, strlen(text), &out, &size));
  assert_string_equal(out, expected);
  assert_int_equal(size, strlen(expected));
  gannet_free(&out);
}

static void known_names_are_replaced_and_everything_else_stays(void **state) {
  fixture *f = *state;
  gannet_bindings b = {0};
  assert_ok(gannet_bindings_create(&f->contract, &f->request, "/e", &b));
  substituted(&b, "", "");
  substituted(&b, "plain", "plain");
  substituted(&b, "x={x}{fins}", "x=0.100000000000000012");
  substituted(&b, "{params} {results} {directory} {id} {attempt} {seed}",
              "/e/params.in /e/results.out /e 42 1 18446744073709551615");
  substituted(&b, "if (a) {x = 1;} {y} {} { x } {x", "if (a) {x = 1;} {y} {} { x } {x");
  substituted(&b, "{{x}}", "{0.10000000000000001}");
  substituted(&b, "{solver}", "a \"b\" $(rm x) 'c'"); /* once: what came in is not looked at */
  gannet_bindings_release(&b);
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
                                         "GANNET_NONCE=00000000000000ff",
                                         "GANNET_WORKDIR=/e",
                                         "GANNET_PARAMS=/e/params.in",
                                         "GANNET_RESULTS=/e/results.out"};
  gannet_text_list users = {0}, list = {0};
  assert_ok(gannet_text_list_add(&users, "A=1"));
  assert_ok(gannet_contract_environment(&f->contract, &f->request, "/e", &users, &list));
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
    bool found = false;
    for (int j = 0; j < list.n; ++j) found = found || strcmp(list.item[j], expected[i]) == 0;
    if (!found) fail_msg("no %s", expected[i]);
  }
  assert_null(list.item[list.n]);
  gannet_text_list_release(&users);
  gannet_text_list_release(&list);
}

/* Results. */

static gannet_result_record read_with(fixture *f, const char *pattern, const char *results) {
  gannet_complaints complaints = {0};
  gannet_patterns patterns = {0};
  gannet_text_list texts = {0};
  gannet_result_record result = {.constraints = &f->constraint};
  char path[400];
  if (pattern) assert_ok(gannet_text_list_add(&texts, pattern));
  assert_ok(gannet_patterns_create(&texts, f->problem, &complaints, &patterns));
  assert_int_equal(complaints.count, 0);
  gannet_record_clear(1, &result);
  (void)snprintf(path, sizeof path, "%s/results.out", f->directory);
  (void)unlink(path);
  if (results) write_file(f->directory, "results.out", results, 0644);
  gannet_contract_read(f->problem, &patterns, f->directory, &result);
  gannet_patterns_release(&patterns);
  gannet_text_list_release(&texts);
  return result;
}

static void good_results_are_read(void **state) {
  fixture *f = *state;
  static const char *const same[] = {
      "objective 1.25\nstress -3e2\n",
      "# comment\n\n  stress   -300  \r\nobjective\t1.25",
      "stress -3.0D+02\nobjective 1.25d0\n",
      "{\"objective\": 1.25, \"stress\": -300}",
      " \n{\"stress\": -300.0,\n \"objective\": 1.25}\n",
      "\xef\xbb\xbfobjective 1.25\r\nstress -300\r\n",
      "\xef\xbb\xbf {\"objective\": 1.25, \"stress\": -3e2, \"fail\": null}",
      "{\"fail\": false, \"objective\": 1.25, \"stress\": -300}",
  };
  for (size_t i = 0; i < sizeof same / sizeof *same; ++i) {
    const gannet_result_record result = read_with(f, NULL, same[i]);
    if (result.status != GANNET_EVAL_DONE) fail_msg("%zu: %s", i, result.run.reason);
    assert_true(result.objective == 1.25 && f->constraint == -300);
  }
}

/* An exponent of three digits has no letter in Fortran; integers of JSON may have any size. */
static void large_and_small_numbers_are_read(void **state) {
  fixture *f = *state;
  gannet_result_record result = read_with(f, NULL, "objective 0.125-102\nstress -1.5+300\n");
  assert_int_equal(result.status, GANNET_EVAL_DONE);
  assert_true(result.objective == 0.125e-102 && f->constraint == -1.5e300);
  result = read_with(f, NULL, "{\"objective\": 100000000000000000000000, \"stress\": 0}");
  assert_int_equal(result.status, GANNET_EVAL_DONE);
  assert_true(result.objective == 1e23);
  result = read_with(f, NULL, "objective 1-2\nstress 1\n");
  assert_non_null(strstr(result.run.reason, "objective is '1-2', expected a number"));
}

/* Opening a pipe would wait for ever, and /dev/zero has no end. */
static void results_that_are_no_file_are_refused(void **state) {
  fixture *f = *state;
  const gannet_patterns patterns = {0};
  char path[400];
  (void)snprintf(path, sizeof path, "%s/results.out", f->directory);
  for (int kind = 0; kind < 4; ++kind) {
    gannet_result_record result = {.constraints = &f->constraint};
    gannet_record_clear(1, &result);
    (void)unlink(path);
    if (kind == 0) assert_int_equal(mkfifo(path, 0600), 0);
    if (kind == 1) assert_int_equal(symlink("/dev/zero", path), 0);
    if (kind == 2) assert_int_equal(symlink("results.out", path), 0);
    if (kind == 3) assert_int_equal(mkdir(path, 0700), 0);
    gannet_contract_read(f->problem, &patterns, f->directory, &result);
    assert_int_equal(result.status, GANNET_EVAL_FAILED);
    const char *expected = kind == 2 ? "cannot look at results.out" : "is not a regular file";
    assert_non_null(strstr(result.run.reason, expected));
  }
}

static void bad_results_fail_with_what_and_where(void **state) {
  fixture *f = *state;
  static const struct {
    const char *results, *reason;
  } bad[] = {
      {NULL, "no results.out, so objective is missing"},
      {"", "results.out: objective is missing"},
      {"objective 1\n", "results.out: stress is missing"},
      {"objective 1\nstress nan\n", "results.out line 2: stress is nan, expected a finite"},
      {"objective inf\nstress 1\n", "results.out line 1: objective is inf"},
      {"objective 1e999\nstress 1\n", "objective is inf"},
      {"objective abc\nstress 1\n", "line 1: objective is 'abc', expected a number"},
      {"objective 0x10\nstress 1\n", "line 1: objective is '0x10', expected a number"},
      {"objective\nstress 1\n", "line 1: objective is '', expected a number"},
      {"objective 1 2\nstress 1\n", "objective is '1 2', expected a number"},
      {"objective 1\nobjective 1\nstress 1\n", "line 2: objective is given twice"},
      {"objective 1\nstrain 1\n", "line 2: 'strain' is neither objective nor a constraint"},
      {"\x7f"
       "ELF\x01\x02 garbage\n",
       "is neither objective nor a constraint"},
      {"{\"objective\": 1, \"stress\": 2", "results.out line 1 column"},
      {"{\"objective\": 1, \"objective\": 2, \"stress\": 1}", "duplicate"},
      {"{\"objective\": \"1\", \"stress\": 2}", "objective is not a number"},
      {"{\"objective\": 1}", "stress is missing"},
      {"{\"objective\": 1, \"stress\": 2, \"extra\": 1}", "'extra' is neither"},
      {"{\"objective\": NaN, \"stress\": 2}", "results.out line 1 column"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    const gannet_result_record result = read_with(f, NULL, bad[i].results);
    assert_int_equal(result.status, GANNET_EVAL_FAILED);
    assert_false(result.retry);
    assert_true(isnan(result.objective) && isnan(f->constraint));
    if (!strstr(result.run.reason, bad[i].reason))
      fail_msg("'%s' does not contain '%s'", result.run.reason, bad[i].reason);
  }
}

static void fail_lines_mean_infeasible(void **state) {
  fixture *f = *state;
  static const char *const texts[] = {"fail mesh  tangled \n", "objective 1\nfail mesh  tangled",
                                      "{\"fail\": \"mesh  tangled\"}"};
  for (size_t i = 0; i < 3; ++i) {
    const gannet_result_record result = read_with(f, NULL, texts[i]);
    assert_int_equal(result.status, GANNET_EVAL_INFEASIBLE);
    assert_string_equal(result.run.reason, "mesh  tangled");
    assert_true(isnan(result.objective));
  }
}

static void patterns_pick_the_last_match(void **state) {
  fixture *f = *state;
  static const char pattern[] = "objective=^ *drag[:=] *([-+0-9.eE]+)";
  write_file(f->directory, "stdout.log", "drag: 3\nlift: 4\n  drag= 2.5e0 N\nend", 0644);
  gannet_result_record result = read_with(f, pattern, "stress 7\n");
  if (result.status != GANNET_EVAL_DONE) fail_msg("%s", result.run.reason);
  assert_true(result.objective == 2.5 && f->constraint == 7);
  result = read_with(f, pattern, "stress 7\nobjective 1\n");
  assert_non_null(strstr(result.run.reason, "given twice"));
  result = read_with(f, "stress=lift: [0-9]+", "objective 1\n"); /* no group: the whole match */
  assert_non_null(strstr(result.run.reason, "stress is 'lift: 4', expected a number"));
  result = read_with(f, "stress=torque", "objective 1\n");
  assert_non_null(strstr(result.run.reason, "nothing in stdout.log matches"));
  result = read_with(f, pattern, "fail no\n");
  assert_int_equal(result.status, GANNET_EVAL_INFEASIBLE);
  write_file(f->directory, "stdout.log", "10 %\r99 %\rdrag: 4\r\n", 0644);
  result = read_with(f, "objective=drag: ([0-9]+)$", "stress 7\n");
  assert_true(result.status == GANNET_EVAL_DONE && result.objective == 4);
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
     "exit code 3; stderr: one|two"},
    {{.type = GANNET_LAUNCH_ENDED, .exit_code = 137},
     GANNET_EVAL_FAILED,
     true,
     GANNET_FAILURE_EXIT,
     false,
     "exit code 137"},
    {{.type = GANNET_LAUNCH_ENDED, .exit_code = 42},
     GANNET_EVAL_INFEASIBLE,
     false,
     GANNET_FAILURE_RULE,
     false,
     "exit code 42; stderr: one|two"},
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

/* Complaints: nevergrad #1498, pymoo #474. */
static void ends_are_classified(void **state) {
  fixture *f = *state;
  double codes[2] = {137, 42};
  const gannet_real_list bad_luck = {1, codes}, infeasible = {1, codes + 1};
  const gannet_patterns patterns = {0};
  const gannet_contract_rules rules = {&bad_luck, &infeasible, &patterns, 60, NULL, NULL};
  write_file(f->directory, "results.out", "objective 1\nstress 1\n", 0644);
  write_file(f->directory, "stderr.log", "one\n\r\ntwo\n\n", 0644);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
    gannet_result_record result = {.constraints = &f->constraint};
    gannet_record_clear(1, &result);
    gannet_contract_judge(f->problem, &rules, f->directory, &ends[i].event, &result);
    assert_int_equal(result.status, ends[i].status);
    assert_int_equal(result.retry, ends[i].retry);
    assert_int_equal(result.run.failure, ends[i].failure);
    assert_int_equal(result.run.crashed, ends[i].crashed);
    if (!strstr(result.run.reason, ends[i].reason))
      fail_msg("'%s' does not contain '%s'", result.run.reason, ends[i].reason);
    assert_true(isnan(result.objective));
  }
}

/* What the user's own texts say counts more than exit codes, and results in one case. */
static void texts_in_the_output_are_rules(void **state) {
  fixture *f = *state;
  char *luck[] = {"license +server", NULL}, *bad[] = {"^ *NEGATIVE", "[0-9]+ folded", NULL};
  const gannet_real_list none = {0};
  const gannet_patterns patterns = {0};
  gannet_complaints complaints = {0};
  gannet_texts lucks = {0}, bads = {0};
  const gannet_contract_rules rules = {&none, &none, &patterns, 60, &lucks, &bads};
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
      {"  NEGATIVE volume\n", "", 0, GANNET_EVAL_INFEASIBLE, false, "found: NEGATIVE volume"},
      {"3 folded", "license server\n", 1, GANNET_EVAL_INFEASIBLE, false, "found: 3 folded"},
      {"9 %\rlicense server\r\n", "", 1, GANNET_EVAL_FAILED, true, "found: 9 % license server"},
      {"", "a NEGATIVE volume\n", 1, GANNET_EVAL_FAILED, false, "exit code 1"},
  };
  assert_ok(gannet_texts_create("k", &(gannet_text_list){1, luck}, &complaints, &lucks));
  assert_ok(gannet_texts_create("k", &(gannet_text_list){2, bad}, &complaints, &bads));
  write_file(f->directory, "results.out", "objective 1\nstress 1\n", 0644);
  for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
    const gannet_launch_event event = {.type = GANNET_LAUNCH_ENDED, .exit_code = runs[i].exit_code};
    gannet_result_record result = {.constraints = &f->constraint};
    gannet_record_clear(1, &result);
    write_file(f->directory, "stdout.log", runs[i].out, 0644);
    write_file(f->directory, "stderr.log", runs[i].err, 0644);
    gannet_contract_judge(f->problem, &rules, f->directory, &event, &result);
    assert_int_equal(result.status, runs[i].status);
    assert_int_equal(result.retry, runs[i].retry);
    assert_int_equal(result.run.crashed, i == 6);
    assert_non_null(strstr(result.run.reason, runs[i].reason));
  }
  gannet_texts_release(&lucks);
  gannet_texts_release(&bads);
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

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(parameters_are_written_in_both_forms),
      TEST(earlier_attempts_are_moved_aside),
      TEST(a_move_that_was_interrupted_is_finished),
      TEST(known_names_are_replaced_and_everything_else_stays),
      TEST(templates_are_rendered_with_their_mode),
      TEST(the_environment_names_everything),
      TEST(good_results_are_read),
      TEST(large_and_small_numbers_are_read),
      TEST(results_that_are_no_file_are_refused),
      TEST(bad_results_fail_with_what_and_where),
      TEST(fail_lines_mean_infeasible),
      TEST(patterns_pick_the_last_match),
      TEST(ends_are_classified),
      TEST(texts_in_the_output_are_rules),
      TEST(only_an_outcome_of_the_same_nonce_is_found),
  };
  return run_serial(tests);
}
