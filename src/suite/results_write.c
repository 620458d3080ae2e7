/* Results as files for other programs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "problem/objectives.h"
#include "store/state_file.h"
#include "suite/results.h"

enum { SCHEMA = 1 };

static gannet_err put_evaluations(FILE *out, const void *user) {
  const suite_results *results = user;
  const suite_plan *plan = results->plan;
  (void)fputs("problem,method,seed,evaluation,seen,exact,seen_violation,exact_violation,seconds\n",
              out);
  for (int64_t i = 0; i < results->count; ++i) {
    const suite_cell cell = suite_plan_cell(plan, i);
    const suite_course *c = &results->record[i].course;
    for (int t = 0; results->state[i] == SUITE_DONE && t < c->n; ++t)
      (void)fprintf(out, "%s,%s,%" PRId64 ",%d,%.17g,%.17g,%.17g,%.17g,%.6g\n",
                    plan->problem[cell.problem].label, plan->method[cell.method].label, cell.seed,
                    t + 1, c->seen[t], c->exact[t], c->seen_violation[t], c->exact_violation[t],
                    c->seconds[t]);
  }
  return GANNET_OK;
}

static gannet_err put_quartiles(FILE *out, const suite_results *results, int p, int k,
                                suite_measure measure) {
  const suite_plan *plan = results->plan;
  const suite_problem *problem = &plan->problem[p];
  suite_curves curves;
  GANNET_TRY(suite_curves_get(results, p, k, measure, &curves));
  for (int t = 0; t < plan->n_tables && curves.n > 0; ++t) {
    double *sample = curves.values + (size_t)(problem->table[t] - 1) * (size_t)curves.n;
    const suite_quartiles q = suite_quartiles_of(curves.n, sample);
    (void)fprintf(out, "%s,%s,%s,%d,%d,%.6g,%.6g,%.6g\n", problem->label, plan->method[k].label,
                  suite_measure_names[measure], problem->table[t], curves.n, q.low, q.median,
                  q.high);
  }
  gannet_free(&curves.values);
  return GANNET_OK;
}

static gannet_err put_summary(FILE *out, const void *user) {
  const suite_results *results = user;
  const suite_plan *plan = results->plan;
  (void)fputs("problem,method,measure,evaluations,runs,quartile_1,median,quartile_3\n", out);
  for (int p = 0; p < plan->n_problems; ++p)
    for (int k = 0; k < plan->n_methods; ++k)
      for (int m = 0; m < plan->problem[p].n_measures; ++m)
        GANNET_TRY(put_quartiles(out, results, p, k, plan->problem[p].measure[m]));
  return GANNET_OK;
}

/* Points of the fronts of all done runs, in the user's sense. */
static gannet_err put_fronts(FILE *out, const void *user) {
  const suite_results *results = user;
  const suite_plan *plan = results->plan;
  (void)fputs("problem,method,seed,point,objective,value\n", out);
  for (int64_t i = 0; i < results->count; ++i) {
    const suite_cell cell = suite_plan_cell(plan, i);
    const suite_record *record = &results->record[i];
    const gannet_problem *space = suite_plan_input(plan, cell)->problem;
    const int m = results->state[i] == SUITE_DONE ? record->n_objectives : 0;
    for (int at = 0; at < m * record->n_front; ++at)
      (void)fprintf(out, "%s,%s,%" PRId64 ",%d,%s,%.17g\n", plan->problem[cell.problem].label,
                    plan->method[cell.method].label, cell.seed, at / m + 1,
                    space->spec.objectives[at % m].name,
                    gannet_problem_flip_objective(space, at % m, record->front[at]));
  }
  return GANNET_OK;
}

/* Arrays [runs][budget] of a problem with a method, rows of runs that are not done being NAN. */
static gannet_err store_pair(gannet_store *store, const suite_results *results, int p, int k,
                             double *rows) {
  const suite_plan *plan = results->plan;
  const int64_t dims[2] = {plan->keys.runs, plan->problem[p].budget};
  const int64_t first = ((int64_t)p * plan->n_methods + k) * plan->keys.runs;
  for (int column = 0; column < SUITE_COURSE_COLUMNS; ++column) {
    char name[256];
    for (int64_t i = 0; i < dims[0] * dims[1]; ++i) rows[i] = NAN;
    for (int64_t run = 0; run < dims[0]; ++run) {
      const suite_course *c = &results->record[first + run].course;
      if (results->state[first + run] == SUITE_DONE)
        memcpy(rows + run * dims[1], suite_course_column(c, column),
               (size_t)dims[1] * sizeof *rows);
    }
    (void)snprintf(name, sizeof name, "%s/%s/%s", plan->problem[p].label, plan->method[k].label,
                   suite_course_names[column]);
    GANNET_TRY(gannet_store_write_doubles(store, name, 2, dims, rows));
  }
  return GANNET_OK;
}

static gannet_err store_all(gannet_store *store, const suite_results *results) {
  const suite_plan *plan = results->plan;
  for (int p = 0; p < plan->n_problems; ++p) {
    double *rows = NULL;
    GANNET_TRY(gannet_alloc((size_t)plan->keys.runs * (size_t)plan->problem[p].budget, sizeof *rows,
                            &rows));
    gannet_err err = GANNET_OK;
    for (int k = 0; k < plan->n_methods && err == GANNET_OK; ++k)
      err = store_pair(store, results, p, k, rows);
    gannet_free(&rows);
    GANNET_TRY(err);
    GANNET_TRY(gannet_store_describe(store, plan->problem[p].label, "layout",
                                     "METHOD/quantity [run][evaluation], objectives in the "
                                     "minimised sense, NAN where there is no run"));
  }
  return gannet_store_commit(store);
}

gannet_err suite_results_write(const suite_results *results, const char *directory) {
  char path[PATH_MAX];
  gannet_store *store = NULL;
  GANNET_TRY(gannet_file_print(directory, "results.csv", true, put_evaluations, results));
  GANNET_TRY(gannet_file_print(directory, "summary.csv", true, put_summary, results));
  bool has_fronts = false;
  for (int64_t i = 0; i < results->count; ++i)
    has_fronts = has_fronts || (results->state[i] == SUITE_DONE && results->record[i].n_front > 0);
  if (has_fronts) GANNET_TRY(gannet_file_print(directory, "fronts.csv", true, put_fronts, results));
  GANNET_TRY(gannet_join_path(directory, "results.h5", path, sizeof path));
  GANNET_TRY(gannet_store_create(path, SCHEMA, &store));
  const gannet_err err = store_all(store, results);
  gannet_store_destroy(&store);
  return err;
}
