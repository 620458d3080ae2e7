/* test: ranks 1 2 3 labels unit */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "support/harness.h"
#include "surrogate/created.h"

#include "base/memory.h"
#include "surrogate/dense.h"
#include "surrogate/regression.h"

enum { N = 9, P = 5 };
static const double lambda = 0.3;

static gannet_context *context;

static void make(double *phi, double *y) {
  const gannet_stream stream = {3, GANNET_FOR_TEST, 1, 1};
  gannet_random_normal(stream, 0, N * P, phi);
  gannet_random_normal(stream, 100, N, y);
}

static gannet_regression *conditioned(bool primal, int n, const double *phi) {
  gannet_regression *f = NULL;
  assert_ok(gannet_regression_create(P, primal, &f));
  assert_ok(gannet_regression_condition(f, n, phi, lambda, false));
  return f;
}

/* More observations than features and fewer: mean, solutions and quadratic forms. */
static void both_forms_agree_with_dense_algebra(void **state) {
  (void)state;
  double phi[N * P], y[N], sigma[P * P], v[2 * P], expected[P], right[P];
  make(phi, y);
  for (int n = 0; n <= N; n += 3)
    for (int primal = 0; primal < 2; ++primal) {
      gannet_regression *f = conditioned(primal, n, phi);
      double w[P], out[2];
      dense_sigma(n, P, phi, lambda, sigma);
      memset(right, 0, sizeof right);
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < P; ++k) right[k] += phi[i * P + k] * y[i];
      dense_solve(P, sigma, right, expected);
      gannet_regression_mean(f, y, w);
      for (int k = 0; k < P; ++k) assert_near(w[k], expected[k], 1e-11);
      for (int k = 0; k < 2 * P; ++k) v[k] = phi[(N - 2) * P + k];
      gannet_regression_quadratic(f, 2, v, out);
      for (int i = 0; i < 2; ++i) {
        double square = 0;
        dense_solve(P, sigma, phi + (N - 2 + i) * P, expected);
        for (int k = 0; k < P; ++k) square += phi[(N - 2 + i) * P + k] * expected[k];
        assert_near(out[i], square, 1e-11);
      }
      gannet_regression_solve(f, 2, v);
      for (int k = 0; k < P; ++k) assert_near(v[P + k], expected[k], 1e-11);
      gannet_regression_destroy(&f);
      assert_null(f);
    }
}

static void growing_gives_the_same_bits_as_all_at_once(void **state) {
  (void)state;
  double phi[N * P], y[N], one[P], other[P];
  make(phi, y);
  gannet_regression *grown = conditioned(false, 2, phi), *whole = conditioned(false, N, phi);
  for (int n = 3; n <= N; ++n) assert_ok(gannet_regression_condition(grown, n, phi, lambda, true));
  gannet_regression_mean(grown, y, one);
  gannet_regression_mean(whole, y, other);
  assert_memory_equal(one, other, sizeof one);
  gannet_regression_destroy(&grown);
  gannet_regression_destroy(&whole);
}

/* The same random numbers in both forms; second moments of 20000 draws against Sigma^-1: standard
 * errors at most 0.03. */
static void draws_have_the_covariance_of_the_posterior(void **state) {
  (void)state;
  enum { DRAWS = 20000 };
  double phi[N * P], y[N], sigma[P * P], moment[P * P] = {0}, unit[P], column[P];
  make(phi, y);
  gannet_regression *dual = conditioned(false, 4, phi), *primal = conditioned(true, 4, phi);
  for (int j = 0; j < DRAWS; ++j) {
    const gannet_stream prior = {1, GANNET_FOR_PRIOR, 1, (uint64_t)j};
    const gannet_stream noise = {1, GANNET_FOR_NOISE, 1, (uint64_t)j};
    double w[P], other[P];
    gannet_regression_draw(dual, prior, noise, w);
    for (int a = 0; a < P; ++a)
      for (int b = 0; b < P; ++b) moment[a * P + b] += w[a] * w[b] / DRAWS;
    if (j > 10) continue;
    gannet_regression_draw(primal, prior, noise, other);
    for (int k = 0; k < P; ++k) assert_near(w[k], other[k], 1e-10);
  }
  dense_sigma(4, P, phi, lambda, sigma);
  for (int a = 0; a < P; ++a) {
    memset(unit, 0, sizeof unit);
    unit[a] = 1;
    dense_solve(P, sigma, unit, column);
    for (int b = 0; b < P; ++b) assert_near(moment[a * P + b], column[b], 0.13);
  }
  gannet_regression_destroy(&dual);
  gannet_regression_destroy(&primal);
}

