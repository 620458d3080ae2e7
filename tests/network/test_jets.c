/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "base/memory.h"
#include "linalg/blas.h"
#include "network/jets.h"

enum { N = 3, INPUTS = 3, WIDTH = 6, MOST = 400, PARTIALS = 35 };

static const gannet_stream stream = {5, GANNET_FOR_TEST, 2, 0};
static const char *const smooth[] = {"tanh", "erf", "sin"};

static gannet_mlp net_of(const char *name, int layers) {
  gannet_mlp net = {.inputs = INPUTS, .layers = layers, .width = WIDTH};
  assert_ok(gannet_activation_find(name, &net.activation));
  assert_true(gannet_mlp_parameters(&net) <= MOST);
  return net;
}

static void draw(int index, int n, double *values) {
  gannet_stream mine = stream;
  mine.index = (uint64_t)index;
  gannet_random_normal(mine, 0, (size_t)n, values);
}

/* All derivatives of three coordinates up to order 4: 1 + 3 + 6 + 10 + 15. */
static int every_partial(gannet_partial *partials) {
  int n = 0;
  partials[n++] = (gannet_partial){0};
  for (int a = 0; a < INPUTS; ++a) {
    partials[n++] = (gannet_partial){1, {a}};
    for (int b = a; b < INPUTS; ++b) {
      partials[n++] = (gannet_partial){2, {a, b}};
      for (int c = b; c < INPUTS; ++c) {
        partials[n++] = (gannet_partial){3, {a, b, c}};
        for (int e = c; e < INPUTS; ++e) partials[n++] = (gannet_partial){4, {a, b, c, e}};
      }
    }
  }
  return n;
}

/* z + t v as series. */
static void straight(int n, const double *z, const double *v, double *line) {
  memset(line, 0, (size_t)((GANNET_JET_ORDER + 1) * n * INPUTS) * sizeof *line);
  memcpy(line, z, (size_t)(n * INPUTS) * sizeof *z);
  for (int i = 0; i < n; ++i) memcpy(line + (n + i) * INPUTS, v, INPUTS * sizeof *v);
}

/* One derivative at n points, and its gradients [n][parameters] unless NULL. */
static void derivative(const gannet_mlp *net, const double *theta, const gannet_partial *partial,
                       int n, const double *z, double *value, double *rows) {
  gannet_jet_plan plan;
  gannet_jets *jets = NULL;
  double series[(GANNET_JET_ORDER + 1) * N], line[(GANNET_JET_ORDER + 1) * N * INPUTS];
  const size_t p = gannet_mlp_parameters(net);
  assert_ok(gannet_jet_plan_create(INPUTS, 1, partial, &plan));
  assert_ok(gannet_jets_create(net, N, &jets));
  memset(value, 0, (size_t)n * sizeof *value);
  if (rows) memset(rows, 0, (size_t)n * p * sizeof *rows);
  for (int t = 0; t < plan.first[1]; ++t) {
    const gannet_jet_term *term = &plan.term[t];
    double weight[GANNET_JET_ORDER + 1] = {0};
    weight[term->order] = 1;
    straight(n, z, plan.direction + (size_t)term->direction * INPUTS, line);
    gannet_jets_forward(jets, theta, n, line, term->order, series);
    if (rows) gannet_jets_backward(jets, theta);
    for (int i = 0; i < n; ++i) {
      value[i] += term->weight * series[term->order * n + i];
      if (rows) gannet_jets_add(jets, i, term->weight, weight, rows + (size_t)i * p);
    }
  }
  gannet_jets_destroy(&jets);
  gannet_jet_plan_release(&plan);
}

/* The derivative of order 0 is the network itself. */
static void the_series_starts_with_the_value(void **state) {
  (void)state;
  double theta[MOST], z[N * INPUTS], value[N], expected[N];
  const gannet_partial none = {0};
  draw(1, N * INPUTS, z);
  for (int a = 0; a < 3; ++a)
    for (int layers = 1; layers <= 3; ++layers) {
      const gannet_mlp net = net_of(smooth[a], layers);
      gannet_mlp_tape tape;
      gannet_mlp_start(&net, stream, theta);
      assert_ok(gannet_mlp_tape_create(&net, N, &tape));
      gannet_mlp_forward(&net, theta, N, z, &tape, expected);
      derivative(&net, theta, &none, N, z, value, NULL);
      for (int i = 0; i < N; ++i) assert_near(value[i], expected[i], 1e-14);
      gannet_mlp_tape_release(&tape);
    }
}

/* Sixth-order central difference by the last axis of a partial, of the derivative without it. */
static double difference(const gannet_mlp *net, const double *theta, gannet_partial partial,
                         const double *z) {
  static const double c[] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
  const double h = 4e-3;
  const int axis = partial.axis[--partial.order];
  double sum = 0;
  for (int s = 0; s < 3; ++s)
    for (int sign = -1; sign <= 1; sign += 2) {
      double moved[INPUTS], value;
      memcpy(moved, z, sizeof moved);
      moved[axis] += sign * (s + 1) * h;
      derivative(net, theta, &partial, 1, moved, &value, NULL);
      sum += sign * c[s] * value / h;
    }
  return sum;
}

