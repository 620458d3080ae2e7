/* Sums of products of rows. BLAS has them too, but OpenBLAS's kernels for processors that it does
 * not know add up in an order that depends on whether a row begins at a multiple of 16 bytes: the
 * bits would depend on the place of a row among others, and so on the number of ranks. */
#include <stddef.h>

#include "base/vector_clones.h"
#include "linalg/blas.h"

enum { LANES = 8, SUMS = 4 };

/* Numbers at any address. */
typedef double lanes
    __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

/* SUMS registers take LANES numbers in turn, what is left of these goes into the first register,
 * and the last few numbers are added at the end. */
static inline __attribute__((always_inline)) double add_products(int n, const double *a,
                                                                 const double *b) {
  lanes sum[SUMS] = {{0}};
  int i = 0;
  for (; i + SUMS * LANES <= n; i += SUMS * LANES)
#pragma GCC unroll 4
    for (int s = 0; s < SUMS; ++s)
      sum[s] += *(const lanes *)(a + i + s * LANES) * *(const lanes *)(b + i + s * LANES);
  for (; i + LANES <= n; i += LANES) sum[0] += *(const lanes *)(a + i) * *(const lanes *)(b + i);
  const lanes all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  double total = ((all[0] + all[4]) + (all[2] + all[6])) + ((all[1] + all[5]) + (all[3] + all[7]));
  for (; i < n; ++i) total += a[i] * b[i];
  return total;
}

/* The loader's choice between clones must not be a symbol of the library, so only static functions
 * have clones. */
static GANNET_VECTOR_CLONES double dot(int n, const double *a, const double *b) {
  return add_products(n, a, b);
}

static GANNET_VECTOR_CLONES void multiply_rows(int n, int k, double alpha, const double *a, int lda,
                                               const double *x, double beta, double *y) {
  for (int i = 0; i < n; ++i) {
    const double product = alpha * add_products(k, a + (ptrdiff_t)i * lda, x);
    y[i] = beta == 0 ? product : product + beta * y[i];
  }
}

double gannet_dot(int n, const double *a, const double *b) {
  return dot(n, a, b);
}

void gannet_gemv_n(int n, int k, double alpha, const double *a, int lda, const double *x,
                   double beta, double *y) {
  multiply_rows(n, k, alpha, a, lda, x, beta, y);
}
