/* test: serial labels unit timeout 240 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "network/whole_kernel.h"
#include "support/harness.h"

#include "network/expectation.h"
#include "network/tangent.h"

enum { D = 3, N = 6 };

static const double rho[D] = {0.7, 1.3, 0.4};
static const double bias = 0.6;

/* All about one pair. */
typedef struct {
  double value, slope, value_p, value_q, slope_s, slope_p, slope_q;
} pair;

static pair expect(const gannet_activation *activation, double p, double q, double s) {
  const gannet_expectation *form = NULL;
  pair e;
  const gannet_expectation_partials by = {&e.value_p, &e.value_q, &e.slope_s, &e.slope_p,
                                          &e.slope_q};
  assert_ok(gannet_expectation_find(activation, &form));
  form->moments(1, &p, &q, &s, &e.value, &e.slope);
  form->partials(1, &p, &q, &s, &by);
  return e;
}

/* The form for pairs of one variance against the general one, up to s = +-q. */
static void one_variance_is_a_case_of_two(void **state) {
  (void)state;
  int forms = 0;
  for (int a = 0; gannet_activations[a]; ++a) {
    const gannet_expectation *form = NULL;
    assert_ok(gannet_expectation_find(gannet_activations[a], &form));
    if (!form->common) continue;
    ++forms;
    for (double q = 1e-3; q < 2e3; q *= 10)
      for (int i = -20; i <= 20; ++i) {
        const double s = q * i / 20;
        const pair e = expect(gannet_activations[a], q, q, s);
        const double by_q[2] = {e.value_p + e.value_q, e.slope_p + e.slope_q};
        double value, slope, slope_s, value_q, slope_q;
        const gannet_expectation_common by = {&slope_s, &value_q, &slope_q};
        form->common(1, q, &s, &value, &slope, &by);
        assert_near(value, e.value, 1e-12 * fabs(e.value));
        assert_near(slope, e.slope, 1e-11 * e.slope);
        assert_near(slope_s, e.slope_s, 1e-10 * fabs(e.slope_s));
        assert_near(value_q, by_q[0], 1e-10 * fabs(by_q[0]));
        assert_near(slope_q, by_q[1], 1e-10 * fabs(by_q[1]));
        const gannet_expectation_common few = {&slope_s, NULL, NULL};
        const double before = slope_s;
        form->common(1, q, &s, &value, &slope, &few);
        assert_true(slope_s == before);
      }
  }
  assert_int_equal(forms, 2);
}

static void points(double *x) {
  const gannet_stream stream = {17, GANNET_FOR_TEST, 0, 2};
  gannet_random_uniform(stream, 0, N * D, x);
}

static gannet_analytic *make_embedded(gannet_embedding_kind embedding,
                                      const gannet_activation *activation, int layers,
                                      const double *x) {
  const gannet_analytic_shape shape = {
      .activation = activation, .layers = layers, .d = D, .embedding = embedding};
  gannet_analytic *kernel = NULL;
  assert_ok(gannet_analytic_create(&shape, N, x, &kernel));
  return kernel;
}

static gannet_analytic *make(const gannet_activation *activation, int layers, const double *x) {
  return make_embedded(GANNET_EMBEDDING_FLAT, activation, layers, x);
}

/* 10^6 pairs of normals: value and slope within 5 standard errors (bounded by 5e-3 p q here). tanh
 * is an approximation: 4 %. */
static void expectations_are_the_means_over_normals(void **state) {
  (void)state;
  enum { SAMPLES = 1000000 };
  const double p = 0.8, q = 1.7, s = -0.5;
  static double z[2 * SAMPLES], u[SAMPLES], w[SAMPLES], fu[SAMPLES], du[SAMPLES], fw[SAMPLES],
      dw[SAMPLES];
  const gannet_stream stream = {3, GANNET_FOR_TEST, 0, 5};
  gannet_random_normal(stream, 0, 2 * SAMPLES, z);
  for (int i = 0; i < SAMPLES; ++i) {
    u[i] = sqrt(p) * z[2 * i];
    w[i] = s / sqrt(p) * z[2 * i] + sqrt(q - s * s / p) * z[2 * i + 1];
  }
  for (int a = 0; gannet_activations[a]; ++a) {
    const gannet_activation *f = gannet_activations[a];
    const pair e = expect(f, p, q, s);
    double value = 0, slope = 0;
    f->slope(SAMPLES, u, fu, du);
    f->slope(SAMPLES, w, fw, dw);
    for (int i = 0; i < SAMPLES; ++i) {
      value += fu[i] * fw[i] / SAMPLES;
      slope += du[i] * dw[i] / SAMPLES;
    }
    const double gain = f->smooth ? 1 : 2, bound = f->name[0] == 't' ? 0.04 : 0;
    assert_near(gain * value, e.value, 7e-3 + bound * fabs(e.value));
    assert_near(gain * slope, e.slope, 7e-3 + bound * fabs(e.slope));
  }
}

