/* The front of a history with several objectives: the feasible designs that no other one dominates,
 * and the point up to which hypervolumes are measured. Where runs are joined (problem/runs.h) the
 * values of a design are the means of its runs, and it is called by the first run that counts.
 */
#ifndef GANNET_PROBLEM_FRONT_H
#define GANNET_PROBLEM_FRONT_H

#include "problem/history.h"

typedef struct {
  int n, m;    /* designs of the front; objectives */
  int64_t *id; /* [n] ascending */
  double *y;   /* [n][m] minimised */
  /* Of each objective, [m]: */
  double ideal[GANNET_OBJECTIVES_MOST];     /* its least value on the front */
  double range[GANNET_OBJECTIVES_MOST];     /* > 0; where the front has none, of other results */
  double reference[GANNET_OBJECTIVES_MOST]; /* minimised, finite */
  bool is_chosen[GANNET_OBJECTIVES_MOST];   /* the problem states no threshold, so that the
                                               reference follows from the results */
  double hypervolume; /* of the front up to the reference; NAN where it is larger than any number,
                         and before gannet_front_measure */
  double log_hypervolume; /* its natural logarithm, finite where it is no number, too; -INFINITY =
                             nothing is better than the reference in every objective; NAN before
                             gannet_front_measure */
} gannet_front;

/* Where a value of objective k, minimised, lies on a scale that is 0 at the ideal and 1 one range
 * beyond it. Values of 1e308 do not overflow.
 *
 * Local.
 */
double gannet_front_in_ranges(const gannet_front *front, int k, double y);

enum { GANNET_HYPERVOLUME_TEXT = 32 };

/* Find the front. Of several objectives results with a penalty (gannet_history_is_penalty) are left
 * out of everything here. The reference point consists of the thresholds of the problem; where an
 * objective has none, it is the worst value of the front plus a tenth of the front's range. While
 * the front has no range the range of all feasible results counts, then that of all results, then
 * the size of the value. While nothing is feasible, all results take the place of the front for the
 * reference, ideal and range.
 *
 * Local.
 *
 * front  out  zeroed or found before; to be released, also after an error
 *
 * Errors: GANNET_ERR_MEMORY.
 * Cost: that of gannet_pareto_front.
 */
GANNET_CHECKED gannet_err gannet_front_find(const gannet_history *history, gannet_front *front);
void gannet_front_release(gannet_front *front);

/* The same of the first results only, from which a course is drawn.
 *
 * Local.
 *
 * n          in  results in the order in which they were told, <= gannet_history_count_told
 * reference  in  [m] minimised; NULL = as gannet_front_find has it
 */
GANNET_CHECKED gannet_err gannet_front_find_before(const gannet_history *history, int64_t n,
                                                   const double *reference, gannet_front *front);

/* Measure the hypervolume of a front that was found. No proposal needs it, and of a large front of
 * five objectives it takes a second.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 * Cost: that of gannet_hypervolume.
 */
GANNET_CHECKED gannet_err gannet_front_measure(gannet_front *front);

/* Write a hypervolume: "0.412", and "4.12e+600" where it is larger than any number or so small that
 * it is 0 as a number; these have 12 digits at most.
 *
 * Local.
 *
 * digits  in   significant ones, 1 .. 17
 * text    out  [GANNET_HYPERVOLUME_TEXT]
 */
void gannet_hypervolume_format(double hypervolume, double log_hypervolume, int digits, char *text);

/* The designs of a front, best in the first objective first; the lower id on a tie.
 *
 * Local.
 *
 * ids  out  [n]
 */
GANNET_CHECKED gannet_err gannet_front_order(const gannet_front *front, int64_t *ids);

/* The position in a front of the design where it bends most (pareto/front.h); -1 when it is empty.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_front_knee(const gannet_front *front, int *knee);

#endif
