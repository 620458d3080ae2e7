/* A network of two units on one input, written out once more for tests of models of networks. */
#ifndef GANNET_TESTS_TWO_UNITS_H
#define GANNET_TESTS_TWO_UNITS_H

#include <math.h>

/* 2 (1 + 2) + 1 = 7 weights. */
enum { UNITS = 2, WEIGHTS = 7 };

static const double w0[WEIGHTS] = {1.3, -0.7, 0.2, 0.4, 0.9, -1.1, 0.25};

/* f and its gradient by the weights. */
static inline double network(const double *w, double x, double *by_w) {
  const double z = 2 * x - 1;
  double f = w[6];
  for (int j = 0; j < UNITS; ++j) {
    const double s = 1 / (1 + exp(-(w[j] * z + w[2 + j])));
    f += w[4 + j] * s;
    by_w[j] = w[4 + j] * s * (1 - s) * z;
    by_w[2 + j] = w[4 + j] * s * (1 - s);
    by_w[4 + j] = s;
  }
  by_w[6] = 1;
  return f;
}

#endif
