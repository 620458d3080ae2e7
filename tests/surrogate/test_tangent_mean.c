/* test: ranks 1 2 labels unit */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "support/harness.h"
#include "surrogate/created.h"

#include "surrogate/models/tangent_kernel/tangent_kernel.h"

enum { D = 2, N = 30, M = 20, MOST_SETTINGS = 20 };

static gannet_context *world, *self;

static gannet_surrogate *make(const gannet_context *context, int n,
                              const gannet_setting *settings) {
  return surrogate_named(context, "tangent-kernel", D, n, settings);
}

static double x[N * D], y[N], query[M * D];

static void make_data(void) {
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 1, 9}, 0, N * D, x);
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 2, 9}, 0, M * D, query);
  for (int i = 0; i < N; ++i) y[i] = sin(4 * x[i * D]) + x[i * D + 1] * x[i * D + 1] - 0.6;
}

/* Everything given: a model that learns nothing. */
#define GIVEN                                                              \
  {.key = "kernel", .text = "network"}, {.key = "width", .text = "64"},    \
      {.key = "bias", .text = "1"}, {.key = "input_scale", .text = "1"}, { \
    .key = "activation", .text = "tanh"                                    \
  }

static void fit(gannet_surrogate *s, int n, int64_t iteration) {
  const gannet_data data = {n, x, y, NAN, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, true, iteration));
}

/* With an amplitude of 10^8 the targets of the network are of order 10^-4 and it stays linear in
 * its weights: training and the closed form of the tangent kernel have the same minimum. lbfgs
 * stops at absolute gradients, so its targets are larger. */
static void a_network_that_stays_linear_is_the_posterior_mean(void **state) {
  (void)state;
  static const char *const lifts[] = {"flat", "sphere"}, *const trainers[] = {"newton", "lbfgs"};
  for (int k = 0; k < 4; ++k) {
    const gannet_setting settings[] = {GIVEN,
                                       {.key = "amplitude", .text = k % 2 ? "1e4" : "1e8"},
                                       {.key = "noise", .text = k % 2 ? "1e3" : "1e7"},
                                       {.key = "lift", .text = lifts[k / 2]},
                                       {.key = "trainer", .text = trainers[k % 2]},
                                       {.key = "steps", .text = "60"},
                                       {.key = "mean", .text = "trained"}};
    gannet_surrogate *trained = make(world, 11, settings), *closed = make(world, 10, settings);
    double mean[2][M], sd[2][M], draw[2][M];
    fit(trained, N, 1);
    fit(closed, N, 1);
    assert_ok(gannet_surrogate_predict(trained, M, query, mean[0], sd[0]));
    assert_ok(gannet_surrogate_predict(closed, M, query, mean[1], sd[1]));
    for (int i = 0; i < M; ++i) {
      assert_near(mean[0][i], mean[1][i], k % 2 ? 2e-2 : 2e-3);
      assert_true(sd[0][i] == sd[1][i]);
    }
    assert_ok(gannet_surrogate_sample(trained, 1, 1e-4, 3));
    assert_ok(gannet_surrogate_sample(closed, 1, 1e-4, 3));
    assert_ok(gannet_surrogate_draw_values(trained, M, query, draw[0], M));
    assert_ok(gannet_surrogate_draw_values(closed, M, query, draw[1], M));
    for (int i = 0; i < M; ++i) assert_near(draw[0][i] - mean[0][i], draw[1][i] - mean[1][i], 1e-6);
    gannet_surrogate_destroy(&trained);
    gannet_surrogate_destroy(&closed);
  }
}

/* At its true amplitude the network learns features: another function, which follows the data. */
static void a_network_that_learns_is_another_function(void **state) {
  (void)state;
  const gannet_setting settings[] = {GIVEN,
                                     {.key = "amplitude", .text = "1"},
                                     {.key = "noise", .text = "1e-3"},
                                     {.key = "mean", .text = "trained"}};
  gannet_surrogate *trained = make(world, 8, settings), *closed = make(world, 7, settings);
  double mean[2][N], apart = 0;
  fit(trained, N, 1);
  fit(closed, N, 1);
  assert_ok(gannet_surrogate_predict(trained, N, x, mean[0], NULL));
  assert_ok(gannet_surrogate_predict(closed, N, x, mean[1], NULL));
  for (int i = 0; i < N; ++i) {
    assert_near(mean[0][i], y[i], 0.1);
    apart = fmax(apart, fabs(mean[0][i] - mean[1][i]));
  }
  assert_true(apart > 1e-6);
  gannet_surrogate_destroy(&trained);
  gannet_surrogate_destroy(&closed);
}

