#include "suite/picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "picture/gnuplot.h"
#include "problem/problem.h"
#include "suite/attainment.h"

/* Regrets below it cannot be told apart on a logarithmic scale. */
static const double floor_of_regrets = 1e-10;

void suite_picture_name(const suite_results *results, int problem, suite_measure measure,
                        const char *ending, char *name, size_t size) {
  (void)snprintf(name, size, "pictures/%s.%s.%s", results->plan->problem[problem].label,
                 suite_measure_names[measure], ending);
}

/* Regrets from a known optimum are shown by their logarithm, but for sums. */
static bool is_logarithmic(const suite_problem *problem, suite_measure measure) {
  return measure != SUITE_CUMULATIVE && measure != SUITE_TARGETS && !isnan(problem->optimum);
}

static void put_value(FILE *out, double value, bool logarithmic) {
  picture_put_number(out, logarithmic && isfinite(value) ? fmax(value, floor_of_regrets) : value);
}

static void put_rows(FILE *out, const suite_curves *curves, int methods, int budget,
                     bool logarithmic) {
  const int step = (budget + SUITE_POINTS_MOST - 1) / SUITE_POINTS_MOST;
  for (int t = step; t < budget + step; t += step) {
    const int at = t < budget ? t : budget;
    (void)fprintf(out, "%d", at);
    for (int k = 0; k < methods; ++k) {
      double *sample = curves[k].values + (size_t)(at - 1) * (size_t)curves[k].n;
      const suite_quartiles q = suite_quartiles_of(curves[k].n, sample);
      put_value(out, q.low, logarithmic);
      put_value(out, q.median, logarithmic);
      put_value(out, q.high, logarithmic);
    }
    (void)fputc('\n', out);
  }
}

typedef struct {
  const suite_results *results;
  int p; /* problem */
  suite_measure measure;
} picture;

static gannet_err put_data(FILE *out, const void *user) {
  const picture *the = user;
  const suite_results *results = the->results;
  const suite_plan *plan = results->plan;
  const suite_problem *problem = &plan->problem[the->p];
  suite_curves *curves = NULL;
  GANNET_TRY(gannet_alloc((size_t)plan->n_methods, sizeof *curves, &curves));
  gannet_err err = GANNET_OK;
  (void)fputs("# evaluation; lower quartile, median, upper quartile of:", out);
  for (int k = 0; k < plan->n_methods && err == GANNET_OK; ++k) {
    (void)fprintf(out, " %s", plan->method[k].label);
    err = suite_curves_get(results, the->p, k, the->measure, &curves[k]);
  }
  (void)fputc('\n', out);
  if (err == GANNET_OK)
    put_rows(out, curves, plan->n_methods, problem->budget, is_logarithmic(problem, the->measure));
  for (int k = 0; k < plan->n_methods; ++k) gannet_free(&curves[k].values);
  gannet_free(&curves);
  return err;
}

static void put_curves(FILE *out, const suite_results *results, int p, const char *data) {
  const suite_plan *plan = results->plan;
  const char *join = "plot ";
  for (int k = 0; k < plan->n_methods; ++k) {
    if (suite_results_done(results, p, k) == 0) continue;
    (void)fprintf(out,
                  "%s'%s' using 1:%d:%d with filledcurves fillcolor rgb '%s' fillstyle transparent "
                  "solid 0.12 noborder notitle",
                  join, data, 3 * k + 2, 3 * k + 4, picture_colors[k % PICTURE_COLORS]);
    join = ", \\\n  ";
  }
  for (int k = 0; k < plan->n_methods; ++k) {
    if (suite_results_done(results, p, k) == 0) continue;
    (void)fprintf(out,
                  "%s'%s' using 1:%d with lines linewidth 2 dashtype %d linecolor rgb '%s' "
                  "title '%s'",
                  join, data, 3 * k + 3, k / PICTURE_COLORS + 1, picture_colors[k % PICTURE_COLORS],
                  plan->method[k].label);
  }
  (void)fputc('\n', out);
}

/* The name of the vertical axis. With several objectives a value is a hypervolume with its sign
 * turned, and its regret a plain difference. */
