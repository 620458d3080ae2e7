/* Bounds that the best design lies on, and what a model expects behind them.
 *
 * A best design on a bound is often a sign that the bound is too narrow. The models of the
 * optimiser are asked a tenth of the range beyond it, where they extrapolate: a guess, which is
 * told only when it is better than the design.
 */
#ifndef GANNET_CAMPAIGN_TABLES_ON_BOUND_H
#define GANNET_CAMPAIGN_TABLES_ON_BOUND_H

#include "campaign/run/campaign.h"

/* A bound that the best design lies on. */
typedef struct {
  int variable;
  bool is_upper;
  double bound;  /* the first or the last value of the variable */
  double beyond; /* the value at which a model is asked; NAN = there is none on the scale */
  /* What the models expect of the objective at the design, and beyond the bound; NAN = nothing
   * better is expected, or nobody knows. In the user's units. */
  double now, mean, sd;
  double feasible; /* expected probability that the design beyond works and is feasible */
} gannet_on_bound;

/* Find the numbers of the best feasible design that lie within 0.1 % of their encoded range of a
 * bound. Variables of two values always do, and are left out; so is every variable of a problem
 * with a list of candidates.
 *
 * Local.
 *
 * list  out  [n] in the order of the variables, without guesses; for gannet_free
 */
GANNET_CHECKED gannet_err gannet_on_bounds_find(const gannet_history *history,
                                                gannet_on_bound **list, int *n);

/* Ask the models of the optimiser what they expect beyond. Too few results, more than 3000, a model
 * that fails, or an optimiser that begins anew leave the list without guesses.
 *
 * Collective; the same on all ranks.
 *
 * campaign  in     with optimizer
 * list      inout  [n] of gannet_on_bounds_find
 */
void gannet_on_bounds_guess(const gannet_campaign *campaign, int n, gannet_on_bound *list);

enum { GANNET_ON_BOUND_SIZE = 400 };

/* Line i of the text about a list: "chord lies on its upper bound 2; the model expects 0.31 +- 0.05
 * at 2.1 (now 0.35)". A last line tells how many more there are when the list is long.
 *
 * Local.
 *
 * text  out  [GANNET_ON_BOUND_SIZE]
 *
 * Returns whether there is such a line.
 */
bool gannet_on_bounds_line(const gannet_problem *problem, int n, const gannet_on_bound *list, int i,
                           char *text);

#endif
