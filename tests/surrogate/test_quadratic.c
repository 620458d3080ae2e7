/* test: ranks 1 2 3 5 labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "base/hash.h"
#include "base/random.h"
#include "surrogate/models/quadratic/quadratic.h"

enum { D = 3, FULL = 1 + 2 * D + D * (D - 1) / 2, MOST = 40 };

typedef struct {
  double u[MOST * D], t[MOST], w[MOST];
} sample;

static double truth(const double *u) {
  return 0.7 - u[0] + 2 * u[1] + 0.5 * u[0] * u[0] + 3 * u[1] * u[1] + u[2] * u[2] - u[0] * u[1] +
         0.2 * u[1] * u[2];
}

static gannet_quadratic_data draw_other(uint64_t seed, int n, double noise, sample *s) {
  double e[MOST];
  gannet_random_uniform((gannet_stream){seed, GANNET_FOR_TEST, 0, 0}, 0, (size_t)n * D, s->u);
  gannet_random_normal((gannet_stream){seed, GANNET_FOR_TEST, 0, 1}, 0, (size_t)n, e);
  for (int i = 0; i < n * D; ++i) s->u[i] = 2 * s->u[i] - 1;
  for (int i = 0; i < n; ++i) {
    s->w[i] = 1;
    s->t[i] = truth(s->u + i * D) + noise * e[i];
  }
  return (gannet_quadratic_data){n, D, s->u, s->t, s->w};
}

static gannet_quadratic_data draw(int n, double noise, sample *s) {
  return draw_other(1, n, noise, s);
}

static void a_quadratic_is_recovered_with_its_derivatives(void **state) {
  (void)state;
  sample s;
  gannet_quadratic q = {0};
  const gannet_quadratic_data data = draw(25, 0, &s);
  const double u[D] = {0.3, -0.4, 0.9};
  double gradient[D], hessian[D * D], work[FULL];
  assert_ok(gannet_quadratic_create(D, MOST, true, &q));
  assert_int_equal(q.p, FULL);
  assert_ok(gannet_quadratic_fit(MPI_COMM_WORLD, 1, &q, &data, 10));
  assert_near(gannet_quadratic_value(&q, q.coefficient, u, gradient, hessian), truth(u), 1e-6);
  assert_near(gradient[0], -1 + u[0] - u[1], 1e-5);
  assert_near(gradient[1], 2 + 6 * u[1] - u[0] + 0.2 * u[2], 1e-5);
  assert_near(gradient[2], 2 * u[2] + 0.2 * u[1], 1e-5);
  assert_near(hessian[1 * D + 1], 6, 1e-5);
  assert_near(hessian[0 * D + 1], -1, 1e-5);
  assert_near(hessian[1 * D + 0], -1, 1e-5);
  assert_near(hessian[0 * D + 2], 0, 1e-5);
  assert_true(gannet_quadratic_sd(&q, u, work) < 1e-5);
  gannet_quadratic_release(&q);
}

/* The noise that was put in is found, and draws scatter as the deviation says. */
static void draws_have_the_deviation_of_the_model(void **state) {
  (void)state;
  sample s;
  gannet_quadratic q = {0};
  const gannet_quadratic_data data = draw(MOST, 0.1, &s);
  const double u[D] = {1, 1, -1};
  double z[FULL], coefficient[FULL], work[FULL], mean = 0, squares = 0;
  enum { DRAWS = 4000 };
  assert_ok(gannet_quadratic_create(D, MOST, true, &q));
  assert_ok(gannet_quadratic_fit(MPI_COMM_WORLD, 1, &q, &data, 10));
  const double error = q.scale * pow(10, q.hyper[GANNET_QUADRATIC_ERROR]);
  assert_true(0.05 < error && error < 0.2);
  for (int i = 0; i < DRAWS; ++i) {
    gannet_random_normal((gannet_stream){2, GANNET_FOR_TEST, 0, (uint64_t)i}, 0, FULL, z);
    gannet_quadratic_draw(&q, z, coefficient);
    const double value = gannet_quadratic_value(&q, coefficient, u, NULL, NULL);
    mean += value / DRAWS;
    squares += value * value / DRAWS;
  }
  const double sd = gannet_quadratic_sd(&q, u, work);
  assert_near(sqrt(squares - mean * mean) / sd, 1, 0.05); /* 4 standard errors */
  assert_near(mean, gannet_quadratic_value(&q, q.coefficient, u, NULL, NULL), 5 * sd / 60);
  gannet_quadratic_release(&q);
}

