/* test: ranks 1 labels unit */
#include "problem/conditional.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/pool.h"
#include "problem/variable_constraints.h"
#include "support/harness.h"

static const char *const solvers[] = {"cg", "gmres", "sor"};
static const char *const preconditioners[] = {"none", "ilu", "sor"};
static const double cells[] = {16, 32, 64, 128};

/* omega is active in one branch by itself, and in another by way of a conditional variable; scaled
 * is computed from a variable that may be inactive. Variables stand before what decides them. */
static const gannet_variable variables[] = {
    {.name = "omega", .lower = 0.1, .upper = 1.9, .when = "solver = 'sor' or precond == 'sor'"},
    {.name = "restart",
     .type = GANNET_VARIABLE_INTEGER,
     .lower = 5,
     .upper = 200,
     .when = "solver == 'gmres'"},
    {.name = "solver", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 3, .values = solvers},
    {.name = "precond",
     .type = GANNET_VARIABLE_CATEGORICAL,
     .n_values = 3,
     .values = preconditioners,
     .when = "solver == gmres"},
    {.name = "tol", .lower = 1e-6, .upper = 1e-2, .scale = GANNET_SCALE_LOG},
    {.name = "deep", .type = GANNET_VARIABLE_BOOLEAN, .when = "not (10 <= scaled < 90)"},
    {.name = "scaled", .role = GANNET_ROLE_DERIVED, .expression = "restart / 2"},
    {.name = "levels",
     .type = GANNET_VARIABLE_ORDINAL,
     .n_values = 4,
     .numbers = cells,
     .scale = GANNET_SCALE_LOG,
     .when = "deep and restart > 8"},
};
enum { OMEGA, RESTART, SOLVER, PRECOND, TOL, DEEP, SCALED, LEVELS, N, D = 11 };

static gannet_problem *make_problem(void) {
  const gannet_problem_spec spec = {.n_variables = N, .variables = variables};
  gannet_problem *problem = NULL;
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_int_equal(problem->d, D);
  return problem;
}

/* The variables that are active at a point, as the first letters of their names. */
static const char *active_at(const gannet_problem *problem, const double *x) {
  static char letters[N + 1];
  int active[N], n = 0;
  assert_ok(gannet_problem_get_active(problem, x, active));
  for (int v = 0; v < N; ++v) {
    assert_int_equal(active[v], gannet_problem_is_active(problem, v, x));
    if (active[v]) letters[n++] = problem->spec.variables[v].name[0];
  }
  letters[n] = '\0';
  return letters;
}

static void conditions_decide(void **state) {
  (void)state;
  gannet_problem *problem = make_problem();
  double cg[N] = {NAN, NAN, 0, NAN, 1e-3, NAN, NAN, NAN};
  double gmres[N] = {NAN, 30, 1, 1, 1e-3, NAN, NAN, NAN};
  double nested[N] = {1.5, 190, 1, 2, 1e-3, 1, NAN, 64};
  double sor[N] = {1.5, NAN, 2, NAN, 1e-3, NAN, NAN, NAN};
  /* At cg, gmres and sor scaled is computed with what restart rests at. */
  assert_string_equal(active_at(problem, cg), "sts");
  assert_string_equal(active_at(problem, gmres), "rspts");
  assert_string_equal(active_at(problem, nested), "orsptdsl");
  assert_string_equal(active_at(problem, sor), "osts");
  nested[DEEP] = 0;
  assert_string_equal(active_at(problem, nested), "orsptds");
  gannet_problem_destroy(&problem);
}

static void what_is_inactive_rests(void **state) {
  (void)state;
  gannet_problem *problem = make_problem();
  double given[N] = {0.3, 77, 0, 2, 1e-3, 1, NAN, 16}, other[N] = {9, -5, 0, 1, 1e-3, 0, NAN, 64};
  const double resting[N] = {1, 103, 0, 0, 1e-3, 0, 51.5, 64};
  double a[D], b[D], back[N];
  assert_ok(gannet_problem_complete(problem, given)); /* also what is outside of the ranges */
  assert_ok(gannet_problem_complete(problem, other));
  assert_ok(gannet_problem_check_point(problem, other));
  for (int v = 0; v < N; ++v)
    if (v != LEVELS) assert_true(given[v] == resting[v]);
  assert_true(given[LEVELS] == 32 || given[LEVELS] == 64);
  assert_memory_equal(given, other, sizeof given);
  gannet_problem_encode(problem, given, a);
  memcpy(b, a, sizeof b);
  b[0] = 0.9; /* omega */
  b[1] = 0.1; /* restart */
  gannet_problem_snap(problem, 1, b);
  assert_memory_equal(a, b, sizeof a);
  gannet_problem_decode(problem, b, back);
  for (int v = 0; v < N; ++v)
    if (v != TOL) assert_true(back[v] == given[v]);
  gannet_problem_destroy(&problem);
}

