/* Points for the tests of fronts, and what inclusion and exclusion says of them. */
#ifndef GANNET_TESTS_PARETO_POINTS_H
#define GANNET_TESTS_PARETO_POINTS_H

#include <math.h>
#include <string.h>

#include "base/random.h"

/* Uniform points of the cube; with grid > 0 on a grid of so many values, so that many are equal. */
static inline void random_points(int seed, int n, int m, int grid, double *y) {
  gannet_random_uniform((gannet_stream){(uint64_t)seed, GANNET_FOR_TEST, 0, 0}, 0,
                        (size_t)n * (size_t)m, y);
  for (int i = 0; grid > 0 && i < n * m; ++i) y[i] = floor(y[i] * grid) / grid;
}

/* Points of the unit sphere in the positive orthant, none of which dominates another. */
static inline void sphere_points(int seed, int n, int m, double *y) {
  gannet_random_normal((gannet_stream){(uint64_t)seed, GANNET_FOR_TEST, 0, 0}, 0,
                       (size_t)n * (size_t)m, y);
  for (int i = 0; i < n; ++i) {
    double squares = 0;
    for (int j = 0; j < m; ++j) squares += y[i * m + j] * y[i * m + j];
    for (int j = 0; j < m; ++j) y[i * m + j] = fabs(y[i * m + j]) / sqrt(squares);
  }
}

/* The hypervolume as the sum over all subsets of the points. */
static inline double subsets_volume(int n, int m, const double *y, const double *reference) {
  double volume = 0;
  for (int subset = 1; subset < 1 << n; ++subset) {
    double product = -1;
    for (int i = 0; i < n; ++i)
      if (subset >> i & 1) product = -product;
    for (int j = 0; j < m; ++j) {
      double worst = -HUGE_VAL;
      for (int i = 0; i < n; ++i)
        if (subset >> i & 1) worst = fmax(worst, y[i * m + j]);
      product *= fmax(0, reference[j] - worst);
    }
    volume += product;
  }
  return volume;
}

/* Put the rows into another order, and the coordinates of each row into another order. */
static inline void shuffle_rows(int seed, int n, int m, double *y) {
  for (int i = n - 1; i > 0; --i) {
    double u = 0;
    gannet_random_uniform((gannet_stream){(uint64_t)seed, GANNET_FOR_TEST, 1, 0}, (uint64_t)i, 1,
                          &u);
    const int other = (int)(u * (i + 1));
    for (int j = 0; j < m; ++j) {
      const double kept = y[i * m + j];
      y[i * m + j] = y[other * m + j];
      y[other * m + j] = kept;
    }
  }
}

static inline void rotate_coordinates(int n, int m, double *y) {
  for (int i = 0; i < n; ++i) {
    const double first = y[i * m];
    memmove(y + i * m, y + i * m + 1, (size_t)(m - 1) * sizeof *y);
    y[i * m + m - 1] = first;
  }
}

#endif
