/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "problem/expression.h"
#include "problem/physics.h"
#include "problem/problem.h"

/* A linear, a logarithmic and an integer variable. */
static gannet_problem *make_problem(void) {
  static const gannet_variable variables[] = {
      {.name = "x", .type = GANNET_VARIABLE_REAL, .lower = -1, .upper = 3},
      {.name = "rate",
       .type = GANNET_VARIABLE_REAL,
       .lower = 0.1,
       .upper = 20,
       .scale = GANNET_SCALE_LOG},
      {.name = "fins", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 8},
  };
  const gannet_problem_spec spec = {.n_variables = 3, .variables = variables, .noise_sd = 0};
  gannet_problem *problem = NULL;
  assert_ok(gannet_problem_create(&spec, &problem));
  return problem;
}

static const char *const names[] = {"x", "rate", "fins"};

static void expressions_have_values(void **state) {
  (void)state;
  const double x[] = {1.5, 0.25, 3};
  const struct {
    const char *text;
    double value;
  } cases[] = {{"x*rate + fins", 1.5 * 0.25 + 3},
               {"sin(pi*x)^2", 1},
               {"e", exp(1)},
               {"log(rate)", log(0.25)},
               {"-x^2", -2.25},
               {"x > 1 ? 2 : 3", 2},
               {"(x == 1.5) + (x != 1.5) + (x >= 2) + (x <= 2)", 2},
               {"max(rate, min(fins, (x + 1)))", 2.5},
               {"sqrt(fins - 4)", NAN}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    gannet_expression *expression = NULL;
    assert_ok(gannet_expression_create(cases[i].text, 3, names, &expression));
    const double value = gannet_expression_value(expression, x);
    if (isnan(cases[i].value))
      assert_true(isnan(value));
    else
      assert_near(value, cases[i].value, 1e-14);
    gannet_expression_destroy(&expression);
  }
}

static void a_variable_may_be_called_e(void **state) {
  (void)state;
  const char *const own[] = {"e", "pi"};
  const double x[] = {7, 11};
  gannet_expression *expression = NULL;
  assert_ok(gannet_expression_create("e + pi", 2, own, &expression));
  assert_near(gannet_expression_value(expression, x), 18, 1e-14);
  gannet_expression_destroy(&expression);
}

/* They are constants of muParser. */
static void variables_may_be_called_like_its_constants(void **state) {
  (void)state;
  const char *const own[] = {"_e", "_pi"};
  const double x[] = {7, 11};
  gannet_expression *expression = NULL;
  assert_ok(gannet_expression_create("_e + _pi + e", 2, own, &expression));
  assert_near(gannet_expression_value(expression, x), 18 + exp(1), 1e-14);
  gannet_expression_destroy(&expression);
}

static void bad_expressions_tell_where(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"1 + rat", "expression '1 + rat', character 5: unknown name 'rat'; did you mean 'rate'?"},
      {"y", "known names: x rate fins pi e"},
      {"sqr(x)", "did you mean 'sqrt'"},
      {"x*+*2", "character 4: unexpected operator '*'"},
      {"  ", "empty"},
      {"0,5",
       "character 2: a comma separates the arguments of functions only; use a decimal point"},
      {"max(1, x) + 0,5", "character 14: a comma"},
      {"2*(0,5)", "character 5: a comma"},
      {"abs(0,5)", "too many arguments of 'abs'; in numbers, use a decimal point"},
      {"x = 2", "character 3: '=' would assign a value; use == to compare"},
      {"max(x=2, 1)", "character 6: '='"},
      {"x >== 2", "character 5: '='"},
      {"x rate", "character 3: unexpected 'rate', expected an operator before it"},
      {"2x", "character 2: unexpected 'x', expected an operator before it"},
      {"2y", "character 2: 'y' follows a number, expected an operator between"},
      {"max()", "character 5: too few arguments of 'max'"},
      {"(x", "character 2: a bracket is not closed; add ')'"},
      {"x)", "character 2: unexpected ')'"},
      {"x +", "character 3: it ends too early"},
      {"2*1e400", "character 3: the number '1e400' is too large"},
      {"2*1e", "character 3: '1e' is not a number"},
      {"sin (x)", "character 1: the function 'sin' needs its arguments right after it"},
      {"x + \xc3\xa9 & 2", "character 5: unexpected '\xc3\xa9'"},
      {"x > 1 ? 2", "'?' without ':'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    gannet_expression *e = NULL;
    assert_fails(GANNET_ERR_INPUT, cases[i][1],
                 gannet_expression_create(cases[i][0], 3, names, &e));
    assert_null(e);
    assert_null(strstr(gannet_error_detail(), "position"));
    const char *meant = strstr(gannet_error_detail(), "did you mean '");
    assert_true(!meant || strstr(gannet_error_detail(), "unknown name"));
  }
}

