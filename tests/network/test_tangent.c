/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "base/memory.h"
#include "linalg/blas.h"
#include "network/tangent.h"

enum { D = 3, M = 7, MAX_P = 400 };

static const gannet_stream weights = {5, GANNET_FOR_TEST, 0, 1};
static const double rho[D] = {0.7, 1.3, 0.4};
static const double bias = 0.6;

static gannet_tangent *make_embedded(gannet_embedding_kind embedding, const char *activation,
                                     int layers, int width) {
  gannet_tangent_shape shape = {.d = D, .layers = layers, .width = width, .embedding = embedding};
  gannet_tangent *net = NULL;
  assert_ok(gannet_activation_find(activation, &shape.activation));
  assert_ok(gannet_tangent_create(&shape, weights, &net));
  gannet_tangent_set_inputs(net, rho, bias);
  return net;
}

static gannet_tangent *make(const char *activation, int layers, int width) {
  return make_embedded(GANNET_EMBEDDING_FLAT, activation, layers, width);
}

/* The network of tangent.h written out with explicit parameters [W_1, .., W_L, v], by the C
 * library. */
static double phi(const char *name, double u) {
  if (name[0] == 'r') return u > 0 ? u : 0;
  if (name[0] == 't') return tanh(u);
  if (name[0] == 'e') return erf(u);
  return sin(u);
}

static double network(const char *name, int layers, const double *theta, const double *x) {
  double a[M] = {bias}, u[M];
  const double c = sqrt((name[0] == 'r' ? 2.0 : 1.0) / M);
  int columns = D + 1;
  for (int k = 0; k < D; ++k) a[k] = rho[k] * (2 * x[k] - 1);
  a[D] = bias;
  for (int l = 0; l < layers; ++l) {
    for (int i = 0; i < M; ++i) {
      u[i] = 0;
      for (int k = 0; k < columns; ++k) u[i] += (l > 0 ? c : 1) * theta[i * columns + k] * a[k];
    }
    for (int i = 0; i < M; ++i) a[i] = phi(name, u[i]);
    theta += M * columns;
    columns = M;
  }
  double sum = 0;
  for (int i = 0; i < M; ++i) sum += c * theta[i] * a[i];
  return sum;
}

static int initial(const gannet_tangent *net, int layers, double *theta) {
  const size_t p = gannet_tangent_parameters(net);
  assert_in_range(p, 1, MAX_P);
  int at = 0;
  for (int l = 0; l <= layers; ++l) {
    const int size = l == 0 ? M * (D + 1) : l < layers ? M * M : M;
    memcpy(theta + at, gannet_tangent_weights(net, l), (size_t)size * sizeof *theta);
    at += size;
  }
  assert_int_equal(at, p);
  return at;
}

/* h = (f(theta_1) - f(theta_2))/sqrt(2), written with the parameters of both copies. */
static double doubled(const char *name, int layers, int p, const double *theta, const double *x) {
  return (network(name, layers, theta, x) - network(name, layers, theta + p, x)) / sqrt(2);
}

/* Gradient of h by central differences, step 1e-5. */
static void explicit_features(const char *name, int layers, int p, double *theta, const double *x,
                              double *g) {
  const double h = 1e-5;
  for (int i = 0; i < 2 * p; ++i) {
    const double old = theta[i];
    theta[i] = old + h;
    const double above = doubled(name, layers, p, theta, x);
    theta[i] = old - h;
    g[i] = (above - doubled(name, layers, p, theta, x)) / (2 * h);
    theta[i] = old;
  }
}

static void points(int n, double *x) {
  const gannet_stream stream = {11, GANNET_FOR_TEST, 0, 2};
  gannet_random_uniform(stream, 0, (size_t)(n * D), x);
}

static const char *const names[] = {"relu", "tanh", "erf", "sin"};

