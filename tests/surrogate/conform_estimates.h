/* Checks that a surrogate's estimates of draws and moments are near them. */
#ifndef GANNET_TESTS_CONFORM_ESTIMATES_H
#define GANNET_TESTS_CONFORM_ESTIMATES_H

#include "surrogate/conform_surrogate.h"

/* Largest error of estimates over the range of the draws; 0 where there are none. */
static inline double error_of_estimates(gannet_surrogate *s, int m, const double *x, int q,
                                        const double *exact) {
  static double estimate[4096];
  double low = INFINITY, high = -INFINITY, error = 0;
  bool able = false;
  assert_true(q * m <= 4096);
  assert_ok(gannet_surrogate_estimate_prepare(s, &able));
  if (!able) return 0;
  assert_ok(gannet_surrogate_draw_estimates(s, m, x, estimate, m));
  for (int i = 0; i < q * m; ++i) {
    low = fmin(low, exact[i]);
    high = fmax(high, exact[i]);
    error = fmax(error, fabs(estimate[i] - exact[i]));
  }
  return error / (high - low);
}

/* Where there are such. */
static inline void estimates_are_near_the_draws(const conform *c) {
  enum { M = GANNET_TILE + 3, Q = 3 };
  conform_data data;
  static double x[M * 4], exact[Q * M];
  bool able = true;
  conform_make(&data, 4, 1);
  const gannet_data all = conform_first(&data, 25, 0.01);
  gannet_surrogate *s = conform_fitted(c, &all, 4, true);
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 2, 4}, 0, M * 4, x);
  assert_fails(GANNET_ERR_STATE, "no draws", gannet_surrogate_estimate_prepare(s, &able));
  assert_ok(gannet_surrogate_sample(s, Q, 1, 1));
  assert_fails(GANNET_ERR_STATE, "no estimates",
               gannet_surrogate_draw_estimates(s, M, x, exact, M));
  assert_ok(gannet_surrogate_draw_values(s, M, x, exact, M));
  assert_true(error_of_estimates(s, M, x, Q, exact) < 1e-7);
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
  const double near = 1e-9;
  assert_ok(gannet_surrogate_moments_prepare(s, &able));
  if (!able) {
    gannet_surrogate_destroy(&s);
    return;
  }
  assert_fails(GANNET_ERR_SHAPE, "m = -1", gannet_surrogate_moment_estimates(s, -1, x, m, v));
  assert_ok(gannet_surrogate_moment_estimates(s, M, x, m, v));
  assert_estimates(M, mean, sd, m, v, near);
  assert_ok(gannet_surrogate_fit(s, &all, false, 1));
  assert_fails(GANNET_ERR_STATE, "no estimates", gannet_surrogate_moment_estimates(s, M, x, m, v));
  gannet_surrogate_destroy(&s);
}

/* What scans of later points of a batch rest on: a model that is told its own mean keeps it, and is
 * nowhere less certain. */
static inline void its_own_mean_leaves_the_mean_and_explains_more(const conform *c) {
  enum { M = 200, FEW = 25, ALL = 30 };
  conform_data data;
  static double x[M * 4], mean[M], sd[M], after[M], sd_after[M];
  conform_make(&data, 4, 1);
  gannet_data few = conform_first(&data, FEW, 0.01), all = conform_first(&data, ALL, 0.01);
  gannet_surrogate *s = conform_fitted(c, &few, 4, true);
  bool able = false;
  assert_ok(gannet_surrogate_moments_prepare(s, &able));
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 2, 4}, 0, M * 4, x);
  if (able) {
    double y[ALL];
    memcpy(y, few.y, FEW * sizeof *y);
    assert_ok(gannet_surrogate_predict(s, ALL - FEW, all.x + FEW * 4, y + FEW, NULL));
    all.y = y;
    assert_ok(gannet_surrogate_predict(s, M, x, mean, sd));
    assert_ok(gannet_surrogate_fantasize(s, &all, ALL - FEW, 1));
    assert_ok(gannet_surrogate_predict(s, M, x, after, sd_after));
    for (int i = 0; i < M; ++i) {
      assert_near(after[i], mean[i], 1e-7);
      assert_true(sd_after[i] <= sd[i] + 1e-9);
    }
  }
  gannet_surrogate_destroy(&s);
}

/* Above the variances, equal to them at the pivots, two of which are the same, and the prior ones
 * without. */
static inline void upper_bounds_are_above_the_variances(const conform *c) {
  enum { M = GANNET_TILE + 3, PIVOTS = 9 };
  conform_data data;
  static double x[M * 4], mean[M], sd[M], m[M], v[M], exact[M], prior[M];
  conform_make(&data, 4, 1);
  const gannet_data all = conform_first(&data, 25, 0.01);
  gannet_surrogate *s = conform_fitted(c, &all, 4, true);
  bool able = false;
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 2, 4}, 0, M * 4, x);
  memcpy(x + 4, x, 4 * sizeof *x);
  assert_fails(GANNET_ERR_STATE, "no upper bounds",
               gannet_surrogate_variance_upper_bound(s, M, x, v));
  assert_fails(GANNET_ERR_SHAPE, "n_pivots = -1",
               gannet_surrogate_variance_upper_bound_prepare(s, -1, x, &able));
  assert_ok(gannet_surrogate_predict(s, M, x, mean, sd));
  const double near = 1e-6;
  assert_ok(gannet_surrogate_variance_upper_bound_prepare(s, 0, NULL, &able));
  if (!able) {
    gannet_surrogate_destroy(&s);
    return;
  }
  assert_ok(gannet_surrogate_variance_upper_bound(s, M, x, prior));
  assert_ok(gannet_surrogate_variance_upper_bound_prepare(s, PIVOTS, x, &able));
  assert_true(able);
  assert_ok(gannet_surrogate_variance_upper_bound(s, M, x, exact));
  assert_ok(gannet_surrogate_moment_estimates(s, M, x, m, v));
  for (int i = 0; i < M; ++i) {
    assert_near(m[i], mean[i], near * (1 + fabs(mean[i])));
    assert_near(v[i], exact[i], near * prior[0]);
    assert_true(exact[i] >= sd[i] * sd[i] - 1e-9 * prior[0]);
    assert_true(exact[i] <= prior[i] && fabs(prior[i] - prior[0]) < 1e-9 * prior[0]);
    if (i < PIVOTS) assert_near(exact[i], sd[i] * sd[i], 1e-9 * prior[0]);
  }
  assert_ok(gannet_surrogate_moments_prepare(s, &able));
  assert_fails(GANNET_ERR_STATE, "no upper bounds",
               gannet_surrogate_variance_upper_bound(s, M, x, v));
  gannet_surrogate_destroy(&s);
}

#endif
