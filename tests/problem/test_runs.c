/* test: serial labels unit */
/* Runs of one design: their means, the best design, and what stands for it. */
#include <math.h>
#include <string.h>

#include "support/harness.h"
#include "support/told.h"

#include "base/memory.h"
#include "base/option.h"
#include "problem/runs.h"

static const gannet_variable line[] = {{.name = "x", .lower = 0, .upper = 10}};
static const gannet_constraint bound[] = {{"heat", -INFINITY, 2}};

typedef struct {
  gannet_problem *problem;
  gannet_history *history;
} fixture;

static fixture make(int n_constraints, int replicates) {
  const gannet_problem_spec spec = {.n_variables = 1,
                                    .variables = line,
                                    .n_constraints = n_constraints,
                                    .constraints = bound,
                                    .noise_sd = NAN};
  fixture f = {0};
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_history_create(f.problem, &f.history));
  gannet_history_join_runs(f.history, replicates);
  return f;
}

static void drop(fixture *f) {
  gannet_history_destroy(&f->history);
  gannet_problem_destroy(&f->problem);
}

/* A row at x with a result; returns its id. */
static int64_t add(gannet_history *h, double x, double value, double heat) {
  int64_t id = 0;
  assert_ok(gannet_history_propose(h, &x, 0, GANNET_ORIGIN_METHOD, &id));
  assert_ok(tell_values(h, id, GANNET_EVAL_DONE, value, &heat, NULL));
  return id;
}

static void means_and_errors_are_those_of_the_runs(void **state) {
  fixture f = make(1, 3);
  gannet_runs runs;
  double mean = 0;
  int power = 1;
  (void)state;
  (void)add(f.history, 4, 1, 1);
  (void)add(f.history, 5, 10, 2.5);
  (void)add(f.history, 4, 2, 2);
  (void)add(f.history, 4, 6, 2.4);
  gannet_runs_find(f.history, 2, &mean, &runs);
  assert_int_equal(runs.n, 3);
  assert_int_equal(runs.n_asked, 3);
  assert_int_equal(runs.id, 0);
  assert_near(runs.objective, 3, 1e-15);
  assert_near(runs.error, sqrt(7.0 / 3), 1e-15); /* variance 14/2, over three runs */
  assert_near(mean, 1.8, 1e-15);
  assert_true(runs.violation == 0); /* though one run violates the bound */
  gannet_runs_find(f.history, 1, &mean, &runs);
  assert_near(runs.violation, 0.5, 1e-15);
  assert_true(isnan(runs.error));
  assert_near(gannet_runs_variance(f.history, 0, &power), 7, 1e-14);
  assert_int_equal(power, 0);
  assert_int_equal(gannet_runs_count_designs(f.history, true), 2);
  assert_true(gannet_runs_stands(f.history, 0) && gannet_runs_stands(f.history, 1));
  assert_false(gannet_runs_stands(f.history, 2) || gannet_runs_stands(f.history, 3));
  drop(&f);
}

/* Squares of these values, and of the last ones the differences, are no numbers. */
static void errors_of_huge_and_of_tiny_values_are_known(void **state) {
  static const double sizes[] = {1e200, 1e-200, 1e308};
  (void)state;
  for (int i = 0; i < 3; ++i) {
    const double size = sizes[i];
    fixture f = make(0, 2);
    gannet_runs runs;
    int power = 0;
    (void)add(f.history, 4, 1.5 * size, 0);
    (void)add(f.history, 4, -0.5 * size, 0);
    gannet_runs_find(f.history, 0, NULL, &runs);
    assert_near(runs.objective / size, 0.5, 1e-15);
    assert_near(runs.error / size, 1, 1e-15);
    const double variance = gannet_runs_variance(f.history, 0, &power);
    assert_near(ldexp(sqrt(variance), power) / size, sqrt(2), 1e-15);
    drop(&f);
  }
}

static void known_errors_weigh_the_runs(void **state) {
  fixture f = make(0, 2);
  const double x = 4;
  gannet_runs runs;
  (void)state;
  for (int i = 0; i < 2; ++i) {
    const gannet_reported item = {.name = (char *)"objective", .value = i, .sd = i ? 0.1 : 0.2};
    gannet_result_record result = {.id = i,
                                   .status = GANNET_EVAL_DONE,
                                   .objective = i,
                                   .run = gannet_run_unknown(),
                                   .reported = {.n = 1, .item = (gannet_reported *)&item}};
    assert_ok(gannet_history_propose(f.history, &x, 0, GANNET_ORIGIN_METHOD, NULL));
    assert_ok(gannet_history_tell(f.history, &result));
  }
  gannet_runs_find(f.history, 0, NULL, &runs);
  assert_near(runs.objective, 0.8, 1e-15); /* weights 25 and 100 */
  assert_near(runs.error, 1 / sqrt(125), 1e-15);
  drop(&f);
}

