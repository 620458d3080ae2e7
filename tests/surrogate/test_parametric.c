/* test: ranks 1 2 3 labels unit */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "support/harness.h"
#include "support/two_units.h"
#include "surrogate/created.h"

#include "surrogate/dense.h"
#include "surrogate/models/parametric/parametric.h"
#include "surrogate/registry.h"

enum { N = 8, LEARNED = 3, HYPER = PARAMETRIC_WEIGHTS + WEIGHTS };

static gannet_context *context;

static const double data_x[N] = {0.1, 0.35, 0.8, 0.6, 0.95, 0.22, 0.5, 0.03};
static const double data_y[N] = {0.3, -0.4, 0.8, 0.45, 0.9, -0.1, 0.1, 0.5};
static const gannet_setting small[] = {{.key = "units", .text = "2"},
                                       {.key = "lift", .text = "flat"}};

static parametric_options options_of(int n, const gannet_setting *settings) {
  parametric_options options;
  gannet_complaints complaints = {0};
  memset(&options, 0, sizeof options);
  assert_ok(gannet_options_apply(gannet_surrogate_parametric.options, NULL, n, settings, &options,
                                 &complaints));
  if (complaints.count) fail_msg("%s", complaints.text);
  return options;
}

typedef struct {
  int n;
  double lambda;
  double phi[N * WEIGHTS];
  double w[WEIGHTS];
} reference;

/* One round of the paper: w_t = Sigma^-1 (sum g_i (g_i . w_i + y_i - f_i) + lambda w_0). */
static void reference_weights(reference *r, double *right) {
  double sigma[WEIGHTS * WEIGHTS];
  dense_sigma(r->n, WEIGHTS, r->phi, r->lambda, sigma);
  dense_solve(WEIGHTS, sigma, right, r->w);
}

/* Observations first .. count-1, each at the weights of its round; those before LEARNED at w_0. */
static reference reference_of(int first, int count, double lambda) {
  reference r = {.lambda = lambda};
  double right[WEIGHTS];
  memcpy(r.w, w0, sizeof w0);
  for (int k = 0; k < WEIGHTS; ++k) right[k] = lambda * w0[k];
  for (int i = first; i < count; ++i) {
    double *g = r.phi + r.n * WEIGHTS, inner = 0;
    const double f = network(r.w, data_x[i], g);
    for (int k = 0; k < WEIGHTS; ++k) inner += g[k] * r.w[k];
    for (int k = 0; k < WEIGHTS; ++k) right[k] += g[k] * (inner + data_y[i] - f);
    r.n += 1;
    if (i >= LEARNED - 1) reference_weights(&r, right);
  }
  return r;
}

static double reference_sd(const reference *r, double x, double scale) {
  double sigma[WEIGHTS * WEIGHTS], g[WEIGHTS], solved[WEIGHTS], square = 0;
  (void)network(r->w, x, g);
  dense_sigma(r->n, WEIGHTS, r->phi, r->lambda, sigma);
  dense_solve(WEIGHTS, sigma, g, solved);
  for (int k = 0; k < WEIGHTS; ++k) square += g[k] * solved[k];
  return sqrt(scale * square);
}

static gannet_surrogate *fitted(const parametric_options *options, double misfit, int n) {
  gannet_surrogate *s = NULL;
  double hyper[HYPER];
  hyper[PARAMETRIC_LEARNED] = LEARNED;
  hyper[PARAMETRIC_MISFIT] = log(misfit);
  hyper[PARAMETRIC_PRIOR] = log(0.5);
  hyper[PARAMETRIC_NOISE] = log(0.1);
  memcpy(hyper + PARAMETRIC_WEIGHTS, w0, sizeof w0);
  assert_ok(gannet_surrogate_create(context, &gannet_surrogate_parametric, options, 1, 0, &s));
  assert_int_equal(gannet_surrogate_n_hyper(s), HYPER);
  assert_ok(gannet_surrogate_set_hyper(s, hyper));
  const gannet_data data = {n, data_x, data_y, NAN, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, false, 1));
  return s;
}

