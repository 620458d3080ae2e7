/* Order statistics and the rank test that compares two samples. */
#ifndef GANNET_BENCH_STATISTICS_H
#define GANNET_BENCH_STATISTICS_H

#include "base/error.h"

/* Quantile of n values, linear between the order statistics (Hyndman and Fan 1996, definition 7);
 * infinite values are kept apart from the interpolation.
 *
 * Local.
 *
 * values  in  [n] in ascending order, n >= 1
 * share   in  0 to 1
 */
double bench_quantile(int n, const double *values, double share);

/* Sort in ascending order.
 *
 * Local.
 */
void bench_sort(int n, double *values);

/* One-sided p-value of the hypothesis that values of a are not smaller than those of b (Mann and
 * Whitney 1947): small when a is smaller. Exact without ties and up to 64 values each; otherwise
 * the normal approximation with the correction for ties and for continuity.
 *
 * Local.
 *
 * a  in  [n], n >= 1
 * b  in  [m], m >= 1
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err bench_rank_test(int n, const double *a, int m, const double *b,
                                          double *p_value);

/* Slope of log t over log n between two measurements.
 *
 * Local.
 */
double bench_growth(double n1, double t1, double n2, double t2);

#endif