/* f = sin(2x) rate^3 + x^2 log(rate), and its derivatives in the user's units. */
static double derivative_of_f(int by_x, int by_rate, double x, double r) {
  const double s = pow(2, by_x) * sin(2 * x + by_x * acos(0));
  const double cube[] = {r * r * r, 3 * r * r, 6 * r, 6, 0};
  const double square[] = {x * x, 2 * x, 2, 0, 0};
  const double lg[] = {log(r), 1 / r, -1 / (r * r), 2 / (r * r * r), -6 / (r * r * r * r)};
  return s * cube[by_rate] + square[by_x] * lg[by_rate];
}

/* The same function of unit coordinates u, t: derivatives by u are powers of the range, those by t
 * follow from r = 0.1 exp(L t), r^3 -> (3L)^k r^3, log r -> log r, L, 0. */
static double unit_derivative(int by_u, int by_t, double x, double r) {
  const double range = 4, L = log(200.0);
  const double s = pow(2, by_u) * sin(2 * x + by_u * acos(0));
  const double square[] = {x * x, 2 * x, 2, 0, 0};
  const double lg = by_t == 0 ? log(r) : by_t == 1 ? L : 0;
  return pow(range, by_u) * (s * pow(3 * L, by_t) * r * r * r + square[by_u] * lg);
}

static void derivatives_follow_the_chain_rule(void **state) {
  (void)state;
  const char *const axes[] = {"x", "x", "x", "x", "rate", "rate", "rate", "rate"};
  const double points[] = {0.2, 0.3, 0, 0.9, 0.75, 1};
  for (int by_x = 0; by_x <= 4; ++by_x)
    for (int by_rate = 0; by_rate + by_x <= 4; ++by_rate) {
      gannet_problem *problem = make_problem();
      gannet_pde_residuals *residuals = NULL;
      const gannet_physics_term term = {"2 + x", by_x + by_rate, axes + 4 - by_x};
      const gannet_physics_equation equation = {.n_terms = 1, .terms = &term, .rhs = "fins*x"};
      const gannet_physics_spec spec = {.n_equations = 1, .equations = &equation};
      double c[2 * 8], rhs[2];
      assert_ok(gannet_problem_set_physics(problem, &spec));
      assert_ok(gannet_pde_residuals_create(problem, 2, points, &residuals));
      assert_true(residuals->linear && residuals->n_rows == 2 && residuals->n_partials <= 8);
      assert_ok(gannet_pde_residuals_linearise(residuals, NULL, c, rhs, NULL));
      for (int i = 0; i < 2; ++i) {
        double user[3], sum = 0;
        gannet_problem_decode(problem, residuals->x + 3 * i, user);
        for (int b = 0; b < residuals->n_partials; ++b) {
          int counts[3] = {0};
          for (int k = 0; k < residuals->partials[b].order; ++k)
            counts[residuals->partials[b].axis[k]] += 1;
          sum += c[i * residuals->n_partials + b] *
                 unit_derivative(counts[0], counts[1], user[0], user[1]);
        }
        const double expected = (2 + user[0]) * derivative_of_f(by_x, by_rate, user[0], user[1]);
        assert_near(sum, expected, 1e-11 * (1 + fabs(expected)));
        assert_near(rhs[i], user[2] * user[0], 1e-14);
      }
      gannet_pde_residuals_destroy(&residuals);
      gannet_problem_destroy(&problem);
    }
}

