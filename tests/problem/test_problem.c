/* test: serial labels unit */
#include <float.h>
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "base/random.h"
#include "problem/sample.h"

static int make(void **state) {
  gannet_problem *problem = NULL;
  assert_ok(gannet_problem_create(&sample_spec, &problem));
  *state = problem;
  return 0;
}

static int drop(void **state) {
  gannet_problem *problem = *state;
  gannet_problem_destroy(&problem);
  return 0;
}

static void dimensions_count_every_category(void **state) {
  const gannet_problem *problem = *state;
  assert_int_equal(problem->d, 8);
  assert_int_equal(problem->n_continuous, 2);
  assert_int_equal(problem->n_bounds, 4);
  assert_int_equal(problem->first[5], 5);
}

static void known_points_are_encoded_by_hand_computed_values(void **state) {
  const double x_user[6] = {0, 1e-4, 8, 1000, 1, 1};
  const double expected[8] = {0.25, 0.5, 1, 1, 1, 0, 1, 0};
  double x_unit[8];
  gannet_problem_encode(*state, x_user, x_unit);
  for (int i = 0; i < 8; ++i) assert_near(x_unit[i], expected[i], 1e-15);
}

static void snapping_equals_decoding_and_encoding(void **state) {
  const gannet_problem *problem = *state;
  for (uint64_t t = 0; t < 500; ++t) {
    double x[8], snapped[8], x_user[6], again[8], twice[8];
    gannet_random_uniform((gannet_stream){3, GANNET_FOR_TEST, t, 0}, 0, 8, x);
    for (int i = 0; i < 8; ++i) snapped[i] = x[i] = 1.4 * x[i] - 0.2;
    gannet_problem_snap(problem, 1, snapped);
    gannet_problem_decode(problem, x, x_user);
    assert_ok(gannet_problem_check_point(problem, x_user));
    gannet_problem_encode(problem, x_user, again);
    for (int i = 0; i < 8; ++i) assert_near(snapped[i], again[i], 1e-14);
    memcpy(twice, snapped, sizeof twice);
    gannet_problem_snap(problem, 1, twice);
    assert_memory_equal(twice, snapped, sizeof twice);
  }
}

/* 1 and the four doubles above it, whatever the scale; half as far apart below a power of two. */
static void few_real_numbers_are_a_grid(void **state) {
  static const double ends[][2] = {{1, 1 + 4 * DBL_EPSILON},
                                   {2 - DBL_EPSILON, 2 + 6 * DBL_EPSILON},
                                   {-3 - 8 * DBL_EPSILON, -3},
                                   {-2 * 0x1p-1074, 2 * 0x1p-1074},
                                   {1.7e9, 1.7e9 + 0x1p-20}};
  (void)state;
  for (size_t i = 0; i < 10; ++i) {
    const double *end = ends[i % 5];
    const bool is_log = i >= 5 && end[0] > 0;
    const gannet_variable variable = {.name = "x",
                                      .lower = end[0],
                                      .upper = end[1],
                                      .scale = is_log ? GANNET_SCALE_LOG : GANNET_SCALE_LINEAR};
    const gannet_problem_spec spec = {.n_variables = 1, .variables = &variable};
    gannet_problem *problem = NULL;
    double before = -INFINITY;
    assert_ok(gannet_problem_create(&spec, &problem));
    assert_int_equal(problem->n_continuous, 0);
    const int n = (int)gannet_problem_count_points(problem);
    assert_true(n == 5);
    for (int t = 0; t < n; ++t) {
      double unit = NAN, value = NAN, again = NAN;
      gannet_problem_get_point(problem, t, &unit);
      gannet_problem_decode(problem, &unit, &value);
      assert_true(value == (t == 0 ? end[0] : nextafter(before, INFINITY)));
      gannet_problem_encode(problem, &value, &again);
      assert_true(again == unit);
      for (double off = -0.1 / n; off < 0.2 / n; off += 0.2 / n) {
        again = unit + off;
        gannet_problem_snap(problem, 1, &again);
        assert_true(again == unit);
      }
      before = value;
    }
    assert_true(before == end[1]);
    gannet_problem_destroy(&problem);
  }
}

