/* test: ranks 1 2 labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "base/hash.h"
#include "base/memory.h"
#include "linalg/blas.h"
#include "linalg/cholesky.h"
#include "surrogate/models/pinn/pinn.h"
#include "surrogate/pinn_subject.h"
#include "surrogate/registry.h"

enum { N = 9, POINTS = 40, QUERIES = 6 };

static gannet_context *world;

/* Mean absolute error of the mean over random points, in units of y. */
static double error_of(const subject *s, double slope, double offset) {
  double x[2 * 64], mean[64], sum = 0;
  gannet_stream mine = stream;
  mine.index = 8;
  gannet_random_uniform(mine, 0, 128, x);
  assert_ok(gannet_surrogate_predict(s->model, 64, x, mean, NULL));
  for (int i = 0; i < 64; ++i) sum += fabs(mean[i] - (harmonic(x + 2 * i) - offset) / slope) / 64;
  return sum;
}

/* A harmonic function from nine values: with its equation the error falls, whatever the affine map
 * between values and objective, its sign included. */
static void equations_help_the_mean(void **state) {
  (void)state;
  const char *const settings[] = {"input_scale", "1.5", "single_share", "0", NULL};
  const double slopes[] = {1, -0.5, 20}, offsets[] = {0, 3, -7};
  double x[2 * N], y[N];
  for (int k = 0; k < 3; ++k) {
    double error[2];
    for (int with = 0; with < 2; ++with) {
      subject s = {.problem = make_problem(1, &laplace, 0)};
      if (with) s.residuals = make_residuals(s.problem, POINTS);
      make_data(N, slopes[k], offsets[k], x, y);
      const gannet_data data = {N, x, y, NAN, NULL};
      make_model(world, &s, settings, slopes[k], offsets[k]);
      assert_ok(gannet_surrogate_fit(s.model, &data, true, 0));
      error[with] = fabs(slopes[k]) * error_of(&s, slopes[k], offsets[k]);
      drop(&s);
    }
    assert_true(error[1] < 0.05);
    assert_true(error[1] < 0.3 * error[0]);
  }
}

/* Fewer equations and more values whose sum, with the reserve for values to come, stays the same.
 */
static void equations_may_become_fewer(void **state) {
  (void)state;
  const char *const settings[] = {"width", "8", "single_share", "0", NULL};
  double x[2 * 40], y[40], mean[2][64], at[2 * 64];
  make_data(40, 1, 0, x, y);
  gannet_random_uniform(stream, 0, 128, at);
  for (int k = 0; k < 2; ++k) {
    subject s = {.problem = make_problem(1, &laplace, 0)};
    gannet_pde_residuals *many = make_residuals(s.problem, 105);
    s.residuals = make_residuals(s.problem, 60);
    make_model(world, &s, settings, 1, 0);
    if (k > 0) {
      const gannet_pde_constraint before = {many, 1, 0};
      const gannet_data few = {10, x, y, 1e-4, NULL};
      assert_ok(gannet_surrogate_set_pde_constraint(s.model, &before));
      assert_ok(gannet_surrogate_fit(s.model, &few, false, 0));
      const gannet_pde_constraint now = {s.residuals, 1, 0};
      assert_ok(gannet_surrogate_set_pde_constraint(s.model, &now));
    }
    const gannet_data all = {40, x, y, 1e-4, NULL};
    assert_ok(gannet_surrogate_fit(s.model, &all, false, 1));
    assert_ok(gannet_surrogate_predict(s.model, 64, at, mean[k], NULL));
    gannet_pde_residuals_destroy(&many);
    drop(&s);
  }
  assert_memory_equal(mean[0], mean[1], sizeof mean[0]);
}

/* The dense formula of lemma 5.3.4, with rows divided by their lengths, from features that a
 * network of the same weights gives. */
typedef struct {
  pinn_network *network;
  int p, r;
  double *rows; /* [r + N + QUERIES][p] */
} dense;

