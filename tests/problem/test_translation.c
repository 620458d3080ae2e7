/* test: serial labels unit */
/* Points and results in the terms of another problem. */
#include "problem/translation.h"

#include "support/harness.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "problem/expression.h"
#include "problem/outputs.h"

static const char *const solvers[] = {"cg", "gmres"};
static const char *const more_solvers[] = {"lu", "gmres", "cg"};

static const gannet_variable old_variables[] = {
    {.name = "x", .lower = 0, .upper = 1},
    {.name = "solver", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 2, .values = solvers},
    {.name = "n", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 8}};
static const gannet_constraint old_constraints[] = {{"stress", -INFINITY, 110}, {"mass", 1, 3}};

static gannet_problem *make(int n_variables, const gannet_variable *variables, int n_constraints,
                            const gannet_constraint *constraints) {
  const gannet_problem_spec spec = {.n_variables = n_variables,
                                    .variables = variables,
                                    .n_constraints = n_constraints,
                                    .constraints = constraints};
  gannet_problem *problem = NULL;
  assert_ok(gannet_problem_create(&spec, &problem));
  return problem;
}

static gannet_problem *make_old(void) {
  return make(3, old_variables, 2, old_constraints);
}

static void points_go_by_name(void **unused) {
  (void)unused;
  const gannet_variable variables[] = {
      {.name = "n", .lower = 0, .upper = 2},
      {.name = "rho", .lower = 1, .upper = 3},
      {.name = "solver",
       .type = GANNET_VARIABLE_CATEGORICAL,
       .n_values = 3,
       .values = more_solvers},
      {.name = "x", .lower = 10, .upper = 20},
      {.name = "k", .role = GANNET_ROLE_FIXED, .fixed = 7},
      {.name = "area", .role = GANNET_ROLE_DERIVED, .expression = "2*x + n"}};
  gannet_problem *old = make_old(), *new = make(6, variables, 0, NULL);
  gannet_translation *t = NULL;
  const double x[] = {0.25, 1, 4};
  double to[6];
  assert_ok(gannet_problem_set_was(new, 1, 0.5));
  assert_ok(gannet_translation_create(old, new, &t));
  assert_ok(gannet_translation_point(t, 0, x, to));
  const double expected[] = {4, 0.5, 1, 0.25, 7, 4.5};
  assert_memory_equal(to, expected, sizeof expected);
  gannet_translation_destroy(&t);
  gannet_problem_destroy(&old);
  gannet_problem_destroy(&new);
}

/* One variable is another than before, or gone. */
static void refuse_point(const gannet_variable *variable, const char *complaint) {
  gannet_variable variables[4];
  int n = 0;
  for (int v = 0; v < 3; ++v)
    if (!variable || strcmp(old_variables[v].name, variable->name) != 0)
      variables[n++] = old_variables[v];
  if (!variable) n = 2; /* without n */
  if (variable) variables[n++] = *variable;
  gannet_problem *old = make_old(), *new = make(n, variables, 0, NULL);
  gannet_translation *t = NULL;
  const double x[2][3] = {{0.25, 0, 4}, {0.5, 1, 5}};
  double to[4];
  assert_ok(gannet_translation_create(old, new, &t));
  gannet_err err = gannet_translation_point(t, 0, x[0], to);
  if (err == GANNET_OK) err = gannet_translation_point(t, 1, x[1], to);
  assert_int_equal(err, GANNET_ERR_INPUT);
  if (!strstr(gannet_error_detail(), complaint))
    fail_msg("'%s' is not in '%s'", complaint, gannet_error_detail());
  gannet_error_clear();
  gannet_translation_destroy(&t);
  gannet_problem_destroy(&old);
  gannet_problem_destroy(&new);
}