static void real_variables_have_many_numbers(void **state) {
  static const double ends[][2] = {
      {0, 1e-300}, {1, 1 + 1e-6}, {-DBL_MAX / 2, DBL_MAX / 2}, {1e15, 2e15}};
  (void)state;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
    const gannet_variable variable = {.name = "x", .lower = ends[i][0], .upper = ends[i][1]};
    assert_true(isinf(gannet_variable_count(&variable)));
    assert_false(gannet_variable_has_steps(&variable));
  }
}

/* Of a grid of points in the cube; what is no integer stays where it is. */
static void integers_get_their_shares_of_spread_points(void **state) {
  enum { N = 800 };
  const gannet_problem *problem = *state;
  int fins[8] = {0}, few_cells = 0;
  for (int i = 0; i < N; ++i) {
    double x[8], x_user[6];
    for (int k = 0; k < 8; ++k) x[k] = (i + 0.5) / N;
    gannet_problem_spread(problem, 1, x);
    for (int k = 0; k < 8; ++k)
      if (k != 2 && k != 3) assert_near(x[k], (i + 0.5) / N, 0);
    gannet_problem_decode(problem, x, x_user);
    fins[(int)x_user[2] - 1] += 1;
    few_cells += x_user[3] <= 2;
  }
  for (int v = 0; v < 8; ++v) assert_int_equal(fins[v], N / 8);
  assert_near(few_cells, N * log(2.5 / 0.5) / log(1000.5 / 0.5), 1);
}

static void constraints_become_one_sided(void **state) {
  const double values[3] = {120, 5, 0.5};
  double c[4];
  gannet_problem_bounds(*state, values, c);
  assert_near(c[0], 10, 0);
  assert_near(c[1], -3, 0);
  assert_near(c[2], -2.5, 0);
  assert_near(c[3], 0.5, 0);
  assert_false(gannet_problem_is_feasible(*state, values));
  assert_true(gannet_problem_is_feasible(*state, (const double[]){110, 2, 3}));
  assert_false(gannet_problem_is_feasible(*state, (const double[]){NAN, 2, 3}));
}

/* Differences of huge numbers of opposite signs are beyond all numbers. */
static void constraints_stay_finite(void **state) {
  const gannet_constraint wide[] = {{"stress", -INFINITY, 1e308}, {"flow", -1e308, 5}};
  gannet_problem_spec spec = sample_spec;
  gannet_problem *problem = NULL;
  double c[3];
  (void)state;
  spec.n_constraints = 2;
  spec.constraints = wide;
  assert_ok(gannet_problem_create(&spec, &problem));
  gannet_problem_bounds(problem, (const double[]){-1.7e308, 1.7e308}, c);
  assert_true(c[0] == -1e300 && c[1] == 1e300 && c[2] == -1e300);
  gannet_problem_bounds(problem, (const double[]){NAN, -1.7e308}, c);
  assert_true(isnan(c[0]) && c[1] == -1e300 && c[2] == 1e300);
  gannet_problem_bounds(problem, (const double[]){1e308, 5.25}, c);
  assert_true(c[0] == 0 && c[1] == 0.25);
  gannet_problem_destroy(&problem);
}

