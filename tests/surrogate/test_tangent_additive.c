/* test: ranks 1 2 3 labels unit timeout 240 */
/* The additive part of the tangent kernel: posterior, derivatives, draws, and when it is used. */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "network/whole_kernel.h"
#include "support/harness.h"
#include "surrogate/conform_estimates.h"
#include "surrogate/created.h"
#include "surrogate/dense.h"

#include "base/hash.h"
#include "surrogate/models/tangent_kernel/tangent_kernel.h"

enum { D = 3, N = 20, M = 5, MANY = 160, HYPER = TANGENT_RHO + 1 + TANGENT_ADDITIVE };

static const gannet_context *world, *self;
static const double odds = 1.2, narrow = 1.3; /* share 0.77, rho 3.7 */

static gannet_surrogate *make(const gannet_context *context, int n, const gannet_setting *more) {
  gannet_setting settings[8] = {{.key = "additive", .text = "auto"}};
  for (int i = 0; i < n; ++i) settings[1 + i] = more[i];
  return surrogate_named(context, "tangent-kernel", D, 1 + n, settings);
}

/* One whose additive part is set by hand. */
static gannet_surrogate *make_additive(const gannet_context *context, int n,
                                       const gannet_setting *more) {
  gannet_surrogate *s = make(context, n, more);
  double hyper[HYPER];
  assert_int_equal(gannet_surrogate_n_hyper(s), HYPER);
  gannet_surrogate_get_hyper(s, hyper);
  hyper[TANGENT_AMPLITUDE] = 0.4;
  hyper[TANGENT_RHO + 1 + TANGENT_ODDS] = odds;
  hyper[TANGENT_RHO + 1 + TANGENT_NARROW] = narrow;
  assert_ok(gannet_surrogate_set_hyper(s, hyper));
  return s;
}

static void points(uint64_t which, int n, double *x) {
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, which, 31}, 0, (size_t)(n * D), x);
}

/* A sum of functions of single variables. */
static void additive_values(int n, const double *x, double *y) {
  for (int i = 0; i < n; ++i) {
    y[i] = -0.2;
    for (int k = 0; k < D; ++k) y[i] += sin(9 * x[i * D + k] + k) / sqrt(D);
  }
}

/* The kernel of the model written out: [n][n] between n points. */
static void whole(const double *hyper, int n, const double *x, double *k) {
  static double part[DENSE_MOST * DENSE_MOST], column[DENSE_MOST];
  const gannet_analytic_shape shape = {gannet_activations[2], 1, D, GANNET_EMBEDDING_SPHERE};
  const gannet_analytic_shape single = {gannet_activations[2], 1, 1, GANNET_EMBEDDING_FLAT};
  const double rho[D] = {exp(hyper[TANGENT_RHO]), exp(hyper[TANGENT_RHO]), exp(hyper[TANGENT_RHO])};
  const double fast = exp(hyper[TANGENT_RHO + 1 + TANGENT_NARROW]), edge = 1;
  const double share = 1 / (1 + exp(-hyper[TANGENT_RHO + 1 + TANGENT_ODDS]));
  gannet_analytic *kernel = NULL;
  double largest = 0;
  assert_true(n <= DENSE_MOST);
  assert_string_equal(shape.activation->name, "erf");
  assert_ok(gannet_analytic_create(&single, 1, &edge, &kernel));
  whole_kernel(kernel, 1, &fast, 2 * fast, &largest);
  gannet_analytic_destroy(&kernel);
  assert_ok(gannet_analytic_create(&shape, n, x, &kernel));
  whole_kernel(kernel, n, rho, exp(hyper[TANGENT_BIAS]), k);
  gannet_analytic_destroy(&kernel);
  for (int i = 0; i < n * n; ++i) k[i] *= 1 - share;
  for (int axis = 0; axis < D; ++axis) {
    for (int i = 0; i < n; ++i) column[i] = x[i * D + axis];
    assert_ok(gannet_analytic_create(&single, n, column, &kernel));
    whole_kernel(kernel, n, &fast, 2 * fast, part);
    gannet_analytic_destroy(&kernel);
    for (int i = 0; i < n * n; ++i) k[i] += share * part[i] / (D * largest);
  }
  for (int i = 0; i < n * n; ++i) k[i] *= exp(hyper[TANGENT_AMPLITUDE]);
}

