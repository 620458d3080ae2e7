/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "base/error.h"
#include "base/random.h"
#include "minimize/minimize.h"

enum { MOST = 20 }; /* unknowns */

static const gannet_minimize_options fine = {5000, 1e-9, 0};

typedef struct {
  int calls;
  int fail_at;       /* the call that fails, 0 = none */
  double worst_step; /* largest distance outside [-1, 1]^n that was asked for */
} counter;

static gannet_err rosenbrock(void *user, int n, const double *x, double *value, double *gradient) {
  counter *c = user;
  if (++c->calls == c->fail_at) return GANNET_RAISE(GANNET_ERR_NUMERIC, "on purpose");
  *value = 0;
  memset(gradient, 0, (size_t)n * sizeof *gradient);
  for (int i = 0; i + 1 < n; ++i) {
    const double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
    *value += 100 * a * a + b * b;
    gradient[i] += -400 * a * x[i] - 2 * b;
    gradient[i + 1] += 200 * a;
  }
  return GANNET_OK;
}

/* Sum of weight_i (x_i - target_i)^2 with weights 10^(i/2), target_i = i - 2. */
static gannet_err quadratic(void *user, int n, const double *x, double *value, double *gradient) {
  counter *c = user;
  c->calls += 1;
  *value = 0;
  for (int i = 0; i < n; ++i) {
    const double weight = pow(10, i / 2.0), gap = x[i] - (i - 2);
    *value += weight * gap * gap;
    gradient[i] = 2 * weight * gap;
  }
  return GANNET_OK;
}

/* -log of a product of slacks: infinite outside x_i < 1, minimum of x - log(1 - x)... at x_i = 0.
 */
static gannet_err barrier(void *user, int n, const double *x, double *value, double *gradient) {
  counter *c = user;
  c->calls += 1;
  *value = 0;
  for (int i = 0; i < n; ++i) {
    *value += -1e-4 * log(1 - x[i]) - x[i];
    gradient[i] = 1e-4 / (1 - x[i]) - 1;
  }
  return GANNET_OK;
}

/* A quadratic around 0.4 that overflows right of 0.5 by the member of user: NAN, inf or 1e300. */
static gannet_err cliff(void *user, int n, const double *x, double *value, double *gradient) {
  const double beyond = *(const double *)user;
  *value = 0;
  for (int i = 0; i < n; ++i) {
    *value += 1e-3 * (x[i] - 0.4) * (x[i] - 0.4);
    gradient[i] = 2e-3 * (x[i] - 0.4);
  }
  for (int i = 0; i < n; ++i)
    if (x[i] > 0.5) *value = beyond;
  return GANNET_OK;
}

static gannet_err flat(void *user, int n, const double *x, double *value, double *gradient) {
  (void)x;
  ((counter *)user)->calls += 1;
  *value = 3;
  memset(gradient, 0, (size_t)n * sizeof *gradient);
  return GANNET_OK;
}

static void rosenbrock_is_solved_with_and_without_bounds(void **state) {
  (void)state;
  for (int n = 2; n <= 20; n += 6) {
    double x[20], lower[20], upper[20];
    for (int i = 0; i < n; ++i) x[i] = i % 2 ? 1 : -1.2, lower[i] = -3, upper[i] = 5;
    double y[20];
    memcpy(y, x, sizeof x);
    counter c = {0};
    gannet_minimize_result r;
    assert_ok(gannet_minimize(n, x, NULL, NULL, rosenbrock, &c, &fine, &r));
    assert_int_equal(r.evaluations, c.calls);
    assert_int_equal(r.reason, GANNET_MINIMIZE_CONVERGED);
    for (int i = 0; i < n; ++i) assert_near(x[i], 1, 1e-6);
    assert_ok(gannet_minimize(n, y, lower, upper, rosenbrock, &c, &fine, &r));
    for (int i = 0; i < n; ++i) assert_near(y[i], 1, 1e-6);
  }
}

/* Minimum of Rosenbrock with x0 <= 0.5: x = (0.5, 0.25), value 0.25. */
static void an_active_bound_is_found(void **state) {
  (void)state;
  double x[2] = {-1.2, 1}, lower[2] = {-INFINITY, -2}, upper[2] = {0.5, INFINITY};
  counter c = {0};
  gannet_minimize_result r;
  assert_ok(gannet_minimize(2, x, lower, upper, rosenbrock, &c, &fine, &r));
  assert_near(x[0], 0.5, 0);
  assert_near(x[1], 0.25, 1e-8);
  assert_near(r.value, 0.25, 1e-12);
}

