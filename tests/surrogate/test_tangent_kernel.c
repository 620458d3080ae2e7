/* test: ranks 1 2 3 labels unit timeout 240 */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "network/whole_kernel.h"
#include "support/harness.h"
#include "surrogate/created.h"

#include "base/hash.h"
#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/models/tangent_kernel/tangent_kernel.h"

enum { D = 2, WIDTH = 16, P = WIDTH * (D + 2), N = 12, M = 3, MANY = 160, LONG = 300 };

static gannet_context *world, *self;

static gannet_surrogate *make(const gannet_context *context, int n,
                              const gannet_setting *settings) {
  return surrogate_named(context, "tangent-kernel", D, n, settings);
}

static gannet_surrogate *make_narrow(const gannet_context *context) {
  const gannet_setting narrow[] = {{.key = "width", .text = "16"},
                                   {.key = "kernel", .text = "network"}};
  return make(context, 2, narrow);
}

/* Both forms of the posterior, with default options otherwise. */
static const char *const kernels[] = {"infinite", "network"};

static gannet_surrogate *make_kernel(int kernel) {
  const gannet_setting setting = {.key = "kernel", .text = kernels[kernel]};
  return make(world, 1, &setting);
}

static void points(uint64_t which, int n, double *x) {
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, which, 9}, 0, (size_t)(n * D), x);
}

/* Smooth, of order 1. */
static void values(int n, const double *x, double *y) {
  for (int i = 0; i < n; ++i) y[i] = sin(4 * x[i * D]) + x[i * D + 1] * x[i * D + 1] - 0.6;
}

/* Features written out: c a_j, then B_j z_k, from a network made of the same stream. */
static void explicit_features(const double *hyper, int n, const double *x, double *phi) {
  const gannet_tangent_shape shape = {gannet_activations[2], D, 1, WIDTH, GANNET_EMBEDDING_SPHERE};
  const double rho[D] = {exp(hyper[TANGENT_RHO]), exp(hyper[TANGENT_RHO])};
  gannet_tangent *net = NULL;
  gannet_tangent_features f = {0};
  assert_string_equal(shape.activation->name, "erf");
  assert_ok(
      gannet_tangent_create(&shape, gannet_context_stream(world, GANNET_FOR_WEIGHTS, 0, 0), &net));
  gannet_tangent_set_inputs(net, rho, exp(hyper[TANGENT_BIAS]));
  assert_ok(gannet_tangent_extend(net, n, x, &f));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < WIDTH; ++j) {
      double *row = phi + i * P + j * (D + 2);
      row[0] = f.a[0][i * WIDTH + j] / sqrt(WIDTH);
      for (int k = 0; k <= D; ++k) row[1 + k] = f.b[0][i * WIDTH + j] * f.z[i * (D + 1) + k];
    }
  gannet_tangent_release(&f);
  gannet_tangent_destroy(&net);
}

static gannet_err primal_rows(void *user, int first, int rows, double *k, int ldk) {
  const double *u = user;
  for (int i = 0; i < rows; ++i) memcpy(k + i * ldk, u + (first + i) * P, P * sizeof *k);
  return GANNET_OK;
}

/* Moments of the noise-free function in the primal form, U = lambda I + Phi^T Phi of size p x p:
 * mean = phi^T U^-1 Phi^T y, covariance = noise phi^T U^-1 phi'. */
static void primal(const double *hyper, double noise, const double *x, const double *y,
                   const double *query, double *mean, double *covariance) {
  static double phi[N * P], at[M * P], u[P * P], solved[M * P], right[P];
  const double lambda = noise / exp(hyper[TANGENT_AMPLITUDE]);
  gannet_cholesky *factor = NULL;
  explicit_features(hyper, N, x, phi);
  explicit_features(hyper, M, query, at);
  gannet_gemm_tn(P, P, N, 1, phi, P, phi, P, 0, u, P);
  for (int i = 0; i < P; ++i) u[i * P + i] += lambda;
  assert_ok(gannet_cholesky_create(&factor));
  assert_ok(gannet_cholesky_extend(factor, P, primal_rows, u));
  memcpy(solved, at, sizeof at);
  gannet_cholesky_solve(factor, M, solved, P);
  gannet_gemv_t(N, P, 1, phi, P, y, 0, right);
  gannet_gemv_n(M, P, 1, solved, P, right, 0, mean);
  gannet_gemm_nt(M, M, P, noise, solved, P, at, P, 0, covariance, M);
  gannet_cholesky_destroy(&factor);
}

