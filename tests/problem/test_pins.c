/* test: serial labels unit */
/* Variables that are pinned, and words that are retired: dimensions of the models, whose other
 * values no proposal has. */
#include "problem/history.h"
#include "problem/runs.h"
#include "problem/variable_constraints.h"

#include <math.h>
#include <string.h>

#include "problem/conditional.h"
#include "support/harness.h"

enum { X, Y, N, VENT, SOLVER, CELLS, MESH, RESTART, AREA, VARIABLES, DRAWS = 500 };

static const char *const solvers[] = {"cg", "gmres", "lu"};
static const char *const meshes[] = {"coarse", "medium", "fine"};
static const double cells[] = {16, 32, 64};

static gannet_problem *create_problem(void) {
  static const gannet_variable variables[VARIABLES] = {
      [X] = {.name = "x", .lower = -5, .upper = 10},
      [Y] = {.name = "y", .lower = 1e-3, .upper = 7, .scale = GANNET_SCALE_LOG},
      [N] = {.name = "n", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 500},
      [VENT] = {.name = "vent", .type = GANNET_VARIABLE_BOOLEAN},
      [SOLVER] = {.name = "solver",
                  .type = GANNET_VARIABLE_CATEGORICAL,
                  .n_values = 3,
                  .values = solvers},
      [CELLS] = {.name = "cells", .type = GANNET_VARIABLE_ORDINAL, .n_values = 3, .numbers = cells},
      [MESH] = {.name = "mesh", .type = GANNET_VARIABLE_ORDINAL, .n_values = 3, .values = meshes},
      [RESTART] = {.name = "restart",
                   .type = GANNET_VARIABLE_INTEGER,
                   .lower = 5,
                   .upper = 200,
                   .when = "solver == 'gmres'"},
      [AREA] = {.name = "area", .role = GANNET_ROLE_DERIVED, .expression = "x*y"}};
  const gannet_problem_spec spec = {
      .n_variables = VARIABLES, .variables = variables, .noise_sd = NAN};
  gannet_problem *problem = NULL;
  assert_ok(gannet_problem_create(&spec, &problem));
  return problem;
}

/* Draw points, and let a predicate judge each as the simulation reads it. */
static void check_draws(const gannet_problem *problem, bool (*holds)(const double *x)) {
  double unit[32], x[VARIABLES];
  for (int i = 0; i < DRAWS; ++i) {
    const gannet_stream stream = {7, GANNET_FOR_TEST, 0, (uint64_t)i};
    gannet_allowed_draw(problem, stream, unit);
    assert_true(gannet_problem_allows(problem, unit));
    gannet_problem_decode(problem, unit, x);
    if (!holds(x)) fail_msg("draw %d has another value", i);
  }
}

static bool is_pinned(const double *x) {
  const bool is_active = x[SOLVER] == 1;
  return x[X] == 0.1 && x[N] == 17 && x[VENT] == 1 && x[CELLS] == 32 && x[MESH] == 2 &&
         x[AREA] == 0.1 * x[Y] && (!is_active || x[RESTART] == 30);
}

/* Values of every type are met in every bit, and of a conditional variable where it is active. */
static void every_type_is_pinned(void **state) {
  (void)state;
  gannet_problem *problem = create_problem();
  const double pins[] = {0.1, NAN, 17, 1, NAN, 32, 2, 30};
  for (int v = 0; v <= RESTART; ++v)
    if (!isnan(pins[v])) assert_ok(gannet_problem_pin(problem, v, pins[v]));
  assert_ok(gannet_variable_constraints_set(problem, 0, NULL, NULL));
  check_draws(problem, is_pinned);
  double x[VARIABLES], value = 0;
  for (int v = 0; v < VARIABLES; ++v) x[v] = NAN;
  x[SOLVER] = 0;
  gannet_problem_fill_pins(problem, x);
  assert_true(x[X] == 0.1 && isnan(x[Y]) && x[MESH] == 2 && isnan(x[RESTART]));
  assert_true(gannet_problem_is_fixed(problem, MESH, &value) && value == 2);
  assert_false(gannet_problem_is_fixed(problem, Y, &value));
  gannet_problem_destroy(&problem);
}

static bool is_a_real(const double *x) {
  return x[Y] == 0.3;
}

/* 0.3 on a logarithmic scale is found again but for rounding. */
static void a_logarithmic_variable_is_pinned(void **state) {
  (void)state;
  gannet_problem *problem = create_problem();
  assert_ok(gannet_problem_pin(problem, Y, 0.3));
  assert_ok(gannet_variable_constraints_set(problem, 0, NULL, NULL));
  check_draws(problem, is_a_real);
  gannet_problem_destroy(&problem);
}

static bool is_left(const double *x) {
  return x[SOLVER] != 0 && x[MESH] != 1 && x[X] == 2 && x[X] + x[N] <= 40;
}

/* Together with a constraint that names a pinned variable; all words that are left are drawn. */
static void words_are_retired(void **state) {
  (void)state;
  static const char *const text = "x + n <= 40";
  gannet_problem *problem = create_problem();
  double unit[32], x[VARIABLES];
  bool is_drawn[3][3] = {{0}};
  assert_ok(gannet_problem_retire(problem, SOLVER, 0));
  assert_ok(gannet_problem_retire(problem, MESH, 1));
  assert_ok(gannet_problem_pin(problem, X, 2));
  assert_ok(gannet_variable_constraints_set(problem, 1, &text, NULL));
  check_draws(problem, is_left);
  for (int i = 0; i < DRAWS; ++i) {
    gannet_allowed_draw(problem, (gannet_stream){3, GANNET_FOR_TEST, 0, (uint64_t)i}, unit);
    gannet_problem_decode(problem, unit, x);
    is_drawn[(int)x[SOLVER]][(int)x[MESH]] = true;
  }
  assert_true(is_drawn[1][0] && is_drawn[1][2] && is_drawn[2][0] && is_drawn[2][2]);
  gannet_problem_destroy(&problem);
}

