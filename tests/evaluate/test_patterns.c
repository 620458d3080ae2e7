/* test: serial labels unit */
/* Results that a simulation prints, and that patterns pick out of its output. */
#include "results_fixture.h"

static void patterns_without_a_group_are_refused(void **state) {
  static const struct {
    const char *text;
    int complaints;
  } cases[] = {{"stress=lift: [0-9]+", 1},
               {"stress=torque", 1},
               {"stress=[a-z]*[0-9.eE+-]+", 0},
               {"stress=[0-9.]+$", 0},
               {"stress=lift: (.*)", 0}};
  fixture *f = *state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    gannet_complaints complaints = {0};
    gannet_patterns patterns = {0};
    gannet_text_list texts = {0};
    assert_ok(gannet_text_list_add(&texts, cases[i].text));
    assert_ok(gannet_patterns_create(&texts, f->problem, &complaints, &patterns));
    assert_int_equal(complaints.count, cases[i].complaints);
    if (complaints.count)
      assert_non_null(strstr(complaints.text,
                             "no group in round brackets says where the number "
                             "is; expected as in 'objective="));
    gannet_patterns_release(&patterns);
    gannet_text_list_release(&texts);
    gannet_complaints_release(&complaints);
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
  result = read_with(f, "stress=[-+.0-9eE]+", "objective 1\n"); /* no group: the whole match */
  assert_non_null(strstr(result.run.reason, "stress is 'e', expected a number"));
  result = read_with(f, "stress=torque (.*)", "objective 1\n");
  assert_non_null(strstr(result.run.reason, "no line of stdout.log matches"));
  result = read_with(f, pattern, "fail no\n");
  assert_int_equal(result.status, GANNET_EVAL_CANNOT_RUN);
  write_file(f->directory, "stdout.log", "10 %\r99 %\rdrag: 4\r\n", 0644);
  result = read_with(f, "objective=drag: ([0-9]+)$", "stress 7\n");
  assert_true(result.status == GANNET_EVAL_DONE && result.objective == 4);
}

/* With the expression of the documentation. The last line counts, whatever is in it. */
static void a_diverged_run_is_not_taken_for_an_earlier_line(void **state) {
  static const char *const last[] = {"nan", "-NaN", "inf", "-Infinity", "********", "", "3.0 4.0x"};
  char text[100];
  for (size_t i = 0; i < sizeof last / sizeof *last; ++i) {
    fixture *f = *state;
    const bool good = i == sizeof last / sizeof *last - 1;
    (void)snprintf(text, sizeof text, "drag: 7.0\ndrag: %s\n", last[i]);
    write_file(f->directory, "stdout.log", text, 0644);
    const gannet_result_record result = read_with(f, "objective=^drag: *([^ ]*)", "stress 7\n");
    assert_int_equal(result.status, good ? GANNET_EVAL_DONE : GANNET_EVAL_FAILED);
    if (good) assert_true(result.objective == 3);
  }
}

/* What a pattern makes of a line. */
typedef struct {
  const char *pattern, *text;
  double value; /* 0 = refused, with whole in the reason */
  const char *whole;
} cutting;

static void check_cuttings(fixture *f, size_t n, const cutting *cases, const char *expected) {
  for (size_t i = 0; i < n; ++i) {
    write_file(f->directory, "stdout.log", cases[i].text, 0644);
    const gannet_result_record result = read_with(f, cases[i].pattern, "stress 7\n");
    if (cases[i].value == 0) {
      assert_int_equal(result.status, GANNET_EVAL_FAILED);
      if (!strstr(result.run.reason, cases[i].whole))
        fail_msg("%s: %s", cases[i].text, result.run.reason);
      assert_non_null(strstr(result.run.reason, expected));
    } else {
      if (result.status != GANNET_EVAL_DONE) fail_msg("%s", result.run.reason);
      assert_true(result.objective == cases[i].value);
    }
  }
}

