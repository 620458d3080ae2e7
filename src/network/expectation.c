#include "network/expectation.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/vector_clones.h"
#include "network/vector_math.h"

static const double pi = 3.14159265358979323846;

/* Cho and Saul 2009, eqs. (6) and (7) of orders 1 and 0, times g = 2. With w = sqrt(pq - s^2). For
 * parallel inputs w is 0 and the slope has a corner: w is kept off 0 to keep derivatives finite. */
static inline double relu_slope_of(double p, double q, double s, double *w) {
  const double r = sqrt(p * q);
  const double ratio = s / (r > 0 ? r : 1);
  const double c = ratio > 1 ? 1 : ratio < -1 ? -1 : ratio;
  *w = r * sqrt((1 - c) * (1 + c));
  return 0.5 + copysign(arcsine(fabs(c)), c) / pi;
}

GANNET_VECTOR_CLONES static void relu_moments(int n, const double *p, const double *q,
                                              const double *s, double *value, double *slope) {
  for (int i = 0; i < n; ++i) {
    double w;
    slope[i] = relu_slope_of(p[i], q[i], s[i], &w);
    value[i] = s[i] * slope[i] + w / pi;
  }
}

static inline void relu_partials_of(bool both, int n, const double *p, const double *q,
                                    const double *s, const gannet_expectation_partials *out) {
  GANNET_NO_OVERLAP
  for (int i = 0; i < n; ++i) {
    double w;
    (void)relu_slope_of(p[i], q[i], s[i], &w);
    const double least = 1e-9 * sqrt(p[i] * q[i]) + 1e-300;
    const double per_w = 1 / (pi * (w > least ? w : least));
    const double per_p = p[i] > 0 ? 1 / (2 * p[i]) : 0;
    out->value_p[i] = w / pi * per_p;
    out->slope_s[i] = per_w;
    out->slope_p[i] = -s[i] * per_w * per_p;
    if (!both) continue;
    const double per_q = q[i] > 0 ? 1 / (2 * q[i]) : 0;
    out->value_q[i] = w / pi * per_q;
    out->slope_q[i] = -s[i] * per_w * per_q;
  }
}

GANNET_VECTOR_CLONES static void relu_partials(int n, const double *p, const double *q,
                                               const double *s,
                                               const gannet_expectation_partials *out) {
  if (out->value_q)
    relu_partials_of(true, n, p, q, s, out);
  else
    relu_partials_of(false, n, p, q, s, out);
}

/* Williams 1997, eq. (11), of erf(sqrt(k) u). */
static inline void erf_moments_of(double k, int n, const double *p, const double *q,
                                  const double *s, double *value, double *slope) {
  for (int i = 0; i < n; ++i) {
    const double product = (1 + 2 * k * p[i]) * (1 + 2 * k * q[i]);
    const double t = 2 * k * s[i] / sqrt(product), size = fabs(t);
    value[i] = (2 / pi) * copysign(arcsine(size > 1 ? 1 : size), t);
    slope[i] = k * (4 / pi) / sqrt(product - 4 * k * k * s[i] * s[i]);
  }
}

static inline void erf_partials_of(double k, bool both, int n, const double *p, const double *q,
                                   const double *s, const gannet_expectation_partials *out) {
  GANNET_NO_OVERLAP
  for (int i = 0; i < n; ++i) {
    const double a = 1 + 2 * k * p[i], b = 1 + 2 * k * q[i];
    const double root = 1 / sqrt(a * b - 4 * k * k * s[i] * s[i]);
    const double slope = k * (4 / pi) * root, cube = k * slope * root * root;
    out->value_p[i] = -slope * k * s[i] / a;
    out->slope_s[i] = 4 * k * s[i] * cube;
    out->slope_p[i] = -b * cube;
    if (!both) continue;
    out->value_q[i] = -slope * k * s[i] / b;
    out->slope_q[i] = -a * cube;
  }
}

GANNET_VECTOR_CLONES static void erf_moments(int n, const double *p, const double *q,
                                             const double *s, double *value, double *slope) {
  erf_moments_of(1, n, p, q, s, value, slope);
}

GANNET_VECTOR_CLONES static void erf_partials(int n, const double *p, const double *q,
                                              const double *s,
                                              const gannet_expectation_partials *out) {
  if (out->value_q)
    erf_partials_of(1, true, n, p, q, s, out);
  else
    erf_partials_of(1, false, n, p, q, s, out);
}

/* tanh(u) is close to erf(sqrt(pi)/2 u). */
GANNET_VECTOR_CLONES static void tanh_moments(int n, const double *p, const double *q,
                                              const double *s, double *value, double *slope) {
  erf_moments_of(pi / 4, n, p, q, s, value, slope);
}

