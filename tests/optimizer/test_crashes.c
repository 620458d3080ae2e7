/* test: ranks 1 2 labels unit timeout 300 */
#include <math.h>
#include <mpi.h>

#include "optimizer/small_network.h"
#include "support/harness.h"
#include "support/told.h"

#include "optimizer/optimizer_impl.h"
#include "optimizer/propose/crash_guard.h"

enum { BATCH = 3, DESIGN = 12, ALL = 42 };

static const gannet_variable square[] = {
    {.name = "x", .lower = 0, .upper = 1},
    {.name = "y", .lower = 0, .upper = 1},
};
static const gannet_problem_spec spec = {.n_variables = 2, .variables = square, .noise_sd = NAN};

/* The simulation crashes left of a curve, in half of the square. */
static bool crashes(double x, double y) {
  return x < 0.5 + 0.2 * sin(6 * y);
}

/* Where the objective has its minimum: on the sound side, or behind the curve. */
typedef struct {
  double x, y;
} place;

static double value_of(const place *best, const double *x) {
  const double dx = x[0] - best->x, dy = x[1] - best->y;
  return dx * dx + dy * dy + 0.02 * sin(12 * x[0]) * sin(9 * x[1]);
}

static void tell(gannet_optimizer *o, int64_t id, const place *best, const double *x,
                 bool bad_luck) {
  gannet_run_record run = gannet_run_unknown();
  const bool failed = crashes(x[0], x[1]);
  run.failure = failed ? GANNET_FAILURE_SIGNAL : GANNET_FAILURE_NONE;
  run.crashed = failed && !bad_luck;
  assert_ok(tell_values(o->history, id, failed ? GANNET_EVAL_FAILED : GANNET_EVAL_DONE,
                        value_of(best, x), NULL, &run));
}

static gannet_optimizer *make(const char *method, gannet_context **context,
                              gannet_problem **problem) {
  gannet_method_setting settings[4] = {
      {"method", method}, {"search.candidates", "1000"}, {"initial", "12"}};
  gannet_optimizer *optimizer = NULL;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, context));
  assert_ok(gannet_problem_create(&spec, problem));
  assert_ok(gannet_optimizer_create(*context, *problem, with_small_network(settings, 3), settings,
                                    &optimizer));
  return optimizer;
}

static void drop(gannet_optimizer *optimizer, gannet_context *context, gannet_problem *problem) {
  gannet_optimizer_destroy(&optimizer);
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&context);
}

/* Share of points at least so far behind the curve among those proposed after thirty evaluations.
 */
static double crash_share(const char *method, const place *best, double behind) {
  gannet_context *context = NULL;
  gannet_problem *problem = NULL;
  gannet_optimizer *optimizer = make(method, &context, &problem);
  int late = 0, bad = 0;
  for (int n = 0; n < ALL; n += BATCH) {
    int64_t id[BATCH];
    double x[2 * BATCH];
    assert_ok(gannet_optimizer_ask(optimizer, BATCH, id, x));
    for (int i = 0; i < BATCH; ++i) {
      tell(optimizer, id[i], best, x + 2 * i, false);
      late += n >= 30;
      bad += n >= 30 && crashes(x[2 * i] + behind, x[2 * i + 1]);
    }
  }
  drop(optimizer, context, problem);
  return (double)bad / late;
}

/* Draws, moments by probability and by bounds, independent draws, and what is recommended. Of
 * random points half crash. */
static void proposals_leave_the_region_of_crashes(void **state) {
  static const char *const methods[] = {
      "neural-bo", "gp-ei", "gp-ucb", "neural-bo-pointwise", "go-ucb-published", "auto"};
  const place best = {0.8, 0.4};
  (void)state;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
    const double share = crash_share(methods[i], &best, 0);
    if (share > 0.25) fail_msg("%s: %.0f %% of its points crash", methods[i], 100 * share);
  }
}

/* The best sound design lies at the curve, where crashes are the price of coming close: but not far
 * behind it, where two of five random points are. */
