/* test: ranks 1 2 3 labels unit timeout 300 */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "support/harness.h"
#include "support/refuse.h"

#include "surrogate/dense.h"
#include "surrogate/inducing/inducing_impl.h"

enum { D = 3, N = 110, M = 9 };

static const gannet_context *world;
static double data_x[N * D], data_y[N], query[M * D];

static int make(void **state) {
  (void)state;
  const gannet_stream stream = {23, GANNET_FOR_TEST, 0, 0};
  gannet_random_uniform(stream, 0, N * D, data_x);
  gannet_random_uniform(stream, N * D, M * D, query);
  for (int i = 0; i < N; ++i)
    data_y[i] = sin(4 * data_x[i * D]) + data_x[i * D + 1] * data_x[i * D + 2] - 0.3;
  return 0;
}

typedef struct {
  int n;
  double z[256 * D];
  int takes;
  bool broken;
} toy;

static double toy_kernel(const double *a, const double *b) {
  double r2 = 0;
  for (int k = 0; k < D; ++k) r2 += (a[k] - b[k]) * (a[k] - b[k]);
  return 1.3 * exp(-2 * sqrt(r2)); /* rough: a matrix far from singular */
}

static gannet_err toy_take(void *user, int n, const double *z) {
  toy *t = user;
  assert_true(n <= 256);
  t->n = n;
  t->takes += 1;
  memcpy(t->z, z, (size_t)(n * D) * sizeof *z);
  return GANNET_OK;
}

static gannet_err toy_cross(void *user, int m, const double *x, double *k, int ldk,
                            double *diagonal) {
  const toy *t = user;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; k && j < t->n; ++j)
      k[i * ldk + j] = t->broken ? NAN : toy_kernel(x + i * D, t->z + j * D);
    if (diagonal) diagonal[i] = toy_kernel(x + i * D, x + i * D);
  }
  return GANNET_OK;
}

static gannet_data first(int n, double noise_var) {
  return (gannet_data){n, data_x, data_y, noise_var, NULL};
}

static gannet_inducing_request request_of(const gannet_data *data, double lambda, bool fresh,
                                          toy *t) {
  return (gannet_inducing_request){data, 0, lambda, fresh, {t, toy_take, toy_cross}, NULL};
}

/* Covariance of y_old, f at late observations and f at queries under FITC, for a given choice. */
static double joint(const gannet_inducing *g, int old, const double *inverse, int i, int j,
                    const double *a, const double *b, double lambda) {
  const int m = gannet_inducing_points(g);
  double told = 0;
  for (int r = 0; r < m; ++r)
    for (int c = 0; c < m; ++c)
      told += toy_kernel(a, data_x + g->index[r] * D) * inverse[r * m + c] *
              toy_kernel(b, data_x + g->index[c] * D);
  if (i >= old && j >= old) return toy_kernel(a, b) + (i == j ? lambda : 0);
  return i == j ? toy_kernel(a, a) + lambda : told;
}

