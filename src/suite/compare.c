#include "suite/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "suite/statistics.h"

void suite_tests_release(suite_tests *tests) {
  gannet_free(&tests->welch);
  gannet_free(&tests->wilcoxon);
  gannet_free(&tests->welch_adjusted);
  gannet_free(&tests->wilcoxon_adjusted);
}

static size_t entry(const suite_tests *tests, int p, int a, int b) {
  const size_t n = (size_t)tests->plan->n_methods;
  return ((size_t)p * n + (size_t)a) * n + (size_t)b;
}

/* The last row of the curves: the sample after the whole budget. */
static const double *final_sample(const suite_curves *curves) {
  return curves->values + (size_t)(curves->budget - 1) * (size_t)curves->n;
}

/* Every method against every other on problem p. */
static gannet_err test_problem(const suite_results *results, int p, suite_tests *tests) {
  const int methods = tests->plan->n_methods;
  suite_curves *curves = NULL;
  GANNET_TRY(gannet_alloc((size_t)methods, sizeof *curves, &curves));
  gannet_err err = GANNET_OK;
  for (int k = 0; k < methods && err == GANNET_OK; ++k)
    err = suite_curves_get(results, p, k, results->plan->problem[p].measure[0], &curves[k]);
  for (int pair = 0; pair < methods * methods && err == GANNET_OK; ++pair) {
    const suite_curves *a = &curves[pair / methods], *b = &curves[pair % methods];
    const size_t at = entry(tests, p, pair / methods, pair % methods);
    tests->welch[at] = tests->wilcoxon[at] = NAN;
    if (a == b || a->n == 0 || b->n == 0) continue;
    tests->welch[at] = suite_welch_test(a->n, final_sample(a), b->n, final_sample(b));
    err = suite_rank_test(a->n, final_sample(a), b->n, final_sample(b), &tests->wilcoxon[at]);
  }
  for (int k = 0; k < methods; ++k) gannet_free(&curves[k].values);
  gannet_free(&curves);
  return err;
}

gannet_err suite_tests_make(const suite_results *results, suite_tests *tests) {
  const suite_plan *plan = results->plan;
  *tests = (suite_tests){.plan = plan};
  const size_t n = entry(tests, plan->n_problems, 0, 0);
  GANNET_TRY(gannet_alloc(n, sizeof(double), &tests->welch));
  GANNET_TRY(gannet_alloc(n, sizeof(double), &tests->wilcoxon));
  GANNET_TRY(gannet_alloc(n, sizeof(double), &tests->welch_adjusted));
  GANNET_TRY(gannet_alloc(n, sizeof(double), &tests->wilcoxon_adjusted));
  for (int p = 0; p < plan->n_problems; ++p) GANNET_TRY(test_problem(results, p, tests));
  memcpy(tests->welch_adjusted, tests->welch, n * sizeof(double));
  memcpy(tests->wilcoxon_adjusted, tests->wilcoxon, n * sizeof(double));
  GANNET_TRY(suite_adjust((int)n, tests->welch_adjusted));
  return suite_adjust((int)n, tests->wilcoxon_adjusted);
}

int suite_tests_verdict(const suite_tests *tests, int problem, int a, int b, double level) {
  if (tests->wilcoxon_adjusted[entry(tests, problem, a, b)] <= level) return 1;
  return tests->wilcoxon_adjusted[entry(tests, problem, b, a)] <= level ? -1 : 0;
}

/* Find the medians of a problem. Methods that are done on no problem come last.
 *
 * done     in   [n_methods] whether a method is done on some problem
 * medians  out  [n_tables][n_methods]
 * whole    out  whether every method that is done on some problem is done on this one
 */
static gannet_err medians_of(const suite_results *results, int p, const bool *done, double *medians,
                             bool *whole) {
  const suite_plan *plan = results->plan;
  const suite_problem *problem = &plan->problem[p];
  *whole = true;
  for (int k = 0; k < plan->n_methods; ++k) {
    suite_curves curves;
    GANNET_TRY(suite_curves_get(results, p, k, problem->measure[0], &curves));
    *whole = *whole && (curves.n > 0 || !done[k]);
    for (int t = 0; t < plan->n_tables && curves.n == 0; ++t)
      medians[t * plan->n_methods + k] = INFINITY;
    for (int t = 0; t < plan->n_tables && curves.n > 0; ++t)
      medians[t * plan->n_methods + k] =
          suite_quartiles_of(curves.n,
                             curves.values + (size_t)(problem->table[t] - 1) * (size_t)curves.n)
              .median;
    gannet_free(&curves.values);
  }
  return GANNET_OK;
}

gannet_err suite_average_ranks(const suite_results *results, double *ranks, int *n) {
  const suite_plan *plan = results->plan;
  const size_t methods = (size_t)plan->n_methods, size = methods * (size_t)plan->n_tables;
  double *medians = NULL;
  bool *done = NULL;
  GANNET_TRY(gannet_alloc(size + methods, sizeof *medians, &medians));
  gannet_err err = gannet_alloc(methods, sizeof *done, &done);
  if (err == GANNET_OK) suite_results_find_methods(results, false, done);
  *n = 0;
  memset(ranks, 0, size * sizeof *ranks);
  for (int p = 0; p < plan->n_problems && err == GANNET_OK; ++p) {
    bool whole = false;
    err = medians_of(results, p, done, medians, &whole);
    if (err != GANNET_OK || !whole) continue;
    *n += 1;
    for (size_t t = 0; t < (size_t)plan->n_tables; ++t) {
      double *own = medians + size;
      suite_ranks(plan->n_methods, medians + t * methods, own);
      for (size_t k = 0; k < methods; ++k) ranks[t * methods + k] += own[k];
    }
  }
  for (size_t i = 0; i < size; ++i) ranks[i] = *n > 0 && done[i % methods] ? ranks[i] / *n : NAN;
  gannet_free(&medians);
  gannet_free(&done);
  return err;
}

static gannet_err put_tests(FILE *out, const void *user) {
  const suite_tests *tests = user;
  const suite_plan *plan = tests->plan;
  (void)fputs(
      "problem,measure,evaluations,method,against,welch,welch_adjusted,wilcoxon,"
      "wilcoxon_adjusted\n",
      out);
  for (int p = 0; p < plan->n_problems; ++p)
    for (int a = 0; a < plan->n_methods; ++a)
      for (int b = 0; b < plan->n_methods; ++b) {
        const size_t at = entry(tests, p, a, b);
        if (isnan(tests->wilcoxon[at])) continue;
        (void)fprintf(out, "%s,%s,%d,%s,%s,%.6g,%.6g,%.6g,%.6g\n", plan->problem[p].label,
                      suite_measure_names[plan->problem[p].measure[0]], plan->problem[p].budget,
                      plan->method[a].label, plan->method[b].label, tests->welch[at],
                      tests->welch_adjusted[at], tests->wilcoxon[at], tests->wilcoxon_adjusted[at]);
      }
  return GANNET_OK;
}

gannet_err suite_tests_write(const suite_tests *tests, const char *directory) {
  return gannet_file_print(directory, "tests.csv", true, put_tests, tests);
}
