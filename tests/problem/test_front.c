/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"
#include "support/told.h"

#include "base/memory.h"
#include "problem/front.h"
#include "problem/objectives.h"
#include "problem/penalty.h"
#include "problem/runs.h"

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

static void measure(fixture *f) {
  assert_ok(gannet_front_find(f->history, &f->front));
  assert_true(isnan(f->front.hypervolume) && isnan(f->front.log_hypervolume));
  assert_ok(gannet_front_measure(&f->front));
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
  measure(&f);
  assert_int_equal(f.front.n, 0);
  assert_near(f.front.hypervolume, 0, 0);
  tell(&f, 0.1, 1, 1, 5);
  tell(&f, 0.2, 3, 3, 5);
  tell(&f, 0.3, 3.5, 2.5, 5); /* dominated by the one before */
  tell(&f, 0.4, 0.5, 9, 11);  /* infeasible */
  tell(&f, 0.5, 2, NAN, 5);   /* incomplete */
  tell(&f, 0.6, 2, 2, 10);
  measure(&f);
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
  assert_ok(gannet_front_measure(&f.front));
  assert_int_equal(f.front.n, 2);
  assert_near(f.front.hypervolume, 2 * 1 + 1 * 3, 1e-15);
  drop(&f);
}

static void hypervolumes_beyond_numbers_have_logarithms(void **state) {
  char text[GANNET_HYPERVOLUME_TEXT];
  double value = 0;
  fixture f = make(1e300, -1e300);
  (void)state;
  tell(&f, 0.1, 0, 1e300, 5);
  measure(&f);
  assert_true(isnan(f.front.hypervolume));
  assert_near(f.front.log_hypervolume, log(2) + 600 * log(10), 1e-9);
  gannet_hypervolume_format(f.front.hypervolume, f.front.log_hypervolume, 4, text);
  assert_string_equal(text, "2e+600");
  tell(&f, 0.2, 0, 1e300, 5);
  assert_false(gannet_history_is_objective_constant(f.history, 0, &value));
  tell(&f, 0.3, 0, 2e300, 5);
  assert_true(gannet_history_is_objective_constant(f.history, 0, &value));
  assert_near(value, 0, 0);
  assert_false(gannet_history_is_objective_constant(f.history, 1, &value));
  drop(&f);
  f = make(4, 0);
  tell(&f, 0.1, 5, 1, 5);
  measure(&f);
  assert_int_equal(f.front.n, 1);
  assert_true(isinf(f.front.log_hypervolume) && f.front.log_hypervolume < 0);
  gannet_hypervolume_format(0, f.front.log_hypervolume, 4, text);
  assert_string_equal(text, "0");
  gannet_hypervolume_format(2.5, log(2.5), 4, text);
  assert_string_equal(text, "2.5");
  drop(&f);
}

static void hypervolumes_are_rounded_up_to_the_next_power(void **state) {
  char text[GANNET_HYPERVOLUME_TEXT];
  (void)state;
  gannet_hypervolume_format(NAN, 598 * log(10) - 1e-9, 6, text);
  assert_string_equal(text, "1e+598");
  gannet_hypervolume_format(0, -598 * log(10) - 1e-9, 6, text);
  assert_string_equal(text, "1e-598");
  gannet_hypervolume_format(NAN, log(5.4) + 598 * log(10), 6, text);
  assert_string_equal(text, "5.4e+598");
  gannet_hypervolume_format(NAN, log(5.4) + 598 * log(10), 17, text);
  assert_string_equal(text, "5.4e+598");
}

