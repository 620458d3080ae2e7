/* What this process has communicated: the collective calls that proposals make are counted on
 * their way into MPI, through the profiling interface that every MPI library has.
 */
#ifndef GANNET_BENCHMARK_TRAFFIC_H
#define GANNET_BENCHMARK_TRAFFIC_H

#include <stdint.h>

/* Since the start of the program. */
typedef struct {
  int64_t calls;
  double bytes;   /* of the arguments, as if sent once */
  double seconds; /* in these calls, waiting included */
  double work;    /* processor time outside them, and outside waits in shared memory */
} bench_traffic;

/* Totals up to now.
 *
 * Local.
 */
bench_traffic bench_traffic_read(void);

/* What came after an earlier look.
 *
 * Local.
 */
bench_traffic bench_traffic_since(const bench_traffic *before);

/* Sum of two, in the first.
 *
 * Local.
 */
void bench_traffic_add(bench_traffic *sum, const bench_traffic *more);

#endif
