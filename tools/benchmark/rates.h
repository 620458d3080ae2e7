/* What this machine can do, measured: the limits that the other numbers are compared with. */
#ifndef GANNET_BENCHMARK_RATES_H
#define GANNET_BENCHMARK_RATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Rate of c[n][m] = a[n][k] b[m][k]^T in floating-point operations per second: by the median of the
 * repetitions that fit into a time, or by their mean where this rank did not have a processor to
 * itself, so that the rates of ranks at work at the same time can be added.
 *
 * Local.
 *
 * seconds  in  to spend, > 0
 */
GANNET_CHECKED gannet_err bench_gemm_rate(int n, int m, int k, double seconds, double *rate);

/* The rates of all ranks at work at the same time, added; and that of the products a scan is made
 * of.
 *
 * Collective over comm.
 */
GANNET_CHECKED gannet_err bench_gemm_rate_of_all(MPI_Comm comm, int n, int m, int k, double seconds,
                                                 double *rate);
GANNET_CHECKED gannet_err bench_scan_rate(MPI_Comm comm, double *rate);

/* Products that need nothing from other ranks, of 4.2 million operations each. Zero-initialise. */
typedef struct {
  double *a, *b, *c;
} bench_products;

/* Make and release the matrices; do so many products, which returns the seconds that they took.
 *
 * Local.
 */
GANNET_CHECKED gannet_err bench_products_make(bench_products *p);
void bench_products_release(bench_products *p);
double bench_products_do(const bench_products *p, int64_t calls);

/* Rate of a = b + s c in bytes per second, counted as 24 bytes per element.
 *
 * Local.
 *
 * count  in  elements of each array
 */
GANNET_CHECKED gannet_err bench_triad_rate(int count, double seconds, double *rate);

/* Slope of log t over log n between two measurements.
 *
 * Local.
 */
double bench_growth(double n1, double t1, double n2, double t2);

/* Median of n values, which are in ascending order afterwards; NAN of none.
 *
 * Local.
 */
double bench_median(int n, double *values);

/* Largest memory that this process has held so far, in bytes.
 *
 * Local.
 */
double bench_peak_memory(void);

/* Memory that this process has allocated and not freed, in bytes; without what ranks share.
 *
 * Local. 0 where the C library does not tell.
 */
double bench_allocated_memory(void);

#endif
