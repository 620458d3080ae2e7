#include "suite/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "gannet/version.h"
#include "problem/objectives.h"
#include "problem/problem.h"
#include "suite/attainment.h"
#include "suite/compare.h"
#include "suite/document.h"
#include "suite/picture.h"

enum { CELL_SIZE = 96 };

/* The row of a table that is being filled. */
typedef struct {
  int n, capacity;         /* cells */
  char (*text)[CELL_SIZE]; /* [capacity] */
  const char **cell;       /* [capacity] the texts, as a document takes them */
} table_row;

typedef struct {
  const suite_results *results;
  const suite_tests *tests;
  const char *directory;
  char no_pictures[256]; /* why there are none; "" = there are */
  suite_document document;
  table_row row;
  bool *has_runs; /* [n_methods] done or failed; tables leave out methods that --only did not choose
                   */
} reporter;

/* A cell that begins with '*' is shown in bold; those that are too many are left out. */
GANNET_PRINTF(2, 3) static void add_cell(reporter *r, const char *format, ...) {
  table_row *row = &r->row;
  va_list arguments;
  if (row->n == row->capacity) return;
  va_start(arguments, format);
  (void)vsnprintf(row->text[row->n], CELL_SIZE, format, arguments);
  va_end(arguments);
  row->cell[row->n] = row->text[row->n];
  row->n += 1;
}

/* "1.2 (0.9 - 1.4)", or a dash where there is no median. */
static void add_quartiles(reporter *r, suite_quartiles q, bool bold) {
  if (isnan(q.median))
    add_cell(r, "-");
  else
    add_cell(r, "%s%.3g (%.3g - %.3g)", bold ? "*" : "", q.median, q.low, q.high);
}

/* The row of a table is complete: write it, and begin the next one. */
static void put_row(reporter *r) {
  suite_document_row(&r->document, r->row.n, r->row.cell);
  r->row.n = 0;
}

static void put_header(reporter *r) {
  suite_document_header(&r->document, r->row.n, r->row.cell);
  r->row.n = 0;
}

static void add_method_labels(reporter *r) {
  const suite_plan *plan = r->results->plan;
  for (int k = 0; k < plan->n_methods; ++k)
    if (r->has_runs[k]) add_cell(r, "%.60s", plan->method[k].label);
}

/* Problems on which no other method is better, of those on which the method was run. */
static void count_unbeaten(const reporter *r, int method, int *unbeaten, int *problems) {
  const suite_plan *plan = r->results->plan;
  *unbeaten = *problems = 0;
  for (int p = 0; p < plan->n_problems; ++p) {
    bool beaten = false;
    if (suite_results_done(r->results, p, method) == 0) continue;
    for (int other = 0; other < plan->n_methods; ++other)
      beaten = beaten || suite_tests_verdict(r->tests, p, method, other, plan->keys.level) < 0;
    *problems += 1;
    *unbeaten += !beaten;
  }
}

static gannet_err put_average_ranks(reporter *r) {
  const suite_plan *plan = r->results->plan;
  double *ranks = NULL;
  int n = 0;
  GANNET_TRY(gannet_alloc((size_t)plan->n_tables * (size_t)plan->n_methods, sizeof *ranks, &ranks));
  const gannet_err err = suite_average_ranks(r->results, ranks, &n);
  if (err != GANNET_OK) {
    gannet_free(&ranks);
    return err;
  }
  suite_document_heading(&r->document, 2, "Average rank");
  suite_document_text(&r->document,
                      "Mean over %d problems of the rank of the median by the first measure, at "
                      "parts of the budget; and the problems on which no other method is better "
                      "after the whole budget.",
                      n);
  add_cell(r, "method");
  for (int t = 0; t < plan->n_tables; ++t) add_cell(r, "at %.40s", plan->table_label[t]);
  add_cell(r, "unbeaten");
  put_header(r);
  for (int k = 0; k < plan->n_methods; ++k) {
    int unbeaten = 0, problems = 0;
    if (!r->has_runs[k]) continue;
    add_cell(r, "%.60s", plan->method[k].label);
    for (int t = 0; t < plan->n_tables; ++t) {
      const double *at = ranks + t * plan->n_methods;
      double best = INFINITY;
      for (int other = 0; other < plan->n_methods; ++other) best = fmin(best, at[other]);
      if (isnan(at[k]))
        add_cell(r, "-");
      else
        add_cell(r, "%s%.2f", at[k] == best ? "*" : "", at[k]);
    }
    count_unbeaten(r, k, &unbeaten, &problems);
    add_cell(r, "%d of %d", unbeaten, problems);
    put_row(r);
  }
  suite_document_table_end(&r->document);
  gannet_free(&ranks);
  return GANNET_OK;
}