GANNET_VECTOR_CLONES static void tanh_partials(int n, const double *p, const double *q,
                                               const double *s,
                                               const gannet_expectation_partials *out) {
  if (out->value_q)
    erf_partials_of(pi / 4, true, n, p, q, s, out);
  else
    erf_partials_of(pi / 4, false, n, p, q, s, out);
}

/* With a = 1 + 2 k q and t = 2 k s / a: one quotient and two roots per pair. */
static inline void erf_common_of(double k, double q, int n, const double *s, double *value,
                                 double *slope) {
  const double a = 1 + 2 * k * q, per_s = 2 * k / a, front = k * (4 / pi) / a;
  for (int i = 0; i < n; ++i) {
    const double t = per_s * s[i], size = fabs(t) > 1 ? 1 : fabs(t);
    value[i] = (2 / pi) * copysign(arcsine(size), t);
    slope[i] = front / sqrt((1 - size) * (1 + size));
  }
}

/* With w^2 = 1 - t^2 = (front / slope)^2: d slope / dt = slope t / w^2. */
static inline void erf_common_partials_of(double k, double q, bool both, int n, const double *s,
                                          const double *slope,
                                          const gannet_expectation_common *by) {
  const double a = 1 + 2 * k * q, per_s = 2 * k / a, front = k * (4 / pi) / a;
  const double scale = per_s / (front * front);
  GANNET_NO_OVERLAP
  for (int i = 0; i < n; ++i) {
    const double cube = scale * slope[i] * slope[i] * slope[i];
    by->slope_s[i] = per_s * s[i] * cube;
    if (!both) continue;
    by->value_q[i] = -per_s * s[i] * slope[i];
    by->slope_q[i] = -cube;
  }
}

static inline void erf_all_common_of(double k, double q, int n, const double *s, double *value,
                                     double *slope, const gannet_expectation_common *by) {
  erf_common_of(k, q, n, s, value, slope);
  if (!by) return;
  if (by->value_q)
    erf_common_partials_of(k, q, true, n, s, slope, by);
  else
    erf_common_partials_of(k, q, false, n, s, slope, by);
}

GANNET_VECTOR_CLONES static void erf_common(int n, double q, const double *s, double *value,
                                            double *slope, const gannet_expectation_common *by) {
  erf_all_common_of(1, q, n, s, value, slope, by);
}

GANNET_VECTOR_CLONES static void tanh_common(int n, double q, const double *s, double *value,
                                             double *slope, const gannet_expectation_common *by) {
  erf_all_common_of(pi / 4, q, n, s, value, slope, by);
}

/* From E exp(i(u +- u')) = exp(-(p + q +- 2s)/2). */
GANNET_VECTOR_CLONES static void sin_moments(int n, const double *p, const double *q,
                                             const double *s, double *value, double *slope) {
  for (int i = 0; i < n; ++i) {
    const double half = (p[i] + q[i]) / 2;
    const double plus = decaying_exp(s[i] - half), minus = decaying_exp(-s[i] - half);
    value[i] = (plus - minus) / 2;
    slope[i] = (plus + minus) / 2;
  }
}

static inline void sin_partials_of(bool both, int n, const double *p, const double *q,
                                   const double *s, const gannet_expectation_partials *out) {
  sin_moments(n, p, q, s, out->slope_s, out->slope_p);
  GANNET_NO_OVERLAP
  for (int i = 0; i < n; ++i) {
    out->value_p[i] = -out->slope_s[i] / 2;
    out->slope_p[i] = -out->slope_p[i] / 2;
    if (!both) continue;
    out->value_q[i] = out->value_p[i];
    out->slope_q[i] = out->slope_p[i];
  }
}

GANNET_VECTOR_CLONES static void sin_partials(int n, const double *p, const double *q,
                                              const double *s,
                                              const gannet_expectation_partials *out) {
  if (out->value_q)
    sin_partials_of(true, n, p, q, s, out);
  else
    sin_partials_of(false, n, p, q, s, out);
}

gannet_err gannet_expectation_find(const gannet_activation *activation,
                                   const gannet_expectation **expectation) {
  static const gannet_expectation known[] = {{"relu", relu_moments, relu_partials, NULL},
                                             {"tanh", tanh_moments, tanh_partials, tanh_common},
                                             {"erf", erf_moments, erf_partials, erf_common},
                                             {"sin", sin_moments, sin_partials, NULL}};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (strcmp(known[i].name, activation->name) == 0) {
      *expectation = &known[i];
      return GANNET_OK;
    }
  return GANNET_RAISE(GANNET_ERR_NAME,
                      "activation '%s' has no closed form for an infinitely wide network; known: "
                      "relu tanh erf sin",
                      activation->name);
}
