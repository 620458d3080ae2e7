#include "surrogate/models/gp/stationary.h"

#include <math.h>
#include <stddef.h>

#include "base/vector_clones.h"
#include "linalg/blas.h"
#include "network/vector_math.h"

/* The exponential is what takes time: value and slope have one. */
static inline double se(double r2, double *slope) {
  const double phi = decaying_exp(-0.5 * r2);
  *slope = -0.5 * phi;
  return phi;
}

static inline double matern52(double r2, double *slope) {
  const double s = sqrt(5 * r2), decay = decaying_exp(-s);
  *slope = -5.0 / 6.0 * (1 + s) * decay;
  return (1 + s + s * s / 3) * decay;
}

static inline double matern32(double r2, double *slope) {
  const double s = sqrt(3 * r2), decay = decaying_exp(-s);
  *slope = -1.5 * decay;
  return (1 + s) * decay;
}

GANNET_VECTOR_CLONES static void se_value(int n, const double *r2, double *phi) {
  double slope;
  GANNET_NO_OVERLAP
  for (int i = 0; i < n; ++i) phi[i] = se(r2[i], &slope);
}

GANNET_VECTOR_CLONES static void se_both(int n, const double *r2, double *phi, double *slope) {
  GANNET_NO_OVERLAP
  for (int i = 0; i < n; ++i) phi[i] = se(r2[i], &slope[i]);
}

GANNET_VECTOR_CLONES static void matern52_value(int n, const double *r2, double *phi) {
  double slope;
  GANNET_NO_OVERLAP
  for (int i = 0; i < n; ++i) phi[i] = matern52(r2[i], &slope);
}

GANNET_VECTOR_CLONES static void matern52_both(int n, const double *r2, double *phi,
                                               double *slope) {
  GANNET_NO_OVERLAP
  for (int i = 0; i < n; ++i) phi[i] = matern52(r2[i], &slope[i]);
}

GANNET_VECTOR_CLONES static void matern32_value(int n, const double *r2, double *phi) {
  double slope;
  GANNET_NO_OVERLAP
  for (int i = 0; i < n; ++i) phi[i] = matern32(r2[i], &slope);
}

GANNET_VECTOR_CLONES static void matern32_both(int n, const double *r2, double *phi,
                                               double *slope) {
  GANNET_NO_OVERLAP
  for (int i = 0; i < n; ++i) phi[i] = matern32(r2[i], &slope[i]);
}

static const gannet_stationary matern52_kernel = {"matern52", 5, matern52_value, matern52_both};
static const gannet_stationary matern32_kernel = {"matern32", 3, matern32_value, matern32_both};
static const gannet_stationary se_kernel = {"se", 0, se_value, se_both};

const gannet_stationary *const gannet_stationary_kernels[] = {&matern52_kernel, &matern32_kernel,
                                                              &se_kernel, NULL};
const char *const gannet_stationary_names[] = {"matern52", "matern32", "se", NULL};

/* Clones are static: the loader's choice between exported ones would be exported too. */
GANNET_VECTOR_CLONES static void waves(int n, const double *x, double *cosine, double *sine) {
  GANNET_NO_OVERLAP
  for (int i = 0; i < n; ++i) sin_parts(x[i], &sine[i], &cosine[i]);
}

void gannet_waves(int n, const double *x, double *cosine, double *sine) {
  waves(n, x, cosine, sine);
}

void gannet_row_norms(int n, int d, const double *z, double *norms) {
  for (int i = 0; i < n; ++i) {
    const double *row = z + (size_t)i * (size_t)d;
    norms[i] = 0;
    for (int k = 0; k < d; ++k) norms[i] += row[k] * row[k];
  }
}

GANNET_VECTOR_CLONES static void add_norms(int n, double norm, const double *norms, double *row) {
  GANNET_NO_OVERLAP
  for (int j = 0; j < n; ++j) {
    const double sum = row[j] + norm + norms[j];
    row[j] = sum > 0 ? sum : 0;
  }
}

void gannet_add_norms(int n, double norm, const double *norms, double *row) {
  add_norms(n, norm, norms, row);
}

void gannet_row_distances(int n, int m, int d, const double *a, const double *an, const double *b,
                          const double *bn, double *r2, int ld) {
  gannet_gemm_nt(n, m, d, -2, a, d, b, d, 0, r2, ld);
  for (int i = 0; i < n; ++i) gannet_add_norms(m, an[i], bn, r2 + (size_t)i * (size_t)ld);
}