static void text_and_values_are_inverse(void **state) {
  const gannet_problem *problem = *state;
  const double x_user[6] = {0.1, 3.3e-5, 7, 12, 0, 2};
  for (int v = 0; v < 6; ++v) {
    char text[64];
    double back = NAN;
    gannet_problem_format(problem, v, x_user[v], text, sizeof text);
    assert_ok(gannet_problem_parse(problem, v, text, &back));
    assert_true(back == x_user[v]);
  }
  double value;
  assert_fails(GANNET_ERR_INPUT, "did you mean 'gmres'",
               gannet_problem_parse(problem, 5, "gmress", &value));
  assert_fails(GANNET_ERR_INPUT, "not a number", gannet_problem_parse(problem, 0, "1.0x", &value));
  assert_fails(GANNET_ERR_INPUT, "not a number", gannet_problem_parse(problem, 0, "0x1", &value));
  static const char *const truths[] = {"0", "1", "False", "TRUE", "no", "Yes"};
  for (int i = 0; i < 6; ++i) {
    assert_ok(gannet_problem_parse(problem, 4, truths[i], &value));
    assert_true(value == i % 2);
  }
  assert_fails(GANNET_ERR_INPUT, "true or false", gannet_problem_parse(problem, 4, "10", &value));
  assert_fails(GANNET_ERR_INPUT, "true or false",
               gannet_problem_parse(problem, 4, "maybe", &value));
}

