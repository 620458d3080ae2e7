/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "problem/variable_expression.h"

static const char *const solvers[] = {"cg", "gmres", "a b"};

static const gannet_variable variables[] = {
    {.name = "chord", .lower = 0, .upper = 2},
    {.name = "n", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 8},
    {.name = "vent", .type = GANNET_VARIABLE_BOOLEAN},
    {.name = "solver", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 3, .values = solvers},
    {.name = "e", .lower = 0, .upper = 1},
};

enum { N_VARIABLES = sizeof variables / sizeof *variables };

static const double x[] = {1.5, 3, 1, 1, 0.25}; /* solver is gmres */

static void expressions_have_values(void **state) {
  (void)state;
  const struct {
    const char *text;
    double value;
  } cases[] = {{"chord*n", 4.5},
               {"chord + e", 1.75},
               {"vent ? 2 : 3", 2},
               {"vent + 1", 2},
               {"vent == true", 1},
               {"false != vent", 1},
               {"solver == 'gmres'", 1},
               {"solver == gmres", 1},
               {"solver != \"a b\" ? n : 2", 3},
               {"'cg' == solver", 0},
               {"(solver == 'a b')*100 + (solver == cg)*10 + chord", 1.5},
               {"chord < n && n < 4", 1},
               {"(chord < n) < 4", 1},
               {"log(chord - 2)", NAN}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    gannet_variable_expression *e = NULL;
    assert_ok(gannet_variable_expression_create(cases[i].text, N_VARIABLES, variables, &e));
    const double value = gannet_variable_expression_value(e, x);
    assert_true(isnan(cases[i].value) ? isnan(value) : value == cases[i].value);
    gannet_variable_expression_destroy(&e);
    assert_null(e);
  }
}

/* Words are compared as words, also where the lists of two variables differ. */
static void words_of_two_variables_are_compared(void **state) {
  static const char *const first[] = {"a", "b", "c"}, *const second[] = {"c", "d", "a"};
  static const gannet_variable words[] = {
      {.name = "c1", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 3, .values = first},
      {.name = "c2", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 3, .values = second},
      {.name = "o1", .type = GANNET_VARIABLE_ORDINAL, .n_values = 3, .values = first},
      {.name = "o2", .type = GANNET_VARIABLE_ORDINAL, .n_values = 3, .values = first},
      {.name = "o3", .type = GANNET_VARIABLE_ORDINAL, .n_values = 3, .values = second},
      {.name = "b", .lower = 0, .upper = 1}};
  static const char *const texts[] = {"c1 == c2", "c1 != c2", "c2 == c1", "c1 == o3"};
  gannet_variable_expression *e = NULL;
  (void)state;
  for (size_t k = 0; k < 4; ++k) {
    assert_ok(gannet_variable_expression_create(texts[k], 6, words, &e));
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) {
        const double at[6] = {a, b, 0, 0, b, 0};
        const bool same = strcmp(first[a], second[b]) == 0;
        assert_true((gannet_variable_expression_value(e, at) != 0) == (same != (k == 1)));
      }
    gannet_variable_expression_destroy(&e);
  }
  assert_ok(gannet_variable_expression_create("o1 < o2 && (c1 == 'b' || c1 != o1)", 6, words, &e));
  const double up[6] = {1, 0, 0, 1, 0, 0}, down[6] = {1, 0, 1, 0, 0, 0}, same[6] = {0, 0, 0, 1};
  assert_true(gannet_variable_expression_value(e, up) != 0);
  assert_true(gannet_variable_expression_value(e, down) == 0);
  assert_true(gannet_variable_expression_value(e, same) == 0);
  assert_true(gannet_variable_expression_uses(e, 0) && gannet_variable_expression_uses(e, 3));
  gannet_variable_expression_destroy(&e);
  assert_fails(GANNET_ERR_INPUT, "o1 and o3 have no common order",
               gannet_variable_expression_create("o1 < o3", 6, words, &e));
  assert_fails(GANNET_ERR_INPUT, "c1 and c2 have no common order",
               gannet_variable_expression_create("c1 <= c2", 6, words, &e));
  assert_fails(GANNET_ERR_INPUT, "the values of c1 are words",
               gannet_variable_expression_create("c1 + c2", 6, words, &e));
}

static void expressions_know_what_they_use(void **state) {
  (void)state;
  gannet_variable_expression *e = NULL;
  assert_ok(gannet_variable_expression_create("solver == cg ? 2e1 : e + exp(n)", N_VARIABLES,
                                              variables, &e));
  const bool expected[] = {false, true, false, true, true};
  for (int v = 0; v < N_VARIABLES; ++v)
    assert_int_equal(gannet_variable_expression_uses(e, v), expected[v]);
  gannet_variable_expression_destroy(&e);
}

static void bad_expressions_are_told(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"chort*2", "unknown name 'chort'; did you mean 'chord'?"},
      {"solver == 'gmre'",
       "'gmre' is not one of the values of solver, cg gmres a b; did you mean 'gmres'?"},
      {"solver == chord", "'chord' is not one of the values of solver"},
      {"solver*2", "the values of solver are words; compare it with one, as in solver == 'cg'"},
      {"solver == 1", "the values of solver are words"},
      {"solver < 'gmres'", "the values of solver have no order; use == or !="},
      {"chord == 'gmres'", "'gmres' is not compared with a variable that has it"},
      {"'gmres'", "'gmres' is not compared with a variable"},
      {"vent == 'maybe'", "'maybe' is not one of the values of vent, false true"},
      {"vent == maybe", "unknown name 'maybe'"},
      {"solver == 'gmres", "a ' is not closed"},
      {"solver == 'gmres' +* 2", "character 20: unexpected operator '*'"},
      {"0 < chord < n", "two comparisons in a row; write them apart"},
      {"0 < (chord) <= max(n, 2)", "two comparisons in a row"},
      {"  ", "empty"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    gannet_variable_expression *e = NULL;
    assert_fails(GANNET_ERR_INPUT, cases[i][1],
                 gannet_variable_expression_create(cases[i][0], N_VARIABLES, variables, &e));
    assert_null(e);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expressions_have_values),
      cmocka_unit_test(words_of_two_variables_are_compared),
      cmocka_unit_test(expressions_know_what_they_use),
      cmocka_unit_test(bad_expressions_are_told),
  };
  return run_serial(tests);
}