static void make_dense(dense *o, const subject *s, const pinn_shape *shape,
                       const pinn_scales *scales, const double *x, const double *query) {
  const gannet_partial value = {0};
  gannet_jet_plan residuals = {0}, plain = {0};
  double *coefficient = NULL, *rhs = NULL;
  gannet_stream weights = gannet_context_stream(world, GANNET_FOR_WEIGHTS, 0, 0);
  assert_ok(pinn_network_create(shape, weights, &o->network));
  assert_ok(pinn_network_set_scales(o->network, scales));
  o->p = pinn_network_size(o->network);
  o->r = s->residuals->n_rows;
  const size_t p = (size_t)o->p, r = (size_t)o->r, b = (size_t)s->residuals->n_partials;
  assert_ok(gannet_alloc((r + N + QUERIES) * p, sizeof(double), &o->rows));
  assert_ok(gannet_alloc(r * b, sizeof(double), &coefficient));
  assert_ok(gannet_alloc(r, sizeof(double), &rhs));
  assert_ok(gannet_pde_residuals_linearise(s->residuals, NULL, coefficient, rhs, NULL));
  assert_ok(
      gannet_jet_plan_create(2, s->residuals->n_partials, s->residuals->partials, &residuals));
  assert_ok(gannet_jet_plan_create(2, 1, &value, &plain));
  const pinn_rows rows = {.plan = &residuals,
                          .n_points = s->residuals->n_points,
                          .x = s->residuals->x,
                          .n_rows = o->r,
                          .point = s->residuals->point,
                          .coefficient = coefficient};
  const pinn_rows seen = {.plan = &plain, .n_points = N, .x = x, .n_rows = N};
  const pinn_rows asked = {.plan = &plain, .n_points = QUERIES, .x = query, .n_rows = QUERIES};
  assert_ok(pinn_network_features(o->network, &rows, NULL, o->rows));
  assert_ok(pinn_network_features(o->network, &seen, NULL, o->rows + r * p));
  assert_ok(pinn_network_features(o->network, &asked, NULL, o->rows + (r + N) * p));
  for (size_t i = 0; i < r; ++i) {
    const double length = sqrt(gannet_dot(o->p, o->rows + i * p, o->rows + i * p));
    for (size_t k = 0; k < p; ++k) o->rows[i * p + k] /= length;
  }
  gannet_jet_plan_release(&residuals);
  gannet_jet_plan_release(&plain);
  gannet_free(&coefficient);
  gannet_free(&rhs);
}

static void drop_dense(dense *o) {
  pinn_network_destroy(&o->network);
  gannet_free(&o->rows);
}

typedef struct {
  int n;
  const double *k; /* [n][n] */
} matrix;

static gannet_err matrix_rows(void *user, int first, int rows, double *k, int ldk) {
  const matrix *m = user;
  for (int i = 0; i < rows; ++i)
    memcpy(k + (size_t)i * (size_t)ldk, m->k + (size_t)(first + i) * (size_t)m->n,
           ((size_t)(first + i) + 1) * sizeof *k);
  return GANNET_OK;
}

static const char *const small[] = {"width",
                                    "30",
                                    "single_width",
                                    "5",
                                    "input_scale",
                                    "1.5",
                                    "single_scale",
                                    "2",
                                    "single_share",
                                    "0.25",
                                    "noise_floor",
                                    "1e-4",
                                    "activation",
                                    "erf",
                                    NULL};
static const pinn_scales small_scales = {1.5, 2, 2.1213203435596424, 0.25, 0};

static pinn_shape small_shape(void) {
  pinn_shape shape = {.d = 2, .layers = 1, .width = 30, .single_width = 5};
  assert_ok(gannet_activation_find("erf", &shape.activation));
  return shape;
}

/* s^2 = 1 and lambda_1 = noise_floor: the hyperparameters are set, not learnt. */
static void set_plain_hyper(gannet_surrogate *model) {
  double hyper[PINN_HYPER];
  gannet_surrogate_get_hyper(model, hyper);
  hyper[PINN_AMPLITUDE] = 0;
  hyper[PINN_NOISE] = -20;
  assert_ok(gannet_surrogate_set_hyper(model, hyper));
}