static void the_posterior_is_conditioning_on_the_matrix(void **state) {
  (void)state;
  enum { ALL = N + M };
  double x[ALL * D], y[ALL], k[ALL * ALL], data_k[N * N], solved[N], mean[M], sd[M], hyper[HYPER];
  double covariance[M * M];
  points(1, ALL, x);
  additive_values(ALL, x, y);
  gannet_surrogate *s = make_additive(world, 0, NULL);
  const gannet_data data = {N, x, y, 0.01, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, false, 1));
  gannet_surrogate_get_hyper(s, hyper);
  whole(hyper, ALL, x, k);
  for (int i = 0; i < N * N; ++i) data_k[i] = k[i / N * ALL + i % N];
  for (int i = 0; i < N; ++i) data_k[i * N + i] += 0.01;
  const double *query = x + N * D;
  assert_ok(gannet_surrogate_predict(s, M, query, mean, sd));
  assert_ok(gannet_surrogate_covariance(s, M, query, M, query, covariance));
  for (int a = 0; a < M; ++a) {
    double alone = 0, expected = 0;
    dense_solve(N, data_k, k + (N + a) * ALL, solved);
    for (int i = 0; i < N; ++i) expected += solved[i] * y[i];
    assert_near(mean[a], expected, 1e-9);
    assert_ok(gannet_surrogate_predict(s, 1, query + a * D, &alone, NULL));
    assert_near(alone, expected, 1e-9);
    for (int b = 0; b < M; ++b) {
      double left = k[(N + a) * ALL + N + b];
      for (int i = 0; i < N; ++i) left -= solved[i] * k[(N + b) * ALL + i];
      assert_near(covariance[a * M + b], left, 1e-9);
      if (a == b) assert_near(sd[a], sqrt(left), 1e-8);
    }
  }
  gannet_surrogate_destroy(&s);
}

static void the_evidence_has_the_derivatives_of_differences(void **state) {
  (void)state;
  double x[N * D], y[N], by[HYPER], other[HYPER];
  const double h = 1e-5;
  const gannet_surrogate_type *type = NULL;
  assert_ok(gannet_surrogate_find("tangent-kernel", &type));
  points(1, N, x);
  additive_values(N, x, y);
  tangent_options options;
  gannet_complaints complaints = {0};
  const gannet_setting setting = {.key = "additive", .text = "auto"};
  assert_ok(gannet_options_apply(type->options, NULL, 1, &setting, &options, &complaints));
  for (int kind = 0; kind < 2; ++kind) { /* noise learnt, noise given */
    void *model = NULL;
    double hyper[HYPER] = {0.3, -3, -0.4, -0.2, odds, narrow};
    assert_ok(type->create(self, &options, D, 0, &model));
    const gannet_data data = {N, x, y, kind ? 0.04 : NAN, NULL};
    double value = 0, above = 0, below = 0;
    assert_ok(tangent_evidence(model, &data, hyper, &value, by));
    for (int k = 0; k < HYPER - 1; ++k) {
      const double old = hyper[k];
      hyper[k] = old + h;
      assert_ok(tangent_evidence(model, &data, hyper, &above, other));
      hyper[k] = old - h;
      assert_ok(tangent_evidence(model, &data, hyper, &below, other));
      hyper[k] = old;
      if (kind == 0 || k != TANGENT_NOISE)
        assert_near(by[k], (above - below) / (2 * h), 1e-5 * (1 + fabs(by[k])));
    }
    assert_float_equal(by[HYPER - 1], 0, 0);
    type->destroy(model);
  }
}

