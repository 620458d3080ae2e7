/* test: ranks 1 2 3 labels unit timeout 300 */
/* Noise that is stated of single rows of the data. */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "support/harness.h"
#include "surrogate/created.h"

#include "surrogate/surrogate.h"

enum { D = 2, N = 14, M = 5, MANY = 90, HYPER = 8 };

static const gannet_context *world, *self;
static double data_x[MANY * D], data_y[MANY], stated[MANY], query[M * D];

static int make(void **state) {
  const gannet_stream stream = {29, GANNET_FOR_TEST, 0, 0};
  (void)state;
  gannet_random_uniform(stream, 0, MANY * D, data_x);
  gannet_random_uniform(stream, MANY * D, M * D, query);
  for (int i = 0; i < MANY; ++i) {
    data_y[i] = sin(4 * data_x[i * D]) + data_x[i * D + 1];
    stated[i] = i % 3 == 1 ? NAN : 0.002 * (1 + i % 5);
  }
  return 0;
}

typedef struct {
  const char *name, *key, *text, *inducing;
} variant;

static const variant variants[] = {{"gp", "lengthscales", "ard", "0"},
                                   {"tangent-kernel", "kernel", "infinite", "0"},
                                   {"tangent-kernel", "kernel", "network", "0"},
                                   {"gp", "lengthscales", "ard", "30"},
                                   {"tangent-kernel", "kernel", "infinite", "30"}};
enum { EXACT = 3, VARIANTS = sizeof variants / sizeof *variants };

static gannet_surrogate *created(const gannet_context *context, const variant *v) {
  const gannet_setting settings[] = {{.key = v->key, .text = v->text},
                                     {.key = "inducing", .text = v->inducing},
                                     {.key = "noise_floor", .text = "1e-10"},
                                     {.key = "fit_evaluations", .text = "10"}};
  return surrogate_named(context, v->name, D, 4, settings);
}

static void moments(const gannet_surrogate *s, double *mean, double *sd) {
  assert_ok(gannet_surrogate_predict(s, M, query, mean, sd));
}

static void assert_same_moments(const gannet_surrogate *a, const gannet_surrogate *b,
                                double tolerance) {
  double mean[2][M], sd[2][M];
  moments(a, mean[0], sd[0]);
  moments(b, mean[1], sd[1]);
  for (int i = 0; i < M; ++i) {
    assert_near(mean[0][i], mean[1][i], tolerance);
    assert_near(sd[0][i], sd[1][i], tolerance);
  }
}

/* Solve K z = b for n right sides by elimination; K is lost. */
static void solve(int n, double *k, int m, double *b) {
  for (int p = 0; p < n; ++p)
    for (int i = p + 1; i < n; ++i) {
      const double factor = k[i * n + p] / k[p * n + p];
      for (int j = p; j < n; ++j) k[i * n + j] -= factor * k[p * n + j];
      for (int c = 0; c < m; ++c) b[i * m + c] -= factor * b[p * m + c];
    }
  for (int i = n - 1; i >= 0; --i)
    for (int c = 0; c < m; ++c) {
      for (int j = i + 1; j < n; ++j) b[i * m + c] -= k[i * n + j] * b[j * m + c];
      b[i * m + c] /= k[i * n + i];
    }
}

static double matern(const double *hyper, const double *a, const double *b) {
  double square = 0;
  for (int k = 0; k < D; ++k) square += pow((a[k] - b[k]) / exp(hyper[2 + k]), 2);
  const double r = sqrt(5 * square);
  return exp(hyper[0]) * (1 + r + r * r / 3) * exp(-r);
}

/* The posterior by the textbook: K + diag(noise of each row), the mean by generalised least
 * squares.
 */