/* 4 points, 10 coefficients: the model goes through the points and is unsure elsewhere. */
static void few_points_leave_the_model_unsure(void **state) {
  (void)state;
  sample s;
  gannet_quadratic q = {0};
  const gannet_quadratic_data data = draw(4, 0, &s);
  const double far[D] = {-1, 1, 1};
  double work[FULL];
  assert_ok(gannet_quadratic_create(D, MOST, true, &q));
  assert_ok(gannet_quadratic_fit(MPI_COMM_WORLD, 1, &q, &data, 2));
  for (int i = 0; i < 4; ++i)
    assert_near(gannet_quadratic_value(&q, q.coefficient, s.u + i * D, NULL, NULL), s.t[i], 0.3);
  assert_true(gannet_quadratic_sd(&q, far, work) > 0.1);
  gannet_quadratic_release(&q);
}

/* d + 3 points are enough to know a round function where 2 d + 2 would be needed for a separable
 * one: one more than its coefficients, which tells that it is one. */
static void a_round_function_needs_few_points(void **state) {
  (void)state;
  sample s;
  gannet_quadratic q = {0};
  const gannet_quadratic_data data = draw(D + 3, 0, &s);
  const double far[D] = {-2, 2, 3};
  double gradient[D], hessian[D * D], work[FULL];
  for (int i = 0; i < data.n; ++i) {
    const double *u = s.u + i * D;
    s.t[i] = 3 + u[0] - 2 * u[1] + 2 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  }
  assert_ok(gannet_quadratic_create(D, MOST, true, &q));
  assert_ok(gannet_quadratic_fit(MPI_COMM_WORLD, 1, &q, &data, 10));
  assert_near(gannet_quadratic_value(&q, q.coefficient, far, gradient, hessian), 31, 0.3);
  for (int k = 0; k < D; ++k) assert_near(hessian[k * D + k], 4, 0.1);
  assert_true(gannet_quadratic_sd(&q, far, work) < 0.3);
  assert_true(q.hyper[GANNET_QUADRATIC_SPREAD] < -1);
  gannet_quadratic_release(&q);
}

/* log |C| and t^T C^-1 t by a Cholesky factor; c [n][n] is destroyed. */
static void by_covariance(int n, double *c, const double *t, double *log_determinant,
                          double *square) {
  double x[MOST];
  *log_determinant = *square = 0;
  for (int i = 0; i < n; ++i) {
    double *row = c + (size_t)i * (size_t)n, left = t[i];
    for (int j = 0; j <= i; ++j) {
      const double *other = c + (size_t)j * (size_t)n;
      double sum = row[j];
      for (int k = 0; k < j; ++k) sum -= row[k] * other[k];
      row[j] = j < i ? sum / other[j] : sqrt(sum);
    }
    for (int j = 0; j < i; ++j) left -= row[j] * x[j];
    x[i] = left / row[i];
    *log_determinant += 2 * log(row[i]);
    *square += x[i] * x[i];
  }
}

/* Prior covariance of the values at two points, by the model's definition. */
static double prior_covariance(const double *u, const double *v, const double *hyper) {
  const double curvature = pow(10, 2 * hyper[GANNET_QUADRATIC_CURVATURE]);
  const double spread = pow(10, 2 * hyper[GANNET_QUADRATIC_SPREAD]);
  const double cross = pow(10, 2 * hyper[GANNET_QUADRATIC_CROSS]);
  double linear = 0, squares = 0, at_u = 0, at_v = 0, mixed = 0;
  for (int k = 0; k < D; ++k) {
    linear += u[k] * v[k];
    squares += u[k] * u[k] * v[k] * v[k] / 4;
    at_u += u[k] * u[k] / 2;
    at_v += v[k] * v[k] / 2;
    for (int l = k + 1; l < D; ++l) mixed += u[k] * u[l] * v[k] * v[l];
  }
  return 1e4 + linear + curvature * (spread * squares + at_u * at_v + cross * mixed);
}

/* s and differences of the evidence are those of the values' covariance: the route by the space of
 * observations, not by that of coefficients. */
static void the_evidence_is_that_of_the_covariance(void **state) {
  (void)state;
  const double hyper[][GANNET_QUADRATIC_HYPER] = {
      {0, 0, -0.5, -1}, {1, -3, -1, -0.5}, {-1, 0.5, 0.25, 0}, {0.5, -1, -2, -1.5}};
  sample s;
  gannet_quadratic q = {0};
  const gannet_quadratic_data data = draw(15, 0.3, &s);
  double c[MOST * MOST], first = 0;
  for (int i = 0; i < data.n; ++i) s.w[i] = 1 + 0.2 * i;
  assert_ok(gannet_quadratic_create(D, MOST, true, &q));
  assert_ok(gannet_quadratic_observe(&q, &data));
  for (int trial = 0; trial < 4; ++trial) {
    const double *h = hyper[trial];
    double evidence = 0, expected = 0, square = 0;
    bool better = false;
    q.evidence = -INFINITY;
    assert_ok(gannet_quadratic_try(&q, h, &evidence, &better));
    assert_true(better);
    for (int i = 0; i < data.n; ++i)
      for (int j = 0; j < data.n; ++j)
        c[i * data.n + j] = prior_covariance(s.u + i * D, s.u + j * D, h) +
                            (i == j ? pow(pow(10, h[GANNET_QUADRATIC_ERROR]) * s.w[i], 2) : 0);
    by_covariance(data.n, c, s.t, &expected, &square);
    expected = -0.5 * (expected + data.n * log(square));
    for (int k = 0; k < GANNET_QUADRATIC_HYPER; ++k)
      expected -= 0.5 * pow((h[k] - gannet_quadratic_start[k]) / (8 * gannet_quadratic_step[k]), 2);
    assert_near(q.scale, sqrt(square / data.n), 1e-8 * q.scale);
    if (trial == 0) first = evidence - expected;
    assert_near(evidence - expected, first, 1e-8);
  }
  gannet_quadratic_release(&q);
}

