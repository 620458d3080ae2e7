/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "network/whole_kernel.h"
#include "support/harness.h"

#include "network/analytic_points.h"
#include "network/tangent.h"

enum { D = 3, N = 90, M = 7, ALL = N + M };

static const double rho[D] = {0.7, 1.3, 0.4};
static const double bias = 0.6;

static void points(int n, double *x) {
  gannet_random_uniform((gannet_stream){19, GANNET_FOR_TEST, 0, 2}, 0, (size_t)(n * D), x);
}

static gannet_analytic_points *make(const gannet_analytic_shape *shape, int n, const double *x) {
  gannet_analytic_points *list = NULL;
  assert_ok(gannet_analytic_points_create(shape, &list));
  gannet_analytic_points_set_inputs(list, rho, bias);
  assert_ok(gannet_analytic_points_extend(list, n, x));
  return list;
}

/* Rows, cross products and diagonal against the matrix of all points; the list grows in two steps.
 */
static void rows_and_crosses_are_parts_of_the_matrix(void **state) {
  (void)state;
  static double x[ALL * D], whole[ALL * ALL], rows[N * N], cross[GANNET_TANGENT_BLOCK * N];
  double diagonal[M];
  points(ALL, x);
  for (int a = 0; gannet_activations[a]; ++a)
    for (int kind = 0; kind < 6; ++kind) {
      const gannet_analytic_shape shape = {gannet_activations[a], 1 + kind / 2, D,
                                           (gannet_embedding_kind)(kind % 2)};
      gannet_analytic *kernel = NULL;
      assert_ok(gannet_analytic_create(&shape, ALL, x, &kernel));
      whole_kernel(kernel, ALL, rho, bias, whole);
      gannet_analytic_points *list = make(&shape, 20, x);
      assert_ok(gannet_analytic_points_extend(list, N, x));
      gannet_analytic_points_tile(list, 0, 64, 0, 64, rows, N);
      gannet_analytic_points_tile(list, 64, N - 64, 0, 30, rows + 64 * N, N);
      gannet_analytic_points_tile(list, 64, N - 64, 30, N - 30, rows + 64 * N + 30, N);
      gannet_analytic_points_cross(list, M, x + N * D, cross, N, diagonal);
      for (int i = 0; i < N; ++i)
        for (int j = 0; j <= i; ++j) assert_near(rows[i * N + j], whole[i * ALL + j], 1e-7);
      for (int i = 0; i < M; ++i) {
        assert_near(diagonal[i], whole[(N + i) * (ALL + 1)], 1e-12);
        for (int j = 0; j < N; ++j) assert_near(cross[i * N + j], whole[(N + i) * ALL + j], 1e-12);
      }
      gannet_analytic_points_destroy(&list);
      gannet_analytic_destroy(&kernel);
    }
}

/* Central differences, step 1e-5, of own k(x,x) + sum c k(x, x_i), with the list empty and not. */
static void gradients_are_differences(void **state) {
  (void)state;
  static double x[ALL * D], c[N];
  const double h = 1e-5;
  points(ALL, x);
  gannet_random_normal((gannet_stream){19, GANNET_FOR_TEST, 0, 3}, 0, N, c);
  for (int a = 0; gannet_activations[a]; ++a)
    for (int kind = 0; kind < 6; ++kind)
      for (int n = 0; n <= N; n += N) {
        const gannet_analytic_shape shape = {gannet_activations[a], 1 + kind / 2, D,
                                             (gannet_embedding_kind)(kind % 2)};
        gannet_analytic_points *list = make(&shape, n, x);
        double at[D], gradient[D], other[D], value, above, below;
        memcpy(at, x + N * D, sizeof at);
        gannet_analytic_points_gradient(list, at, 0.7, c, &value, gradient);
        for (int k = 0; k < D; ++k) {
          at[k] += h;
          gannet_analytic_points_gradient(list, at, 0.7, c, &above, other);
          at[k] -= 2 * h;
          gannet_analytic_points_gradient(list, at, 0.7, c, &below, other);
          at[k] += h;
          assert_near(gradient[k], (above - below) / (2 * h), 1e-6 * (1 + fabs(gradient[k])));
        }
        double diagonal, sum, cross[GANNET_TANGENT_BLOCK * N];
        gannet_analytic_points_cross(list, 1, at, cross, N, &diagonal);
        sum = 0.7 * diagonal;
        for (int j = 0; j < n; ++j) sum += c[j] * cross[j];
        assert_near(value, sum, 1e-10);
        gannet_analytic_points_destroy(&list);
      }
}

/* Of points of one coordinate: slopes are the gradients of sums with one term, and both ways to
 * cross products agree. */
