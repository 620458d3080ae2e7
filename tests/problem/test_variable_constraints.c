/* test: serial labels unit */
#include "problem/variable_constraints.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "support/harness.h"

enum { MOST = 20, DRAWS = 2000 };

static const char *const solvers[] = {"cg", "gmres", "two words"};

/* n real variables x1 .. xn in [0, 1], behind them an integer n and a categorical solver. */
static gannet_problem *create_problem(int n, bool mixed) {
  static char names[MOST][8];
  gannet_variable v[MOST + 3] = {{0}};
  gannet_problem *problem = NULL;
  for (int i = 0; i < n; ++i) {
    (void)snprintf(names[i], sizeof names[i], "x%d", i + 1);
    v[i] = (gannet_variable){.name = names[i], .lower = 0, .upper = 1};
  }
  if (mixed) {
    v[n++] =
        (gannet_variable){.name = "k", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 20};
    v[n++] =
        (gannet_variable){.name = "m", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 20};
    v[n++] = (gannet_variable){
        .name = "solver", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 3, .values = solvers};
  }
  const gannet_problem_spec spec = {.n_variables = n, .variables = v, .noise_sd = NAN};
  assert_ok(gannet_problem_create(&spec, &problem));
  return problem;
}

static gannet_err set_one(gannet_problem *problem, const char *text) {
  return gannet_problem_set_variable_constraints(problem, 1, &text);
}

/* Draws that satisfy a predicate of the user's values, of all. */
typedef bool (*predicate)(const double *x);

static void check_draws(gannet_problem *problem, predicate holds) {
  double unit[MOST + 8], x[MOST + 8];
  for (int i = 0; i < DRAWS; ++i) {
    const gannet_stream stream = {7, GANNET_FOR_TEST, 0, (uint64_t)i};
    gannet_allowed_draw(problem, stream, unit);
    assert_true(gannet_problem_allows(problem, unit));
    gannet_problem_decode(problem, unit, x);
    if (!holds(x)) fail_msg("draw %d violates a constraint", i);
  }
}

static bool ascends(const double *x) {
  return x[0] < x[1] && x[1] < x[2] && x[2] < x[3];
}

static void a_chain_means_what_it_says(void **state) {
  (void)state;
  gannet_problem *problem = create_problem(4, false);
  assert_ok(set_one(problem, "x1 < x2 < x3 < x4"));
  check_draws(problem, ascends);
  const double wrong[] = {.1, .05, .3, .4}, right[] = {.1, .2, .3, .4};
  assert_int_equal(gannet_problem_check_allowed(problem, wrong), GANNET_ERR_INPUT);
  assert_non_null(strstr(gannet_error_message(), "x1 < x2 < x3 < x4"));
  assert_ok(gannet_problem_check_allowed(problem, right));
  gannet_problem_destroy(&problem);
}

static bool sums_to_one(const double *x) {
  double sum = 0;
  for (int i = 0; i < 8; ++i) {
    sum += x[i];
    if (x[i] < 0 || x[i] > 1) return false;
  }
  return fabs(sum - 1) <= 1e-12;
}

/* Of the uniform distribution on a simplex of n parts each has the mean 1/n and the variance
 * (n-1) / (n^2 (n+1)). */
static void parts_of_a_mixture_are_uniform_on_the_simplex(void **state) {
  (void)state;
  gannet_problem *problem = create_problem(8, false);
  double unit[8], mean[8] = {0}, square[8] = {0};
  const int n = 20000;
  assert_ok(set_one(problem, "x1 + x2 + x3 + x4 + x5 + x6 + x7 + x8 = 1"));
  check_draws(problem, sums_to_one);
  for (int i = 0; i < n; ++i) {
    gannet_allowed_draw(problem, (gannet_stream){8, GANNET_FOR_TEST, 0, (uint64_t)i}, unit);
    for (int k = 0; k < 8; ++k) {
      mean[k] += unit[k] / n;
      square[k] += unit[k] * unit[k] / n;
    }
  }
  for (int k = 0; k < 8; ++k) {
    assert_true(fabs(mean[k] - 1. / 8) < 0.02);
    assert_true(fabs(square[k] - mean[k] * mean[k] - 7. / (64 * 9)) < 0.003);
  }
  gannet_problem_destroy(&problem);
}

static bool in_corner(const double *x) {
  double sum = 0;
  for (int i = 0; i < 10; ++i) sum += x[i];
  return sum <= 0.5;
}

/* The part has the volume 0.5^10 / 10! = 2.7e-10 of the box. The largest of the parts of the
 * uniform distribution has the mean 0.5/11 = 0.0454. */
