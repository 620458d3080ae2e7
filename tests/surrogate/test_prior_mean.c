/* test: ranks 1 2 labels unit */
/* With a prior mean m(x) and a scale, a model is m(x) + scale times the model of (y - m(x)) /
 * scale, in all that it tells; and its gradients, and those of sums of draws, are those of
 * differences. */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "support/harness.h"

#include "surrogate/created.h"

enum { D = 2, N = 14, Q = 3, M = 4 };

static gannet_context *context;

static const double scale = 2.5, noise_var = 0.02;
static const double query[M * D] = {0.3, 0.8, 0.55, 0.4, 0.15, 0.2, 0.9, 0.65};

static gannet_err evaluate(const void *user, int n, const double *x, double *values,
                           double *gradients) {
  (void)user;
  for (int i = 0; i < n; ++i) {
    const double a = x[i * D], b = x[i * D + 1];
    values[i] = 3 * a - 2 * a * b + b * b;
    if (!gradients) continue;
    gradients[i * D] = 3 - 2 * b;
    gradients[i * D + 1] = -2 * a + 2 * b;
  }
  return GANNET_OK;
}

typedef struct {
  gannet_surrogate *whole; /* with the prior mean */
  gannet_surrogate *rest;  /* of (y - m(x)) / scale */
} pair;

static pair make_pair(const char *name) {
  double x[N * D], y[N], m[N], rest[N];
  gannet_random_uniform((gannet_stream){8, GANNET_FOR_TEST, 1, 1}, 0, N * D, x);
  assert_ok(evaluate(NULL, N, x, m, NULL));
  for (int i = 0; i < N; ++i) {
    y[i] = m[i] + sin(5 * x[i * D]) + x[i * D + 1];
    rest[i] = (y[i] - m[i]) / scale;
  }
  pair p = {surrogate_named(context, name, D, 0, NULL), surrogate_named(context, name, D, 0, NULL)};
  const gannet_prior_mean prior = {evaluate, NULL, scale};
  gannet_surrogate_set_prior_mean(p.whole, &prior);
  const gannet_data data = {N, x, y, noise_var, NULL};
  const gannet_data seen = {N, x, rest, noise_var / (scale * scale), NULL};
  assert_ok(gannet_surrogate_fit(p.whole, &data, false, 1));
  assert_ok(gannet_surrogate_fit(p.rest, &seen, false, 1));
  assert_ok(gannet_surrogate_sample(p.whole, Q, 1.3, 2));
  assert_ok(gannet_surrogate_sample(p.rest, Q, 1.3, 2));
  return p;
}

static void drop(pair *p) {
  gannet_surrogate_destroy(&p->whole);
  gannet_surrogate_destroy(&p->rest);
}

static void compare(const pair *p) {
  double m[M], mean[2][M], sd[2][M], draws[2][Q * M], covariance[2][M * M], lower[2], slope[D];
  assert_ok(evaluate(NULL, M, query, m, NULL));
  const gannet_surrogate *const both[2] = {p->whole, p->rest};
  for (int k = 0; k < 2; ++k) {
    assert_ok(gannet_surrogate_predict(both[k], M, query, mean[k], sd[k]));
    assert_ok(gannet_surrogate_draw_values(both[k], M, query, draws[k], M));
    assert_ok(gannet_surrogate_covariance(both[k], M, query, M, query, covariance[k]));
    assert_ok(gannet_surrogate_lower(both[k], 2, query, &lower[k], slope));
  }
  for (int i = 0; i < M; ++i) {
    assert_near(mean[0][i], m[i] + scale * mean[1][i], 1e-12);
    assert_near(sd[0][i], scale * sd[1][i], 1e-12);
    for (int j = 0; j < Q; ++j)
      assert_near(draws[0][j * M + i], m[i] + scale * draws[1][j * M + i], 1e-11);
    for (int j = 0; j < M; ++j)
      assert_near(covariance[0][i * M + j], scale * scale * covariance[1][i * M + j], 1e-11);
  }
  assert_near(lower[0], m[0] + scale * lower[1], 1e-11);
  assert_near(gannet_surrogate_noise_var(p->whole),
              scale * scale * gannet_surrogate_noise_var(p->rest), 1e-12);
}