static void partial_derivatives_are_differences(void **state) {
  (void)state;
  const double p = 0.8, q = 1.7, s = -0.5, h = 1e-6;
  for (int a = 0; gannet_activations[a]; ++a) {
    const gannet_activation *f = gannet_activations[a];
    const pair e = expect(f, p, q, s);
    pair up = expect(f, p + h, q, s), down = expect(f, p - h, q, s);
    assert_near(e.value_p, (up.value - down.value) / (2 * h), 1e-8);
    assert_near(e.slope_p, (up.slope - down.slope) / (2 * h), 1e-8);
    up = expect(f, p, q + h, s);
    down = expect(f, p, q - h, s);
    assert_near(e.value_q, (up.value - down.value) / (2 * h), 1e-8);
    assert_near(e.slope_q, (up.slope - down.slope) / (2 * h), 1e-8);
    up = expect(f, p, q, s + h);
    down = expect(f, p, q, s - h);
    assert_near(e.slope, (up.value - down.value) / (2 * h), 1e-8);
    assert_near(e.slope_s, (up.slope - down.slope) / (2 * h), 1e-8);
  }
}

/* Largest relative error of the kernel of a random network of this width, root mean square over
 * nets. */
static double width_error(const gannet_activation *f, int layers, int width, const double *exact,
                          const double *x) {
  enum { NETS = 8 };
  double sum = 0, k[N * N];
  for (uint64_t net_index = 0; net_index < NETS; ++net_index) {
    const gannet_stream stream = {23, GANNET_FOR_WEIGHTS, 0, net_index};
    const gannet_tangent_shape shape = {.activation = f, .d = D, .layers = layers, .width = width};
    gannet_tangent *net = NULL;
    gannet_tangent_features features = {0};
    assert_ok(gannet_tangent_create(&shape, stream, &net));
    gannet_tangent_set_inputs(net, rho, bias);
    assert_ok(gannet_tangent_extend(net, N, x, &features));
    gannet_tangent_kernel(net, &features, 0, N, &features, N, k, N);
    for (int i = 0; i < N * N; ++i)
      sum += (k[i] - exact[i]) * (k[i] - exact[i]) / (NETS * exact[i / N * (N + 1)] * exact[0]);
    gannet_tangent_release(&features);
    gannet_tangent_destroy(&net);
  }
  return sqrt(sum / (N * N));
}

/* The prior is as uncertain in the corners as anywhere. */
static void the_sphere_gives_the_same_variance_everywhere(void **state) {
  (void)state;
  double x[N * D], k[N * N];
  points(x);
  for (int a = 0; gannet_activations[a]; ++a) {
    gannet_analytic *kernel = make_embedded(GANNET_EMBEDDING_SPHERE, gannet_activations[a], 2, x);
    whole_kernel(kernel, N, rho, bias, k);
    for (int i = 1; i < N; ++i) assert_near(k[i * (N + 1)], k[0], 1e-12 * k[0]);
    gannet_analytic_destroy(&kernel);
  }
}

/* The error falls as 1/sqrt(width): 64 times the width, 8 times less (5 to 13 leaves room for
 * chance among 8 networks), and is below 2/sqrt(width). */
static void finite_networks_tend_to_the_analytic_kernel(void **state) {
  (void)state;
  double x[N * D], exact[N * N];
  points(x);
  for (int a = 0; gannet_activations[a]; ++a)
    for (int layers = 1; layers <= 2; ++layers) {
      const gannet_activation *f = gannet_activations[a];
      if (f->name[0] == 't') continue;
      const int narrow = layers == 1 ? 128 : 16;
      gannet_analytic *kernel = make(f, layers, x);
      whole_kernel(kernel, N, rho, bias, exact);
      const double rough = width_error(f, layers, narrow, exact, x);
      const double fine = width_error(f, layers, 64 * narrow, exact, x);
      assert_in_range((int)(10 * rough / fine), 40, 150);
      assert_true(fine < 3 * layers / sqrt(64.0 * narrow));
      gannet_analytic_destroy(&kernel);
    }
}

/* F = sum_ij C_ij k_ij with a random symmetric C; central differences, step 1e-5. */
static double combine(gannet_analytic *kernel, const double *log_scales, const double *c) {
  double scale[D], k[N * N], sum = 0;
  for (int i = 0; i < D; ++i) scale[i] = exp(log_scales[i]);
  whole_kernel(kernel, N, scale, exp(log_scales[D]), k);
  for (int i = 0; i < N * N; ++i) sum += c[i] * k[i];
  return sum;
}