static void dual_and_primal_forms_agree(void **state) {
  (void)state;
  double x[N * D], y[N], query[M * D], mean[M], sd[M], hyper[TANGENT_RHO + 1];
  double primal_mean[M], covariance[M * M];
  points(1, N, x);
  points(2, M, query);
  values(N, x, y);
  gannet_surrogate *s = make_narrow(world);
  const gannet_data data = {N, x, y, 0.01, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, true, 1));
  gannet_surrogate_get_hyper(s, hyper);
  assert_ok(gannet_surrogate_predict(s, M, query, mean, sd));
  primal(hyper, 0.01, x, y, query, primal_mean, covariance);
  for (int i = 0; i < M; ++i) {
    assert_near(mean[i], primal_mean[i], 1e-9);
    assert_near(sd[i], sqrt(covariance[i * M + i]), 1e-9);
  }
  gannet_surrogate_destroy(&s);
}

/* Gaussian conditioning on the matrix of data and queries together, by one dense solve. */
static gannet_err matrix_rows(void *user, int first, int rows, double *k, int ldk) {
  const double *whole = user;
  for (int i = 0; i < rows; ++i) memcpy(k + i * ldk, whole + (first + i) * (N + M), N * sizeof *k);
  return GANNET_OK;
}

static void the_infinite_posterior_is_conditioning_on_the_matrix(void **state) {
  (void)state;
  enum { ALL = N + M };
  double x[ALL * D], y[ALL], whole[ALL * ALL], solved[M * N], mean[M], sd[M];
  double hyper[TANGENT_RHO + 1];
  const gannet_analytic_shape shape = {gannet_activations[2], 1, D, GANNET_EMBEDDING_SPHERE};
  gannet_analytic *kernel = NULL;
  gannet_cholesky *factor = NULL;
  points(1, ALL, x);
  values(ALL, x, y);
  gannet_surrogate *s = make(world, 0, NULL);
  const gannet_data data = {N, x, y, 0.01, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, true, 1));
  assert_ok(gannet_surrogate_predict(s, M, x + N * D, mean, sd));
  gannet_surrogate_get_hyper(s, hyper);
  const double rho[D] = {exp(hyper[TANGENT_RHO]), exp(hyper[TANGENT_RHO])};
  assert_ok(gannet_analytic_create(&shape, ALL, x, &kernel));
  whole_kernel(kernel, ALL, rho, exp(hyper[TANGENT_BIAS]), whole);
  for (int i = 0; i < ALL * ALL; ++i) whole[i] *= exp(hyper[TANGENT_AMPLITUDE]);
  for (int i = 0; i < M; ++i) memcpy(solved + i * N, whole + (N + i) * ALL, N * sizeof *solved);
  for (int i = 0; i < N; ++i) whole[i * (ALL + 1)] += 0.01;
  assert_ok(gannet_cholesky_create(&factor));
  assert_ok(gannet_cholesky_extend(factor, N, matrix_rows, whole));
  gannet_cholesky_solve(factor, M, solved, N);
  for (int i = 0; i < M; ++i) {
    const double *k = whole + (N + i) * ALL;
    assert_near(mean[i], gannet_dot(N, solved + i * N, y), 1e-9);
    assert_near(sd[i], sqrt(k[N + i] - gannet_dot(N, solved + i * N, k)), 1e-8);
  }
  gannet_cholesky_destroy(&factor);
  gannet_analytic_destroy(&kernel);
  gannet_surrogate_destroy(&s);
}

/* Central differences, step 1e-5, of moments and draws, for the kernel that is not the default. */
static void the_gradients_of_the_network_kernel_are_differences(void **state) {
  (void)state;
  double x[N * D], y[N], at[D];
  points(1, N, x);
  points(2, 1, at);
  values(N, x, y);
  gannet_surrogate *s = make_kernel(1);
  const gannet_data data = {N, x, y, 0.01, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, true, 1));
  assert_ok(gannet_surrogate_sample(s, 2, 1, 1));
  gradients_are_differences_at(s, D, at, 1e-5);
  gannet_surrogate_destroy(&s);
}

