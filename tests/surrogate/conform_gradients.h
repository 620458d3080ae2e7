/* Checks that a surrogate's moments have gradients, with the same bits in any company. */
#ifndef GANNET_TESTS_CONFORM_GRADIENTS_H
#define GANNET_TESTS_CONFORM_GRADIENTS_H

#include "surrogate/conform_surrogate.h"

/* However many points are asked for at once, by however few observations. */
static inline void gradients_do_not_depend_on_other_points(const conform *c) {
  enum { D = 3, MOST = 11 };
  const int sizes[] = {1, 20, CONFORM_POINTS};
  conform_data data;
  double x[MOST * D];
  conform_make(&data, D, 1);
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 4, 3}, 0, MOST * D, x);
  for (size_t size = 0; size < sizeof sizes / sizeof *sizes; ++size) {
    const gannet_data all = conform_first(&data, sizes[size], 0.01);
    gannet_surrogate *s = conform_fitted(c, &all, D, false);
    for (int m = 1; m <= MOST; ++m) {
      double mean[MOST], sd[MOST], by_mean[MOST * D], by_sd[MOST * D];
      assert_ok(gannet_surrogate_predict_gradients(s, m, x, mean, sd, by_mean, by_sd));
      for (int i = 0; i < m; ++i) {
        double one[2], slopes[2][D];
        assert_ok(gannet_surrogate_predict_gradient(s, x + i * D, &one[0], &one[1], slopes[0],
                                                    slopes[1]));
        assert_true(one[0] == mean[i] && one[1] == sd[i]);
        assert_memory_equal(slopes[0], by_mean + i * D, sizeof slopes[0]);
        assert_memory_equal(slopes[1], by_sd + i * D, sizeof slopes[1]);
      }
    }
    gannet_surrogate_destroy(&s);
  }
}

/* What a model tells of its means at all of its data, it also predicts there. */
static inline void fitted_means_are_near_the_means(const conform *c) {
  enum { D = 3 };
  conform_data data;
  double fitted[CONFORM_POINTS], mean[CONFORM_POINTS];
  conform_make(&data, D, 1);
  const gannet_data all = conform_first(&data, CONFORM_POINTS, 0.01);
  gannet_surrogate *s = conform_fitted(c, &all, D, true);
  assert_ok(gannet_surrogate_predict(s, all.n, all.x, mean, NULL));
  if (gannet_surrogate_fitted(s, fitted))
    for (int i = 0; i < all.n; ++i) assert_near(fitted[i], mean[i], 1e-7);
  gannet_surrogate_destroy(&s);
}

/* One draw of three is shrunk: its values and gradients move towards those of the mean, and the
 * other draws stay. */
static inline void shrunk_draws_are_nearer_to_the_mean(const conform *c) {
  enum { D = 3, Q = 3, SHRUNK = 1, M = CONFORM_QUERIES };
  const double factor = 0.25;
  double mean[M], before[Q * M], after[Q * M];
  conform_data data;
  conform_make(&data, D, 1);
  const gannet_data all = conform_first(&data, 20, 0.01);
  gannet_surrogate *s = conform_fitted(c, &all, D, true);
  assert_fails(GANNET_ERR_STATE, "no draws", gannet_surrogate_shrink_draw(s, 0, factor));
  assert_ok(gannet_surrogate_sample(s, Q, 1, 1));
  if (!c->type->shrink_draw) {
    assert_fails(GANNET_ERR_ARG, "cannot be shrunk", gannet_surrogate_shrink_draw(s, 0, factor));
    gannet_surrogate_destroy(&s);
    return;
  }
  assert_fails(GANNET_ERR_ARG, "draw = 3", gannet_surrogate_shrink_draw(s, Q, factor));
  assert_fails(GANNET_ERR_ARG, "factor = -1", gannet_surrogate_shrink_draw(s, 0, -1));
  assert_ok(gannet_surrogate_predict(s, M, data.query, mean, NULL));
  assert_ok(gannet_surrogate_draw_values(s, M, data.query, before, M));
  assert_ok(gannet_surrogate_shrink_draw(s, SHRUNK, factor));
  assert_ok(gannet_surrogate_draw_values(s, M, data.query, after, M));
  for (int j = 0; j < Q; ++j)
    for (int i = 0; i < M; ++i) {
      const double by = j == SHRUNK ? factor : 1, away = before[j * M + i] - mean[i];
      assert_near(conform_apart(after[j * M + i], mean[i] + by * away), 0, 1e-9);
    }
  for (int i = 0; i < M; ++i) {
    double value = 0, gradient[D], high = 0, low = 0, at[D], q[Q];
    memcpy(at, data.query + i * D, sizeof at);
    assert_ok(gannet_surrogate_draw_gradient(s, SHRUNK, at, &value, gradient));
    assert_near(conform_apart(value, after[SHRUNK * M + i]), 0, 1e-9);
    for (int k = 0; k < D; ++k) {
      at[k] += 1e-5;
      assert_ok(gannet_surrogate_draw_values(s, 1, at, q, 1));
      high = q[SHRUNK];
      at[k] -= 2e-5;
      assert_ok(gannet_surrogate_draw_values(s, 1, at, q, 1));
      low = q[SHRUNK];
      at[k] += 1e-5;
      assert_near(conform_apart(gradient[k], (high - low) / 2e-5), 0, 1e-4);
    }
  }
  gannet_surrogate_destroy(&s);
}

#endif