static void every_derivative_is_that_of_the_one_below(void **state) {
  (void)state;
  gannet_partial partials[PARTIALS];
  double theta[MOST], z[N * INPUTS], value[N];
  assert_int_equal(every_partial(partials), PARTIALS);
  draw(1, N * INPUTS, z);
  for (int a = 0; a < 3; ++a)
    for (int layers = 1; layers <= 3; ++layers) {
      const gannet_mlp net = net_of(smooth[a], layers);
      gannet_mlp_start(&net, stream, theta);
      for (int b = 1; b < PARTIALS; ++b) {
        derivative(&net, theta, &partials[b], N, z, value, NULL);
        for (int i = 0; i < N; ++i)
          assert_near(value[i], difference(&net, theta, partials[b], z + i * INPUTS),
                      2e-9 * (1 + fabs(value[i])));
      }
    }
}

/* One hidden layer of sines: derivatives in closed form. */
static void one_layer_has_the_closed_form(void **state) {
  (void)state;
  gannet_partial partials[PARTIALS];
  double theta[MOST], z[N * INPUTS], value[N];
  const gannet_mlp net = net_of("sin", 1);
  draw(1, N * INPUTS, z);
  gannet_mlp_start(&net, stream, theta);
  for (int b = 0; b < every_partial(partials); ++b) {
    derivative(&net, theta, &partials[b], N, z, value, NULL);
    for (int i = 0; i < N; ++i) {
      double sum = 0;
      for (int j = 0; j < WIDTH; ++j) {
        double factor = theta[WIDTH * INPUTS + j] / sqrt(WIDTH);
        for (int k = 0; k < partials[b].order; ++k)
          factor *= theta[j * INPUTS + partials[b].axis[k]];
        const double u = gannet_dot(INPUTS, theta + j * INPUTS, z + i * INPUTS);
        sum += factor * sin(u + partials[b].order * acos(0));
      }
      assert_near(value[i], sum, 1e-13 * (1 + fabs(sum)));
    }
  }
}

static void gradients_by_weights_are_finite_differences(void **state) {
  (void)state;
  gannet_partial partials[PARTIALS];
  double theta[MOST], z[N * INPUTS], value[N], up[N], down[N], rows[N * MOST];
  const double h = 1e-3;
  draw(1, N * INPUTS, z);
  for (int a = 0; a < 3; ++a)
    for (int layers = 1; layers <= 3; ++layers) {
      const gannet_mlp net = net_of(smooth[a], layers);
      const int p = (int)gannet_mlp_parameters(&net);
      gannet_mlp_start(&net, stream, theta);
      for (int b = a; b < every_partial(partials); b += 3) {
        derivative(&net, theta, &partials[b], N, z, value, rows);
        for (int k = layers; k < p; k += 5) {
          const double kept = theta[k];
          double slope[N] = {0};
          for (int s = 1; s <= 2; ++s) {
            theta[k] = kept + s * h;
            derivative(&net, theta, &partials[b], N, z, up, NULL);
            theta[k] = kept - s * h;
            derivative(&net, theta, &partials[b], N, z, down, NULL);
            for (int i = 0; i < N; ++i)
              slope[i] += (s == 1 ? 8 : -1) * (up[i] - down[i]) / (12 * h);
          }
          theta[k] = kept;
          for (int i = 0; i < N; ++i)
            assert_near(rows[i * p + k], slope[i], 1e-8 * (1 + fabs(value[i]) + fabs(slope[i])));
        }
      }
    }
}

/* Laplacian and bi-Laplacian need few directions. */
static void directions_are_shared(void **state) {
  (void)state;
  const gannet_partial laplace[] = {{2, {0, 0}}, {2, {1, 1}}, {0, {0}}};
  const gannet_partial mixed[] = {{2, {0, 1}}, {2, {1, 0}}, {4, {0, 0, 1, 1}}};
  gannet_jet_plan plan;
  assert_ok(gannet_jet_plan_create(2, 3, laplace, &plan));
  assert_int_equal(plan.n_directions, 2);
  assert_int_equal(plan.order[0], 2);
  gannet_jet_plan_release(&plan);
  assert_ok(gannet_jet_plan_create(2, 3, mixed, &plan));
  assert_int_equal(plan.n_directions, 4); /* (1,1), (1,-1), (1,0), (0,1) */
  gannet_jet_plan_release(&plan);
}

static void what_cannot_be_planned_is_refused(void **state) {
  (void)state;
  const gannet_partial fifth = {5, {0, 0, 0, 0}}, outside = {1, {2}};
  const gannet_mlp net = net_of("relu", 1);
  gannet_jet_plan plan;
  gannet_jets *jets = NULL;
  assert_fails(GANNET_ERR_ARG, "order 5", gannet_jet_plan_create(2, 1, &fifth, &plan));
  gannet_jet_plan_release(&plan);
  assert_fails(GANNET_ERR_ARG, "coordinate 2", gannet_jet_plan_create(2, 1, &outside, &plan));
  gannet_jet_plan_release(&plan);
  assert_fails(GANNET_ERR_ARG, "tanh, erf or sin", gannet_jets_create(&net, N, &jets));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_series_starts_with_the_value),
      cmocka_unit_test(every_derivative_is_that_of_the_one_below),
      cmocka_unit_test(one_layer_has_the_closed_form),
      cmocka_unit_test(gradients_by_weights_are_finite_differences),
      cmocka_unit_test(directions_are_shared),
      cmocka_unit_test(what_cannot_be_planned_is_refused),
  };
  return run_serial(tests);
}
