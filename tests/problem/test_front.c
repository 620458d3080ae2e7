/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"
#include "support/told.h"

#include "problem/front.h"
#include "problem/objectives.h"

static const gannet_variable line[] = {{.name = "x", .lower = 0, .upper = 1}};
static const gannet_constraint limit[] = {{.name = "stress", .lower = -INFINITY, .upper = 10}};

typedef struct {
  gannet_problem *problem;
  gannet_history *history;
  gannet_front front;
} fixture;

static fixture make(double drag_threshold, double range_threshold) {
  const gannet_objective objectives[] = {
      {.name = "drag", .threshold = drag_threshold},
      {.name = "range", .goal = GANNET_MAXIMIZE, .threshold = range_threshold}};
  const gannet_problem_spec spec = {.n_variables = 1,
                                    .variables = line,
                                    .n_constraints = 1,
                                    .constraints = limit,
                                    .n_objectives = 2,
                                    .objectives = objectives};
  fixture f = {0};
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_history_create(f.problem, &f.history));
  return f;
}

static void drop(fixture *f) {
  gannet_front_release(&f->front);
  gannet_history_destroy(&f->history);
  gannet_problem_destroy(&f->problem);
}

static void tell(fixture *f, double x, double drag, double range, double stress) {
  const double values[] = {stress, range};
  int64_t id = 0;
  assert_ok(gannet_history_propose(f->history, &x, 0, GANNET_ORIGIN_METHOD, &id));
  assert_ok(tell_values(f->history, id, GANNET_EVAL_DONE, drag, values, NULL));
}

static void further_objectives_stand_behind_the_constraints(void **state) {
  fixture f = make(NAN, NAN);
  const gannet_problem_spec *spec = gannet_problem_get_spec(f.problem);
  gannet_problem *again = NULL;
  (void)state;
  assert_int_equal(gannet_problem_n_objectives(f.problem), 2);
  assert_int_equal(gannet_problem_n_bounded(f.problem), 1);
  assert_int_equal(spec->n_constraints, 2);
  assert_string_equal(spec->constraints[1].name, "range");
  assert_int_equal(gannet_problem_objective_quantity(f.problem, 1), 2);
  assert_int_equal(gannet_problem_quantity_objective(f.problem, 0), 0);
  assert_int_equal(gannet_problem_quantity_objective(f.problem, 1), -1);
  assert_int_equal(gannet_problem_quantity_objective(f.problem, 2), 1);
  /* A problem made from the specification of another one is the same. */
  assert_ok(gannet_problem_create(spec, &again));
  assert_int_equal(gannet_problem_get_spec(again)->n_constraints, 2);
  gannet_problem_destroy(&again);
  drop(&f);
}

static void a_front_is_of_feasible_designs_that_none_dominates(void **state) {
  fixture f = make(4, 0);
  (void)state;
  assert_ok(gannet_front_find(f.history, &f.front));
  assert_int_equal(f.front.n, 0);
  assert_near(f.front.hypervolume, 0, 0);
  tell(&f, 0.1, 1, 1, 5);
  tell(&f, 0.2, 3, 3, 5);
  tell(&f, 0.3, 3.5, 2.5, 5); /* dominated by the one before */
  tell(&f, 0.4, 0.5, 9, 11);  /* infeasible */
  tell(&f, 0.5, 2, NAN, 5);   /* incomplete */
  tell(&f, 0.6, 2, 2, 10);
  assert_ok(gannet_front_find(f.history, &f.front));
  assert_int_equal(f.front.n, 3);
  assert_int_equal(f.front.id[0], 0);
  assert_int_equal(f.front.id[1], 1);
  assert_int_equal(f.front.id[2], 5);
  assert_near(f.front.y[1], -1, 0); /* range is maximised */
  assert_near(f.front.reference[0], 4, 0);
  assert_near(f.front.reference[1], 0, 0);
  assert_false(f.front.is_chosen[0]);
  /* Steps of drag 1, 2, 3 up to 4, with heights 1, 2, 3. */
  assert_near(f.front.hypervolume, 1 + 2 + 3, 1e-15);
  int knee = 0;
  assert_ok(gannet_front_knee(&f.front, &knee));
  assert_in_range(knee, 0, 2);
  /* As it was before the last result came. */
  assert_ok(gannet_front_find_before(f.history, 5, f.front.reference, &f.front));
  assert_int_equal(f.front.n, 2);
  assert_near(f.front.hypervolume, 2 * 1 + 1 * 3, 1e-15);
  drop(&f);
}