static void moments_and_draws_have_the_gradients_of_differences(void **state) {
  (void)state;
  const double places[] = {0, 0.5, 1}; /* both edges and a node */
  double x[N * D], y[N];
  points(1, N, x);
  additive_values(N, x, y);
  gannet_surrogate *s = make_additive(world, 0, NULL);
  const gannet_data data = {N, x, y, 0.01, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, false, 1));
  assert_ok(gannet_surrogate_sample(s, 2, 1, 1));
  for (int place = 0; place < 4; ++place) {
    double at[D];
    points(2, 1, at);
    if (place < 3) at[1] = places[place];
    gradients_are_differences_at(s, D, at, 1e-3);
  }
  gannet_surrogate_destroy(&s);
}

/* Mean square of (draw - mean) / sd over 300 batches, at points and at a corner, with a share near
 * 1 so that the narrow networks are what counts. */
static void check_variance(bool outside) {
  enum { Q = 10, BATCHES = 300, POINTS = 12 };
  static double draws[Q * POINTS];
  double x[N * D], y[N], query[POINTS * D], mean[POINTS], sd[POINTS], sum = 0, hyper[HYPER];
  points(1, N, x);
  points(2, POINTS, query);
  for (int k = 0; k < D; ++k) query[k] = 1;
  if (outside) { /* data and queries as far away as a related problem may have them */
    x[0] = -0.5;
    x[D] = 1.5;
    x[2 * D + 1] = 2;
    query[D] = -0.7;
    query[2 * D + 1] = 1.9;
  }
  additive_values(N, x, y);
  gannet_surrogate *s = make_additive(world, 0, NULL);
  gannet_surrogate_get_hyper(s, hyper);
  hyper[TANGENT_RHO + 1 + TANGENT_ODDS] = 5;
  assert_ok(gannet_surrogate_set_hyper(s, hyper));
  const gannet_data data = {N, x, y, 0.01, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, false, 1));
  assert_ok(gannet_surrogate_predict(s, POINTS, query, mean, sd));
  double ratio[POINTS] = {0}, away[POINTS] = {0};
  for (int batch = 0; batch < BATCHES; ++batch) {
    assert_ok(gannet_surrogate_sample(s, Q, 1, 2 + batch));
    assert_ok(gannet_surrogate_draw_values(s, POINTS, query, draws, POINTS));
    for (int i = 0; i < POINTS; ++i)
      for (int j = 0; j < Q; ++j) {
        const double one = (draws[j * POINTS + i] - mean[i]) / sd[i];
        away[i] += one / (Q * BATCHES);
        ratio[i] += one * one / (Q * BATCHES);
      }
  }
  for (int i = 0; i < POINTS; ++i) { /* 5 standard errors of 3000 draws */
    assert_near(away[i], 0, 5 / sqrt(Q * BATCHES));
    assert_near(ratio[i], 1, 5 * sqrt(2.0 / (Q * BATCHES)));
    sum += ratio[i] / POINTS;
  }
  assert_near(sum, 1, 0.05);
  gannet_surrogate_destroy(&s);
}

static void draws_have_the_variance_of_the_posterior(void **state) {
  (void)state;
  check_variance(false);
  check_variance(true);
}

static void a_draw_shrunk_to_nothing_is_the_mean(void **state) {
  (void)state;
  double x[N * D], y[N], query[M * D], mean[M], draw[2 * M], before[2 * M];
  points(1, N, x);
  points(2, M, query);
  x[0] = -0.5; /* as data of a related problem may lie */
  x[D] = 1.5;
  additive_values(N, x, y);
  gannet_surrogate *s = make_additive(world, 0, NULL);
  const gannet_data data = {N, x, y, 0.01, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, false, 1));
  assert_ok(gannet_surrogate_predict(s, M, query, mean, NULL));
  assert_ok(gannet_surrogate_sample(s, 2, 1.5, 1));
  assert_ok(gannet_surrogate_draw_values(s, M, query, before, M));
  assert_ok(gannet_surrogate_shrink_draw(s, 1, 0));
  assert_ok(gannet_surrogate_draw_values(s, M, query, draw, M));
  for (int i = 0; i < M; ++i) {
    assert_float_equal(draw[i], before[i], 0);
    assert_near(draw[M + i], mean[i], 1e-5); /* polynomials against the kernel */
    assert_true(fabs(before[M + i] - mean[i]) > 1e-3);
  }
  gannet_surrogate_destroy(&s);
}