static void what_cannot_be_is_refused(void **unused) {
  (void)unused;
  static const char *const others[] = {"cg", "lu"};
  const gannet_variable added = {.name = "rho", .lower = 0, .upper = 1};
  const gannet_variable fixed = {.name = "x", .role = GANNET_ROLE_FIXED, .fixed = 0.25};
  const gannet_variable computed = {
      .name = "x", .role = GANNET_ROLE_DERIVED, .expression = "n / 16"};
  const gannet_variable whole = {
      .name = "x", .type = GANNET_VARIABLE_INTEGER, .lower = 0, .upper = 8};
  const gannet_variable word = {
      .name = "n", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 2, .values = solvers};
  const gannet_variable fewer = {
      .name = "solver", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 2, .values = others};
  const gannet_variable number = {.name = "solver", .lower = 0, .upper = 1};
  refuse_point(&added, "variables.rho is new");
  refuse_point(&fixed, "variables.x cannot be fixed at 0.25: evaluation 1 had x = 0.5");
  refuse_point(&computed, "evaluation 1 was given x = 0.5, and the expression gives 0.3125");
  refuse_point(&whole, "evaluation 0: variable x: 0.25 is not a whole number");
  refuse_point(&word, "evaluation 0 has n = 4, which is no value of variables.n any more");
  refuse_point(&fewer, "evaluation 1 has solver = gmres, which is no value");
  refuse_point(&number, "evaluation 0 has solver = cg, which is no value of type real");
  refuse_point(NULL,
               "variables.n is gone, but the evaluations differ in it: n = 4 at evaluation 0, "
               "n = 5 at 1");
}

/* A result of the old problem, with everything. */
static void fill_result(double *constraints, gannet_result_record *result) {
  const gannet_quantity drag = {.name = "drag", .value = 4, .sd = 0.5};
  const gannet_quantity more = {.name = "objective", .value = 2, .sd = 0.25};
  const gannet_quantity stress = {
      .name = "stress", .value = 100, .gradient = (const double[]){1, 2, 3}};
  result->constraints = constraints;
  gannet_result_clear(2, result);
  result->id = 3;
  result->status = GANNET_EVAL_DONE;
  result->objective = 2;
  constraints[0] = 100;
  constraints[1] = 1.5;
  assert_ok(gannet_quantities_set(&result->reported, 3, &drag));
  assert_ok(gannet_quantities_set(&result->reported, 3, &more));
  assert_ok(gannet_quantities_set(&result->reported, 3, &stress));
}

static void translate(const gannet_problem *old, const gannet_problem *new,
                      const gannet_result_record *from, double *constraints,
                      gannet_result_record *to) {
  gannet_translation *t = NULL;
  to->constraints = constraints;
  assert_ok(gannet_translation_create(old, new, &t));
  gannet_translation_look(t, from);
  assert_ok(gannet_translation_result(t, from, to));
  gannet_translation_destroy(&t);
}

static void quantities_are_sorted_anew_and_back(void **unused) {
  (void)unused;
  const gannet_variable variables[] = {old_variables[2], old_variables[0], old_variables[1]};
  const gannet_constraint constraints[] = {
      {"mass", 0, 9}, {"drag", -INFINITY, 5}, {"sum", -INFINITY, 9}, {"lift", 0, 1}};
  gannet_problem *old = make_old(), *new = make(3, variables, 4, constraints);
  gannet_result_record from = {0}, to = {0}, back = {0};
  double values[2], now[4], again[2];
  assert_ok(gannet_outputs_create(new));
  assert_ok(gannet_outputs_name_objective(new->outputs, "stress", NULL));
  assert_ok(gannet_outputs_set_formula(new->outputs, 3, "drag + was_objective"));
  fill_result(values, &from);
  translate(old, new, &from, now, &to);
  assert_true(to.id == 3 && to.status == GANNET_EVAL_DONE && to.objective == 100);
  assert_true(now[0] == 1.5 && now[1] == 4 && now[2] == 6 && isnan(now[3]));
  const gannet_reported *stress = gannet_quantities_find(&to.reported, "objective");
  assert_true(stress->gradient[0] == 3 && stress->gradient[1] == 1 && stress->gradient[2] == 2);
  assert_true(gannet_quantities_find(&to.reported, "drag")->sd == 0.5);
  const gannet_reported *before = gannet_quantities_find(&to.reported, GANNET_WAS_OBJECTIVE);
  assert_true(before->value == 2 && before->sd == 0.25);
  translate(new, old, &to, again, &back);
  assert_true(back.objective == 2 && again[0] == 100 && again[1] == 1.5);
  assert_true(gannet_quantities_find(&back.reported, "objective")->sd == 0.25);
  assert_true(gannet_quantities_find(&back.reported, "drag")->value == 4);
  assert_null(gannet_quantities_find(&back.reported, GANNET_WAS_OBJECTIVE));
  gannet_results_release(1, &from);
  gannet_results_release(1, &to);
  gannet_results_release(1, &back);
  gannet_problem_destroy(&old);
  gannet_problem_destroy(&new);
}

