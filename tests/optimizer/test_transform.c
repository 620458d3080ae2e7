/* test: serial labels unit */
#include <float.h>
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "optimizer/models/transform.h"

/* Values 1, 2, 4 and 9 by hand: minimum 1, median 3, so t(y) = log(1 + (y - 1) / 2). */
static void the_logarithm_is_that_of_the_distance_to_the_minimum(void **state) {
  (void)state;
  const double y[4] = {4, 1, 9, 2};
  double work[4], mean = 0, squares = 0;
  gannet_transform_fit fit;
  gannet_transform_learn(GANNET_TRANSFORM_LOG, 4, y, work, &fit);
  assert_int_equal(fit.kind, GANNET_TRANSFORM_LOG);
  assert_near(fit.low, 1, 0);
  assert_near(fit.span, 2, 0);
  assert_near(gannet_transform_apply(&fit, 9) - gannet_transform_apply(&fit, 1), log(5) / fit.scale,
              1e-14);
  for (int i = 0; i < 4; ++i) mean += gannet_transform_apply(&fit, y[i]) / 4;
  for (int i = 0; i < 4; ++i) squares += pow(gannet_transform_apply(&fit, y[i]), 2) / 4;
  assert_near(mean, 0, 1e-14);
  assert_near(squares, 1, 1e-14);
}

static void it_can_be_undone(void **state) {
  (void)state;
  const double y[5] = {-3, 0.25, 1, 4, 70};
  double work[5];
  for (int kind = GANNET_TRANSFORM_NONE; kind <= GANNET_TRANSFORM_LOG; ++kind) {
    gannet_transform_fit fit;
    gannet_transform_learn((gannet_transform)kind, 5, y, work, &fit);
    for (int i = 0; i < 4; ++i) /* the last one is cut by none */
      assert_near(gannet_transform_invert(&fit, gannet_transform_apply(&fit, y[i])), y[i], 1e-13);
  }
}

/* In units of the scale where it is one; however large, a number. */
static void noise_follows_the_scale(void **state) {
  (void)state;
  const double y[5] = {-3, 0.25, 1, 4, 70};
  double work[5];
  gannet_transform_fit none, log;
  gannet_transform_learn(GANNET_TRANSFORM_NONE, 5, y, work, &none);
  gannet_transform_learn(GANNET_TRANSFORM_LOG, 5, y, work, &log);
  const double scale = gannet_transform_scale(&none);
  assert_near(gannet_transform_noise_var(&none, 2 * scale), 4, 1e-12);
  assert_near(gannet_transform_noise_var(&none, 1e300), 1e12, 1);
  assert_true(isnan(gannet_transform_noise_var(&none, NAN)));
  assert_true(isnan(gannet_transform_noise_var(&log, NAN)));
  assert_true(isnan(gannet_transform_noise_var(&log, 2)));
  assert_true(gannet_transform_noise_var(&none, 0) == 0);
  assert_true(gannet_transform_noise_var(&log, 0) == 0);
}

static void order_is_kept(void **state) {
  (void)state;
  const double y[6] = {-1e300, -5, 0, 1e-300, 7, 1e300};
  double work[6];
  for (int kind = GANNET_TRANSFORM_NONE; kind <= GANNET_TRANSFORM_LOG; ++kind) {
    gannet_transform_fit fit;
    gannet_transform_learn((gannet_transform)kind, 6, y, work, &fit);
    for (int i = 1; i < 6; ++i)
      assert_true(gannet_transform_apply(&fit, y[i]) >= gannet_transform_apply(&fit, y[i - 1]));
  }
}

/* A penalty as large as numbers go beside values that hardly differ. */
static void values_of_any_magnitude_stay_finite(void **state) {
  (void)state;
  const double y[3][5] = {
      {1, 1 + 1e-12, 1 + 2e-12, DBL_MAX, DBL_MAX}, {-DBL_MAX, -1, 0, 1, DBL_MAX}, {3, 3, 3, 3, 3}};
  double work[5];
  for (int set = 0; set < 3; ++set)
    for (int kind = GANNET_TRANSFORM_NONE; kind <= GANNET_TRANSFORM_LOG; ++kind) {
      gannet_transform_fit fit;
      gannet_transform_learn((gannet_transform)kind, 5, y[set], work, &fit);
      for (int i = 0; i < 5; ++i) assert_true(isfinite(gannet_transform_apply(&fit, y[set][i])));
    }
}

