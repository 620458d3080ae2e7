#include "suite/attainment.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "picture/gnuplot.h"
#include "problem/objectives.h"
#include "suite/statistics.h"

enum { SHARES = 3 };
static const double shares[SHARES] = {0.25, 0.5, 0.75};

typedef struct {
  const suite_results *results;
  int problem;
} picture;

static const gannet_problem *space_of(const suite_results *results, int problem) {
  const suite_cell cell = {.problem = problem};
  return suite_plan_input(results->plan, cell)->problem;
}

/* The next done run of a problem with a method from run *at on; NULL = there is none. */
static const suite_record *next_run(const suite_results *results, int problem, int method,
                                    int *at) {
  const suite_plan *plan = results->plan;
  const int64_t first = ((int64_t)problem * plan->n_methods + method) * plan->keys.runs;
  for (; *at < plan->keys.runs; ++*at) {
    const suite_record *record = &results->record[first + *at];
    if (results->state[first + *at] != SUITE_DONE || record->n_objectives != 2) continue;
    ++*at;
    return record;
  }
  return NULL;
}

static void find_reference(const gannet_problem *space, double reference[2]) {
  for (int m = 0; m < 2; ++m)
    reference[m] = gannet_problem_flip_objective(space, m, space->spec.objectives[m].threshold);
}

/* Least second objective, below the reference, where the first one is x at most; INFINITY = none.
 */
static double attained(const suite_record *record, const double reference[2], double x) {
  double least = INFINITY;
  for (int i = 0; i < record->n_front; ++i) {
    const double *y = record->front + (size_t)i * 2;
    if (y[0] <= x && y[0] < reference[0] && y[1] < reference[1]) least = fmin(least, y[1]);
  }
  return least;
}

static bool has_surface(const suite_results *results, int problem, int method) {
  const suite_record *record;
  double reference[2];
  find_reference(space_of(results, problem), reference);
  for (int at = 0; (record = next_run(results, problem, method, &at));)
    if (isfinite(attained(record, reference, INFINITY))) return true;
  return false;
}

bool suite_attainment_is_known(const suite_results *results, int problem) {
  if (space_of(results, problem)->spec.n_objectives != 2) return false;
  for (int k = 0; k < results->plan->n_methods; ++k)
    if (has_surface(results, problem, k)) return true;
  return false;
}

void suite_attainment_name(const suite_results *results, int problem, const char *ending,
                           char *name, size_t size) {
  (void)snprintf(name, size, "pictures/%s.attainment.%s", results->plan->problem[problem].label,
                 ending);
}

static void put_corner(FILE *out, const gannet_problem *space, double x, const double *y) {
  picture_put_number(out, gannet_problem_flip_objective(space, 0, x));
  for (int i = 0; i < SHARES; ++i)
    picture_put_number(out, gannet_problem_flip_objective(space, 1, y[i]));
  (void)fputc('\n', out);
}

/* The surfaces of a method are stairs, of which both ends of every step are written.
 *
 * xs      in   [n] ascending: the steps
 * sample  out  [runs] scratch
 */
static void put_stairs(FILE *out, const picture *the, int method, int n, const double *xs,
                       double *sample) {
  const gannet_problem *space = space_of(the->results, the->problem);
  double reference[2], before[SHARES] = {INFINITY, INFINITY, INFINITY}, now[SHARES];
  find_reference(space, reference);
  for (int i = 0; i < n; ++i) {
    const suite_record *record;
    int runs = 0;
    for (int at = 0; (record = next_run(the->results, the->problem, method, &at));)
      sample[runs++] = attained(record, reference, xs[i]);
    suite_sort(runs, sample);
    for (int s = 0; s < SHARES; ++s) now[s] = sample[(int)ceil(shares[s] * runs) - 1];
    if (memcmp(now, before, sizeof now) == 0) continue;
    if (i > 0) put_corner(out, space, xs[i], before);
    put_corner(out, space, xs[i], now);
    memcpy(before, now, sizeof now);
  }
  put_corner(out, space, reference[0], before);
}

