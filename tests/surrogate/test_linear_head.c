/* test: ranks 1 2 3 labels unit */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "network/train_alone.h"
#include "support/harness.h"
#include "surrogate/created.h"

#include "surrogate/dense.h"
#include "surrogate/registry.h"

enum { N = 9, WIDTH = 3, FEATURES = 2 * WIDTH + 1, SEED = 5, MOST = 1000 };

static gannet_context *context;

static const double data_x[N] = {0.1, 0.35, 0.8, 0.6, 0.95, 0.22, 0.5, 0.03, 0.71};
static const double data_y[N] = {0.3, -0.4, 0.8, 0.45, 0.9, -0.1, 0.1, 0.5, 0.6};

static gannet_mlp net_of(void) {
  const gannet_activation *activation = NULL;
  assert_ok(gannet_activation_find("tanh", &activation));
  return (gannet_mlp){activation, 2, 1, WIDTH};
}

/* What the surrogate is to have trained, from the same start by the same trainer. */
static void train_again(double *theta) {
  const gannet_mlp net = net_of();
  double z[2 * N], start[MOST];
  assert_true(gannet_mlp_parameters(&net) <= MOST);
  for (int i = 0; i < N; ++i) z[2 * i] = sqrt(3) * (2 * data_x[i] - 1), z[2 * i + 1] = 1;
  gannet_mlp_start(&net, gannet_context_stream(context, GANNET_FOR_WEIGHTS, 0, 0), start);
  const gannet_train_problem problem = {&net, N, z, data_y, 0.01, start, NULL};
  const gannet_train_options how = {GANNET_TRAIN_NEWTON, 20, 50, 50, 0.001};
  assert_ok(train_alone(&problem, &how, gannet_context_stream(context, GANNET_FOR_TRAINING, 1, 0),
                        theta, NULL));
}

/* [c tanh(W_1 z), c tanh(W_2 z), 1] written out. */
static void features(const double *theta, double x, double *phi) {
  const gannet_mlp net = net_of();
  const double z[2] = {sqrt(3) * (2 * x - 1), 1};
  for (int half = 0; half < 2; ++half)
    for (int j = 0; j < WIDTH; ++j) {
      const double *w = theta + (size_t)half * gannet_mlp_parameters(&net) + 2 * j;
      phi[half * WIDTH + j] = tanh(w[0] * z[0] + w[1] * z[1]) / sqrt(WIDTH);
    }
  phi[FEATURES - 1] = 1;
}

static gannet_surrogate *create(void) {
  const gannet_setting small[] = {{.key = "width", .text = "3"}, {.key = "layers", .text = "1"}};
  return surrogate_with(context, &gannet_surrogate_linear_head, 1, 2, small);
}

/* Mean and deviation by dense algebra on the features of the trained network: Snoek et al. 2015,
 * eqs. (3)-(6), with scale Sigma^-1 in the place of K^-1 / beta. */
static void it_is_linear_regression_on_the_last_layer(void **state) {
  (void)state;
  const double ridge = 0.07, scale = 0.05, hyper[] = {log(0.01), log(ridge), log(scale), log(0.02)};
  double theta[2 * MOST], phi[N * FEATURES], sigma[FEATURES * FEATURES];
  double right[FEATURES] = {0}, w[FEATURES];
  const gannet_data data = {N, data_x, data_y, NAN, NULL};
  gannet_surrogate *s = create();
  assert_ok(gannet_surrogate_set_hyper(s, hyper));
  assert_ok(gannet_surrogate_fit(s, &data, false, 1));
  train_again(theta);
  for (int i = 0; i < N; ++i) {
    features(theta, data_x[i], phi + i * FEATURES);
    for (int k = 0; k < FEATURES; ++k) right[k] += phi[i * FEATURES + k] * data_y[i];
  }
  dense_sigma(N, FEATURES, phi, ridge, sigma);
  dense_solve(FEATURES, sigma, right, w);
  for (double x = 0; x <= 1; x += 0.125) {
    double own[FEATURES], solved[FEATURES], mean = 0, sd = 0, expected = 0, square = 0;
    features(theta, x, own);
    dense_solve(FEATURES, sigma, own, solved);
    for (int k = 0; k < FEATURES; ++k) expected += own[k] * w[k], square += own[k] * solved[k];
    assert_ok(gannet_surrogate_predict(s, 1, &x, &mean, &sd));
    assert_near(mean, expected, 1e-9);
    assert_near(sd, sqrt(scale * square), 1e-9);
  }
  assert_near(gannet_surrogate_noise_var(s), 0.02, 1e-12);
  gannet_surrogate_destroy(&s);
}