/* Inducing points are for the deviations: the network is trained on all observations. */
static void a_trained_mean_has_seen_all_observations(void **state) {
  (void)state;
  const gannet_setting settings[] = {GIVEN,
                                     {.key = "amplitude", .text = "1"},
                                     {.key = "noise", .text = "0.01"},
                                     {.key = "mean", .text = "trained"},
                                     {.key = "inducing", .text = "5"}};
  gannet_surrogate *sparse = make(world, 9, settings), *exact = make(world, 8, settings);
  double mean[2][M], sd[2][M];
  fit(sparse, N, 1);
  fit(exact, N, 1);
  assert_ok(gannet_surrogate_predict(sparse, M, query, mean[0], sd[0]));
  assert_ok(gannet_surrogate_predict(exact, M, query, mean[1], sd[1]));
  assert_memory_equal(mean[0], mean[1], sizeof mean[0]);
  assert_true(memcmp(sd[0], sd[1], sizeof sd[0]) != 0);
  gannet_surrogate_destroy(&sparse);
  gannet_surrogate_destroy(&exact);
}

static void gradients_are_differences(void **state) {
  (void)state;
  const double step = 1e-5;
  for (int infinite = 0; infinite < 2; ++infinite) {
    const gannet_setting settings[] = {
        GIVEN, {.key = "mean", .text = "trained"}, {.key = "kernel", .text = "infinite"}};
    gannet_surrogate *s = make(world, 6 + infinite, settings);
    fit(s, N, 1);
    assert_ok(gannet_surrogate_sample(s, 1, 1, 1));
    for (int k = 0; k < D; ++k) {
      double at[D] = {0.3, 0.8}, mean[3], sd[3], draw[3], by_mean[D], by_sd[D], by_draw[D];
      assert_ok(gannet_surrogate_predict_gradient(s, at, mean, sd, by_mean, by_sd));
      assert_ok(gannet_surrogate_draw_gradient(s, 0, at, draw, by_draw));
      assert_ok(gannet_surrogate_draw_values(s, 1, at, draw + 1, 1));
      assert_near(draw[0], draw[1], 1e-9);
      at[k] += step;
      assert_ok(gannet_surrogate_predict(s, 1, at, mean + 1, sd + 1));
      assert_ok(gannet_surrogate_draw_values(s, 1, at, draw + 1, 1));
      at[k] -= 2 * step;
      assert_ok(gannet_surrogate_predict(s, 1, at, mean + 2, sd + 2));
      assert_ok(gannet_surrogate_draw_values(s, 1, at, draw + 2, 1));
      assert_near(by_mean[k], (mean[1] - mean[2]) / (2 * step), 1e-5);
      assert_near(by_draw[k], (draw[1] - draw[2]) / (2 * step), 1e-5);
      assert_ok(gannet_surrogate_predict(s, 1, at, mean, NULL));
      assert_near(mean[0], mean[2], 1e-12);
    }
    gannet_surrogate_destroy(&s);
  }
}

/* The published way of training gets below the variance of the data, whatever came before. */
static void gradient_descent_learns_from_the_fixed_start(void **state) {
  (void)state;
  const gannet_setting settings[] = {GIVEN,
                                     {.key = "mean", .text = "trained"},
                                     {.key = "trainer", .text = "sgd"},
                                     {.key = "amplitude", .text = "0.5"},
                                     {.key = "noise", .text = "0.005"},
                                     {.key = "width", .text = "500"},
                                     {.key = "activation", .text = "relu"}};
  gannet_surrogate *once = make(world, 11, settings), *again = make(world, 11, settings);
  double mean[2][N], misfit = 0, square = 0;
  fit(once, N, 7);
  fit(again, N / 2, 1);
  fit(again, N, 7);
  assert_ok(gannet_surrogate_predict(once, N, x, mean[0], NULL));
  assert_ok(gannet_surrogate_predict(again, N, x, mean[1], NULL));
  assert_memory_equal(mean[0], mean[1], sizeof mean[0]);
  for (int i = 0; i < N; ++i) {
    misfit += (mean[0][i] - y[i]) * (mean[0][i] - y[i]);
    square += y[i] * y[i];
  }
  assert_true(misfit < 0.5 * square);
  gannet_surrogate_destroy(&once);
  gannet_surrogate_destroy(&again);
}

