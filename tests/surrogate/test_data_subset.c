/* test: ranks 1 2 labels unit */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "network/train_alone.h"
#include "support/harness.h"
#include "surrogate/created.h"

#include "surrogate/data_subset.h"
#include "surrogate/dense.h"
#include "surrogate/registry.h"

/* LONG: beyond 500 observations the linear head is not trained for results to come. */
enum { N = 40, D = 2, MOST = 10, M = 3, MEMBERS = 4, WIDTH = 3, FEATURES = 2 * WIDTH + 1 };
enum { LONG = 520, FANTASIES = 3 };

static gannet_context *context;
static double data_x[(LONG + FANTASIES) * D], data_y[LONG + FANTASIES];
static const double query[M * D] = {0.5, 0.6, 0.05, 0.95, 0.41, 0.88};

static void make_data(void) {
  const gannet_stream stream = {11, GANNET_FOR_TEST, 0, 0};
  gannet_random_uniform(stream, 0, sizeof data_x / sizeof *data_x, data_x);
  for (int i = 0; i < LONG + FANTASIES; ++i)
    data_y[i] = sin(5 * data_x[2 * i]) - data_x[2 * i + 1] + 0.2 * (i % 5);
}

static gannet_stream stream_of(int index) {
  return gannet_context_stream(context, GANNET_FOR_TRAINING, 1, (uint64_t)index);
}

/* The best half, then others, none of them twice, and another choice by another stream. */
static void the_best_half_is_chosen_and_others_at_random(void **state) {
  (void)state;
  gannet_data_subset subset;
  int taken[N] = {0}, first[MOST];
  assert_ok(gannet_data_subset_create(N, data_y, MOST, &subset));
  assert_int_equal(subset.count, MOST);
  gannet_data_subset_draw(&subset, stream_of(0));
  for (int i = 0; i < MOST; ++i) {
    int better = 0;
    const int at = first[i] = subset.index[i];
    for (int j = 0; j < N; ++j) better += data_y[j] < data_y[at];
    if (i < MOST / 2) assert_int_equal(better, i);
    if (i >= MOST / 2) assert_true(better >= MOST / 2);
    assert_int_equal(taken[at]++, 0);
  }
  gannet_data_subset_draw(&subset, stream_of(1));
  assert_memory_equal(first, subset.index, MOST / 2 * sizeof *first);
  assert_memory_not_equal(first, subset.index, sizeof first);
  gannet_data_subset_release(&subset);
}

/* Rows keep their values, and are no better than others where values do not matter. */
static void rows_are_chosen_for_their_values_or_not(void **state) {
  (void)state;
  int from_best[2] = {0};
  for (int best = 0; best < 2; ++best) {
    gannet_rows rows = {.n = N, .width = D, .x = data_x, .y = data_y};
    assert_ok(gannet_rows_choose(&rows, MOST, best, stream_of(4)));
    assert_int_equal(rows.n, MOST);
    for (int i = 0; i < MOST; ++i) {
      int at = 0, better = 0;
      while (at < N && memcmp(rows.x + i * D, data_x + at * D, D * sizeof *data_x) != 0) ++at;
      assert_true(at < N && rows.y[i] == data_y[at]);
      for (int j = 0; j < N; ++j) better += data_y[j] < data_y[at];
      from_best[best] += better < MOST / 2;
    }
    gannet_rows_release(&rows);
  }
  assert_true(from_best[0] < from_best[1]);
  assert_int_equal(from_best[1], MOST / 2);
}

/* Of equal values, which 0 and -0 are, the first one comes first. */
static void values_are_ranked(void **state) {
  (void)state;
  enum { MANY = 3000, EDGES = 11 };
  const double edge[EDGES] = {0,      -0.0, 1e308, -1e308, 5e-324, -5e-324,
                              1 / 3., -2,   -2,    1 / 3., -1 / 3.};
  static double y[MANY];
  static int rank[MANY];
  gannet_random_normal(stream_of(3), 0, MANY, y);
  for (int i = 0; i < MANY; ++i)
    if (i % 3 == 0) y[i] = edge[i / 3 % EDGES];
  for (int n = 0; n <= MANY; n += n < 4 ? 1 : n) {
    assert_ok(gannet_rank_values(n, y, rank));
    int taken = 0;
    for (int i = 0; i < n; ++i) taken += rank[i];
    assert_int_equal(taken, n * (n - 1) / 2);
    for (int i = 1; i < n; ++i) {
      const int before = rank[i - 1], at = rank[i];
      assert_true(y[before] < y[at] || (y[before] == y[at] && before < at));
    }
  }
}

