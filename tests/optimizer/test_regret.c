/* test: ranks 1 2 labels unit timeout 300 */
/* How much better than the best design the best one may be. */
#include <math.h>
#include <mpi.h>

#include "support/harness.h"

#include "base/context.h"
#include "optimizer/regret.h"

/* Results of a valley in two variables that is feasible where c <= 0. */
typedef struct {
  gannet_context *context;
  gannet_problem *problem;
  gannet_history *history;
} setting;

static void begin(setting *s, bool constrained) {
  static const gannet_variable variables[] = {
      {.name = "x", .type = GANNET_VARIABLE_REAL, .lower = 0, .upper = 1},
      {.name = "y", .type = GANNET_VARIABLE_REAL, .lower = 0, .upper = 1}};
  static const gannet_constraint constraint = {"c", -INFINITY, 0};
  const gannet_problem_spec spec = {.n_variables = 2,
                                    .variables = variables,
                                    .n_constraints = constrained,
                                    .constraints = &constraint,
                                    .noise_sd = 0};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &s->context));
  assert_ok(gannet_problem_create(&spec, &s->problem));
  assert_ok(gannet_history_create(s->problem, &s->history));
}

static void add(setting *s, double x, double y) {
  const double at[] = {x, y}, c = 0.4 - x;
  double value = c;
  int64_t id;
  assert_ok(gannet_history_propose(s->history, at, 0, GANNET_ORIGIN_METHOD, &id));
  const gannet_result_record result = {
      .id = id,
      .status = GANNET_EVAL_DONE,
      .objective = 10 * ((x - 0.3) * (x - 0.3) + (y - 0.6) * (y - 0.6)),
      .constraints = &value};
  assert_ok(gannet_history_tell(s->history, &result));
}

/* A grid of n by n points. */
static void add_grid(setting *s, int n) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) add(s, (double)i / (n - 1), (double)k / (n - 1));
}

static gannet_regret estimate(const setting *s, double within, double probability) {
  const gannet_regret_spec spec = {within, probability};
  gannet_regret regret;
  assert_ok(gannet_regret_estimate(s->context, s->history, &spec, &regret));
  int same[] = {regret.n_within, -regret.n_within};
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, same, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD), 0);
  assert_int_equal(same[0], -same[1]);
  return regret;
}

static void end(setting *s) {
  gannet_history_destroy(&s->history);
  gannet_problem_destroy(&s->problem);
  gannet_context_destroy(&s->context);
}

static void nothing_is_said_of_few_results(void **state) {
  setting s;
  (void)state;
  begin(&s, false);
  assert_int_equal(estimate(&s, 1, 0.5).incumbent, -1);
  add_grid(&s, 3);
  const gannet_regret regret = estimate(&s, 1e9, 0.5);
  assert_int_equal(regret.incumbent, -1);
  assert_int_equal(regret.n_draws, 0);
  assert_false(regret.is_reached);
  end(&s);
}

/* The grid misses the minimum by 0.05 in each variable, which are 0.05 of the objective. */
static void a_found_minimum_leaves_no_regret(void **state) {
  setting s;
  (void)state;
  begin(&s, false);
  add_grid(&s, 5);
  const gannet_regret before = estimate(&s, 0.01, 0.95);
  assert_int_equal(before.incumbent, 7); /* 0.25, 0.5 */
  assert_false(before.is_reached);
  assert_true(before.n_draws < 200); /* soon clear */
  add(&s, 0.3, 0.6);
  const gannet_regret after = estimate(&s, 0.01, 0.95);
  assert_int_equal(after.incumbent, 25);
  assert_true(after.is_reached);
  assert_int_equal(after.n_draws, 200);
  const gannet_regret again = estimate(&s, 0.01, 0.95);
  assert_int_equal(again.n_within, after.n_within);
  end(&s);
}

/* Where c <= 0, the minimum is at 0.4, 0.6; what is better elsewhere does not count. */
static void regret_is_that_of_the_feasible_part(void **state) {
  setting s;
  (void)state;
  begin(&s, true);
  add_grid(&s, 5);
  add(&s, 0.3, 0.6);
  add(&s, 0.4, 0.6);
  const gannet_regret regret = estimate(&s, 0.01, 0.95);
  assert_int_equal(regret.incumbent, 26);
  assert_true(regret.is_reached);
  end(&s);
}

/* All designs but one have run, and that one lies between bad ones. Under their noise the second
 * best may be better than the best. */
static void designs_that_have_run_may_be_better(void **state) {
  enum { DESIGNS = 12, LEFT = 10 };
  static const gannet_variable variable = {
      .name = "n", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = DESIGNS};
  const gannet_problem_spec spec = {.n_variables = 1, .variables = &variable, .noise_sd = 1};
  setting s;
  (void)state;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &s.context));
  assert_ok(gannet_problem_create(&spec, &s.problem));
  assert_ok(gannet_history_create(s.problem, &s.history));
  for (int n = 1; n <= DESIGNS; ++n) {
    const double x = n;
    int64_t id;
    if (n == LEFT) continue;
    assert_ok(gannet_history_propose(s.history, &x, 0, GANNET_ORIGIN_METHOD, &id));
    const gannet_result_record result = {
        .id = id, .status = GANNET_EVAL_DONE, .objective = n < 4 ? 0.1 * n : 2 * n};
    assert_ok(gannet_history_tell(s.history, &result));
  }
  const gannet_regret regret = estimate(&s, 0.1, 0.95);
  assert_true(regret.incumbent >= 0 && regret.incumbent < 3);
  assert_false(regret.is_reached);
  end(&s);
}

/* All designs have run but for one that cannot, whose value draws know least of. */
static void designs_that_cannot_run_are_not_better(void **state) {
  enum { DESIGNS = 12 };
  static const gannet_variable variable = {
      .name = "n", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = DESIGNS};
  const gannet_problem_spec spec = {.n_variables = 1, .variables = &variable, .noise_sd = 0.01};
  setting s;
  (void)state;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &s.context));
  assert_ok(gannet_problem_create(&spec, &s.problem));
  assert_ok(gannet_history_create(s.problem, &s.history));
  for (int n = 1; n <= DESIGNS; ++n) {
    const double x = n;
    int64_t id;
    assert_ok(gannet_history_propose(s.history, &x, 0, GANNET_ORIGIN_METHOD, &id));
    const gannet_result_record result = {
        .id = id,
        .status = n == DESIGNS ? GANNET_EVAL_CANNOT_RUN : GANNET_EVAL_DONE,
        .objective = n < 9 ? n : 18 - 2 * n};
    assert_ok(gannet_history_tell(s.history, &result));
  }
  const gannet_regret regret = estimate(&s, 0.1, 0.95);
  assert_int_equal(regret.incumbent, DESIGNS - 2);
  assert_true(regret.is_reached);
  end(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_said_of_few_results),
      cmocka_unit_test(a_found_minimum_leaves_no_regret),
      cmocka_unit_test(regret_is_that_of_the_feasible_part),
      cmocka_unit_test(designs_that_have_run_may_be_better),
      cmocka_unit_test(designs_that_cannot_run_are_not_better),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