static void a_quadratic_in_a_box_ends_at_the_projection(void **state) {
  (void)state;
  enum { N = 9 };
  double x[N], lower[N], upper[N];
  for (int i = 0; i < N; ++i) {
    x[i] = i % 2 ? 50 : -50; /* outside: clipped first */
    lower[i] = i == 4 ? 0.75 : -1.25;
    upper[i] = i == 4 ? 0.75 : 3.5; /* variable 4 is fixed */
  }
  counter c = {0};
  gannet_minimize_result r;
  assert_ok(gannet_minimize(N, x, lower, upper, quadratic, &c, &fine, &r));
  /* Values are compared, of some 1e4 here: 1e-12 of that is 1e-8 of a square with weight one. */
  for (int i = 0; i < N; ++i) assert_near(x[i], fmin(fmax(i - 2, lower[i]), upper[i]), 1e-5);
}

static void one_dimension_works(void **state) {
  (void)state;
  double x = 7, lower = -10, upper = 10;
  counter c = {0};
  gannet_minimize_result r;
  assert_ok(gannet_minimize(1, &x, &lower, &upper, quadratic, &c, &fine, &r));
  assert_near(x, -2, 1e-8);
  lower = -1;
  x = 3;
  assert_ok(gannet_minimize(1, &x, &lower, &upper, quadratic, &c, &fine, &r));
  assert_near(x, -1, 0);
  assert_int_equal(r.reason, GANNET_MINIMIZE_CONVERGED);
}

/* The barrier's minimum is at 1 - 1e-4, a step of length one leaves its domain. */
static void steps_out_of_the_domain_are_taken_back(void **state) {
  (void)state;
  double x[3] = {0, -5, 0.5};
  counter c = {0};
  gannet_minimize_result r;
  assert_ok(gannet_minimize(3, x, NULL, NULL, barrier, &c, &fine, &r));
  for (int i = 0; i < 3; ++i) assert_near(x[i], 1 - 1e-4, 1e-7);
}

static void cliffs_of_every_kind_are_survived(void **state) {
  (void)state;
  double beyond[] = {NAN, INFINITY, -INFINITY, 1e300};
  for (int k = 0; k < 4; ++k) {
    double x[4] = {-5, 0.49, 0, 0.3}, lower[4], upper[4];
    for (int i = 0; i < 4; ++i) lower[i] = -6, upper[i] = 8;
    gannet_minimize_result r;
    assert_ok(gannet_minimize(4, x, lower, upper, cliff, &beyond[k], &fine, &r));
    for (int i = 0; i < 4; ++i) assert_near(x[i], 0.4, 1e-5);
  }
}

static void a_start_without_a_value_is_an_error(void **state) {
  (void)state;
  double x = 0.6, beyond = NAN;
  gannet_minimize_result r;
  assert_fails(GANNET_ERR_NUMERIC, "start",
               gannet_minimize(1, &x, NULL, NULL, cliff, &beyond, &fine, &r));
}

/* A parabola with a gradient of the given size at 0.6, its minimum at 0.5. */
static gannet_err steep(void *user, int n, const double *x, double *value, double *gradient) {
  const double slope = *(const double *)user;
  (void)n;
  *value = slope * (x[0] - 0.5) * (x[0] - 0.5) / 0.2;
  gradient[0] = slope * (x[0] - 0.5) / 0.1;
  return GANNET_OK;
}

static void a_gradient_whose_square_is_beyond_all_numbers_is_no_start(void **state) {
  (void)state;
  const double lower = 0, upper = 1;
  for (double size = 3e120; size < 1e300; size *= 1e5) {
    double x = 0.6;
    gannet_minimize_result r;
    const gannet_err err = gannet_minimize(1, &x, &lower, &upper, steep, &size, &fine, &r);
    assert_int_equal(err, size < 1e150 ? GANNET_OK : GANNET_ERR_NUMERIC);
    assert_true(0.5 <= x && x <= 0.6); /* a step of 1/size may be too short to be made */
  }
}

static void an_error_of_the_function_is_passed_on(void **state) {
  (void)state;
  for (int at = 1; at <= 9; at += 4) {
    double x[2] = {-1.2, 1};
    counter c = {.fail_at = at};
    gannet_minimize_result r;
    assert_fails(GANNET_ERR_NUMERIC, "on purpose",
                 gannet_minimize(2, x, NULL, NULL, rosenbrock, &c, &fine, &r));
    assert_int_equal(c.calls, at);
  }
}

