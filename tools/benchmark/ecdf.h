/* Parts of the ecdf benchmark: one run, and what is said about all runs. */
#ifndef GANNET_BENCHMARK_ECDF_H
#define GANNET_BENCHMARK_ECDF_H

#include "benchmark/bench.h"
#include "benchmark/subject.h"
#include "simulations/landscape.h"

typedef struct {
  gannet_text_list landscapes, methods, set;
  gannet_real_list dimensions;
  int instances, first_instance, q;
  double per_d, noise;
  bool constrained, detail;
  char *csv;
} ecdf_settings;

typedef struct {
  const gannet_landscape_base *base;
  int d, instance;
  int evaluations; /* budget */
} ecdf_problem;

/* What a run gave. */
typedef struct {
  double area;    /* under the share of targets reached, over log(evaluations) */
  double regret;  /* of the best point at the end, without noise */
  double seconds; /* per evaluation, of proposals */
  double looked;  /* regret, without noise, of the design of the least value seen at the end;
                     NAN in runs without noise, as chosen */
  double chosen;  /* of the design that is recommended (optimizer/recommend.h) */
} ecdf_result;

enum { ECDF_RESULT_SIZE = sizeof(ecdf_result) / sizeof(double) };

/* Results are [n_problems][n_methods]. */
typedef struct {
  const ecdf_settings *settings;
  int n_problems, n_methods;
  ecdf_problem *problem;
  bench_method *method;
  ecdf_result *result;
} ecdf_study;

/* Optimise once. The area is the mean over log(evaluations), from 1 to the budget, of the share of
 * targets that the best value so far is below (suite_targets_share).
 *
 * Local.
 */
GANNET_CHECKED gannet_err ecdf_run(const ecdf_study *study, const ecdf_problem *problem,
                                   const bench_method *method, ecdf_result *result);

/* Tables on stdout, a file where asked for. To be called by one rank, which has all results.
 *
 * Local.
 */
GANNET_CHECKED gannet_err ecdf_report(const ecdf_study *study);

#endif
