/* test: serial labels unit */
/* Results that a simulation writes into results.out. */
#include "results_fixture.h"

#include <errno.h>
#include <fcntl.h>

static int stat_error; /* of the next call for results.out */

/* In place of that of the C library. */
int stat(const char *restrict path, struct stat *restrict about) {
  if (stat_error && strstr(path, "results.out")) {
    errno = stat_error;
    stat_error = 0;
    return -1;
  }
  return fstatat(AT_FDCWD, path, about, 0);
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
  const gannet_outcome_rules rules = {.patterns = &patterns};
  char path[400];
  (void)snprintf(path, sizeof path, "%s/results.out", f->directory);
  for (int kind = 0; kind < 4; ++kind) {
    gannet_result_record result = {.constraints = &f->constraint};
    gannet_result_clear(1, &result);
    (void)unlink(path);
    if (kind == 0) assert_int_equal(mkfifo(path, 0600), 0);
    if (kind == 1) assert_int_equal(symlink("/dev/zero", path), 0);
    if (kind == 2) assert_int_equal(symlink("results.out", path), 0);
    if (kind == 3) assert_int_equal(mkdir(path, 0700), 0);
    gannet_contract_read_results(f->problem, &rules, f->directory, &result);
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
      {"", "results.out: objective and stress are missing"},
      {"objective 1\n", "results.out: stress is missing; it has: objective"},
      {"objective 1\nstress nan\n", "results.out line 2: stress is nan, expected a finite"},
      {"objective inf\nstress 1\n", "results.out line 1: objective is inf"},
      {"objective 1e999\nstress 1\n", "objective is inf"},
      {"objective abc\nstress 1\n", "line 1: objective is 'abc', expected a number"},
      {"objective 0x10\nstress 1\n", "line 1: objective is '0x10', expected a number"},
      {"objective\nstress 1\n", "line 1: objective is '', expected a number"},
      {"objective 1 2\nstress 1\n", "objective is '1 2', expected a number"},
      {"objective 1\nobjective 1\nstress 1\n", "line 2: objective is given twice"},
      {"objective 1\nstrain 1\n", "stress is missing; is 'strain' a misspelling of it?"},
      {"Objective 1\nstress 1\n", "objective is missing; is 'Objective' a misspelling of it?"},
      {"objective 1\nsterss x\n", "did you mean 'stress'? Expected: objective stress, or fail"},
      {"FAIL mesh\n", "did you mean 'fail'?"},
      {"solver cg\ncells many\n",
       "results.out: objective is missing; line 1 has no number: 'solver cg'"},
      {"3.5\n", "objective is missing; line 1 is '3.5', expected a name before the number"},
      {"extra 1\nmore 2\n", "results.out: objective and stress are missing; it has: extra more"},
      {"a_name_of_thirty_letters_or_more 1\nanother_name_of_thirty_letters_1 2\ncracks 3\n",
       "are missing; it has: a_name_of_thirty_letters_or_more another_name_of_thirty_letters_1 and "
       "1 more"},
      {"objective 1 +-\nstress 1\n", "line 1: the standard deviation of objective is ''"},
      {"objective 1 +- -2\nstress 1\n", "the standard deviation of objective is '-2', expected"},
      {"objective 1 +- inf\nstress 1\n", "deviation of objective is 'inf', expected a number"},
      {"objective=1\nstress=1\n", "line 1: 'objective=1', expected a name, a blank and a number"},
      {"objective 1\nstress: 1\n", "line 2: 'stress:', expected a name, a blank and a number"},
      {"\x7f"
       "ELF\x01\x02 garbage\n",
       "results.out: objective is missing"},
      {"{\"objective\": 1, \"stress\": 2", "results.out line 1 column"},
      {"{\"objective\": 1, \"objective\": 2, \"stress\": 1}", "duplicate"},
      {"{\"objective\": \"1\", \"stress\": 2}", "objective is not a number"},
      {"{\"objective\": 1}", "stress is missing"},
      {"{\"objective\": {\"sd\": 1}, \"stress\": 2}", "objective: expected numbers value and sd"},
      {"{\"objective\": {\"value\": 1, \"gradient\": {\"y\": 1}}, \"stress\": 2}",
       "results.out: objective: gradient: 'y' is not a variable"},
      {"{\"objective\": {\"value\": 1, \"gradient\": {\"x\": \"1\"}}, \"stress\": 2}",
       "results.out: objective: gradient: x is not a number"},
      {"{\"objective\": NaN, \"stress\": 2}", "results.out line 1 column"},
      {"objective missing\n", "results.out: stress is missing"},
      {"objective missing\nstress missing\n", "neither the objective nor a constraint has a value"},
      {"objective 1\nobjective missing\n", "objective is said to be missing, and has a value, too"},
      {"stress 1\nobjective Missing\n", "expected a number, or 'missing'"},
      {"stress 200\nobjectiv 1\n", "objective is missing; is 'objectiv' a misspelling of it?"},
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

/* Python and NumPy write numbers that JSON does not have. */
static void numbers_that_json_does_not_have_are_named(void **state) {
  fixture *f = *state;
  static const char *const texts[] = {"{\"objective\": NaN, \"stress\": 2}",
                                      "{\"objective\": 1,\n\"stress\": -Infinity}",
                                      "{\"objective\": NaN, \"stress\": 2"};
  static const char *const reasons[] = {
      "line 1 column 17: NaN or Infinity, expected finite numbers",
      "line 2 column 11: NaN or Infinity, expected finite numbers", "near 'NaN'"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    const gannet_result_record result = read_with(f, NULL, texts[i]);
    assert_int_equal(result.status, GANNET_EVAL_FAILED);
    assert_non_null(strstr(result.run.reason, reasons[i]));
  }
}

/* The names that were found leave no room for more, and the one that is missing comes behind them.
 */
static void a_missing_name_behind_many_others_is_told(void **state) {
  enum { N = 6 };
  fixture *f = *state;
  static const char *const names[N] = {"stress_in_the_first_rib", "stress_in_the_second_rib",
                                       "stress_in_the_third_rib", "stress_in_the_fourth_rib",
                                       "temperature_of_the_oil",  "noise"};
  gannet_constraint constraints[N];
  for (int j = 0; j < N; ++j)
    constraints[j] = (gannet_constraint){.name = names[j], .lower = -INFINITY, .upper = 10};
  const gannet_problem_spec spec = {.n_variables = CONFORM_VARIABLES,
                                    .variables = conform_variables,
                                    .n_constraints = N,
                                    .constraints = constraints};
  gannet_problem *problem = NULL;
  double values[N];
  gannet_result_record result = {.constraints = values};
  assert_ok(gannet_problem_create(&spec, &problem));
  gannet_result_clear(N, &result);
  write_file(f->directory, "results.out",
             "objective 1\nstress_in_the_first_rib 1\nstress_in_the_second_rib 1\n"
             "stress_in_the_third_rib 1\nstress_in_the_fourth_rib 1\ntemperature_of_the_oil 1\n",
             0644);
  const gannet_patterns patterns = {0};
  const gannet_outcome_rules rules = {.patterns = &patterns, .limits = f->limits};
  gannet_contract_read_results(problem, &rules, f->directory, &result);
  assert_non_null(
      strstr(result.run.reason,
             "results.out: noise is missing; it has: objective stress_in_the_first_rib"));
  gannet_problem_destroy(&problem);
}

/* A result that was printed, and not written, is named. */
static void printed_results_are_named(void **state) {
  fixture *f = *state;
  write_file(f->directory, "stdout.log", "step 1\nobjective 3\n", 0644);
  const gannet_result_record result = read_with(f, NULL, NULL);
  assert_string_equal(result.run.reason,
                      "no results.out, so objective is missing; it was printed: write it into "
                      "results.out, or read it with evaluate.pattern");
}

/* Of what is missing, each is said to be, or a constraint is violated. */
static void numbers_may_be_missing(void **state) {
  fixture *f = *state;
  static const struct {
    const char *results;
    double objective, stress;
    int feasibility;
  } good[] = {{"stress 200\n", NAN, 200, 0},
              {"stress 200\nobjective missing\n", NAN, 200, 0},
              {"stress 1\nobjective missing\n", NAN, 1, -1},
              {"objective 2\nstress missing\n", 2, NAN, -1},
              {"{\"objective\": 2, \"stress\": \"missing\"}", 2, NAN, -1},
              {"{\"stress\": {\"value\": 200, \"sd\": 1}}", NAN, 200, 0}};
  for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
    gannet_result_record result = read_with(f, NULL, good[i].results);
    if (result.status != GANNET_EVAL_DONE) fail_msg("%zu: %s", i, result.run.reason);
    assert_true(isnan(good[i].objective) ? isnan(result.objective)
                                         : result.objective == good[i].objective);
    assert_true(isnan(good[i].stress) ? isnan(f->constraint) : f->constraint == good[i].stress);
    assert_int_equal(gannet_result_feasibility(f->problem, &result), good[i].feasibility);
    gannet_results_release(1, &result);
  }
}

static void assert_reported(const gannet_result_record *result, const char *name, double value,
                            double sd) {
  const gannet_reported *item = gannet_quantities_find(&result->reported, name);
  if (!item) fail_msg("%s is not there", name);
  assert_true(item->value == value && item->sd == sd);
}

/* A campaign asks for objective and stress; what else a simulation reports is kept. */
static void other_quantities_are_recorded(void **state) {
  fixture *f = *state;
  static const char *const same[] = {
      "mass 12.5\nobjective 3.25 +- 0.5\nstress 7 \xc2\xb1 0.25\n_cd2 -1e-3+-1e-4\n",
      "{\"mass\": 12.5, \"objective\": {\"value\": 3.25, \"sd\": 0.5}, \"solver\": \"cg\","
      " \"stress\": {\"value\": 7, \"sd\": 0.25}, \"_cd2\": {\"value\": -1e-3, \"sd\": 1e-4},"
      " \"flags\": [1, 2], \"mesh\": {\"cells\": 8}}"};
  for (size_t i = 0; i < sizeof same / sizeof *same; ++i) {
    gannet_result_record result = read_with(f, NULL, same[i]);
    if (result.status != GANNET_EVAL_DONE) fail_msg("%zu: %s", i, result.run.reason);
    assert_true(result.objective == 3.25 && f->constraint == 7);
    assert_int_equal(result.reported.n, 4);
    assert_reported(&result, "mass", 12.5, 0);
    assert_reported(&result, "objective", 3.25, 0.5);
    assert_reported(&result, "stress", 7, 0.25);
    assert_reported(&result, "_cd2", -1e-3, 1e-4);
    gannet_results_release(1, &result);
  }
}

static void gradients_and_missing_values_are_recorded(void **state) {
  fixture *f = *state;
  gannet_result_record result = read_with(
      f, NULL,
      "{\"objective\": {\"value\": 2, \"gradient\": {\"fins\": -1.5, \"x\": 4}}, \"stress\": 1}");
  assert_int_equal(result.status, GANNET_EVAL_DONE);
  const gannet_reported *item = gannet_quantities_find(&result.reported, "objective");
  assert_non_null(item);
  assert_non_null(item->gradient);
  assert_true(item->gradient[0] == 4 && item->gradient[1] == -1.5 && isnan(item->gradient[2]));
  gannet_results_release(1, &result);
  result = read_with(f, NULL, "objective 2\nstress 1\nlift nan\n");
  assert_int_equal(result.status, GANNET_EVAL_DONE);
  assert_true(isnan(gannet_quantities_find(&result.reported, "lift")->value));
  gannet_results_release(1, &result);
}

/* What nobody asked for cannot fail an evaluation, however it is written. */
static void odd_quantities_are_no_failure(void **state) {
  fixture *f = *state;
  static const char *const same[] = {
      "objective 1\nmass 2\nmass 3\nstress 1\nwall-time 3\nheat: 4\nsolver cg\ncells 12 of 13\n"
      "lift 1 +- nan\n",
      "{\"mass\": {\"value\": 3, \"sd\": null}, \"objective\": 1, \"stress\": 1, \"lift\": 1, "
      "\"wall-time\": 3, \"a\": {\"value\": null}, \"b\": {\"value\": \"ok\"}, \"c\": null, "
      "\"d\": {\"value\": 1, \"sd\": -1}, \"e\": {\"value\": 1, \"gradient\": {\"z\": 1}}}"};
  for (size_t i = 0; i < sizeof same / sizeof *same; ++i) {
    gannet_result_record result = read_with(f, NULL, same[i]);
    if (result.status != GANNET_EVAL_DONE) fail_msg("%zu: %s", i, result.run.reason);
    assert_int_equal(result.reported.n, 2);
    assert_reported(&result, "mass", 3, 0);
    assert_reported(&result, "lift", 1, 0);
    gannet_results_release(1, &result);
  }
}

/* Of more quantities than an evaluation may have, the first are kept. */
static void too_many_quantities_are_no_failure(void **state) {
  fixture *f = *state;
  const size_t size = 32 * (GANNET_QUANTITIES_MOST + 10);
  char *text = malloc(size);
  assert_non_null(text);
  size_t used = (size_t)snprintf(text, size, "stress 1\n");
  for (int i = 0; i < GANNET_QUANTITIES_MOST + 5; ++i)
    used += (size_t)snprintf(text + used, size - used, "q%d %d\n", i, i);
  (void)snprintf(text + used, size - used, "objective 1 +- 0.1\n"); /* is not one too many */
  gannet_result_record result = read_with(f, NULL, text);
  assert_int_equal(result.status, GANNET_EVAL_DONE);
  assert_int_equal(result.reported.n, GANNET_QUANTITIES_MOST + 1);
  gannet_results_release(1, &result);
  free(text);
}

static void fail_lines_mean_cannot_run(void **state) {
  fixture *f = *state;
  static const char *const texts[] = {
      "fail mesh  tangled \n", "objective 1\nfail mesh  tangled", "{\"fail\": \"mesh  tangled\"}",
      "objective nan\nresidual 3\n fail mesh  tangled\nobjective 2"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    const gannet_result_record result = read_with(f, NULL, texts[i]);
    assert_int_equal(result.status, GANNET_EVAL_CANNOT_RUN);
    assert_string_equal(result.run.reason, "mesh  tangled");
    assert_true(isnan(result.objective));
  }
}

/* A flag of JSON is true or false, or 1 or 0 as C and Fortran have it; only a text is a reason. */
static void flags_of_json_mean_what_they_say(void **state) {
  fixture *f = *state;
  static const char *const good[] = {"false", "null", "0", "0.0", "-0"};
  static const char *const bad[] = {"true", "1", "-2.5", "\"\"", "\"0\""};
  char text[100];
  for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
    (void)snprintf(text, sizeof text, "{\"objective\": 1, \"stress\": 2, \"fail\": %s}", good[i]);
    const gannet_result_record result = read_with(f, NULL, text);
    if (result.status != GANNET_EVAL_DONE) fail_msg("%s: %s", text, result.run.reason);
    assert_true(result.objective == 1 && f->constraint == 2);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    (void)snprintf(text, sizeof text, "{\"objective\": 1, \"stress\": 2, \"fail\": %s}", bad[i]);
    assert_int_equal(read_with(f, NULL, text).status, GANNET_EVAL_CANNOT_RUN);
  }
  const gannet_result_record result = read_with(f, NULL, "{\"fail\": [\"mesh\"]}");
  assert_int_equal(result.status, GANNET_EVAL_FAILED);
  assert_non_null(strstr(result.run.reason, "expected a reason, true or false"));
}

