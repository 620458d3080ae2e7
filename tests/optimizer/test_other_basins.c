/* test: ranks 1 2 labels unit timeout 120 */
/* The local member, when nothing is left to propose around the best result: it searches the basin
 * of another one. */
#include <math.h>
#include <mpi.h>

#include "support/allocations.h"

#include "optimizer/fixture.h"
#include "support/told.h"

#include "optimizer/local/basins.h"

enum { D = 2, STEPS = 30 };

static const gannet_variable square[] = {
    {.name = "a", .lower = 0, .upper = 1},
    {.name = "b", .lower = 0, .upper = 1},
};

static int64_t add(gannet_history *history, double a, double b, double value, double constraint) {
  const double x[D] = {a, b};
  int64_t id = -1;
  assert_ok(gannet_history_propose(history, x, 0, GANNET_ORIGIN_USER, &id));
  assert_ok(tell_values(history, id, GANNET_EVAL_DONE, value, &constraint, NULL));
  return id;
}

static gannet_history *make_history(gannet_problem **problem) {
  static const gannet_constraint bound[] = {{"c", -INFINITY, 0}};
  const gannet_problem_spec spec = {.n_variables = D,
                                    .variables = square,
                                    .n_constraints = 1,
                                    .constraints = bound,
                                    .noise_sd = NAN};
  gannet_history *history = NULL;
  assert_ok(gannet_problem_create(&spec, problem));
  assert_ok(gannet_history_create(*problem, &history));
  return history;
}

static int64_t next_centre(const gannet_history *history) {
  local_basins basins;
  assert_ok(local_basins_find(history, &basins));
  assert_int_equal(basins.searched == NULL, basins.centre < 0);
  local_basins_release(&basins);
  return basins.centre;
}

/* Half of the critical distance of six results in the square is 0.31. */
static void the_best_leader_elsewhere_comes_next(void **state) {
  gannet_problem *problem = NULL;
  gannet_history *history = make_history(&problem);
  local_basins basins;
  (void)state;
  assert_int_equal(next_centre(history), -1);
  const int64_t home = add(history, 0.2, 0.2, 0, -1), near = add(history, 0.3, 0.4, 1, -1);
  assert_int_equal(next_centre(history), -1);
  const int64_t worse = add(history, 0.8, 0.2, 7, -1), better = add(history, 0.8, 0.8, 5, -1);
  const int64_t infeasible = add(history, 0.2, 0.9, -10, 1);
  const int64_t of_better = add(history, 0.7, 0.8, 6, -1);
  assert_ok(local_basins_find(history, &basins));
  assert_int_equal(basins.centre, better);
  assert_true(basins.searched[home] && basins.searched[near]);
  assert_false(basins.searched[worse] || basins.searched[better] || basins.searched[of_better] ||
               basins.searched[infeasible]);
  local_basins_release(&basins);
  gannet_history_destroy(&history);
  gannet_problem_destroy(&problem);
}

/* Results at one place say that a basin is no better, when they differ by less than is missing. */
static void a_basin_is_searched_by_results_at_one_place_or_by_many(void **state) {
  gannet_problem *problem = NULL;
  gannet_history *history = make_history(&problem);
  (void)state;
  add(history, 0.2, 0.2, 0, -1);
  const int64_t third = add(history, 0.8, 0.2, 7, -1), second = add(history, 0.8, 0.8, 0.5, -1);
  add(history, 0.81, 0.8, 0.9, -1);
  add(history, 0.8, 0.82, 1.2, -1); /* 0.7 more than the best of them, of which 0.5 is missing */
  assert_int_equal(next_centre(history), second);
  add(history, 0.79, 0.8, 0.8, -1);
  assert_int_equal(next_centre(history), third);
  for (int i = 0; i < 28; ++i) {
    add(history, 0.7 + 0.007 * i, 0.2 - 0.005 * (i % 9), 8 + i, -1);
    assert_int_equal(next_centre(history), third);
  }
  add(history, 0.8, 0.1, 9, -1);
  assert_int_equal(next_centre(history), -1);
  gannet_history_destroy(&history);
  gannet_problem_destroy(&problem);
}