static void the_reference_comes_from_the_front_without_thresholds(void **state) {
  fixture f = make(NAN, NAN);
  (void)state;
  assert_ok(gannet_front_find(f.history, &f.front));
  assert_true(isfinite(f.front.reference[0]) && isfinite(f.front.reference[1]));
  tell(&f, 0.1, 1, 10, 5);
  tell(&f, 0.2, 3, 30, 5);
  tell(&f, 0.3, 9, 1, 5);
  assert_ok(gannet_front_find(f.history, &f.front));
  assert_true(f.front.is_chosen[0] && f.front.is_chosen[1]);
  assert_near(f.front.reference[0], 3.2, 1e-12);
  assert_near(f.front.reference[1], -8, 1e-12);
  drop(&f);
}

static void fronts_of_one_value_and_of_huge_ones_are_measured(void **state) {
  static const double values[][2] = {{1e300, -1e300}, {-1e300, 1e-300}, {1e-300, 1e-300}};
  (void)state;
  for (int i = 0; i < 3; ++i) {
    fixture f = make(NAN, NAN);
    tell(&f, 0.1, values[i][0], values[i][1], 5);
    assert_ok(gannet_front_find(f.history, &f.front));
    assert_int_equal(f.front.n, 1);
    assert_true(f.front.reference[0] > f.front.y[0] && isfinite(f.front.reference[0]));
    tell(&f, 0.2, -values[i][0], -values[i][1], 5);
    tell(&f, 0.3, 1, 1, 5);
    assert_ok(gannet_front_find(f.history, &f.front));
    assert_true(f.front.n >= 1);
    assert_false(f.front.hypervolume < 0);
    drop(&f);
  }
}

static void specifications_that_cannot_be_are_refused(void **state) {
  const gannet_objective two[] = {{.name = "drag", .threshold = INFINITY}, {.name = "x"}};
  const gannet_objective same[] = {{.name = "drag"}, {.name = "drag", .noise_sd = -1}};
  const gannet_objective only[] = {{.name = "objective"}, {.name = "mass"}};
  gannet_problem_spec spec = {
      .n_variables = 1, .variables = line, .n_objectives = 2, .objectives = two};
  gannet_problem *problem = NULL;
  (void)state;
  assert_fails(GANNET_ERR_INPUT, "threshold = inf", gannet_problem_create(&spec, &problem));
  assert_fails(GANNET_ERR_INPUT, "'x' is used twice", gannet_problem_create(&spec, &problem));
  spec.objectives = same;
  assert_fails(GANNET_ERR_INPUT, "'drag' is used twice", gannet_problem_create(&spec, &problem));
  assert_fails(GANNET_ERR_INPUT, "noise = -1", gannet_problem_create(&spec, &problem));
  spec.objectives = only;
  assert_fails(GANNET_ERR_INPUT, "'objective' stands for the only one",
               gannet_problem_create(&spec, &problem));
  spec.objectives = NULL;
  assert_fails(GANNET_ERR_ARG, "null pointer", gannet_problem_create(&spec, &problem));
  spec.n_objectives = 10;
  assert_fails(GANNET_ERR_ARG, "expected 0 for a single one, or 2 to 5",
               gannet_problem_create(&spec, &problem));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(further_objectives_stand_behind_the_constraints),
      cmocka_unit_test(a_front_is_of_feasible_designs_that_none_dominates),
      cmocka_unit_test(the_reference_comes_from_the_front_without_thresholds),
      cmocka_unit_test(fronts_of_one_value_and_of_huge_ones_are_measured),
      cmocka_unit_test(specifications_that_cannot_be_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