static void what_lies_behind_is_left_alone(void **state) {
  static const char *const methods[] = {"neural-bo", "gp-ucb", "neural-bo-pointwise"};
  const place best = {0.3, 0.6};
  (void)state;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
    const double share = crash_share(methods[i], &best, 0.1);
    if (share > 0.25) fail_msg("%s: %.0f %% lie far behind", methods[i], 100 * share);
  }
}

/* Members without a model of the crashes keep out of what is known to crash, too: without that 42 %
 * of the points of lq-cma lie far behind the curve, and 17 % of those of auto. */
static void members_without_a_surrogate_leave_it_alone_too(void **state) {
  static const char *const methods[] = {"quadratic", "lq-cma", "auto"};
  const place best = {0.3, 0.6};
  (void)state;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
    const double share = crash_share(methods[i], &best, 0),
                 far = crash_share(methods[i], &best, 0.1);
    if (share > 0.55) fail_msg("%s: %.0f %% of its points crash", methods[i], 100 * share);
    if (far > 0.1) fail_msg("%s: %.0f %% lie far behind", methods[i], 100 * far);
  }
}

/* A point beyond the edge is moved towards the best one until it is clearly nearer to what worked;
 * nothing is changed before the first crash. */
static void a_step_across_the_edge_is_shortened(void **state) {
  const place best = {0.3, 0.6};
  (void)state;
  for (int luck = 0; luck < 2; ++luck) {
    gannet_context *context = NULL;
    gannet_problem *problem = NULL;
    gannet_optimizer *optimizer = make("quadratic", &context, &problem);
    double designs[] = {0.7, 0.6, 0.9, 0.2, 0.2, 0.6}; /* the last one crashes */
    double points[] = {0.3, 0.6, 0.72, 0.6}, scores[] = {7, 7};
    int64_t id[3];
    bool is_at_edge = true;
    assert_ok(gannet_optimizer_start(optimizer, 3, designs, id));
    for (int i = 0; i < 3; ++i) tell(optimizer, id[i], &best, designs + (ptrdiff_t)2 * i, luck);
    assert_ok(gannet_crash_guard(optimizer->history, 2, points, scores));
    /* 0.5 is 0.2 from what worked and 0.3 from the crash; 0.6 is far enough from the crash. */
    assert_true(fabs(points[0] - (luck ? 0.3 : 0.6)) < 1e-12 && points[1] == 0.6);
    assert_true(points[2] == 0.72 && points[3] == 0.6 && scores[0] == 0 && scores[1] == 0);
    assert_ok(gannet_crash_guard_is_at_edge(optimizer->history, &is_at_edge));
    assert_false(is_at_edge); /* one crash of the twelve places that are looked at */
    drop(optimizer, context, problem);
  }
}

/* Bad luck says nothing about the design: no model is made of it. */
static void bad_luck_is_not_learnt(void **state) {
  (void)state;
  for (int luck = 0; luck < 2; ++luck) {
    gannet_context *context = NULL;
    gannet_problem *problem = NULL;
    gannet_optimizer *optimizer = make("gp-ei", &context, &problem);
    const place best = {0.8, 0.4};
    int64_t id[DESIGN];
    double x[2 * DESIGN];
    assert_ok(gannet_optimizer_ask(optimizer, DESIGN, id, x));
    for (int i = 0; i < DESIGN; ++i) tell(optimizer, id[i], &best, x + 2 * i, luck);
    assert_ok(gannet_optimizer_ask(optimizer, 1, id, x));
    assert_int_equal(gannet_models_count(optimizer->member[0].models), luck ? 1 : 2);
    drop(optimizer, context, problem);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(proposals_leave_the_region_of_crashes),
      cmocka_unit_test(what_lies_behind_is_left_alone),
      cmocka_unit_test(members_without_a_surrogate_leave_it_alone_too),
      cmocka_unit_test(a_step_across_the_edge_is_shortened),
      cmocka_unit_test(bad_luck_is_not_learnt),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