static void estimates_of_draws_are_near_them(void **state) {
  (void)state;
  enum { POINTS = 300, Q = 3 };
  static double query[POINTS * D], exact[Q * POINTS];
  double x[N * D], y[N];
  gannet_estimator e = {0};
  points(1, N, x);
  points(3, POINTS, query);
  additive_values(N, x, y);
  gannet_surrogate *s = make_additive(world, 0, NULL);
  const gannet_data data = {N, x, y, 0.01, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, false, 1));
  assert_ok(gannet_surrogate_sample(s, Q, 1, 1));
  assert_ok(gannet_surrogate_draw_values(s, POINTS, query, exact, POINTS));
  assert_ok(estimator_of(s, GANNET_ESTIMATE_DRAWS, &e));
  assert_true(e.work != NULL);
  gannet_estimator_release(&e);
  assert_true(error_of_estimates(s, POINTS, query, Q, exact) < 1e-7);
  assert_ok(estimator_of(s, GANNET_ESTIMATE_MOMENTS, &e));
  assert_true(e.work == NULL);
  gannet_surrogate_destroy(&s);
}

static uint64_t digest(gannet_surrogate *s, int64_t iteration) {
  enum { QUERIES = 70, Q = 3 };
  static double query[QUERIES * D], all[(2 + Q) * QUERIES];
  double hyper[HYPER];
  points(7, QUERIES, query);
  assert_ok(gannet_surrogate_predict(s, QUERIES, query, all, all + QUERIES));
  assert_ok(gannet_surrogate_sample(s, Q, 1.5, iteration));
  assert_ok(gannet_surrogate_draw_values(s, QUERIES, query, all + 2 * QUERIES, QUERIES));
  gannet_surrogate_get_hyper(s, hyper);
  return gannet_hash(all, sizeof all) ^ gannet_hash(hyper, sizeof hyper);
}

static void growing_and_fitting_anew_give_the_same_bits(void **state) {
  (void)state;
  static double x[MANY * D], y[MANY];
  const int sizes[] = {0, 1, 17, 63, 64, 65, 130, MANY, 70};
  points(4, MANY, x);
  additive_values(MANY, x, y);
  gannet_surrogate *grown = make_additive(world, 0, NULL);
  for (int k = 0; k < 9; ++k) {
    const gannet_data data = {sizes[k], x, y, 0, NULL};
    gannet_surrogate *anew = make_additive(world, 0, NULL);
    assert_ok(gannet_surrogate_fit(grown, &data, false, k));
    assert_ok(gannet_surrogate_fit(anew, &data, false, k));
    assert_true(digest(grown, k) == digest(anew, k));
    gannet_surrogate_destroy(&anew);
  }
  gannet_surrogate_destroy(&grown);
}

/* Enough observations for ranks to share starts, gradients, and coordinates of draws; learning with
 * and without an additive part before. */
static void ranks_do_not_matter(void **state) {
  (void)state;
  enum { MOST = 800 };
  static double x[MOST * D], y[MOST];
  const gannet_setting few = {.key = "fit_evaluations", .text = "8"};
  const int sizes[] = {30, 100, 200, MOST};
  uint64_t digests[2][4];
  points(5, MOST, x);
  additive_values(MOST, x, y);
  for (int k = 0; k < 2; ++k) {
    gannet_surrogate *s = make(k ? self : world, 1, &few);
    for (int i = 0; i < 4; ++i) {
      const gannet_data data = {sizes[i], x, y, NAN, NULL};
      assert_ok(gannet_surrogate_fit(s, &data, i < 3, i));
      digests[k][i] = digest(s, i);
    }
    gannet_surrogate_destroy(&s);
  }
  assert_memory_equal(digests[0], digests[1], sizeof digests[0]);
}

