/* Parts of the quality benchmark: what is run, one run, and what is said about all runs. */
#ifndef GANNET_BENCHMARK_QUALITY_H
#define GANNET_BENCHMARK_QUALITY_H

#include "benchmark/bench.h"
#include "benchmark/subject.h"

/* Settings of the benchmark, from its option table. */
typedef struct {
  gannet_text_list problems, methods, set;
  int seeds, first_seed, q, evaluations;
  double per_d, noise, shift;
  char *csv, *summary;
} quality_settings;

typedef struct {
  bench_problem base;
  int evaluations; /* budget */
} quality_problem;

/* Results of one run, after each evaluation. */
typedef struct {
  double *best;    /* [evaluations] smallest value seen, without noise */
  double *seconds; /* [evaluations] spent in proposals so far */
} quality_curve;

/* All runs. Curve of (problem p, method k, seed s): number (p * n_methods + k) * seeds + s. */
typedef struct {
  const quality_settings *settings;
  int n_problems, n_methods, n_curves;
  quality_problem *problem;
  bench_method *method;
  quality_curve *curve;
} quality_study;

/* Optimise a problem once.
 *
 * Local.
 *
 * Errors: those of the optimiser; GANNET_ERR_NUMERIC when the problem cannot be evaluated.
 */
GANNET_CHECKED gannet_err quality_run(const quality_study *study, const quality_problem *problem,
                                      const bench_method *method, int seed,
                                      const quality_curve *curve);

/* Tables on stdout; files where asked for. To be called by one rank, which has all curves.
 *
 * Local.
 */
GANNET_CHECKED gannet_err quality_report(const quality_study *study);

#endif