static void the_budget_is_respected_and_the_best_point_kept(void **state) {
  (void)state;
  double before = INFINITY;
  for (int budget = 1; budget <= 30; ++budget) {
    double x[2] = {-1.2, 1}, at[2], value = 0;
    counter c = {0};
    gannet_minimize_result r;
    const gannet_minimize_options options = {budget, 0, 0};
    assert_ok(gannet_minimize(2, x, NULL, NULL, rosenbrock, &c, &options, &r));
    assert_int_equal(c.calls, budget);
    assert_int_equal(r.evaluations, budget);
    assert_int_equal(r.reason, GANNET_MINIMIZE_BUDGET);
    assert_ok(rosenbrock(&c, 2, x, &value, at));
    assert_near(value, r.value, 0);
    assert_true(r.value <= before);
    before = r.value;
  }
}

/* Let a minimiser go on from x until it stops, or the function fails; x becomes the best point. */
static gannet_err minimize_by(gannet_minimizer *m, double *x, gannet_value_gradient f, counter *c,
                              int n, gannet_minimize_result *result) {
  double value = 0, gradient[MOST];
  gannet_minimizer_start(m, x);
  for (const double *at; (at = gannet_minimizer_point(m));) {
    GANNET_TRY(f(c, n, at, &value, gradient));
    GANNET_TRY(gannet_minimizer_tell(m, value, gradient));
  }
  gannet_minimizer_best(m, x, result);
  return GANNET_OK;
}

/* One minimiser from several starts, some of which run out of budget or fail, gives the bits that
 * new ones do. */
static void what_was_minimised_before_changes_nothing(void **state) {
  (void)state;
  enum { N = 6, STARTS = 7 };
  const double lower[N] = {-2, -2, -2, -2, -2, -2}, upper[N] = {0.8, 2, 2, 0.9, 2, 2};
  const gannet_minimize_options options = {22, 1e-7, 1e-6};
  int reasons[3] = {0};
  gannet_minimizer *kept = NULL;
  assert_ok(gannet_minimizer_create(N, lower, upper, &options, &kept));
  for (int start = 0; start < STARTS; ++start) {
    double here[N], there[N];
    gannet_minimize_result one = {0}, other = {0};
    gannet_random_uniform((gannet_stream){7, GANNET_FOR_TEST, 0, (uint64_t)start}, 0, N, here);
    memcpy(there, here, sizeof here);
    counter c = {.fail_at = start == 3 ? 12 : 0}, again = c;
    const gannet_value_gradient f = start % 3 == 1 ? quadratic : rosenbrock;
    const gannet_err err = minimize_by(kept, here, f, &c, N, &one);
    assert_int_equal(gannet_minimize(N, there, lower, upper, f, &again, &options, &other), err);
    assert_int_equal(err, start == 3 ? GANNET_ERR_NUMERIC : GANNET_OK);
    assert_memory_equal(here, there, sizeof here);
    assert_true(one.value == other.value);
    assert_int_equal(one.evaluations, other.evaluations);
    assert_int_equal(one.reason, other.reason);
    if (err == GANNET_OK) ++reasons[one.reason];
    gannet_error_clear();
  }
  assert_true(reasons[GANNET_MINIMIZE_CONVERGED] > 0 && reasons[GANNET_MINIMIZE_BUDGET] > 0);
  gannet_minimizer_destroy(&kept);
}

/* Several minimisations whose points are evaluated in turn go as each goes alone. */
static void minimisations_in_step_do_not_meet(void **state) {
  (void)state;
  enum { N = 4, TOGETHER = 5 };
  gannet_minimizer *m[TOGETHER];
  double x[TOGETHER][N];
  counter c = {0};
  for (int k = 0; k < TOGETHER; ++k) {
    assert_ok(gannet_minimizer_create(N, NULL, NULL, &fine, &m[k]));
    gannet_random_uniform((gannet_stream){7, GANNET_FOR_TEST, 1, (uint64_t)k}, 0, N, x[k]);
    gannet_minimizer_start(m[k], x[k]);
  }
  for (int running = TOGETHER; running > 0;) {
    running = 0;
    for (int k = 0; k < TOGETHER; ++k) {
      const double *at = gannet_minimizer_point(m[k]);
      double value = 0, gradient[N];
      if (!at) continue;
      assert_ok(rosenbrock(&c, N, at, &value, gradient));
      assert_ok(gannet_minimizer_tell(m[k], value, gradient));
      ++running;
    }
  }
  for (int k = 0; k < TOGETHER; ++k) {
    double best[N];
    gannet_minimize_result together, alone;
    gannet_minimizer_best(m[k], best, &together);
    assert_ok(gannet_minimize(N, x[k], NULL, NULL, rosenbrock, &c, &fine, &alone));
    assert_memory_equal(best, x[k], sizeof best);
    assert_int_equal(together.evaluations, alone.evaluations);
    gannet_minimizer_destroy(&m[k]);
  }
}

