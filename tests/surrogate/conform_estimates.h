/* Checks that a surrogate's estimates of draws and moments are near them. */
#ifndef GANNET_TESTS_CONFORM_ESTIMATES_H
#define GANNET_TESTS_CONFORM_ESTIMATES_H

#include "surrogate/conform_surrogate.h"

static inline gannet_err estimator_of(gannet_surrogate *s, gannet_estimate_kind kind,
                                      gannet_estimator *estimator) {
  const gannet_estimator_spec spec = {.kind = kind};
  return gannet_surrogate_estimator(s, &spec, estimator);
}

/* Largest error of estimates over the range of the draws; 0 where there are none. */
static inline double error_of_estimates(gannet_surrogate *s, int m, const double *x, int q,
                                        const double *exact) {
  static double estimate[4096];
  double low = INFINITY, high = -INFINITY, error = 0;
  gannet_estimator e = {0};
  assert_true(q * m <= 4096);
  assert_ok(estimator_of(s, GANNET_ESTIMATE_DRAWS, &e));
  if (!e.work) return 0;
  assert_ok(gannet_estimator_draws(&e, m, x, estimate, m));
  assert_fails(GANNET_ERR_SHAPE, "rows of", gannet_estimator_draws(&e, m, x, estimate, m - 1));
  assert_fails(GANNET_ERR_STATE, "no estimates of moments",
               gannet_estimator_moments(&e, m, x, estimate, estimate));
  for (int i = 0; i < q * m; ++i) {
    low = fmin(low, exact[i]);
    high = fmax(high, exact[i]);
    error = fmax(error, fabs(estimate[i] - exact[i]));
  }
  gannet_estimator_release(&e);
  return error / (high - low);
}

/* Where there are such. */
static inline void estimates_are_near_the_draws(const conform *c) {
  enum { M = GANNET_TILE + 3, Q = 3 };
  conform_data data;
  static double x[M * 4], exact[Q * M];
  gannet_estimator e = {0};
  conform_make(&data, 4, 1);
  const gannet_data all = conform_first(&data, 25, 0.01);
  gannet_surrogate *s = conform_fitted(c, &all, 4, true);
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 2, 4}, 0, M * 4, x);
  assert_fails(GANNET_ERR_STATE, "no draws", estimator_of(s, GANNET_ESTIMATE_DRAWS, &e));
  assert_fails(GANNET_ERR_STATE, "no estimates", gannet_estimator_draws(&e, M, x, exact, M));
  assert_ok(gannet_surrogate_sample(s, Q, 1, 1));
  assert_ok(gannet_surrogate_draw_values(s, M, x, exact, M));
  assert_true(error_of_estimates(s, M, x, Q, exact) < 1e-7);
  assert_ok(gannet_surrogate_fit(s, &all, false, 1));
  assert_fails(GANNET_ERR_STATE, "no draws", estimator_of(s, GANNET_ESTIMATE_DRAWS, &e));
  gannet_estimator_release(&e);
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

/* Of the moments likewise; an estimator is made anew after another fit. */
static inline void moment_estimates_are_near_the_moments(const conform *c) {
  enum { M = GANNET_TILE + 3 };
  conform_data data;
  static double x[M * 4], mean[M], sd[M], m[M], v[M];
  gannet_estimator e = {0};
  conform_make(&data, 4, 1);
  gannet_surrogate *s = NULL;
  for (int n = 25; n <= 30; n += 5) {
    const gannet_data all = conform_first(&data, n, 0.01);
    if (s)
      assert_ok(gannet_surrogate_fit(s, &all, false, 1));
    else
      s = conform_fitted(c, &all, 4, true);
    gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 2, 4}, 0, M * 4, x);
    assert_ok(gannet_surrogate_predict(s, M, x, mean, sd));
    assert_ok(estimator_of(s, GANNET_ESTIMATE_MOMENTS, &e));
    if (!e.work) continue;
    assert_fails(GANNET_ERR_SHAPE, "m = -1", gannet_estimator_moments(&e, -1, x, m, v));
    assert_fails(GANNET_ERR_STATE, "no upper bounds", gannet_estimator_upper_bounds(&e, M, x, v));
    assert_ok(gannet_estimator_moments(&e, M, x, m, v));
    assert_estimates(M, mean, sd, m, v, 1e-9);
  }
  gannet_estimator_release(&e);
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
  gannet_estimator e = {0};
  assert_ok(estimator_of(s, GANNET_ESTIMATE_MOMENTS, &e));
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 2, 4}, 0, M * 4, x);
  if (e.work) {
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
  gannet_estimator_release(&e);
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
  gannet_estimator e = {0};
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 2, 4}, 0, M * 4, x);
  memcpy(x + 4, x, 4 * sizeof *x);
  const gannet_estimator_spec none = {.kind = GANNET_ESTIMATE_UPPER_BOUNDS, .n_pivots = -1},
                              some = {GANNET_ESTIMATE_UPPER_BOUNDS, PIVOTS, x};
  assert_fails(GANNET_ERR_SHAPE, "n_pivots = -1", gannet_surrogate_estimator(s, &none, &e));
  assert_ok(gannet_surrogate_predict(s, M, x, mean, sd));
  assert_ok(estimator_of(s, GANNET_ESTIMATE_UPPER_BOUNDS, &e));
  if (e.work) {
    assert_ok(gannet_estimator_upper_bounds(&e, M, x, prior));
    assert_ok(gannet_surrogate_estimator(s, &some, &e));
    assert_non_null(e.work);
    assert_ok(gannet_estimator_upper_bounds(&e, M, x, exact));
    assert_ok(gannet_estimator_moments(&e, M, x, m, v));
    for (int i = 0; i < M; ++i) {
      assert_near(m[i], mean[i], 1e-6 * (1 + fabs(mean[i])));
      assert_near(v[i], exact[i], 1e-6 * prior[0]);
      assert_true(exact[i] >= sd[i] * sd[i] - 1e-9 * prior[0]);
      assert_true(exact[i] <= prior[i] && fabs(prior[i] - prior[0]) < 1e-9 * prior[0]);
      if (i < PIVOTS) assert_near(exact[i], sd[i] * sd[i], 1e-9 * prior[0]);
    }
  }
  gannet_estimator_release(&e);
  gannet_surrogate_destroy(&s);
}

#endif