static void few_observations_are_all_chosen_in_their_order(void **state) {
  (void)state;
  gannet_data_subset subset;
  double rows[MOST * D];
  assert_ok(gannet_data_subset_create(MOST, data_y, MOST, &subset));
  gannet_data_subset_draw(&subset, stream_of(0));
  assert_int_equal(subset.count, MOST);
  assert_null(subset.index);
  gannet_data_subset_gather(&subset, D, data_x, rows);
  assert_memory_equal(rows, data_x, sizeof rows);
  gannet_data_subset_release(&subset);
}

static gannet_surrogate *create(const gannet_surrogate_type *type, int n,
                                const gannet_setting *settings) {
  return surrogate_with(context, type, D, n, settings);
}

static gannet_surrogate *create_ensemble(const char *train_points) {
  const gannet_setting settings[] = {{.key = "width", .text = "8"},
                                     {.key = "members", .text = "4"},
                                     {.key = "steps", .text = "5"},
                                     {.key = "train_points", .text = train_points}};
  const double hyper[] = {log(1.3), log(0.02), log(0.7), log(0.8)};
  gannet_surrogate *s = create(&gannet_surrogate_ensemble, 4, settings);
  assert_ok(gannet_surrogate_set_hyper(s, hyper));
  return s;
}

/* Every member is the one that its own choice alone gives, to the last bit. */
static void a_member_is_trained_on_its_own_choice(void **state) {
  (void)state;
  const gannet_data all = {N, data_x, data_y, 0.01, NULL};
  double own[MEMBERS * M], alone[MEMBERS * M], x[MOST * D], y[MOST];
  gannet_surrogate *s = create_ensemble("10"), *other = create_ensemble("500");
  gannet_data_subset subset;
  assert_ok(gannet_surrogate_fit(s, &all, false, 1));
  assert_ok(gannet_surrogate_sample(s, MEMBERS, 1, 1));
  assert_ok(gannet_surrogate_draw_values(s, M, query, own, M));
  assert_ok(gannet_data_subset_create(N, data_y, MOST, &subset));
  for (int k = 0; k < MEMBERS; ++k) {
    gannet_data_subset_draw(&subset, stream_of(k));
    gannet_data_subset_gather(&subset, D, data_x, x);
    gannet_data_subset_gather(&subset, 1, data_y, y);
    const gannet_data few = {MOST, x, y, 0.01, NULL};
    assert_ok(gannet_surrogate_fit(other, &few, false, 1));
    assert_ok(gannet_surrogate_sample(other, MEMBERS, 1, 1));
    assert_ok(gannet_surrogate_draw_values(other, M, query, alone, M));
    assert_memory_equal(own + k * M, alone + k * M, M * sizeof *own);
  }
  gannet_data_subset_release(&subset);
  gannet_surrogate_destroy(&s);
  gannet_surrogate_destroy(&other);
}

static gannet_surrogate *create_head(void) {
  const gannet_setting settings[] = {{.key = "width", .text = "3"},
                                     {.key = "layers", .text = "1"},
                                     {.key = "train_points", .text = "10"}};
  const double hyper[] = {log(0.01), log(0.05 / 0.7), log(0.05), log(0.05)};
  gannet_surrogate *s = create(&gannet_surrogate_linear_head, 3, settings);
  assert_ok(gannet_surrogate_set_hyper(s, hyper));
  return s;
}

/* Weights [2][parameters] of the network of the head, trained on the choice alone. */
static void train_on_choice(const gannet_mlp *net, double *theta) {
  double z[MOST * (D + 1)], x[MOST * D], y[MOST], start[64];
  gannet_data_subset subset;
  assert_ok(gannet_data_subset_create(N, data_y, MOST, &subset));
  gannet_data_subset_draw(&subset, stream_of(0));
  gannet_data_subset_gather(&subset, D, data_x, x);
  gannet_data_subset_gather(&subset, 1, data_y, y);
  gannet_data_subset_release(&subset);
  for (int i = 0; i < MOST; ++i) {
    for (int k = 0; k < D; ++k) z[i * (D + 1) + k] = sqrt(1.5) * (2 * x[i * D + k] - 1);
    z[i * (D + 1) + D] = 1;
  }
  assert_true(gannet_mlp_parameters(net) <= 64);
  gannet_mlp_start(net, gannet_context_stream(context, GANNET_FOR_WEIGHTS, 0, 0), start);
  const gannet_train_problem problem = {net, MOST, z, y, 0.01, start, NULL};
  const gannet_train_options how = {GANNET_TRAIN_NEWTON, 20, 50, 50, 0.001};
  assert_ok(train_alone(&problem, &how, stream_of(0), theta, NULL));
}

