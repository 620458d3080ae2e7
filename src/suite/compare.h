/* Every method against every other. */
#ifndef GANNET_SUITE_COMPARE_H
#define GANNET_SUITE_COMPARE_H

#include "suite/results.h"

/* One-sided tests that a method is better (smaller) than another on a problem, by the problem's
 * first measure after the whole budget. Entry (p * n_methods + a) * n_methods + b is of a against
 * b; NAN where a sample is missing, and for a against itself. */
typedef struct {
  const suite_plan *plan;                     /* borrowed from the results */
  double *welch, *wilcoxon;                   /* p-values */
  double *welch_adjusted, *wilcoxon_adjusted; /* by Benjamini and Hochberg, over the whole suite */
} suite_tests;

/* Make all tests.
 *
 * Local.
 *
 * tests  out  to be released, also after an error
 */
GANNET_CHECKED gannet_err suite_tests_make(const suite_results *results, suite_tests *tests);
void suite_tests_release(suite_tests *tests);

/* 1 when a is better than b on a problem by the adjusted Wilcoxon test, -1 when it is worse, 0 when
 * neither can be said.
 *
 * Local.
 *
 * level  in  of significance
 */
int suite_tests_verdict(const suite_tests *tests, int problem, int a, int b, double level);

/* Average rank of every method at every budget of the tables: methods are ranked on each problem by
 * the median of its first measure, 1 being the best and equal medians sharing a rank. Problems on
 * which a method has no done run are left out.
 *
 * Local.
 *
 * ranks  out  [n_tables][n_methods]; NAN when there is no problem to rank on
 * n      out  problems that count
 */
GANNET_CHECKED gannet_err suite_average_ranks(const suite_results *results, double *ranks, int *n);

/* Write tests.csv.
 *
 * Local.
 */
GANNET_CHECKED gannet_err suite_tests_write(const suite_tests *tests, const char *directory);

#endif
