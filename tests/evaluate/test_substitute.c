/* test: serial labels unit */
/* What placeholders become in templates, scripts and the campaign file. */
#include "support/harness.h"

#include "base/memory.h"
#include "evaluate/contract/contract.h"

#include "conform_evaluator.h"

typedef struct {
  gannet_problem *problem;
  gannet_text_list templates;
  gannet_contract contract;
  double x[CONFORM_VARIABLES];
  gannet_request request;
} fixture;

static int set_up(void **state) {
  static fixture f;
  memset(&f, 0, sizeof f);
  f.problem = conform_problem();
  f.contract =
      (gannet_contract){.problem = f.problem, .evaluations = "/e", .input_directory = "/i"};
  conform_point(1, f.x);
  f.x[0] = 0.1;
  f.request =
      (gannet_request){.id = 42, .attempt = 1, .seed = 18446744073709551615u, .x_user = f.x};
  *state = &f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  gannet_problem_destroy(&f->problem);
  return 0;
}

static void substituted_at(const fixture *f, gannet_text_kind place,
                           const gannet_bindings *bindings, const char *text,
                           const char *expected) {
  char *out = NULL;
  size_t size = 0;
  assert_ok(
      gannet_substitute(&f->contract, bindings, place, "case.in", text, strlen(text), &out, &size));
  assert_string_equal(out, expected);
  assert_int_equal(size, strlen(expected));
  gannet_free(&out);
}

static void substituted(const fixture *f, const gannet_bindings *bindings, const char *text,
                        const char *expected) {
  substituted_at(f, GANNET_IN_TEMPLATE, bindings, text, expected);
}

static void known_names_are_replaced_and_everything_else_stays(void **state) {
  fixture *f = *state;
  gannet_bindings b = {0};
  assert_ok(gannet_bindings_create(&f->contract, &f->request, "/e", 3, &b));
  substituted(f, &b, "", "");
  substituted(f, &b, "plain", "plain");
  substituted(f, &b, "x={x}{fins}", "x=0.100000000000000012");
  substituted(f, &b, "{params} {results} {directory} {id} {attempt} {seed} {slot}",
              "/e/params.in /e/results.out /e 42 1 18446744073709551615 3");
  substituted(f, &b, "{x:8.4f}|{x:.2e}|{fins:03d}|{vent:d}|{id:06d}|{y:.2f}|{fins:q}",
              "  0.1000|1.00e-01|002|1|000042|{y:.2f}|{fins:q}");
  substituted(f, &b, "if (a) {x = 1;} {y} {} { x } {x", "if (a) {x = 1;} {y} {} { x } {x");
  substituted(f, &b, "{{x}}", "{0.10000000000000001}");
  substituted(f, &b, "{solver}", "a \"b\" $(rm x) 'c'"); /* once: what came in is not looked at */
  gannet_bindings_release(&b);
}

/* A shell's and a deck's own variables, and what a backslash keeps. */
static void what_is_no_placeholder_stays(void **state) {
  fixture *f = *state;
  gannet_bindings b = {0};
  assert_ok(gannet_bindings_create(&f->contract, &f->request, "/e", 3, &b));
  for (int place = GANNET_IN_TEMPLATE; place <= GANNET_IN_CAMPAIGN; ++place) {
    substituted_at(f, (gannet_text_kind)place, &b, "mkdir s-${id} ${x} ${x:-1} $${x} ${seed}",
                   "mkdir s-${id} ${x} ${x:-1} $${x} ${seed}");
    substituted_at(f, (gannet_text_kind)place, &b, "\\{x} \\\\{id} \\{id:03d}",
                   "{x} \\\\42 {id:03d}");
  }
  substituted_at(f, GANNET_IN_TEMPLATE, &b, "\\{unknown}", "\\{unknown}");
  substituted_at(f, GANNET_IN_SCRIPT, &b, "awk '\\{print}'", "awk '{print}'");
  gannet_bindings_release(&b);
}

static void other_marks_leave_braces_alone(void **state) {
  fixture *f = *state;
  gannet_bindings b = {0};
  gannet_delimiters delimiters;
  char at[] = "@@", *item[] = {at};
  const gannet_text_list given = {1, item};
  assert_null(gannet_delimiters_read(&given, &delimiters));
  f->contract.delimiters = &delimiters;
  assert_ok(gannet_bindings_create(&f->contract, &f->request, "/e", 3, &b));
  for (int place = GANNET_IN_TEMPLATE; place <= GANNET_IN_SCRIPT; ++place)
    substituted_at(f, (gannet_text_kind)place, &b, "\\sin{fins} {id} @fins@ a@fins:2d@",
                   "\\sin{fins} {id} 2 a 2");
  substituted_at(f, GANNET_IN_CAMPAIGN, &b, "{id}@fins@{fins}", "4222");
  gannet_bindings_release(&b);
}

/* What follows in a deck of fixed columns must not be shifted. */
static void a_value_without_room_is_not_written(void **state) {
  fixture *f = *state;
  gannet_bindings b = {0};
  char *out = NULL;
  f->x[0] = 123456;
  assert_ok(gannet_bindings_create(&f->contract, &f->request, "/e", 3, &b));
  static const char deck[] = "\nGRID,{x:8.4f},1";
  assert_fails(GANNET_ERR_INPUT,
               "case.in:2:6: 'x:8.4f' has no room for '123456.0000'; give it a larger width",
               gannet_substitute(&f->contract, &b, GANNET_IN_TEMPLATE, "case.in", deck,
                                 strlen(deck), &out, NULL));
  assert_null(out);
  gannet_bindings_release(&b);
}

static void a_variable_wins_over_a_word_of_the_contract(void **state) {
  fixture *f = *state;
  const gannet_variable variable = {
      .name = "id", .type = GANNET_VARIABLE_REAL, .lower = 0, .upper = 1};
  const gannet_problem_spec spec = {.n_variables = 1, .variables = &variable};
  gannet_problem *problem = NULL;
  gannet_bindings b = {0};
  assert_ok(gannet_problem_create(&spec, &problem));
  f->contract.problem = problem;
  f->x[0] = 0.5;
  assert_ok(gannet_bindings_create(&f->contract, &f->request, "/e", 3, &b));
  substituted(f, &b, "{id} {id:.2f} {seed}", "0.5 0.50 18446744073709551615");
  gannet_bindings_release(&b);
  gannet_problem_destroy(&problem);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(known_names_are_replaced_and_everything_else_stays),
      TEST(what_is_no_placeholder_stays),
      TEST(other_marks_leave_braces_alone),
      TEST(a_value_without_room_is_not_written),
      TEST(a_variable_wins_over_a_word_of_the_contract),
  };
  return run_serial(tests);
}