/* 10^4 draws, exploration 1 and 2.5: means and covariances within 5 standard errors of the closed
 * form. */
static void draws_have_the_moments_of_the_closed_form(void **state) {
  (void)state;
  enum { Q = 10000 };
  static double draws[Q * M];
  double x[N * D], y[N], query[M * D], hyper[TANGENT_RHO + 1], mean[M], covariance[M * M];
  points(1, N, x);
  points(2, M, query);
  values(N, x, y);
  gannet_surrogate *s = make_narrow(world);
  const gannet_data data = {N, x, y, 0.01, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, true, 1));
  gannet_surrogate_get_hyper(s, hyper);
  primal(hyper, 0.01, x, y, query, mean, covariance);
  for (int round = 0; round < 2; ++round) {
    const double exploration = round ? 2.5 : 1, square = exploration * exploration;
    assert_ok(gannet_surrogate_sample(s, Q, exploration, 3 + round));
    assert_ok(gannet_surrogate_draw_values(s, M, query, draws, M));
    for (int a = 0; a < M; ++a) {
      const double va = square * covariance[a * M + a];
      double sum = 0;
      for (int j = 0; j < Q; ++j) sum += draws[j * M + a];
      assert_near(sum / Q, mean[a], 5 * sqrt(va / Q));
      for (int b = 0; b < M; ++b) {
        const double vb = square * covariance[b * M + b], vab = square * covariance[a * M + b];
        double product = 0;
        for (int j = 0; j < Q; ++j)
          product += (draws[j * M + a] - mean[a]) * (draws[j * M + b] - mean[b]);
        assert_near(product / Q, vab, 5 * sqrt((va * vb + vab * vab) / Q));
      }
    }
  }
  gannet_surrogate_destroy(&s);
}

/* The variances of draws from the infinite kernel over those of the posterior, mean over 400
 * batches and 20 points. With one network for all batches it was 1.04 here, from 0.96 to 1.17 at
 * single points. */
static void draws_of_many_batches_have_the_variance_of_the_infinite_kernel(void **state) {
  (void)state;
  enum { Q = 10, BATCHES = 400, POINTS = 20 };
  static double draws[Q * POINTS];
  double x[N * D], y[N], query[POINTS * D], mean[POINTS], sd[POINTS], ratio[POINTS] = {0}, sum = 0;
  points(1, N, x);
  points(2, POINTS, query);
  values(N, x, y);
  gannet_surrogate *s = make(world, 0, NULL);
  const gannet_data data = {N, x, y, 0.01, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, true, 1));
  assert_ok(gannet_surrogate_predict(s, POINTS, query, mean, sd));
  for (int batch = 0; batch < BATCHES; ++batch) {
    assert_ok(gannet_surrogate_sample(s, Q, 1, 2 + batch));
    assert_ok(gannet_surrogate_draw_values(s, POINTS, query, draws, POINTS));
    for (int i = 0; i < POINTS; ++i)
      for (int j = 0; j < Q; ++j) {
        const double away = (draws[j * POINTS + i] - mean[i]) / sd[i];
        ratio[i] += away * away / (Q * BATCHES);
      }
  }
  for (int i = 0; i < POINTS; ++i) {
    assert_near(ratio[i], 1, 0.08);
    sum += ratio[i] / POINTS;
  }
  assert_near(sum, 1, 0.03);
  gannet_surrogate_destroy(&s);
}

static void without_exploration_a_draw_is_the_mean_with(int kernel) {
  double x[N * D], y[N], query[M * D], mean[M], draw[2 * M];
  points(1, N, x);
  points(2, M, query);
  values(N, x, y);
  gannet_surrogate *s = make_kernel(kernel);
  const gannet_data data = {N, x, y, 0.01, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, false, 1));
  assert_ok(gannet_surrogate_predict(s, M, query, mean, NULL));
  assert_ok(gannet_surrogate_sample(s, 2, 0, 1));
  assert_ok(gannet_surrogate_draw_values(s, M, query, draw, M));
  for (int i = 0; i < 2 * M; ++i) assert_near(draw[i], mean[i % M], 1e-10);
  gannet_surrogate_destroy(&s);
}

