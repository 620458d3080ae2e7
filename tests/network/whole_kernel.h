/* The kernel matrix of an infinitely wide network, both triangles. */
#ifndef TESTS_NETWORK_WHOLE_KERNEL_H
#define TESTS_NETWORK_WHOLE_KERNEL_H

#include "network/analytic_kernel.h"

/* n    in   points of the kernel
 * rho  in   [d]
 * k    out  [n][n]
 */
static inline void whole_kernel(gannet_analytic *kernel, int n, const double *rho, double bias,
                                double *k) {
  gannet_analytic_set(kernel, rho, bias);
  gannet_analytic_rows(kernel, 0, n, k, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) k[j * n + i] = k[i * n + j];
}

#endif