static const char *name_axis(const suite_plan *plan, int p, suite_measure measure) {
  const suite_cell cell = {.problem = p};
  const bool is_known = !isnan(plan->problem[p].optimum);
  const bool is_front = suite_plan_input(plan, cell)->problem->spec.n_objectives > 0;
  if (is_front && measure == SUITE_SIMPLE)
    return is_known ? "hypervolume of the true front less that attained"
                    : "hypervolume attained, with its sign turned";
  return is_known || measure == SUITE_VIOLATION ? suite_measure_titles[measure]
                                                : "objective (minimised)";
}

static gannet_err put_commands(FILE *out, const void *user) {
  const picture *the = user;
  const suite_results *results = the->results;
  const suite_measure measure = the->measure;
  const int p = the->p;
  const suite_problem *problem = &results->plan->problem[p];
  char data[256], drawing[256];
  suite_picture_name(results, p, measure, "dat", data, sizeof data);
  suite_picture_name(results, p, measure, "svg", drawing, sizeof drawing);
  (void)fprintf(
      out,
      "# gnuplot %s.%s.gp in this directory\n"
      "set terminal svg size 820,460 font 'sans,13' background 'white' noenhanced\n"
      "set output '%s'\n"
      "set title '%s'\nset xlabel 'evaluations'\nset ylabel '%s'\n"
      "set datafile missing NaN\n" /* else bands reach to the bottom where there is none yet */
      "set key outside right top noenhanced\nset grid linecolor rgb '#dddddd'\n"
      "set xrange [0:%d]\n",
      problem->label, suite_measure_names[measure], strchr(drawing, '/') + 1, problem->label,
      name_axis(results->plan, p, measure), problem->budget);
  if (is_logarithmic(problem, measure)) (void)fputs("set logscale y\nset format y '%g'\n", out);
  put_curves(out, results, p, strchr(data, '/') + 1);
  return GANNET_OK;
}

static gannet_err write_file(const picture *the, const char *directory, const char *ending,
                             gannet_file_putter put) {
  char name[256];
  suite_picture_name(the->results, the->p, the->measure, ending, name, sizeof name);
  return gannet_file_print(directory, name, false, put, the);
}

static bool has_runs(const suite_results *results, int p) {
  for (int k = 0; k < results->plan->n_methods; ++k)
    if (suite_results_done(results, p, k) > 0) return true;
  return false;
}

gannet_err suite_pictures_write(const suite_results *results, const char *directory) {
  const suite_plan *plan = results->plan;
  char folder[PATH_MAX];
  GANNET_TRY(gannet_join_path(directory, "pictures", folder, sizeof folder));
  GANNET_TRY(gannet_make_directory(folder));
  for (int p = 0; p < plan->n_problems; ++p) {
    for (int m = 0; m < plan->problem[p].n_measures && has_runs(results, p); ++m) {
      const picture the = {results, p, plan->problem[p].measure[m]};
      GANNET_TRY(write_file(&the, directory, "dat", put_data));
      GANNET_TRY(write_file(&the, directory, "gp", put_commands));
    }
    if (suite_attainment_is_known(results, p))
      GANNET_TRY(suite_attainment_write(results, p, directory));
  }
  return GANNET_OK;
}

gannet_err suite_pictures_draw(const suite_results *results, const char *directory,
                               gannet_launcher *launcher, char *why, size_t size) {
  const suite_plan *plan = results->plan;
  char folder[PATH_MAX], name[256];
  gannet_tool_end end;
  why[0] = '\0';
  GANNET_TRY(gannet_join_path(directory, "pictures", folder, sizeof folder));
  for (int p = 0; p < plan->n_problems; ++p) {
    const int measures = has_runs(results, p) ? plan->problem[p].n_measures : 0;
    const int pictures = measures + suite_attainment_is_known(results, p);
    for (int m = 0; m < pictures && !why[0]; ++m) {
      if (m < measures)
        suite_picture_name(results, p, plan->problem[p].measure[m], "gp", name, sizeof name);
      else
        suite_attainment_name(results, p, "gp", name, sizeof name);
      GANNET_TRY(picture_draw(launcher, folder, strchr(name, '/') + 1, &end));
      (void)snprintf(why, size, "%s", end.why);
    }
  }
  return GANNET_OK;
}