/* r = f f_x - 1 */
static int burgers(const gannet_physics_input *input, gannet_physics_output *output) {
  assert_int_equal(input->abi, GANNET_PHYSICS_ABI);
  assert_int_equal(input->n_terms, 2);
  assert_string_equal(input->settings[0], "nu=3");
  output->residual = input->terms[0] * input->terms[1] - 1;
  output->partials[0] = input->terms[1];
  output->partials[1] = input->terms[0];
  return input->x[0] > 2.5;
}

static void plugins_are_linearised(void **state) {
  (void)state;
  gannet_problem *problem = make_problem();
  gannet_pde_residuals *residuals = NULL;
  const char *const axes[] = {"x"}, *const settings[] = {"nu=3"};
  const gannet_physics_term terms[] = {{NULL, 0, NULL}, {NULL, 1, axes}};
  const gannet_physics_equation equation = {
      .n_terms = 2, .terms = terms, .plugin = "burgers", .n_settings = 1, .settings = settings};
  const gannet_physics_spec spec = {.n_equations = 1, .equations = &equation};
  const double points[] = {0.5, 0.5, 0, 0.99, 0.5, 0}, jets[] = {2, 12, 2, 12};
  double c[4], rhs[2], residual[2];
  assert_ok(gannet_problem_set_physics(problem, &spec));
  assert_fails(GANNET_ERR_STATE, "equation 1",
               gannet_pde_residuals_create(problem, 1, points, &residuals));
  assert_fails(GANNET_ERR_ARG, "equation 7", gannet_problem_set_residual(problem, 7, burgers));
  assert_ok(gannet_problem_set_residual(problem, 0, burgers));
  assert_ok(gannet_pde_residuals_create(problem, 1, points, &residuals));
  assert_false(residuals->linear);
  assert_fails(GANNET_ERR_ARG, "not linear",
               gannet_pde_residuals_linearise(residuals, NULL, c, rhs, NULL));
  assert_ok(gannet_pde_residuals_linearise(residuals, jets, c, rhs, residual));
  assert_near(residual[0], 2 * 3 - 1, 1e-14); /* f_x is 12 / range */
  assert_near(c[0], 3, 1e-14);
  assert_near(c[1], 2.0 / 4, 1e-14);
  assert_near(rhs[0], 2 * 3 + 1, 1e-14);
  gannet_pde_residuals_destroy(&residuals);
  assert_ok(gannet_pde_residuals_create(problem, 2, points, &residuals));
  assert_fails(GANNET_ERR_INPUT, "cannot be computed at x = 2.96",
               gannet_pde_residuals_linearise(residuals, jets, c, rhs, residual));
  gannet_pde_residuals_destroy(&residuals);
  gannet_problem_destroy(&problem);
}

/* One equation with one term, and what is said about it. */
static void refuse(const gannet_physics_term *term, const char *rhs, const char *plugin,
                   const char *why) {
  gannet_problem *problem = make_problem();
  const gannet_physics_equation equation = {
      .name = "heat", .n_terms = term ? 1 : 0, .terms = term, .rhs = rhs, .plugin = plugin};
  const gannet_physics_spec spec = {.n_equations = 1, .equations = &equation};
  assert_fails(GANNET_ERR_INPUT, why, gannet_problem_set_physics(problem, &spec));
  assert_null(gannet_problem_get_physics(problem));
  gannet_problem_destroy(&problem);
}