static void moments_are_those_of_the_dense_formulas(void **state) {
  const double hyper[] = {0.2, log(0.01), log(0.4), log(0.7)};
  gannet_surrogate *s = created(world, &variants[0]);
  const gannet_data data = {N, data_x, data_y, NAN, stated};
  double mean[M], sd[M], k[N * N], b[N * (2 + M)], above = 0, below = 0;
  (void)state;
  assert_ok(gannet_surrogate_set_hyper(s, hyper));
  assert_ok(gannet_surrogate_fit(s, &data, false, 0));
  moments(s, mean, sd);
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) k[i * N + j] = matern(hyper, data_x + i * D, data_x + j * D);
    k[i * N + i] += isnan(stated[i]) ? 0.01 : stated[i];
    b[i * (2 + M)] = data_y[i];
    b[i * (2 + M) + 1] = 1;
    for (int q = 0; q < M; ++q)
      b[i * (2 + M) + 2 + q] = matern(hyper, query + q * D, data_x + i * D);
  }
  solve(N, k, 2 + M, b);
  for (int i = 0; i < N; ++i) {
    above += b[i * (2 + M)];
    below += b[i * (2 + M) + 1];
  }
  for (int q = 0; q < M; ++q) {
    double at = above / below, variance = exp(hyper[0]);
    for (int i = 0; i < N; ++i) {
      const double cross = matern(hyper, query + q * D, data_x + i * D);
      at += cross * (b[i * (2 + M)] - above / below * b[i * (2 + M) + 1]);
      variance -= cross * b[i * (2 + M) + 2 + q];
    }
    assert_near(mean[q], at, 1e-9);
    assert_near(sd[q], sqrt(variance), 1e-9);
  }
  double fitted[N], again[N];
  assert_true(gannet_surrogate_fitted(s, fitted));
  assert_ok(gannet_surrogate_predict(s, N, data_x, again, NULL));
  for (int i = 0; i < N; ++i) assert_near(fitted[i], again[i], 1e-9);
  gannet_surrogate_destroy(&s);
}

/* The noise of all rows, stated for each. */
static void equal_rows_are_as_one_noise(void **state) {
  double all[MANY];
  (void)state;
  for (int i = 0; i < MANY; ++i) all[i] = 0.03;
  for (int v = 0; v < VARIANTS; ++v) {
    gannet_surrogate *one = created(world, &variants[v]), *each = created(world, &variants[v]);
    const gannet_data given = {MANY, data_x, data_y, 0.03, NULL};
    const gannet_data rows = {MANY, data_x, data_y, 0.03, all};
    assert_ok(gannet_surrogate_fit(one, &given, true, 0));
    assert_ok(gannet_surrogate_fit(each, &rows, true, 0));
    assert_same_moments(one, each, v < EXACT ? 1e-8 : 1e-3);
    assert_near(gannet_surrogate_noise_var(each), 0.03, 1e-12);
    gannet_surrogate_destroy(&one);
    gannet_surrogate_destroy(&each);
  }
}

/* A value twice, with twice the variance each time, tells what it tells once. */
static void two_rows_are_as_one_of_half_the_variance(void **state) {
  double x[2 * N * D], y[2 * N], noise[2 * N], once[N], hyper[HYPER];
  (void)state;
  for (int i = 0; i < 2 * N; ++i) {
    memcpy(x + i * D, data_x + i / 2 * D, D * sizeof *x);
    y[i] = data_y[i / 2];
    once[i / 2] = 0.001 * (1 + i / 2);
    noise[i] = 2 * once[i / 2];
  }
  for (int v = 0; v < EXACT; ++v) {
    gannet_surrogate *a = created(world, &variants[v]), *b = created(world, &variants[v]);
    const gannet_data some = {N, data_x, data_y, NAN, once}, twice = {2 * N, x, y, NAN, noise};
    assert_ok(gannet_surrogate_fit(a, &some, true, 0));
    gannet_surrogate_get_hyper(a, hyper);
    assert_ok(gannet_surrogate_set_hyper(b, hyper));
    assert_ok(gannet_surrogate_fit(b, &twice, false, 0));
    assert_same_moments(a, b, 1e-6);
    gannet_surrogate_destroy(&a);
    gannet_surrogate_destroy(&b);
  }
}

