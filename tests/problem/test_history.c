/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "problem/runs.h"
#include "support/harness.h"
#include "support/told.h"

#include "base/memory.h"
#include "base/random.h"
#include "problem/history.h"
#include "problem/sample.h"

static const double x0[6] = {0, 1e-4, 8, 10, 1, 1};
static const double feasible[3] = {100, 3, 2};

typedef struct {
  gannet_problem *problem;
  gannet_history *history;
} fixture;

static int make(void **state) {
  static fixture f;
  assert_ok(gannet_problem_create(&sample_spec, &f.problem));
  assert_ok(gannet_history_create(f.problem, &f.history));
  *state = &f;
  return 0;
}

static int drop(void **state) {
  fixture *f = *state;
  gannet_history_destroy(&f->history);
  gannet_problem_destroy(&f->problem);
  return 0;
}

static void propose(gannet_history *h, int n) {
  for (int i = 0; i < n; ++i)
    assert_ok(gannet_history_propose(h, x0, i, GANNET_ORIGIN_METHOD, NULL));
}

static void results_are_kept_in_order_of_arrival(void **state) {
  gannet_history *h = ((fixture *)*state)->history;
  propose(h, 3);
  assert_ok(tell_values(h, 2, GANNET_EVAL_DONE, 1, feasible, NULL));
  assert_ok(tell_values(h, 0, GANNET_EVAL_CANNOT_RUN, NAN, NULL, NULL));
  assert_int_equal(gannet_history_count(h), 3);
  assert_int_equal(gannet_history_count_told(h), 2);
  assert_int_equal(gannet_history_count_done(h), 1);
  assert_int_equal(gannet_history_order(h)[0], 2);
  assert_int_equal(gannet_history_order(h)[1], 0);
  assert_true(isnan(gannet_history_get(h, 1)->objective));
}

static void words_of_earlier_versions_are_read(void **state) {
  gannet_eval_status status = GANNET_EVAL_PENDING;
  (void)state;
  for (int i = 0; i < GANNET_EVAL_STATUS_COUNT; ++i) {
    const gannet_eval_status wanted = (gannet_eval_status)i;
    const char *old = gannet_eval_status_old_text(wanted);
    assert_true(gannet_eval_status_find(gannet_eval_status_text(wanted), &status));
    assert_int_equal(status, wanted);
    if (!old) continue;
    assert_true(gannet_eval_status_find(old, &status));
    assert_int_equal(status, wanted);
  }
  assert_string_equal(gannet_eval_status_text(GANNET_EVAL_CANNOT_RUN), "cannot_run");
  assert_string_equal(gannet_eval_status_phrase(GANNET_EVAL_CANNOT_RUN), "cannot run");
  assert_string_equal(gannet_eval_status_old_text(GANNET_EVAL_CANNOT_RUN), "infeasible");
  assert_false(gannet_eval_status_find("cannot run", &status));
  assert_false(gannet_eval_status_find("", &status));
}

static void a_late_result_is_accepted_and_arrives_last(void **state) {
  gannet_history *h = ((fixture *)*state)->history;
  propose(h, 3);
  for (int i = 0; i < 3; ++i)
    assert_ok(tell_values(h, i, i ? GANNET_EVAL_DONE : GANNET_EVAL_FAILED, i, feasible, NULL));
  assert_ok(tell_values(h, 0, GANNET_EVAL_DONE, 7, feasible, NULL));
  assert_int_equal(gannet_history_count_told(h), 3);
  assert_int_equal(gannet_history_order(h)[0], 1);
  assert_int_equal(gannet_history_order(h)[2], 0);
  assert_int_equal(gannet_history_best(h), 0);
}

/* The sample maximises. */
static void ranking_is(const gannet_history *h, int n, const int64_t *wanted) {
  int64_t *ids = NULL, found = -1;
  assert_ok(gannet_history_rank(h, &ids, &found));
  assert_int_equal(found, n);
  for (int i = 0; i < n; ++i) assert_int_equal(ids[i], wanted[i]);
  gannet_free(&ids);
}

static void the_best_is_feasible_and_the_first_of_equals(void **state) {
  gannet_history *h = ((fixture *)*state)->history;
  const double broken[3] = {111, 3, 2}, worse[3] = {115, 3, 2};
  propose(h, 5);
  assert_int_equal(gannet_history_best(h), -1);
  ranking_is(h, 0, NULL);
  assert_ok(tell_values(h, 4, GANNET_EVAL_DONE, 99, worse, NULL));
  assert_ok(tell_values(h, 0, GANNET_EVAL_DONE, 98, broken, NULL));
  assert_int_equal(gannet_history_best(h), -1);
  assert_int_equal(gannet_history_least_violation(h), 0);
  assert_ok(tell_values(h, 3, GANNET_EVAL_DONE, 5, feasible, NULL));
  assert_ok(tell_values(h, 2, GANNET_EVAL_DONE, 5, feasible, NULL));
  assert_ok(tell_values(h, 1, GANNET_EVAL_DONE, 4, feasible, NULL));
  assert_int_equal(gannet_history_best(h), 2);
  ranking_is(h, 5, (const int64_t[]){2, 3, 1, 0, 4}); /* maximised; the broken ones by violation */
  assert_near(gannet_history_violation(h, 4), 5, 1e-12);
}