static void kernel_is_the_product_of_the_gradients_of_the_doubled_network(void **state) {
  (void)state;
  enum { N = 5 };
  static double x[N * D], theta[2 * MAX_P], g[N][2 * MAX_P], k[N * N], diagonal[N], tile[3 * 2];
  points(N, x);
  for (int a = 0; a < 4; ++a)
    for (int layers = 1; layers <= 4; ++layers) {
      gannet_tangent *net = make(names[a], layers, M);
      gannet_tangent_features f = {0};
      const int p = initial(net, layers, theta);
      memcpy(theta + p, theta, (size_t)p * sizeof *theta);
      assert_ok(gannet_tangent_extend(net, N, x, &f));
      gannet_tangent_kernel(net, &f, 0, N, &f, N, k, N);
      gannet_tangent_tile(net, &f, 2, 3, 1, 2, tile, 2);
      for (int i = 0; i < 6; ++i)
        assert_near(tile[i], k[(2 + i / 2) * N + 1 + i % 2], 1e-12 * (1 + fabs(tile[i])));
      gannet_tangent_diagonal(net, &f, 0, N, diagonal);
      for (int i = 0; i < N; ++i) {
        assert_near(doubled(names[a], layers, p, theta, x + i * D), 0, 0);
        explicit_features(names[a], layers, p, theta, x + i * D, g[i]);
        assert_near(diagonal[i], k[i * N + i], 1e-12 * (1 + fabs(diagonal[i])));
      }
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) assert_near(k[i * N + j], gannet_dot(2 * p, g[i], g[j]), 1e-7);
      gannet_tangent_release(&f);
      gannet_tangent_destroy(&net);
    }
}

/* Phi (Phi^T c) = K c, and <Phi^T c, delta> = <c, Phi delta> for random delta. */
static void directions_and_kernel_agree(void **state) {
  (void)state;
  enum { N = 70, Q = 3 };
  static double x[N * D], c[Q * N], k[N * N], values[Q * N];
  points(N, x);
  gannet_random_normal(weights, 1000, Q * N, c);
  for (int layers = 1; layers <= 3; ++layers) {
    gannet_tangent *net = make("erf", layers, 33);
    gannet_tangent_features f = {0};
    gannet_tangent_directions s = {0};
    assert_ok(gannet_tangent_extend(net, N, x, &f));
    gannet_tangent_kernel(net, &f, 0, N, &f, N, k, N);
    assert_ok(gannet_tangent_directions_reserve(net, Q, &s));
    assert_ok(gannet_tangent_transpose(net, &f, c, N, 0, &s));
    gannet_tangent_apply(net, &f, 0, 1, &s, values, N);
    for (int j = 0; j < Q; ++j)
      for (int i = 0; i < N; ++i)
        assert_near(values[j * N + i], gannet_dot(N, k + i * N, c + j * N), 1e-9);
    assert_ok(gannet_tangent_transpose(net, &f, c, N, 1, &s));
    for (int i = 0; i < Q * N; ++i) c[i] = -c[i];
    assert_ok(gannet_tangent_transpose(net, &f, c, N, 1, &s));
    assert_ok(gannet_tangent_transpose(net, &f, c, N, 1, &s)); /* back to zero */
    gannet_tangent_apply(net, &f, 0, 1, &s, values, N);
    for (int i = 0; i < Q * N; ++i) assert_near(values[i], 0, 1e-9);
    gannet_tangent_directions_release(&s);
    gannet_tangent_release(&f);
    gannet_tangent_destroy(&net);
  }
}

/* 4 000 prior draws: the covariance of their values is the kernel, within 5 standard errors. */
static void prior_draws_have_the_covariance_of_the_kernel(void **state) {
  (void)state;
  enum { N = 4, Q = 4000 };
  static double x[N * D], k[N * N], values[Q * N];
  points(N, x);
  for (int layers = 1; layers <= 2; ++layers) {
    gannet_tangent *net = make("erf", layers, M);
    gannet_tangent_features f = {0};
    gannet_tangent_directions s = {0};
    const gannet_stream prior = {5, GANNET_FOR_PRIOR, 0, 0};
    assert_ok(gannet_tangent_extend(net, N, x, &f));
    gannet_tangent_kernel(net, &f, 0, N, &f, N, k, N);
    assert_ok(gannet_tangent_directions_reserve(net, Q, &s));
    assert_ok(gannet_tangent_prior(net, prior, &s));
    gannet_tangent_apply(net, &f, 0, 1, &s, values, N);
    for (int a = 0; a < N; ++a)
      for (int b = 0; b < N; ++b) {
        double sum = 0;
        for (int j = 0; j < Q; ++j) sum += values[j * N + a] * values[j * N + b];
        const double variance = k[a * N + a] * k[b * N + b] + k[a * N + b] * k[a * N + b];
        assert_near(sum / Q, k[a * N + b], 5 * sqrt(variance / Q));
      }
    gannet_tangent_directions_release(&s);
    gannet_tangent_release(&f);
    gannet_tangent_destroy(&net);
  }
}

