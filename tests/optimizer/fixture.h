/* What tests of the optimizer have: an optimiser and what it needs; and slopes of merits. */
#ifndef GANNET_TESTS_OPTIMIZER_FIXTURE_H
#define GANNET_TESTS_OPTIMIZER_FIXTURE_H

#include <math.h>

#include "optimizer/small_network.h"
#include "support/harness.h"

#include "optimizer/optimizer_impl.h"

typedef struct {
  gannet_context *context;
  gannet_problem *problem;
  gannet_optimizer *optimizer;
} fixture;

static inline void drop(fixture *f) {
  gannet_optimizer_destroy(&f->optimizer);
  gannet_problem_destroy(&f->problem);
  gannet_context_destroy(&f->context);
}

/* As those of scores by moments. */
typedef gannet_err (*merit_function)(void *user, int list, const double *x, double *value,
                                     double *gradient);

/* The gradient [d] of a merit of this value at a point [d] is that of its central differences. */
static inline void assert_slopes(merit_function merit, void *user, int d, double *at, double step,
                                 double value, const double *gradient) {
  double ignored[8], high = 0, low = 0;
  assert_true(d <= 8);
  for (int k = 0; k < d; ++k) {
    at[k] += step;
    assert_ok(merit(user, 0, at, &high, ignored));
    at[k] -= 2 * step;
    assert_ok(merit(user, 0, at, &low, ignored));
    at[k] += step;
    const double slope = (high - low) / (2 * step);
    if (!(fabs(gradient[k] - slope) <= 1e-4 * (1 + fabs(slope) + fabs(value))))
      fail_msg("gradient %g, difference %g", gradient[k], slope);
  }
}

#endif