/* From the hyperparameters that a state keeps. */
static void a_resumed_model_continues_exactly(void **state) {
  (void)state;
  static double x[MANY * D], y[MANY];
  double hyper[HYPER];
  points(4, MANY, x);
  additive_values(MANY, x, y);
  const gannet_data before = {60, x, y, NAN, NULL}, after = {90, x, y, NAN, NULL};
  gannet_surrogate *s = make(world, 0, NULL), *resumed = make(world, 0, NULL);
  assert_ok(gannet_surrogate_fit(s, &before, true, 1));
  gannet_surrogate_get_hyper(s, hyper);
  assert_true(hyper[TANGENT_RHO + 1 + TANGENT_ODDS] > 0);
  assert_ok(gannet_surrogate_set_hyper(resumed, hyper));
  for (int learn = 0; learn < 2; ++learn) {
    assert_ok(gannet_surrogate_fit(s, &after, learn, 2));
    assert_ok(gannet_surrogate_fit(resumed, &after, learn, 2));
    assert_true(digest(s, 2) == digest(resumed, 2));
  }
  gannet_surrogate_destroy(&s);
  gannet_surrogate_destroy(&resumed);
}

/* Draws with a factor that is cut over the ranks are those with a whole one, to rounding. */
static void the_factor_can_be_distributed(void **state) {
  (void)state;
  static double x[MANY * D], y[MANY];
  double query[M * D], draws[2][2 * M];
  points(4, MANY, x);
  points(2, M, query);
  additive_values(MANY, x, y);
  for (int k = 0; k < 2; ++k) {
    const gannet_setting place = {.key = "factor", .text = k ? "distributed" : "replicated"};
    gannet_surrogate *s = make_additive(world, 1, &place);
    const gannet_data data = {MANY, x, y, 0.01, NULL};
    assert_ok(gannet_surrogate_fit(s, &data, false, 1));
    assert_ok(gannet_surrogate_sample(s, 2, 1, 1));
    assert_ok(gannet_surrogate_draw_values(s, M, query, draws[k], M));
    gannet_surrogate_destroy(&s);
  }
  for (int i = 0; i < 2 * M; ++i) assert_near(draws[1][i], draws[0][i], 1e-8);
}

/* The share that is learnt from 60 observations; 0 = none. */
static double learnt_share(int kind) {
  enum { MANY_VARIABLES = 6, T = 60 };
  static double x[T * MANY_VARIABLES], y[T];
  double hyper[HYPER];
  const gannet_setting setting = {.key = "additive", .text = "auto"};
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 9, 31}, 0, T * MANY_VARIABLES, x);
  for (int i = 0; i < T; ++i) {
    double sum = 0, product = 1;
    for (int k = 0; k < MANY_VARIABLES; ++k) {
      sum += sin(9 * x[i * MANY_VARIABLES + k] + k) / sqrt(MANY_VARIABLES);
      product *= 1.5 - x[i * MANY_VARIABLES + k] + 0.5 * x[i * MANY_VARIABLES + k];
    }
    y[i] = kind == 0 ? sum : log(product + 2 * x[i * MANY_VARIABLES] * x[i * MANY_VARIABLES + 1]);
  }
  gannet_surrogate *s = surrogate_named(world, "tangent-kernel", MANY_VARIABLES, 1, &setting);
  const gannet_data data = {T, x, y, NAN, NULL};
  assert_ok(gannet_surrogate_fit(s, &data, true, 1));
  gannet_surrogate_get_hyper(s, hyper);
  gannet_surrogate_destroy(&s);
  const double found = hyper[TANGENT_RHO + 1 + TANGENT_ODDS];
  return found > TANGENT_NO_SHARE ? 1 / (1 + exp(-found)) : 0;
}

static void the_evidence_decides(void **state) {
  (void)state;
  assert_true(learnt_share(0) > 0.8);
  assert_float_equal(learnt_share(1), 0, 0);
}