static void ranks_agree_with_one_rank(void **state) {
  (void)state;
  const gannet_setting settings[] = {
      GIVEN, {.key = "mean", .text = "trained"}, {.key = "trainer", .text = "adam"}};
  gannet_surrogate *group = make(world, 7, settings), *alone = make(self, 7, settings);
  double mean[2][M], sd[2][M];
  fit(group, N, 2);
  fit(alone, N, 2);
  assert_ok(gannet_surrogate_predict(group, M, query, mean[0], sd[0]));
  assert_ok(gannet_surrogate_predict(alone, M, query, mean[1], sd[1]));
  assert_memory_equal(mean[0], mean[1], sizeof mean[0]);
  assert_memory_equal(sd[0], sd[1], sizeof sd[0]);
  gannet_surrogate_destroy(&group);
  gannet_surrogate_destroy(&alone);
}

/* A rate at which sgd diverges is lowered; a loss that is not finite at any rate is told. */
static void a_training_that_diverges_is_told(void **state) {
  (void)state;
  const gannet_setting settings[] = {GIVEN,
                                     {.key = "mean", .text = "trained"},
                                     {.key = "trainer", .text = "sgd"},
                                     {.key = "activation", .text = "relu"},
                                     {.key = "learning_rate", .text = "1000"}};
  gannet_surrogate *s = make(world, 9, settings);
  const gannet_data data = {N, x, y, NAN, NULL};
  double mean = 0, huge[N];
  assert_ok(gannet_surrogate_fit(s, &data, true, 1));
  assert_ok(gannet_surrogate_predict(s, 1, query, &mean, NULL));
  memcpy(huge, y, sizeof huge);
  huge[2] = 1e200;
  const gannet_data endless = {N, x, huge, NAN, NULL};
  assert_fails(GANNET_ERR_NUMERIC, "training with sgd diverged",
               gannet_surrogate_fit(s, &endless, false, 2));
  assert_fails(GANNET_ERR_STATE, "not fitted", gannet_surrogate_predict(s, 1, query, &mean, NULL));
  gannet_surrogate_destroy(&s);
}

/* Those that are given stay, those that are not move; given by all four, nothing is learnt. */
static void hyper_parameters_that_are_given_are_kept(void **state) {
  (void)state;
  static const struct {
    const char *key, *text;
    int hyper;
  } given[] = {{"amplitude", "2.5", TANGENT_AMPLITUDE},
               {"noise", "0.03", TANGENT_NOISE},
               {"bias", "0.7", TANGENT_BIAS},
               {"input_scale", "0.4", TANGENT_RHO}};
  for (int kernel = 0; kernel < 2; ++kernel)
    for (int k = 0; k < 4; ++k) {
      const gannet_setting settings[] = {{.key = given[k].key, .text = given[k].text},
                                         {.key = "kernel", .text = "network"},
                                         {.key = "width", .text = "32"}};
      gannet_surrogate *s = make(world, kernel ? 3 : 1, settings);
      double hyper[4], before[4];
      assert_int_equal(gannet_surrogate_n_hyper(s), 4);
      gannet_surrogate_get_hyper(s, before);
      fit(s, N, 1);
      gannet_surrogate_get_hyper(s, hyper);
      assert_near(hyper[given[k].hyper], log(strtod(given[k].text, NULL)), 1e-15);
      int moved = 0;
      for (int i = 0; i < 4; ++i) moved += hyper[i] != before[i];
      assert_int_equal(moved, 3);
      gannet_surrogate_destroy(&s);
    }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_network_that_stays_linear_is_the_posterior_mean),
      cmocka_unit_test(a_network_that_learns_is_another_function),
      cmocka_unit_test(a_trained_mean_has_seen_all_observations),
      cmocka_unit_test(gradients_are_differences),
      cmocka_unit_test(gradient_descent_learns_from_the_fixed_start),
      cmocka_unit_test(ranks_agree_with_one_rank),
      cmocka_unit_test(a_training_that_diverges_is_told),
      cmocka_unit_test(hyper_parameters_that_are_given_are_kept),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  int failed = 1;
  make_data();
  if (gannet_context_create(MPI_COMM_WORLD, 5, &world) == GANNET_OK &&
      gannet_context_create(MPI_COMM_SELF, 5, &self) == GANNET_OK)
    failed = run_ranks(tests);
  gannet_context_destroy(&self);
  gannet_context_destroy(&world);
  (void)MPI_Finalize();
  return failed;
}