/* A part of a number is a number, too, but not the one that was printed. */
static void parts_of_numbers_are_no_results(void **state) {
  static const cutting cases[] = {
      {"objective=drag.*([0-9.eE+-]+)", "drag (total): 12.5", 0, "only '5' of '12.5'"},
      {"objective=drag.*([0-9]+)", "drag: 1.5e12", 0, "only '2' of '1.5e12'"},
      {"objective=drag.*([0-9]+)", "drag: 1.5e-3", 0, "only '3' of '1.5e-3'"},
      {"objective=drag: ([0-9.eE+-]+)", "drag: -1.5D+01", 0, "only '-1.5' of '-1.5D+01'"},
      {"objective=drag: ([0-9.]+)", "drag: 12.e3 N", 0, "only '12.' of '12.e3'"},
      {"objective=drag.*([0-9.]+)-", "drag = 12.5-100.0", 0, "only '5' of '12.5'"},
      {"objective=range ([0-9.]+)-", "range 0.12-104", 0.12, ""},
      {"objective=drag: ([0-9]+)", "drag: 12.5", 0, "only '12' of '12.5'"},
      {"objective=drag: ([0-9][0-9])", "drag: 125", 0, "only '12' of '125'"},
      {"objective=drag: ([0-9]{2})", "drag: 125", 12, ""},
      {"objective=^drag: *([0-9.eEdD+-]+)", "drag: -1.5D+01", -15, ""},
      {"objective=drag.*[^0-9.]([0-9.]+)", "drag2: 12.5", 12.5, ""},
      {"objective=drag ([0-9.]+)", "drag 12.5eV", 12.5, ""},
      {"objective=drag,([0-9]+)", "drag,12,5", 12, ""},
      {"objective=drag ([0-9.]+)", "drag 1.5-2.5", 1.5, ""},
      {"objective=solver ([0-9]+[.][0-9]+)", "solver 3.5.1", 3.5, ""},
      {"objective=^.{4}(.{8})", "12.51234.567890.1", 1234.567, ""},
  };
  check_cuttings(*state, sizeof cases / sizeof *cases, cases, "expected a group that takes all");
}

/* 1,000.5 is a number to people, and 3,14 to some; 0.5,2 is two. An expression with the comma in it
 * knows. */
static void numbers_are_not_cut_at_commas(void **state) {
  static const cutting cases[] = {
      {"objective=drag: ([0-9.eE+-]+)", "drag: 1,000.5", 0, "only '1' of '1,000.5'"},
      {"objective=drag: ([0-9.eE+-]+)", "drag: -12,000", 0, "only '-12' of '12,000'"},
      {"objective=drag: ([0-9.]+).*", "drag: 1,234,567.8 N", 0, "only '1' of '1,234,567.8'"},
      {"objective=([0-9.]+)$", "drag: 1,000.5", 0, "only '000.5' of '1,000.5'"},
      {"objective=drag: ([0-9.]+)", "drag: 3,14E-2", 0, "only '3' of '3,14'"},
      {"objective=drag: ([0-9.]+)", "drag: 1.000,5", 0, "only '1.000' of '1.000,5'"},
      {"objective=drag, all: ([0-9.]+)", "drag, all: 1,000.5", 0, "only '1' of '1,000.5'"},
      {"objective=drag: ([0-9.]+)", "drag: 1, 2", 1, ""},
      {"objective=drag: ([0-9.]+)", "drag: 1,", 1, ""},
      {"objective=drag: ([0-9.]+)", "drag: 1,x", 1, ""},
      {"objective=^([^,]+),", "1,2", 1, ""},
      {"objective=^([^,]+),", " 1,000.5", 1, ""},
      {"objective=^[^,]*,([0-9.]+)", "x,1,000", 1, ""},
      {"objective=,([0-9.]+)$", "3,14", 14, ""},
      {"objective=^([0-9.eE+-]+)", "0.5,2", 0.5, ""},
      {"objective=^([0-9.eE+-]+)", "0.531,120", 0.531, ""},
      {"objective=^([0-9.eE+-]+)", "1.5e-3,2", 0.0015, ""},
      {"objective=^([0-9.eE+-]+)", "1,2.5", 1, ""},
      {"objective=^([0-9.eE+-]+)", "1,2,3", 1, ""},
      {"objective=([0-9.]+)$", "4,12,0.25", 0.25, ""},
      {"objective=^(.{1})", "1,000", 1, ""},
  };
  check_cuttings(*state, sizeof cases / sizeof *cases, cases, "expected a number without commas");
}