/* Differences of numbers of opposite signs near the end of the range. */
static void violations_stay_finite(void **state) {
  const gannet_constraint wide[] = {{"stress", -1e308, 1e308}};
  gannet_problem_spec spec = sample_spec;
  gannet_problem *problem = NULL;
  gannet_history *h = NULL;
  const double values[3] = {1.7e308, -1.7e308, 1.0000001e308};
  (void)state;
  spec.n_constraints = 1;
  spec.constraints = wide;
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_ok(gannet_history_create(problem, &h));
  propose(h, 3);
  for (int i = 0; i < 3; ++i) {
    assert_ok(tell_values(h, i, GANNET_EVAL_DONE, 1, &values[i], NULL));
    assert_true(gannet_history_violation(h, i) == 1e300);
  }
  assert_int_equal(gannet_history_least_violation(h), 0);
  gannet_history_destroy(&h);
  gannet_problem_destroy(&problem);
}

/* What is kept up with every result is what a search of the table finds. */
static void counts_and_best_are_those_of_the_table(void **state) {
  gannet_history *h = ((fixture *)*state)->history;
  const gannet_stream stream = {3, GANNET_FOR_TEST, 1, 1};
  enum { N = 120 };
  double u[4 * N];
  gannet_random_uniform(stream, 0, 4 * N, u);
  for (int i = 0; i < N; ++i)
    assert_ok(gannet_history_propose(h, x0, i, (gannet_origin)(i % 3), NULL));
  for (int step = 0; step < 2 * N; ++step) {
    const int64_t id = step % N;
    const double values[3] = {100 + 20 * u[id], 3, 2}, objective = floor(10 * u[N + step]);
    const gannet_eval_status status = u[2 * N + step] < 0.6   ? GANNET_EVAL_DONE
                                      : u[2 * N + step] < 0.7 ? GANNET_EVAL_CANNOT_RUN
                                                              : GANNET_EVAL_FAILED;
    const gannet_eval_status before = gannet_history_get(h, id)->status;
    if (before != GANNET_EVAL_PENDING && before != GANNET_EVAL_FAILED) continue;
    assert_ok(tell_values(h, id, status, objective, values, NULL));
    int64_t counts[GANNET_EVAL_STATUS_COUNT] = {0}, best = -1;
    for (int64_t i = 0; i < N; ++i) {
      const gannet_evaluation *row = gannet_history_get(h, i);
      counts[row->status] += 1;
      const bool good = row->status == GANNET_EVAL_DONE && 100 + 20 * u[i] <= 110;
      if (good && (best < 0 || row->objective > gannet_history_get(h, best)->objective)) best = i;
    }
    for (int s = 0; s < GANNET_EVAL_STATUS_COUNT; ++s)
      assert_int_equal(gannet_history_count_status(h, (gannet_eval_status)s), counts[s]);
    assert_int_equal(gannet_history_best(h), best);
  }
}

static void wrong_results_are_refused_and_change_nothing(void **state) {
  gannet_history *h = ((fixture *)*state)->history;
  const double bad[3] = {1, INFINITY, 2}, none[3] = {NAN, NAN, NAN};
  propose(h, 1);
  const uint64_t before = gannet_history_digest(h);
  assert_fails(GANNET_ERR_ARG, "never proposed",
               tell_values(h, 1, GANNET_EVAL_DONE, 1, feasible, NULL));
  assert_fails(GANNET_ERR_ARG, "objective",
               tell_values(h, 0, GANNET_EVAL_DONE, INFINITY, feasible, NULL));
  assert_fails(GANNET_ERR_ARG, "neither the objective nor a constraint is known",
               tell_values(h, 0, GANNET_EVAL_DONE, NAN, none, NULL));
  assert_fails(GANNET_ERR_ARG, "constraint flow",
               tell_values(h, 0, GANNET_EVAL_DONE, 1, bad, NULL));
  assert_fails(GANNET_ERR_ARG, "outcome",
               tell_values(h, 0, GANNET_EVAL_PENDING, 1, feasible, NULL));
  assert_int_equal(gannet_history_digest(h), before);
  assert_ok(tell_values(h, 0, GANNET_EVAL_DONE, 1, feasible, NULL));
  assert_fails(GANNET_ERR_STATE, "already", tell_values(h, 0, GANNET_EVAL_DONE, 1, feasible, NULL));
  assert_int_not_equal(gannet_history_digest(h), before);
}

static void the_digest_ignores_hosts_and_times(void **state) {
  fixture *f = *state;
  gannet_history *other = NULL;
  gannet_run_record run = {1, 2, 3, 1, 0, 0, 4, "node7", "99", "", "", GANNET_FAILURE_NONE, false};
  assert_ok(gannet_history_create(f->problem, &other));
  propose(f->history, 200);
  propose(other, 200);
  for (int i = 0; i < 200; ++i) {
    assert_ok(tell_values(f->history, i, GANNET_EVAL_DONE, i, feasible, NULL));
    assert_ok(tell_values(other, 199 - i, GANNET_EVAL_DONE, 199 - i, feasible, &run));
  }
  assert_int_equal(gannet_history_digest(f->history), gannet_history_digest(other));
  gannet_history_destroy(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(results_are_kept_in_order_of_arrival, make, drop),
      cmocka_unit_test(words_of_earlier_versions_are_read),
      cmocka_unit_test_setup_teardown(a_late_result_is_accepted_and_arrives_last, make, drop),
      cmocka_unit_test_setup_teardown(the_best_is_feasible_and_the_first_of_equals, make, drop),
      cmocka_unit_test(violations_stay_finite),
      cmocka_unit_test_setup_teardown(counts_and_best_are_those_of_the_table, make, drop),
      cmocka_unit_test_setup_teardown(wrong_results_are_refused_and_change_nothing, make, drop),
      cmocka_unit_test_setup_teardown(the_digest_ignores_hosts_and_times, make, drop),
  };
  return run_serial(tests);
}
