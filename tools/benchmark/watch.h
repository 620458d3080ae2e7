/* Two back-ends for the benchmark of campaigns: one that looks on while another works, and one
 * whose simulations take no time but seem to.
 */
#ifndef GANNET_BENCHMARK_WATCH_H
#define GANNET_BENCHMARK_WATCH_H

#include "evaluate/evaluator.h"

/* What was seen when so many results had come. */
typedef struct {
  double seconds;  /* of gannet_clock_seconds */
  double resident; /* bytes of this process */
} bench_mark;

typedef struct {
  int n, capacity;
  bench_mark *mark; /* [capacity]; the first is made at the first submission */
  int64_t results;
} bench_marks;

/* Options of bench_watch. */
typedef struct {
  const gannet_evaluator_type *inner;
  const void *inner_options;
  int every; /* results between two marks */
  bench_marks *marks;
} bench_watch_options;

/* Passes everything on and makes marks. */
extern const gannet_evaluator_type bench_watch;

typedef struct {
  int64_t refills;
  double idle;    /* seconds between the end of a simulation and the next start in its slot, sum */
  double longest; /* of them */
} bench_refills;

/* Options of bench_lapse. A time lapse: its clock is the real one, but the time in which nothing
 * happens is left out. So what the controller takes for a proposal counts, in the same seconds as
 * the simulations. */
typedef struct {
  double seconds; /* of a simulation on average; each takes half to one and a half of it */
  bench_refills *refills;
} bench_lapse_options;

extern const gannet_evaluator_type bench_lapse;

#endif