/* Differences that no number holds: what models see has the order of the values, and the way back
 * is finite and next to them. */
static void order_is_kept_however_far_apart(void **state) {
  (void)state;
  const double y[3][6] = {{-1.7e308, -1e308, -5e307, 0, 9e307, 1.7e308},
                          {1e300, 3e300, 4e300, 5e300, 1e308, 1.1e308},
                          {-1e308, -9e307, -1e300, 1e300, 2e300, 1e308}};
  double work[6];
  for (int set = 0; set < 3; ++set)
    for (int kind = GANNET_TRANSFORM_NONE; kind <= GANNET_TRANSFORM_LOG; ++kind) {
      gannet_transform_fit fit;
      gannet_transform_learn((gannet_transform)kind, 6, y[set], work, &fit);
      gannet_transform_reach(y[set][0], &fit);
      for (int i = 1; i < 5; ++i) /* the last ones may be cut */
        assert_true(gannet_transform_apply(&fit, y[set][i]) >
                    gannet_transform_apply(&fit, y[set][i - 1]));
      for (int i = 0; i < 4; ++i) {
        const double back = gannet_transform_invert(&fit, gannet_transform_apply(&fit, y[set][i]));
        assert_true(isfinite(back) && fabs(back / 1e10 - y[set][i] / 1e10) < 1e-14 * 1.7e298);
      }
      assert_true(isfinite(gannet_transform_invert(&fit, 1000)));
      assert_true(isfinite(gannet_transform_invert(&fit, -1000)));
    }
}

/* Twenty values that hardly differ, five of a narrow basin, and a penalty: only the last is cut. */
static void the_values_of_a_basin_in_a_plain_keep_their_order(void **state) {
  (void)state;
  const double basin[5] = {-0.1, -0.3, -0.5, -0.9, -1};
  double y[26], work[26];
  gannet_transform_fit fit;
  for (int i = 0; i < 20; ++i) y[i] = 1e-3 * (i - 9.5) / 9.5;
  for (int i = 0; i < 5; ++i) y[20 + i] = basin[i];
  y[25] = 1e6;
  gannet_transform_learn(GANNET_TRANSFORM_NONE, 26, y, work, &fit);
  gannet_transform_reach(-1, &fit);
  assert_near(gannet_transform_apply(&fit, -1), -10, 1e-12);
  assert_near(gannet_transform_apply(&fit, 1e6), 10, 0);
  for (int i = 0; i < 25; ++i)
    assert_near(gannet_transform_invert(&fit, gannet_transform_apply(&fit, y[i])), y[i], 1e-14);
}

/* What is not clipped anyway, or not there, changes nothing. */
static void a_value_within_reach_changes_nothing(void **state) {
  (void)state;
  const double y[9] = {-9, -1, -0.5, -0.5, 0, 0.5, 0.5, 1, 2}; /* quartiles -0.5 and 0.5 */
  const double reached[3] = {-7, 3, INFINITY};
  double work[9];
  for (int i = 0; i < 3; ++i) {
    gannet_transform_fit fit;
    gannet_transform_learn(GANNET_TRANSFORM_NONE, 9, y, work, &fit);
    gannet_transform_reach(reached[i], &fit);
    assert_near(fit.scale, 1 / 1.349, 1e-14);
  }
}

enum { CONSTRAINED = 40 };

/* Values of a constraint that is nearly 0.5 almost everywhere, and where 0 comes to lie among them;
 * the last two are feasible. */
static double saturated(bool apart, double *c, gannet_constraint_fit *fit) {
  double work[CONSTRAINED];
  for (int i = 0; i < CONSTRAINED; ++i) c[i] = 0.5 - pow(0.1, 12 - 0.3 * i);
  c[CONSTRAINED - 2] = 0;
  c[CONSTRAINED - 1] = -0.4;
  return gannet_transform_constraint(apart, CONSTRAINED, c, work, fit);
}

