/* What a run is judged by: one value after every evaluation, smaller is better.
 *
 * f is the objective without noise in the minimised sense, f* the best there is (0 where that is
 * not known, so that values stand in the place of regrets), c the violations of the one-sided
 * constraints without noise, [a]+ = max(a, 0).
 *
 * With several objectives minus the hypervolume of the feasible designs so far, up to the
 * thresholds, takes the place of f, and that of the true front the place of f*: the simple regret
 * is the difference of the hypervolumes.
 *
 *   simple      min over evaluations that are feasible of f - f*; infinite before the first
 *   cumulative  sum of f - f*; an evaluation without a result counts as the worst so far
 *   violation   min of [f - f*]+ + sum [c]+ (Neural-CBO, section 4.3)
 *   incumbent   f - f* at the design that looks best by what the method saw, as gannet reports it:
 *               least noisy objective of those that look feasible; infinite before the first, and
 *               while the design is not feasible in truth
 *   targets     1 - the mean over log(evaluations) so far of the share of targets that the simple
 *               regret is below: 51 targets from 100 to 1e-8, evenly in their logarithm
 */
#ifndef GANNET_SUITE_MEASURE_H
#define GANNET_SUITE_MEASURE_H

#include "base/error.h"

typedef enum {
  SUITE_SIMPLE,
  SUITE_CUMULATIVE,
  SUITE_VIOLATION,
  SUITE_INCUMBENT,
  SUITE_TARGETS,
  SUITE_MEASURES
} suite_measure;

/* Names in the order of the enum, NULL-terminated, and what they are called in a report. */
extern const char *const suite_measure_names[];
extern const char *const suite_measure_titles[];

/* Find a measure by name.
 *
 * Local.
 *
 * Errors: GANNET_ERR_NAME with the known names.
 */
GANNET_CHECKED gannet_err suite_measure_find(const char *name, suite_measure *measure);

/* The course of one run, evaluation after evaluation, in the order of proposals. Objectives are in
 * the minimised sense; violations are sums over the one-sided constraints. An evaluation without a
 * result has objectives NAN and violations INFINITY. */
typedef struct {
  int n;                   /* evaluations */
  double *seen, *exact;    /* [n] objective with and without noise */
  double *seen_violation;  /* [n] */
  double *exact_violation; /* [n] */
  double *seconds;         /* [n] time of proposing, shared evenly by the points of a batch */
} suite_course;

/* The arrays of a course as columns of files, and their names. */
enum { SUITE_COURSE_COLUMNS = 5 };
extern const char *const suite_course_names[SUITE_COURSE_COLUMNS];

/* Array of a column.
 *
 * Local.
 */
double *suite_course_column(const suite_course *course, int column);

/* Allocate for n evaluations; release accepts a zeroed struct.
 *
 * Local.
 */
GANNET_CHECKED gannet_err suite_course_create(int n, suite_course *course);
void suite_course_release(suite_course *course);

/* Share of the targets that a regret has reached.
 *
 * Local.
 */
double suite_targets_share(double regret);

/* The measure after each evaluation.
 *
 * Local.
 *
 * optimum  in   f*; NAN = not known
 * values   out  [course->n]
 */
void suite_measure_course(suite_measure measure, const suite_course *course, double optimum,
                          double *values);

#endif
