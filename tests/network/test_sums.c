/* test: serial labels unit */
/* Sums by strips against the exact ones, for lists and numbers of draws that fill no group. */
#include <math.h>

#include "base/memory.h"
#include "network/kernel_sums.h"
#include "network/strips.h"
#include "network/unit_sums.h"
#include "support/harness.h"

/* tanh among the activations. */
enum { SMOOTH = 1 };

enum { D = 3, M = 21, N = 545, Q = 12 };

static const double rho[D] = {0.7, 1.3, 0.4};
static const double bias = 0.6;

static void draw(uint64_t stream, size_t n, double *x) {
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 0, stream}, 0, n, x);
}

/* z: [M][D+1] to strips of the precision, the last one not full. Returns their number. */
static int make_strips(const gannet_strips *by, const double *z, double *strips) {
  const gannet_strips_source source = {z, D + 1, 1};
  by->pack(M, D + 1, &source, by->lanes, strips);
  return (M + by->lanes - 1) / by->lanes;
}

static double at(const gannet_strips *by, const double *values, int q, int point, int draw_) {
  return values[((ptrdiff_t)(point / by->lanes) * q + draw_) * by->lanes + point % by->lanes];
}

static double size_of(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
  return most;
}

/* values[j][M] of estimates and of exact sums agree. */
static void compare(const gannet_strips *by, int q, const double *values, const double *exact) {
  const double near = (by->size == sizeof(float) ? 2e-6 : 1e-12) * size_of(q * M, exact);
  for (int j = 0; j < q; ++j)
    for (int i = 0; i < M; ++i) assert_near(at(by, values, q, i, j), exact[j * M + i], near);
}

static void kernel_sums_are_the_exact_ones(void **state) {
  (void)state;
  static double x[(N + M) * D], k[GANNET_TANGENT_BLOCK * N], z[M * (D + 1)],
      strips[(M + 16) * (D + 1)];
  static double weights[Q * N], exact[Q * M], values[Q * (M + 16)];
  const int ns[] = {1, 7, 8, 33, 512, N}, qs[] = {1, 2, 3, 5, 8, Q};
  const gannet_analytic_shape shape = {gannet_activations[SMOOTH], 1, D, GANNET_LIFT_SPHERE};
  gannet_analytic_points *list = NULL;
  draw(1, (N + M) * D, x);
  draw(2, Q * N, weights);
  for (int i = 0; i < Q * N; ++i) weights[i] -= 0.5;
  assert_ok(gannet_analytic_points_create(&shape, &list));
  gannet_analytic_points_set_inputs(list, rho, bias);
  for (int c = 0; c < 6; ++c) {
    const int n = ns[c], q = qs[c];
    assert_ok(gannet_analytic_points_extend(list, n, x));
    gannet_analytic_points_cross(list, M, x + N * D, k, n, NULL);
    gannet_analytic_points_lift(list, M, x + N * D, z);
    for (int j = 0; j < q; ++j)
      for (int i = 0; i < M; ++i) {
        exact[j * M + i] = j;
        for (int r = 0; r < n; ++r) exact[j * M + i] += k[i * n + r] * weights[j * n + r];
      }
    for (int p = 0; p < 2; ++p) {
      const gannet_strips *by = gannet_strips_of((gannet_precision)p);
      gannet_kernel_sums *sums = NULL;
      const int n_strips = make_strips(by, z, strips);
      assert_ok(gannet_kernel_sums_prepare(list, (gannet_precision)p, q, weights, &sums));
      assert_non_null(sums);
      assert_true(gannet_kernel_sums_bytes(sums) > (size_t)n * by->size);
      for (int i = 0; i < n_strips * q * by->lanes; ++i) values[i] = i / by->lanes % q;
      gannet_kernel_sums_add(sums, n_strips, strips, values);
      compare(by, q, values, exact);
      gannet_kernel_sums_destroy(&sums);
    }
  }
  gannet_analytic_points_destroy(&list);
}

