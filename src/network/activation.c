#include "network/activation.h"

#include <math.h>

#include "base/names.h"
#include "base/vector_clones.h"
#include "network/vector_math.h"

static const double two_over_sqrt_pi = 1.1283791670955125738962;

GANNET_VECTOR_CLONES static void relu_value(int n, const double *u, double *value) {
  for (int i = 0; i < n; ++i) value[i] = u[i] > 0 ? u[i] : 0;
}

GANNET_VECTOR_CLONES static void relu_slope(int n, const double *u, double *value, double *slope) {
  for (int i = 0; i < n; ++i) {
    const double ui = u[i];
    slope[i] = ui > 0 ? 1 : 0;
    value[i] = ui > 0 ? ui : 0;
  }
}

GANNET_VECTOR_CLONES static void relu_curve(int n, const double *u, double *value, double *slope,
                                            double *curve) {
  relu_slope(n, u, value, slope);
  for (int i = 0; i < n; ++i) curve[i] = 0;
}

GANNET_VECTOR_CLONES static void tanh_value(int n, const double *u, double *value) {
  for (int i = 0; i < n; ++i) {
    double v, slope;
    tanh_parts(fabs(u[i]), &v, &slope);
    value[i] = copysign(v, u[i]);
  }
}

GANNET_VECTOR_CLONES static void tanh_slope(int n, const double *u, double *value, double *slope) {
  for (int i = 0; i < n; ++i) {
    double v, s;
    tanh_parts(fabs(u[i]), &v, &s);
    value[i] = copysign(v, u[i]);
    slope[i] = s;
  }
}

GANNET_VECTOR_CLONES static void tanh_curve(int n, const double *u, double *value, double *slope,
                                            double *curve) {
  tanh_slope(n, u, value, slope);
  for (int i = 0; i < n; ++i) curve[i] = -2 * value[i] * slope[i];
}

GANNET_VECTOR_CLONES static void erf_value(int n, const double *u, double *value) {
  for (int i = 0; i < n; ++i) {
    double v, gauss;
    erf_parts(fabs(u[i]), &v, &gauss);
    value[i] = copysign(v, u[i]);
  }
}

GANNET_VECTOR_CLONES static void erf_slope(int n, const double *u, double *value, double *slope) {
  for (int i = 0; i < n; ++i) {
    double v, gauss;
    erf_parts(fabs(u[i]), &v, &gauss);
    value[i] = copysign(v, u[i]);
    slope[i] = two_over_sqrt_pi * gauss;
  }
}

GANNET_VECTOR_CLONES static void erf_curve(int n, const double *u, double *value, double *slope,
                                           double *curve) {
  for (int i = 0; i < n; ++i) curve[i] = -2 * u[i];
  erf_slope(n, u, value, slope);
  for (int i = 0; i < n; ++i) curve[i] *= slope[i];
}

GANNET_VECTOR_CLONES static void sin_value(int n, const double *u, double *value) {
  for (int i = 0; i < n; ++i) {
    double cosine;
    sin_parts(u[i], &value[i], &cosine);
  }
}

GANNET_VECTOR_CLONES static void sin_slope(int n, const double *u, double *value, double *slope) {
  for (int i = 0; i < n; ++i) {
    double v, s;
    sin_parts(u[i], &v, &s);
    value[i] = v;
    slope[i] = s;
  }
}

GANNET_VECTOR_CLONES static void sin_curve(int n, const double *u, double *value, double *slope,
                                           double *curve) {
  sin_slope(n, u, value, slope);
  for (int i = 0; i < n; ++i) curve[i] = -value[i];
}

GANNET_VECTOR_CLONES static void tanh_higher(int n, const double *u, const double *value,
                                             const double *slope, double *d) {
  (void)u;
  double *second = d, *third = d + n, *fourth = third + n, *fifth = fourth + n;
  for (int i = 0; i < n; ++i) {
    const double t = value[i], s = slope[i], t2 = t * t;
    second[i] = -2 * t * s;
    third[i] = s * (6 * t2 - 2);
    fourth[i] = t * s * (16 - 24 * t2);
    fifth[i] = s * (16 - 120 * t2 + 120 * t2 * t2);
  }
}

/* Hermite polynomials times the Gaussian slope. */
GANNET_VECTOR_CLONES static void erf_higher(int n, const double *u, const double *value,
                                            const double *slope, double *d) {
  (void)value;
  double *second = d, *third = d + n, *fourth = third + n, *fifth = fourth + n;
  for (int i = 0; i < n; ++i) {
    const double s = slope[i], u2 = u[i] * u[i];
    second[i] = -2 * u[i] * s;
    third[i] = (4 * u2 - 2) * s;
    fourth[i] = (12 - 8 * u2) * u[i] * s;
    fifth[i] = (16 * u2 * u2 - 48 * u2 + 12) * s;
  }
}

GANNET_VECTOR_CLONES static void sin_higher(int n, const double *u, const double *value,
                                            const double *slope, double *d) {
  (void)u;
  double *second = d, *third = d + n, *fourth = third + n, *fifth = fourth + n;
  for (int i = 0; i < n; ++i) {
    second[i] = -value[i];
    third[i] = -slope[i];
    fourth[i] = value[i];
    fifth[i] = slope[i];
  }
}

static const gannet_activation relu = {.name = "relu",
                                       .summary = "max(u, 0)",
                                       .value = relu_value,
                                       .slope = relu_slope,
                                       .curve = relu_curve};
static const gannet_activation tanh_ = {.name = "tanh",
                                        .summary = "hyperbolic tangent",
                                        .smooth = true,
                                        .value = tanh_value,
                                        .slope = tanh_slope,
                                        .curve = tanh_curve,
                                        .higher = tanh_higher};
static const gannet_activation erf_ = {.name = "erf",
                                       .summary = "error function",
                                       .smooth = true,
                                       .value = erf_value,
                                       .slope = erf_slope,
                                       .curve = erf_curve,
                                       .higher = erf_higher};
static const gannet_activation sin_ = {.name = "sin",
                                       .summary = "sine",
                                       .smooth = true,
                                       .value = sin_value,
                                       .slope = sin_slope,
                                       .curve = sin_curve,
                                       .higher = sin_higher};

const gannet_activation *const gannet_activations[] = {&relu, &tanh_, &erf_, &sin_, NULL};

const char *const gannet_activation_names[] = {"relu", "tanh", "erf", "sin", NULL};

const gannet_activation *const gannet_smooth_activations[] = {&tanh_, &erf_, &sin_, NULL};

const char *const gannet_smooth_activation_names[] = {"tanh", "erf", "sin", NULL};

gannet_err gannet_activation_find(const char *name, const gannet_activation **activation) {
  int index = 0;
  GANNET_TRY(gannet_name_find("activation", name, (const void *const *)gannet_activations, &index));
  *activation = gannet_activations[index];
  return GANNET_OK;
}
