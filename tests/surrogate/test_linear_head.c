/* test: ranks 1 2 3 labels unit */
#include <math.h>
#include <petscsys.h>
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
 * eqs. (3)-(6), with K^-1 / beta = noise Sigma^-1. */
static void it_is_linear_regression_on_the_last_layer(void **state) {
  (void)state;
  const double prior = 0.7, noise = 0.05, hyper[2] = {log(prior), log(noise)};
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
  dense_sigma(N, FEATURES, phi, noise / prior, sigma);
  dense_solve(FEATURES, sigma, right, w);
  for (double x = 0; x <= 1; x += 0.125) {
    double own[FEATURES], solved[FEATURES], mean = 0, sd = 0, expected = 0, square = 0;
    features(theta, x, own);
    dense_solve(FEATURES, sigma, own, solved);
    for (int k = 0; k < FEATURES; ++k) expected += own[k] * w[k], square += own[k] * solved[k];
    assert_ok(gannet_surrogate_predict(s, 1, &x, &mean, &sd));
    assert_near(mean, expected, 1e-9);
    assert_near(sd, sqrt(noise * square), 1e-9);
  }
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

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_linear_regression_on_the_last_layer),
      cmocka_unit_test(a_failed_training_fails_everywhere),
  };
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  int failed = 1;
  if (gannet_context_create(MPI_COMM_WORLD, SEED, &context) == GANNET_OK) failed = run_ranks(tests);
  gannet_context_destroy(&context);
  PetscFinalize();
  return failed;
}
