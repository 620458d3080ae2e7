#include "suite/measure.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"

const char *const suite_measure_names[] = {"simple",    "cumulative", "violation",
                                           "incumbent", "targets",    NULL};
const char *const suite_measure_titles[] = {"simple regret",
                                            "cumulative regret",
                                            "best positive regret plus violation",
                                            "regret of the reported incumbent",
                                            "share of targets missed",
                                            NULL};

gannet_err suite_measure_find(const char *name, suite_measure *measure) {
  for (int i = 0; i < SUITE_MEASURES; ++i)
    if (strcmp(name, suite_measure_names[i]) == 0) {
      *measure = (suite_measure)i;
      return GANNET_OK;
    }
  const char *near = gannet_nearest(name, suite_measure_names);
  return GANNET_RAISE(GANNET_ERR_NAME,
                      "unknown measure '%.60s'%s%s%s; known: simple cumulative violation incumbent "
                      "targets",
                      name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

const char *const suite_course_names[SUITE_COURSE_COLUMNS] = {"seen", "exact", "seen_violation",
                                                              "exact_violation", "seconds"};

double *suite_course_column(const suite_course *course, int column) {
  double *const all[SUITE_COURSE_COLUMNS] = {course->seen, course->exact, course->seen_violation,
                                             course->exact_violation, course->seconds};
  return all[column];
}

gannet_err suite_course_create(int n, suite_course *course) {
  const size_t count = (size_t)n;
  course->n = n;
  GANNET_TRY(gannet_alloc(count, sizeof(double), &course->seen));
  GANNET_TRY(gannet_alloc(count, sizeof(double), &course->exact));
  GANNET_TRY(gannet_alloc(count, sizeof(double), &course->seen_violation));
  GANNET_TRY(gannet_alloc(count, sizeof(double), &course->exact_violation));
  return gannet_alloc(count, sizeof(double), &course->seconds);
}

void suite_course_release(suite_course *course) {
  gannet_free(&course->seen);
  gannet_free(&course->exact);
  gannet_free(&course->seen_violation);
  gannet_free(&course->exact_violation);
  gannet_free(&course->seconds);
  course->n = 0;
}

static void simple(const suite_course *c, double least, double *values) {
  double best = INFINITY;
  for (int i = 0; i < c->n; ++i) {
    if (c->exact_violation[i] <= 0) best = fmin(best, c->exact[i] - least);
    values[i] = best;
  }
}

/* An evaluation without a result counts as the worst so far; before the first result, as that one.
 */
static void cumulative(const suite_course *c, double least, double *values) {
  double sum = 0, worst = NAN;
  for (int i = c->n - 1; i >= 0; --i)
    if (!isnan(c->exact[i])) worst = c->exact[i];
  for (int i = 0; i < c->n; ++i) {
    const double f = isnan(c->exact[i]) ? worst : c->exact[i];
    worst = fmax(worst, f);
    sum += f - least;
    values[i] = isnan(sum) ? INFINITY : sum;
  }
}

static void violation(const suite_course *c, double least, double *values) {
  double best = INFINITY;
  for (int i = 0; i < c->n; ++i) {
    if (!isnan(c->exact[i]))
      best = fmin(best, fmax(c->exact[i] - least, 0) + c->exact_violation[i]);
    values[i] = best;
  }
}

/* The incumbent after every evaluation, chosen as gannet_history_best does: the first of the least
 * objectives that look feasible. */
static void incumbent(const suite_course *c, double least, double *values) {
  int at = -1;
  for (int i = 0; i < c->n; ++i) {
    const bool looks_feasible = !isnan(c->seen[i]) && c->seen_violation[i] <= 0;
    if (looks_feasible && (at < 0 || c->seen[i] < c->seen[at])) at = i;
    values[i] = at < 0 || c->exact_violation[at] > 0 ? INFINITY : c->exact[at] - least;
  }
}

double suite_targets_share(double regret) {
  enum { TARGETS = 51 };
  int reached = 0;
  for (int t = 0; t < TARGETS; ++t) reached += regret <= pow(10, 2 - 0.2 * t);
  return (double)reached / TARGETS;
}

static void targets(const suite_course *c, double least, double *values) {
  double area = 0;
  simple(c, least, values);
  for (int i = 0; i < c->n; ++i) {
    area += suite_targets_share(values[i]) * log((i + 2.0) / (i + 1));
    values[i] = 1 - area / log(i + 2.0);
  }
}

void suite_measure_course(suite_measure measure, const suite_course *course, double optimum,
                          double *values) {
  typedef void (*rule)(const suite_course *, double, double *);
  static const rule rules[] = {simple, cumulative, violation, incumbent, targets};
  rules[measure](course, isnan(optimum) ? 0 : optimum, values);
}
