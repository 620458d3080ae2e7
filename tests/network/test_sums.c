/* test: serial labels unit */
/* Sums by strips against the exact ones, for lists and numbers of draws that fill no group. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "network/analytic_points.h"
#include "network/strips.h"
#include "network/unit_sums.h"
#include "support/harness.h"

/* tanh among the activations. */
enum { SMOOTH = 1 };

enum { D = 3, M = 21, N = 545, Q = 12, LANES = GANNET_STRIP_LANES };

static const double rho[D] = {0.7, 1.3, 0.4};
static const double bias = 0.6;

static void draw(uint64_t stream, size_t n, double *x) {
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 0, stream}, 0, n, x);
}

/* z: [M][D+1] to strips, the last one not full. Returns their number. */
static int make_strips(const double *z, double *strips) {
  const gannet_strips_source source = {z, D + 1, 1};
  gannet_strips_pack(M, D + 1, &source, LANES, strips);
  return (M + LANES - 1) / LANES;
}

static double at(const double *values, int q, int point, int draw_) {
  return values[((ptrdiff_t)(point / LANES) * q + draw_) * LANES + point % LANES];
}

static double size_of(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
  return most;
}

/* values[j][M] of estimates and of exact sums agree. */
static void compare(int q, const double *values, const double *exact) {
  const double near = 1e-9 * size_of(q * M, exact);
  for (int j = 0; j < q; ++j)
    for (int i = 0; i < M; ++i) assert_near(at(values, q, i, j), exact[j * M + i], near);
}

static void kernel_sums_are_the_exact_ones(void **state) {
  (void)state;
  static double x[(N + M) * D], k[GANNET_TANGENT_BLOCK * N], z[M * (D + 1)],
      strips[(M + 16) * (D + 1)];
  static double weights[Q * N], exact[Q * M], values[Q * (M + 16)];
  const int ns[] = {1, 7, 8, 33, 512, N}, qs[] = {1, 2, 3, 5, 8, Q};
  const gannet_analytic_shape shape = {gannet_activations[SMOOTH], 1, D, GANNET_EMBEDDING_SPHERE};
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
    gannet_analytic_points_embed(list, M, x + N * D, z);
    for (int j = 0; j < q; ++j)
      for (int i = 0; i < M; ++i) {
        exact[j * M + i] = j;
        for (int r = 0; r < n; ++r) exact[j * M + i] += k[i * n + r] * weights[j * n + r];
      }
    gannet_kernel_sums *sums = NULL;
    gannet_sums_list points;
    const int n_strips = make_strips(z, strips);
    assert_true(gannet_analytic_points_list(list, &points));
    assert_ok(gannet_kernel_sums_prepare(&points, q, weights, &sums));
    assert_non_null(sums);
    for (int i = 0; i < n_strips * q * LANES; ++i) values[i] = i / LANES % q;
    gannet_kernel_sums_add(sums, n_strips, strips, values);
    compare(q, values, exact);
    gannet_kernel_sums_destroy(&sums);
  }
  gannet_analytic_points_destroy(&list);
}

static void bell(const void *user, int n, const double *x, double *y) {
  const bool distance = *(const bool *)user;
  for (int i = 0; i < n; ++i) y[i] = exp(distance ? -x[i] * x[i] / 2 : -x[i] / 2);
}

/* What point i gives with row k of a list: two numbers for waves. */
static void exact_functions(gannet_sums_kind kind, const double *x, const double *z, double *f) {
  const double pi = 3.14159265358979323846;
  double product = 0, square = 0;
  for (int c = 0; c <= D; ++c) {
    product += x[c] * z[c];
    square += (x[c] - z[c]) * (x[c] - z[c]);
  }
  f[0] = kind == GANNET_SUMS_OF_WAVES ? cos(pi * product) : exp(-square / 2);
  f[1] = kind == GANNET_SUMS_OF_WAVES ? sin(pi * product) : 0;
}

