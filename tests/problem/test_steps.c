/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "gannet/gannet.h"
#include "problem/problem.h"
#include "problem/variable_expression.h"

static const char *const words[] = {"coarse", "medium", "fine"};
static const double numbers[] = {16, 32, 64, 128}, uneven[] = {1, 2, 4, 1000};

static const gannet_variable variables[] = {
    {.name = "span", .lower = 0.1, .upper = 1.25, .step = 0.1}, /* up to 1.2 */
    {.name = "n", .type = GANNET_VARIABLE_INTEGER, .lower = 5, .upper = 200, .step = 5},
    {.name = "rate", .lower = 0.25, .upper = 64, .scale = GANNET_SCALE_LOG, .step = 0.25},
    {.name = "cells",
     .type = GANNET_VARIABLE_ORDINAL,
     .scale = GANNET_SCALE_LOG,
     .n_values = 4,
     .numbers = numbers},
    {.name = "load", .type = GANNET_VARIABLE_ORDINAL, .n_values = 4, .numbers = uneven},
    {.name = "mesh", .type = GANNET_VARIABLE_ORDINAL, .n_values = 3, .values = words},
};
enum { SPAN, N, RATE, CELLS, LOAD, MESH, N_VARIABLES };

static gannet_problem *make_problem(void) {
  const gannet_problem_spec spec = {.n_variables = N_VARIABLES, .variables = variables};
  gannet_problem *problem = NULL;
  assert_ok(gannet_problem_create(&spec, &problem));
  return problem;
}

/* The values as they are written: the numbers that people compute in decimals. */
static void values_are_decimals(void **state) {
  (void)state;
  gannet_problem *problem = make_problem();
  static const double spans[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2};
  const gannet_variable *v = problem->spec.variables;
  char text[64];
  assert_true(gannet_variable_count(&v[SPAN]) == 12);
  for (int t = 0; t < 12; ++t) assert_true(gannet_variable_value(&v[SPAN], t) == spans[t]);
  gannet_problem_format(problem, SPAN, gannet_variable_value(&v[SPAN], 2), text, sizeof text);
  assert_string_equal(text, "0.3");
  assert_true(v[SPAN].upper == 1.2);
  assert_true(gannet_variable_count(&v[N]) == 40);
  assert_true(gannet_variable_count(&v[RATE]) == 256);
  assert_true(gannet_problem_count_points(problem) == 12.0 * 40 * 256 * 4 * 4 * 3);
  /* No decimals: the sum is rounded once. */
  const gannet_variable odd = {.name = "x", .lower = 1.0 / 3, .upper = 2, .step = 1.0 / 7};
  assert_true(gannet_variable_value(&odd, 3) == fma(3, 1.0 / 7, 1.0 / 3));
  const gannet_variable pi = {.name = "x", .lower = 0, .upper = 0.3, .step = 0.1};
  assert_true(gannet_variable_last(&pi) == 0.3);
  gannet_problem_destroy(&problem);
}

/* Every value is found again from its coordinate, its neighbours are its neighbours, and what lies
 * between goes to the nearer one. */
static void coordinates_find_their_values(void **state) {
  (void)state;
  gannet_problem *problem = make_problem();
  for (int i = 0; i < N_VARIABLES; ++i) {
    const gannet_variable *v = &problem->spec.variables[i];
    const int64_t n = (int64_t)gannet_variable_count(v);
    double u, before = -1;
    assert_false(problem->continuous[problem->first[i]]);
    for (int64_t t = 0; t < n; ++t) {
      const double value = gannet_variable_value(v, t);
      gannet_variable_encode(v, value, &u);
      assert_true(u > before && u >= 0 && u <= 1);
      before = u;
      assert_true(gannet_variable_decode(v, &u) == value);
      assert_true(gannet_variable_next(v, value, true) ==
                  gannet_variable_value(v, t + 1 < n ? t + 1 : t));
      assert_true(gannet_variable_next(v, value, false) == gannet_variable_value(v, t ? t - 1 : 0));
      assert_ok(gannet_problem_check_value(problem, i, value));
    }
    for (int k = 0; k <= 100; ++k) {
      double x = k / 100.0, snapped = x, again;
      gannet_variable_snap(v, false, &snapped);
      again = snapped;
      gannet_variable_snap(v, false, &again);
      assert_true(again == snapped);
    }
  }
  const gannet_variable *cells = &problem->spec.variables[CELLS];
  const double places[] = {0.1, 0.2, 0.49, 0.51, 0.9};
  const double expected[] = {16, 32, 32, 64, 128};
  for (int k = 0; k < 5; ++k) assert_true(gannet_variable_decode(cells, &places[k]) == expected[k]);
  gannet_problem_destroy(&problem);
}