/* Its network is that of the choice, its regression that of all observations. */
static void the_head_regresses_on_all_what_it_learnt_of_some(void **state) {
  (void)state;
  const gannet_activation *activation = NULL;
  assert_ok(gannet_activation_find("tanh", &activation));
  const gannet_mlp net = {activation, D + 1, 1, WIDTH};
  double theta[128], phi[N * FEATURES], sigma[FEATURES * FEATURES], right[FEATURES] = {0};
  double w[FEATURES], mean[N];
  const gannet_data all = {N, data_x, data_y, NAN, NULL};
  gannet_surrogate *s = create_head();
  assert_ok(gannet_surrogate_fit(s, &all, false, 1));
  train_on_choice(&net, theta);
  for (int i = 0; i < N; ++i) {
    double *row = phi + i * FEATURES;
    for (int j = 0; j < 2 * WIDTH; ++j) {
      const double *v = theta + (j < WIDTH ? 0 : gannet_mlp_parameters(&net)) + j % WIDTH * (D + 1);
      double u = v[D];
      for (int k = 0; k < D; ++k) u += v[k] * sqrt(1.5) * (2 * data_x[i * D + k] - 1);
      row[j] = tanh(u) / sqrt(WIDTH);
    }
    row[FEATURES - 1] = 1;
    for (int k = 0; k < FEATURES; ++k) right[k] += row[k] * data_y[i];
  }
  dense_sigma(N, FEATURES, phi, 0.05 / 0.7, sigma);
  dense_solve(FEATURES, sigma, right, w);
  assert_ok(gannet_surrogate_predict(s, N, data_x, mean, NULL));
  for (int i = 0; i < N; ++i) {
    double expected = 0;
    for (int k = 0; k < FEATURES; ++k) expected += w[k] * phi[i * FEATURES + k];
    assert_near(mean[i], expected, 1e-9);
  }
  gannet_surrogate_destroy(&s);
}

/* Fantasies after a fit give the same as fantasies without one, in one step or in several, and they
 * move the mean towards them. */
static void fantasies_enter_the_regression_alone(void **state) {
  (void)state;
  const gannet_data known = {LONG, data_x, data_y, NAN, NULL};
  double before = 0, mean[2], sd[2], y[LONG + FANTASIES];
  gannet_surrogate *s = create_head(), *other = create_head();
  memcpy(y, data_y, sizeof y);
  for (int i = 0; i < FANTASIES; ++i) y[LONG + i] = 5;
  assert_ok(gannet_surrogate_fit(s, &known, false, 1));
  assert_ok(gannet_surrogate_predict(s, 1, data_x + (size_t)LONG * D, &before, NULL));
  for (int i = 1; i <= FANTASIES; ++i) {
    const gannet_data data = {LONG + i, data_x, y, NAN, NULL};
    assert_ok(gannet_surrogate_fantasize(s, &data, i, 1));
  }
  const gannet_data data = {LONG + FANTASIES, data_x, y, NAN, NULL};
  assert_ok(gannet_surrogate_fantasize(other, &data, FANTASIES, 1));
  assert_ok(gannet_surrogate_predict(s, 1, data_x + (size_t)LONG * D, &mean[0], &sd[0]));
  assert_ok(gannet_surrogate_predict(other, 1, data_x + (size_t)LONG * D, &mean[1], &sd[1]));
  assert_memory_equal(&mean[0], &mean[1], sizeof *mean);
  assert_memory_equal(&sd[0], &sd[1], sizeof *sd);
  assert_true(mean[0] > before);
  assert_ok(gannet_surrogate_fit(s, &known, false, 1));
  assert_ok(gannet_surrogate_predict(s, 1, data_x + (size_t)LONG * D, &mean[0], NULL));
  assert_memory_equal(&mean[0], &before, sizeof before);
  gannet_surrogate_destroy(&s);
  gannet_surrogate_destroy(&other);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_half_is_chosen_and_others_at_random),
      cmocka_unit_test(rows_are_chosen_for_their_values_or_not),
      cmocka_unit_test(values_are_ranked),
      cmocka_unit_test(few_observations_are_all_chosen_in_their_order),
      cmocka_unit_test(a_member_is_trained_on_its_own_choice),
      cmocka_unit_test(the_head_regresses_on_all_what_it_learnt_of_some),
      cmocka_unit_test(fantasies_enter_the_regression_alone),
  };
  make_data();
  return run_with_context(&argc, &argv, &context, tests);
}
