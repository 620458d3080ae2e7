/* test: ranks 1 2 3 labels unit timeout 120 */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "optimizer/fixture.h"

#include "optimizer/models/models.h"
#include "optimizer/recommend.h"

static const gannet_variable square[] = {
    {.name = "a", .lower = -1, .upper = 1},
    {.name = "b", .lower = -1, .upper = 1},
};

/* The first has one bound, the second two. */
static const gannet_constraint bounds[] = {{"low", -INFINITY, 0}, {"band", -0.5, 0.5}};

static fixture make(const char *method, gannet_goal goal, int n_constraints) {
  const gannet_method_setting settings[] = {{"method", method}, {"initial", "4"}};
  const gannet_problem_spec spec = {.n_variables = 2,
                                    .variables = square,
                                    .n_constraints = n_constraints,
                                    .constraints = bounds,
                                    .goal = goal};
  fixture f = {NULL, NULL, NULL};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 2, settings, &f.optimizer));
  return f;
}

static double bowl(const double *x) {
  return x[0] * x[0] + 2 * x[1] * x[1];
}

/* Constraints: a < 0, and |b| < 1/2; the quantities are those times 3. */
static void tell(fixture *f, double a, double b) {
  const double x[] = {a, b}, c[] = {3 * a, b}, sign = gannet_problem_flip(f->problem, 1);
  const gannet_result result = {.objective = sign * bowl(x), .constraints = c};
  assert_ok(gannet_optimizer_tell_point(f->optimizer, x, &result, NULL));
}

enum { SIDE = 5 };

static void tell_grid(fixture *f) {
  for (int i = 0; i < SIDE; ++i)
    for (int k = 0; k < SIDE; ++k)
      tell(f, -0.9 + 1.8 * i / (SIDE - 1), -0.9 + 1.8 * k / (SIDE - 1));
}

static void exact_results_are_met_and_the_middle_is_known(void **state) {
  static const char *const methods[] = {"auto", "gp-ei", "cei", "gp-ts"};
  (void)state;
  for (int k = 0; k < 8; ++k) {
    const double sign = k % 2 ? -1 : 1, x[] = {-0.9, -0.45, 0.1, 0.2};
    fixture f = make(methods[k / 2], k % 2 ? GANNET_MAXIMIZE : GANNET_MINIMIZE, 2);
    gannet_prediction p[2][3];
    gannet_feasibility whole[2];
    tell_grid(&f);
    assert_ok(gannet_optimizer_predict(f.optimizer, 2, x, p[0], whole));
    for (int i = 0; i < 2; ++i) {
      const double near = i == 0 ? 0.01 : 0.05, *at = x + (ptrdiff_t)2 * i;
      const double expected[] = {sign * bowl(at), 3 * at[0], at[1]};
      for (int j = 0; j < 3; ++j)
        if (!(fabs(p[i][j].mean - expected[j]) < near && p[i][j].sd >= 0 && p[i][j].sd < 2 * near))
          fail_msg("%s, design %d, quantity %d: %g +- %g, expected %g", methods[k / 2], i, j,
                   p[i][j].mean, p[i][j].sd, expected[j]);
      assert_true(whole[i].can_run == 1);
      assert_near(whole[i].feasible, p[i][1].kept * p[i][2].kept, 1e-15);
      assert_true(p[i][0].kept == 1);
    }
    assert_true(p[0][1].kept > 0.99 && p[1][1].kept < 0.01 && p[1][2].kept > 0.99);
    drop(&f);
  }
}

/* At the bound itself a constraint is as likely kept as not. */
static void a_bound_is_a_toss(void **state) {
  (void)state;
  fixture f = make("gp-ei", GANNET_MINIMIZE, 2);
  const double x[] = {-0.2, 0.5, -0.2, -0.5, -0.2, 0.9};
  gannet_prediction p[3][3];
  tell_grid(&f);
  assert_ok(gannet_optimizer_predict(f.optimizer, 3, x, p[0], NULL));
  for (int i = 0; i < 2; ++i) {
    const double off = (fabs(p[i][2].mean) - 0.5) / p[i][2].sd; /* how many deviations outside */
    assert_near(p[i][2].kept, 0.5 * erfc(off / sqrt(2)), 0.02);
  }
  assert_true(p[2][2].kept < 1e-3);
  drop(&f);
}