/* Grown by rows, grown by fantasies, changed in one row, without any: as if made at once; and the
 * same bits on one rank. */
static void conditioning_goes_on_as_if_made_at_once(void **state) {
  double changed[MANY], values[2][3 * M], hyper[HYPER];
  (void)state;
  memcpy(changed, stated, sizeof stated);
  changed[3] = 0.5;
  for (int v = 0; v < VARIANTS; ++v) {
    const gannet_data steps[] = {{60, data_x, data_y, NAN, stated},
                                 {70, data_x, data_y, NAN, stated},
                                 {80, data_x, data_y, NAN, changed},
                                 {MANY, data_x, data_y, NAN, NULL},
                                 {MANY, data_x, data_y, NAN, changed}};
    gannet_surrogate *s = created(world, &variants[v]), *alone = created(self, &variants[v]);
    assert_ok(gannet_surrogate_fit(s, &steps[0], true, 0));
    gannet_surrogate_get_hyper(s, hyper);
    for (int i = 1; i < 5; ++i) {
      assert_ok(gannet_surrogate_fantasize(s, &steps[i], 2, i));
      assert_ok(gannet_surrogate_fit(s, &steps[i], false, i));
    }
    assert_ok(gannet_surrogate_set_hyper(alone, hyper));
    assert_ok(gannet_surrogate_fit(alone, &steps[4], false, 4));
    for (int k = 0; k < 2; ++k) {
      gannet_surrogate *one = k ? alone : s;
      moments(one, values[k], values[k] + M);
      assert_ok(gannet_surrogate_sample(one, 1, 1, 7));
      assert_ok(gannet_surrogate_draw_values(one, M, query, values[k] + 2 * M, M));
    }
    for (int i = 0; i < 3 * M; ++i) assert_near(values[0][i], values[1][i], 1e-9);
    gannet_surrogate_destroy(&s);
    gannet_surrogate_destroy(&alone);
  }
}

/* Learning takes a few rows as exact and the others as noisy: the noise of the others is found. */
static void the_noise_of_other_rows_is_learnt(void **state) {
  double y[MANY], noise[MANY], z[MANY], hyper[HYPER];
  (void)state;
  gannet_random_normal((gannet_stream){31, GANNET_FOR_TEST, 0, 0}, 0, MANY, z);
  for (int i = 0; i < MANY; ++i) {
    noise[i] = i % 2 ? NAN : 1e-4;
    y[i] = data_y[i] + (i % 2 ? 0.3 : 0.01) * z[i];
  }
  gannet_surrogate *s = created(world, &variants[0]);
  const gannet_data data = {MANY, data_x, y, NAN, noise};
  assert_ok(gannet_surrogate_fit(s, &data, true, 0));
  gannet_surrogate_get_hyper(s, hyper);
  if (!(exp(hyper[1]) > 0.03 && exp(hyper[1]) < 0.2)) fail_msg("noise %g", exp(hyper[1]));
  gannet_surrogate_destroy(&s);
}

/* An ensemble of networks: a row as noisy as the model is has the bits of one of which nothing is
 * stated; a row that says nothing is as none; and members follow a row that is exact. */