/* A start without a value is where a minimisation stops at once, without an error. */
static void a_start_without_a_value_stops_a_loop(void **state) {
  (void)state;
  const double x = 0.6, slope = 1;
  double best = 0;
  gannet_minimizer *m = NULL;
  gannet_minimize_result result;
  assert_ok(gannet_minimizer_create(1, NULL, NULL, &fine, &m));
  gannet_minimizer_start(m, &x);
  assert_ok(gannet_minimizer_tell(m, NAN, &slope));
  assert_null(gannet_minimizer_point(m));
  gannet_minimizer_best(m, &best, &result);
  assert_int_equal(result.reason, GANNET_MINIMIZE_NO_START);
  assert_near(best, 0.6, 0);
  gannet_minimizer_destroy(&m);
}

static void a_flat_function_ends_at_once(void **state) {
  (void)state;
  double x[3] = {1, 2, 3};
  counter c = {0};
  gannet_minimize_result r;
  const gannet_minimize_options never = {100, 0, 0};
  assert_ok(gannet_minimize(3, x, NULL, NULL, flat, &c, &never, &r));
  assert_int_equal(c.calls, 1);
  assert_int_equal(r.reason, GANNET_MINIMIZE_CONVERGED);
  assert_near(x[1], 2, 0);
}

static void the_value_tolerance_stops_early(void **state) {
  (void)state;
  double x[2] = {-1.2, 1}, y[2] = {-1.2, 1};
  counter coarse = {0}, exact = {0};
  gannet_minimize_result r;
  const gannet_minimize_options loose = {5000, 0, 1e-2};
  assert_ok(gannet_minimize(2, x, NULL, NULL, rosenbrock, &coarse, &loose, &r));
  assert_int_equal(r.reason, GANNET_MINIMIZE_CONVERGED);
  assert_ok(gannet_minimize(2, y, NULL, NULL, rosenbrock, &exact, &fine, &r));
  assert_true(coarse.calls < exact.calls);
}

static void wrong_arguments_are_refused(void **state) {
  (void)state;
  double x = 0, lower = 1, upper = -1;
  counter c = {0};
  gannet_minimize_result r;
  const gannet_minimize_options none = {0, 0, 0};
  assert_fails(GANNET_ERR_ARG, "n = 0", gannet_minimize(0, &x, NULL, NULL, flat, &c, &fine, &r));
  assert_fails(GANNET_ERR_ARG, "bounds",
               gannet_minimize(1, &x, &lower, &upper, flat, &c, &fine, &r));
  assert_fails(GANNET_ERR_ARG, "max_evaluations",
               gannet_minimize(1, &x, NULL, NULL, flat, &c, &none, &r));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rosenbrock_is_solved_with_and_without_bounds),
      cmocka_unit_test(an_active_bound_is_found),
      cmocka_unit_test(a_quadratic_in_a_box_ends_at_the_projection),
      cmocka_unit_test(one_dimension_works),
      cmocka_unit_test(steps_out_of_the_domain_are_taken_back),
      cmocka_unit_test(cliffs_of_every_kind_are_survived),
      cmocka_unit_test(a_start_without_a_value_is_an_error),
      cmocka_unit_test(a_gradient_whose_square_is_beyond_all_numbers_is_no_start),
      cmocka_unit_test(an_error_of_the_function_is_passed_on),
      cmocka_unit_test(the_budget_is_respected_and_the_best_point_kept),
      cmocka_unit_test(what_was_minimised_before_changes_nothing),
      cmocka_unit_test(minimisations_in_step_do_not_meet),
      cmocka_unit_test(a_start_without_a_value_stops_a_loop),
      cmocka_unit_test(a_flat_function_ends_at_once),
      cmocka_unit_test(the_value_tolerance_stops_early),
      cmocka_unit_test(wrong_arguments_are_refused),
  };
  return run_serial(tests);
}