static void sums_of_distances_and_waves_are_the_exact_ones(void **state) {
  (void)state;
  enum { COUNT = 77, FEW = 11 };
  static double rows[COUNT * (D + 1)], x[M * (D + 1)], strips[(M + 16) * (D + 1)];
  static double weights[FEW * 2 * COUNT], exact[FEW * M], values[FEW * (M + 16)];
  const gannet_sums_kind kinds[] = {GANNET_SUMS_OF_SQUARE, GANNET_SUMS_OF_DISTANCE,
                                    GANNET_SUMS_OF_WAVES};
  draw(4, COUNT * (D + 1), rows);
  draw(5, M * (D + 1), x);
  draw(6, FEW * 2 * COUNT, weights);
  for (int c = 0; c < 3; ++c) {
    const bool waves = kinds[c] == GANNET_SUMS_OF_WAVES;
    const bool distance = kinds[c] == GANNET_SUMS_OF_DISTANCE;
    memset(exact, 0, sizeof exact);
    for (int j = 0; j < FEW; ++j)
      for (int i = 0; i < M; ++i)
        for (int k = 0; k < COUNT; ++k) {
          double f[2];
          const double *w = weights + (ptrdiff_t)j * COUNT * (1 + waves) + k;
          exact_functions(kinds[c], x + (ptrdiff_t)i * (D + 1), rows + (ptrdiff_t)k * (D + 1), f);
          exact[j * M + i] += f[0] * w[0] + (waves ? f[1] * w[COUNT] : 0);
        }
    gannet_table table;
    gannet_kernel_sums *sums = NULL;
    assert_true(gannet_table_fit(bell, &distance, 4, false, &table));
    const gannet_sums_list list = {kinds[c], waves ? NULL : &table, D + 1, COUNT, rows};
    assert_ok(gannet_kernel_sums_prepare(&list, FEW, weights, &sums));
    const int n_strips = make_strips(x, strips);
    memset(values, 0, sizeof values);
    gannet_kernel_sums_add(sums, n_strips, strips, values);
    compare(FEW, values, exact);
    gannet_kernel_sums_destroy(&sums);
  }
}

static void unit_sums_are_the_exact_ones(void **state) {
  (void)state;
  static double x[M * D], z[M * (D + 1)], strips[(M + 16) * (D + 1)];
  static double exact[Q * M], values[Q * (M + 16)];
  const int widths[] = {1, 7, 130, 256}, qs[] = {1, 3, 8, Q};
  draw(3, M * D, x);
  const gannet_input_embedding embedding = {GANNET_EMBEDDING_SPHERE, D, rho, bias};
  gannet_embed_inputs(&embedding, M, x, z);
  for (int c = 0; c < 4; ++c) {
    const gannet_tangent_shape shape = {gannet_activations[SMOOTH], D, 1, widths[c],
                                        GANNET_EMBEDDING_SPHERE};
    const gannet_stream stream = {1, GANNET_FOR_TEST, 1, 0};
    gannet_tangent *net = NULL;
    gannet_tangent_directions draws = {0};
    assert_ok(gannet_tangent_create(&shape, stream, &net));
    gannet_tangent_set_inputs(net, rho, bias);
    assert_ok(gannet_tangent_directions_reserve(net, qs[c], &draws));
    assert_ok(gannet_tangent_prior(net, (gannet_stream){1, GANNET_FOR_TEST, 2, 0}, &draws));
    gannet_tangent_values(net, &draws, M, x, exact, M);
    gannet_unit_sums *sums = NULL;
    gannet_unit_tables tables = {0};
    const int n_strips = make_strips(z, strips);
    for (int again = 0; again < 2; ++again)
      assert_ok(gannet_unit_sums_prepare(net, &tables, &draws, &sums));
    assert_non_null(sums);
    gannet_unit_sums_values(sums, n_strips, strips, values);
    compare(qs[c], values, exact);
    gannet_unit_sums_destroy(&sums);
    gannet_tangent_directions_release(&draws);
    gannet_tangent_destroy(&net);
  }
}

/* Kernels without a table, and networks that have no such form, have no sums. */
static void what_has_no_table_has_no_sums(void **state) {
  (void)state;
  const double x[D] = {0.2, 0.4, 0.6};
  const gannet_analytic_shape flat = {gannet_activations[SMOOTH], 1, D, GANNET_EMBEDDING_FLAT};
  const gannet_tangent_shape deep = {gannet_activations[SMOOTH], D, 2, 8, GANNET_EMBEDDING_SPHERE};
  gannet_analytic_points *list = NULL;
  gannet_sums_list points;
  gannet_unit_sums *units = NULL;
  gannet_unit_tables tables = {0};
  gannet_tangent *net = NULL;
  gannet_tangent_directions draws = {0};
  assert_ok(gannet_analytic_points_create(&flat, &list));
  assert_ok(gannet_analytic_points_extend(list, 1, x));
  assert_false(gannet_analytic_points_list(list, &points));
  assert_ok(gannet_tangent_create(&deep, (gannet_stream){1, GANNET_FOR_TEST, 1, 0}, &net));
  assert_ok(gannet_tangent_directions_reserve(net, 1, &draws));
  assert_ok(gannet_unit_sums_prepare(net, &tables, &draws, &units));
  assert_null(units);
  gannet_tangent_directions_release(&draws);
  gannet_tangent_destroy(&net);
  gannet_analytic_points_destroy(&list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernel_sums_are_the_exact_ones),
      cmocka_unit_test(sums_of_distances_and_waves_are_the_exact_ones),
      cmocka_unit_test(unit_sums_are_the_exact_ones),
      cmocka_unit_test(what_has_no_table_has_no_sums),
  };
  return run_serial(tests);
}