static void the_posterior_is_that_of_the_lemma(void **state) {
  (void)state;
  const double lambda1 = 1e-4, lambda2 = 1e-3;
  double x[2 * N], y[N], query[2 * QUERIES], mean[QUERIES], sd[QUERIES];
  subject s = {.problem = make_problem(1, &laplace, lambda2)};
  dense o = {0};
  s.residuals = make_residuals(s.problem, POINTS);
  make_data(N, 1, 3, x, y);
  gannet_random_uniform(stream, 900, 2 * QUERIES, query);
  make_model(world, &s, small, 1, 3);
  set_plain_hyper(s.model);
  const gannet_data data = {N, x, y, NAN, NULL};
  assert_ok(gannet_surrogate_fit(s.model, &data, false, 0));
  assert_ok(gannet_surrogate_predict(s.model, QUERIES, query, mean, sd));
  const pinn_shape shape = small_shape();
  make_dense(&o, &s, &shape, &small_scales, x, query);
  const int n = o.r + N;
  double *k = NULL, target[POINTS + N] = {0}, cross[POINTS + N];
  gannet_cholesky *factor = NULL;
  assert_ok(gannet_alloc((size_t)n * (size_t)n, sizeof *k, &k));
  gannet_gemm_nt(n, n, o.p, 1, o.rows, o.p, o.rows, o.p, 0, k, n);
  for (int i = 0; i < n; ++i) k[i * n + i] += i < o.r ? lambda2 : lambda1;
  memcpy(target + o.r, y, sizeof y);
  assert_ok(gannet_cholesky_create(&factor));
  matrix m = {n, k};
  assert_ok(gannet_cholesky_extend(factor, n, matrix_rows, &m));
  gannet_cholesky_solve(factor, 1, target, n);
  for (int q = 0; q < QUERIES; ++q) {
    const double *phi = o.rows + (size_t)(n + q) * (size_t)o.p;
    gannet_gemv_n(n, o.p, 1, o.rows, o.p, phi, 0, cross);
    assert_near(mean[q], gannet_dot(n, cross, target), 1e-9 * (1 + fabs(mean[q])));
    gannet_cholesky_forward(factor, 1, cross, n);
    const double variance = gannet_dot(o.p, phi, phi) - gannet_dot(n, cross, cross);
    assert_near(sd[q] * sd[q], variance, 1e-10);
  }
  gannet_cholesky_destroy(&factor);
  gannet_free(&k);
  drop_dense(&o);
  drop(&s);
}

/* log det(I + sum of outer products of the rows over lambda), in the space of the weights. */
static double primal_logdet(const dense *o, bool residuals, bool data, double lambda1,
                            double lambda2) {
  const size_t p = (size_t)o->p;
  double *k = NULL, logdet;
  gannet_cholesky *factor = NULL;
  assert_ok(gannet_alloc(p * p, sizeof *k, &k));
  for (size_t i = 0; i < p; ++i) k[i * p + i] = 1;
  if (residuals)
    gannet_gemm_tn(o->p, o->p, o->r, 1 / lambda2, o->rows, o->p, o->rows, o->p, 1, k, o->p);
  if (data)
    gannet_gemm_tn(o->p, o->p, N, 1 / lambda1, o->rows + (size_t)o->r * p, o->p,
                   o->rows + (size_t)o->r * p, o->p, 1, k, o->p);
  matrix m = {o->p, k};
  assert_ok(gannet_cholesky_create(&factor));
  assert_ok(gannet_cholesky_extend(factor, o->p, matrix_rows, &m));
  logdet = gannet_cholesky_logdet(factor);
  gannet_cholesky_destroy(&factor);
  gannet_free(&k);
  return logdet;
}

/* Lemma 5.3.6 as it is printed, with p x p determinants, and nu_t. */
static void interaction_information_is_that_of_the_primal_formula(void **state) {
  (void)state;
  const double lambda1 = 1e-4, lambda2 = 1e-3;
  double x[2 * N], y[N], hyper[PINN_HYPER], query[2 * QUERIES] = {0};
  subject s = {.problem = make_problem(1, &laplace, lambda2)};
  dense o = {0};
  s.residuals = make_residuals(s.problem, POINTS);
  make_data(N, 1, 3, x, y);
  make_model(world, &s, small, 1, 3);
  set_plain_hyper(s.model);
  const gannet_data data = {N, x, y, NAN, NULL};
  assert_ok(gannet_surrogate_fit(s.model, &data, false, 0));
  gannet_surrogate_get_hyper(s.model, hyper);
  const pinn_shape shape = small_shape();
  make_dense(&o, &s, &shape, &small_scales, x, query);
  const double own = primal_logdet(&o, false, true, lambda1, lambda2);
  const double theirs = primal_logdet(&o, true, false, lambda1, lambda2);
  const double both = primal_logdet(&o, true, true, lambda1, lambda2);
  assert_near(hyper[PINN_GAIN], 0.5 * own, 1e-7);
  assert_near(hyper[PINN_INTERACTION], 0.5 * (own + theirs - both), 1e-7);
  assert_true(hyper[PINN_INTERACTION] > 0 && hyper[PINN_INTERACTION] < hyper[PINN_GAIN]);
  const double noise = sqrt(1 / lambda1 + 1 / lambda2);
  assert_near(hyper[PINN_NU], 1 + noise * sqrt(both - theirs + log(10)), 1e-5);
  drop_dense(&o);
  drop(&s);
}