static void unit_sums_are_the_exact_ones(void **state) {
  (void)state;
  static double x[M * D], z[M * (D + 1)], strips[(M + 16) * (D + 1)];
  static double exact[Q * M], values[Q * (M + 16)];
  const int widths[] = {1, 7, 130, 256}, qs[] = {1, 3, 8, Q};
  draw(3, M * D, x);
  const gannet_lift lift = {GANNET_LIFT_SPHERE, D, rho, bias};
  gannet_lift_points(&lift, M, x, z);
  for (int c = 0; c < 4; ++c) {
    const gannet_tangent_shape shape = {gannet_activations[SMOOTH], D, 1, widths[c],
                                        GANNET_LIFT_SPHERE};
    const gannet_stream stream = {1, GANNET_FOR_TEST, 1, 0};
    gannet_tangent *net = NULL;
    gannet_tangent_directions draws = {0};
    assert_ok(gannet_tangent_create(&shape, stream, &net));
    gannet_tangent_set_inputs(net, rho, bias);
    assert_ok(gannet_tangent_directions_reserve(net, qs[c], &draws));
    assert_ok(gannet_tangent_prior(net, (gannet_stream){1, GANNET_FOR_TEST, 2, 0}, &draws));
    gannet_tangent_values(net, &draws, M, x, exact, M);
    for (int p = 0; p < 2; ++p) {
      const gannet_strips *by = gannet_strips_of((gannet_precision)p);
      gannet_unit_sums *sums = NULL;
      const int n_strips = make_strips(by, z, strips);
      for (int again = 0; again < 2; ++again)
        assert_ok(gannet_unit_sums_prepare(net, (gannet_precision)p, &draws, &sums));
      assert_non_null(sums);
      gannet_unit_sums_values(sums, n_strips, strips, values);
      compare(by, qs[c], values, exact);
      gannet_unit_sums_destroy(&sums);
    }
    gannet_tangent_directions_release(&draws);
    gannet_tangent_destroy(&net);
  }
}

/* Kernels without a table, and networks that have no such form, have no sums. */
static void what_has_no_table_has_no_sums(void **state) {
  (void)state;
  const double x[D] = {0.2, 0.4, 0.6}, weight = 1;
  const gannet_analytic_shape flat = {gannet_activations[SMOOTH], 1, D, GANNET_LIFT_FLAT};
  const gannet_tangent_shape deep = {gannet_activations[SMOOTH], D, 2, 8, GANNET_LIFT_SPHERE};
  gannet_analytic_points *list = NULL;
  gannet_kernel_sums *kernel = NULL;
  gannet_unit_sums *units = NULL;
  gannet_tangent *net = NULL;
  gannet_tangent_directions draws = {0};
  assert_ok(gannet_analytic_points_create(&flat, &list));
  assert_ok(gannet_analytic_points_extend(list, 1, x));
  assert_ok(gannet_kernel_sums_prepare(list, GANNET_PRECISION_DOUBLE, 1, &weight, &kernel));
  assert_null(kernel);
  assert_int_equal(gannet_kernel_sums_bytes(kernel), 0);
  assert_ok(gannet_tangent_create(&deep, (gannet_stream){1, GANNET_FOR_TEST, 1, 0}, &net));
  assert_ok(gannet_tangent_directions_reserve(net, 1, &draws));
  assert_ok(gannet_unit_sums_prepare(net, GANNET_PRECISION_SINGLE, &draws, &units));
  assert_null(units);
  assert_int_equal(gannet_unit_sums_bytes(units), 0);
  gannet_tangent_directions_release(&draws);
  gannet_tangent_destroy(&net);
  gannet_analytic_points_destroy(&list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernel_sums_are_the_exact_ones),
      cmocka_unit_test(unit_sums_are_the_exact_ones),
      cmocka_unit_test(what_has_no_table_has_no_sums),
  };
  return run_serial(tests);
}
