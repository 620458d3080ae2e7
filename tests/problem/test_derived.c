/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "gannet/gannet.h"
#include "problem/derived.h"
#include "problem/problem.h"

static const char *const solvers[] = {"cg", "gmres"};
static const char *const word[] = {"coarse"};

/* Derived variables stand before those that they use. */
static const gannet_variable variables[] = {
    {.name = "load", .role = GANNET_ROLE_DERIVED, .expression = "area*rho + extra"},
    {.name = "chord", .lower = 0.5, .upper = 2},
    {.name = "rho", .role = GANNET_ROLE_FIXED, .fixed = 1.25},
    {.name = "solver", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 2, .values = solvers},
    {.name = "area", .role = GANNET_ROLE_DERIVED, .expression = "chord*span"},
    {.name = "span", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 12},
    {.name = "extra",
     .type = GANNET_VARIABLE_INTEGER,
     .role = GANNET_ROLE_DERIVED,
     .expression = "solver == 'cg' ? 1.7 : log(chord - 1)"},
    {.name = "large",
     .type = GANNET_VARIABLE_BOOLEAN,
     .role = GANNET_ROLE_DERIVED,
     .expression = "area > 4"},
    {.name = "mesh",
     .type = GANNET_VARIABLE_CATEGORICAL,
     .role = GANNET_ROLE_FIXED,
     .n_values = 1,
     .values = word},
};
enum {
  LOAD,
  CHORD,
  RHO,
  SOLVER,
  AREA,
  SPAN,
  EXTRA,
  LARGE,
  MESH,
  N_VARIABLES,
  D = 4 /* chord, span, and two of the solver */
};

static gannet_problem *make_problem(void) {
  const gannet_problem_spec spec = {.n_variables = N_VARIABLES, .variables = variables};
  gannet_problem *problem = NULL;
  assert_ok(gannet_problem_create(&spec, &problem));
  return problem;
}

static void they_have_no_coordinates(void **state) {
  (void)state;
  gannet_problem *problem = make_problem();
  const double u[D] = {0.5, 0, 1, 0.5};
  double x[N_VARIABLES], back[D];
  assert_int_equal(problem->d, D);
  assert_int_equal(problem->n_free, 3);
  assert_int_equal(problem->n_continuous, 1);
  gannet_problem_decode(problem, u, x);
  const double expected[N_VARIABLES] = {NAN, 1.25, 1.25, 1, 1.25 * 7, 7, NAN, 1, 0};
  for (int v = 0; v < N_VARIABLES; ++v)
    if (v != LOAD && v != EXTRA) assert_true(x[v] == expected[v]);
  assert_true(x[EXTRA] == rint(log(0.25)));
  assert_true(x[LOAD] == 1.25 * 7 * 1.25 + x[EXTRA]);
  gannet_problem_encode(problem, x, back);
  for (int k = 0; k < D; ++k)
    assert_true(k == 3 ? fabs(back[k] - 6.0 / 11) < 1e-15 : back[k] == u[k]);
  assert_ok(gannet_problem_check_point(problem, x));
  gannet_problem_destroy(&problem);
}

static void a_value_that_is_not_finite_is_told(void **state) {
  (void)state;
  gannet_problem *problem = make_problem();
  double x[N_VARIABLES] = {NAN, 0.75, NAN, 1, NAN, 2, NAN, NAN, NAN};
  char why[256] = "";
  assert_ok(gannet_problem_complete(problem, x));
  assert_true(isnan(x[LOAD]) && isnan(x[EXTRA]) && x[AREA] == 1.5 && x[LARGE] == 0);
  assert_int_equal(gannet_problem_find_undefined(problem, x, why, sizeof why), LOAD);
  assert_string_equal(why, "not run: load = area*rho + extra has no finite value at this design");
  gannet_problem_format(problem, LOAD, x[LOAD], why, sizeof why);
  assert_string_equal(why, "nan");
  x[SOLVER] = 0;
  x[LOAD] = x[EXTRA] = NAN;
  assert_ok(gannet_problem_complete(problem, x));
  assert_true(x[EXTRA] == 2);
  assert_int_equal(gannet_problem_find_undefined(problem, x, why, sizeof why), -1);
  gannet_problem_destroy(&problem);
}

