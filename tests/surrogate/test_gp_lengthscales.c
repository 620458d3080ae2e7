/* test: serial labels unit */
#include <math.h>
#include <mpi.h>

#include "support/harness.h"
#include "surrogate/created.h"

#include "base/random.h"
#include "surrogate/likelihood.h"
#include "surrogate/models/gp/gp.h"
#include "surrogate/registry.h"

enum { N = 40, D_MOST = 8, N_HYPER_MOST = GP_LENGTH + D_MOST };

static gannet_context *context;
static double x[N * D_MOST], y[N];
static const double noise = 1e-4;

/* A Gaussian process of Matern-5/2 that has learnt from a smooth function. weight: [d] of the
 * coordinates */
static gannet_surrogate *learn(const char *prior, int d, const double *weight) {
  const gannet_setting settings[] = {{.key = "lengthscales", .text = "ard"},
                                     {.key = "lengthscale_prior", .text = prior},
                                     {.key = "fit_evaluations", .text = "1000"}};
  gannet_surrogate *s = surrogate_with(context, &gannet_surrogate_gp, d, 3, settings);
  const gannet_data data = {N, x, y, noise, NULL};
  gannet_random_uniform((gannet_stream){5, GANNET_FOR_TEST, 0, 0}, 0, (size_t)N * (size_t)d, x);
  double mean = 0, square = 0;
  for (int i = 0; i < N; ++i) {
    y[i] = 0;
    for (int k = 0; k < d; ++k) y[i] += weight[k] * sin(4 * x[i * d + k] + k);
    mean += y[i] / N;
    square += y[i] * y[i] / N;
  }
  for (int i = 0; i < N; ++i) y[i] = (y[i] - mean) / sqrt(square - mean * mean);
  assert_ok(gannet_surrogate_fit(s, &data, true, 1));
  return s;
}

/* Minus the logarithm of the evidence times the priors of pooled lengthscales, by the formulas of
 * docs/methods/gaussian-processes.md. */
static double penalty_of(int d, const double *hyper) {
  const double *t = hyper + GP_LENGTH;
  double value = 0, mean = 0;
  gannet_likelihood *l = NULL;
  assert_ok(gannet_likelihood_create(NULL, N, true, &l));
  double *k = gannet_likelihood_kernel(l);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      double square = 0;
      for (int c = 0; c < d; ++c) square += pow((x[i * d + c] - x[j * d + c]) * exp(-t[c]), 2);
      const double r = sqrt(5 * square);
      k[i * N + j] = exp(hyper[GP_VARIANCE] - r) * (1 + r + r * r / 3) + (i == j ? noise : 0);
    }
  assert_ok(gannet_likelihood_evaluate(l, y, &value));
  gannet_likelihood_destroy(&l);
  for (int c = 0; c < d; ++c) mean += t[c] / d;
  value += pow(hyper[GP_VARIANCE] / 1.5, 2) / 2;
  value += pow(mean - sqrt(2) - log(d) / 2, 2) / 6 + mean;
  for (int c = 0; c < d; ++c) value += log(1 + pow((t[c] - mean) / 0.3, 2));
  return value;
}

static void pooled_lengthscales_are_a_maximum(void **state) {
  (void)state;
  const double weight[] = {1, 0.6, 0.1, 1.5, 1};
  double hyper[N_HYPER_MOST];
  gannet_surrogate *s = learn("pooled", 5, weight);
  gannet_surrogate_get_hyper(s, hyper);
  const double least = penalty_of(5, hyper);
  for (int i = 0; i < GP_LENGTH + 5; ++i) {
    const double found = hyper[i], step = 0.03;
    if (i == GP_NOISE) continue; /* it is given */
    hyper[i] = found + step;
    const double above = penalty_of(5, hyper);
    hyper[i] = found - step;
    const double below = penalty_of(5, hyper);
    hyper[i] = found;
    if (!(above > least && below > least))
      fail_msg("%g at hyperparameter %d, and %g and %g beside it", least, i, below, above);
  }
  gannet_surrogate_destroy(&s);
}

/* The longest lengthscale divided by the shortest one, and the coordinate of the latter. */
static double spread_of(const gannet_surrogate *s, int d, int *shortest) {
  double hyper[N_HYPER_MOST], least = INFINITY, most = -INFINITY;
  gannet_surrogate_get_hyper(s, hyper);
  for (int k = 0; k < d; ++k) {
    if (hyper[GP_LENGTH + k] < least) *shortest = k;
    least = fmin(least, hyper[GP_LENGTH + k]);
    most = fmax(most, hyper[GP_LENGTH + k]);
  }
  return exp(most - least);
}

static void few_results_leave_lengthscales_equal_but_for_clear_exceptions(void **state) {
  (void)state;
  const double alike[] = {1, 1, 1, 1, 1, 1, 1, 1};
  const double alone[] = {0.02, 0.02, 0.02, 2, 0.02, 0.02, 0.02, 0.02};
  int shortest = -1;
  gannet_surrogate *pooled = learn("pooled", 8, alike), *apart = learn("independent", 8, alike);
  const double spread = spread_of(pooled, 8, &shortest);
  assert_true(spread < 1.6 && spread < 0.6 * spread_of(apart, 8, &shortest));
  gannet_surrogate_destroy(&pooled);
  gannet_surrogate_destroy(&apart);
  pooled = learn("pooled", 8, alone);
  assert_true(spread_of(pooled, 8, &shortest) > 5);
  assert_int_equal(shortest, 3);
  gannet_surrogate_destroy(&pooled);
}

static void three_lengthscales_are_not_pooled(void **state) {
  (void)state;
  const double weight[] = {1, 0.1, 0.3};
  double pooled[GP_LENGTH + 3], apart[GP_LENGTH + 3];
  gannet_surrogate *s = learn("pooled", 3, weight);
  gannet_surrogate_get_hyper(s, pooled);
  gannet_surrogate_destroy(&s);
  s = learn("independent", 3, weight);
  gannet_surrogate_get_hyper(s, apart);
  gannet_surrogate_destroy(&s);
  assert_memory_equal(pooled, apart, sizeof apart);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pooled_lengthscales_are_a_maximum),
      cmocka_unit_test(few_results_leave_lengthscales_equal_but_for_clear_exceptions),
      cmocka_unit_test(three_lengthscales_are_not_pooled),
  };
  return run_with_context(&argc, &argv, &context, tests);
}
