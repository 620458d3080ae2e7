/* test: serial labels unit */
#include "problem/outputs.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "support/harness.h"

typedef struct {
  gannet_problem *problem;
  gannet_result_record result;
  double constraints[8];
} fixture;

static const gannet_variable x = {.name = "x", .lower = 0, .upper = 1};
static const gannet_constraint bounds[] = {{.name = "stress", .lower = -INFINITY, .upper = 1},
                                           {.name = "margin", .lower = 0, .upper = INFINITY}};
static const gannet_problem_spec spec = {
    .n_variables = 1, .variables = &x, .n_constraints = 2, .constraints = bounds, .noise_sd = NAN};

static int make(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  assert_ok(gannet_problem_create(&spec, &f->problem));
  assert_ok(gannet_outputs_create(f->problem));
  f->result.constraints = f->constraints;
  gannet_result_clear(2, &f->result);
  *state = f;
  return 0;
}

static int drop(void **state) {
  fixture *f = *state;
  gannet_results_release(1, &f->result);
  gannet_problem_destroy(&f->problem);
  free(f);
  return 0;
}

static void report(fixture *f, const char *name, double value) {
  const gannet_quantity quantity = {.name = name, .value = value};
  assert_ok(gannet_result_report(f->problem, &quantity, &f->result));
}