static void points_from_outside_are_compared(void **state) {
  (void)state;
  gannet_problem *problem = make_problem();
  double x[N_VARIABLES] = {NAN, 1.5, 1.25, 0, 10.5000001, 7, NAN, NAN, NAN};
  assert_ok(gannet_problem_complete(problem, x));
  assert_true(x[AREA] == 10.5); /* and not what was written with few digits */
  x[AREA] = 10.6;
  assert_fails(GANNET_ERR_INPUT,
               "variable area: 10.6 is not its value here, which is 10.5 = chord*span",
               gannet_problem_complete(problem, x));
  x[AREA] = NAN;
  x[RHO] = 1.2;
  assert_fails(GANNET_ERR_INPUT, "variable rho: 1.2 is not its value here, which is 1.25, fixed",
               gannet_problem_complete(problem, x));
  gannet_problem_destroy(&problem);
}

static void texts_are_short(void **state) {
  (void)state;
  gannet_problem *problem = make_problem();
  char text[64];
  gannet_problem_format(problem, RHO, 0.1, text, sizeof text);
  assert_string_equal(text, "0.1");
  gannet_problem_format(problem, AREA, 1e6, text, sizeof text);
  assert_string_equal(text, "1000000");
  gannet_problem_format(problem, AREA, 0.1 + 0.2, text, sizeof text);
  assert_string_equal(text, "0.30000000000000004");
  gannet_problem_format(problem, MESH, 0, text, sizeof text);
  assert_string_equal(text, "coarse");
  gannet_problem_destroy(&problem);
}

static void mistakes_are_told(void **state) {
  (void)state;
  const gannet_variable x = {.name = "x", .lower = 0, .upper = 1};
  const struct {
    gannet_variable a, b;
    const char *told;
  } cases[] = {
      {{.name = "a", .role = GANNET_ROLE_DERIVED, .expression = "b + 1"},
       {.name = "b", .role = GANNET_ROLE_DERIVED, .expression = "x + a"},
       "variable b: it cannot be computed, for b needs a needs b"},
      {{.name = "a", .role = GANNET_ROLE_DERIVED, .expression = "b"},
       {.name = "b", .role = GANNET_ROLE_DERIVED, .expression = "x + b"},
       "variable b: it cannot be computed, for b needs b"},
      {{.name = "a", .role = GANNET_ROLE_DERIVED, .expression = "bb*2"},
       {.name = "b", .role = GANNET_ROLE_DERIVED, .expression = "x"},
       "variable a: expression 'bb*2', character 1: unknown name 'bb'"},
      {x, {.name = "b", .role = GANNET_ROLE_DERIVED}, "variable b: no expression"},
      {x,
       {.name = "b",
        .type = GANNET_VARIABLE_CATEGORICAL,
        .role = GANNET_ROLE_DERIVED,
        .expression = "x"},
       "an expression has numbers for values"},
      {x, {.name = "b", .role = GANNET_ROLE_FIXED, .fixed = NAN}, "fixed = nan, expected a finite"},
      {x,
       {.name = "b", .role = GANNET_ROLE_FIXED, .fixed = 3, .lower = 0, .upper = 2},
       "fixed = 3 is outside of [0, 2]"},
      {x,
       {.name = "b", .type = GANNET_VARIABLE_INTEGER, .role = GANNET_ROLE_FIXED, .fixed = 0.5},
       "expected a whole number"},
      {x,
       {.name = "b", .type = GANNET_VARIABLE_BOOLEAN, .role = GANNET_ROLE_FIXED, .fixed = 2},
       "expected 0 or 1"},
      {x,
       {.name = "b",
        .type = GANNET_VARIABLE_CATEGORICAL,
        .role = GANNET_ROLE_FIXED,
        .n_values = 1,
        .values = word,
        .fixed = 1},
       "expected the position of one of its 1 values"},
      {x, {.name = "b", .role = (gannet_variable_role)7}, "unknown role 7"},
      {{.name = "a", .role = GANNET_ROLE_DERIVED, .expression = "2*b"},
       {.name = "b", .role = GANNET_ROLE_FIXED, .fixed = 1},
       "all variables are fixed or derived"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    gannet_variable list[3] = {cases[i].a, cases[i].b, x};
    const bool has_x = i != sizeof cases / sizeof *cases - 1;
    if (strcmp(list[0].name, "x") == 0) list[0].name = "y";
    const gannet_problem_spec spec = {.n_variables = has_x ? 3 : 2, .variables = list};
    gannet_problem *problem = NULL;
    assert_fails(GANNET_ERR_INPUT, cases[i].told, gannet_problem_create(&spec, &problem));
    assert_null(problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(they_have_no_coordinates),
      cmocka_unit_test(a_value_that_is_not_finite_is_told),
      cmocka_unit_test(points_from_outside_are_compared),
      cmocka_unit_test(texts_are_short),
      cmocka_unit_test(mistakes_are_told),
  };
  return run_serial(tests);
}
