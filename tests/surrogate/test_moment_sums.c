/* test: serial labels unit */
/* Moments by strips against triangular solves, for lists that fill no group, block or pair. */
#include "surrogate/estimates.h"

#include <math.h>

#include "base/random.h"
#include "network/analytic_points.h"
#include "network/tangent.h"
#include "support/harness.h"

/* tanh among the activations. */
enum { SMOOTH = 1, D = 3, M = 37, N = 101, BLOCK = GANNET_TANGENT_BLOCK };

static const double lambda = 0.01;

static gannet_err regular_rows(void *user, int first, int rows, double *k, int ldk) {
  gannet_analytic_points *list = user;
  gannet_analytic_points_tile(list, first, rows, 0, first + rows, k, ldk);
  for (int i = 0; i < rows; ++i) k[(ptrdiff_t)i * ldk + first + i] += lambda;
  return GANNET_OK;
}

static gannet_analytic_points *make_list(int n, const double *x) {
  const gannet_analytic_shape shape = {gannet_activations[SMOOTH], 1, D, GANNET_EMBEDDING_SPHERE};
  gannet_analytic_points *list = NULL;
  assert_ok(gannet_analytic_points_create(&shape, &list));
  assert_ok(gannet_analytic_points_extend(list, n, x));
  return list;
}

/* n points, and M others. */
static void compare(int n, const double *x, const double *alpha) {
  static double k[BLOCK * N], z[M * (D + 1)], strips[(M + 16) * (D + 1)];
  double mean[M + 16], explained[M + 16];
  gannet_analytic_points *list = make_list(n, x);
  gannet_cholesky *factor = NULL;
  assert_ok(gannet_cholesky_create(&factor));
  assert_ok(gannet_cholesky_extend(factor, n, regular_rows, list));
  gannet_analytic_points_embed(list, M, x + N * D, z);
  const gannet_strips_source source = {z, D + 1, 1};
  const double near = 1e-8;
  gannet_moment_sums *sums = NULL;
  gannet_sums_list points;
  gannet_strips_pack(M, D + 1, &source, GANNET_STRIP_LANES, strips);
  assert_true(gannet_analytic_points_list(list, &points));
  assert_ok(gannet_moment_sums_prepare(&points, factor, alpha, &sums));
  assert_non_null(sums);
  gannet_moment_sums_values(sums, (M + GANNET_STRIP_LANES - 1) / GANNET_STRIP_LANES, strips, mean,
                            explained);
  gannet_analytic_points_cross(list, M, x + N * D, k, n, NULL);
  for (int i = 0; i < M; ++i) {
    double sum = 0, square = 0;
    for (int j = 0; j < n; ++j) sum += k[i * n + j] * alpha[j];
    gannet_cholesky_forward(factor, 1, k + (ptrdiff_t)i * n, n);
    for (int j = 0; j < n; ++j) square += k[i * n + j] * k[i * n + j];
    assert_near(mean[i], sum, near * 20);
    assert_near(explained[i], square, near * (1 + square));
  }
  gannet_moment_sums_destroy(&sums);
  gannet_cholesky_destroy(&factor);
  gannet_analytic_points_destroy(&list);
}

static void moments_are_those_of_solves(void **state) {
  (void)state;
  static double x[(N + M) * D], alpha[N];
  const int sizes[] = {1, 7, 8, 33, 64, N};
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 0, 1}, 0, (N + M) * D, x);
  gannet_random_normal((gannet_stream){1, GANNET_FOR_TEST, 0, 2}, 0, N, alpha);
  for (int c = 0; c < 6; ++c) compare(sizes[c], x, alpha);
}

static void long_lists_have_no_sums(void **state) {
  (void)state;
  const gannet_sums_list list = {.n = GANNET_MOMENT_POINTS + 1};
  gannet_moment_sums *sums = NULL;
  assert_ok(gannet_moment_sums_prepare(&list, NULL, NULL, &sums));
  assert_null(sums);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moments_are_those_of_solves),
      cmocka_unit_test(long_lists_have_no_sums),
  };
  return run_serial(tests);
}