static void gradients_along_inactive_coordinates_are_zero(void **state) {
  (void)state;
  gannet_problem *problem = make_problem();
  double x[N] = {NAN, NAN, 2, NAN, 1e-3, NAN, NAN, NAN}, unit[D], gradient[D];
  assert_ok(gannet_problem_complete(problem, x));
  x[OMEGA] = 1.2;
  gannet_problem_encode(problem, x, unit);
  for (int k = 0; k < D; ++k) gradient[k] = 1 + k;
  gannet_allowed_pull_back(problem, unit, gradient);
  for (int k = 0; k < D; ++k) {
    const bool is_active = k == problem->first[OMEGA] || k == problem->first[TOL] ||
                           (k >= problem->first[SOLVER] && k < problem->first[SOLVER] + 3);
    assert_true(gradient[k] == (is_active ? 1 + k : 0));
  }
  gannet_problem_destroy(&problem);
}

static void missing_values_are_found(void **state) {
  (void)state;
  gannet_problem *problem = make_problem();
  double x[N] = {NAN, NAN, 1, 0, 1e-3, NAN, NAN, NAN};
  assert_int_equal(gannet_problem_find_not_given(problem, x), RESTART);
  assert_ok(gannet_problem_complete(problem, x));
  assert_fails(GANNET_ERR_INPUT, "variable restart: has no value, but is active at this design",
               gannet_problem_check_point(problem, x));
  x[RESTART] = 40;
  assert_int_equal(gannet_problem_find_not_given(problem, x), -1);
  assert_int_equal(gannet_problem_find_ignored(problem, x, 0), -1);
  x[OMEGA] = 1; /* its resting value */
  assert_int_equal(gannet_problem_find_ignored(problem, x, 0), -1);
  x[OMEGA] = 1.5;
  assert_int_equal(gannet_problem_find_ignored(problem, x, 0), OMEGA);
  assert_int_equal(gannet_problem_find_ignored(problem, x, OMEGA + 1), -1);
  gannet_problem_destroy(&problem);
}