/* Whoever asks for it sees which values are nearer to being feasible, and that none is yet. */
static void a_saturated_constraint_keeps_its_order(void **state) {
  (void)state;
  double c[CONSTRAINED];
  gannet_constraint_fit fit;
  const double cut = saturated(false, c, &fit);
  assert_near(cut, -10, 0);
  assert_near(c[CONSTRAINED - 3], cut, 0); /* as if it were feasible */
  const double threshold = saturated(true, c, &fit);
  for (int i = 1; i < CONSTRAINED; ++i) assert_true(c[i] < c[i - 1]);
  assert_near(c[CONSTRAINED - 2], threshold, 0);
  assert_true(-400 < c[CONSTRAINED - 1] && c[CONSTRAINED - 3] < -10);
  assert_near(gannet_transform_constraint_invert(&fit, threshold), 0, 1e-12);
  assert_near(gannet_transform_constraint_invert(&fit, c[CONSTRAINED - 1]), -0.4, 1e-10);
  assert_near(gannet_transform_constraint_invert(&fit, c[3]), 0.5 - pow(0.1, 12 - 0.3 * 3), 1e-12);
}

/* Also values without any sense remain numbers. */
static void constraints_come_back(void **state) {
  (void)state;
  const double given[7] = {-3, -0.01, 0, 0.2, 1, 5, -5};
  double c[7], work[7];
  gannet_constraint_fit fit;
  memcpy(c, given, sizeof c);
  const double threshold = gannet_transform_constraint(false, 7, c, work, &fit);
  assert_near(gannet_transform_constraint_invert(&fit, threshold), 0, 1e-13);
  for (int i = 0; i < 7; ++i)
    assert_near(gannet_transform_constraint_invert(&fit, c[i]), given[i], 1e-12);
  assert_true(isfinite(gannet_transform_constraint_invert(&fit, 1e5)));
  assert_true(isfinite(gannet_transform_constraint_invert(&fit, -INFINITY)));
}

static void other_constraints_are_as_they_were(void **state) {
  (void)state;
  double c[9], again[9], work[9];
  for (int i = 0; i < 9; ++i) c[i] = again[i] = i == 8 ? -1e9 : i - 0.5;
  gannet_constraint_fit fit;
  const double threshold = gannet_transform_constraint(false, 9, c, work, &fit);
  assert_true(-10 < threshold && threshold < 0);
  assert_near(gannet_transform_constraint(true, 9, again, work, &fit), threshold, 0);
  for (int i = 0; i < 9; ++i) assert_near(again[i], c[i], 0);
}

static void outliers_do_not_blow_up_the_scale(void **state) {
  (void)state;
  double y[21], work[21];
  gannet_transform_fit fit;
  for (int i = 0; i < 20; ++i) y[i] = i;
  y[20] = 1e12;
  gannet_transform_learn(GANNET_TRANSFORM_NONE, 21, y, work, &fit);
  assert_near(gannet_transform_apply(&fit, 1e12), 10, 0); /* cut */
  assert_true(gannet_transform_apply(&fit, 19) - gannet_transform_apply(&fit, 0) > 2);
}

/* Between the neighbours in the sorted list v. */
static double quantile_of(int n, const double *v, double share) {
  const double at = share * (n - 1), part = at - floor(at);
  const int below = (int)at;
  return below + 1 < n ? (1 - part) * v[below] + part * v[below + 1] : v[below];
}

/* In any order, with values that come several times: as they are, backwards, and mixed. */
static void quantiles_are_those_of_the_sorted_values(void **state) {
  (void)state;
  enum { MOST = 1000 };
  static double v[MOST], y[MOST], work[MOST];
  const int sizes[] = {1, 2, 3, 10, 101, MOST}, steps[] = {1, -1, 7};
  for (int i = 0; i < MOST; ++i) v[i] = (i / 3) * (double)(i / 3) - 50;
  for (int s = 0; s < 6; ++s)
    for (int k = 0; k < 3; ++k) {
      const int n = sizes[s];
      gannet_transform_fit fit;
      for (int i = 0; i < n; ++i) y[i] = v[(i * steps[k] % n + n) % n];
      gannet_transform_learn(GANNET_TRANSFORM_NONE, n, y, work, &fit);
      assert_near(fit.center, quantile_of(n, v, 0.5), 0);
      const double scale = (quantile_of(n, v, 0.75) - quantile_of(n, v, 0.25)) / 1.349;
      assert_near(fit.scale, scale > 0 ? scale : 1, 0);
      assert_near(fit.low, v[0], 0);
    }
}