static void names_of_expressions_are_listed(void **state) {
  (void)state;
  static const struct {
    const char *text, *names;
  } cases[] = {{"drag + 0.01*mass", " drag mass"},
               {"sqrt(a_1)*a_1 - max (b, 2e5)", " a_1 b"},
               {"2*pi*e + 1.5e3 - 1.0D+03", ""},
               {"x > .5 ? y2 : 3", " x y2"},
               {"", ""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char list[100] = "", **names = NULL;
    int n = 0;
    assert_ok(gannet_expression_list_names(cases[i].text, &n, &names));
    for (int k = 0; k < n; ++k) {
      (void)strcat(strcat(list, " "), names[k]);
      gannet_free(&names[k]);
    }
    gannet_free(&names);
    assert_string_equal(list, cases[i].names);
  }
}

static void the_objective_has_two_names(void **state) {
  fixture *f = *state;
  assert_ok(gannet_outputs_name_objective(f->problem->outputs, "drag", "N"));
  assert_string_equal(gannet_problem_quantity_name(f->problem, 0), "drag");
  assert_string_equal(gannet_problem_objective_unit(f->problem), "N");
  assert_int_equal(gannet_problem_find_quantity(f->problem, "drag"), 0);
  assert_int_equal(gannet_problem_find_quantity(f->problem, "objective"), 0);
  assert_int_equal(gannet_problem_find_quantity(f->problem, "margin"), 2);
  assert_int_equal(gannet_problem_find_quantity(f->problem, "lift"), -1);
  const gannet_quantity noisy = {.name = "drag", .value = 3, .sd = 0.5};
  assert_ok(gannet_result_report(f->problem, &noisy, &f->result));
  assert_true(f->result.objective == 3);
  assert_string_equal(f->result.reported.item[0].name, "objective"); /* the file's columns stay */
}

static void formulas_are_computed_from_what_is_reported(void **state) {
  fixture *f = *state;
  char why[300] = "";
  assert_ok(gannet_outputs_set_formula(f->problem->outputs, 0, "drag + 2*stress"));
  assert_ok(gannet_outputs_set_formula(f->problem->outputs, 2, "mass/100 - 1"));
  report(f, "stress", 0.25);
  report(f, "drag", 4);
  assert_int_equal(gannet_problem_compute(f->problem, &f->result, why, sizeof why),
                   GANNET_COMPUTED_SOME);
  assert_string_equal(why, "margin = mass/100 - 1: mass is missing; reported: stress drag");
  report(f, "maas", 300);
  assert_int_equal(gannet_problem_compute(f->problem, &f->result, why, sizeof why),
                   GANNET_COMPUTED_SOME);
  assert_non_null(strstr(why, "did you mean 'maas'?"));
  report(f, "mass", NAN);
  assert_int_equal(gannet_problem_compute(f->problem, &f->result, why, sizeof why),
                   GANNET_COMPUTED_SOME);
  assert_string_equal(why, "margin = mass/100 - 1: mass is nan, expected a finite number");
  report(f, "mass", 300);
  assert_int_equal(gannet_problem_compute(f->problem, &f->result, why, sizeof why),
                   GANNET_COMPUTED_ALL);
  assert_true(f->result.objective == 4.5 && f->constraints[1] == 2);
  assert_true(gannet_problem_needs_quantity(f->problem, "mass"));
  assert_false(gannet_problem_needs_quantity(f->problem, "maas"));
  assert_int_equal(gannet_problem_find_unknown(f->problem, &f->result.reported, 0), 1);
  char list[100];
  gannet_problem_list_quantities(f->problem, list, sizeof list);
  assert_string_equal(list, " stress drag stress mass");
  gannet_problem_list_quantities(f->problem, list, 9);
  assert_string_equal(list, " stress");
  assert_int_equal(gannet_outputs_set_formula(f->problem->outputs, 0, "drag +"), GANNET_ERR_INPUT);
  assert_null(gannet_problem_formula(f->problem, 0));
}

static void outputs_say_where_they_come_from(void **state) {
  fixture *f = *state;
  char name[] = "q", file[] = "a/*.dat", column[] = "Cd", pattern[] = "^q (.*)";
  char text[200];
  const struct {
    gannet_output output;
    const char *told;
  } cases[] = {
      {{.name = name}, "results.out"},
      {{.name = name, .pattern = pattern}, "pattern '^q (.*)' in what is printed"},
      {{.name = name, .pattern = pattern, .file = file}, "pattern '^q (.*)' in a/*.dat"},
      {{.name = name, .file = file, .column = column, .rows = {GANNET_ROWS_LAST, 1}},
       "column Cd of a/*.dat, last row"},
      {{.name = name, .file = file, .column = column, .rows = {GANNET_ROWS_FIRST, 1}},
       "column Cd of a/*.dat, first row"},
      {{.name = name,
        .file = file,
        .column = column,
        .rows = {GANNET_ROWS_LAST, 20},
        .take = GANNET_TAKE_MEAN},
       "column Cd of a/*.dat, mean of the last 20 rows"},
      {{.name = name,
        .file = file,
        .column = column,
        .rows = {GANNET_ROWS_ALL, 0},
        .take = GANNET_TAKE_SUM},
       "column Cd of a/*.dat, sum of all rows"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    gannet_output_describe(&cases[i].output, text, sizeof text);
    assert_string_equal(text, cases[i].told);
  }
  assert_null(gannet_output_find(f->problem, "q"));
  assert_ok(gannet_outputs_add(f->problem->outputs, &cases[3].output));
  assert_string_equal(gannet_output_find(f->problem, "q")->file, "a/*.dat");
  report(f, "q", 1);
  assert_int_equal(gannet_problem_find_unknown(f->problem, &f->result.reported, 0), -1);
}

static void a_problem_without_outputs_has_the_word_objective(void **state) {
  fixture *f = *state;
  gannet_outputs_destroy(&f->problem->outputs);
  char why[10] = "";
  assert_string_equal(gannet_problem_quantity_name(f->problem, 0), "objective");
  assert_string_equal(gannet_problem_objective_unit(f->problem), "");
  assert_null(gannet_problem_formula(f->problem, 1));
  assert_null(gannet_output_find(f->problem, "q"));
  assert_int_equal(gannet_problem_compute(f->problem, &f->result, why, sizeof why),
                   GANNET_COMPUTED_ALL);
  assert_string_equal(gannet_problem_known_quantity(f->problem, 2), "margin");
  assert_null(gannet_problem_known_quantity(f->problem, 3));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)
  const struct CMUnitTest tests[] = {
      TEST(names_of_expressions_are_listed),
      TEST(the_objective_has_two_names),
      TEST(formulas_are_computed_from_what_is_reported),
      TEST(outputs_say_where_they_come_from),
      TEST(a_problem_without_outputs_has_the_word_objective),
  };
  return run_serial(tests);
}