/* Where the weights hardly move, training is conditioning, and so are its draws. */
static void a_trained_network_is_the_closed_form_where_it_is_linear(void **state) {
  (void)state;
  const char *const closed[] = {
      "width",        "60",   "single_width", "6",    "input_scale", "1.5",
      "single_share", "0.25", "noise_floor",  "1e-6", NULL};
  const char *const trained[] = {
      "width", "60",          "single_width", "6",   "input_scale", "1.5", "single_share",
      "0.25",  "noise_floor", "1e-6",         "fit", "trained",     NULL};
  double x[2 * N], y[N], query[2 * QUERIES], mean[2][QUERIES], sd[2][QUERIES];
  double draw[2][2 * QUERIES], gradient[2][2], value[2];
  gannet_random_uniform(stream, 900, 2 * QUERIES, query);
  make_data(N, 1e4, 3, x, y);
  for (int k = 0; k < 2; ++k) {
    subject s = {.problem = make_problem(1, &laplace, 1e-4)};
    s.residuals = make_residuals(s.problem, 20);
    make_model(world, &s, k ? trained : closed, 1e4, 3);
    set_plain_hyper(s.model);
    const gannet_data data = {N, x, y, NAN, NULL};
    assert_ok(gannet_surrogate_fit(s.model, &data, false, 0));
    assert_ok(gannet_surrogate_predict(s.model, QUERIES, query, mean[k], sd[k]));
    assert_ok(gannet_surrogate_sample(s.model, 2, 1e-4, 3));
    assert_ok(gannet_surrogate_draw_values(s.model, QUERIES, query, draw[k], QUERIES));
    assert_ok(gannet_surrogate_draw_gradient(s.model, 1, query, &value[k], gradient[k]));
    drop(&s);
  }
  for (int i = 0; i < QUERIES; ++i) {
    assert_near(mean[0][i], mean[1][i], 1e-6 * 1e-4 + 1e-4 * fabs(mean[0][i]));
    assert_near(sd[0][i], sd[1][i], 1e-4);
    assert_near(draw[0][i], draw[1][i], 1e-3 * fabs(draw[0][i]) + 1e-7);
    assert_near(draw[0][QUERIES + i], draw[1][QUERIES + i],
                1e-3 * fabs(draw[0][QUERIES + i]) + 1e-7);
  }
  for (int k = 0; k < 2; ++k)
    assert_near(gradient[0][k], gradient[1][k], 1e-3 * fabs(gradient[0][k]) + 1e-7);
}

/* Beyond that it learns, and obeys: a harmonic function again. */
static void a_trained_network_obeys_too(void **state) {
  (void)state;
  const char *const settings[] = {
      "width", "40",  "activation", "tanh",   "input_scale", "1.5", "single_share",
      "0",     "fit", "trained",    "layers", "2",           NULL};
  double x[2 * N], y[N];
  subject s = {.problem = make_problem(1, &laplace, 0)};
  s.residuals = make_residuals(s.problem, POINTS);
  make_data(N, 1, 3, x, y);
  const gannet_data data = {N, x, y, NAN, NULL};
  make_model(world, &s, settings, 1, 3);
  assert_ok(gannet_surrogate_fit(s.model, &data, true, 0));
  assert_true(error_of(&s, 1, 3) < 0.1);
  drop(&s);
}