static void put_wins(reporter *r) {
  const suite_plan *plan = r->results->plan;
  suite_document_heading(&r->document, 2, "Wins, ties and losses");
  suite_document_text(
      &r->document,
      "Number of problems on which the method of the row is better than, not "
      "distinguishable from, and worse than that of the column, after the whole budget.");
  add_cell(r, " ");
  add_method_labels(r);
  put_header(r);
  for (int a = 0; a < plan->n_methods; ++a) {
    if (!r->has_runs[a]) continue;
    add_cell(r, "%.60s", plan->method[a].label);
    for (int b = 0; b < plan->n_methods; ++b) {
      int count[3] = {0};
      if (!r->has_runs[b]) continue;
      for (int p = 0; p < plan->n_problems; ++p)
        if (suite_results_done(r->results, p, a) > 0 && suite_results_done(r->results, p, b) > 0)
          count[1 - suite_tests_verdict(r->tests, p, a, b, plan->keys.level)] += 1;
      if (a == b)
        add_cell(r, " ");
      else
        add_cell(r, "%s%d/%d/%d", count[0] > count[2] ? "*" : "", count[0], count[1], count[2]);
    }
    put_row(r);
  }
  suite_document_table_end(&r->document);
}

static gannet_err put_times(reporter *r) {
  const suite_plan *plan = r->results->plan;
  suite_document_heading(&r->document, 2, "Time per proposed point");
  suite_document_text(&r->document,
                      "In milliseconds, on one rank, over all points of all runs: median and "
                      "quartiles. Simulations do not count.");
  add_cell(r, "method");
  add_cell(r, "ms per point");
  put_header(r);
  for (int k = 0; k < plan->n_methods; ++k) {
    suite_quartiles q;
    if (!r->has_runs[k]) continue;
    GANNET_TRY(suite_results_seconds(r->results, -1, k, &q));
    add_cell(r, "%.60s", plan->method[k].label);
    add_quartiles(r, (suite_quartiles){1e3 * q.low, 1e3 * q.median, 1e3 * q.high}, false);
    put_row(r);
  }
  suite_document_table_end(&r->document);
  return GANNET_OK;
}

static void describe_problem(reporter *r, int p) {
  const suite_problem *problem = &r->results->plan->problem[p];
  const gannet_problem *space = r->results->plan->input[p * r->results->plan->n_methods]->problem;
  const bool maximize = space->spec.goal == GANNET_MAXIMIZE;
  char noise[64] = "none", optimum[64];
  (void)snprintf(optimum, sizeof optimum, "not known, so %svalues stand for regrets",
                 maximize ? "negated " : "");
  if (problem->noise_sd > 0)
    (void)snprintf(noise, sizeof noise, "standard deviation %.3g", problem->noise_sd);
  const bool is_single = space->spec.n_objectives == 0;
  if (!isnan(problem->optimum))
    (void)snprintf(optimum, sizeof optimum, "%.8g",
                   is_single ? gannet_problem_flip(space, problem->optimum) : -problem->optimum);
  suite_document_text(&r->document,
                      "%d variables, %d constraints, %d evaluations in batches of %d. %s: "
                      "%s. Noise: %s%s.",
                      space->spec.n_variables, gannet_problem_n_bounded(space), problem->budget,
                      problem->batch, is_single ? "Best value" : "Hypervolume of the true front",
                      optimum, noise, problem->constraint_sd ? ", and on the constraints" : "");
  if (problem->skipped)
    suite_document_text(&r->document, "Left out on this machine: %s.", problem->skipped);
}

/* Quartiles of every method at every budget: [n_methods][n_tables]. */
static gannet_err find_quartiles(const reporter *r, int p, suite_measure measure,
                                 suite_quartiles *all) {
  const suite_plan *plan = r->results->plan;
  for (int k = 0; k < plan->n_methods; ++k) {
    suite_curves curves;
    GANNET_TRY(suite_curves_get(r->results, p, k, measure, &curves));
    for (int t = 0; t < plan->n_tables; ++t) {
      const size_t first = (size_t)(plan->problem[p].table[t] - 1) * (size_t)curves.n;
      all[k * plan->n_tables + t] = suite_quartiles_of(curves.n, curves.values + first);
    }
    gannet_free(&curves.values);
  }
  return GANNET_OK;
}

