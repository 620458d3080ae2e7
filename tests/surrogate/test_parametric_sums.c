/* test: ranks 1 2 labels unit */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "support/harness.h"
#include "support/two_units.h"
#include "surrogate/created.h"

#include "surrogate/dense.h"
#include "surrogate/models/parametric/parametric.h"
#include "surrogate/registry.h"

/* Blocks have 64 observations. */
enum { N = 170, BLOCK = 64, HYPER = PARAMETRIC_WEIGHTS + WEIGHTS };

static gannet_context *context;
static double data_x[N], data_y[N];

static void make_data(void) {
  const gannet_stream stream = {12, GANNET_FOR_TEST, 0, 0};
  gannet_random_uniform(stream, 0, N, data_x);
  gannet_random_normal(stream, N, N, data_y);
  for (int i = 0; i < N; ++i) data_y[i] = 0.05 * data_y[i] + sin(4 * data_x[i]);
}

static gannet_surrogate *create(const char *train_points, const char *first_phase, int learned) {
  const gannet_setting settings[] = {{.key = "units", .text = "2"},
                                     {.key = "lift", .text = "flat"},
                                     {.key = "first_phase", .text = first_phase},
                                     {.key = "train_points", .text = train_points}};
  double hyper[HYPER];
  hyper[PARAMETRIC_LEARNED] = learned;
  hyper[PARAMETRIC_MISFIT] = log(1e-6);
  hyper[PARAMETRIC_PRIOR] = log(0.5);
  hyper[PARAMETRIC_NOISE] = log(0.1);
  memcpy(hyper + PARAMETRIC_WEIGHTS, w0, sizeof w0);
  gannet_surrogate *s = surrogate_with(context, &gannet_surrogate_parametric, 1, 4, settings);
  assert_ok(gannet_surrogate_set_hyper(s, hyper));
  return s;
}

static void fit(gannet_surrogate *s, int n) {
  const gannet_data data = {n, data_x, data_y, NAN, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, false, 1));
}

static void predict(const gannet_surrogate *s, double x, double *mean, double *sd) {
  assert_ok(gannet_surrogate_predict(s, 1, &x, mean, sd));
}

/* All observations in the regression: the same numbers by rows and by sums, calibration too. */
static void sums_agree_with_rows(void **state) {
  (void)state;
  gannet_surrogate *rows = create("1000", "counted", N), *sums = create("10", "counted", N);
  double mean[2], sd[2], scale[2], lower[2], gradient[2];
  fit(rows, N);
  fit(sums, N);
  for (double x = 0; x <= 1; x += 0.125) {
    predict(rows, x, &mean[0], &sd[0]);
    predict(sums, x, &mean[1], &sd[1]);
    assert_near(mean[1], mean[0], 1e-9);
    assert_near(sd[1], sd[0], 1e-9);
    assert_ok(gannet_surrogate_lower(rows, 2, &x, &lower[0], &gradient[0]));
    assert_ok(gannet_surrogate_lower(sums, 2, &x, &lower[1], &gradient[1]));
    assert_near(lower[1], lower[0], 1e-6);
  }
  assert_ok(gannet_surrogate_calibration(rows, &scale[0]));
  assert_ok(gannet_surrogate_calibration(sums, &scale[1]));
  assert_true(scale[0] < 9 && scale[0] > 0.11);
  assert_near(scale[1], scale[0], 1e-8);
  gannet_surrogate_destroy(&rows);
  gannet_surrogate_destroy(&sums);
}

/* Phase II with observations from first on linearised by blocks: w_t [WEIGHTS]. */
static void reference(int first, double lambda, double *w) {
  static double phi[N * WEIGHTS];
  double right[WEIGHTS], sigma[WEIGHTS * WEIGHTS];
  int n = 0;
  memcpy(w, w0, sizeof w0);
  for (int k = 0; k < WEIGHTS; ++k) right[k] = lambda * w0[k];
  for (int i = first; i < N; ++i) {
    double *g = phi + n++ * WEIGHTS, inner = 0;
    const double f = network(w, data_x[i], g);
    for (int k = 0; k < WEIGHTS; ++k) inner += g[k] * w[k];
    for (int k = 0; k < WEIGHTS; ++k) right[k] += g[k] * (inner + data_y[i] - f);
    if (n % BLOCK != 0 && i + 1 < N) continue;
    dense_sigma(n, WEIGHTS, phi, lambda, sigma);
    dense_solve(WEIGHTS, sigma, right, w);
  }
}

