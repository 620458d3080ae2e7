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

#endif