static void networks_are_trained_by_the_weights_of_rows(void **state) {
  const gannet_setting settings[] = {{.key = "members", .text = "16"},
                                     {.key = "width", .text = "32"},
                                     {.key = "steps", .text = "50"}};
  double noise[N + 1], x[(N + 1) * D], y[N + 1], mean[3][M], sd[3][M], at[2], spread[2];
  (void)state;
  memcpy(x, data_x, sizeof x);
  memcpy(y, data_y, sizeof y);
  y[N] = 40;
  for (int i = 0; i <= N; ++i) noise[i] = i % 2 ? NAN : 0.01;
  noise[N] = 1e10;
  for (int k = 0; k < 3; ++k) {
    gannet_surrogate *s = surrogate_named(world, "ensemble", D, 3, settings);
    const gannet_data data = {k == 2 ? N + 1 : N, x, y, 0.01, k ? noise : NULL};
    assert_ok(gannet_surrogate_fit(s, &data, false, 0));
    moments(s, mean[k], sd[k]);
    gannet_surrogate_destroy(&s);
  }
  assert_memory_equal(mean[0], mean[1], sizeof mean[0]);
  for (int i = 0; i < M; ++i) {
    assert_near(mean[2][i], mean[0][i], 1e-2); /* training ends at a small gain */
    assert_near(sd[2][i], sd[0][i], 1e-2);
  }
  for (int k = 0; k < 2; ++k) {
    gannet_surrogate *s = surrogate_named(world, "ensemble", D, 3, settings);
    const gannet_data data = {N, x, y, 0.09, noise};
    for (int i = 0; i < N; ++i) noise[i] = NAN;
    noise[5] = k ? 1e-6 : NAN;
    assert_ok(gannet_surrogate_fit(s, &data, false, 0));
    assert_ok(gannet_surrogate_predict(s, 1, x + (ptrdiff_t)5 * D, &at[k], &spread[k]));
    gannet_surrogate_destroy(&s);
  }
  assert_near(at[1], y[5], 5e-3);
  assert_true(spread[1] < 5e-3 && spread[0] > 10 * spread[1]);
}

/* Others leave it out, and are what they are without it. */
static void other_types_leave_it_out(void **state) {
  (void)state;
  for (int t = 0; gannet_surrogate_types[t]; ++t) {
    const gannet_surrogate_type *type = gannet_surrogate_types[t];
    gannet_surrogate *s[2] = {NULL, NULL};
    double mean[2][M];
    if (type->takes_row_noise) continue;
    for (int k = 0; k < 2; ++k) {
      const gannet_data data = {N, data_x, data_y, NAN, k ? stated : NULL};
      assert_ok(gannet_surrogate_create(self, type, NULL, D, 0, &s[k]));
      assert_ok(gannet_surrogate_fit(s[k], &data, false, 0));
      assert_ok(gannet_surrogate_predict(s[k], M, query, mean[k], NULL));
      gannet_surrogate_destroy(&s[k]);
    }
    assert_memory_equal(mean[0], mean[1], sizeof mean[0]);
  }
}

static void what_cannot_be_is_refused(void **state) {
  double wrong[N];
  (void)state;
  gannet_surrogate *s = created(world, &variants[0]);
  const gannet_data data = {N, data_x, data_y, NAN, wrong};
  memcpy(wrong, stated, sizeof wrong);
  wrong[2] = -1;
  assert_fails(GANNET_ERR_ARG, "noise variance -1 of row 2",
               gannet_surrogate_fit(s, &data, false, 0));
  gannet_surrogate_destroy(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moments_are_those_of_the_dense_formulas),
      cmocka_unit_test(equal_rows_are_as_one_noise),
      cmocka_unit_test(two_rows_are_as_one_of_half_the_variance),
      cmocka_unit_test(conditioning_goes_on_as_if_made_at_once),
      cmocka_unit_test(the_noise_of_other_rows_is_learnt),
      cmocka_unit_test(networks_are_trained_by_the_weights_of_rows),
      cmocka_unit_test(other_types_leave_it_out),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  gannet_context *contexts[2] = {NULL, NULL};
  if (gannet_context_create(MPI_COMM_WORLD, 3, &contexts[0]) != GANNET_OK) return 1;
  if (gannet_context_create(MPI_COMM_SELF, 3, &contexts[1]) != GANNET_OK) return 1;
  world = contexts[0];
  self = contexts[1];
  const int failed = run_ranks_(cmocka_run_group_tests(tests, make, NULL));
  gannet_context_destroy(&contexts[0]);
  gannet_context_destroy(&contexts[1]);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
