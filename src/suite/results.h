/* All runs of a suite in memory, and the samples that are compared. */
#ifndef GANNET_SUITE_RESULTS_H
#define GANNET_SUITE_RESULTS_H

#include <stdio.h>

#include "suite/record.h"

typedef struct {
  const suite_plan *plan;
  int64_t count;
  suite_state *state;   /* [count] as suite_plan_cell numbers them */
  suite_record *record; /* [count] */
} suite_results;

/* Read all runs of a directory.
 *
 * Local.
 *
 * plan     in   borrowed until release
 * results  out  to be released, also after an error
 */
GANNET_CHECKED gannet_err suite_results_load(const suite_plan *plan, const char *directory,
                                             suite_results *results);
void suite_results_release(suite_results *results);

/* Runs of a problem with a method that were done.
 *
 * Local.
 */
int suite_results_done(const suite_results *results, int problem, int method);

/* Which methods have runs on any problem.
 *
 * Local.
 *
 * with_failed  in   whether failed runs count, beside those that are done
 * has_runs     out  [n_methods]
 */
void suite_results_find_methods(const suite_results *results, bool with_failed, bool *has_runs);

/* A measure of all done runs of a problem with a method, after every evaluation. */
typedef struct {
  int n;          /* runs */
  int budget;     /* evaluations */
  double *values; /* [budget][n] */
} suite_curves;

/* Local.
 *
 * curves  out  values to be freed with gannet_free
 */
GANNET_CHECKED gannet_err suite_curves_get(const suite_results *results, int problem, int method,
                                           suite_measure measure, suite_curves *curves);

typedef struct {
  double low, median, high;
} suite_quartiles;

/* Quartiles of a sample; all NAN when it is empty.
 *
 * Local.
 *
 * values  inout  [n]; sorted afterwards
 */
suite_quartiles suite_quartiles_of(int n, double *values);

/* Seconds per proposed point over the done runs of a method on a problem, or on all (-1).
 *
 * Local.
 */
GANNET_CHECKED gannet_err suite_results_seconds(const suite_results *results, int problem,
                                                int method, suite_quartiles *seconds);

/* Write results.csv (every evaluation), results.h5 (the same as arrays), summary.csv (quartiles at
 * the budgets of the tables) and, with several objectives, fronts.csv into a directory.
 *
 * Local.
 */
GANNET_CHECKED gannet_err suite_results_write(const suite_results *results, const char *directory);

/* List the versions of gannet that made the runs that are done: "0.1.0, 0.2.0", in the order of the
 * runs; "" = none is known.
 *
 * Local.
 *
 * text  out  [size]
 */
void suite_results_list_versions(const suite_results *results, char *text, size_t size);

#endif