/* Mean and variance at a query by the seen rows and by the schoolbook on all observations. */
static void sparse_is_fitc(void **state) {
  (void)state;
  enum { LIMIT = 16, T = 45, OLD = 40 }; /* 2 LIMIT + LIMIT/2 <= T */
  const double lambda = 0.02;
  static double full[DENSE_MOST * DENSE_MOST], small[DENSE_MOST * DENSE_MOST];
  static double kzz[LIMIT * LIMIT], inverse[LIMIT * LIMIT];
  const gannet_data data = first(T, NAN);
  gannet_inducing *g = NULL;
  gannet_data seen;
  bool renewed = false;
  toy t = {0};
  assert_ok(gannet_inducing_create(world, D, LIMIT, GANNET_FACTOR_REPLICATED, &g));
  const gannet_inducing_request request = request_of(&data, lambda, true, &t);
  assert_ok(gannet_inducing_view(g, &request, &seen, &renewed));
  assert_true(renewed);
  const int m = gannet_inducing_points(g), n = seen.n;
  assert_int_equal(m, LIMIT);
  assert_int_equal(n, m + T - OLD);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) kzz[i * m + j] = toy_kernel(seen.x + i * D, seen.x + j * D);
  for (int i = 0; i < m; ++i) {
    double unit[LIMIT] = {0}, column[LIMIT];
    unit[i] = 1;
    dense_solve(m, kzz, unit, column);
    for (int j = 0; j < m; ++j) inverse[j * m + i] = column[j];
  }
  for (int i = 0; i < T; ++i)
    for (int j = 0; j < T; ++j)
      full[i * T + j] = joint(g, OLD, inverse, i, j, data_x + i * D, data_x + j * D, lambda);
  memset(small, 0, sizeof small);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) small[i * n + j] = toy_kernel(seen.x + i * D, seen.x + j * D);
  gannet_inducing_add_noise(g, lambda, 0, n, 0, n, small, n);
  for (int q = 0; q < M; ++q) {
    double k_full[T], k_small[LIMIT + T], by_full[T], by_small[LIMIT + T];
    double mean[2] = {0}, gained[2] = {0};
    const double *x = query + q * D;
    for (int i = 0; i < T; ++i) k_full[i] = joint(g, OLD, inverse, i, T, data_x + i * D, x, lambda);
    for (int i = 0; i < n; ++i) k_small[i] = toy_kernel(seen.x + i * D, x);
    dense_solve(T, full, k_full, by_full);
    dense_solve(n, small, k_small, by_small);
    for (int i = 0; i < T; ++i) {
      mean[0] += by_full[i] * data_y[i];
      gained[0] += by_full[i] * k_full[i];
    }
    for (int i = 0; i < n; ++i) {
      mean[1] += by_small[i] * seen.y[i];
      gained[1] += by_small[i] * k_small[i];
    }
    assert_near(mean[0], mean[1], 1e-10);
    assert_near(gained[0], gained[1], 1e-10);
  }
  gannet_inducing_destroy(&g);
}

/* Draws of the noise have the covariance that is added to the kernel. */
static void coloured_noise_has_the_covariance_that_is_added(void **state) {
  (void)state;
  enum { LIMIT = 12, T = 33, MANY_DRAWS = 4000 };
  const gannet_data data = first(T, NAN);
  gannet_inducing *g = NULL;
  gannet_data seen;
  bool renewed = false;
  toy t = {0};
  static double noise[64 * 64], sum[64 * 64], draws[2 * MANY_DRAWS * 64];
  assert_ok(gannet_inducing_create(world, D, LIMIT, GANNET_FACTOR_REPLICATED, &g));
  const gannet_inducing_request request = request_of(&data, 0.5, true, &t);
  assert_ok(gannet_inducing_view(g, &request, &seen, &renewed));
  const int n = seen.n;
  memset(noise, 0, sizeof noise);
  memset(sum, 0, sizeof sum);
  memset(draws, 0, sizeof draws);
  gannet_inducing_add_noise(g, 0.5, 0, n, 0, n, noise, n);
  const gannet_stride own = gannet_stride_of(world->rank, world->np, true);
  assert_ok(gannet_inducing_perturb(g, 0.5, &own, (gannet_stream){1, GANNET_FOR_TEST, 1, 0},
                                    MANY_DRAWS, n, draws));
  for (int s = 0; s < MANY_DRAWS; ++s) {
    const double *row = draws + s * n;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) sum[i * n + j] += row[i] * row[j] / MANY_DRAWS;
  }
  /* Six standard errors of a covariance, of which there are n^2. */
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      assert_near(sum[i * n + j], noise[i * n + j],
                  6 * sqrt(2 * noise[i * n + i] * noise[j * n + j] / MANY_DRAWS));
  gannet_inducing_destroy(&g);
}