static double weighted_draws(const gannet_surrogate *s, const double *at, const double *weights) {
  double values[Q], sum = 0;
  assert_ok(gannet_surrogate_draws_at(s, at, values));
  for (int j = 0; j < Q; ++j) sum += weights[j] * values[j];
  return sum;
}

static void check_slopes(const gannet_surrogate *s) {
  const double h = 1e-5, weights[Q] = {0.4, -1.1, 2};
  double at[D], mean[2], sd[2], by_mean[D], by_sd[D], unused[D], by_draws[D], low[2], by_low[D];
  memcpy(at, query, sizeof at);
  assert_ok(gannet_surrogate_predict_gradient(s, at, mean, sd, by_mean, by_sd));
  assert_ok(gannet_surrogate_draws_slope(s, at, weights, by_draws));
  assert_ok(gannet_surrogate_lower(s, 1.5, at, low, by_low));
  for (int k = 0; k < D; ++k) {
    double sums[2];
    for (int side = 0; side < 2; ++side) {
      at[k] = query[k] + (side ? -h : h);
      assert_ok(gannet_surrogate_predict(s, 1, at, &mean[side], &sd[side]));
      assert_ok(gannet_surrogate_lower(s, 1.5, at, &low[side], unused));
      sums[side] = weighted_draws(s, at, weights);
    }
    at[k] = query[k];
    assert_near(by_mean[k], (mean[0] - mean[1]) / (2 * h), 1e-5);
    assert_near(by_sd[k], (sd[0] - sd[1]) / (2 * h), 1e-4);
    assert_near(by_draws[k], (sums[0] - sums[1]) / (2 * h), 1e-4);
    assert_near(by_low[k], (low[0] - low[1]) / (2 * h), 1e-3);
  }
}

static void check(const char *name) {
  pair p = make_pair(name);
  compare(&p);
  check_slopes(p.whole);
  check_slopes(p.rest);
  drop(&p);
}

static void gaussian_processes(void **state) {
  (void)state;
  check("gp");
}

static void tangent_kernels(void **state) {
  (void)state;
  check("tangent-kernel");
}

static void parametric_models(void **state) {
  (void)state;
  check("parametric");
}

static void ensembles(void **state) {
  (void)state;
  check("ensemble");
}

static void physics_informed_networks(void **state) {
  (void)state;
  check("pinn");
}

static void linear_heads(void **state) {
  (void)state;
  check("linear-head");
}

/* Their means have steps: only values are compared. */
static void forests(void **state) {
  (void)state;
  pair p = make_pair("forest");
  compare(&p);
  drop(&p);
}

/* The scale of a prior mean would be missing from a density of the model's own values. */
static void densities_are_not_told(void **state) {
  (void)state;
  pair p = make_pair("gp");
  double sum = 0;
  assert_ok(gannet_surrogate_log_predictive(p.whole, &sum));
  assert_true(isnan(sum));
  assert_ok(gannet_surrogate_log_predictive(p.rest, &sum));
  assert_true(isfinite(sum));
  assert_int_equal(gannet_surrogate_predict_gradients(p.rest, -1, query, &sum, &sum, &sum, &sum),
                   GANNET_ERR_SHAPE);
  drop(&p);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gaussian_processes),
      cmocka_unit_test(ensembles),
      cmocka_unit_test(physics_informed_networks),
      cmocka_unit_test(tangent_kernels),
      cmocka_unit_test(parametric_models),
      cmocka_unit_test(linear_heads),
      cmocka_unit_test(forests),
      cmocka_unit_test(densities_are_not_told),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &context));
  const int failed = run_ranks(tests);
  gannet_context_destroy(&context);
  (void)MPI_Finalize();
  return failed;
}