static void designs_are_settled_as_far_as_they_are_known(void **state) {
  (void)state;
  gannet_problem *problem = make_problem();
  double x[N] = {1.5, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  gannet_activity activity[N];
  gannet_conditional_settle(problem, x, activity);
  assert_int_equal(activity[OMEGA], GANNET_IS_OPEN);
  assert_int_equal(activity[TOL], GANNET_IS_ACTIVE);
  assert_true(isnan(x[RESTART]) && x[OMEGA] == 1.5);
  x[SOLVER] = 0;
  gannet_conditional_settle(problem, x, activity);
  assert_int_equal(activity[OMEGA], GANNET_IS_INACTIVE);
  assert_int_equal(activity[RESTART], GANNET_IS_INACTIVE);
  assert_true(x[OMEGA] == 1 && x[RESTART] == 103);
  double other[N] = {1.5, NAN, 1, NAN, NAN, NAN, NAN, NAN}; /* precond decides */
  gannet_conditional_settle(problem, other, activity);
  assert_int_equal(activity[OMEGA], GANNET_IS_OPEN);
  assert_int_equal(activity[PRECOND], GANNET_IS_ACTIVE);
  assert_int_equal(activity[DEEP], GANNET_IS_OPEN);
  gannet_problem_destroy(&problem);
}

/* Designs that leave open what decides are filled in so that what they give is active. */
static void designs_are_filled_in_where_they_are_active(void **state) {
  (void)state;
  gannet_problem *problem = make_problem();
  for (int constrained = 0; constrained < 2; ++constrained) {
    const char *const texts[] = {"restart + 10*omega <= 150", "tol >= 1e-5"};
    if (constrained) assert_ok(gannet_problem_set_variable_constraints(problem, 2, texts));
    for (uint64_t i = 0; i < 20; ++i) {
      const gannet_stream stream = {5, GANNET_FOR_TEST, 0, i};
      double x[N] = {1.5, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
      double y[N] = {0.5, 12, NAN, NAN, NAN, NAN, NAN, 128};
      assert_ok(gannet_allowed_fill(problem, stream, x));
      assert_true(x[OMEGA] == 1.5 && gannet_problem_is_active(problem, OMEGA, x));
      assert_ok(gannet_problem_check_point(problem, x));
      assert_ok(gannet_allowed_fill(problem, stream, y));
      assert_true(y[SOLVER] == 1 && y[PRECOND] == 2 && y[RESTART] == 12 && y[DEEP] == 1);
      assert_string_equal(active_at(problem, y), "orsptdsl");
      if (constrained) assert_true(x[TOL] >= 1e-5 * (1 - 1e-12) && y[TOL] >= 1e-5 * (1 - 1e-12));
    }
  }
  double never[N] = {NAN, 40,  NAN, NAN,
                     NAN, NAN, NAN, 64}; /* levels need deep, which needs others */
  assert_fails(GANNET_ERR_INPUT,
               "no design was found at which all variables that it gives are active",
               gannet_allowed_fill(problem, (gannet_stream){.purpose = GANNET_FOR_TEST}, never));
  gannet_problem_destroy(&problem);
}

/* A relation is not judged where a variable that it names is inactive. */
static void constraints_are_judged_where_they_have_a_meaning(void **state) {
  (void)state;
  gannet_problem *problem = make_problem();
  const char *const texts[] = {"restart <= 60", "omega + tol*100 = 1.25"};
  double unit[D], x[N];
  int seen[3] = {0};
  assert_ok(gannet_problem_set_variable_constraints(problem, 2, texts));
  assert_int_equal(problem->variable_constraints->n_dependent, 0);
  for (uint64_t i = 0; i < 500; ++i) {
    gannet_allowed_draw(problem, (gannet_stream){3, GANNET_FOR_TEST, 0, i}, unit);
    gannet_problem_decode(problem, unit, x);
    assert_true(gannet_problem_allows_values(problem, x));
    if (gannet_problem_is_active(problem, RESTART, x)) assert_true(x[RESTART] <= 60);
    if (gannet_problem_is_active(problem, OMEGA, x))
      assert_true(fabs(x[OMEGA] + x[TOL] * 100 - 1.25) <= 2e-9);
    seen[(int)x[SOLVER]] += 1;
  }
  for (int s = 0; s < 3; ++s)
    if (seen[s] < 25) fail_msg("solver %s: %d of 500 draws", solvers[s], seen[s]);
  double resting[N] = {NAN, NAN, 0, NAN, 1e-3, NAN, NAN, NAN};
  assert_ok(gannet_problem_complete(problem, resting)); /* restart rests at 103 */
  assert_ok(gannet_problem_check_allowed(problem, resting));
  double wrong[N] = {NAN, 61, 1, 0, 1e-3, NAN, NAN, NAN};
  assert_ok(gannet_problem_complete(problem, wrong));
  assert_fails(GANNET_ERR_INPUT, "restart <= 60", gannet_problem_check_allowed(problem, wrong));
  gannet_problem_destroy(&problem);
}

/* Three branches: 4, 3 * 2 and 1 designs. */
static const gannet_variable listed[] = {
    {.name = "solver", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 3, .values = solvers},
    {.name = "cells",
     .type = GANNET_VARIABLE_ORDINAL,
     .n_values = 4,
     .numbers = cells,
     .when = "solver == 'cg'"},
    {.name = "k",
     .type = GANNET_VARIABLE_INTEGER,
     .lower = 1,
     .upper = 3,
     .when = "solver == 'gmres'"},
    {.name = "fast", .type = GANNET_VARIABLE_BOOLEAN, .when = "k >= 1"},
};

static void designs_of_branches_are_counted_once(void **state) {
  (void)state;
  const gannet_problem_spec spec = {.n_variables = 4, .variables = listed};
  gannet_problem *problem = NULL;
  double unit[6], snapped[6], x[11][4];
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_true(gannet_problem_count_points(problem) == 11);
  for (int t = 0; t < 11; ++t) {
    gannet_problem_get_point(problem, t, unit);
    memcpy(snapped, unit, sizeof snapped);
    gannet_problem_snap(problem, 1, snapped);
    assert_memory_equal(unit, snapped, sizeof unit);
    gannet_problem_decode(problem, unit, x[t]);
    for (int s = 0; s < t; ++s) assert_true(memcmp(x[s], x[t], sizeof x[t]) != 0);
  }
  const char *const text[] = {"k <= 2", "cells > 16"};
  assert_ok(gannet_problem_set_variable_constraints(problem, 2, text));
  assert_true(gannet_problem_count_points(problem) == 3 + 4 + 1);
  gannet_problem_destroy(&problem);
}

/* Many raw combinations, few designs: 3 * 500, and too many to be listed. */
static void branches_with_many_values_are_listed(void **state) {
  (void)state;
  const double most[] = {500, 90000};
  const char *const when[] = {"solver == 'cg'", "solver == 'gmres'", "solver == 'sor'"};
  for (int i = 0; i < 2; ++i) {
    gannet_variable v[4] = {listed[0]};
    const char *const names[] = {"a", "b", "c"};
    for (int k = 0; k < 3; ++k)
      v[1 + k] = (gannet_variable){.name = names[k],
                                   .type = GANNET_VARIABLE_INTEGER,
                                   .lower = 1,
                                   .upper = most[i],
                                   .when = when[k]};
    const gannet_problem_spec spec = {.n_variables = 4, .variables = v};
    gannet_problem *problem = NULL;
    assert_ok(gannet_problem_create(&spec, &problem));
    assert_true(gannet_problem_count_points(problem) ==
                (i == 0 ? 3 * most[0] : 3 * most[1] * most[1] * most[1]));
    gannet_problem_destroy(&problem);
  }
}

static void rows_that_differ_in_what_is_inactive_are_one_candidate(void **state) {
  (void)state;
  const gannet_problem_spec spec = {.n_variables = 4, .variables = listed};
  gannet_problem *problem = NULL;
  const double rows[][4] = {{0, 16, 1, 1}, {0, 16, 3, 0}, {0, 16, NAN, NAN}, {1, NAN, 2, 1}};
  const double open[][4] = {{1, 16, NAN, 1}};
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_ok(gannet_problem_set_candidates(problem, MPI_COMM_SELF, 4, rows[0]));
  assert_true(gannet_problem_count_points(problem) == 2);
  assert_fails(GANNET_ERR_INPUT, "candidate 1: variable k: has no value, but is active",
               gannet_problem_set_candidates(problem, MPI_COMM_SELF, 1, open[0]));
  gannet_problem_destroy(&problem);
}

static void check_refused(gannet_variable changed, const char *expected) {
  gannet_variable v[] = {listed[0], listed[1], listed[2], listed[3], changed};
  const gannet_problem_spec spec = {.n_variables = 5, .variables = v};
  gannet_problem *problem = NULL;
  assert_fails(GANNET_ERR_INPUT, expected, gannet_problem_create(&spec, &problem));
  assert_null(problem);
}

static void nonsense_is_told(void **state) {
  (void)state;
  static const struct {
    const char *when, *expected;
  } cases[] = {
      {"solvr == 'cg'",
       "variable y: when: expression 'solvr == 'cg'': there is no variable 'solvr'; did you mean "
       "'solver'?"},
      {"solver == 'gmre'", "did you mean 'gmres'?"},
      {"solver", "'solver' compares nothing; expected a comparison as in solver == 'gmres'"},
      {"k + 1", "'k + 1' compares nothing"},
      {"solver < 'gmres'", "the values of solver have no order"},
      {"1 < 2", "'1 < 2' names no variable"},
      {"k > 1 and", "nothing stands beside 'and', 'or' or 'not'"},
      {"not", "nothing stands beside 'and', 'or' or 'not'"},
      {"k => 1", "'=>' is no operator; did you mean '>='?"},
      {"y > 0.5", "variable y: nothing decides whether it is active, for y needs y"},
      {"solver == 'cg' and k > 1", "is true at no design: it would never be active"},
      {"fast and k > 3", "is true at no design: it would never be active"},
      {"((((((((((((((((((((((((((((((((((k > 1))))))))))))))))))))))))))))))))))",
       "more than 32 brackets inside of each other"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    check_refused((gannet_variable){.name = "y", .upper = 1, .when = cases[i].when},
                  cases[i].expected);
  check_refused((gannet_variable){.name = "y",
                                  .role = GANNET_ROLE_DERIVED,
                                  .expression = "2*k",
                                  .when = "solver == 'gmres'"},
                "variable y: when is for variables that are chosen or fixed");
  const gannet_variable circle[] = {
      {.name = "a", .upper = 1, .when = "c > 1"},
      {.name = "b", .upper = 1, .when = "a > 0.5"},
      {.name = "c", .role = GANNET_ROLE_DERIVED, .expression = "2*b"},
      {.name = "free", .upper = 1},
  };
  const gannet_problem_spec spec = {.n_variables = 4, .variables = circle};
  gannet_problem *problem = NULL;
  assert_fails(GANNET_ERR_INPUT, "c needs b needs a needs c",
               gannet_problem_create(&spec, &problem));
}

/* A fixed variable may have a condition: it keeps its value, and a condition that its value makes
 * impossible is no error, for a resume may set it free again. */
static void fixed_variables_may_be_conditional(void **state) {
  (void)state;
  gannet_variable v[] = {listed[0], listed[2], {.name = "y", .upper = 1, .when = "k > 2"}};
  v[1].role = GANNET_ROLE_FIXED;
  v[1].fixed = 2;
  const gannet_problem_spec spec = {.n_variables = 3, .variables = v};
  gannet_problem *problem = NULL;
  double gmres[] = {1, NAN, NAN}, cg[] = {0, NAN, NAN};
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_ok(gannet_problem_complete(problem, gmres));
  assert_ok(gannet_problem_complete(problem, cg));
  assert_true(gmres[1] == 2 && cg[1] == 2);
  assert_true(gannet_problem_is_active(problem, 1, gmres));
  assert_false(gannet_problem_is_active(problem, 1, cg));
  assert_false(gannet_problem_is_active(problem, 2, gmres));
  gannet_problem_destroy(&problem);
}

static void warn(const char *when, const char *expected) {
  gannet_variable v[] = {
      listed[0], listed[2], {.name = "y", .upper = 1, .when = when}, {.name = "z", .upper = 1}};
  gannet_complaints complaints = {0};
  gannet_derived *derived = NULL;
  assert_ok(gannet_derived_create(4, v, NULL, &complaints, &derived));
  assert_ok(gannet_conditional_check(derived, 4, v, NULL, &complaints));
  assert_int_equal(complaints.count, 0);
  if (expected)
    assert_non_null(strstr(complaints.warnings, expected));
  else
    assert_null(complaints.warnings);
  gannet_derived_destroy(&derived, 4);
  gannet_complaints_release(&complaints);
}

static void conditions_that_are_hardly_ever_or_always_true_are_told(void **state) {
  (void)state;
  warn("solver != 'cg'", NULL);
  warn("z > 0.3", NULL);
  warn("solver != 'cg' or solver == 'cg'", "is true at every design: it changes nothing");
  warn("z >= 0", "is true at all designs that were tried: it changes nothing");
  warn("0.5 < z < 0.5000001", "is true at none of 4096 designs that were tried");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conditions_decide),
      cmocka_unit_test(what_is_inactive_rests),
      cmocka_unit_test(gradients_along_inactive_coordinates_are_zero),
      cmocka_unit_test(missing_values_are_found),
      cmocka_unit_test(designs_are_settled_as_far_as_they_are_known),
      cmocka_unit_test(designs_are_filled_in_where_they_are_active),
      cmocka_unit_test(constraints_are_judged_where_they_have_a_meaning),
      cmocka_unit_test(designs_of_branches_are_counted_once),
      cmocka_unit_test(branches_with_many_values_are_listed),
      cmocka_unit_test(rows_that_differ_in_what_is_inactive_are_one_candidate),
      cmocka_unit_test(nonsense_is_told),
      cmocka_unit_test(fixed_variables_may_be_conditional),
      cmocka_unit_test(conditions_that_are_hardly_ever_or_always_true_are_told),
  };
  MPI_Init(NULL, NULL);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  MPI_Finalize();
  return failed;
}
