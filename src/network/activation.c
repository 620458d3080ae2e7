#include "network/activation.h"

#include <math.h>

#include "base/names.h"
#include "network/vector_clones.h"
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

static const gannet_activation relu = {"relu",     "max(u, 0)", false,
                                       relu_value, relu_slope,  relu_curve};
static const gannet_activation tanh_ = {"tanh",     "hyperbolic tangent", true,
                                        tanh_value, tanh_slope,           tanh_curve};
static const gannet_activation erf_ = {"erf",     "error function", true,
                                       erf_value, erf_slope,        erf_curve};
static const gannet_activation sin_ = {"sin", "sine", true, sin_value, sin_slope, sin_curve};

const gannet_activation *const gannet_activations[] = {&relu, &tanh_, &erf_, &sin_, NULL};

const char *const gannet_activation_names[] = {"relu", "tanh", "erf", "sin", NULL};

gannet_err gannet_activation_find(const char *name, const gannet_activation **activation) {
  int index = 0;
  GANNET_TRY(gannet_name_find("activation", name, (const void *const *)gannet_activations, &index));
  *activation = gannet_activations[index];
  return GANNET_OK;
}
