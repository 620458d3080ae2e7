/* What evaluations cost: the run time of their simulations, or a quantity that these report. */
#ifndef GANNET_PROBLEM_COST_H
#define GANNET_PROBLEM_COST_H

#include "problem/history.h"

/* The name that stands for run time. */
#define GANNET_COST_OF_TIME "time"

/* What an evaluation has cost: the seconds of its last attempt, or what it reported. Where the run
 * time is wanted and nobody has measured it, as in a loop of the caller's own, a quantity `time` of
 * the result counts.
 *
 * Local.
 *
 * from  in  "time", or the name of the objective, of a constraint or of another quantity
 *
 * Returns NAN when the evaluation has no result, or its result does not tell.
 */
double gannet_cost_of(const gannet_history *history, const char *from, int64_t id);

/* The sum over the evaluations that count in a budget: those that were imported or discarded do
 * not. What is not known, not finite or below 0 counts as 0.
 *
 * Local.
 */
double gannet_cost_spent(const gannet_history *history, const char *from);

/* The part of that sum, or of the number of these evaluations, that designs before the first model
 * make up: those of the first design and of the user's list of designs to start with.
 *
 * Local.
 *
 * n  out  their number
 */
double gannet_cost_of_design(const gannet_history *history, const char *from, int64_t *n);

#endif