/* Central differences of f, step 1e-5, at points and activations without a kink. */
static void gradients_are_the_differences_of_values(void **state) {
  (void)state;
  enum { N = 3, Q = 2 };
  static double x[N * D];
  const double h = 1e-5;
  points(N, x);
  for (int a = 1; a < 4; ++a)
    for (int kind = 0; kind < 8; ++kind) {
      gannet_tangent *net =
          make_embedded((gannet_embedding_kind)(kind % 2), names[a], 1 + kind / 2, 40);
      gannet_tangent_directions s = {0};
      const gannet_stream prior = {5, GANNET_FOR_PRIOR, 0, 0};
      assert_ok(gannet_tangent_directions_reserve(net, Q, &s));
      assert_ok(gannet_tangent_prior(net, prior, &s));
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < Q; ++j) {
          double value, gradient[D], near[2 * D * D], moved[Q][2 * D], here[Q];
          gannet_tangent_gradient(net, &s, j, x + i * D, &value, gradient);
          gannet_tangent_values(net, &s, 1, x + i * D, here, 1);
          assert_near(value, here[j], 1e-11);
          for (int k = 0; k < 2 * D; ++k) {
            memcpy(near + k * D, x + i * D, D * sizeof *near);
            near[k * D + k / 2] += k % 2 ? -h : h;
          }
          gannet_tangent_values(net, &s, 2 * D, near, moved[0], 2 * D);
          for (int k = 0; k < D; ++k)
            assert_near(gradient[k], (moved[j][2 * k] - moved[j][2 * k + 1]) / (2 * h), 1e-6);
        }
      gannet_tangent_directions_release(&s);
      gannet_tangent_destroy(&net);
    }
}

static void any_split_into_tiles_gives_the_same_bits(void **state) {
  (void)state;
  enum { N = 523, Q = 3 };
  static double x[N * D], whole[Q * N], part[Q * N], features[Q * N];
  points(N, x);
  for (int layers = 1; layers <= 2; ++layers) {
    gannet_tangent *net = make("tanh", layers, 37);
    gannet_tangent_directions s = {0};
    gannet_tangent_features f = {0}, grown = {0};
    const gannet_stream prior = {5, GANNET_FOR_PRIOR, 0, 0};
    assert_ok(gannet_tangent_directions_reserve(net, Q, &s));
    assert_ok(gannet_tangent_prior(net, prior, &s));
    gannet_tangent_values(net, &s, N, x, whole, N);
    const int cuts[] = {0, 1, 14, 77, 78, 200, 512, N};
    for (int c = 0; c < 7; ++c) {
      gannet_tangent_values(net, &s, cuts[c + 1] - cuts[c], x + cuts[c] * D, part + cuts[c], N);
      assert_ok(gannet_tangent_extend(net, cuts[c + 1], x, &grown));
    }
    assert_memory_equal(whole, part, sizeof whole);
    assert_ok(gannet_tangent_extend(net, N, x, &f));
    gannet_tangent_apply(net, &f, 0, 1, &s, features, N);
    assert_memory_equal(whole, features, sizeof whole);
    assert_memory_equal(f.z, grown.z, N * (D + 1) * sizeof *f.z);
    for (int l = 0; l < layers; ++l) {
      assert_memory_equal(f.a[l], grown.a[l], N * 37 * sizeof(double));
      assert_memory_equal(f.b[l], grown.b[l], N * 37 * sizeof(double));
    }
    gannet_tangent_release(&f);
    gannet_tangent_release(&grown);
    gannet_tangent_directions_release(&s);
    gannet_tangent_destroy(&net);
  }
}

static void shapes_out_of_range_are_refused(void **state) {
  (void)state;
  gannet_tangent_shape shape = {.d = D, .layers = GANNET_TANGENT_LAYERS + 1, .width = 4};
  gannet_tangent *net = NULL;
  assert_ok(gannet_activation_find("erf", &shape.activation));
  assert_fails(GANNET_ERR_ARG, "layers", gannet_tangent_create(&shape, weights, &net));
  shape.layers = 1;
  shape.width = 0;
  assert_fails(GANNET_ERR_ARG, "width", gannet_tangent_create(&shape, weights, &net));
  assert_null(net);
  gannet_tangent_destroy(&net);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernel_is_the_product_of_the_gradients_of_the_doubled_network),
      cmocka_unit_test(directions_and_kernel_agree),
      cmocka_unit_test(prior_draws_have_the_covariance_of_the_kernel),
      cmocka_unit_test(gradients_are_the_differences_of_values),
      cmocka_unit_test(any_split_into_tiles_gives_the_same_bits),
      cmocka_unit_test(shapes_out_of_range_are_refused),
  };
  return run_serial(tests);
}
