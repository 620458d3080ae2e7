/* What the runs of a method attained of a front of two objectives.
 *
 * A run attains a point when a design of its front is at least as good in both objectives. The
 * surface of a share s bounds the points that this share of the runs attained (Grunert da Fonseca,
 * Fonseca, Hall 2001), so that the one of a half is the median of the fronts, and those of a
 * quarter and three quarters enclose the middle half of the runs. Only what is better than the
 * thresholds is drawn.
 *
 *   DIR/pictures/PROBLEM.attainment.dat   a block for each method: first objective, then the second
 *                                         one on the surfaces of 1/4, 1/2 and 3/4
 *                PROBLEM.attainment.gp    the drawing as gnuplot's commands
 *                PROBLEM.attainment.svg   where gnuplot is installed
 */
#ifndef GANNET_SUITE_ATTAINMENT_H
#define GANNET_SUITE_ATTAINMENT_H

#include "suite/results.h"

/* Whether there is a picture of a problem: it has two objectives, and a run has a design that is
 * better than both thresholds.
 *
 * Local.
 */
bool suite_attainment_is_known(const suite_results *results, int problem);

/* Name of the picture relative to the directory, with its ending.
 *
 * Local.
 *
 * name  out  [size]
 */
void suite_attainment_name(const suite_results *results, int problem, const char *ending,
                           char *name, size_t size);

/* Write data and commands of a picture that is known.
 *
 * Local.
 */
GANNET_CHECKED gannet_err suite_attainment_write(const suite_results *results, int problem,
                                                 const char *directory);

#endif