static void no_room_and_no_data_are_refused(void **state) {
  (void)state;
  sample s;
  gannet_quadratic q = {0};
  gannet_quadratic_data data = draw(5, 0, &s);
  assert_ok(gannet_quadratic_create(D, 4, true, &q));
  assert_fails(GANNET_ERR_SHAPE, "room for 4",
               gannet_quadratic_fit(MPI_COMM_WORLD, 1, &q, &data, 1));
  data.n = 0;
  assert_fails(GANNET_ERR_SHAPE, "0 observations",
               gannet_quadratic_fit(MPI_COMM_WORLD, 1, &q, &data, 1));
  gannet_quadratic_release(&q);
}

/* Noise, an exact quadratic, a function that is none, a constant. */
static void four_functions(const double *u, int n, double t[][MOST]) {
  double e[MOST];
  gannet_random_normal((gannet_stream){3, GANNET_FOR_TEST, 0, 0}, 0, (size_t)n, e);
  for (int i = 0; i < n; ++i, u += D) {
    t[0][i] = e[i];
    t[1][i] = truth(u);
    t[2][i] = truth(u) + pow(u[0], 5) - exp(2 * u[1]);
    t[3][i] = 2;
  }
}

static uint64_t fit_print(MPI_Comm comm, uint64_t seed, int n_models, bool full) {
  enum { MODELS = 4 };
  sample s;
  double t[MODELS][MOST], sd[MODELS], work[FULL];
  const double u[D] = {0.1, 0.7, -1};
  gannet_quadratic q[MODELS] = {{0}};
  gannet_quadratic_data data[MODELS];
  uint64_t print = 0;
  data[0] = draw_other(seed, 15, 0, &s);
  four_functions(s.u, data[0].n, t);
  for (int m = 0; m < n_models; ++m) {
    data[m] = (gannet_quadratic_data){data[0].n, D, s.u, t[m], s.w};
    assert_ok(gannet_quadratic_create(D, MOST, full, &q[m]));
  }
  assert_ok(gannet_quadratic_fit(comm, n_models, q, data, 3));
  for (int m = 0; m < n_models; ++m) {
    sd[m] = gannet_quadratic_sd(&q[m], u, work);
    print ^= gannet_hash(q[m].hyper, sizeof q[m].hyper) * (uint64_t)(2 * m + 1);
    print ^= gannet_hash(q[m].coefficient, (size_t)q[m].p * sizeof(double)) * (uint64_t)(2 * m + 3);
    gannet_quadratic_release(&q[m]);
  }
  return print ^ gannet_hash(sd, (size_t)n_models * sizeof *sd);
}

/* With fewer models than ranks both sides are tried at once, with more one after the other. */
static void ranks_find_what_one_finds(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; ++seed)
    for (int models = 1; models <= 4; ++models)
      assert_true(fit_print(MPI_COMM_WORLD, seed, models, seed % 2) ==
                  fit_print(MPI_COMM_SELF, seed, models, seed % 2));
}

static void what_is_no_number_is_refused(void **state) {
  (void)state;
  sample s;
  gannet_quadratic q = {0};
  const gannet_quadratic_data data = draw(15, 0, &s);
  s.t[3] = NAN;
  assert_ok(gannet_quadratic_create(D, MOST, true, &q));
  assert_fails(GANNET_ERR_NUMERIC, "no quadratic fits 15 observations",
               gannet_quadratic_fit(MPI_COMM_WORLD, 1, &q, &data, 1));
  gannet_quadratic_release(&q);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_quadratic_is_recovered_with_its_derivatives),
      cmocka_unit_test(draws_have_the_deviation_of_the_model),
      cmocka_unit_test(few_points_leave_the_model_unsure),
      cmocka_unit_test(a_round_function_needs_few_points),
      cmocka_unit_test(the_evidence_is_that_of_the_covariance),
      cmocka_unit_test(no_room_and_no_data_are_refused),
      cmocka_unit_test(ranks_find_what_one_finds),
      cmocka_unit_test(what_is_no_number_is_refused),
  };
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