static void the_best_is_a_mean_of_several_runs(void **state) {
  fixture f = make(1, GANNET_AUTO);
  int64_t *ids = NULL, n = 0;
  char text[GANNET_RUNS_TEXT];
  (void)state;
  const int64_t lucky = add(f.history, 1, -5, 1);
  assert_int_equal(gannet_history_best(f.history), lucky); /* nothing was run twice yet */
  assert_int_equal(gannet_runs_least(f.history), 1);
  const int64_t good = add(f.history, 2, 3, 3);
  const int64_t other = add(f.history, 3, 2, 1);
  (void)add(f.history, 2, 1, 0.5);
  assert_int_equal(gannet_history_best(f.history), good);
  (void)add(f.history, 3, 4, 1);
  assert_int_equal(gannet_history_best(f.history), good); /* means 2 and 3 */
  (void)add(f.history, 2, 8, 1);
  assert_int_equal(gannet_history_best(f.history), other);
  const int64_t hot = add(f.history, 9, -9, 5);
  assert_int_equal(gannet_history_best(f.history), other);
  assert_ok(gannet_history_rank(f.history, &ids, &n));
  assert_int_equal(n, 4);
  const int64_t ranked[] = {other, good, lucky, hot};
  assert_memory_equal(ids, ranked, sizeof ranked);
  gannet_free(&ids);
  gannet_runs_list(f.history, other, text);
  assert_string_equal(text, "2 runs, evaluations 2, 4");
  gannet_runs_list(f.history, lucky, text);
  assert_string_equal(text, "evaluation 0");
  assert_near(gannet_runs_course(f.history, 0, 1), -5, 0);
  assert_true(isnan(gannet_runs_course(f.history, 0, gannet_runs_least(f.history))));
  assert_true(isnan(gannet_runs_course(f.history, hot, 1)));
  drop(&f);
}

static void the_least_violation_is_one_of_means(void **state) {
  fixture f = make(1, 2);
  (void)state;
  (void)add(f.history, 1, 0, 2.5);
  (void)add(f.history, 1, 0, 9);
  const int64_t better = add(f.history, 2, 0, 4);
  assert_int_equal(gannet_history_best(f.history), -1);
  assert_int_equal(gannet_history_least_violation(f.history), better);
  drop(&f);
}

static void rows_stay_apart_without_replicates(void **state) {
  fixture f = make(0, 1);
  gannet_runs runs;
  int power;
  (void)state;
  (void)add(f.history, 4, 3, NAN);
  (void)add(f.history, 4, 1, NAN);
  assert_int_equal(gannet_history_best(f.history), 1);
  assert_int_equal(gannet_runs_count_designs(f.history, false), 2);
  gannet_runs_find(f.history, 0, NULL, &runs);
  assert_int_equal(runs.n, 1);
  assert_near(runs.objective, 3, 0);
  assert_true(isnan(gannet_runs_variance(f.history, 0, &power)));
  gannet_history_join_runs(f.history, 2);
  assert_int_equal(gannet_runs_count_designs(f.history, false), 1);
  assert_int_equal(gannet_history_best(f.history), 0);
  drop(&f);
}

/* Discarded rows, those without results, and the same points once more after a clear. */
static void only_runs_that_count_count(void **state) {
  fixture f = make(0, 3), other = make(0, 1);
  const double x = 4;
  gannet_runs runs;
  (void)state;
  for (int i = 0; i < 5; ++i)
    assert_ok(gannet_history_propose(f.history, &x, 0, GANNET_ORIGIN_METHOD, NULL));
  assert_ok(tell_values(f.history, 0, GANNET_EVAL_DISCARDED, NAN, NULL, NULL));
  assert_ok(tell_values(f.history, 1, GANNET_EVAL_FAILED, NAN, NULL, NULL));
  assert_ok(tell_values(f.history, 3, GANNET_EVAL_DONE, 2, NULL, NULL));
  gannet_runs_find(f.history, 4, NULL, &runs);
  assert_int_equal(runs.n_asked, 4);
  assert_int_equal(runs.n, 1);
  assert_int_equal(runs.id, 3);
  assert_true(runs.is_waiting);
  assert_true(gannet_runs_stands(f.history, 3));
  gannet_history_exchange(f.history, other.history); /* each keeps its way */
  assert_int_equal(gannet_runs_count_designs(other.history, false), 4);
  gannet_history_exchange(f.history, other.history);
  gannet_history_clear(f.history);
  for (int i = 0; i < 2; ++i) (void)add(f.history, x, i, NAN);
  gannet_runs_find(f.history, 0, NULL, &runs);
  assert_int_equal(runs.n, 2);
  assert_near(runs.objective, 0.5, 0);
  drop(&f);
  drop(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(means_and_errors_are_those_of_the_runs),
      cmocka_unit_test(errors_of_huge_and_of_tiny_values_are_known),
      cmocka_unit_test(known_errors_weigh_the_runs),
      cmocka_unit_test(the_best_is_a_mean_of_several_runs),
      cmocka_unit_test(the_least_violation_is_one_of_means),
      cmocka_unit_test(rows_stay_apart_without_replicates),
      cmocka_unit_test(only_runs_that_count_count),
  };
  return run_serial(tests);
}
