/* Cells of the tables, in which a number that is not defined is a dash. */
#ifndef GANNET_BENCHMARK_CELLS_H
#define GANNET_BENCHMARK_CELLS_H

enum { BENCH_GROWTH_SIZE = 16 };

/* " 1.25 |" on stdout with so many digits behind the point, or " – |" when it is not finite.
 *
 * Local.
 */
void bench_print_number(int digits, double value);

/* " median (least to most) |" on stdout, or " – |" when one of the values is not finite.
 *
 * Local.
 *
 * values  inout  [n] in any order afterwards
 */
void bench_print_spread(int n, double *values);

/* Exponent of n in t between two measurements (bench_growth), or a dash when there is none: the
 * first of its kind, the same n twice, a time too short to be seen.
 *
 * Local.
 *
 * text  out  which is returned
 */
const char *bench_growth_text(double n1, double t1, double n2, double t2,
                              char text[BENCH_GROWTH_SIZE]);

#endif
