/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "base/memory.h"
#include "linalg/blas.h"
#include "network/mlp.h"
#include "network/tangent.h"

enum { N = 5, INPUTS = 4, WIDTH = 7, MOST = 2000 };

static const gannet_stream stream = {3, GANNET_FOR_TEST, 1, 0};

static gannet_mlp net_of(const char *name, int layers) {
  gannet_mlp net = {.inputs = INPUTS, .layers = layers, .width = WIDTH};
  assert_ok(gannet_activation_find(name, &net.activation));
  return net;
}

static void draw_points(double *z) {
  gannet_stream points = stream;
  points.index = 1;
  gannet_random_normal(points, 0, N * INPUTS, z);
}

/* Straight from the definition, one unit at a time. */
static double by_definition(const gannet_mlp *net, const double *theta, const double *z) {
  const double c = sqrt((net->activation->smooth ? 1.0 : 2.0) / WIDTH);
  double a[WIDTH], before[WIDTH], sum = 0;
  const double *w = theta;
  for (int l = 0; l < net->layers; ++l) {
    const int k = l == 0 ? INPUTS : WIDTH;
    for (int j = 0; j < WIDTH; ++j, w += k) {
      double u = 0;
      for (int i = 0; i < k; ++i) u += w[i] * (l == 0 ? z[i] : c * before[i]);
      net->activation->value(1, &u, &a[j]);
    }
    memcpy(before, a, sizeof a);
  }
  for (int j = 0; j < WIDTH; ++j) sum += c * w[j] * a[j];
  assert_int_equal(w + WIDTH - theta, (long)gannet_mlp_parameters(net));
  return sum;
}

static void values_follow_the_definition(void **state) {
  (void)state;
  double theta[MOST], z[N * INPUTS], out[N];
  draw_points(z);
  for (int a = 0; gannet_activation_names[a]; ++a)
    for (int layers = 1; layers <= 3; ++layers) {
      const gannet_mlp net = net_of(gannet_activation_names[a], layers);
      gannet_mlp_tape tape;
      gannet_mlp_start(&net, stream, theta);
      assert_ok(gannet_mlp_tape_create(&net, N, &tape));
      gannet_mlp_forward(&net, theta, N, z, &tape, out);
      for (int i = 0; i < N; ++i)
        assert_near(out[i], by_definition(&net, theta, z + i * INPUTS), 1e-12);
      gannet_mlp_tape_release(&tape);
    }
}

static double weighted_sum(const gannet_mlp *net, const double *theta, const double *z,
                           const double *weight) {
  double sum = 0;
  for (int i = 0; i < N; ++i) sum += weight[i] * by_definition(net, theta, z + i * INPUTS);
  return sum;
}

/* Central differences with step 1e-5 of functions of order 1: errors of order 1e-9. */
static void gradients_agree_with_differences(void **state) {
  (void)state;
  const double weight[N] = {0.7, -1.3, 0.4, 2.1, -0.6}, step = 1e-5;
  const char *const smooth[] = {"tanh", "erf", "sin"};
  double theta[MOST], gradient[MOST] = {0}, z[N * INPUTS], by_z[N * INPUTS], out[N];
  draw_points(z);
  for (int a = 0; a < 3; ++a)
    for (int layers = 1; layers <= 3; ++layers) {
      const gannet_mlp net = net_of(smooth[a], layers);
      const size_t p = gannet_mlp_parameters(&net);
      gannet_mlp_tape tape;
      gannet_mlp_start(&net, stream, theta);
      assert_ok(gannet_mlp_tape_create(&net, N, &tape));
      gannet_mlp_forward(&net, theta, N, z, &tape, out);
      memset(gradient, 0, sizeof gradient);
      gannet_mlp_backward(&net, theta, N, z, weight, &tape, gradient, by_z);
      for (size_t k = 0; k < p; k += 3) {
        const double kept = theta[k];
        theta[k] = kept + step;
        const double high = weighted_sum(&net, theta, z, weight);
        theta[k] = kept - step;
        const double low = weighted_sum(&net, theta, z, weight);
        theta[k] = kept;
        assert_near(gradient[k], (high - low) / (2 * step), 1e-7);
      }
      for (int k = 0; k < N * INPUTS; ++k) {
        const double kept = z[k];
        z[k] = kept + step;
        const double high = weighted_sum(&net, theta, z, weight);
        z[k] = kept - step;
        const double low = weighted_sum(&net, theta, z, weight);
        z[k] = kept;
        assert_near(by_z[k], (high - low) / (2 * step), 1e-7);
      }
      gannet_mlp_tape_release(&tape);
    }
}