/* Uniform points give every value of a set its turn, and evenly spaced ones equal shares. */
static void uniform_points_reach_every_value(void **state) {
  (void)state;
  enum { POINTS = 1200 };
  gannet_problem *problem = make_problem();
  double x[N_VARIABLES], user[N_VARIABLES];
  int spans[12] = {0}, loads[4] = {0}, meshes[3] = {0};
  for (int p = 0; p < POINTS; ++p) {
    for (int k = 0; k < N_VARIABLES; ++k) x[k] = (p + 0.5) / POINTS;
    gannet_problem_spread(problem, 1, x);
    gannet_problem_decode(problem, x, user);
    spans[(int)lround(user[SPAN] * 10) - 1] += 1;
    meshes[(int)user[MESH]] += 1;
    for (int t = 0; t < 4; ++t) loads[t] += user[LOAD] == uneven[t];
  }
  for (int t = 0; t < 12; ++t) assert_int_equal(spans[t], POINTS / 12);
  for (int t = 0; t < 4; ++t) assert_int_equal(loads[t], POINTS / 4);
  for (int t = 0; t < 3; ++t) assert_int_equal(meshes[t], POINTS / 3);
  double origin = 0, width = 1;
  gannet_variable_widen(&problem->spec.variables[RATE], &origin, &width);
  assert_true(origin < 0 && isfinite(origin) && origin + width > 1);
  gannet_problem_destroy(&problem);
}