/* Without the observations of the regression, as published, only blocks are left. */
static void later_observations_are_linearised_by_blocks(void **state) {
  (void)state;
  enum { LEARNED = 5 };
  gannet_surrogate *s = create("10", "discarded", LEARNED);
  double w[WEIGHTS], g[WEIGHTS], mean = 0, sd = 0;
  fit(s, N);
  reference(LEARNED, 0.1 / 0.5, w);
  for (double x = 0; x <= 1; x += 0.125) {
    predict(s, x, &mean, &sd);
    assert_near(mean, network(w, x, g), 1e-8);
  }
  gannet_surrogate_destroy(&s);
}

/* Step by step, from rows to sums and over the ends of blocks, with beliefs on the way, and with
 * other values in between: the bits of all at once. */
static void growing_gives_the_same_bits_as_all_at_once(void **state) {
  (void)state;
  enum { LEARNED = 20 };
  gannet_surrogate *grown = create("30", "counted", LEARNED);
  double mean[2], sd[2], other[N];
  for (int i = 0; i < N; ++i) other[i] = 0.5 * data_y[i];
  for (int n = 26; n <= N; n += n < 40 ? 1 : 10) {
    gannet_surrogate *whole = create("30", "counted", LEARNED);
    const gannet_data more = {n + 2 < N ? n + 2 : N, data_x, other, NAN, NULL};
    fit(whole, n);
    fit(grown, n);
    predict(grown, 0.3, &mean[0], &sd[0]);
    predict(whole, 0.3, &mean[1], &sd[1]);
    assert_memory_equal(&mean[0], &mean[1], sizeof *mean);
    assert_memory_equal(&sd[0], &sd[1], sizeof *sd);
    if (n % 3 == 0) assert_ok(gannet_surrogate_fantasize(grown, &more, more.n - n, 1));
    gannet_surrogate_destroy(&whole);
  }
  gannet_surrogate_destroy(&grown);
}

/* Beliefs one by one, as a batch makes them. */
static void beliefs_can_come_one_by_one(void **state) {
  (void)state;
  gannet_surrogate *grown = create("10", "counted", 70), *whole = create("10", "counted", 70);
  const gannet_data all = {N, data_x, data_y, NAN, NULL};
  double mean[2], sd[2];
  fit(grown, 120);
  for (int n = 121; n <= N; ++n) {
    const gannet_data data = {n, data_x, data_y, NAN, NULL};
    assert_ok(gannet_surrogate_fantasize(grown, &data, n - 120, 1));
  }
  assert_ok(gannet_surrogate_fantasize(whole, &all, N - 120, 1));
  predict(grown, 0.3, &mean[0], &sd[0]);
  predict(whole, 0.3, &mean[1], &sd[1]);
  assert_memory_equal(&mean[0], &mean[1], sizeof *mean);
  assert_memory_equal(&sd[0], &sd[1], sizeof *sd);
  gannet_surrogate_destroy(&grown);
  gannet_surrogate_destroy(&whole);
}

/* The regression sees a choice of the observations; values of the network itself are followed
 * everywhere. */
static void the_regression_of_a_choice_follows_the_others(void **state) {
  (void)state;
  double g[WEIGHTS], y[N], mean[N];
  gannet_surrogate *s = create("60", "counted", 0);
  for (int i = 0; i < N; ++i) y[i] = network(w0, data_x[i], g);
  const gannet_data data = {N, data_x, y, NAN, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, true, 1));
  assert_ok(gannet_surrogate_predict(s, N, data_x, mean, NULL));
  for (int i = 0; i < N; ++i) assert_near(mean[i], y[i], 0.02);
  gannet_surrogate_destroy(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_agree_with_rows),
      cmocka_unit_test(later_observations_are_linearised_by_blocks),
      cmocka_unit_test(growing_gives_the_same_bits_as_all_at_once),
      cmocka_unit_test(beliefs_can_come_one_by_one),
      cmocka_unit_test(the_regression_of_a_choice_follows_the_others),
  };
  make_data();
  return run_with_context(&argc, &argv, &context, tests);
}