/* Without any result that tells the new name, an objective without a name has got one. */
static void an_objective_gets_a_name(void **unused) {
  (void)unused;
  gannet_problem *old = make_old(), *new = make_old();
  gannet_result_record from = {0}, to = {0};
  double values[2], now[2];
  assert_ok(gannet_outputs_create(new));
  assert_ok(gannet_outputs_name_objective(new->outputs, "cost", NULL));
  fill_result(values, &from);
  translate(old, new, &from, now, &to);
  assert_true(to.objective == 2);
  assert_ok(gannet_outputs_name_objective(new->outputs, "drag", NULL));
  translate(old, new, &from, now, &to);
  assert_true(to.objective == 4);
  gannet_results_release(1, &from);
  gannet_results_release(1, &to);
  gannet_problem_destroy(&old);
  gannet_problem_destroy(&new);
}

/* Beside several objectives "objective" is the name of another number. */
static void a_number_called_objective_is_no_objective(void **unused) {
  (void)unused;
  const gannet_objective minimized[] = {{.name = "a", .threshold = NAN, .noise_sd = NAN},
                                        {.name = "b", .threshold = NAN, .noise_sd = NAN}};
  const gannet_problem_spec spec = {
      .n_variables = 3, .variables = old_variables, .n_objectives = 2, .objectives = minimized};
  const gannet_quantity seven = {.name = "objective", .value = 7};
  gannet_problem *old = NULL, *new = NULL, *named = make(3, old_variables, 0, NULL);
  gannet_problem *unnamed = make(3, old_variables, 0, NULL);
  gannet_result_record from = {0}, to = {0};
  double b = 0, now = 0;
  assert_ok(gannet_problem_create(&spec, &old));
  assert_ok(gannet_problem_create(&spec, &new));
  assert_ok(gannet_outputs_create(named));
  assert_ok(gannet_outputs_name_objective(named->outputs, "a", NULL));
  from.constraints = &b;
  gannet_result_clear(1, &from);
  from.status = GANNET_EVAL_DONE;
  from.objective = 1;
  b = 2;
  assert_ok(gannet_quantities_set(&from.reported, 3, &seven));
  translate(old, new, &from, &now, &to);
  assert_true(to.objective == 1 && now == 2);
  assert_true(gannet_quantities_find(&to.reported, "objective")->value == 7);
  translate(old, named, &from, &now, &to);
  assert_true(to.objective == 1);
  assert_true(gannet_quantities_find(&to.reported, GANNET_WAS_OBJECTIVE)->value == 7);
  assert_true(gannet_quantities_find(&to.reported, "b")->value == 2);
  translate(old, unnamed, &from, &now, &to);
  assert_true(to.objective == 7 && gannet_quantities_find(&to.reported, "a")->value == 1);
  gannet_results_release(1, &from);
  gannet_results_release(1, &to);
  gannet_problem_destroy(&old);
  gannet_problem_destroy(&new);
  gannet_problem_destroy(&named);
  gannet_problem_destroy(&unnamed);
}

static void blanks_in_expressions_mean_nothing(void **unused) {
  (void)unused;
  assert_true(gannet_expression_is_same("chord * span", "chord*span"));
  assert_true(gannet_expression_is_same(" x1 +x2<= 3 ", "x1+x2 <= 3"));
  assert_true(gannet_expression_is_same("a  or b", "a or b"));
  assert_false(gannet_expression_is_same("a or b", "aor b"));
  assert_false(gannet_expression_is_same("s == 'a b'", "s == 'ab'"));
  assert_false(gannet_expression_is_same("x1", "x2"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_go_by_name),
      cmocka_unit_test(what_cannot_be_is_refused),
      cmocka_unit_test(quantities_are_sorted_anew_and_back),
      cmocka_unit_test(an_objective_gets_a_name),
      cmocka_unit_test(a_number_called_objective_is_no_objective),
      cmocka_unit_test(blanks_in_expressions_mean_nothing),
  };
  return run_serial(tests);
}