static void compare(gannet_surrogate *s, const reference *r, double scale) {
  for (double x = 0; x <= 1; x += 0.125) {
    double mean = 0, sd = 0, g[WEIGHTS];
    assert_ok(gannet_surrogate_predict(s, 1, &x, &mean, &sd));
    assert_near(mean, network(r->w, x, g), 1e-10);
    assert_near(sd, reference_sd(r, x, scale), 1e-10);
  }
}

/* The calibrated schedule counts all observations; noise is never less than the misfit. */
static void weights_and_ball_follow_the_formulas_of_the_paper(void **state) {
  (void)state;
  const parametric_options options = options_of(2, small);
  for (int n = LEARNED; n <= N; ++n)
    for (int rough = 0; rough < 2; ++rough) {
      const double noise = rough ? 0.4 : 0.1;
      gannet_surrogate *s = fitted(&options, rough ? 0.4 : 1e-6, n);
      const reference r = reference_of(0, n, noise / 0.5);
      compare(s, &r, noise);
      gannet_surrogate_destroy(&s);
    }
}

/* lambda = sqrt(T) log(T)^2 and beta_t = p^3 F^4 t / T, from phase II alone. */
static void the_published_schedule_is_as_published(void **state) {
  (void)state;
  const gannet_setting published[] = {
      {.key = "units", .text = "2"},        {.key = "lift", .text = "flat"},
      {.key = "schedule", .text = "paper"}, {.key = "first_phase", .text = "discarded"},
      {.key = "horizon", .text = "25"},     {.key = "bound", .text = "1.5"}};
  const parametric_options options = options_of(6, published);
  gannet_surrogate *s = fitted(&options, 1e-6, N);
  const reference r = reference_of(LEARNED, N, 5 * log(25) * log(25));
  compare(s, &r, pow(WEIGHTS, 3) * pow(1.5, 4) * (N - LEARNED) / 25);
  double scale = 0;
  assert_ok(gannet_surrogate_calibration(s, &scale));
  assert_near(scale, 1, 0);
  gannet_surrogate_destroy(&s);
}

/* One observation more, and a change of values: the same bits as from nothing. */
static void observations_can_be_added_one_by_one(void **state) {
  (void)state;
  const parametric_options options = options_of(2, small);
  double values[N], mean[2], sd[2];
  gannet_surrogate *grown = fitted(&options, 1e-6, LEARNED);
  for (int n = LEARNED + 1; n <= N; ++n) {
    gannet_surrogate *whole = fitted(&options, 1e-6, n);
    const gannet_data data = {n, data_x, data_y, NAN, NULL};
    assert_ok(gannet_surrogate_fit(grown, &data, false, n));
    assert_ok(gannet_surrogate_predict(grown, 1, data_x + 2, &mean[0], &sd[0]));
    assert_ok(gannet_surrogate_predict(whole, 1, data_x + 2, &mean[1], &sd[1]));
    assert_memory_equal(&mean[0], &mean[1], sizeof *mean);
    assert_memory_equal(&sd[0], &sd[1], sizeof *sd);
    gannet_surrogate_destroy(&whole);
  }
  for (int i = 0; i < N; ++i) values[i] = i % 2 ? data_y[i] : 0.5 * data_y[i];
  const gannet_data changed = {N, data_x, values, NAN, NULL};
  gannet_surrogate *whole = fitted(&options, 1e-6, 1);
  assert_ok(gannet_surrogate_fit(grown, &changed, false, 20));
  assert_ok(gannet_surrogate_fit(whole, &changed, false, 20));
  assert_ok(gannet_surrogate_predict(grown, 1, data_x + 2, &mean[0], &sd[0]));
  assert_ok(gannet_surrogate_predict(whole, 1, data_x + 2, &mean[1], &sd[1]));
  assert_memory_equal(&mean[0], &mean[1], sizeof *mean);
  gannet_surrogate_destroy(&whole);
  gannet_surrogate_destroy(&grown);
}