static void the_bilog_keeps_the_sign_and_spreads_the_boundary(void **state) {
  (void)state;
  assert_near(gannet_transform_bilog(0, 2), 0, 0);
  assert_near(gannet_transform_bilog(2, 2), log(2), 1e-15);
  assert_near(gannet_transform_bilog(-2, 2), -log(2), 1e-15);
  assert_true(isfinite(gannet_transform_bilog(1e300, 1e-8)));
}

static bool takes_log(gannet_objective_transform transform, double noise, double far, int n,
                      const double *y, double sd) {
  static const gannet_variable variables[] = {{.name = "x", .upper = 1}};
  const gannet_objective two[] = {
      {.name = "a", .threshold = NAN, .noise_sd = noise, .transform = transform},
      {.name = "b", .threshold = NAN, .noise_sd = NAN}};
  const gannet_problem_spec spec = {
      .n_variables = 1, .variables = variables, .n_objectives = 2, .objectives = two};
  double values[4] = {0, far, far, 0}, row_noise[40], work[40];
  const gannet_front front = {.n = 2, .m = 2, .y = values};
  gannet_problem *problem = NULL;
  for (int k = 0; k < n; ++k) row_noise[k] = k == 1 ? sd : NAN;
  assert_ok(gannet_problem_create(&spec, &problem));
  gannet_transform_fit fit;
  gannet_transform_learn_of_several(problem, 0, GANNET_TRANSFORM_AUTO, &front, n, y, row_noise,
                                    work, &fit);
  gannet_problem_destroy(&problem);
  assert_near(gannet_transform_invert(&fit, gannet_transform_apply(&fit, far)), far, 1e-10);
  return fit.kind == GANNET_TRANSFORM_LOG;
}

/* Quartiles 1 and 3: the limit is at 2 + 22 * 2 = 46. */
static void a_front_that_spreads_far_is_taken_by_logarithms(void **state) {
  (void)state;
  double y[40];
  for (int k = 0; k < 40; ++k) y[k] = k < 20 ? k % 5 : 10.0 * k;
  const gannet_objective_transform ask = GANNET_OBJECTIVE_TRANSFORM_AUTO;
  assert_false(takes_log(ask, NAN, 45, 15, y, NAN));
  assert_true(takes_log(ask, NAN, 47, 15, y, NAN));
  assert_true(takes_log(ask, 0, 47, 15, y, NAN));
  assert_false(takes_log(ask, 0.1, 47, 15, y, NAN)); /* noise is given */
  assert_false(takes_log(ask, NAN, 47, 15, y, 0.1)); /* a result has an error bar */
  assert_true(takes_log(ask, NAN, 47, 40, y, NAN));  /* quartiles have grown: it is kept */
  assert_false(takes_log(ask, NAN, 47, 40, y, 1));
  assert_false(takes_log(GANNET_OBJECTIVE_TRANSFORM_NONE, NAN, 47, 15, y, NAN));
  assert_true(takes_log(GANNET_OBJECTIVE_TRANSFORM_LOG, 0.1, 2, 15, y, NAN));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_logarithm_is_that_of_the_distance_to_the_minimum),
      cmocka_unit_test(it_can_be_undone),
      cmocka_unit_test(noise_follows_the_scale),
      cmocka_unit_test(order_is_kept),
      cmocka_unit_test(order_is_kept_however_far_apart),
      cmocka_unit_test(values_of_any_magnitude_stay_finite),
      cmocka_unit_test(outliers_do_not_blow_up_the_scale),
      cmocka_unit_test(the_values_of_a_basin_in_a_plain_keep_their_order),
      cmocka_unit_test(a_value_within_reach_changes_nothing),
      cmocka_unit_test(a_saturated_constraint_keeps_its_order),
      cmocka_unit_test(other_constraints_are_as_they_were),
      cmocka_unit_test(constraints_come_back),
      cmocka_unit_test(quantiles_are_those_of_the_sorted_values),
      cmocka_unit_test(a_front_that_spreads_far_is_taken_by_logarithms),
      cmocka_unit_test(the_bilog_keeps_the_sign_and_spreads_the_boundary),
  };
  return run_serial(tests);
}