static void a_tiny_part_is_found_and_filled(void **state) {
  (void)state;
  gannet_problem *problem = create_problem(10, false);
  double unit[10], mean = 0;
  const int n = 5000;
  assert_ok(set_one(problem, "x1+x2+x3+x4+x5+x6+x7+x8+x9+x10 <= 0.5"));
  check_draws(problem, in_corner);
  for (int i = 0; i < n; ++i) {
    gannet_allowed_draw(problem, (gannet_stream){8, GANNET_FOR_TEST, 0, (uint64_t)i}, unit);
    for (int k = 0; k < 10; ++k) mean += unit[k] / (10 * n);
  }
  assert_true(fabs(mean - 0.5 / 11) < 0.003);
  const double share = problem->variable_constraints->share;
  assert_true(share > 1e-11 && share < 1e-8);
  gannet_problem_destroy(&problem);
}

static bool on_circle(const double *x) {
  return fabs(x[0] * x[0] + x[1] * x[1] - 0.5) <= 1e-8 && x[2] >= x[0];
}

static void a_curved_equation_is_kept_by_projection(void **state) {
  (void)state;
  gannet_problem *problem = create_problem(3, false);
  const char *const texts[] = {"x1^2 + x2^2 == 0.5", "x3 >= x1"};
  assert_ok(gannet_problem_set_variable_constraints(problem, 2, texts));
  check_draws(problem, on_circle);
  gannet_problem_destroy(&problem);
}

/* x1, k, m, solver */
static bool mixed_holds(const double *x) {
  return x[1] + x[2] == 12 && (x[3] != 1 || x[1] <= 5) && x[0] * x[1] < 2;
}

static void integers_and_categories_take_part(void **state) {
  (void)state;
  gannet_problem *problem = create_problem(1, true);
  const char *const texts[] = {"k + m = 12", "solver != 'gmres' or k <= 5", "x1*k < 2"};
  assert_ok(gannet_problem_set_variable_constraints(problem, 3, texts));
  check_draws(problem, mixed_holds);
  const char *const words[] = {"solver == 'two words' and k < m"};
  assert_ok(gannet_problem_set_variable_constraints(problem, 1, words));
  double unit[8], x[4];
  for (int i = 0; i < 100; ++i) {
    gannet_allowed_draw(problem, (gannet_stream){9, GANNET_FOR_TEST, 0, (uint64_t)i}, unit);
    gannet_problem_decode(problem, unit, x);
    assert_true(x[3] == 2 && x[1] < x[2]);
  }
  gannet_problem_destroy(&problem);
}

/* The points of a small discrete problem are counted and numbered without those that violate. */
static void points_of_a_discrete_problem_are_listed(void **state) {
  (void)state;
  gannet_problem *problem = create_problem(0, true);
  double unit[8], x[3];
  int expected = 0;
  assert_ok(set_one(problem, "k < m"));
  for (int k = 1; k <= 20; ++k) expected += 20 - k;
  assert_true(gannet_problem_count_points(problem) == 3 * expected);
  for (int t = 0; t < 3 * expected; ++t) {
    gannet_problem_get_point(problem, t, unit);
    gannet_problem_decode(problem, unit, x);
    assert_true(x[0] < x[1]);
  }
  gannet_problem_destroy(&problem);
}

/* Of 4^12 points 1.4 % satisfy all conditions; each misses one, two or more of them. */
static bool listed_hold(const double *x) {
  return x[0] + x[1] == 7 && fabs(x[0] * 0.25 - x[2]) < 1e-12 && x[3] < x[4];
}