/* The numbers are those of the models of the ask that follows, bit for bit, and that ask proposes
 * what it would have proposed otherwise. */
static void it_is_what_the_next_ask_believes_and_changes_nothing(void **state) {
  static const char *const methods[] = {"gp-ts", "auto", "neural-bo", "forest-ei"};
  (void)state;
  for (int k = 0; k < 4; ++k) {
    fixture f = make(methods[k], GANNET_MAXIMIZE, 1), plain = make(methods[k], GANNET_MAXIMIZE, 1);
    const double x[] = {0.3, -0.7, -0.4, 0.1};
    double unit[4], mean[2], sd[2], asked[2], expected[2];
    int64_t id;
    gannet_prediction p[2][2], again[2][2];
    tell_grid(&f);
    tell_grid(&plain);
    assert_ok(gannet_optimizer_predict(f.optimizer, 2, x, p[0], NULL));
    assert_ok(gannet_optimizer_predict(f.optimizer, 2, x, again[0], NULL));
    assert_memory_equal(again, p, sizeof p);
    assert_ok(gannet_optimizer_ask(f.optimizer, 1, &id, asked));
    assert_ok(gannet_optimizer_ask(plain.optimizer, 1, &id, expected));
    assert_memory_equal(asked, expected, sizeof asked);
    const gannet_models *models = f.optimizer->member[0].models;
    for (int i = 0; i < 2; ++i) gannet_problem_encode(f.problem, x + 2 * i, unit + 2 * i);
    assert_ok(gannet_surrogate_predict(gannet_models_surrogate(models, 0), 2, unit, mean, sd));
    for (int i = 0; i < 2; ++i)
      assert_near(p[i][0].mean, gannet_models_in_units(models, 0, mean[i]), 0);
    assert_ok(gannet_optimizer_predict(f.optimizer, 2, x, again[0], NULL));
    /* A pending design has no result; the trees of a forest are drawn anew for every batch. */
    if (k < 3) assert_memory_equal(again, p, sizeof p);
    drop(&f);
    drop(&plain);
  }
}

/* Each of the last three stands in for what has no such models of its own. */
static void every_method_has_predictions(void **state) {
  static const char *const methods[] = {"gp-ei-trust", "sobol", "random", "quadratic"};
  (void)state;
  for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
    fixture f = make(methods[k], GANNET_MINIMIZE, 0);
    const double x[] = {0.1, 0.2};
    gannet_prediction p;
    tell_grid(&f);
    assert_ok(gannet_optimizer_predict(f.optimizer, 1, x, &p, NULL));
    assert_near(p.mean, bowl(x), 0.05);
    assert_true(p.sd > 0 && p.sd < 0.1);
    drop(&f);
  }
}

static void where_simulations_crash_is_known(void **state) {
  (void)state;
  fixture f = make("gp-ei", GANNET_MINIMIZE, 0);
  const double x[] = {-0.8, 0.1, 0.8, 0.1};
  gannet_prediction p[2];
  gannet_feasibility whole[2];
  for (int i = 0; i < SIDE * SIDE; ++i) {
    const double at[] = {-0.9 + 0.45 * (i / SIDE), -0.9 + 0.45 * (i % SIDE)};
    const gannet_result result = {
        .outcome = at[0] > 0.2 ? GANNET_RESULT_CANNOT_RUN : GANNET_RESULT_OK,
        .objective = bowl(at)};
    assert_ok(gannet_optimizer_tell_point(f.optimizer, at, &result, NULL));
  }
  assert_ok(gannet_optimizer_predict(f.optimizer, 2, x, p, whole));
  assert_true(whole[0].can_run > 0.9 && whole[1].can_run < 0.5);
  assert_true(whole[0].feasible == whole[0].can_run && whole[1].feasible == whole[1].can_run);
  drop(&f);
}