static void without_memory_no_basin_is_found(void **state) {
  gannet_problem *problem = NULL;
  gannet_history *history = make_history(&problem);
  local_basins basins;
  gannet_err err = GANNET_ERR_MEMORY;
  (void)state;
  add(history, 0.2, 0.2, 0, -1);
  const int64_t other = add(history, 0.8, 0.2, 7, -1);
  for (int i = 1; err != GANNET_OK; ++i) {
    until_failure = i;
    err = local_basins_find(history, &basins);
    assert_true(err == GANNET_OK || err == GANNET_ERR_MEMORY);
    assert_int_equal(basins.centre, err == GANNET_OK ? other : -1);
    local_basins_release(&basins);
  }
  until_failure = 0;
  gannet_history_destroy(&history);
  gannet_problem_destroy(&problem);
}

static const double bowl[D] = {0.3, 0.3}, lower_bowl[D] = {0.85, 0.7}, slope[D] = {0.75, 0.6};

static double two_bowls(const double *x) {
  const double a = hypot(x[0] - bowl[0], x[1] - bowl[1]);
  const double b = hypot(x[0] - lower_bowl[0], x[1] - lower_bowl[1]);
  return fmin(0.01 + a * a, 2 * b * b);
}

static void tell_at(const fixture *f, double a, double b) {
  const double x[D] = {a, b};
  const gannet_result result = {.objective = two_bowls(x)};
  assert_ok(gannet_optimizer_tell_point(f->optimizer, x, &result, NULL));
}

/* The bottom of one bowl is known, and a point on the slope of the lower one.
 *
 * reload  in   take the state back from what is saved before every step
 * seen    out  [STEPS][D]
 */
static double search_two_bowls(bool reload, double *seen) {
  const gannet_method_setting settings[] = {{"method", "quadratic"}};
  const gannet_problem_spec spec = {.n_variables = D, .variables = square};
  const double distances[] = {1e-6, 0.02, 0.06, 0.15};
  fixture f = {0};
  gannet_best best;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 1, settings, &f.optimizer));
  tell_at(&f, bowl[0], bowl[1]);
  for (int i = 0; i < 8; ++i) {
    const double step = i % 2 == 0 ? distances[i / 2] : -distances[i / 2];
    tell_at(&f, bowl[0] + step, bowl[1]);
    tell_at(&f, bowl[0], bowl[1] + step);
  }
  tell_at(&f, slope[0], slope[1]);
  for (int step = 0; step < STEPS; ++step) {
    double *x = seen + (ptrdiff_t)step * D;
    gannet_result result = {0};
    gannet_state state = {0};
    if (reload) {
      assert_ok(gannet_optimizer_get_state(f.optimizer, &state));
      assert_ok(gannet_optimizer_set_state(f.optimizer, &state, NULL));
      gannet_state_release(&state);
    }
    assert_ok(gannet_optimizer_ask(f.optimizer, 1, &result.id, x));
    result.objective = two_bowls(x);
    assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
  }
  gannet_optimizer_best(f.optimizer, &best, NULL);
  drop(&f);
  return best.objective;
}

static void a_search_that_is_done_goes_on_in_another_basin(void **state) {
  double seen[STEPS * D], again[STEPS * D];
  (void)state;
  assert_near(search_two_bowls(false, seen), 0, 1e-8);
  for (int k = 0; k < D; ++k) assert_near(seen[k], slope[k], 0.21);
  (void)search_two_bowls(true, again);
  assert_memory_equal(seen, again, sizeof seen);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_leader_elsewhere_comes_next),
      cmocka_unit_test(a_basin_is_searched_by_results_at_one_place_or_by_many),
      cmocka_unit_test(without_memory_no_basin_is_found),
      cmocka_unit_test(a_search_that_is_done_goes_on_in_another_basin),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