/* Length in the metric of Sigma. */
static double length_of(const double *sigma, const double *step) {
  double square = 0;
  for (int a = 0; a < WEIGHTS; ++a)
    for (int b = 0; b < WEIGHTS; ++b) square += step[a] * sigma[a * WEIGHTS + b] * step[b];
  return sqrt(square);
}

/* The least value over the ball by random searches that shrink around their best, from the centre
 * and from points of the whole ball. */
static double search_ball(const reference *r, double x, double radius) {
  enum { SEARCHES = 12, TRIALS = 10000 };
  double sigma[WEIGHTS * WEIGHTS], w[WEIGHTS], g[WEIGHTS], of_all = INFINITY;
  dense_sigma(r->n, WEIGHTS, r->phi, r->lambda, sigma);
  for (int search = 0; search < SEARCHES; ++search) {
    double best[WEIGHTS] = {0}, least = INFINITY;
    for (int i = 0; i < TRIALS; ++i) {
      const double width =
          i == 0 ? 10 * radius * (search > 0) : radius * pow(10, -4.0 * i / TRIALS);
      double step[WEIGHTS];
      gannet_random_normal((gannet_stream){9, GANNET_FOR_TEST, 2, (uint64_t)(search * TRIALS + i)},
                           0, WEIGHTS, step);
      for (int k = 0; k < WEIGHTS; ++k) step[k] = best[k] + width * step[k];
      const double length = length_of(sigma, step);
      for (int k = 0; k < WEIGHTS && length > radius; ++k) step[k] *= radius / length;
      for (int k = 0; k < WEIGHTS; ++k) w[k] = r->w[k] + step[k];
      const double value = network(w, x, g);
      if (value >= least) continue;
      least = value;
      memcpy(best, step, sizeof best);
    }
    of_all = fmin(of_all, least);
  }
  return of_all;
}

static void the_exact_minimum_is_that_over_the_ball(void **state) {
  (void)state;
  const parametric_options options = options_of(2, small);
  static const double radii[] = {0.3, 1, 3, 6, 20}; /* from 3 on there are several minima */
  gannet_surrogate *s = fitted(&options, 1e-6, N);
  const reference r = reference_of(0, N, 0.1 / 0.5);
  double differs = 0;
  for (size_t i = 0; i < sizeof radii / sizeof *radii; ++i)
    for (double x = 0; x <= 1; x += 0.25) {
      double value = 0, gradient = 0, mean = 0, sd = 0;
      assert_ok(gannet_surrogate_lower(s, radii[i], &x, &value, &gradient));
      assert_ok(gannet_surrogate_predict(s, 1, &x, &mean, &sd));
      const double found = search_ball(&r, x, radii[i] * sqrt(0.1));
      assert_true(value <= found + 1e-4 * (1 + fabs(found)));
      if (radii[i] <= 3) assert_near(value, found, 1e-4 * (1 + fabs(found)));
      differs = fmax(differs, fabs(value - (mean - radii[i] * sd)));
    }
  assert_true(differs > 0.05); /* the linearisation would not do */
  gannet_surrogate_destroy(&s);
}

/* Where the flat network of two inputs sees what the network on the sphere makes of x. */
static void lifted(double x, double *at) {
  const double z = 2 * x - 1;
  at[0] = x;
  at[1] = 0.5 * (1 + sqrt(2 - z * z));
}

typedef struct {
  double mean, sd, slope[2], sd_slope[2], lower, lower_slope[2], draw, draw_slope[2];
} everything;

static everything all_of(gannet_surrogate *s, const double *x) {
  everything e = {0};
  double values[2];
  assert_ok(gannet_surrogate_predict_gradient(s, x, &e.mean, &e.sd, e.slope, e.sd_slope));
  assert_ok(gannet_surrogate_lower(s, 1.5, x, &e.lower, e.lower_slope));
  assert_ok(gannet_surrogate_draw_values(s, 1, x, values, 1));
  assert_ok(gannet_surrogate_draw_gradient(s, 1, x, &e.draw, e.draw_slope));
  assert_near(e.draw, values[1], 1e-12);
  return e;
}