static void points_outside_are_refused_by_name(void **state) {
  const double good[6] = {0, 1e-4, 8, 10, 1, 1};
  const struct {
    int v;
    double value;
    const char *says;
  } bad[] = {{0, 6.1, "variable x"},    {0, NAN, "variable x"},    {2, 2.5, "whole"},
             {4, 2, "neither 0 nor 1"}, {5, 3, "variable solver"}, {1, 0, "outside"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    double x[6];
    memcpy(x, good, sizeof x);
    x[bad[i].v] = bad[i].value;
    assert_fails(GANNET_ERR_INPUT, bad[i].says, gannet_problem_check_point(*state, x));
  }
}

static void every_wrong_entry_of_a_specification_is_named(void **state) {
  (void)state;
  const gannet_variable variables[] = {
      {.name = "a b", .lower = 0, .upper = 1},
      {.name = "empty", .lower = 2, .upper = 2},
      {.name = "logged", .lower = 0, .upper = 1, .scale = GANNET_SCALE_LOG},
      {.name = "half", .type = GANNET_VARIABLE_INTEGER, .lower = 0.5, .upper = 3},
      {.name = "one", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 1, .values = sample_solvers},
      {.name = "stress", .type = GANNET_VARIABLE_BOOLEAN},
      {.name = "objective", .type = GANNET_VARIABLE_BOOLEAN},
  };
  const gannet_constraint constraints[] = {{"stress", -INFINITY, INFINITY}, {"crossed", 2, 1}};
  const gannet_problem_spec spec = {.n_variables = 7,
                                    .variables = variables,
                                    .n_constraints = 2,
                                    .constraints = constraints,
                                    .noise_sd = -1};
  const char *const says[] = {"'a b'",      "only one value", "scale log",   "whole numbers",
                              "two values", "used twice",     "'objective'", "give a lower bound",
                              "above",      "noise_sd"};
  gannet_problem *problem = NULL;
  for (size_t i = 0; i < sizeof says / sizeof *says; ++i)
    assert_fails(GANNET_ERR_INPUT, says[i], gannet_problem_create(&spec, &problem));
  assert_null(problem);
}

/* The first variable has no name at all, which hides nothing of the others. */
static void names_are_compared_behind_one_that_is_missing(void **state) {
  (void)state;
  const gannet_variable variables[] = {
      {.name = NULL, .type = GANNET_VARIABLE_BOOLEAN},
      {.name = "twin", .type = GANNET_VARIABLE_BOOLEAN},
      {.name = "twin", .type = GANNET_VARIABLE_BOOLEAN},
  };
  const gannet_problem_spec spec = {.n_variables = 3, .variables = variables};
  gannet_problem *problem = NULL;
  assert_fails(GANNET_ERR_INPUT, "variable name ''", gannet_problem_create(&spec, &problem));
  assert_fails(GANNET_ERR_INPUT, "'twin' is used twice", gannet_problem_create(&spec, &problem));
  assert_null(problem);
}

/* Of those without a name everything else is said, too. */
static void complaints_need_no_names(void **state) {
  (void)state;
  const gannet_variable variables[] = {
      {.name = NULL, .lower = 2, .upper = 1, .scale = GANNET_SCALE_LOG},
      {.name = NULL, .type = GANNET_VARIABLE_INTEGER, .lower = 0.5, .upper = 3},
      {.name = NULL, .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 1, .values = sample_solvers},
      {.name = NULL, .type = (gannet_variable_type)77},
  };
  const gannet_constraint constraint = {NULL, 2, 1};
  const gannet_problem_spec spec = {
      .n_variables = 4, .variables = variables, .n_constraints = 1, .constraints = &constraint};
  const char *const says[] = {"constraint name ''",
                              "variable without a name: empty box",
                              "variable without a name: bounds of an integer",
                              "variable without a name: a categorical variable needs",
                              "variable without a name: unknown type 77",
                              "constraint without a name: lower = 2 is above"};
  gannet_problem *problem = NULL;
  for (size_t i = 0; i < sizeof says / sizeof *says; ++i)
    assert_fails(GANNET_ERR_INPUT, says[i], gannet_problem_create(&spec, &problem));
  assert_null(problem);
}

/* Beyond it log(upper/lower) is infinite, and every point would be at the upper bound. */
static void logarithmic_boxes_are_as_wide_as_a_double(void **state) {
  (void)state;
  gannet_variable wide = {
      .name = "wide", .lower = 1e-160, .upper = 1e160, .scale = GANNET_SCALE_LOG};
  const gannet_problem_spec spec = {.n_variables = 1, .variables = &wide};
  const double middle = 0.5;
  double x = NAN;
  gannet_problem *problem = NULL;
  assert_fails(GANNET_ERR_INPUT, "at most 1.8e+308", gannet_problem_create(&spec, &problem));
  assert_null(problem);
  wide.lower = 1e-140;
  assert_ok(gannet_problem_create(&spec, &problem));
  gannet_problem_decode(problem, &middle, &x);
  assert_near(log10(x), 10, 1e-12);
  gannet_problem_destroy(&problem);
}

static void of_many_wrong_entries_the_rest_is_counted(void **state) {
  (void)state;
  char names[40][8], rest[40];
  gannet_variable variables[40] = {{0}};
  const gannet_problem_spec spec = {.n_variables = 40, .variables = variables};
  gannet_problem *problem = NULL;
  int told = 0;
  for (int v = 0; v < 40; ++v) {
    (void)snprintf(names[v], sizeof names[v], "v%d", v);
    variables[v] = (gannet_variable){.name = names[v], .lower = 3, .upper = 1};
  }
  assert_int_equal(gannet_problem_create(&spec, &problem), GANNET_ERR_INPUT);
  const char *message = gannet_error_message(), *end = strrchr(message, '\n');
  for (const char *at = message; (at = strstr(at, " is not below upper = 1\n")); ++at) ++told;
  (void)snprintf(rest, sizeof rest, "\n... and %d more", 40 - told);
  assert_true(told > 10);
  assert_string_equal(end, rest);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dimensions_count_every_category),
      cmocka_unit_test(known_points_are_encoded_by_hand_computed_values),
      cmocka_unit_test(snapping_equals_decoding_and_encoding),
      cmocka_unit_test(few_real_numbers_are_a_grid),
      cmocka_unit_test(real_variables_have_many_numbers),
      cmocka_unit_test(integers_get_their_shares_of_spread_points),
      cmocka_unit_test(constraints_become_one_sided),
      cmocka_unit_test(constraints_stay_finite),
      cmocka_unit_test(text_and_values_are_inverse),
      cmocka_unit_test(points_outside_are_refused_by_name),
      cmocka_unit_test(every_wrong_entry_of_a_specification_is_named),
      cmocka_unit_test(names_are_compared_behind_one_that_is_missing),
      cmocka_unit_test(complaints_need_no_names),
      cmocka_unit_test(logarithmic_boxes_are_as_wide_as_a_double),
      cmocka_unit_test(of_many_wrong_entries_the_rest_is_counted),
  };
  return cmocka_run_group_tests(tests, make, drop);
}
