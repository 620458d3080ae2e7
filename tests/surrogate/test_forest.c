/* test: ranks 1 2 labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"
#include "surrogate/created.h"

#include "surrogate/models/forest/tree.h"
#include "surrogate/registry.h"

enum { N = 60, D = 3 };

static gannet_context *context;

static void make(double *x, double *y) {
  const gannet_stream stream = {21, GANNET_FOR_TEST, 1, 1};
  gannet_random_uniform(stream, 0, N * D, x);
  for (int i = 0; i < N; ++i) {
    x[i * D + 2] = x[i * D + 2] < 0.5 ? 0 : 1; /* a category */
    y[i] = sin(4 * x[i * D]) + (x[i * D + 2] > 0 ? 2 : 0) + 0.1 * x[i * D + 1];
  }
}

/* Every observation lies in the box of its leaf; leaves together hold each once, and have the mean
 * and the variance of theirs. */
static void leaves_partition_the_data(void **state) {
  (void)state;
  double x[N * D], y[N], box[N * 2 * D];
  tree_node node[2 * N];
  int order[N], tried[D];
  make(x, y);
  for (int least = 1; least <= 8; least += 7) {
    const tree_data data = {D, N, x, y, least, 2};
    tree t = {.node = node, .box = box};
    int count[N] = {0};
    double sum[N] = {0}, square[N] = {0};
    tree_grow(&data, (gannet_stream){3, GANNET_FOR_TEST, 2, 2}, order, tried, &t);
    assert_true(t.n_nodes == 2 * t.n_leaves - 1 && t.n_leaves > N / 16);
    for (int i = 0; i < N; ++i) {
      const tree_node *leaf = tree_find(&t, x + i * D);
      double sign[D];
      assert_near(tree_distance(&t, leaf, D, x + i * D, sign), 0, 0);
      for (int k = 0; k < D; ++k) assert_near(sign[k], 0, 0);
      count[leaf->leaf] += 1;
      sum[leaf->leaf] += y[i];
      square[leaf->leaf] += y[i] * y[i];
    }
    for (int i = 0; i < t.n_nodes; ++i) {
      const tree_node *leaf = &t.node[i];
      if (leaf->coordinate >= 0) continue;
      const int n = count[leaf->leaf];
      const double mean = sum[leaf->leaf] / n;
      assert_true(n >= least);
      assert_near(leaf->mean, mean, 1e-12);
      assert_near(leaf->variance, square[leaf->leaf] / n - mean * mean, 1e-12);
    }
  }
}

/* Two groups far apart: a threshold almost surely falls between them. */
static void the_best_of_the_random_splits_is_taken(void **state) {
  (void)state;
  const double x[6] = {0.5, 0, 0.5, 1e-9, 0.5, 1}, y[3] = {0, 0, 5};
  double box[3 * 2 * 2];
  tree_node node[6];
  int order[3], tried[2];
  const tree_data data = {2, 3, x, y, 1, 1}; /* a coordinate without spread does not count */
  tree t = {.node = node, .box = box};
  tree_grow(&data, (gannet_stream){4, GANNET_FOR_TEST, 2, 2}, order, tried, &t);
  assert_int_equal(t.node[0].coordinate, 1);
  assert_near(tree_find(&t, x + 4)->mean, 5, 0);
  assert_near(tree_find(&t, x)->mean, 0, 0);
  const double away[2] = {0.1, 1.5};
  double sign[2];
  assert_near(tree_distance(&t, tree_find(&t, away), 2, away, sign), 0.4 + 0.5, 1e-15);
  assert_true(sign[0] < 0 && sign[1] > 0);
}

/* Leaves of one observation: the forest knows its data exactly, and less and less away from them,
 * up to the variance of all values. */
static void the_forest_interpolates_and_doubts_elsewhere(void **state) {
  (void)state;
  double x[N * D], y[N], mean[N], sd[N], before = 0, variance = 0, average = 0;
  make(x, y);
  gannet_surrogate *s = NULL;
  assert_ok(gannet_surrogate_create(context, &gannet_surrogate_forest, NULL, D, 0, &s));
  const gannet_data data = {N, x, y, NAN, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, true, 1));
  assert_ok(gannet_surrogate_predict(s, N, x, mean, sd));
  for (int i = 0; i < N; ++i) {
    assert_near(mean[i], y[i], 1e-12);
    assert_near(sd[i], 0, 1e-12);
    average += y[i] / N;
  }
  for (int i = 0; i < N; ++i) variance += (y[i] - average) * (y[i] - average) / N;
  for (int step = 0; step < 4; ++step) { /* out of the cube, where all trees agree in the end */
    const double at[D] = {1.2 + 0.4 * step * step, 1, 1};
    assert_ok(gannet_surrogate_predict(s, 1, at, mean, sd));
    assert_true(sd[0] > before);
    before = sd[0];
  }
  assert_true(sd[0] * sd[0] > 0.999 * variance); /* 3.8 / 0.45 reaches away */
  gannet_surrogate_destroy(&s);
}

/* Given noise makes leaves of three. */
static void noisy_values_are_averaged(void **state) {
  (void)state;
  double x[N * D], y[N], mean[N], error = 0;
  make(x, y);
  gannet_surrogate *s = NULL;
  assert_ok(gannet_surrogate_create(context, &gannet_surrogate_forest, NULL, D, 0, &s));
  const gannet_data data = {N, x, y, 0.5, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, true, 1));
  assert_ok(gannet_surrogate_predict(s, N, x, mean, NULL));
  for (int i = 0; i < N; ++i) error = fmax(error, fabs(mean[i] - y[i]));
  assert_true(error > 1e-3);
  gannet_surrogate_destroy(&s);
}

/* Without data draws are constant; what was in the memory of a gradient must not show. */
static void without_data_draws_are_flat(void **state) {
  (void)state;
  const double at[D] = {0.3, 0.5, 1};
  double value[2], gradient[D] = {NAN, INFINITY, 1};
  gannet_surrogate *s = NULL;
  assert_ok(gannet_surrogate_create(context, &gannet_surrogate_forest, NULL, D, 0, &s));
  const gannet_data none = {0, at, value, NAN, NULL};
  assert_ok(gannet_surrogate_fit(s, &none, true, 1));
  assert_ok(gannet_surrogate_sample(s, 2, 1, 1));
  assert_ok(gannet_surrogate_draw_values(s, 1, at, value, 1));
  double same = NAN;
  assert_ok(gannet_surrogate_draw_gradient(s, 1, at, &same, gradient));
  assert_near(same, value[1], 0);
  for (int k = 0; k < D; ++k) assert_near(gradient[k], 0, 0);
  gannet_surrogate_destroy(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(leaves_partition_the_data),
      cmocka_unit_test(the_best_of_the_random_splits_is_taken),
      cmocka_unit_test(the_forest_interpolates_and_doubts_elsewhere),
      cmocka_unit_test(noisy_values_are_averaged),
      cmocka_unit_test(without_data_draws_are_flat),
  };
  return run_with_context(&argc, &argv, &context, tests);
}