/* The margin of the reference is a tenth of a value, however large that is. */
static void the_reference_of_a_huge_front_has_its_margin(void **state) {
  static const double sizes[] = {5.4, 5.4e300, 1.2e308};
  (void)state;
  for (int i = 0; i < 3; ++i) {
    fixture f = make(NAN, NAN);
    tell(&f, 0.1, sizes[i], -sizes[i], 5);
    tell(&f, 0.2, sizes[i], -sizes[i], 5);
    measure(&f);
    assert_near(f.front.reference[0] / sizes[i], 1.1, 1e-12);
    assert_near(f.front.log_hypervolume, 2 * log(0.1) + 2 * log(sizes[i]), 1e-9);
    assert_near(gannet_front_in_ranges(&f.front, 0, f.front.reference[0]), 0.1, 1e-12);
    assert_near(gannet_front_in_ranges(&f.front, 1, -sizes[i]), -2, 1e-12);
    drop(&f);
  }
  fixture f = make(NAN, NAN);
  tell(&f, 0.1, -1.7e308, 1, 5);
  tell(&f, 0.2, 1.7e308, 2, 5);
  measure(&f);
  assert_true(isfinite(f.front.range[0]) && f.front.reference[0] > 1.7e308);
  assert_near(gannet_front_in_ranges(&f.front, 0, 0), 1.7e308 / f.front.range[0], 1e-12);
  assert_true(f.front.log_hypervolume > 700 && isfinite(f.front.log_hypervolume));
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
    measure(&f);
    assert_true(f.front.n >= 1);
    assert_false(f.front.hypervolume < 0);
    drop(&f);
  }
}

/* Designs at which the simulation gives up report drag 1e10, and a range that no other has. */
static void a_penalty_is_on_no_front(void **state) {
  fixture f = make(NAN, NAN), other = make(NAN, NAN);
  int64_t count = 0, *ids = NULL;
  (void)state;
  for (int i = 0; i < 3; ++i) {
    const double x = 0.1 * i;
    tell(&f, x, 1 + x, 2 + 3 * x, 5);
    tell(&other, x, 1 + x, 2 + 3 * x, 5);
    assert_false(gannet_history_has_penalties(f.history));
    tell(&f, x + 0.5, 1e10, 100, 5);
  }
  tell(&f, 0.9, 1e10, 100, 11); /* which the stress explains */
  assert_true(gannet_history_has_penalties(f.history));
  assert_true(gannet_history_penalty(f.history, 0, &count) == 1e10);
  assert_int_equal(count, 4);
  assert_true(gannet_history_penalty(f.history, 1, &count) == INFINITY);
  assert_int_equal(gannet_history_count_observations(f.history), 3);
  assert_true(gannet_history_is_bad(f.history, 1) && !gannet_history_is_sound(f.history, 1));
  assert_true(gannet_history_is_sound(f.history, 6) && !gannet_history_is_bad(f.history, 6));
  measure(&f);
  measure(&other);
  assert_int_equal(f.front.n, 3);
  assert_memory_equal(f.front.y, other.front.y, 6 * sizeof(double));
  assert_memory_equal(f.front.reference, other.front.reference, 2 * sizeof(double));
  assert_true(f.front.hypervolume == other.front.hypervolume);
  assert_int_equal(gannet_history_best(f.history), 0);
  assert_ok(gannet_history_rank(f.history, &ids, &count)); /* behind all others */
  assert_int_equal(count, 7);
  for (int i = 0; i < 3; ++i) assert_int_equal(ids[i], 2 * i);
  gannet_free(&ids);
  tell(&f, 0.95, 1e9, 0, 5); /* what lies between ends it */
  assert_false(gannet_history_has_penalties(f.history));
  drop(&f);
  drop(&other);
}

/* Six designs that work, and after each one that does not, whose drag and range grow worse with x
 * by the given steps. */
static void tell_growing(fixture *f, double drag_step, double range_step, double stress) {
  for (int i = 0; i < 6; ++i) {
    const double x = 0.1 * i;
    tell(f, x, 1 + x, 2 + 3 * x, stress);
    tell(f, x + 0.05, 1 + x + drag_step * (1 + x), 2 - x - range_step * (1 + x), 5);
  }
}

/* Penalties that grow, as 1e6 (1 + violation), are told where all objectives have them, as no front
 * reaches across then. */
static void growing_penalties_of_all_objectives_are_told(void **state) {
  int64_t count = 0;
  (void)state;
  fixture f = make(NAN, NAN), one = make(NAN, NAN), infeasible = make(NAN, NAN);
  tell_growing(&f, 1e6, 1e5, 5);
  assert_true(gannet_history_has_penalties(f.history));
  for (int64_t id = 0; id < 12; ++id)
    assert_true(gannet_history_is_penalty(f.history, id) == (id % 2 == 1));
  (void)gannet_history_penalty(f.history, 1, &count);
  assert_int_equal(count, 6);
  assert_int_equal(gannet_history_count_observations(f.history), 6);
  assert_ok(gannet_front_find(f.history, &f.front));
  assert_true(f.front.reference[1] > -6 && f.front.n == 6);
  tell(&f, 0.72, 2e6, 3, 5); /* a design whose range is good: a front reaches across */
  assert_false(gannet_history_has_penalties(f.history));
  tell_growing(&one, 1e6, 0, 5);
  assert_false(gannet_history_has_penalties(one.history));
  tell_growing(&infeasible, 1e6, 1e5, 11); /* what is not feasible dominates nothing */
  assert_false(gannet_history_has_penalties(infeasible.history));
  drop(&f);
  drop(&one);
  drop(&infeasible);
}