/* The values of the first objective at which a run attains more. */
static gannet_err put_surfaces(FILE *out, const picture *the, int method) {
  const suite_results *results = the->results;
  const suite_record *record;
  double reference[2], *xs = NULL, *sample = NULL;
  size_t n = 0, most = 0;
  find_reference(space_of(results, the->problem), reference);
  for (int at = 0; (record = next_run(results, the->problem, method, &at));)
    most += (size_t)record->n_front;
  gannet_err err = gannet_alloc(most, sizeof *xs, &xs);
  if (err == GANNET_OK)
    err = gannet_alloc((size_t)results->plan->keys.runs, sizeof *sample, &sample);
  for (int at = 0; err == GANNET_OK && (record = next_run(results, the->problem, method, &at));)
    for (int i = 0; i < record->n_front; ++i)
      if (record->front[2 * i] < reference[0] && record->front[2 * i + 1] < reference[1])
        xs[n++] = record->front[2 * i];
  if (err == GANNET_OK) {
    suite_sort((int)n, xs);
    put_stairs(out, the, method, (int)n, xs, sample);
  }
  gannet_free(&xs);
  gannet_free(&sample);
  return err;
}

static gannet_err put_data(FILE *out, const void *user) {
  const picture *the = user;
  const suite_plan *plan = the->results->plan;
  const gannet_problem *space = space_of(the->results, the->problem);
  (void)fprintf(out, "# %s, and %s attained by 1/4, 1/2 and 3/4 of the runs; a block for each of:",
                space->spec.objectives[0].name, space->spec.objectives[1].name);
  for (int k = 0; k < plan->n_methods; ++k)
    if (has_surface(the->results, the->problem, k))
      (void)fprintf(out, " %s", plan->method[k].label);
  for (int k = 0; k < plan->n_methods; ++k) {
    if (!has_surface(the->results, the->problem, k)) continue;
    (void)fputs("\n\n\n", out);
    GANNET_TRY(put_surfaces(out, the, k));
  }
  return GANNET_OK;
}

static gannet_err put_commands(FILE *out, const void *user) {
  const picture *the = user;
  const suite_plan *plan = the->results->plan;
  const char *label = plan->problem[the->problem].label;
  const gannet_objective *objectives = space_of(the->results, the->problem)->spec.objectives;
  int block = 0;
  (void)fprintf(out,
                "# gnuplot %s.attainment.gp in this directory\n"
                "set terminal svg size 820,460 font 'sans,13' background 'white' noenhanced\n"
                "set output '%s.attainment.svg'\n"
                "set title '%s'\nset xlabel '%s, %s is better'\nset ylabel '%s, %s is better'\n"
                "set datafile missing NaN\n"
                "set key outside right top noenhanced\nset grid linecolor rgb '#dddddd'\nplot ",
                label, label, label, objectives[0].name,
                objectives[0].goal == GANNET_MAXIMIZE ? "more" : "less", objectives[1].name,
                objectives[1].goal == GANNET_MAXIMIZE ? "more" : "less");
  for (int k = 0; k < plan->n_methods; ++k) {
    const char *color = picture_colors[k % PICTURE_COLORS];
    if (!has_surface(the->results, the->problem, k)) continue;
    (void)fprintf(out,
                  "%s'%s.attainment.dat' index %d using 1:2:4 with filledcurves fillcolor rgb '%s' "
                  "fillstyle transparent solid 0.12 noborder notitle, \\\n"
                  "  '' index %d using 1:3 with lines linewidth 2 dashtype %d linecolor rgb '%s' "
                  "title '%s'",
                  block > 0 ? ", \\\n  " : "", label, block, color, block, k / PICTURE_COLORS + 1,
                  color, plan->method[k].label);
    block += 1;
  }
  (void)fputc('\n', out);
  return GANNET_OK;
}

gannet_err suite_attainment_write(const suite_results *results, int problem,
                                  const char *directory) {
  const picture the = {results, problem};
  char name[256];
  suite_attainment_name(results, problem, "dat", name, sizeof name);
  GANNET_TRY(gannet_file_print(directory, name, false, put_data, &the));
  suite_attainment_name(results, problem, "gp", name, sizeof name);
  GANNET_TRY(gannet_file_print(directory, name, false, put_commands, &the));
  return GANNET_OK;
}