static void without_exploration_a_draw_is_the_mean(void **state) {
  (void)state;
  for (int kernel = 0; kernel < 2; ++kernel) without_exploration_a_draw_is_the_mean_with(kernel);
}

/* A draw that is shrunk to nothing is the mean, values and gradients, with both kernels and with
 * the mean of a trained network. */
static void a_draw_shrunk_to_nothing_is_the_mean(void **state) {
  (void)state;
  const gannet_setting settings[] = {{.key = "width", .text = "32"},
                                     {.key = "layers", .text = "2"},
                                     {.key = "kernel", .text = "network"},
                                     {.key = "mean", .text = "trained"}};
  double x[N * D], y[N], query[M * D], mean[M], sd[M], draw[2 * M], before[2 * M];
  points(1, N, x);
  points(2, M, query);
  values(N, x, y);
  for (int n = 2; n <= 4; ++n) { /* infinite, network, network with a trained mean */
    gannet_surrogate *s = make(world, n, settings);
    const gannet_data data = {N, x, y, 0.01, NULL};
    assert_ok(gannet_surrogate_fit(s, &data, false, 1));
    assert_ok(gannet_surrogate_sample(s, 2, 1.5, 1));
    assert_ok(gannet_surrogate_draw_values(s, M, query, before, M));
    assert_ok(gannet_surrogate_shrink_draw(s, 1, 0));
    assert_ok(gannet_surrogate_draw_values(s, M, query, draw, M));
    for (int i = 0; i < M; ++i) {
      double gradient[D], by_mean[D], by_sd[D], value = 0;
      assert_ok(
          gannet_surrogate_predict_gradient(s, query + i * D, mean + i, sd + i, by_mean, by_sd));
      assert_near(draw[M + i], mean[i], 1e-9);
      assert_float_equal(draw[i], before[i], 0);
      assert_ok(gannet_surrogate_draw_gradient(s, 1, query + i * D, &value, gradient));
      assert_near(value, mean[i], 1e-9);
      for (int k = 0; k < D; ++k) assert_near(gradient[k], by_mean[k], 1e-8);
    }
    gannet_surrogate_destroy(&s);
  }
}

static void any_split_of_the_points_gives_the_same_draws(void **state) {
  (void)state;
  enum { Q = 2 };
  static double x[MANY * D], y[MANY], whole[Q * MANY], part[Q * MANY];
  const int cuts[] = {0, 1, 14, 77, 78, 142, MANY};
  points(4, MANY, x);
  values(MANY, x, y);
  for (int kernel = 0; kernel < 2; ++kernel) {
    gannet_surrogate *s = make_kernel(kernel);
    const gannet_data data = {70, x, y, 0.01, NULL};
    assert_ok(gannet_surrogate_fit(s, &data, false, 1));
    assert_ok(gannet_surrogate_sample(s, Q, 1, 1));
    assert_ok(gannet_surrogate_draw_values(s, MANY, x, whole, MANY));
    for (int c = 0; c < 6; ++c)
      assert_ok(gannet_surrogate_draw_values(s, cuts[c + 1] - cuts[c], x + cuts[c] * D,
                                             part + cuts[c], MANY));
    assert_memory_equal(whole, part, sizeof whole);
    gannet_surrogate_destroy(&s);
  }
}

/* Noise 0: the mean passes through the data to the noise floor of 1e-8, and so does every draw. */
static void exact_data_are_interpolated_with(int kernel) {
  enum { MORE = 40 };
  double x[MORE * D], y[MORE], mean[MORE], sd[MORE], draw[2 * MORE];
  points(3, MORE, x);
  values(MORE, x, y);
  gannet_surrogate *s = make_kernel(kernel);
  const gannet_data data = {MORE, x, y, 0, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, true, 1));
  assert_ok(gannet_surrogate_predict(s, MORE, x, mean, sd));
  assert_ok(gannet_surrogate_sample(s, 2, 1, 1));
  assert_ok(gannet_surrogate_draw_values(s, MORE, x, draw, MORE));
  for (int i = 0; i < MORE; ++i) {
    assert_near(mean[i], y[i], 5e-4);
    assert_near(sd[i], 0, 1.1e-4);
    assert_near(draw[i], y[i], 1e-3);
    assert_near(draw[MORE + i], y[i], 1e-3);
  }
  gannet_surrogate_destroy(&s);
}

