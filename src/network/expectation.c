#include "network/expectation.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Cho and Saul 2009, eqs. (6) and (7) of orders 1 and 0, times g = 2. With w = sqrt(pq - s^2). For
 * parallel inputs w is 0 and the slope has a corner: w is kept off 0 to keep derivatives finite. */
static void relu_pair(double p, double q, double s, gannet_expectation *e) {
  const double r = sqrt(p * q);
  const double c = r > 0 ? fmin(1, fmax(-1, s / r)) : 0;
  const double w = r * sqrt((1 - c) * (1 + c));
  const double safe = fmax(w, 1e-9 * r + 1e-300);
  e->slope = (pi - acos(c)) / pi;
  e->value = s * e->slope + w / pi;
  e->value_p = p > 0 ? w / (2 * pi * p) : 0;
  e->value_q = q > 0 ? w / (2 * pi * q) : 0;
  e->slope_s = 1 / (pi * safe);
  e->slope_p = p > 0 ? -s / (2 * pi * p * safe) : 0;
  e->slope_q = q > 0 ? -s / (2 * pi * q * safe) : 0;
}

/* Williams 1997, eq. (11). */
static void erf_pair(double p, double q, double s, gannet_expectation *e) {
  const double a = 1 + 2 * p, b = 1 + 2 * q;
  const double t = 2 * s / sqrt(a * b);
  const double root = 1 / sqrt(a * b - 4 * s * s);
  e->value = (2 / pi) * asin(fmin(1, fmax(-1, t)));
  e->slope = (4 / pi) * root;
  e->value_p = -e->slope * s / a;
  e->value_q = -e->slope * s / b;
  const double cube = e->slope * root * root;
  e->slope_s = 4 * s * cube;
  e->slope_p = -b * cube;
  e->slope_q = -a * cube;
}

/* tanh(u) is close to erf(sqrt(pi)/2 u): variances times pi/4. */
static void tanh_pair(double p, double q, double s, gannet_expectation *e) {
  const double k = pi / 4;
  erf_pair(k * p, k * q, k * s, e);
  e->slope *= k;
  e->value_p *= k;
  e->value_q *= k;
  e->slope_s *= k * k;
  e->slope_p *= k * k;
  e->slope_q *= k * k;
}

/* From E exp(i(u +- u')) = exp(-(p + q +- 2s)/2). */
static void sin_pair(double p, double q, double s, gannet_expectation *e) {
  const double plus = exp(s - (p + q) / 2), minus = exp(-s - (p + q) / 2);
  e->value = (plus - minus) / 2;
  e->slope = (plus + minus) / 2;
  e->value_p = e->value_q = -e->value / 2;
  e->slope_s = e->value;
  e->slope_p = e->slope_q = -e->slope / 2;
}

gannet_err gannet_expectation_find(const gannet_activation *activation,
                                   gannet_expectation_function *function) {
  static const struct {
    const char *name;
    gannet_expectation_function function;
  } known[] = {{"relu", relu_pair}, {"tanh", tanh_pair}, {"erf", erf_pair}, {"sin", sin_pair}};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (strcmp(known[i].name, activation->name) == 0) {
      *function = known[i].function;
      return GANNET_OK;
    }
  return GANNET_RAISE(GANNET_ERR_NAME,
                      "activation '%s' has no closed form for an infinitely wide network; known: "
                      "relu tanh erf sin",
                      activation->name);
}
