#include "suite/results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "suite/statistics.h"

gannet_err suite_results_load(const suite_plan *plan, const char *directory,
                              suite_results *results) {
  const int64_t count = suite_plan_count(plan);
  *results = (suite_results){.plan = plan, .count = count};
  GANNET_TRY(gannet_alloc((size_t)count, sizeof *results->state, &results->state));
  GANNET_TRY(gannet_alloc((size_t)count, sizeof *results->record, &results->record));
  for (int64_t i = 0; i < count; ++i) {
    GANNET_TRY(suite_record_read(plan, directory, suite_plan_cell(plan, i), &results->record[i],
                                 &results->state[i]));
    if (plan->problem[suite_plan_cell(plan, i).problem].skipped && results->state[i] != SUITE_DONE)
      results->state[i] = SUITE_SKIPPED;
  }
  return GANNET_OK;
}

void suite_results_release(suite_results *results) {
  for (int64_t i = 0; results->record && i < results->count; ++i)
    suite_record_release(&results->record[i]);
  gannet_free(&results->record);
  gannet_free(&results->state);
}

/* Number of the first run of a problem with a method. */
static int64_t first_of(const suite_results *results, int problem, int method) {
  const suite_plan *plan = results->plan;
  return ((int64_t)problem * plan->n_methods + method) * plan->keys.runs;
}

int suite_results_done(const suite_results *results, int problem, int method) {
  const int64_t first = first_of(results, problem, method);
  int n = 0;
  for (int run = 0; run < results->plan->keys.runs; ++run)
    n += results->state[first + run] == SUITE_DONE;
  return n;
}

void suite_results_find_methods(const suite_results *results, bool with_failed, bool *has_runs) {
  for (int k = 0; k < results->plan->n_methods; ++k) has_runs[k] = false;
  for (int64_t i = 0; i < results->count; ++i)
    if (results->state[i] == SUITE_DONE || (with_failed && results->state[i] == SUITE_FAILED))
      has_runs[suite_plan_cell(results->plan, i).method] = true;
}

gannet_err suite_curves_get(const suite_results *results, int problem, int method,
                            suite_measure measure, suite_curves *curves) {
  const suite_problem *about = &results->plan->problem[problem];
  const int64_t first = first_of(results, problem, method);
  const size_t budget = (size_t)about->budget;
  double *course = NULL;
  *curves =
      (suite_curves){.n = suite_results_done(results, problem, method), .budget = about->budget};
  const size_t n = (size_t)curves->n;
  GANNET_TRY(gannet_alloc(budget, sizeof *course, &course));
  const gannet_err err = gannet_alloc(budget * n, sizeof *curves->values, &curves->values);
  size_t at = 0;
  for (int run = 0; err == GANNET_OK && run < results->plan->keys.runs; ++run) {
    if (results->state[first + run] != SUITE_DONE) continue;
    suite_measure_course(measure, &results->record[first + run].course, about->optimum, course);
    for (size_t t = 0; t < budget; ++t) curves->values[t * n + at] = course[t];
    ++at;
  }
  gannet_free(&course);
  return err;
}

suite_quartiles suite_quartiles_of(int n, double *values) {
  if (n == 0) return (suite_quartiles){NAN, NAN, NAN};
  suite_sort(n, values);
  return (suite_quartiles){suite_quantile(n, values, 0.25), suite_quantile(n, values, 0.5),
                           suite_quantile(n, values, 0.75)};
}

gannet_err suite_results_seconds(const suite_results *results, int problem, int method,
                                 suite_quartiles *seconds) {
  const suite_plan *plan = results->plan;
  double *all = NULL;
  size_t n = 0, used = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int64_t i = 0; i < results->count; ++i) {
      const suite_cell cell = suite_plan_cell(plan, i);
      const suite_course *course = &results->record[i].course;
      if (results->state[i] != SUITE_DONE || cell.method != method) continue;
      if (problem >= 0 && cell.problem != problem) continue;
      if (pass == 0) {
        n += (size_t)course->n;
      } else {
        memcpy(all + used, course->seconds, (size_t)course->n * sizeof *all);
        used += (size_t)course->n;
      }
    }
    if (pass == 0) GANNET_TRY(gannet_alloc(n, sizeof *all, &all));
  }
  *seconds = suite_quartiles_of((int)n, all);
  gannet_free(&all);
  return GANNET_OK;
}

void suite_results_list_versions(const suite_results *results, char *text, size_t size) {
  enum { MOST = 8 };
  const char *found[MOST];
  size_t used = 0;
  int n = 0;
  text[0] = '\0';
  for (int64_t i = 0; i < results->count && n < MOST && used < size; ++i) {
    const char *version = results->record[i].version;
    int at = 0;
    while (at < n && strcmp(found[at], version) != 0) ++at;
    if (results->state[i] != SUITE_DONE || !*version || at < n) continue;
    found[n++] = version;
    used += (size_t)snprintf(text + used, size - used, "%s%s", n > 1 ? ", " : "", version);
  }
}