static void exact_data_are_interpolated(void **state) {
  (void)state;
  for (int kernel = 0; kernel < 2; ++kernel) exact_data_are_interpolated_with(kernel);
}

static uint64_t digest(gannet_surrogate *s, int64_t iteration) {
  enum { QUERIES = 70, Q = 3 };
  static double query[QUERIES * D], all[(2 + Q) * QUERIES];
  double hyper[TANGENT_RHO + D];
  points(7, QUERIES, query);
  assert_ok(gannet_surrogate_predict(s, QUERIES, query, all, all + QUERIES));
  assert_ok(gannet_surrogate_sample(s, Q, 1.5, iteration));
  assert_ok(gannet_surrogate_draw_values(s, QUERIES, query, all + 2 * QUERIES, QUERIES));
  gannet_surrogate_get_hyper(s, hyper);
  const size_t size = (size_t)gannet_surrogate_n_hyper(s) * sizeof *hyper;
  return gannet_hash(all, sizeof all) ^ gannet_hash(hyper, size);
}

/* Noise so small and points so often repeated that the factor fails and lambda must be raised. */
static gannet_surrogate *make_brittle(int kernel) {
  const gannet_setting settings[] = {{.key = "noise_floor", .text = "1e-12"},
                                     {.key = "kernel", .text = kernels[kernel]}};
  gannet_surrogate *s = make(world, 2, settings);
  double hyper[TANGENT_RHO + 1];
  gannet_surrogate_get_hyper(s, hyper);
  hyper[TANGENT_AMPLITUDE] = log(1e6);
  assert_ok(gannet_surrogate_set_hyper(s, hyper));
  return s;
}

/* Across the blocks of the factor, repeated points included. */
static void growing_and_fitting_anew_give_the_same_bits_with(int kernel) {
  static double x[MANY * D], y[MANY];
  points(4, MANY, x);
  const int sizes[] = {0, 1, 17, 63, 64, 65, 130, MANY};
  for (int repeated = 0; repeated < 2; ++repeated) {
    if (repeated) memcpy(x + 100 * D, x + 20 * D, 60 * D * sizeof *x);
    values(MANY, x, y);
    gannet_surrogate *grown = repeated ? make_brittle(kernel) : make_kernel(kernel);
    for (int k = 0; k < 8; ++k) {
      const gannet_data data = {sizes[k], x, y, 0, NULL};
      gannet_surrogate *anew = repeated ? make_brittle(kernel) : make_kernel(kernel);
      assert_ok(gannet_surrogate_fit(grown, &data, false, k));
      assert_ok(gannet_surrogate_fit(anew, &data, false, k));
      assert_true(digest(grown, k) == digest(anew, k));
      gannet_surrogate_destroy(&anew);
    }
    gannet_surrogate_destroy(&grown);
  }
}

static void growing_and_fitting_anew_give_the_same_bits(void **state) {
  (void)state;
  for (int kernel = 0; kernel < 2; ++kernel)
    growing_and_fitting_anew_give_the_same_bits_with(kernel);
}

/* Enough observations and numbers to share fit and draws, one scale per coordinate. */
static void ranks_do_not_matter_with(int kernel) {
  static double x[LONG * D], y[LONG];
  const gannet_setting settings[] = {{.key = "input_scales", .text = "ard"},
                                     {.key = "width", .text = "112"},
                                     {.key = "layers", .text = "2"},
                                     {.key = "fit_points", .text = "260"},
                                     {.key = "fit_evaluations", .text = "8"},
                                     {.key = "restarts", .text = "5"},
                                     {.key = "kernel", .text = kernels[kernel]}};
  uint64_t digests[2];
  points(5, LONG, x);
  values(LONG, x, y);
  for (int k = 0; k < 2; ++k) {
    gannet_surrogate *s = make(k ? self : world, 7, settings);
    for (int n = 80; n <= LONG; n += 110) {
      const gannet_data data = {n, x, y, NAN, NULL};
      assert_ok(gannet_surrogate_fit(s, &data, n != 190, n));
    }
    digests[k] = digest(s, 1);
    gannet_surrogate_destroy(&s);
  }
  assert_true(digests[0] == digests[1]);
  assert_ok(gannet_same(world->comm, digests, sizeof digests, "digests"));
}