static void points_are_chosen_at_fixed_moments(void **state) {
  (void)state;
  enum { LIMIT = 20 };
  gannet_inducing *g = NULL;
  toy t = {0};
  assert_ok(gannet_inducing_create(world, D, LIMIT, GANNET_FACTOR_REPLICATED, &g));
  for (int n = 38; n <= 62; ++n) {
    const gannet_data data = first(n, NAN);
    gannet_data seen;
    bool renewed = false;
    const gannet_inducing_request request = request_of(&data, 1e-3, n == 38, &t);
    assert_ok(gannet_inducing_view(g, &request, &seen, &renewed));
    assert_true(renewed == (n == 41 || n == 50 || n == 60));
    assert_int_equal(seen.n, n <= 40 ? n : LIMIT + (n - 40) % 10);
    if (n <= 40) assert_ptr_equal(seen.x, data_x);
  }
  const int takes = t.takes;
  const gannet_data data =
      first(71, NAN); /* the last four are fantasies, so 60 remain the old ones */
  gannet_data seen;
  bool renewed = true;
  gannet_inducing_request request = request_of(&data, 1e-3, false, &t);
  request.n_fantasies = 4;
  assert_ok(gannet_inducing_view(g, &request, &seen, &renewed));
  assert_false(renewed);
  assert_int_equal(seen.n, LIMIT + 11);
  assert_int_equal(t.takes, takes);
  gannet_inducing_destroy(&g);
}

static void one_point_takes_all_but_none(void **state) {
  (void)state;
  gannet_inducing *g = NULL;
  toy t = {0};
  assert_ok(gannet_inducing_create(world, D, 1, GANNET_FACTOR_REPLICATED, &g));
  for (int n = 0; n <= 5; ++n) {
    const gannet_data data = first(n, NAN);
    gannet_data seen;
    bool renewed = false;
    const gannet_inducing_request request = request_of(&data, 1e-3, n == 0, &t);
    assert_ok(gannet_inducing_view(g, &request, &seen, &renewed));
    assert_int_equal(seen.n, n <= 2 ? n : 1);
    assert_true(renewed == (n > 2));
  }
  gannet_inducing_destroy(&g);
}

static void automatic_begins_above_4000_with_a_replicated_factor(void **state) {
  (void)state;
  const struct {
    int option;
    gannet_factor_place place;
    bool replaced;
  } cases[] = {{GANNET_AUTO, GANNET_FACTOR_DISTRIBUTED, false},
               {GANNET_AUTO, GANNET_FACTOR_AUTO, false},
               {0, GANNET_FACTOR_REPLICATED, false},
               {30, GANNET_FACTOR_DISTRIBUTED, true}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    gannet_inducing *g = NULL;
    gannet_data seen;
    bool renewed = false;
    toy t = {0};
    const gannet_data data = first(100, NAN);
    const gannet_inducing_request request = request_of(&data, 1e-3, true, &t);
    assert_ok(gannet_inducing_create(world, D, cases[c].option, cases[c].place, &g));
    assert_ok(gannet_inducing_view(g, &request, &seen, &renewed));
    assert_true((seen.x != data_x) == cases[c].replaced);
    gannet_inducing_destroy(&g);
  }
}

static void a_kernel_that_is_not_finite_is_an_error_everywhere(void **state) {
  (void)state;
  gannet_inducing *g = NULL;
  gannet_data seen;
  bool renewed = false;
  toy t = {.broken = world->rank == world->np - 1};
  const gannet_data data = first(50, NAN);
  gannet_inducing_request request = request_of(&data, 1e-3, true, &t);
  assert_ok(gannet_inducing_create(world, D, 20, GANNET_FACTOR_REPLICATED, &g));
  assert_fails(GANNET_ERR_NUMERIC, "is not finite",
               gannet_inducing_view(g, &request, &seen, &renewed));
  t.broken = false; /* all is made again, though nothing is fresh */
  request.fresh = false;
  assert_ok(gannet_inducing_view(g, &request, &seen, &renewed));
  assert_true(renewed);
  gannet_inducing_destroy(&g);
}

enum { MANY = 5000, MANY_LIMIT = 90, MOST_SEEN = 2 * MANY_LIMIT, DRAWS = 5 };

/* What a model of many observations, in several groups of tiles, would see. */
typedef struct {
  int n;
  double y[MOST_SEEN], noise[MOST_SEEN * MOST_SEEN], draws[2 * DRAWS * MOST_SEEN];
} view_of_many;

