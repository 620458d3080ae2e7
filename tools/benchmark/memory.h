/* Refusing what a machine cannot hold. */
#ifndef GANNET_BENCHMARK_MEMORY_H
#define GANNET_BENCHMARK_MEMORY_H

#include "benchmark/bench.h"

/* Refuse what the ranks of a node cannot hold together. Memory is granted until the system ends the
 * process, so this is to be asked before any is taken.
 *
 * Collective over world->comm.
 *
 * bytes   in  that this rank will take
 * what    in  takes them, for the message: "arrays of 5 elements"
 * advice  in  how to need less: "lower --elements"
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err bench_memory_check(const bench_world *world, double bytes,
                                             const char *what, const char *advice);

#endif