static gannet_err put_quartile_table(reporter *r, int p, const suite_quartiles *all) {
  const suite_plan *plan = r->results->plan;
  add_cell(r, "method");
  for (int t = 0; t < plan->n_tables; ++t) add_cell(r, "after %d", plan->problem[p].table[t]);
  add_cell(r, "runs");
  add_cell(r, "ms per point");
  put_header(r);
  for (int k = 0; k < plan->n_methods; ++k) {
    suite_quartiles seconds;
    if (!r->has_runs[k]) continue;
    add_cell(r, "%.60s", plan->method[k].label);
    for (int t = 0; t < plan->n_tables; ++t) {
      double best = INFINITY;
      for (int other = 0; other < plan->n_methods; ++other)
        best = fmin(best, all[other * plan->n_tables + t].median);
      const suite_quartiles q = all[k * plan->n_tables + t];
      add_quartiles(r, q, q.median == best);
    }
    GANNET_TRY(suite_results_seconds(r->results, p, k, &seconds));
    add_cell(r, "%d", suite_results_done(r->results, p, k));
    if (isnan(seconds.median))
      add_cell(r, "-");
    else
      add_cell(r, "%.3g", 1e3 * seconds.median);
    put_row(r);
  }
  suite_document_table_end(&r->document);
  return GANNET_OK;
}

static gannet_err put_measure(reporter *r, int p, suite_measure measure) {
  const suite_plan *plan = r->results->plan;
  char name[256], caption[512];
  suite_quartiles *all = NULL;
  const bool maximize = plan->input[p * plan->n_methods]->problem->spec.goal == GANNET_MAXIMIZE;
  const char *title = suite_measure_titles[measure];
  suite_document_text(&r->document, "By %s%s:", title,
                      !isnan(plan->problem[p].optimum) ? ""
                      : maximize ? " (negated values, the optimum not being known)"
                                 : " (values, the optimum not being known)");
  suite_picture_name(r->results, p, measure, "svg", name, sizeof name);
  (void)snprintf(caption, sizeof caption, "%s: %s, median and quartiles", plan->problem[p].label,
                 title);
  if (!r->no_pictures[0]) suite_document_picture(&r->document, r->directory, name, caption);
  GANNET_TRY(gannet_alloc((size_t)plan->n_methods * (size_t)plan->n_tables, sizeof *all, &all));
  gannet_err err = find_quartiles(r, p, measure, all);
  if (err == GANNET_OK) err = put_quartile_table(r, p, all);
  gannet_free(&all);
  return err;
}

/* "0.0012 / 0.03": Welch and Wilcoxon. */
static void put_tests(reporter *r, int p) {
  const suite_plan *plan = r->results->plan;
  const int methods = plan->n_methods;
  suite_document_text(&r->document,
                      "Tests that the row is better than the column after all evaluations, by %s: "
                      "p-values of Welch's t-test / Wilcoxon's rank-sum test, corrected for the "
                      "number of tests.",
                      suite_measure_titles[plan->problem[p].measure[0]]);
  add_cell(r, " ");
  add_method_labels(r);
  put_header(r);
  for (int a = 0; a < methods; ++a) {
    if (!r->has_runs[a]) continue;
    add_cell(r, "%.60s", plan->method[a].label);
    for (int b = 0; b < methods; ++b) {
      if (!r->has_runs[b]) continue;
      const size_t at = ((size_t)p * (size_t)methods + (size_t)a) * (size_t)methods + (size_t)b;
      const double welch = r->tests->welch_adjusted[at], rank = r->tests->wilcoxon_adjusted[at];
      const bool better = rank <= plan->keys.level;
      if (isnan(rank))
        add_cell(r, " ");
      else if (isnan(welch))
        add_cell(r, "%s- / %.2g", better ? "*" : "", rank);
      else
        add_cell(r, "%s%.2g / %.2g", better ? "*" : "", welch, rank);
    }
    put_row(r);
  }
  suite_document_table_end(&r->document);
}

static gannet_err put_problem(reporter *r, int p) {
  const suite_plan *plan = r->results->plan;
  int done = 0;
  for (int k = 0; k < plan->n_methods; ++k) done += suite_results_done(r->results, p, k);
  suite_document_heading(&r->document, 2, plan->problem[p].label);
  describe_problem(r, p);
  if (done == 0) {
    suite_document_text(&r->document, "No run is done.");
    return GANNET_OK;
  }
  for (int m = 0; m < plan->problem[p].n_measures; ++m)
    GANNET_TRY(put_measure(r, p, plan->problem[p].measure[m]));
  if (!r->no_pictures[0] && suite_attainment_is_known(r->results, p)) {
    char name[256], caption[512];
    suite_attainment_name(r->results, p, "svg", name, sizeof name);
    (void)snprintf(caption, sizeof caption,
                   "%s: what half of the runs attained, and between what a quarter and three "
                   "quarters did",
                   plan->problem[p].label);
    suite_document_picture(&r->document, r->directory, name, caption);
  }
  put_tests(r, p);
  return GANNET_OK;
}