static void points_of_one_coordinate_have_the_same_kernel(void **state) {
  (void)state;
  static double x[N + 1], slopes[N], c[N], cross[GANNET_TANGENT_BLOCK * N], single[N];
  gannet_random_uniform((gannet_stream){19, GANNET_FOR_TEST, 0, 5}, 0, N + 1, x);
  for (int a = 0; gannet_activations[a]; ++a)
    for (int layers = 1; layers <= 3; ++layers) {
      const gannet_analytic_shape shape = {gannet_activations[a], layers, 1, GANNET_EMBEDDING_FLAT};
      gannet_analytic_points *list = make(&shape, N, x);
      double value, gradient, own, other;
      gannet_analytic_points_cross(list, 1, &x[N], cross, N, &value);
      gannet_analytic_points_cross_single(list, 1, &x[N], single, N, &other);
      assert_near(value, other, 0);
      for (int j = 0; j < N; ++j) assert_near(cross[j], single[j], 1e-12);
      gannet_analytic_points_slopes(list, x[N], slopes, &own);
      for (int j = 0; j < N; j += 7) {
        c[j] = 1;
        gannet_analytic_points_gradient(list, &x[N], 0, c, &value, &gradient);
        assert_near(slopes[j], gradient, 1e-10 * (1 + fabs(gradient)));
        c[j] = 0;
      }
      gannet_analytic_points_gradient(list, &x[N], 1, c, &value, &gradient);
      assert_near(own, gradient, 1e-10 * (1 + fabs(gradient)));
      gannet_analytic_points_destroy(&list);
    }
}

/* For every length of the list, as the kernels of some BLAS depend on it. */
static void a_point_has_the_same_kernel_in_any_place(void **state) {
  (void)state;
  enum { WIDE = 20, BLOCK = GANNET_TANGENT_BLOCK };
  static double x[(N + BLOCK) * WIDE], turned[BLOCK * WIDE], here[BLOCK * N], there[BLOCK * N];
  const gannet_analytic_shape shape = {gannet_activations[0], 1, WIDE, GANNET_EMBEDDING_SPHERE};
  gannet_analytic_points *list = NULL;
  gannet_random_uniform((gannet_stream){19, GANNET_FOR_TEST, 0, 4}, 0, sizeof x / sizeof *x, x);
  for (size_t i = 0; i < BLOCK; ++i)
    memcpy(turned + i * WIDE, x + (N + BLOCK - 1 - i) * WIDE, WIDE * sizeof *x);
  assert_ok(gannet_analytic_points_create(&shape, &list));
  for (int n = 1; n <= N; ++n) {
    assert_ok(gannet_analytic_points_extend(list, n, x));
    gannet_analytic_points_cross(list, BLOCK, x + N * WIDE, here, n, NULL);
    gannet_analytic_points_cross(list, BLOCK, turned, there, n, NULL);
    for (size_t i = 0; i < BLOCK; ++i)
      assert_memory_equal(here + i * (size_t)n, there + (BLOCK - 1 - i) * (size_t)n,
                          (size_t)n * sizeof *here);
  }
  gannet_analytic_points_destroy(&list);
}

/* The table is kept, but not for other scales: it gives the kernel of the list as it is. */
static void the_table_belongs_to_the_scales(void **state) {
  (void)state;
  double x[(1 + M) * D], k[GANNET_TANGENT_BLOCK], z[(1 + M) * (D + 1)];
  points(1 + M, x);
  for (int a = 0; gannet_activations[a]; ++a) {
    const gannet_analytic_shape shape = {gannet_activations[a], 2, D, GANNET_EMBEDDING_SPHERE};
    gannet_analytic_points *list = make(&shape, 1, x);
    for (int scale = 1; scale <= 3 && shape.activation->smooth; ++scale) {
      const double scaled[D] = {rho[0] * scale, rho[1] * scale, rho[2]};
      gannet_sums_list sums;
      gannet_analytic_points_set_inputs(list, scaled, bias);
      assert_ok(gannet_analytic_points_extend(list, 1, x));
      gannet_analytic_points_cross(list, M, x + D, k, 1, NULL);
      gannet_analytic_points_embed(list, 1 + M, x, z);
      for (int again = 0; again < 2; ++again) {
        assert_true(gannet_analytic_points_list(list, &sums));
        for (int i = 0; i < M; ++i) {
          double product = 0;
          for (int c = 0; c <= D; ++c) product += z[c] * z[(size_t)(1 + i) * (D + 1) + (size_t)c];
          double value;
          gannet_table_apply(sums.table, 1, &product, &value);
          assert_near(value, k[i], 1e-8 * (1 + fabs(k[i])));
        }
      }
    }
    gannet_analytic_points_destroy(&list);
  }
}

static void shapes_out_of_range_are_refused(void **state) {
  (void)state;
  gannet_activation other = *gannet_activations[0];
  gannet_analytic_shape shape = {gannet_activations[0], 0, D, GANNET_EMBEDDING_FLAT};
  gannet_analytic_points *list = NULL;
  assert_fails(GANNET_ERR_ARG, "layers", gannet_analytic_points_create(&shape, &list));
  shape = (gannet_analytic_shape){gannet_activations[0], 1, 0, GANNET_EMBEDDING_FLAT};
  assert_fails(GANNET_ERR_ARG, "d = 0", gannet_analytic_points_create(&shape, &list));
  other.name = "gelu";
  shape = (gannet_analytic_shape){&other, 1, D, GANNET_EMBEDDING_FLAT};
  assert_fails(GANNET_ERR_NAME, "gelu", gannet_analytic_points_create(&shape, &list));
  gannet_analytic_points_destroy(&list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_and_crosses_are_parts_of_the_matrix),
      cmocka_unit_test(gradients_are_differences),
      cmocka_unit_test(points_of_one_coordinate_have_the_same_kernel),
      cmocka_unit_test(a_point_has_the_same_kernel_in_any_place),
      cmocka_unit_test(the_table_belongs_to_the_scales),
      cmocka_unit_test(shapes_out_of_range_are_refused),
  };
  return run_serial(tests);
}