/* What the system refuses: nothing, everything, sums of groups but not those of all, and the other
 * way round. */
typedef enum { NOTHING, EVERYTHING, LARGE, SMALL, REFUSALS } refusal;

static void refuse_some(refusal which, int np) {
  const size_t square = sizeof(double) * MANY_LIMIT * MANY_LIMIT;
  refuse = which == EVERYTHING && np > 1;
  refuse_from = which == LARGE ? square + square / 2 : which == SMALL ? square / 2 : SIZE_MAX;
  refuse_to = which == SMALL ? square + square / 2 : SIZE_MAX;
}

static void see_many(MPI_Comm comm, refusal refused, view_of_many *v) {
  static double x[MANY * D], y[MANY];
  const gannet_data data = {MANY, x, y, NAN, NULL};
  gannet_context *context = NULL;
  gannet_inducing *g = NULL;
  gannet_data seen;
  bool renewed = false;
  toy t = {0};
  gannet_random_uniform((gannet_stream){29, GANNET_FOR_TEST, 0, 0}, 0, MANY * D, x);
  for (int i = 0; i < MANY; ++i) y[i] = sin(5 * x[i * D]) - x[i * D + 1];
  assert_ok(gannet_context_create(comm, 5, &context));
  refuse_some(refused, context->np);
  assert_ok(gannet_inducing_create(context, D, MANY_LIMIT, GANNET_FACTOR_REPLICATED, &g));
  for (int times = 0; times < 2; ++times) { /* the second in memory that was used */
    const gannet_inducing_request request = request_of(&data, 1e-3, true, &t);
    assert_ok(gannet_inducing_view(g, &request, &seen, &renewed));
  }
  v->n = seen.n;
  assert_true(v->n <= MOST_SEEN);
  memcpy(v->y, seen.y, (size_t)v->n * sizeof *v->y);
  gannet_inducing_add_noise(g, 1e-3, 0, v->n, 0, v->n, v->noise, MOST_SEEN);
  const gannet_stride own = gannet_stride_of(context->rank, context->np, true);
  assert_ok(gannet_inducing_perturb(g, 1e-3, &own, (gannet_stream){1, GANNET_FOR_TEST, 1, 0}, DRAWS,
                                    v->n, v->draws));
  refuse_some(NOTHING, context->np);
  gannet_inducing_destroy(&g);
  gannet_context_destroy(&context);
}

/* Ranks share what is in memory of their node, or send it. The second half of draws is workspace.
 */
static void ranks_together_see_what_one_sees(void **state) {
  (void)state;
  static view_of_many alone, together;
  see_many(MPI_COMM_SELF, NOTHING, &alone);
  for (int refused = 0; refused < REFUSALS; ++refused) {
    memset(&together, 0, sizeof together);
    see_many(MPI_COMM_WORLD, (refusal)refused, &together);
    assert_int_equal(together.n, alone.n);
    assert_memory_equal(together.y, alone.y, sizeof alone.y);
    assert_memory_equal(together.noise, alone.noise, sizeof alone.noise);
    assert_memory_equal(together.draws, alone.draws,
                        (size_t)(DRAWS * alone.n) * sizeof *alone.draws);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sparse_is_fitc),
      cmocka_unit_test(coloured_noise_has_the_covariance_that_is_added),
      cmocka_unit_test(points_are_chosen_at_fixed_moments),
      cmocka_unit_test(one_point_takes_all_but_none),
      cmocka_unit_test(automatic_begins_above_4000_with_a_replicated_factor),
      cmocka_unit_test(a_kernel_that_is_not_finite_is_an_error_everywhere),
      cmocka_unit_test(ranks_together_see_what_one_sees),
  };
  gannet_context *all = NULL;
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  int failed = 1;
  if (gannet_context_create(MPI_COMM_WORLD, 5, &all) == GANNET_OK) {
    world = all;
    failed = run_ranks_(cmocka_run_group_tests(tests, make, NULL));
  }
  gannet_context_destroy(&all);
  (void)MPI_Finalize();
  return failed;
}