/* Say how many runs there are, and how to read the tables. */
static void put_counts(reporter *r) {
  const suite_plan *plan = r->results->plan;
  int64_t count[SUITE_SKIPPED + 1] = {0};
  char versions[200];
  suite_results_list_versions(r->results, versions, sizeof versions);
  for (int64_t i = 0; i < r->results->count; ++i) count[r->results->state[i]] += 1;
  suite_document_text(&r->document,
                      "%d problems, %d methods, %d runs of each; seeds from %" PRId64
                      ". Of %" PRId64 " runs %" PRId64 " are done, %" PRId64 " failed, %" PRId64
                      " are missing, %" PRId64 " are left out. Version %s of gannet%s.",
                      plan->n_problems, plan->n_methods, plan->keys.runs, plan->keys.first_seed,
                      r->results->count, count[SUITE_DONE], count[SUITE_FAILED],
                      count[SUITE_MISSING] + count[SUITE_CHANGED] + count[SUITE_DAMAGED],
                      count[SUITE_SKIPPED], *versions ? versions : GANNET_VERSION,
                      strchr(versions, ',') ? ", between which methods may have changed" : "");
  suite_document_text(
      &r->document,
      "Every table gives medians with quartiles over the runs; smaller is better. A method is "
      "called better than another on a problem when Wilcoxon's one-sided rank-sum test says so at "
      "a rate of false discoveries of %g, all tests of the suite being taken together (Benjamini "
      "and Hochberg).",
      plan->keys.level);
  if (r->no_pictures[0])
    suite_document_text(&r->document,
                        "Pictures are missing: %s. The data and the commands for gnuplot (Debian "
                        "package gnuplot-nox) are in pictures/; gannet bench --report draws them "
                        "where it is installed.",
                        r->no_pictures);
}

/* Runs that are not in the tables, and why. */
static void put_absent(reporter *r) {
  const suite_plan *plan = r->results->plan;
  static const char *const header[] = {"problem", "method", "seed", "state", "reason"};
  bool begun = false;
  for (int64_t i = 0; i < r->results->count; ++i) {
    const suite_cell cell = suite_plan_cell(plan, i);
    const suite_state state = r->results->state[i];
    char seed[32];
    if (state != SUITE_FAILED && state != SUITE_DAMAGED && state != SUITE_CHANGED) continue;
    if (!begun) {
      suite_document_heading(&r->document, 2, "Runs that do not count");
      suite_document_header(&r->document, 5, header);
    }
    begun = true;
    (void)snprintf(seed, sizeof seed, "%" PRId64, cell.seed);
    const char *const row[] = {plan->problem[cell.problem].label, plan->method[cell.method].label,
                               seed, suite_state_names[state], r->results->record[i].reason};
    suite_document_row(&r->document, 5, row);
  }
  if (begun) suite_document_table_end(&r->document);
}

static gannet_err write_report(reporter *r, suite_results *results, suite_tests *tests,
                               gannet_launcher *launcher) {
  const suite_plan *plan = results->plan;
  const int most = plan->n_methods > plan->n_tables ? plan->n_methods : plan->n_tables;
  char title[256];
  GANNET_TRY(suite_results_load(plan, r->directory, results));
  GANNET_TRY(suite_results_write(results, r->directory));
  GANNET_TRY(suite_tests_make(results, tests));
  GANNET_TRY(suite_tests_write(tests, r->directory));
  GANNET_TRY(suite_pictures_write(results, r->directory));
  GANNET_TRY(
      suite_pictures_draw(results, r->directory, launcher, r->no_pictures, sizeof r->no_pictures));
  r->row.capacity = most + 3; /* the longest table has methods or budgets, and three columns more */
  GANNET_TRY(gannet_alloc((size_t)r->row.capacity, sizeof *r->row.text, &r->row.text));
  GANNET_TRY(gannet_alloc((size_t)r->row.capacity, sizeof *r->row.cell, &r->row.cell));
  GANNET_TRY(gannet_alloc((size_t)plan->n_methods, sizeof *r->has_runs, &r->has_runs));
  suite_results_find_methods(results, true, r->has_runs);
  (void)snprintf(title, sizeof title, "Benchmark %s", plan->keys.name);
  GANNET_TRY(suite_document_begin(title, &r->document));
  put_counts(r);
  GANNET_TRY(put_average_ranks(r));
  put_wins(r);
  GANNET_TRY(put_times(r));
  for (int p = 0; p < plan->n_problems; ++p) GANNET_TRY(put_problem(r, p));
  put_absent(r);
  return suite_document_end(&r->document, r->directory);
}

gannet_err suite_report_make(const suite_plan *plan, const char *directory,
                             gannet_launcher *launcher) {
  suite_results results = {.plan = plan};
  suite_tests tests = {0};
  reporter r = {.results = &results, .tests = &tests, .directory = directory};
  const gannet_err err = write_report(&r, &results, &tests, launcher);
  gannet_free(&r.row.text);
  gannet_free(&r.row.cell);
  gannet_free(&r.has_runs);
  suite_document_cancel(&r.document);
  suite_tests_release(&tests);
  suite_results_release(&results);
  return err;
}
