/* Rows of the scaling benchmark; for its own files only. */
#ifndef GANNET_BENCHMARK_SCALING_H
#define GANNET_BENCHMARK_SCALING_H

#include "benchmark/bench.h"
#include "benchmark/traffic.h"

enum { BENCH_SCALING_ROWS = 64, BENCH_SCALING_REPEATS = 100 };

typedef struct {
  char name[24];
  int64_t size;        /* candidates, bytes or records, as the name says */
  double seconds;      /* median; the slowest rank's */
  double work;         /* processor time outside MPI of the busiest rank; NAN = not measured */
  double work_all;     /* of all ranks together */
  double calls, bytes; /* of MPI, per rank; NAN = not measured */
} bench_scaling_row;

typedef struct {
  double rate;      /* DGEMM of all ranks together, operations per second */
  double scan_rate; /* of the products of the scan, in its precision; NAN when it has none */
  bool single;
  double memory; /* bytes of the largest rank, in which the libraries need most */
  double model;  /* bytes of the models of one rank at the last size */
  int n;
  bench_scaling_row row[BENCH_SCALING_ROWS];
} bench_scaling_table;

/* Add the medians of what every rank measured, n times each; traffic NULL = not measured.
 *
 * Collective over world->comm.
 *
 * seconds  in  [n], different between ranks
 * traffic  in  [n]
 */
GANNET_CHECKED gannet_err bench_scaling_add(const bench_world *world, bench_scaling_table *table,
                                            const char *name, int64_t size, int n,
                                            const double *seconds, const bench_traffic *traffic);

/* Latency and bandwidth of the collective operations of a proposal.
 *
 * Collective over world->comm.
 */
GANNET_CHECKED gannet_err bench_scaling_exchange(const bench_world *world,
                                                 bench_scaling_table *table);

/* Find out whether the storage part can make files in a directory.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MISSING, GANNET_ERR_NO_SPACE, GANNET_ERR_IO with the directory and the reason.
 */
GANNET_CHECKED gannet_err bench_scaling_check_directory(const char *directory);

/* A batch appended to a journal, and a checkpoint of n points, by rank 0.
 *
 * Collective over world->comm.
 */
GANNET_CHECKED gannet_err bench_scaling_storage(const bench_world *world, const char *directory,
                                                int q, int n, int d, int repeat,
                                                bench_scaling_table *table);

#endif
