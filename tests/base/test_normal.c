/* test: serial labels unit */
#include <math.h>

#include "support/harness.h"

#include "base/normal.h"

/* Integral of u^power exp(-z u - u^2/2) for u in [0, inf), by Simpson's rule; h(-z) and cdf(-z) are
 * pdf(z) times this with power 1 and 0. */
static double laplace_integral(double z, int power) {
  enum { STEPS = 200000 };
  const double end = fmin(40 / fmax(z, 1), 12) + fmax(-z, 0), h = end / STEPS;
  double sum = 0;
  for (int i = 0; i <= STEPS; ++i) {
    const double u = i * h, weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;
    sum += weight * (power ? u : 1) * exp(-z * u - 0.5 * u * u);
  }
  return sum * h / 3;
}

static const double points[] = {-300,       -38.1, -26.7, -10, -5.5, -3.1, -2.0000001, -2,
                                -1.9999999, -1,    -0.3,  0,   0.7,  1.9,  3.3};
enum { POINTS = sizeof points / sizeof *points };

static void values_agree_with_quadrature(void **state) {
  (void)state;
  for (int i = 0; i < POINTS; ++i) {
    const double z = points[i], log_pdf = -0.5 * z * z - 0.91893853320467274178;
    const double log_h = log_pdf + log(laplace_integral(-z, 1));
    const double log_cdf = log_pdf + log(laplace_integral(-z, 0));
    assert_near(gannet_normal_log_improvement(z), log_h, 1e-11 * (1 + fabs(log_h)));
    assert_near(gannet_normal_log_cdf(z), log_cdf, 1e-11 * (1 + fabs(log_cdf)));
    assert_near(gannet_normal_hazard(z) * laplace_integral(-z, 0), 1, 1e-10);
    assert_near(gannet_normal_pdf_over_improvement(z) * laplace_integral(-z, 1), 1, 1e-10);
    assert_near(gannet_normal_cdf_over_improvement(z),
                laplace_integral(-z, 0) / laplace_integral(-z, 1),
                1e-10 * gannet_normal_cdf_over_improvement(z));
  }
}

/* h(-t) = pdf(t) (t^-2 - 3 t^-4 + ...), cdf(-t) = pdf(t) (t^-1 - t^-3 + ...). */
static void the_far_tail_follows_the_asymptotic_series(void **state) {
  (void)state;
  for (double t = 1e3; t < 1e150; t *= 1e7) {
    const double log_pdf = -0.5 * t * t - 0.91893853320467274178;
    const double log_h = log_pdf - 2 * log(t) + log1p(-3 / t / t);
    const double log_cdf = log_pdf - log(t) + log1p(-1 / t / t);
    assert_near(gannet_normal_log_improvement(-t) / log_h, 1, 1e-14);
    assert_near(gannet_normal_log_cdf(-t) / log_cdf, 1, 1e-14);
    assert_near(gannet_normal_hazard(-t) / t, 1, 2 / t / t + 1e-15);
    assert_near(gannet_normal_cdf_over_improvement(-t) / t, 1, 4 / t / t + 1e-15);
    assert_near(gannet_normal_pdf_over_improvement(-t) / t / t, 1, 6 / t / t + 1e-15);
  }
}

static void the_upper_side_has_its_limits(void **state) {
  (void)state;
  assert_near(gannet_normal_log_improvement(1e120), log(1e120), 1e-12);
  assert_near(gannet_normal_log_cdf(1e120), 0, 0);
  assert_near(gannet_normal_log_cdf(9) / -1.1285884059538407e-19, 1, 1e-12); /* 1 - cdf(9) */
  assert_near(gannet_normal_hazard(1e120), 0, 0);
}

static void terms_at_once_are_the_single_ones(void **state) {
  (void)state;
  for (int i = 0; i < POINTS; ++i) {
    const gannet_normal_terms all = gannet_normal_improvement_terms(points[i]);
    assert_true(all.logarithm == gannet_normal_log_improvement(points[i]));
    assert_true(all.cdf_ratio == gannet_normal_cdf_over_improvement(points[i]));
    assert_true(all.pdf_ratio == gannet_normal_pdf_over_improvement(points[i]));
  }
}

/* Entropy of a standard normal below z from its density, against that of all of it. */
static double entropy_lost(double z) {
  enum { STEPS = 200000 };
  const double bottom = fmin(z, 0) - 12, top = fmin(z, 12), h = (top - bottom) / STEPS;
  double mass = 0, sum = 0;
  for (int i = 0; i <= STEPS; ++i) {
    const double u = bottom + i * h, weight = (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2) * h / 3;
    const double log_density = -0.5 * u * u - 0.91893853320467274178;
    mass += weight * exp(log_density);
    sum += weight * exp(log_density) * log_density;
  }
  return 0.5 * log(2 * 3.14159265358979323846 * exp(1)) - (log(mass) - sum / mass);
}

static void truncation_takes_the_entropy_that_it_should(void **state) {
  (void)state;
  static const double at[] = {-6, -3.1, -2.0000001, -1.9999999, -0.4, 0, 1.3, 1.9999999, 2.1, 3};
  for (int i = 0; i < 10; ++i)
    assert_near(exp(gannet_normal_log_truncation(at[i])), entropy_lost(at[i]), 1e-7);
}

/* Left: g(-t) -> log(t sqrt(2 pi)) - 1/2, from t + K and t K / 2. Right: pdf(t) (t/2 + 1/t). */
static void truncation_is_smooth_and_finite(void **state) {
  (void)state;
  for (double t = 30; t < 1e150; t *= 1e9) {
    assert_near(exp(gannet_normal_log_truncation(-t)), log(t) + 0.91893853320467274178 - 0.5,
                3 / t / t + 1e-13 * log(t));
    const double log_right = -0.5 * t * t - 0.91893853320467274178 + log(0.5 * t + 1 / t);
    assert_near(gannet_normal_log_truncation(t) / log_right, 1, 6 / pow(t, 6) + 1e-15);
    assert_near(gannet_normal_log_truncation_slope(t) / -t, 1, 4 / t / t + 1e-14);
    assert_near(gannet_normal_log_truncation_slope(-t) * t * log(t) / -1, 1, 0.4);
  }
  for (double z = -9; z < 9; z += 0.37) {
    const double h = 1e-5;
    const double slope =
        (gannet_normal_log_truncation(z + h) - gannet_normal_log_truncation(z - h)) / (2 * h);
    assert_near(gannet_normal_log_truncation_slope(z), slope, 1e-8 * (1 + fabs(slope)));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_agree_with_quadrature),
      cmocka_unit_test(the_far_tail_follows_the_asymptotic_series),
      cmocka_unit_test(the_upper_side_has_its_limits),
      cmocka_unit_test(terms_at_once_are_the_single_ones),
      cmocka_unit_test(truncation_takes_the_entropy_that_it_should),
      cmocka_unit_test(truncation_is_smooth_and_finite),
  };
  return run_serial(tests);
}