static void reverse_gives_the_differences(void **state) {
  (void)state;
  double x[N * D], c[N * N], at[D + 1], by[D + 1], by_size;
  const gannet_stream stream = {29, GANNET_FOR_TEST, 0, 5};
  const double h = 1e-5;
  points(x);
  gannet_random_normal(stream, 0, N * N, c);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < i; ++j) c[i * N + j] = c[j * N + i];
  for (int i = 0; i < D; ++i) at[i] = log(rho[i]);
  at[D] = log(bias);
  for (int a = 0; gannet_activations[a]; ++a)
    for (int kind = 0; kind < 8; ++kind) {
      gannet_analytic *kernel =
          make_embedded((gannet_embedding_kind)(kind % 2), gannet_activations[a], 1 + kind / 2, x);
      combine(kernel, at, c);
      gannet_analytic_reverse_rows(kernel, 0, N, c, by, &by[D], &by_size);
      for (int k = 0; k <= D; ++k) {
        const double old = at[k];
        at[k] = old + h;
        const double above = combine(kernel, at, c);
        at[k] = old - h;
        assert_near(by[k], (above - combine(kernel, at, c)) / (2 * h), 1e-6 * (1 + fabs(by[k])));
        at[k] = old;
      }
      gannet_analytic_destroy(&kernel);
    }
}

/* Parts of the rows, of which nothing before the diagonal is read, sum to the whole. */
static void parts_of_the_reversal_sum_to_it(void **state) {
  (void)state;
  double x[N * D], c[N * N], k[N * N], upper[N * N], whole[D + 1], sum[D + 1], part[D + 1];
  double by_size, size_sum;
  const int cuts[] = {0, 1, N / 3, N - 1, N};
  points(x);
  gannet_random_normal((gannet_stream){29, GANNET_FOR_TEST, 0, 6}, 0, N * N, c);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < i; ++j) c[i * N + j] = c[j * N + i];
  for (int i = 0; i < N * N; ++i) upper[i] = i % N < i / N ? NAN : c[i];
  for (int a = 0; gannet_activations[a]; ++a)
    for (int kind = 0; kind < 4; ++kind) {
      gannet_analytic *kernel =
          make_embedded((gannet_embedding_kind)(kind % 2), gannet_activations[a], 1 + kind / 2, x);
      whole_kernel(kernel, N, rho, bias, k);
      gannet_analytic_reverse_rows(kernel, 0, N, c, whole, &whole[D], &by_size);
      memset(sum, 0, sizeof sum);
      size_sum = 0;
      for (int p = 0; p < 4; ++p) {
        gannet_analytic_reverse_rows(kernel, cuts[p], cuts[p + 1] - cuts[p], upper + cuts[p] * N,
                                     part, &part[D], &by_size);
        for (int i = 0; i <= D; ++i) sum[i] += part[i];
        size_sum += by_size;
      }
      for (int i = 0; i < N * N; ++i) size_sum -= c[i] * k[i];
      assert_near(size_sum, 0, 1e-9);
      for (int i = 0; i <= D; ++i) assert_near(sum[i], whole[i], 1e-9 * (1 + fabs(whole[i])));
      gannet_analytic_destroy(&kernel);
    }
}

/* Thesis definition 3.3.1, in angles: one hidden layer, k = |z||z'| (k0 c + k1). */
static void relu_matches_the_published_form(void **state) {
  (void)state;
  const double pi = 3.14159265358979323846;
  double x[N * D], k[N * N];
  const gannet_activation *relu = NULL;
  points(x);
  assert_ok(gannet_activation_find("relu", &relu));
  gannet_analytic *kernel = make(relu, 1, x);
  whole_kernel(kernel, N, rho, bias, k);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      double s = bias * bias, p = s, q = s;
      for (int l = 0; l < D; ++l) {
        const double a = rho[l] * (2 * x[i * D + l] - 1), b = rho[l] * (2 * x[j * D + l] - 1);
        s += a * b;
        p += a * a;
        q += b * b;
      }
      const double c = fmin(1, s / sqrt(p * q)), angle = pi - acos(c);
      const double k0 = angle / pi, k1 = (c * angle + sqrt(1 - c * c)) / pi;
      assert_near(k[i * N + j], sqrt(p * q) * (k0 * c + k1), 1e-7);
    }
  gannet_analytic_destroy(&kernel);
}

static void what_has_no_closed_form_is_refused(void **state) {
  (void)state;
  gannet_activation other = *gannet_activations[0];
  gannet_analytic_shape shape = {.activation = &other, .layers = 1, .d = 1};
  gannet_analytic *kernel = NULL;
  const double x = 0.5;
  other.name = "gelu";
  assert_fails(GANNET_ERR_NAME, "gelu", gannet_analytic_create(&shape, 1, &x, &kernel));
  shape.layers = 0;
  assert_fails(GANNET_ERR_ARG, "layers", gannet_analytic_create(&shape, 1, &x, &kernel));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expectations_are_the_means_over_normals),
      cmocka_unit_test(one_variance_is_a_case_of_two),
      cmocka_unit_test(partial_derivatives_are_differences),
      cmocka_unit_test(finite_networks_tend_to_the_analytic_kernel),
      cmocka_unit_test(the_sphere_gives_the_same_variance_everywhere),
      cmocka_unit_test(reverse_gives_the_differences),
      cmocka_unit_test(parts_of_the_reversal_sum_to_it),
      cmocka_unit_test(relu_matches_the_published_form),
      cmocka_unit_test(what_has_no_closed_form_is_refused),
  };
  return run_serial(tests);
}