static void a_group_of_ranks_and_one_alone_get_the_same_bits(void **state) {
  (void)state;
  for (int kernel = 0; kernel < 2; ++kernel) ranks_do_not_matter_with(kernel);
}

/* Central differences, step 1e-5, with and without inferred noise. */
static void the_evidence_has_the_gradient_of_its_differences(void **state) {
  (void)state;
  const gannet_surrogate_type *type = NULL;
  const gannet_setting settings[] = {{.key = "input_scales", .text = "ard"},
                                     {.key = "width", .text = "8"}};
  const double h = 1e-5;
  double x[N * D], y[N];
  points(1, N, x);
  values(N, x, y);
  assert_ok(gannet_surrogate_find("tangent-kernel", &type));
  for (int kind = 0; kind < 4; ++kind) {
    tangent_options options = {0};
    gannet_complaints complaints = {0};
    void *model = NULL;
    double hyper[TANGENT_RHO + D] = {0.3, -3, -0.4, -0.5, 0.2}, by[TANGENT_RHO + D], other[8];
    assert_ok(gannet_options_apply(type->options, NULL, 2, settings, &options, &complaints));
    options.layers = 1 + kind % 2;
    assert_ok(type->create(self, &options, D, 0, &model));
    const gannet_data data = {N, x, y, kind < 2 ? NAN : 0.04, NULL};
    double value = 0, above = 0, below = 0;
    assert_ok(tangent_evidence(model, &data, hyper, &value, by));
    for (int k = 0; k < TANGENT_RHO + D; ++k) {
      const double old = hyper[k];
      hyper[k] = old + h;
      assert_ok(tangent_evidence(model, &data, hyper, &above, other));
      hyper[k] = old - h;
      assert_ok(tangent_evidence(model, &data, hyper, &below, other));
      hyper[k] = old;
      assert_near(by[k], (above - below) / (2 * h), 1e-5 * (1 + fabs(by[k])));
    }
    type->destroy(model);
  }
}

/* Data that the model drew, with noise of sd 0.1: the variance learned from 160 observations is
 * right to a factor 1.6 (5 standard errors of 160/2 degrees of freedom). */
static void a_known_noise_level_is_recovered(void **state) {
  (void)state;
  static double x[MANY * D], y[MANY], noise[MANY];
  double hyper[TANGENT_RHO + 1], scale = 0;
  points(6, MANY, x);
  gannet_surrogate *s = make(world, 0, NULL);
  const gannet_data none = {0, NULL, NULL, NAN, NULL}, data = {MANY, x, y, NAN, NULL};
  assert_ok(gannet_surrogate_fit(s, &none, false, 1));
  assert_ok(gannet_surrogate_sample(s, 1, 1, 1));
  assert_ok(gannet_surrogate_draw_values(s, MANY, x, y, MANY));
  gannet_random_normal((gannet_stream){1, GANNET_FOR_TEST, 8, 9}, 0, MANY, noise);
  for (int i = 0; i < MANY; ++i) y[i] += 0.1 * noise[i];
  assert_ok(gannet_surrogate_fit(s, &data, true, 2));
  gannet_surrogate_get_hyper(s, hyper);
  assert_near(hyper[TANGENT_NOISE], log(0.01), log(1.6));
  assert_ok(gannet_surrogate_calibration(s, &scale));
  assert_near(scale, 1, 0.25);
  gannet_surrogate_destroy(&s);
}

/* An amplitude that is not 1, which is the default. */
static gannet_surrogate *make_loud(int kernel) {
  gannet_surrogate *s = make_kernel(kernel);
  double hyper[TANGENT_RHO + 1];
  gannet_surrogate_get_hyper(s, hyper);
  hyper[TANGENT_AMPLITUDE] = log(2.5);
  assert_ok(gannet_surrogate_set_hyper(s, hyper));
  return s;
}