/* A training whose loss is not finite is told everywhere. */
static void a_failed_training_fails_everywhere(void **state) {
  (void)state;
  const gannet_setting sgd[] = {{.key = "trainer", .text = "sgd"},
                                {.key = "activation", .text = "relu"}};
  double y[N];
  memcpy(y, data_y, sizeof y);
  y[4] = 1e200;
  gannet_surrogate *s = surrogate_with(context, &gannet_surrogate_linear_head, 1, 2, sgd);
  const gannet_data data = {N, data_x, y, NAN, NULL};
  assert_fails(GANNET_ERR_NUMERIC, "diverged", gannet_surrogate_fit(s, &data, true, 1));
  gannet_surrogate_destroy(&s);
}

enum { LEARNED = 60, FRESH = 500, LARGEST = 5 };

/* Values of a smooth function of mean 0 and deviation 1 at random points of the cube; noise is
 * added to the first LEARNED. */
static void make_smooth(int d, double noise, double *x, double *y) {
  const gannet_stream points = {11, GANNET_FOR_TEST, (uint64_t)d, 1};
  const gannet_stream errors = {11, GANNET_FOR_TEST, (uint64_t)d, 2};
  const int n = LEARNED + FRESH;
  double error[LEARNED], mean = 0, square = 0;
  gannet_random_uniform(points, 0, (size_t)(n * d), x);
  gannet_random_normal(errors, 0, LEARNED, error);
  for (int i = 0; i < n; ++i) {
    y[i] = 0;
    for (int k = 0; k < d; ++k) y[i] += sin(6 * x[i * d + k] + k);
    mean += y[i] / n;
  }
  for (int i = 0; i < n; ++i) square += (y[i] - mean) * (y[i] - mean) / n;
  for (int i = 0; i < n; ++i) y[i] = (y[i] - mean) / sqrt(square);
  for (int i = 0; i < LEARNED; ++i) y[i] += noise * error[i];
}

/* The root mean square of (y - mean) / sd at points that the model has not seen. By the evidence of
 * the points that the network was trained on it was 3.7, 2.0, 13 and 14 here. */
static void errors_are_as_large_as_it_says(void **state) {
  (void)state;
  static double x[(LEARNED + FRESH) * LARGEST], y[LEARNED + FRESH], mean[FRESH], sd[FRESH];
  for (int which = 0; which < 3; ++which) {
    const int d = which == 0 ? 2 : LARGEST;
    const gannet_data data = {LEARNED, x, y, NAN, NULL};
    double sum = 0;
    make_smooth(d, which == 1 ? 0.1 : 0, x, y);
    gannet_surrogate *s = surrogate_with(context, &gannet_surrogate_linear_head, d, 0, NULL);
    assert_ok(gannet_surrogate_fit(s, &data, true, 1));
    assert_ok(gannet_surrogate_predict(s, FRESH, x + LEARNED * d, mean, sd));
    for (int i = 0; i < FRESH; ++i) sum += pow((y[LEARNED + i] - mean[i]) / sd[i], 2) / FRESH;
    assert_true(sqrt(sum) > 0.5 && sqrt(sum) < 2);
    gannet_surrogate_destroy(&s);
  }
}

/* Results of the folds come from different ranks; a decay and a noise that are given are kept. */
static void what_is_learned_does_not_depend_on_ranks(void **state) {
  (void)state;
  static double x[(LEARNED + FRESH) * LARGEST], y[LEARNED + FRESH];
  const gannet_setting given[] = {{.key = "decay", .text = "0.02"}};
  const gannet_data data = {30, x, y, 0.04, NULL};
  gannet_context *alone = NULL;
  assert_ok(gannet_context_create(MPI_COMM_SELF, SEED, &alone));
  make_smooth(2, 0.1, x, y);
  for (int n_given = 0; n_given < 2; ++n_given) {
    double hyper[2][4];
    for (int who = 0; who < 2; ++who) {
      gannet_surrogate *s =
          surrogate_with(who ? alone : context, &gannet_surrogate_linear_head, 2, n_given, given);
      assert_ok(gannet_surrogate_fit(s, &data, true, 1));
      assert_int_equal(gannet_surrogate_n_hyper(s), 4);
      gannet_surrogate_get_hyper(s, hyper[who]);
      assert_near(gannet_surrogate_noise_var(s), 0.04, 0);
      gannet_surrogate_destroy(&s);
    }
    assert_memory_equal(hyper[0], hyper[1], sizeof hyper[0]);
    if (n_given) assert_near(exp(hyper[0][0]), 0.02, 1e-12);
  }
  gannet_context_destroy(&alone);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_linear_regression_on_the_last_layer),
      cmocka_unit_test(errors_are_as_large_as_it_says),
      cmocka_unit_test(what_is_learned_does_not_depend_on_ranks),
      cmocka_unit_test(a_failed_training_fails_everywhere),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  int failed = 1;
  if (gannet_context_create(MPI_COMM_WORLD, SEED, &context) == GANNET_OK) failed = run_ranks(tests);
  gannet_context_destroy(&context);
  (void)MPI_Finalize();
  return failed;
}