static void equations_of_plugins_are_obeyed(void **state) {
  (void)state;
  static const gannet_physics_term terms[] = {{NULL, 0, NULL}, {NULL, 2, xx}, {NULL, 2, yy}};
  static const gannet_physics_equation equation = {
      .n_terms = 3, .terms = terms, .plugin = "quadratic"};
  const char *const settings[] = {"input_scale", "1.5", "single_share", "0", NULL};
  double x[2 * N], y[N], error[2];
  make_data(N, 1, 0, x, y);
  for (int i = 0; i < N; ++i) y[i] -= 3;
  for (int with = 0; with < 2; ++with) {
    subject s = {.problem = make_problem(1, &equation, 0)};
    assert_ok(gannet_problem_set_residual(s.problem, 0, quadratic));
    if (with) s.residuals = make_residuals(s.problem, POINTS);
    const gannet_data data = {N, x, y, NAN, NULL};
    make_model(world, &s, settings, 1, 0);
    assert_ok(gannet_surrogate_fit(s.model, &data, true, 0));
    error[with] = error_of(&s, 1, 3);
    drop(&s);
  }
  assert_true(error[1] < 0.05);
  assert_true(error[1] < 0.5 * error[0]);
}

static void what_takes_no_equations_says_so(void **state) {
  (void)state;
  gannet_surrogate *model = NULL;
  subject s = {.problem = make_problem(1, &laplace, 0)};
  s.residuals = make_residuals(s.problem, 3);
  const gannet_pde_constraint constraint = {s.residuals, 1, 0}, flat = {s.residuals, 0, 0};
  assert_ok(gannet_surrogate_create(world, &gannet_surrogate_gp, NULL, 2, 0, &model));
  assert_fails(GANNET_ERR_ARG, "those that do: pinn",
               gannet_surrogate_set_pde_constraint(model, &constraint));
  gannet_surrogate_destroy(&model);
  assert_ok(gannet_surrogate_create(world, &gannet_surrogate_pinn, NULL, 2, 0, &model));
  assert_fails(GANNET_ERR_ARG, "slope 0", gannet_surrogate_set_pde_constraint(model, &flat));
  gannet_surrogate_destroy(&model);
  drop(&s);
}

/* The learnt standard deviation of the first weights of the narrow networks, for values that are
 * sums over the coordinates of waves with so many radians per half of the box. */
static double learnt_single(const char *share, double radians) {
  enum { MANY = 40 };
  const char *const settings[] = {
      "width", "20", "single_width", "30", "single_share", share, "grading", "0", NULL};
  double x[2 * MANY], y[MANY], hyper[PINN_HYPER];
  subject s = {.problem = make_problem(1, &laplace, 0)};
  make_data(MANY, 1, 0, x, y);
  for (int i = 0; i < MANY; ++i)
    y[i] = sin(2 * radians * x[2 * i]) + cos(2 * radians * x[2 * i + 1]);
  const gannet_data data = {MANY, x, y, NAN, NULL};
  make_model(world, &s, settings, 1, 0);
  assert_ok(gannet_surrogate_fit(s.model, &data, true, 0));
  gannet_surrogate_get_hyper(s.model, hyper);
  drop(&s);
  return exp(hyper[PINN_SINGLE]);
}

/* 4 is where the search begins: twelve radians per half of the box need more, half a radian less,
 * whatever the share. */
static void scales_are_learnt_beside_a_given_share(void **state) {
  static const char *const shares[] = {"0.5", "1"};
  (void)state;
  for (int i = 0; i < 2; ++i) {
    assert_true(learnt_single(shares[i], 12) > 5);
    assert_true(learnt_single(shares[i], 0.5) < 3);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (gannet_context_create(MPI_COMM_WORLD, 3, &world) != GANNET_OK) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equations_help_the_mean),
      cmocka_unit_test(equations_may_become_fewer),
      cmocka_unit_test(the_posterior_is_that_of_the_lemma),
      cmocka_unit_test(interaction_information_is_that_of_the_primal_formula),
      cmocka_unit_test(a_trained_network_is_the_closed_form_where_it_is_linear),
      cmocka_unit_test(a_trained_network_obeys_too),
      cmocka_unit_test(equations_of_plugins_are_obeyed),
      cmocka_unit_test(what_takes_no_equations_says_so),
      cmocka_unit_test(scales_are_learnt_beside_a_given_share),
  };
  const int failed = run_ranks(tests);
  gannet_context_destroy(&world);
  MPI_Finalize();
  return failed;
}