/* The parameter gradients at the start are the features of network/tangent.h. */
static void gradients_at_the_start_are_the_tangent_features(void **state) {
  (void)state;
  const double rho[INPUTS - 1] = {0.8, 1.3, 0.5}, bias = 0.6;
  double x[N * (INPUTS - 1)], z[N * INPUTS], theta[MOST], kernel[N * N], out[N];
  static double gradient[N][MOST];
  gannet_random_uniform(stream, 0, N * (INPUTS - 1), x);
  for (int i = 0; i < N; ++i) {
    for (int k = 0; k < INPUTS - 1; ++k)
      z[i * INPUTS + k] = rho[k] * (2 * x[i * (INPUTS - 1) + k] - 1);
    z[i * INPUTS + INPUTS - 1] = bias;
  }
  for (int a = 0; gannet_activation_names[a]; ++a)
    for (int layers = 1; layers <= 3; ++layers) {
      const gannet_mlp net = net_of(gannet_activation_names[a], layers);
      const gannet_tangent_shape shape = {
          .activation = net.activation, .d = INPUTS - 1, .layers = layers, .width = WIDTH};
      const int p = (int)gannet_mlp_parameters(&net);
      gannet_tangent *tangent = NULL;
      gannet_tangent_features features = {0};
      gannet_mlp_tape tape;
      gannet_mlp_start(&net, stream, theta);
      assert_ok(gannet_mlp_tape_create(&net, 1, &tape));
      memset(gradient, 0, sizeof gradient);
      for (int i = 0; i < N; ++i) {
        const double one = 1;
        gannet_mlp_forward(&net, theta, 1, z + i * INPUTS, &tape, out);
        gannet_mlp_backward(&net, theta, 1, z + i * INPUTS, &one, &tape, gradient[i], NULL);
      }
      assert_ok(gannet_tangent_create(&shape, stream, &tangent));
      gannet_tangent_set_inputs(tangent, rho, bias);
      assert_ok(gannet_tangent_extend(tangent, N, x, &features));
      gannet_tangent_kernel(tangent, &features, 0, N, &features, N, kernel, N);
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j)
          assert_near(kernel[i * N + j], gannet_dot(p, gradient[i], gradient[j]), 1e-10);
      gannet_tangent_release(&features);
      gannet_tangent_destroy(&tangent);
      gannet_mlp_tape_release(&tape);
    }
}

static void a_pair_of_equal_halves_is_zero_and_its_gradient_fits(void **state) {
  (void)state;
  const gannet_mlp net = net_of("erf", 2);
  const size_t p = gannet_mlp_parameters(&net);
  double theta[MOST], z[N * INPUTS], h[N], by_z[INPUTS], work[INPUTS];
  gannet_mlp_tape tape;
  draw_points(z);
  gannet_mlp_start(&net, stream, theta);
  memcpy(theta + p, theta, p * sizeof *theta);
  assert_ok(gannet_mlp_tape_create(&net, 2, &tape)); /* fewer rows than points */
  gannet_mlp_pair_values(&net, theta, N, z, &tape, h);
  for (int i = 0; i < N; ++i) assert_true(h[i] == 0);
  for (size_t i = 0; i < p; ++i) theta[i] += 0.1 * sin((double)i);
  gannet_mlp_pair_values(&net, theta, N, z, &tape, h);
  for (int i = 0; i < N; ++i) {
    const double *at = z + i * INPUTS;
    const double value =
        (by_definition(&net, theta, at) - by_definition(&net, theta + p, at)) / sqrt(2);
    assert_near(h[i], value, 1e-12);
    assert_near(gannet_mlp_pair_gradient(&net, theta, at, &tape, work, by_z), value, 1e-12);
  }
  for (int k = 0; k < INPUTS; ++k) {
    double near[2 * INPUTS], pair[2];
    memcpy(near, z + (N - 1) * INPUTS, INPUTS * sizeof *z);
    memcpy(near + INPUTS, near, INPUTS * sizeof *z);
    near[k] += 1e-5;
    near[INPUTS + k] -= 1e-5;
    gannet_mlp_pair_values(&net, theta, 2, near, &tape, pair);
    assert_near(by_z[k], (pair[0] - pair[1]) / 2e-5, 1e-7);
  }
  gannet_mlp_tape_release(&tape);
}

static void impossible_shapes_are_refused(void **state) {
  (void)state;
  gannet_mlp_tape tape;
  gannet_mlp net = net_of("tanh", 0);
  assert_fails(GANNET_ERR_ARG, "0 layers", gannet_mlp_tape_create(&net, 1, &tape));
  net.layers = GANNET_MLP_LAYERS + 1;
  assert_fails(GANNET_ERR_ARG, "9 layers", gannet_mlp_tape_create(&net, 1, &tape));
  net.layers = 1;
  assert_fails(GANNET_ERR_ARG, "0 rows", gannet_mlp_tape_create(&net, 0, &tape));
  gannet_mlp_tape_release(&tape);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_follow_the_definition),
      cmocka_unit_test(gradients_agree_with_differences),
      cmocka_unit_test(gradients_at_the_start_are_the_tangent_features),
      cmocka_unit_test(a_pair_of_equal_halves_is_zero_and_its_gradient_fits),
      cmocka_unit_test(impossible_shapes_are_refused),
  };
  return run_serial(tests);
}
