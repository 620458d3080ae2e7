#include "acquisition/normal.h"

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
static double laplace_fraction(double t) {
  const int terms = 12 + (int)(180 / (t * t));
  double rest = t;
  for (int n = terms; n >= 2; --n) rest = t + n / rest;
  return 1 / rest;
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
