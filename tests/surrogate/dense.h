/* Dense linear algebra by the schoolbook, as an independent route for tests. */
#ifndef GANNET_TESTS_DENSE_H
#define GANNET_TESTS_DENSE_H

#include <math.h>
#include <string.h>

enum { DENSE_MOST = 96 };

/* x = a^-1 b by Gaussian elimination with pivoting; a [n][n], n <= DENSE_MOST. */
static inline void dense_solve(int n, const double *a, const double *b, double *x) {
  double m[DENSE_MOST][DENSE_MOST + 1];
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) m[i][j] = a[i * n + j];
    m[i][n] = b[i];
  }
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (fabs(m[i][k]) > fabs(m[pivot][k])) pivot = i;
    for (int j = 0; j <= n; ++j) {
      const double swap = m[k][j];
      m[k][j] = m[pivot][j];
      m[pivot][j] = swap;
    }
    for (int i = k + 1; i < n; ++i)
      for (int j = n; j >= k; --j) m[i][j] -= m[i][k] / m[k][k] * m[k][j];
  }
  for (int i = n - 1; i >= 0; --i) {
    x[i] = m[i][n];
    for (int j = i + 1; j < n; ++j) x[i] -= m[i][j] * x[j];
    x[i] /= m[i][i];
  }
}

/* sigma [p][p] = lambda I + sum of the outer products of n rows of phi. */
static inline void dense_sigma(int n, int p, const double *phi, double lambda, double *sigma) {
  for (int a = 0; a < p; ++a)
    for (int b = 0; b < p; ++b) {
      double sum = a == b ? lambda : 0;
      for (int i = 0; i < n; ++i) sum += phi[i * p + a] * phi[i * p + b];
      sigma[a * p + b] = sum;
    }
}

#endif