static void points_from_outside_are_checked(void **state) {
  (void)state;
  gannet_problem *problem = make_problem();
  double x[N_VARIABLES] = {0.1 + 2 * 0.1, 10, 0.5, 32, 1000, 1};
  assert_ok(gannet_problem_complete(problem, x));
  assert_true(x[SPAN] == 0.3); /* and not 0.30000000000000004 */
  assert_ok(gannet_problem_check_point(problem, x));
  const struct {
    int variable;
    double value;
    const char *told;
  } cases[] = {
      {SPAN, 0.33,
       "variable span: 0.33 is not 0.1 plus a multiple of the step 0.1; choose 0.3, the nearest"},
      {SPAN, 1.3, "variable span: 1.3 is outside [0.1, 1.2]"},
      {N, 12, "variable n: 12 is not 5 plus a multiple of the step 5; choose 10, the nearest"},
      {CELLS, 60, "variable cells: 60 is not one of its values; choose 64, the nearest"},
      {CELLS, 8, "variable cells: 8 is outside [16, 128]"},
      {MESH, 3, "variable mesh: 3 is not a position of one of its values"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    assert_fails(GANNET_ERR_INPUT, cases[i].told,
                 gannet_problem_check_value(problem, cases[i].variable, cases[i].value));
  double value = -1;
  assert_ok(gannet_problem_parse(problem, MESH, "fine", &value));
  assert_true(value == 2);
  assert_fails(GANNET_ERR_INPUT, "did you mean 'fine'?",
               gannet_problem_parse(problem, MESH, "fina", &value));
  assert_ok(gannet_problem_parse(problem, CELLS, "64", &value));
  assert_true(value == 64);
  gannet_problem_destroy(&problem);
}

static void ordinal_words_have_an_order(void **state) {
  (void)state;
  gannet_problem *problem = make_problem();
  const double x[N_VARIABLES] = {0.1, 5, 0.25, 64, 1, 1};
  const struct {
    const char *text;
    double value;
  } cases[] = {
      {"mesh >= 'medium'", 1}, {"mesh < medium", 0}, {"'fine' > mesh", 1}, {"cells/2", 32}};
  gannet_variable_expression *e = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    assert_ok(
        gannet_variable_expression_create(cases[i].text, N_VARIABLES, problem->spec.variables, &e));
    assert_true(gannet_variable_expression_value(e, x) == cases[i].value);
    gannet_variable_expression_destroy(&e);
  }
  assert_fails(
      GANNET_ERR_INPUT, "the values of mesh are words; compare it with one",
      gannet_variable_expression_create("mesh*2", N_VARIABLES, problem->spec.variables, &e));
  gannet_problem_destroy(&problem);
}

static void mistakes_are_told(void **state) {
  (void)state;
  static const double repeated[] = {1, 2, 2}, falling[] = {1, 3, 2}, none[] = {1, NAN},
                      negative[] = {-1, 0, 2};
  static const char *const twice[] = {"a", "b", "a"};
  const struct {
    gannet_variable v;
    const char *told;
  } cases[] = {
      {{.lower = 0, .upper = 1, .step = -1}, "step = -1, expected a number above 0"},
      {{.lower = 0, .upper = 1, .step = NAN}, "expected a number above 0"},
      {{.lower = 0, .upper = 1, .step = 2}, "step = 2 is larger than the range from 0 to 1"},
      {{.lower = 0, .upper = 1, .step = 1e-300}, "is too small for the range from 0 to 1"},
      {{.type = GANNET_VARIABLE_INTEGER, .lower = 0, .upper = 9, .step = 1.5},
       "step = 1.5, expected a whole number for an integer"},
      {{.type = GANNET_VARIABLE_ORDINAL, .n_values = 1, .numbers = numbers}, "at least two values"},
      {{.type = GANNET_VARIABLE_ORDINAL, .n_values = 3, .numbers = repeated},
       "value 2 is repeated"},
      {{.type = GANNET_VARIABLE_ORDINAL, .n_values = 3, .numbers = falling},
       "values must increase, and 2 follows 3; sort them, or write words with type: ordinal"},
      {{.type = GANNET_VARIABLE_ORDINAL, .n_values = 2, .numbers = none}, "value 2 is nan"},
      {{.type = GANNET_VARIABLE_ORDINAL,
        .scale = GANNET_SCALE_LOG,
        .n_values = 3,
        .numbers = negative},
       "scale log needs positive values, -1 is not"},
      {{.type = GANNET_VARIABLE_ORDINAL, .n_values = 1, .values = words},
       "an ordinal variable needs at least two values, and has only 'coarse'"},
      {{.type = GANNET_VARIABLE_ORDINAL, .n_values = 3, .values = twice}, "value 'a' is repeated"},
      {{.role = GANNET_ROLE_FIXED, .lower = 0, .upper = 1, .step = 0.25, .fixed = 0.3},
       "is not one of its values; the nearest is 0.25"},
      {{.type = GANNET_VARIABLE_ORDINAL,
        .role = GANNET_ROLE_FIXED,
        .n_values = 4,
        .numbers = numbers,
        .fixed = 20},
       "is not one of its values; the nearest is 16"},
      {{.type = GANNET_VARIABLE_ORDINAL, .role = GANNET_ROLE_DERIVED, .expression = "x"},
       "its type is ordinal; expected real, integer or boolean"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    gannet_variable list[2] = {cases[i].v, {.name = "x", .lower = 0, .upper = 1}};
    const gannet_problem_spec spec = {.n_variables = 2, .variables = list};
    gannet_problem *problem = NULL;
    list[0].name = "v";
    assert_fails(GANNET_ERR_INPUT, cases[i].told, gannet_problem_create(&spec, &problem));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_decimals),
      cmocka_unit_test(coordinates_find_their_values),
      cmocka_unit_test(uniform_points_reach_every_value),
      cmocka_unit_test(points_from_outside_are_checked),
      cmocka_unit_test(ordinal_words_have_an_order),
      cmocka_unit_test(mistakes_are_told),
  };
  return run_serial(tests);
}