/* Of one objective there are many values before the first of the other. */
static void gaps_of_objectives_are_found_by_their_own_values(void **state) {
  (void)state;
  fixture f = make(NAN, NAN);
  for (int i = 0; i < 2 * GANNET_GAP_RESULTS; ++i) {
    const double x = 0.5 * i / GANNET_GAP_RESULTS;
    tell(&f, x, i % 2 ? 1e6 * (1 + x) : 1 + x, NAN, 5);
  }
  assert_false(gannet_history_has_penalties(f.history));
  tell_growing(&f, 1e6, 1e5, 5);
  assert_true(gannet_history_has_penalties(f.history));
  tell(&f, 0.61, 1.5, 2.5, 5);
  assert_true(gannet_history_has_penalties(f.history));
  tell(&f, 0.72, 1.2e6, 3, 5); /* a front reaches across, whatever is told later */
  assert_false(gannet_history_has_penalties(f.history));
  tell(&f, 0.62, 1.6, 2.6, 5);
  assert_false(gannet_history_has_penalties(f.history));
  drop(&f);
}

static void an_objective_keeps_its_penalties_on_demand(void **state) {
  const gannet_objective objectives[] = {{.name = "drag", .threshold = NAN, .keeps_penalties = 1},
                                         {.name = "range", .threshold = NAN}};
  const gannet_problem_spec spec = {
      .n_variables = 1, .variables = line, .n_objectives = 2, .objectives = objectives};
  fixture f = {0};
  (void)state;
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_history_create(f.problem, &f.history));
  for (int i = 0; i < 8; ++i) {
    const double x = 0.1 * i, range = 3 - x;
    int64_t id = 0;
    assert_ok(gannet_history_propose(f.history, &x, 0, GANNET_ORIGIN_METHOD, &id));
    assert_ok(tell_values(f.history, id, GANNET_EVAL_DONE, i % 2 ? 1e10 : x, &range, NULL));
  }
  assert_false(gannet_history_has_penalties(f.history));
  assert_ok(gannet_front_find(f.history, &f.front));
  assert_int_equal(f.front.n, 5); /* the last penalty has the least range */
  drop(&f);
}

static void specifications_that_cannot_be_are_refused(void **state) {
  const gannet_objective two[] = {{.name = "drag", .threshold = INFINITY}, {.name = "x"}};
  const gannet_objective same[] = {{.name = "drag"}, {.name = "drag", .noise_sd = -1}};
  const gannet_objective odd[] = {{.name = "drag", .transform = (gannet_objective_transform)3},
                                  {.name = "mass", .keeps_penalties = 2}};
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
  spec.objectives = odd;
  assert_fails(GANNET_ERR_INPUT, "objective drag: transform = 3: expected auto, none or log",
               gannet_problem_create(&spec, &problem));
  assert_fails(GANNET_ERR_INPUT, "objective mass: keeps_penalties = 2: expected 0 or 1",
               gannet_problem_create(&spec, &problem));
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
      cmocka_unit_test(hypervolumes_beyond_numbers_have_logarithms),
      cmocka_unit_test(hypervolumes_are_rounded_up_to_the_next_power),
      cmocka_unit_test(the_reference_of_a_huge_front_has_its_margin),
      cmocka_unit_test(the_reference_comes_from_the_front_without_thresholds),
      cmocka_unit_test(fronts_of_one_value_and_of_huge_ones_are_measured),
      cmocka_unit_test(a_penalty_is_on_no_front),
      cmocka_unit_test(growing_penalties_of_all_objectives_are_told),
      cmocka_unit_test(gaps_of_objectives_are_found_by_their_own_values),
      cmocka_unit_test(an_objective_keeps_its_penalties_on_demand),
      cmocka_unit_test(specifications_that_cannot_be_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