/* Sums added in parts and put back are those of all rows; their draws have the covariance too. */
static void sums_do_without_rows(void **state) {
  (void)state;
  enum { DRAWS = 20000 };
  double phi[N * P], y[N], sigma[P * P], moment[P * P] = {0}, kept[P * P], v[P], w[P], product[P];
  gannet_regression *f = NULL;
  make(phi, y);
  assert_ok(gannet_regression_create(P, true, &f));
  gannet_regression_sums_clear(f);
  gannet_regression_sums_add(f, 2, phi);
  gannet_regression_sums_add(f, 2, phi + 2 * P);
  gannet_regression_sums_save(f, kept);
  gannet_regression_sums_add(f, N - 4, phi + 4 * P);
  gannet_regression_sums_restore(f, kept);
  assert_ok(gannet_regression_sums_factorise(f, lambda));
  dense_sigma(4, P, phi, lambda, sigma);
  for (int k = 0; k < P; ++k) v[k] = phi[4 * P + k];
  dense_solve(P, sigma, phi + 4 * P, w);
  gannet_regression_solve(f, 1, v);
  for (int k = 0; k < P; ++k) assert_near(v[k], w[k], 1e-11);
  gannet_regression_sums_apply(f, v, product);
  for (int k = 0; k < P; ++k) assert_near(product[k] + lambda * v[k], phi[4 * P + k], 1e-11);
  for (int j = 0; j < DRAWS; ++j) {
    const gannet_stream prior = {1, GANNET_FOR_PRIOR, 1, (uint64_t)j};
    gannet_regression_draw(f, prior, prior, w);
    for (int a = 0; a < P * P; ++a) moment[a] += w[a / P] * w[a % P] / DRAWS;
  }
  for (int a = 0; a < P; ++a) {
    double unit[P] = {0};
    unit[a] = 1;
    dense_solve(P, sigma, unit, w);
    for (int b = 0; b < P; ++b) assert_near(moment[a * P + b], w[b], 0.13);
  }
  phi[0] = NAN;
  gannet_regression_sums_add(f, 1, phi);
  assert_fails(GANNET_ERR_NUMERIC, "not finite", gannet_regression_sums_factorise(f, lambda));
  gannet_regression_destroy(&f);
}

/* By leaving each observation out in turn. */
static void leave_one_out_agrees_with_brute_force(void **state) {
  (void)state;
  double phi[N * P], y[N], sum = 0;
  make(phi, y);
  for (int out = 0; out < N; ++out) {
    double rest[N * P], others[N], w[P], h = 0, mean = 0;
    for (int i = 0, at = 0; i < N; ++i) {
      if (i == out) continue;
      memcpy(rest + at * P, phi + i * P, P * sizeof *phi);
      others[at++] = y[i];
    }
    gannet_regression *f = conditioned(true, N - 1, rest);
    gannet_regression_mean(f, others, w);
    gannet_regression_quadratic(f, 1, phi + out * P, &h);
    for (int k = 0; k < P; ++k) mean += w[k] * phi[out * P + k];
    sum += (y[out] - mean) * (y[out] - mean) / (1 + h) / N;
    gannet_regression_destroy(&f);
  }
  for (int primal = 0; primal < 2; ++primal) {
    gannet_regression *f = conditioned(primal, N, phi);
    assert_near(gannet_regression_leave_one_out(f, y), sum, 1e-10);
    gannet_regression_destroy(&f);
  }
}

/* Equal rows and no ridge to speak of: lambda is raised instead of failing. Features that are not
 * numbers are an error. */
static void singular_features_are_regularised_and_broken_ones_refused(void **state) {
  (void)state;
  double phi[4 * P], w[P];
  const double y[4] = {1, 1, 1, 1};
  for (int i = 0; i < 4 * P; ++i) phi[i] = 1e3 * (1 + i % P);
  gannet_regression *f = NULL;
  assert_ok(gannet_regression_create(P, false, &f));
  assert_ok(gannet_regression_condition(f, 4, phi, 1e-30, false));
  gannet_regression_mean(f, y, w);
  double value = 0;
  for (int k = 0; k < P; ++k) value += w[k] * phi[k];
  assert_near(value, 1, 1e-6);
  phi[3] = NAN;
  assert_fails(GANNET_ERR_NUMERIC, "not finite",
               gannet_regression_condition(f, 4, phi, lambda, false));
  gannet_regression_destroy(&f);
}

/* 400 observations of 20 features with variance 4 and noise 0.01: both are found within a factor
 * of 2 (about 3 standard errors of the variance of 20 weights), alike on all ranks; given noise
 * stays. */
static void evidence_finds_the_variances(void **state) {
  (void)state;
  enum { ROWS = 400, WEIGHTS = 20 };
  static double phi[ROWS * WEIGHTS], y[ROWS], w[WEIGHTS];
  const gannet_stream stream = {8, GANNET_FOR_TEST, 2, 2};
  gannet_random_normal(stream, 0, ROWS * WEIGHTS, phi);
  gannet_random_normal(stream, 9000, WEIGHTS, w);
  gannet_random_normal(stream, 9100, ROWS, y);
  for (int i = 0; i < ROWS; ++i) {
    y[i] *= 0.1;
    for (int k = 0; k < WEIGHTS; ++k) y[i] += 2 * w[k] * phi[i * WEIGHTS + k];
  }
  gannet_regression_data data = {ROWS, WEIGHTS, phi, y, NAN, 1e-8, 100};
  double hyper[GANNET_REGRESSION_HYPER] = {0, 0};
  assert_ok(gannet_regression_learn(context, &data, hyper));
  assert_near(hyper[GANNET_REGRESSION_PRIOR], log(4), log(2.5));
  assert_near(hyper[GANNET_REGRESSION_NOISE], log(0.01), 0.25);
  assert_ok(gannet_same(context->comm, hyper, sizeof hyper, "variances"));
  data.noise_var = 0.04;
  assert_ok(gannet_regression_learn(context, &data, hyper));
  assert_near(hyper[GANNET_REGRESSION_NOISE], log(0.04), 1e-12);
  memset(phi, 0, sizeof phi);
  assert_fails(GANNET_ERR_NUMERIC, "mean square 0", gannet_regression_learn(context, &data, hyper));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_forms_agree_with_dense_algebra),
      cmocka_unit_test(growing_gives_the_same_bits_as_all_at_once),
      cmocka_unit_test(draws_have_the_covariance_of_the_posterior),
      cmocka_unit_test(sums_do_without_rows),
      cmocka_unit_test(leave_one_out_agrees_with_brute_force),
      cmocka_unit_test(singular_features_are_regularised_and_broken_ones_refused),
      cmocka_unit_test(evidence_finds_the_variances),
  };
  return run_with_context(&argc, &argv, &context, tests);
}
