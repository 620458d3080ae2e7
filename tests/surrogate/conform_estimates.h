/* Checks that a surrogate's estimates of draws and moments are near them. */
#ifndef GANNET_TESTS_CONFORM_ESTIMATES_H
#define GANNET_TESTS_CONFORM_ESTIMATES_H

#include "surrogate/conform_surrogate.h"

/* Largest error of estimates in a precision over the range of the draws; 0 where there are none. */
static inline double error_of_estimates(gannet_surrogate *s, gannet_precision precision, int m,
                                        const double *x, int q, const double *exact) {
  static double estimate[4096];
  double low = INFINITY, high = -INFINITY, error = 0;
  bool able = false;
  assert_true(q * m <= 4096);
  assert_ok(gannet_surrogate_estimate_prepare(s, precision, &able));
  if (!able) return 0;
  assert_ok(gannet_surrogate_draw_estimates(s, m, x, estimate, m));
  for (int i = 0; i < q * m; ++i) {
    low = fmin(low, exact[i]);
    high = fmax(high, exact[i]);
    error = fmax(error, fabs(estimate[i] - exact[i]));
  }
  return error / (high - low);
}

/* In both precisions, where there are such. */
static inline void estimates_are_near_the_draws(const conform *c) {
  enum { M = GANNET_TILE + 3, Q = 3 };
  conform_data data;
  static double x[M * 4], exact[Q * M];
  bool able = true;
  conform_make(&data, 4, 1);
  const gannet_data all = conform_first(&data, 25, 0.01);
  gannet_surrogate *s = conform_fitted(c, &all, 4, true);
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 2, 4}, 0, M * 4, x);
  assert_fails(GANNET_ERR_STATE, "no draws",
               gannet_surrogate_estimate_prepare(s, GANNET_PRECISION_SINGLE, &able));
  assert_ok(gannet_surrogate_sample(s, Q, 1, 1));
  assert_fails(GANNET_ERR_STATE, "no estimates",
               gannet_surrogate_draw_estimates(s, M, x, exact, M));
  assert_ok(gannet_surrogate_draw_values(s, M, x, exact, M));
  assert_true(error_of_estimates(s, GANNET_PRECISION_SINGLE, M, x, Q, exact) < 1e-4);
  assert_true(error_of_estimates(s, GANNET_PRECISION_DOUBLE, M, x, Q, exact) < 1e-7);
  assert_ok(gannet_surrogate_fit(s, &all, false, 1));
  assert_fails(GANNET_ERR_STATE, "no estimates",
               gannet_surrogate_draw_estimates(s, M, x, exact, M));
  gannet_surrogate_destroy(&s);
}

/* Estimates of means and variances, relative to the spread of means and to the largest variance. */
static inline void assert_estimates(int n, const double *mean, const double *sd,
                                    const double *estimate, const double *variance, double near) {
  double size = 0, spread = 0;
  for (int i = 0; i < n; ++i) {
    size = fmax(size, fabs(mean[i]));
    spread = fmax(spread, sd[i] * sd[i]);
  }
  for (int i = 0; i < n; ++i) {
    assert_near(estimate[i], mean[i], near * size);
    assert_near(variance[i], sd[i] * sd[i], near * spread);
  }
}

/* Of the moments likewise. */
static inline void moment_estimates_are_near_the_moments(const conform *c) {
  enum { M = GANNET_TILE + 3 };
  conform_data data;
  static double x[M * 4], mean[M], sd[M], m[M], v[M];
  bool able = true;
  conform_make(&data, 4, 1);
  const gannet_data all = conform_first(&data, 25, 0.01);
  gannet_surrogate *s = conform_fitted(c, &all, 4, true);
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 2, 4}, 0, M * 4, x);
  assert_fails(GANNET_ERR_STATE, "no estimates",
               gannet_surrogate_moment_estimates(s, M, x, mean, sd));
  assert_ok(gannet_surrogate_predict(s, M, x, mean, sd));
  for (int p = 0; p < 2; ++p) {
    const double near = p == GANNET_PRECISION_SINGLE ? 1e-3 : 1e-9;
    assert_ok(gannet_surrogate_moments_prepare(s, (gannet_precision)p, &(int){0}, &able));
    if (!able) continue;
    assert_fails(GANNET_ERR_SHAPE, "m = -1", gannet_surrogate_moment_estimates(s, -1, x, m, v));
    assert_ok(gannet_surrogate_moment_estimates(s, M, x, m, v));
    assert_estimates(M, mean, sd, m, v, near);
    assert_ok(gannet_surrogate_fit(s, &all, false, 1));
    assert_fails(GANNET_ERR_STATE, "no estimates",
                 gannet_surrogate_moment_estimates(s, M, x, m, v));
  }
  gannet_surrogate_destroy(&s);
}

/* Variances by the first rows, and what rows that are believed explain besides. */
static inline void moment_estimates_go_on_from_known_variances(const conform *c) {
  enum { M = GANNET_TILE + 3, FEW = 25, ALL = 30 };
  conform_data data;
  static double x[M * 4], mean[M], sd[M], m[M], v[M];
  conform_make(&data, 4, 1);
  const gannet_data few = conform_first(&data, FEW, 0.01), all = conform_first(&data, ALL, 0.01);
  gannet_surrogate *s = conform_fitted(c, &few, 4, false);
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 2, 4}, 0, M * 4, x);
  for (int p = 0; p < 2; ++p) {
    const double near = p == GANNET_PRECISION_SINGLE ? 1e-3 : 1e-9;
    int rows = 0;
    bool able = false;
    assert_ok(gannet_surrogate_fit(s, &few, false, 1));
    assert_ok(gannet_surrogate_moments_prepare(s, (gannet_precision)p, &rows, &able));
    if (!able) continue;
    assert_int_equal(rows, FEW);
    assert_ok(gannet_surrogate_moment_estimates(s, M, x, m, v));
    assert_ok(gannet_surrogate_believe(s, &all, ALL - FEW, 1));
    assert_ok(gannet_surrogate_moments_prepare(s, (gannet_precision)p, &rows, &able));
    assert_true(able);
    assert_int_equal(rows, ALL);
    assert_ok(gannet_surrogate_moment_estimates(s, M, x, m, v));
    assert_ok(gannet_surrogate_predict(s, M, x, mean, sd));
    assert_estimates(M, mean, sd, m, v, near);
    rows = ALL + 1;
    assert_ok(gannet_surrogate_moments_prepare(s, (gannet_precision)p, &rows, &able));
    assert_false(able);
  }
  gannet_surrogate_destroy(&s);
}

#endif