static gannet_surrogate *drawn(const gannet_setting *lift, int d, const double *x) {
  enum { SPHERE_HYPER = PARAMETRIC_WEIGHTS + 9 };
  const gannet_setting settings[] = {{.key = "units", .text = "2"}, *lift};
  const parametric_options options = options_of(2, settings);
  double hyper[SPHERE_HYPER] = {LEARNED, log(1e-6), log(0.5), log(0.1)};
  gannet_random_normal((gannet_stream){3, GANNET_FOR_TEST, 1, 1}, 0, 9, hyper + PARAMETRIC_WEIGHTS);
  gannet_surrogate *s = NULL;
  assert_ok(gannet_surrogate_create(context, &gannet_surrogate_parametric, &options, d, 0, &s));
  assert_int_equal(gannet_surrogate_n_hyper(s), SPHERE_HYPER);
  assert_ok(gannet_surrogate_set_hyper(s, hyper));
  const gannet_data data = {N, x, data_y, NAN, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, false, 1));
  assert_ok(gannet_surrogate_sample(s, 2, 1, 1));
  return s;
}

static double along(const double *slope, double z) {
  return slope[0] - slope[1] * z / sqrt(2 - z * z); /* d sqrt(2 - z^2) / dz */
}

/* Of one variable it is the flat network of two, on points of a circle. */
static void the_sphere_is_one_input_more(void **state) {
  (void)state;
  double x[2 * N];
  for (int i = 0; i < N; ++i) lifted(data_x[i], x + 2 * i);
  const gannet_setting sphere = {.key = "lift", .text = "sphere"},
                       flat = {.key = "lift", .text = "flat"};
  gannet_surrogate *one = drawn(&sphere, 1, data_x), *other = drawn(&flat, 2, x);
  for (double at = 0; at <= 1; at += 0.125) {
    double image[2];
    lifted(at, image);
    const everything a = all_of(one, &at), b = all_of(other, image);
    const double z = 2 * at - 1;
    assert_near(a.mean, b.mean, 1e-10);
    assert_near(a.sd, b.sd, 1e-10);
    assert_near(a.lower, b.lower, 1e-8);
    assert_near(a.draw, b.draw, 1e-10);
    assert_near(a.slope[0], along(b.slope, z), 1e-9);
    assert_near(a.sd_slope[0], along(b.sd_slope, z), 1e-9);
    assert_near(a.draw_slope[0], along(b.draw_slope, z), 1e-9);
    assert_near(a.lower_slope[0], along(b.lower_slope, z), 1e-4);
  }
  gannet_surrogate_destroy(&one);
  gannet_surrogate_destroy(&other);
}

/* Residuals of the regression on data of such a network: its noise floor, because 25 units can
 * represent 2. Without the regression's several starts this fails. */
static void the_oracle_recovers_a_network(void **state) {
  (void)state;
  enum { POINTS = 60 };
  double x[POINTS], y[POINTS], mean[POINTS], g[WEIGHTS], worst = 0;
  gannet_random_uniform((gannet_stream){5, GANNET_FOR_TEST, 1, 1}, 0, POINTS, x);
  for (int i = 0; i < POINTS; ++i) y[i] = 3 * network(w0, x[i], g);
  gannet_surrogate *s = NULL;
  assert_ok(gannet_surrogate_create(context, &gannet_surrogate_parametric, NULL, 1, 0, &s));
  const gannet_data data = {POINTS, x, y, NAN, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, true, 1));
  assert_ok(gannet_surrogate_predict(s, POINTS, x, mean, NULL));
  for (int i = 0; i < POINTS; ++i) worst = fmax(worst, fabs(mean[i] - y[i]));
  assert_near(worst, 0, 0.02);
  gannet_surrogate_destroy(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_and_ball_follow_the_formulas_of_the_paper),
      cmocka_unit_test(the_published_schedule_is_as_published),
      cmocka_unit_test(observations_can_be_added_one_by_one),
      cmocka_unit_test(the_exact_minimum_is_that_over_the_ball),
      cmocka_unit_test(the_sphere_is_one_input_more),
      cmocka_unit_test(the_oracle_recovers_a_network),
  };
  return run_with_context(&argc, &argv, &context, tests);
}
