/* Replicates: which designs an ask runs once more, and which are new.
 *
 * With a fixed number n, every new design is asked for n times, with numbers that follow each
 * other, also across batches. Before that come the runs that are missing of
 *   the last design that was proposed, unless it was one to start with, and
 *   the leading design, the feasible one with the best mean: imported or told, asked for when n was
 *   smaller, or some of its runs were discarded.
 * A design at which the simulation does not work is not run again.
 *
 * With `auto`, new designs are asked for once. In a batch that models propose, one point may
 * instead run a design again, as long as no more than a quarter of all evaluations do: the leading
 * design while it has a single run, as it may lead by luck; then, while the difference of its mean
 * to the second best is less than the standard error of that difference, the one of the two with
 * fewer runs. This is the top-two step of ranking and selection (Chen, Lin, Yuecesan, Chick 2000;
 * Russo 2020), with a variance that all repeated designs share.
 *
 * With several objectives the designs that lead are those of the front of the means. Missing runs
 * are those of the first one that lacks some. With `auto` the first one with a single run is run
 * again; then, of all designs the one of which it is least known whether the front dominates it:
 * its lead over a design of the front is the largest difference of their means in standard errors
 * over the objectives, and its lead over the front the least of these. Of the two the one with
 * fewer runs is run again, if that lead is less than 1 in size. With a single objective this would
 * be the rule above.
 *
 * All of this is a function of the history.
 */
#ifndef GANNET_OPTIMIZER_REPLICATES_H
#define GANNET_OPTIMIZER_REPLICATES_H

#include "base/complaints.h"
#include "optimizer/options.h"
#include "problem/runs.h"

/* Plan an ask for q points.
 *
 * Local.
 *
 * by_models  in   the new points are proposed by models, not by the first design
 * row        out  [q] row of the history whose design is run once more, or -1 - i for new design i
 * n_new      out  number of new designs
 *
 * Errors: GANNET_ERR_MEMORY.
 * Cost: O(rows) where runs are joined, with several objectives that of gannet_front_find.
 */
GANNET_CHECKED gannet_err gannet_replicates_plan(const gannet_history *history, int q,
                                                 bool by_models, int64_t *row, int *n_new);

/* Rows of the history that the next ask will make: new design i has row first + i * step first. */
typedef struct {
  int64_t first;
  int step;
} gannet_new_rows;

/* Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_replicates_find_new(const gannet_history *history,
                                                     gannet_new_rows *rows);

/* Runs that are missing of the last design, if it was one to start with, and a row of it.
 *
 * Local.
 */
int gannet_replicates_due_of_start(const gannet_history *history, int64_t *row);

/* Evaluations for which there are listed candidates left.
 *
 * Local.
 *
 * left  out  INT64_MAX without a list; after an error, without those that a front lacks
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_replicates_count_left(const gannet_history *history,
                                                       int64_t *left);

/* Complain about replicates of a problem without noise.
 *
 * Local.
 *
 * location  in  of the setting; NULL = it has none
 */
void gannet_replicates_check(const gannet_optimizer_options *options, const gannet_problem *problem,
                             const char *location, gannet_complaints *complaints);

#endif
