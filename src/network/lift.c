#include "network/lift.h"

#include <math.h>
#include <stddef.h>

const char *const gannet_lift_names[] = {"flat", "sphere", NULL};

static double last(const gannet_lift *lift, const double *z) {
  double square = lift->bias * lift->bias;
  if (lift->kind == GANNET_LIFT_FLAT) return lift->bias;
  for (int k = 0; k < lift->d; ++k) square += (lift->rho[k] - z[k]) * (lift->rho[k] + z[k]);
  return sqrt(square);
}

void gannet_lift_points(const gannet_lift *lift, int n, const double *x, double *z) {
  const int d = lift->d;
  for (int i = 0; i < n; ++i, x += d, z += d + 1) {
    for (int k = 0; k < d; ++k) z[k] = lift->rho[k] * (2 * x[k] - 1);
    z[d] = last(lift, z);
  }
}

void gannet_lift_gradient(const gannet_lift *lift, const double *z, const double *by_z,
                          double *gradient) {
  const int d = lift->d;
  const double slope = lift->kind == GANNET_LIFT_SPHERE ? by_z[d] / z[d] : 0;
  for (int k = 0; k < d; ++k) gradient[k] = 2 * lift->rho[k] * (by_z[k] - slope * z[k]);
}

void gannet_lift_scales(const gannet_lift *lift, const double *z, const double *by_z,
                        double *by_rho, double *by_bias) {
  const int d = lift->d;
  const double slope = lift->kind == GANNET_LIFT_SPHERE ? by_z[d] / z[d] : 0;
  for (int k = 0; k < d; ++k)
    by_rho[k] += by_z[k] * z[k] + slope * (lift->rho[k] - z[k]) * (lift->rho[k] + z[k]);
  *by_bias +=
      lift->kind == GANNET_LIFT_SPHERE ? slope * lift->bias * lift->bias : by_z[d] * lift->bias;
}