/* Which JSON does not have: they are no results, but do not drown the word fail. */
static void a_fail_counts_beside_the_nan_of_python(void **state) {
  fixture *f = *state;
  static const char *const cannot_run[] = {
      "{\"fail\": \"NaN in \\\"cell\\\" 3\", \"objective\": NaN}",
      "{\"objective\": -Infinity, \"stress\": Infinity, \"fail\": \"NaN in \\\"cell\\\" 3\"}",
      "{\"stress\":NaN,\"objective\":NaN,\n\"fail\":\"NaN in \\\"cell\\\" 3\"}\n",
      "{\"fail\": \"NaN in \\\"cell\\\" 3\", \"objective\": null}"};
  static const char *const failed[] = {"{\"fail\": false, \"objective\": NaN, \"stress\": 1}",
                                       "{\"fail\": NaN, \"objective\": 1, \"stress\": 1}",
                                       "{\"fail\": 0, \"objective\": Infinity, \"stress\": 1}",
                                       "{\"fail\": \"x\", \"objective\": NaN",
                                       "{\"fail\": \"x\", \"objective\": nan}"};
  for (size_t i = 0; i < sizeof cannot_run / sizeof *cannot_run; ++i) {
    const gannet_result_record result = read_with(f, NULL, cannot_run[i]);
    if (result.status != GANNET_EVAL_CANNOT_RUN)
      fail_msg("%s: %s", cannot_run[i], result.run.reason);
    assert_string_equal(result.run.reason, "NaN in \"cell\" 3");
    assert_true(isnan(result.objective) && isnan(f->constraint));
  }
  for (size_t i = 0; i < sizeof failed / sizeof *failed; ++i) {
    const gannet_result_record result = read_with(f, NULL, failed[i]);
    assert_int_equal(result.status, GANNET_EVAL_FAILED);
    assert_non_null(strstr(result.run.reason, "results.out line 1 column"));
  }
}