/* Leave-one-out residuals by leaving each point out. */
static void calibration_is_that_of_models_without_the_point_with(int kernel) {
  double x[N * D], y[N], sum = 0, scale = 0;
  points(1, N, x);
  values(N, x, y);
  gannet_surrogate *s = make_loud(kernel);
  const gannet_data data = {N, x, y, 0.01, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, false, 1));
  assert_ok(gannet_surrogate_calibration(s, &scale));
  for (int out = 0; out < N; ++out) {
    double others[N * D], y_others[N], mean, sd;
    memcpy(others, x, sizeof x);
    memcpy(y_others, y, sizeof y);
    memcpy(others + out * D, x + (N - 1) * D, D * sizeof *x);
    y_others[out] = y[N - 1];
    const gannet_data rest = {N - 1, others, y_others, 0.01, NULL};
    gannet_surrogate *without = make_loud(kernel);
    assert_ok(gannet_surrogate_fit(without, &rest, false, 1));
    assert_ok(gannet_surrogate_predict(without, 1, x + out * D, &mean, &sd));
    sum += (y[out] - mean) * (y[out] - mean) / (sd * sd + 0.01);
    gannet_surrogate_destroy(&without);
  }
  assert_near(scale, sqrt(sum / N), 1e-8);
  gannet_surrogate_destroy(&s);
}

static void calibration_is_that_of_models_without_the_point(void **state) {
  (void)state;
  for (int kernel = 0; kernel < 2; ++kernel)
    calibration_is_that_of_models_without_the_point_with(kernel);
}

/* Results of a related problem, or from before bounds were narrowed, may lie far outside the box.
 */
static void data_far_outside_the_box_are_learnt_from(void **state) {
  static const double far[] = {2, 2, 2, -1, -1, 0.5};
  double x[N * D], y[N], query[M * D], mean[M], sd[M], draws[2 * M];
  (void)state;
  points(1, N, x);
  points(2, M, query);
  memcpy(x, far, sizeof far);
  query[0] = 1.9;
  query[1] = 1.8;
  values(N, x, y);
  for (int kernel = 0; kernel < 2; ++kernel) {
    gannet_surrogate *s = make_kernel(kernel);
    const gannet_data data = {N, x, y, 0.01, NULL};
    assert_ok(gannet_surrogate_fit(s, &data, true, 1));
    assert_ok(gannet_surrogate_predict(s, M, query, mean, sd));
    assert_ok(gannet_surrogate_sample(s, 2, 1, 1));
    assert_ok(gannet_surrogate_draw_values(s, M, query, draws, M));
    for (int i = 0; i < M; ++i) {
      assert_true(fabs(mean[i]) < 50 && sd[i] > 0 && sd[i] < 50);
      assert_true(fabs(draws[i]) < 200 && fabs(draws[M + i]) < 200);
    }
    gannet_surrogate_destroy(&s);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dual_and_primal_forms_agree),
      cmocka_unit_test(the_infinite_posterior_is_conditioning_on_the_matrix),
      cmocka_unit_test(the_gradients_of_the_network_kernel_are_differences),
      cmocka_unit_test(draws_have_the_moments_of_the_closed_form),
      cmocka_unit_test(draws_of_many_batches_have_the_variance_of_the_infinite_kernel),
      cmocka_unit_test(without_exploration_a_draw_is_the_mean),
      cmocka_unit_test(a_draw_shrunk_to_nothing_is_the_mean),
      cmocka_unit_test(any_split_of_the_points_gives_the_same_draws),
      cmocka_unit_test(exact_data_are_interpolated),
      cmocka_unit_test(growing_and_fitting_anew_give_the_same_bits),
      cmocka_unit_test(a_group_of_ranks_and_one_alone_get_the_same_bits),
      cmocka_unit_test(the_evidence_has_the_gradient_of_its_differences),
      cmocka_unit_test(a_known_noise_level_is_recovered),
      cmocka_unit_test(calibration_is_that_of_models_without_the_point),
      cmocka_unit_test(data_far_outside_the_box_are_learnt_from),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  int failed = 1;
  if (gannet_context_create(MPI_COMM_WORLD, 5, &world) == GANNET_OK &&
      gannet_context_create(MPI_COMM_SELF, 5, &self) == GANNET_OK)
    failed = run_ranks(tests);
  gannet_context_destroy(&self);
  gannet_context_destroy(&world);
  (void)MPI_Finalize();
  return failed;
}
