/* test: serial labels unit */
/* Designs that were tried elsewhere: outside the bounds, between steps, not in the list of values.
 * They keep their place, and are never the best. */
#include <math.h>
#include <string.h>

#include "problem/runs.h"
#include "support/harness.h"
#include "support/told.h"

#include "base/memory.h"
#include "gannet/gannet.h"
#include "problem/history.h"

static const char *const words[] = {"coarse", "fine"};
static const double numbers[] = {16, 32, 64};

static const gannet_variable variables[] = {
    {.name = "x", .lower = 2, .upper = 4},
    {.name = "rate", .lower = 1, .upper = 100, .scale = GANNET_SCALE_LOG},
    {.name = "span", .lower = 0, .upper = 1, .step = 0.25},
    {.name = "n", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 9, .step = 2},
    {.name = "cells", .type = GANNET_VARIABLE_ORDINAL, .n_values = 3, .numbers = numbers},
    {.name = "mesh", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 2, .values = words},
    {.name = "on", .type = GANNET_VARIABLE_BOOLEAN},
    {.name = "rho", .role = GANNET_ROLE_FIXED, .fixed = 1.5},
};
enum { X, RATE, SPAN, N, CELLS, MESH, ON, RHO, N_VARIABLES };

static const double inside[N_VARIABLES] = {3, 10, 0.5, 3, 32, 1, 1, 1.5};

static gannet_problem *make_problem(void) {
  static const gannet_constraint limit[] = {{"stress", -INFINITY, 110}};
  const gannet_problem_spec spec = {
      .n_variables = N_VARIABLES, .variables = variables, .n_constraints = 1, .constraints = limit};
  gannet_problem *problem = NULL;
  assert_ok(gannet_problem_create(&spec, &problem));
  return problem;
}

static void what_cannot_be_is_refused(void **state) {
  static const struct {
    int variable;
    double value;
    const char *says;
  } bad[] = {
      {X, NAN, "variable x: nan, expected a finite number"},
      {X, 2.1e6, "variable x: 2.1e+06 is further outside [2, 4] than a million times its width"},
      {RATE, 0, "variable rate: 0 has no place on a logarithmic scale; expected a number above 0"},
      {RATE, -3, "variable rate: -3 has no place on a logarithmic scale"},
      {N, 2.5, "variable n: 2.5 is not a whole number"},
      {CELLS, INFINITY, "variable cells: inf, expected a finite number"},
      {MESH, 2, "variable mesh: 2 is not a position of one of its values; expected 0 to 2 - 1"},
      {ON, 2, "variable on: 2 is neither 0 nor 1, as expected"},
      {RHO, 2, "variable rho: 2, but its value is fixed to 1.5; leave it out"},
  };
  (void)state;
  gannet_problem *problem = make_problem();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    assert_fails(GANNET_ERR_INPUT, bad[i].says,
                 gannet_problem_check_tried(problem, bad[i].variable, bad[i].value));
  static const double good[][2] = {{X, -3},      {X, 1e6},  {RATE, 1e-9}, {RATE, 1e9}, {SPAN, 0.3},
                                   {SPAN, 1.1},  {N, -4},   {N, 4},       {N, 100},    {CELLS, 20},
                                   {CELLS, 128}, {MESH, 1}, {ON, 0},      {RHO, 1.5}};
  for (size_t i = 0; i < sizeof good / sizeof *good; ++i)
    assert_ok(gannet_problem_check_tried(problem, (int)good[i][0], good[i][1]));
  gannet_problem_destroy(&problem);
}

/* Coordinates go on beyond the cube; those of allowed designs have the bits that they always have.
 */
static void coordinates_go_on(void **state) {
  (void)state;
  gannet_problem *problem = make_problem();
  double own[16], anywhere[16];
  gannet_problem_encode(problem, inside, own);
  gannet_problem_encode_anywhere(problem, inside, anywhere);
  assert_memory_equal(own, anywhere, (size_t)problem->d * sizeof *own);
  const double far[N_VARIABLES] = {8, 1e4, 0.3, -7, 128, 0, 0, 1.5};
  gannet_problem_encode_anywhere(problem, far, anywhere);
  assert_true(anywhere[problem->first[X]] == 3);
  assert_near(anywhere[problem->first[RATE]], 2, 1e-14);
  assert_near(anywhere[problem->first[SPAN]], 0.3, 1e-14);
  assert_true(anywhere[problem->first[N]] == -1);
  assert_near(anywhere[problem->first[CELLS]], 112.0 / 48, 1e-14);
  assert_true(anywhere[problem->first[MESH]] == 1 && anywhere[problem->first[MESH] + 1] == 0);
  gannet_problem_destroy(&problem);
}

static void they_are_never_the_best(void **state) {
  static const double low[] = {100}, high[] = {120};
  (void)state;
  gannet_problem *problem = make_problem();
  gannet_history *h = NULL;
  double between[N_VARIABLES];
  int64_t id = 0, *ids = NULL, n = 0;
  memcpy(between, inside, sizeof between);
  between[SPAN] = 0.3;
  assert_ok(gannet_history_create(problem, &h));
  assert_fails(GANNET_ERR_INPUT, "variable span: 0.3 is not 0 plus a multiple of the step 0.25",
               gannet_history_propose(h, between, 0, GANNET_ORIGIN_METHOD, NULL));
  assert_ok(gannet_history_enter(h, between, 0, GANNET_ORIGIN_IMPORT, &id));
  assert_ok(tell_values(h, id, GANNET_EVAL_DONE, -7, low, NULL));
  assert_true(gannet_history_get(h, id)->elsewhere && !gannet_history_is_feasible(h, id));
  assert_int_equal(gannet_history_best(h), -1);
  assert_int_equal(gannet_history_least_violation(h), -1);
  assert_int_equal(gannet_history_count_feasible(h), 0);
  assert_int_equal(gannet_history_count_elsewhere(h), 1);
  assert_int_equal(gannet_history_count_done(h), 1);
  assert_ok(gannet_history_enter(h, inside, 0, GANNET_ORIGIN_IMPORT, &id));
  assert_ok(tell_values(h, id, GANNET_EVAL_DONE, 5, high, NULL));
  assert_int_equal(gannet_history_least_violation(h), 1);
  assert_ok(gannet_history_enter(h, inside, 0, GANNET_ORIGIN_IMPORT, &id));
  assert_ok(tell_values(h, id, GANNET_EVAL_DONE, 6, low, NULL));
  assert_int_equal(gannet_history_best(h), 2);
  assert_int_equal(gannet_history_count_feasible(h), 1);
  assert_ok(gannet_history_rank(h, &ids, &n));
  assert_true(n == 2 && ids[0] == 2 && ids[1] == 1);
  gannet_free(&ids);
  gannet_history_clear(h);
  assert_int_equal(gannet_history_count_elsewhere(h), 0);
  gannet_history_destroy(&h);
  gannet_problem_destroy(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_cannot_be_is_refused),
      cmocka_unit_test(coordinates_go_on),
      cmocka_unit_test(they_are_never_the_best),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