/* More designs than are predicted at once are those that come one by one. */
static void any_number_of_designs_is_one_by_one(void **state) {
  enum { MANY = 1200 };
  static double x[MANY][2];
  static gannet_prediction p[MANY][3], one[3];
  static gannet_feasibility whole[MANY], single;
  (void)state;
  fixture f = make("gp-ei", GANNET_MINIMIZE, 2);
  tell_grid(&f);
  for (int i = 0; i < MANY; ++i) {
    x[i][0] = -1 + 2.0 * i / (MANY - 1);
    x[i][1] = sin(i);
  }
  assert_ok(gannet_optimizer_predict(f.optimizer, MANY, x[0], p[0], whole));
  for (int i = 0; i < MANY; i += 397) {
    assert_ok(gannet_optimizer_predict(f.optimizer, 1, x[i], one, &single));
    for (int j = 0; j < 3; ++j) assert_near(p[i][j].mean, one[j].mean, 1e-9);
    assert_near(whole[i].feasible, single.feasible, 1e-6);
  }
  assert_ok(gannet_optimizer_predict(f.optimizer, 0, NULL, NULL, NULL));
  drop(&f);
}

static void what_cannot_be_predicted_is_told(void **state) {
  (void)state;
  fixture f = make("auto", GANNET_MINIMIZE, 0);
  const double x[] = {0.1, 0.2}, outside[] = {0.1, 1.5}, nothing[] = {NAN, 0};
  gannet_prediction p;
  for (int i = 0; i < GANNET_RECOMMEND_LEAST - 1; ++i) tell(&f, 0.1 * i, -0.3 * i);
  assert_fails(GANNET_ERR_STATE, "too few results for a model: 3 of 3 tell a value",
               gannet_optimizer_predict(f.optimizer, 1, x, &p, NULL));
  tell(&f, 0.5, 0.7);
  assert_ok(gannet_optimizer_predict(f.optimizer, 1, x, &p, NULL));
  assert_fails(GANNET_ERR_INPUT, "variable b: 1.5 is outside [-1, 1]",
               gannet_optimizer_predict(f.optimizer, 1, outside, &p, NULL));
  assert_fails(GANNET_ERR_INPUT, "variable a",
               gannet_optimizer_predict(f.optimizer, 1, nothing, &p, NULL));
  assert_fails(GANNET_ERR_ARG, "n = -1", gannet_optimizer_predict(f.optimizer, -1, x, &p, NULL));
  assert_fails(GANNET_ERR_ARG, "x_user", gannet_optimizer_predict(f.optimizer, 1, NULL, &p, NULL));
  assert_fails(GANNET_ERR_ARG, "predictions",
               gannet_optimizer_predict(f.optimizer, 1, x, NULL, NULL));
  assert_fails(GANNET_ERR_ARG, "optimizer", gannet_optimizer_predict(NULL, 1, x, &p, NULL));
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > 1) {
    const double own[] = {0.1 + 0.01 * f.context->rank, 0};
    assert_fails(GANNET_ERR_RANKS, "designs to predict at",
                 gannet_optimizer_predict(f.optimizer, 1, own, &p, NULL));
  }
  drop(&f);
}

/* Equal results are penalties, all of them: that they are too few would be no help. */
static void equal_results_are_told(void **state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    fixture f = make("auto", k ? GANNET_MAXIMIZE : GANNET_MINIMIZE, 0);
    const gannet_result result = {.objective = 0.25};
    gannet_prediction p;
    for (int i = 0; i < 6; ++i) {
      const double x[] = {0.1 * i, -0.15 * i};
      assert_ok(gannet_optimizer_tell_point(f.optimizer, x, &result, NULL));
    }
    const double x[] = {0.1, 0.2};
    assert_fails(GANNET_ERR_STATE,
                 "all 6 results are 0.25: a model learns nothing from them until one differs; "
                 "with `penalties: no` the model learns from equal values, too",
                 gannet_optimizer_predict(f.optimizer, 1, x, &p, NULL));
    drop(&f);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_results_are_met_and_the_middle_is_known),
      cmocka_unit_test(a_bound_is_a_toss),
      cmocka_unit_test(it_is_what_the_next_ask_believes_and_changes_nothing),
      cmocka_unit_test(every_method_has_predictions),
      cmocka_unit_test(where_simulations_crash_is_known),
      cmocka_unit_test(any_number_of_designs_is_one_by_one),
      cmocka_unit_test(what_cannot_be_predicted_is_told),
      cmocka_unit_test(equal_results_are_told),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
