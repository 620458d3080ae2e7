/* test: ranks 1 labels unit timeout 60 */
/* The centre and the least size of the local member's box where values are noisy. */
#include <math.h>
#include <mpi.h>

#include "support/harness.h"
#include "support/told.h"

#include "optimizer/local/local_data.h"

enum { LINE = 41, LUCKY = 12, LEAST = 20 };
static const double luck = 0.1;

static const gannet_variable line[] = {{.name = "x", .lower = 0, .upper = 1}};
static const gannet_constraint kept[] = {{"c", -INFINITY, 0}};

typedef struct {
  gannet_problem *problem;
  gannet_history *history;
  local_data data;
  gannet_quadratic model;
} bench;

/* (x - 0.5)^2 at x = 0, 1/40, .., 1, less a piece of luck at one point; feasible from the given id
 * on. */
static bench make(int constraints, int feasible_from, bool noisy) {
  const gannet_problem_spec spec = {.n_variables = 1,
                                    .variables = line,
                                    .n_constraints = constraints,
                                    .constraints = kept,
                                    .noise_sd = NAN};
  bench b = {0};
  assert_ok(gannet_problem_create(&spec, &b.problem));
  assert_ok(gannet_history_create(b.problem, &b.history));
  for (int i = 0; i < LINE; ++i) {
    int64_t id = -1;
    const double x = (double)i / (LINE - 1), c = feasible_from - 0.5 - i;
    const double value = pow(x - 0.5, 2) - (i == LUCKY ? luck : 0);
    assert_ok(gannet_history_propose(b.history, &x, 0, GANNET_ORIGIN_USER, &id));
    assert_ok(tell_values(b.history, id, GANNET_EVAL_DONE, value, &c, NULL));
  }
  assert_ok(local_data_collect(b.history, noisy, -1, NULL, &b.data));
  assert_ok(gannet_quadratic_create(b.data.d, b.data.n, true, &b.model));
  const gannet_quadratic_data data = {b.data.n, b.data.d, b.data.u, b.data.t, b.data.w};
  assert_ok(gannet_quadratic_fit(MPI_COMM_SELF, 1, &b.model, &data, 2));
  return b;
}

static void drop(bench *b) {
  gannet_quadratic_release(&b->model);
  local_data_release(&b->data);
  gannet_history_destroy(&b->history);
  gannet_problem_destroy(&b->problem);
}

static int64_t centre(int constraints, int feasible_from, double radius) {
  bench b = make(constraints, feasible_from, true);
  const int64_t id = local_noise_centre(b.history, &b.data, &b.model, radius);
  drop(&b);
  return id;
}

static void luck_is_seen_through(void **state) {
  (void)state;
  const int64_t id = centre(0, 0, 0.5);
  if (llabs(id - LEAST) > 3) fail_msg("%lld", (long long)id);
}

static void the_centre_moves_within_the_box(void **state) {
  (void)state;
  assert_int_equal(centre(0, 0, 0.5 / (LINE - 1)), LUCKY);
  assert_int_equal(centre(0, 0, 3.5 / (LINE - 1)), LUCKY + 3);
}

static void the_centre_is_feasible(void **state) {
  (void)state;
  assert_int_equal(centre(1, LEAST + 8, 1), LEAST + 8);
  assert_int_equal(centre(1, LINE, 1), LINE - 1); /* nothing is; the least violation */
}

static void points_are_near_ones_and_units_typical(void **state) {
  (void)state;
  bench noisy = make(0, 0, true), exact = make(0, 0, false);
  const int n = noisy.data.n;
  assert_true(n < LINE && n == exact.data.n);
  int64_t farthest = 0;
  for (int i = 0; i < n; ++i)
    if (llabs(noisy.data.id[i] - LUCKY) > farthest) farthest = llabs(noisy.data.id[i] - LUCKY);
  assert_int_equal(farthest, n / 2);
  assert_true(noisy.data.unit > exact.data.unit);
  drop(&noisy);
  drop(&exact);
}

/* (1/2) 0.01 u^2 = 0.1 */
static void the_least_box_is_where_the_curve_exceeds_the_error(void **state) {
  (void)state;
  const local_data data = {.span = 0.1};
  gannet_quadratic model = {
      .hyper = {[GANNET_QUADRATIC_CURVATURE] = -2, [GANNET_QUADRATIC_ERROR] = -1}};
  assert_near(local_noise_radius(&data, &model), 0.5 * 0.1 * sqrt(20), 1e-12);
  model.hyper[GANNET_QUADRATIC_ERROR] = -300;
  assert_near(local_noise_radius(&data, &model), 0, 1e-12);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(luck_is_seen_through),
      cmocka_unit_test(the_centre_moves_within_the_box),
      cmocka_unit_test(the_centre_is_feasible),
      cmocka_unit_test(points_are_near_ones_and_units_typical),
      cmocka_unit_test(the_least_box_is_where_the_curve_exceeds_the_error),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