static void wrong_equations_are_refused(void **state) {
  (void)state;
  const char *const unknown[] = {"rat"}, *const whole[] = {"fins"},
                    *const five[] = {"x", "x", "x", "x", "x"};
  const gannet_physics_term fine = {NULL, 0, NULL}, weird = {"2 +", 0, NULL};
  const gannet_physics_term by_unknown = {NULL, 1, unknown}, by_whole = {NULL, 1, whole};
  const gannet_physics_term too_high = {NULL, 5, five}, factor = {"x", 0, NULL};
  refuse(NULL, NULL, NULL, "no terms");
  refuse(&weird, NULL, NULL, "heat: coefficient: expression '2 +'");
  refuse(&fine, "rte", NULL, "heat: rhs: expression 'rte'");
  refuse(&by_unknown, NULL, NULL, "did you mean 'rate'");
  refuse(&by_whole, NULL, NULL, "'fins', which is integer; expected a real variable");
  refuse(&too_high, NULL, NULL, "order 5, expected 0 to 4");
  refuse(&factor, NULL, "law.so", "no coefficients");
  refuse(&fine, "1", "law.so", "has no rhs");
  gannet_problem *problem = make_problem();
  gannet_physics_spec spec = {0};
  assert_fails(GANNET_ERR_INPUT, "no equations", gannet_problem_set_physics(problem, &spec));
  const gannet_physics_equation equation = {.n_terms = 1, .terms = &fine};
  spec = (gannet_physics_spec){.n_equations = 1, .equations = &equation, .lambda2 = 2};
  assert_fails(GANNET_ERR_INPUT, "lambda2 = 2", gannet_problem_set_physics(problem, &spec));
  spec.lambda2 = 0, spec.points = 20001;
  assert_fails(GANNET_ERR_INPUT, "points = 20001, expected 0 to 20000",
               gannet_problem_set_physics(problem, &spec));
  spec.points = -1;
  assert_fails(GANNET_ERR_INPUT, "points = -1", gannet_problem_set_physics(problem, &spec));
  spec.points = 20000;
  assert_ok(gannet_problem_set_physics(problem, &spec));
  assert_fails(GANNET_ERR_STATE, "already", gannet_problem_set_physics(problem, &spec));
  assert_fails(GANNET_ERR_ARG, "takes no function",
               gannet_problem_set_residual(problem, 0, burgers));
  gannet_problem_destroy(&problem);
}

/* Rows are counted by an int. */
static void more_rows_than_a_number_counts_are_refused(void **state) {
  (void)state;
  const gannet_physics_term fine = {NULL, 0, NULL};
  const gannet_physics_equation equations[] = {{.n_terms = 1, .terms = &fine},
                                               {.n_terms = 1, .terms = &fine}};
  const gannet_physics_spec spec = {.n_equations = 2, .equations = equations};
  const double middle[] = {0.5, 0.5, 0};
  gannet_problem *problem = make_problem();
  gannet_pde_residuals *residuals = NULL;
  assert_ok(gannet_problem_set_physics(problem, &spec));
  assert_fails(GANNET_ERR_INPUT, "1073741824 points of 2 equations",
               gannet_pde_residuals_create(problem, 1 << 30, middle, &residuals));
  assert_null(residuals);
  gannet_problem_destroy(&problem);
}

static void values_that_do_not_exist_are_refused_with_their_place(void **state) {
  (void)state;
  const gannet_physics_term pole = {"1/(x - 1)", 0, NULL}, fine = {NULL, 0, NULL};
  const double middle[] = {0.5, 0.5, 0};
  double c[1], rhs[1];
  for (int k = 0; k < 2; ++k) {
    gannet_problem *problem = make_problem();
    gannet_pde_residuals *residuals = NULL;
    const gannet_physics_equation equation = {
        .n_terms = 1, .terms = k ? &fine : &pole, .rhs = k ? "sqrt(-x)" : NULL};
    const gannet_physics_spec spec = {.n_equations = 1, .equations = &equation};
    assert_fails(GANNET_ERR_STATE, "no equations",
                 gannet_pde_residuals_create(problem, 1, middle, &residuals));
    assert_ok(gannet_problem_set_physics(problem, &spec));
    assert_ok(gannet_pde_residuals_create(problem, 1, middle, &residuals));
    assert_fails(GANNET_ERR_INPUT,
                 k ? "rhs 'sqrt(-x)' is" : "coefficient '1/(x - 1)' is infinite at x = 1",
                 gannet_pde_residuals_linearise(residuals, NULL, c, rhs, NULL));
    gannet_pde_residuals_destroy(&residuals);
    gannet_problem_destroy(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expressions_have_values),
      cmocka_unit_test(a_variable_may_be_called_e),
      cmocka_unit_test(variables_may_be_called_like_its_constants),
      cmocka_unit_test(bad_expressions_tell_where),
      cmocka_unit_test(derivatives_follow_the_chain_rule),
      cmocka_unit_test(plugins_are_linearised),
      cmocka_unit_test(wrong_equations_are_refused),
      cmocka_unit_test(more_rows_than_a_number_counts_are_refused),
      cmocka_unit_test(values_that_do_not_exist_are_refused_with_their_place),
  };
  return run_serial(tests);
}