/* Equations that only some of the listed values and steps meet. */
static void equations_of_listed_values_are_met(void **state) {
  static const double powers[] = {1, 2, 4, 8};
  static const gannet_variable v[] = {
      {.name = "a", .type = GANNET_VARIABLE_ORDINAL, .n_values = 4, .numbers = powers},
      {.name = "b", .type = GANNET_VARIABLE_INTEGER, .lower = 0, .upper = 20},
      {.name = "c", .lower = 0, .upper = 5, .step = 0.5},
      {.name = "x", .lower = 0, .upper = 1},
      {.name = "y", .lower = 0, .upper = 1}};
  static const char *const texts[] = {"2*a + 2*b = 14", "0.25*a = c", "x < y"};
  const gannet_problem_spec spec = {.n_variables = 5, .variables = v, .noise_sd = NAN};
  gannet_problem *problem = NULL;
  double unit[5], x[5];
  bool seen[3] = {false, false, false};
  (void)state;
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_ok(gannet_problem_set_variable_constraints(problem, 3, texts));
  check_draws(problem, listed_hold);
  for (int i = 0; i < 200; ++i) { /* 0.25 a is a step of c for a = 2 and 4 */
    gannet_allowed_draw(problem, (gannet_stream){7, GANNET_FOR_TEST, 1, (uint64_t)i}, unit);
    gannet_problem_decode(problem, unit, x);
    seen[(int)x[0] / 2] = true;
    for (int k = 0; k < 5; ++k) unit[k] = k < 3 ? (i % 7) / 6.0 : 0.1 * (k + 2);
    assert_true(gannet_allowed_complete(problem, unit) == 0);
    gannet_problem_decode(problem, unit, x);
    assert_true(listed_hold(x));
  }
  assert_true(!seen[0] && seen[1] && seen[2]);
  const char *contradiction[] = {"2*a + 2*b = 14", "a + b = 8"};
  assert_true(gannet_problem_set_variable_constraints(problem, 2, contradiction) ==
              GANNET_ERR_INPUT);
  assert_fails(GANNET_ERR_INPUT, "none of their 84 combinations does",
               set_one(problem, "2*a + 4*b = 7"));
  gannet_problem_destroy(&problem);
  gannet_variable many[5];
  for (int k = 0; k < 5; ++k) {
    many[k] = v[0];
    many[k].name = (const char *const[]){"a", "b", "c", "x", "y"}[k];
  }
  static double numbers[40];
  for (int k = 0; k < 40; ++k) numbers[k] = k + 0.125 * (k % 2);
  for (int k = 0; k < 5; ++k) many[k].numbers = numbers, many[k].n_values = 40;
  const gannet_problem_spec large = {.n_variables = 5, .variables = many, .noise_sd = NAN};
  assert_ok(gannet_problem_create(&large, &problem));
  assert_fails(GANNET_ERR_INPUT, "1.02e+08 combinations of values, and at most 1000000",
               set_one(problem, "a + b + c + x + y = 100"));
  gannet_problem_destroy(&problem);
}

static void conditions_that_are_true_or_false_lead_to_the_allowed_part(void **state) {
  (void)state;
  enum { N = 12 };
  static const char *const values[] = {"a", "b", "c", "d"};
  static char names[N][8], texts[N - 1][64];
  gannet_variable v[N] = {{0}};
  const char *stated[N - 1];
  gannet_problem *problem = NULL;
  double unit[4 * N], x[N];
  for (int i = 0; i < N; ++i) {
    (void)snprintf(names[i], sizeof names[i], "c%d", i);
    v[i] = (gannet_variable){
        .name = names[i], .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 4, .values = values};
    if (i == 0) continue;
    (void)snprintf(texts[i - 1], sizeof texts[i - 1], "c%d == 'b' or c%d == 'a' or c%d == 'b'",
                   i - 1, i, i);
    stated[i - 1] = texts[i - 1];
  }
  const gannet_problem_spec spec = {.n_variables = N, .variables = v, .noise_sd = NAN};
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_ok(gannet_problem_set_variable_constraints(problem, N - 1, stated));
  for (int t = 0; t < 100; ++t) {
    gannet_allowed_draw(problem, (gannet_stream){9, GANNET_FOR_TEST, 0, (uint64_t)t}, unit);
    gannet_problem_decode(problem, unit, x);
    for (int i = 1; i < N; ++i) assert_true(x[i - 1] == 1 || x[i] <= 1);
  }
  gannet_problem_destroy(&problem);
}

/* A repaired point is allowed, and for a half space it is the nearest one. */
static void a_point_is_moved_to_the_nearest_allowed_one(void **state) {
  (void)state;
  gannet_problem *problem = create_problem(2, false);
  double x[] = {0.9, 0.7};
  const double base[] = {0.1, 0.1};
  assert_ok(set_one(problem, "x1 + x2 <= 1"));
  gannet_allowed_repair(problem, base, NULL, NULL, x);
  assert_true(fabs(x[0] - 0.6) < 1e-6 && fabs(x[1] - 0.4) < 1e-6 && x[0] + x[1] <= 1);
  gannet_problem_destroy(&problem);
}