/* What there is room for would be another number. */
static void numbers_that_are_too_long_are_refused(void **state) {
  fixture *f = *state;
  char text[1024];
  (void)snprintf(text, sizeof text, "drag: %0600d\n", 7);
  write_file(f->directory, "stdout.log", text, 0644);
  gannet_result_record result = read_with(f, "objective=drag: (.*)", "stress 7\n");
  assert_int_equal(result.status, GANNET_EVAL_FAILED);
  assert_non_null(strstr(result.run.reason, "expected a number"));
  (void)snprintf(text, sizeof text, "drag:%600s1.5e3 \n", "");
  write_file(f->directory, "stdout.log", text, 0644);
  result = read_with(f, "objective=drag:(.*)", "stress 7\n");
  assert_true(result.status == GANNET_EVAL_DONE && result.objective == 1500);
}

/* As of results.out: what lies behind a zero byte may belong to the number. */
static void lines_with_zero_bytes_are_no_results(void **state) {
  fixture *f = *state;
  static const struct {
    const char text[24];
    size_t size;
    bool is_good;
  } logs[] = {{"drag: 1\0.5\n", 11, false},
              {"drag: \0"
               "1.5\n",
               11, false},
              {"\0\0\ndrag: 1.5\n", 13, true},
              {"drag: 1\0.5\ndrag: 1.5\n", 21, true}};
  for (size_t i = 0; i < sizeof logs / sizeof *logs; ++i) {
    char path[300];
    (void)snprintf(path, sizeof path, "%s/stdout.log", f->directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(logs[i].text, 1, logs[i].size, file), logs[i].size);
    assert_int_equal(fclose(file), 0);
    const gannet_result_record result = read_with(f, "objective=^drag: *([0-9.]+)", "stress 7\n");
    assert_int_equal(result.status, logs[i].is_good ? GANNET_EVAL_DONE : GANNET_EVAL_FAILED);
    if (logs[i].is_good)
      assert_true(result.objective == 1.5);
    else
      assert_non_null(strstr(result.run.reason, "holds zero bytes"));
  }
}

/* Neither is the design to blame. */
static void searches_that_take_long_are_given_up(void **state) {
  fixture *f = *state;
  static char text[(1 << 20) + 1];
  memset(text, '.', 1 << 20);
  write_file(f->directory, "stdout.log", text, 0644);
  f->limits.patience = -1e9;
  gannet_result_record result = read_with(f, "objective=([0-9.]+)x", "stress 7\n");
  assert_int_equal(result.status, GANNET_EVAL_FAILED);
  assert_false(result.retry || result.run.crashed);
  assert_non_null(strstr(result.run.reason, "pattern of objective takes too long on stdout.log: "));
  assert_non_null(strstr(result.run.reason, "begin with ^"));
}

static bool always(void *user) {
  (void)user;
  return true;
}

static void a_stop_leaves_results_to_be_judged_later(void **state) {
  fixture *f = *state;
  const gannet_stopping stopping = {.is_asked = always};
  write_file(f->directory, "stdout.log", "drag: 3\n", 0644);
  f->limits.stopping = &stopping;
  gannet_result_record result = read_with(f, "objective=drag: ([0-9]+)", "stress 7\n");
  assert_int_equal(result.status, GANNET_EVAL_PENDING);
  f->limits.stopping = NULL;
  result = read_with(f, "objective=drag: ([0-9]+)", "stress 7\n");
  assert_int_equal(result.status, GANNET_EVAL_DONE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(patterns_without_a_group_are_refused),
      TEST(patterns_pick_the_last_match),
      TEST(a_diverged_run_is_not_taken_for_an_earlier_line),
      TEST(parts_of_numbers_are_no_results),
      TEST(numbers_are_not_cut_at_commas),
      TEST(numbers_that_are_too_long_are_refused),
      TEST(lines_with_zero_bytes_are_no_results),
      TEST(searches_that_take_long_are_given_up),
      TEST(a_stop_leaves_results_to_be_judged_later),
  };
  return run_serial(tests);
}
