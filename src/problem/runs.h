/* Runs of one design: rows of a history with the same point.
 *
 * A history that joins runs (gannet_history_join_runs) takes rows with equal values of all
 * variables for runs of one design, and compares designs by the means of their runs. In any other
 * history every row is a design of its own.
 */
#ifndef GANNET_PROBLEM_RUNS_H
#define GANNET_PROBLEM_RUNS_H

#include "problem/history.h"

/* What the runs of a design say together. A run counts when it is done and has its objective and
 * all constraints. */
typedef struct {
  int64_t n_asked;  /* rows of the design, but for discarded ones */
  int64_t n;        /* runs that count */
  int64_t id;       /* the first of these, by which the design is called; -1 = none */
  bool is_waiting;  /* a run is pending */
  bool is_bad;      /* the simulation does not work at the design (gannet_history_is_bad) */
  double objective; /* mean of the runs that count, in the user's sense and units; NAN = none */
  double error;     /* standard error of that mean, NAN = unknown: s / sqrt(n) with the sample
                       standard deviation s; where every run has told its standard deviation sd_i,
                       the mean is weighted by 1 / sd_i^2 and this is (sum 1 / sd_i^2)^(-1/2) */
  double violation; /* summed violation of the constraints by their means, in their units; NAN =
                       no run counts */
} gannet_runs;

/* The runs of the design of a row.
 *
 * Local.
 *
 * constraints  out  [n_constraints] means of the runs that count, NAN without any; NULL = not
 *                   wanted
 *
 * Cost: O(runs of the design).
 */
void gannet_runs_find(const gannet_history *history, int64_t id, double *constraints,
                      gannet_runs *runs);

/* The values of all objectives at the design of a row: means of the runs that count, or without any
 * those of the row, which may be missing.
 *
 * Local.
 *
 * y       out  [n_objectives] minimised; NAN = missing
 * errors  out  [n_objectives] as error of gannet_runs; NULL = not wanted
 *
 * Cost: O(runs of the design).
 */
void gannet_runs_objectives(const gannet_history *history, int64_t id, double *y, double *errors);

/* Whether a row is the one that stands for its design: the first run that counts, or without any
 * the first row that was not discarded. Every row does in a history that does not join runs.
 *
 * Local.
 */
bool gannet_runs_stands(const gannet_history *history, int64_t id);

/* Whether a row stands for a design that is feasible by the means of its runs and may be on a
 * front: allowed, complete, and with several objectives without a penalty.
 *
 * Local.
 */
bool gannet_runs_are_feasible(const gannet_history *history, int64_t id);

/* Id of the best feasible design in the sense of the goal, or -1, and of the one whose violation is
 * smallest, or -1. Where runs are joined these are the first runs that count, and designs are
 * compared by their means: a design is feasible when the means of its constraints keep all bounds,
 * and those with two runs that count come before those with one, whose value may be a lucky one.
 * Otherwise they are gannet_history_best_row and gannet_history_least_violating_row.
 *
 * Local.
 *
 * Cost: O(rows) where runs are joined, else O(1).
 */
int64_t gannet_history_best(const gannet_history *history);
int64_t gannet_history_least_violation(const gannet_history *history);

/* All designs with a complete done evaluation, but those from elsewhere, best first: feasible ones
 * as gannet_history_best compares them, then the others by their violation; the lower id on a tie.
 * The first is gannet_history_best, or least_violation. Without joined runs these are all complete
 * done evaluations. With several objectives feasible ones are ordered by non-dominated sorting:
 * those of the front come first.
 *
 * Local.
 *
 * ids  out  [n]; to be freed with gannet_free
 */
GANNET_CHECKED gannet_err gannet_history_rank(const gannet_history *history, int64_t **ids,
                                              int64_t *n);

/* What a row adds to the course of the best value: where runs are joined, the mean of the design of
 * which it is a run, as far as that is known by now; otherwise its own value. NAN when the design
 * is not feasible, or has fewer runs than least.
 *
 * Local.
 *
 * least  in  gannet_runs_least
 */
double gannet_runs_course(const gannet_history *history, int64_t id, int least);

/* Runs that the best design has at least: 2 when runs are joined and it has several, else 1.
 *
 * Local.
 *
 * Cost: that of gannet_history_best.
 */
int gannet_runs_least(const gannet_history *history);

/* Designs that have a row which was not discarded; all rows that were not where runs are not
 * joined. With allowed_only those from elsewhere are left out.
 *
 * Local.
 *
 * Cost: O(rows) where runs are joined.
 */
int64_t gannet_runs_count_designs(const gannet_history *history, bool allowed_only);

/* Variance of objective m of a single run as the designs with several runs show it: the sum of
 * squared deviations from the means of their designs, over the degrees of freedom; NAN when there
 * are none.
 *
 * Local.
 *
 * power  out  the variance is that of values divided by 2^power: 0, but where squares of the values
 *             would be no numbers
 *
 * Cost: O(rows).
 */
double gannet_runs_variance(const gannet_history *history, int m, int *power);

enum { GANNET_RUNS_TEXT = 160 };

/* "3 runs, evaluations 6, 7, 8", those that count; "evaluation 6" for one. Long lists are cut.
 *
 * Local.
 *
 * text  out  [GANNET_RUNS_TEXT]
 */
void gannet_runs_list(const gannet_history *history, int64_t id, char *text);

/* "6 7 8", all that count.
 *
 * Local.
 */
void gannet_runs_list_ids(const gannet_history *history, int64_t id, size_t size, char *text);

/* " +- 0.05", or "" where the error is not known.
 *
 * Local.
 *
 * text  out  [32]
 */
void gannet_runs_format_error(double error, char *text);

#endif