/* A linear equation in which a pinned variable occurs gives another variable exactly. */
static void an_equation_has_a_pinned_variable(void **state) {
  (void)state;
  static const char *const names[] = {"a", "b", "c"}, *const text = "a + b + c = 1";
  gannet_variable variables[3];
  for (int i = 0; i < 3; ++i)
    variables[i] = (gannet_variable){.name = names[i], .lower = 0, .upper = 1};
  const gannet_problem_spec spec = {.n_variables = 3, .variables = variables, .noise_sd = NAN};
  gannet_problem *problem = NULL;
  double unit[3], x[3], gradient[3] = {1, 1, 1}, values[8], slopes[24];
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_ok(gannet_problem_pin(problem, 0, 0.2));
  assert_ok(gannet_variable_constraints_set(problem, 1, &text, NULL));
  assert_true(gannet_allowed_depends(problem, 0));
  assert_int_equal(gannet_allowed_depends(problem, 1) + gannet_allowed_depends(problem, 2), 1);
  assert_int_equal(gannet_allowed_count_rows(problem), 2); /* the other one stays within bounds */
  for (int i = 0; i < DRAWS; ++i) {
    gannet_allowed_draw(problem, (gannet_stream){3, GANNET_FOR_TEST, 0, (uint64_t)i}, unit);
    gannet_problem_decode(problem, unit, x);
    assert_true(x[0] == 0.2 && fabs(x[0] + x[1] + x[2] - 1) < 1e-12);
  }
  gannet_allowed_rows(problem, unit, values, slopes);
  assert_true(slopes[0] == 0 && slopes[3] == 0);
  gannet_allowed_pull_back(problem, unit, gradient);
  for (int i = 0; i < 3; ++i) assert_true(fabs(gradient[i]) < 1e-12); /* b and c cancel */
  gannet_problem_destroy(&problem);
}

/* Rows with other values are learnt from, and are not the best. */
static void other_values_are_elsewhere(void **state) {
  (void)state;
  gannet_problem *problem = create_problem();
  gannet_history *history = NULL;
  double x[VARIABLES] = {0.1, 1, 17, 1, 2, 32, 2, 102, 0.1};
  double best[VARIABLES];
  memcpy(best, x, sizeof best);
  assert_ok(gannet_problem_pin(problem, X, 0.1));
  assert_ok(gannet_problem_retire(problem, SOLVER, 0));
  assert_ok(gannet_variable_constraints_set(problem, 0, NULL, NULL));
  assert_ok(gannet_history_create(problem, &history));
  for (int i = 0; i < 3; ++i) {
    memcpy(x, best, sizeof x);
    if (i == 0) x[X] = 0.5;
    if (i == 1) x[SOLVER] = 0;
    gannet_problem_derive(problem, x);
    assert_ok(gannet_history_enter(history, x, 0, GANNET_ORIGIN_USER, NULL));
    const gannet_result_record result = {
        .id = i, .status = GANNET_EVAL_DONE, .objective = i, .run = gannet_run_unknown()};
    assert_ok(gannet_history_tell(history, &result));
    assert_int_equal(gannet_history_get(history, i)->elsewhere, i < 2);
  }
  assert_int_equal(gannet_history_best(history), 2);
  x[X] = 0.5;
  assert_fails(GANNET_ERR_INPUT, "the design has x = 0.5, but the variable is fixed at 0.1",
               gannet_problem_check_allowed(problem, x));
  x[X] = 0.1;
  x[SOLVER] = 0;
  assert_fails(GANNET_ERR_INPUT, "the design has solver = cg, a value that no proposal has",
               gannet_problem_check_allowed(problem, x));
  gannet_history_destroy(&history);
  gannet_problem_destroy(&problem);
}

/* Designs that leave variables open get what is pinned, and no retired word. */
static void designs_are_filled_in(void **state) {
  (void)state;
  gannet_problem *problem = create_problem();
  assert_ok(gannet_problem_pin(problem, N, 17));
  assert_ok(gannet_problem_pin(problem, RESTART, 30));
  assert_ok(gannet_problem_retire(problem, SOLVER, 2));
  assert_ok(gannet_variable_constraints_set(problem, 0, NULL, NULL));
  for (int i = 0; i < 20; ++i) {
    double x[VARIABLES];
    for (int v = 0; v < VARIABLES; ++v) x[v] = NAN;
    x[X] = 1.5;
    if (i % 2) x[RESTART] = 30;
    assert_ok(gannet_allowed_fill(problem, (gannet_stream){5, GANNET_FOR_TEST, 0, (uint64_t)i}, x));
    assert_true(x[X] == 1.5 && x[N] == 17 && x[SOLVER] != 2 && x[AREA] == x[X] * x[Y]);
    if (x[SOLVER] == 1) assert_true(x[RESTART] == 30);
    if (i % 2) assert_true(x[SOLVER] == 1);
  }
  gannet_problem_destroy(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_type_is_pinned),
      cmocka_unit_test(a_logarithmic_variable_is_pinned),
      cmocka_unit_test(words_are_retired),
      cmocka_unit_test(an_equation_has_a_pinned_variable),
      cmocka_unit_test(other_values_are_elsewhere),
      cmocka_unit_test(designs_are_filled_in),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