/* Rows against differences of right - left, with a dependent variable between. */
static void rows_have_the_gradients_of_the_constraints(void **state) {
  (void)state;
  gannet_problem *problem = create_problem(4, false);
  const char *const texts[] = {"x1 + 2*x2 + x3 = 1.5", "x2*x3 <= 0.3", "x3 - x4 <= 0.2"};
  double x[] = {0.3, 0.4, 0.2, 0.6}, values[8], slopes[8 * 4], high[8], low[8], unused[8 * 4];
  assert_ok(gannet_problem_set_variable_constraints(problem, 3, texts));
  const int n = gannet_allowed_count_rows(problem);
  assert_int_equal(n, 4);
  (void)gannet_allowed_follow(problem, x);
  gannet_allowed_rows(problem, x, values, slopes);
  for (int k = 0; k < 4; ++k) {
    double a[4], b[4];
    if (gannet_allowed_depends(problem, k)) continue;
    memcpy(a, x, sizeof x);
    memcpy(b, x, sizeof x);
    a[k] += 1e-4;
    b[k] -= 1e-4;
    (void)gannet_allowed_follow(problem, a);
    (void)gannet_allowed_follow(problem, b);
    gannet_allowed_rows(problem, a, high, unused);
    gannet_allowed_rows(problem, b, low, unused);
    for (int r = 0; r < n; ++r)
      assert_true(fabs((high[r] - low[r]) / 2e-4 - slopes[r * 4 + k]) < 1e-4);
  }
  gannet_problem_destroy(&problem);
}

static void nonsense_is_refused_with_a_reason(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"x1 + x2", "compares nothing"},
      {"x1 + y2 <= 1", "unknown name 'y2'"},
      {"1 <= 2", "names no variable"},
      {"x1 <= ", "nothing stands on one side"},
      {"x1 + x2 >= 3", "no point inside the bounds"},
      {"x1 <= 1,5", "decimal point"},
      {"solver <= 2", "as in solver == 'cg'"},
      {"solver == 'gmers'", "did you mean 'gmres'"},
      {"x1 == 'cg'", "is not compared with a variable"},
      {"2*k + 2*m = 13", "steps of its variables do not meet"},
      {"k + m = 12.5", "steps of its variables do not meet"},
      {"(x1 < x2 < 0.5) == 1", "two comparisons in a row"},
      {"x1 == 'cg", "not closed"},
      {"sin(x1*100) + x2 > 3 or x1 > 2", "no point was found"},
  };
  gannet_problem *problem = create_problem(2, true);
  assert_ok(set_one(problem, "x1 <= x2"));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    assert_int_equal(set_one(problem, cases[i].text), GANNET_ERR_INPUT);
    if (!strstr(gannet_error_message(), cases[i].message))
      fail_msg("'%s' gave: %s", cases[i].text, gannet_error_message());
  }
  /* What was stated before is still there. */
  const double wrong[] = {.5, .4, 1, 1, 0};
  assert_int_equal(gannet_problem_check_allowed(problem, wrong), GANNET_ERR_INPUT);
  const char *const contradiction[] = {"x1 + x2 = 1", "x1 + x2 = 1.5"};
  assert_int_equal(gannet_problem_set_variable_constraints(problem, 2, contradiction),
                   GANNET_ERR_INPUT);
  assert_non_null(strstr(gannet_error_message(), "contradicts the equations before it"));
  const char *const empty[] = {"x1 + x2 <= 0.5", "x1*x2 >= 0.5"};
  assert_int_equal(gannet_problem_set_variable_constraints(problem, 2, empty), GANNET_ERR_INPUT);
  assert_non_null(strstr(gannet_error_message(), "no point was found"));
  gannet_problem_destroy(&problem);
}

static void a_constraint_that_is_always_true_is_known(void **state) {
  (void)state;
  gannet_problem *problem = create_problem(2, false);
  const char *const texts[] = {"x1 + x2 <= 2", "x1 + x2 <= 1.9", "x1 < 1"};
  assert_ok(gannet_problem_set_variable_constraints(problem, 3, texts));
  assert_true(gannet_variable_constraint_is_idle(problem, 0));
  assert_false(gannet_variable_constraint_is_idle(problem, 1));
  assert_false(gannet_variable_constraint_is_idle(problem, 2));
  gannet_problem_destroy(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chain_means_what_it_says),
      cmocka_unit_test(parts_of_a_mixture_are_uniform_on_the_simplex),
      cmocka_unit_test(a_tiny_part_is_found_and_filled),
      cmocka_unit_test(a_curved_equation_is_kept_by_projection),
      cmocka_unit_test(integers_and_categories_take_part),
      cmocka_unit_test(points_of_a_discrete_problem_are_listed),
      cmocka_unit_test(equations_of_listed_values_are_met),
      cmocka_unit_test(conditions_that_are_true_or_false_lead_to_the_allowed_part),
      cmocka_unit_test(a_point_is_moved_to_the_nearest_allowed_one),
      cmocka_unit_test(rows_have_the_gradients_of_the_constraints),
      cmocka_unit_test(nonsense_is_refused_with_a_reason),
      cmocka_unit_test(a_constraint_that_is_always_true_is_known),
  };
  return run_serial(tests);
}