/* An error of the file system says nothing about the design: the result is to be read again. */
static void what_may_pass_leaves_results_unread(void **state) {
  fixture *f = *state;
  static const struct {
    int error;
    bool may_pass;
  } cases[] = {{ESTALE, true}, {EIO, true}, {ENOMEM, true}, {EACCES, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    stat_error = cases[i].error;
    const gannet_result_record result = read_with(f, NULL, "objective 1\nstress 1\n");
    assert_int_equal(stat_error, 0);
    assert_int_equal(result.status, cases[i].may_pass ? GANNET_EVAL_PENDING : GANNET_EVAL_FAILED);
    assert_int_equal(gannet_contract_is_unread(&result), cases[i].may_pass);
    assert_int_equal(result.run.crashed, !cases[i].may_pass);
    assert_non_null(strstr(result.run.reason, strerror(cases[i].error)));
  }
}

static void check_no_descriptors(fixture *f, const char *pattern, const char *results) {
  f->has_no_descriptors = true;
  const gannet_result_record result = read_with(f, pattern, results);
  assert_true(gannet_contract_is_unread(&result));
  if (!strstr(result.run.reason, strerror(EMFILE))) fail_msg("%s", result.run.reason);
}

static void files_that_cannot_be_opened_are_read_again(void **state) {
  fixture *f = *state;
  write_file(f->directory, "stdout.log", "drag 1\n", 0644);
  check_no_descriptors(f, NULL, "objective 1\nstress 1\n");
  check_no_descriptors(f, "objective=^drag ([0-9])", NULL);
}

/* Whether an attempt has ended cannot be known then, and it must not be made again. */
static void files_of_an_attempt_must_be_readable_or_absent(void **state) {
  const fixture *f = *state;
  struct rlimit before;
  assert_ok(gannet_attempt_check_files(f->directory, true));
  write_file(f->directory, "outcome.json", "{", 0644); /* damaged */
  assert_ok(gannet_attempt_check_files(f->directory, true));
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  const struct rlimit none = {0, before.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
  const gannet_err err = gannet_attempt_check_files(f->directory, false);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
  assert_int_equal(err, GANNET_ERR_IO);
  assert_non_null(strstr(gannet_error_detail(), "outcome.json"));
  gannet_error_clear();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(good_results_are_read),
      TEST(large_and_small_numbers_are_read),
      TEST(results_that_are_no_file_are_refused),
      TEST(bad_results_fail_with_what_and_where),
      TEST(numbers_that_json_does_not_have_are_named),
      TEST(a_missing_name_behind_many_others_is_told),
      TEST(printed_results_are_named),
      TEST(other_quantities_are_recorded),
      TEST(numbers_may_be_missing),
      TEST(gradients_and_missing_values_are_recorded),
      TEST(odd_quantities_are_no_failure),
      TEST(too_many_quantities_are_no_failure),
      TEST(fail_lines_mean_cannot_run),
      TEST(flags_of_json_mean_what_they_say),
      TEST(a_fail_counts_beside_the_nan_of_python),
      TEST(what_may_pass_leaves_results_unread),
      TEST(files_that_cannot_be_opened_are_read_again),
      TEST(files_of_an_attempt_must_be_readable_or_absent),
  };
  return run_serial(tests);
}
