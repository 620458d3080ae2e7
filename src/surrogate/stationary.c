#include "surrogate/stationary.h"

#include <math.h>
#include <stddef.h>

#include "linalg/blas.h"
#include "network/vector_clones.h"
#include "network/vector_math.h"

GANNET_VECTOR_CLONES static void se_value(int n, const double *r2, double *phi) {
  GANNET_NO_OVERLAP
  for (int i = 0; i < n; ++i) phi[i] = decaying_exp(-0.5 * r2[i]);
}

GANNET_VECTOR_CLONES static void se_slope(int n, const double *r2, double *slope) {
  GANNET_NO_OVERLAP
  for (int i = 0; i < n; ++i) slope[i] = -0.5 * decaying_exp(-0.5 * r2[i]);
}

GANNET_VECTOR_CLONES static void matern52_value(int n, const double *r2, double *phi) {
  GANNET_NO_OVERLAP
  for (int i = 0; i < n; ++i) {
    const double s = sqrt(5 * r2[i]);
    phi[i] = (1 + s + s * s / 3) * decaying_exp(-s);
  }
}

GANNET_VECTOR_CLONES static void matern52_slope(int n, const double *r2, double *slope) {
  GANNET_NO_OVERLAP
  for (int i = 0; i < n; ++i) {
    const double s = sqrt(5 * r2[i]);
    slope[i] = -5.0 / 6.0 * (1 + s) * decaying_exp(-s);
  }
}

GANNET_VECTOR_CLONES static void matern32_value(int n, const double *r2, double *phi) {
  GANNET_NO_OVERLAP
  for (int i = 0; i < n; ++i) {
    const double s = sqrt(3 * r2[i]);
    phi[i] = (1 + s) * decaying_exp(-s);
  }
}

GANNET_VECTOR_CLONES static void matern32_slope(int n, const double *r2, double *slope) {
  GANNET_NO_OVERLAP
  for (int i = 0; i < n; ++i) slope[i] = -1.5 * decaying_exp(-sqrt(3 * r2[i]));
}

static const gannet_stationary matern52 = {"matern52", 5, matern52_value, matern52_slope};
static const gannet_stationary matern32 = {"matern32", 3, matern32_value, matern32_slope};
static const gannet_stationary se = {"se", 0, se_value, se_slope};

const gannet_stationary *const gannet_stationary_kernels[] = {&matern52, &matern32, &se, NULL};
const char *const gannet_stationary_names[] = {"matern52", "matern32", "se", NULL};

GANNET_VECTOR_CLONES void gannet_waves(int n, const double *x, double *cosine, double *sine) {
  GANNET_NO_OVERLAP
  for (int i = 0; i < n; ++i) sin_parts(x[i], &sine[i], &cosine[i]);
}

void gannet_row_norms(int n, int d, const double *z, double *norms) {
  for (int i = 0; i < n; ++i) {
    const double *row = z + (size_t)i * (size_t)d;
    norms[i] = 0;
    for (int k = 0; k < d; ++k) norms[i] += row[k] * row[k];
  }
}

GANNET_VECTOR_CLONES void gannet_add_norms(int n, double norm, const double *norms, double *row) {
  GANNET_NO_OVERLAP
  for (int j = 0; j < n; ++j) {
    const double sum = row[j] + norm + norms[j];
    row[j] = sum > 0 ? sum : 0;
  }
}

void gannet_row_distances(int n, int m, int d, const double *a, const double *an, const double *b,
                          const double *bn, double *r2, int ld) {
  gannet_gemm_nt(n, m, d, -2, a, d, b, d, 0, r2, ld);
  for (int i = 0; i < n; ++i) gannet_add_norms(m, an[i], bn, r2 + (size_t)i * (size_t)ld);
}