/* 25 points, each observed several times, have room among 30 inducing points. */
static void inducing_points_take_it_along(void **state) {
  (void)state;
  enum { T = 94, POINTS = 25 };
  static double x[T * D], y[T];
  double query[M * D], mean[2][M], sd[2][M], draws[M];
  points(5, T, x);
  points(2, M, query);
  for (int i = POINTS; i < 90; ++i) memcpy(x + i * D, x + i % POINTS * D, D * sizeof *x);
  additive_values(T, x, y);
  for (int i = 0; i < T; ++i) y[i] += 0.1 * sin(7 * i);
  for (int k = 0; k < 2; ++k) {
    const gannet_setting points_option = {.key = "inducing", .text = k ? "30" : "0"};
    gannet_surrogate *s = make_additive(world, 1, &points_option);
    const gannet_data data = {T, x, y, 1e-7, NULL};
    assert_ok(gannet_surrogate_fit(s, &data, false, 1));
    assert_ok(gannet_surrogate_predict(s, M, query, mean[k], sd[k]));
    assert_ok(gannet_surrogate_sample(s, 1, 0, 1));
    assert_ok(gannet_surrogate_draw_values(s, M, query, draws, M));
    for (int i = 0; i < M; ++i) assert_near(draws[i], mean[k][i], 1e-5);
    gannet_surrogate_destroy(&s);
  }
  for (int i = 0; i < M; ++i) {
    assert_near(mean[1][i], mean[0][i], 1e-5);
    assert_near(sd[1][i], sd[0][i], 1e-5);
  }
}

static void what_it_does_not_go_with_is_refused(void **state) {
  (void)state;
  const char *const others[][3] = {{"kernel", "network", "choose kernel: infinite"},
                                   {"mean", "trained", "choose mean: posterior"}};
  const gannet_surrogate_type *type = NULL;
  assert_ok(gannet_surrogate_find("tangent-kernel", &type));
  for (int i = 0; i < 2; ++i) {
    tangent_options options;
    gannet_complaints complaints = {0};
    gannet_surrogate *s = NULL;
    const gannet_setting settings[] = {{.key = "additive", .text = "auto"},
                                       {.key = others[i][0], .text = others[i][1]}};
    assert_ok(gannet_options_apply(type->options, NULL, 2, settings, &options, &complaints));
    assert_fails(GANNET_ERR_ARG, others[i][2],
                 gannet_surrogate_create(world, type, &options, D, 0, &s));
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_posterior_is_conditioning_on_the_matrix),
      cmocka_unit_test(the_evidence_has_the_derivatives_of_differences),
      cmocka_unit_test(moments_and_draws_have_the_gradients_of_differences),
      cmocka_unit_test(draws_have_the_variance_of_the_posterior),
      cmocka_unit_test(a_draw_shrunk_to_nothing_is_the_mean),
      cmocka_unit_test(estimates_of_draws_are_near_them),
      cmocka_unit_test(growing_and_fitting_anew_give_the_same_bits),
      cmocka_unit_test(ranks_do_not_matter),
      cmocka_unit_test(a_resumed_model_continues_exactly),
      cmocka_unit_test(the_factor_can_be_distributed),
      cmocka_unit_test(the_evidence_decides),
      cmocka_unit_test(inducing_points_take_it_along),
      cmocka_unit_test(what_it_does_not_go_with_is_refused),
  };
  gannet_context *contexts[2] = {NULL, NULL};
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  int failed = 1;
  if (gannet_context_create(MPI_COMM_WORLD, 5, &contexts[0]) == GANNET_OK &&
      gannet_context_create(MPI_COMM_SELF, 5, &contexts[1]) == GANNET_OK) {
    world = contexts[0];
    self = contexts[1];
    failed = run_ranks(tests);
  }
  gannet_context_destroy(&contexts[1]);
  gannet_context_destroy(&contexts[0]);
  (void)MPI_Finalize();
  return failed;
}
