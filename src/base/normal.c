#include "base/normal.h"

#include <math.h>

static const double sqrt_half = 0.70710678118654752440;
static const double log_sqrt_two_pi = 0.91893853320467274178;

/* Beyond this many deviations the continued fraction is used; before, erfc and a cancellation of at
 * most one digit. */
static const double tail = 2;

/* K in Laplace's continued fraction of Mills' ratio, for t >= 2:
 *   cdf(-t) / pdf(t) = 1 / (t + K),  K = 1/(t + 2/(t + 3/(t + ...))).
 * From it h(-t) = pdf(t) K / (t + K) without cancellation. The number of terms gives full accuracy:
 * the error falls as exp(-2 t sqrt(2 n)). */
static double laplace_tail(double t, int from) {
  const int terms = 12 + (int)(180 / (t * t));
  double rest = t;
  for (int n = terms; n > from; --n) rest = t + n / rest;
  return from / rest;
}

static double laplace_fraction(double t) {
  return laplace_tail(t, 1);
}

double gannet_normal_pdf(double z) {
  return exp(-0.5 * z * z - log_sqrt_two_pi);
}

double gannet_normal_cdf(double z) {
  return 0.5 * erfc(-z * sqrt_half);
}

double gannet_normal_log_cdf(double z) {
  if (z > 0) return log1p(-gannet_normal_cdf(-z));
  if (z > -tail) return log(gannet_normal_cdf(z));
  return -0.5 * z * z - log_sqrt_two_pi - log(-z + laplace_fraction(-z));
}

double gannet_normal_hazard(double z) {
  if (z > -tail) return gannet_normal_pdf(z) / gannet_normal_cdf(z);
  return -z + laplace_fraction(-z);
}

/* For z > -tail. */
static double improvement(double z) {
  return gannet_normal_pdf(z) + z * gannet_normal_cdf(z);
}

double gannet_normal_improvement(double z) {
  return z > -tail ? improvement(z) : exp(gannet_normal_log_improvement(z));
}

double gannet_normal_log_improvement(double z) {
  if (z > -tail) return log(improvement(z));
  const double k = laplace_fraction(-z);
  return -0.5 * z * z - log_sqrt_two_pi + log(k) - log(-z + k);
}

double gannet_normal_cdf_over_improvement(double z) {
  if (z > -tail) return gannet_normal_cdf(z) / improvement(z);
  return 1 / laplace_fraction(-z);
}

double gannet_normal_pdf_over_improvement(double z) {
  if (z > -tail) return gannet_normal_pdf(z) / improvement(z);
  return -z / laplace_fraction(-z) + 1;
}

gannet_normal_terms gannet_normal_improvement_terms(double z) {
  if (z > -tail) {
    const double pdf = gannet_normal_pdf(z), cdf = gannet_normal_cdf(z), h = pdf + z * cdf;
    return (gannet_normal_terms){log(h), cdf / h, pdf / h};
  }
  const double k = laplace_fraction(-z);
  return (gannet_normal_terms){-0.5 * z * z - log_sqrt_two_pi + log(k) - log(-z + k), 1 / k,
                               -z / k + 1};
}

/* g(z) / pdf(z) for z >= -tail: with q = cdf(-z), -log cdf(z) = -log(1 - q), and q = pdf(z) times
 * Mills' ratio, so that far to the right nothing underflows before it must. */
static double truncation_over_pdf(double z) {
  const double q = gannet_normal_cdf(-z);
  if (z < tail) return 0.5 * z / (1 - q) - log1p(-q) / gannet_normal_pdf(z);
  const double mills = 1 / (z + laplace_fraction(z));
  const double factor = q > 1e-8 ? -log1p(-q) / q : 1;
  return 0.5 * z / (1 - q) + mills * factor;
}

/* For z = -t <= -tail, with pdf / cdf = t + K: the squares cancel, g = log sqrt(2 pi) + log(t + K)
 * - t K / 2. */
static double truncation_far(double t) {
  const double k = laplace_fraction(t);
  return log_sqrt_two_pi + log(t + k) - 0.5 * t * k;
}

double gannet_normal_log_truncation(double z) {
  if (z <= -tail) return log(truncation_far(-z));
  return -0.5 * z * z - log_sqrt_two_pi + log(truncation_over_pdf(z));
}

/* g' = -(h / 2) (1 + z (z + h)), h = pdf / cdf; far to the left 1 - t K = K2 / (t + K2) with
 * K = 1 / (t + K2). */
double gannet_normal_log_truncation_slope(double z) {
  if (z <= -tail) {
    const double t = -z, k2 = laplace_tail(t, 2);
    return -0.5 * (t + laplace_fraction(t)) * k2 / (t + k2) / truncation_far(t);
  }
  const double below = gannet_normal_cdf(z), h = gannet_normal_pdf(z) / below;
  return -0.5 / below * (1 + z * (z + h)) / truncation_over_pdf(z);
}
