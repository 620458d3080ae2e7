#include "surrogate/estimator.h"

void gannet_estimator_release(gannet_estimator *e) {
  if (e->work) e->type->destroy(e->work);
  *e = (gannet_estimator){0};
}

gannet_err gannet_estimator_draws(const gannet_estimator *e, int m, const double *x, double *values,
                                  int ldv) {
  GANNET_REQUIRE(e->work && e->kind == GANNET_ESTIMATE_DRAWS, GANNET_ERR_STATE,
                 "there are no estimates of draws");
  GANNET_REQUIRE(0 <= m && m <= ldv, GANNET_ERR_SHAPE, "m = %d with rows of %d", m, ldv);
  if (m > 0) e->type->draws(e->work, m, x, values, ldv);
  return GANNET_OK;
}

gannet_err gannet_estimator_moments(const gannet_estimator *e, int m, const double *x, double *mean,
                                    double *variance) {
  GANNET_REQUIRE(e->work && e->kind != GANNET_ESTIMATE_DRAWS, GANNET_ERR_STATE,
                 "there are no estimates of moments");
  GANNET_REQUIRE(m >= 0, GANNET_ERR_SHAPE, "m = %d, expected at least 0", m);
  if (m > 0) e->type->moments(e->work, m, x, mean, variance);
  return GANNET_OK;
}

gannet_err gannet_estimator_upper_bounds(const gannet_estimator *e, int m, const double *x,
                                         double *variance) {
  GANNET_REQUIRE(e->work && e->kind == GANNET_ESTIMATE_UPPER_BOUNDS, GANNET_ERR_STATE,
                 "there are no upper bounds of variances");
  GANNET_REQUIRE(m >= 0, GANNET_ERR_SHAPE, "m = %d, expected at least 0", m);
  return m > 0 ? e->type->upper_bounds(e->work, m, x, variance) : GANNET_OK;
}
