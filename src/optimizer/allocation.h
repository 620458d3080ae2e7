/* How many points of a batch each member of a portfolio proposes: shares by recent success.
 *
 * A point's gain is scale-free: with b the best value known when it was proposed, y its own, and s
 * the distance from b to the (d + 1)-th best value, gain = (b - y) / (b - y + s / 4), or 0 where y
 * is not better. A member's merit is the mean gain of its points, older ones counting less, with a
 * prior of a few points of gain 1/2; shares are proportional to the square of merit, but not below
 * a floor, so that every member can come back. Shares become whole points by carrying remainders
 * on.
 *
 * A member whose model failed is left out until there are twice as many results, and comes back as
 * a newcomer.
 *
 * The decision is a function of the state below and the history, so it survives a restart.
 */
#ifndef GANNET_OPTIMIZER_ALLOCATION_H
#define GANNET_OPTIMIZER_ALLOCATION_H

#include "optimizer/methods.h"
#include "optimizer/state.h"
#include "problem/history.h"

/* Proposed points whose results are waited for; more are not judged. */
enum { GANNET_ALLOCATION_OPEN = 64 };

typedef struct {
  int64_t id; /* evaluation that is waited for; -1 = the place is free */
  int member; /* who proposed it */
} gannet_allocation_open;

typedef struct {
  double best;                           /* known at the last ask; 1e308 = none */
  double gain[GANNET_MEMBERS_MOST];      /* discounted sums of gains */
  double trials[GANNET_MEMBERS_MOST];    /* discounted numbers of points */
  double due[GANNET_MEMBERS_MOST];       /* points owed */
  int64_t left_out[GANNET_MEMBERS_MOST]; /* results when the member was left out; -1 = it was not */
  gannet_allocation_open open[GANNET_ALLOCATION_OPEN];
} gannet_allocation;

/* Nothing is known yet.
 *
 * Local.
 */
void gannet_allocation_reset(gannet_allocation *allocation);

/* Judge the points whose results have come, forget those that most of what was proposed
 * later has overtaken, and take back who was left out long enough.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_allocation_credit_results(gannet_allocation *allocation,
                                                           const gannet_history *history);

/* Share of every member; those that are idle get none.
 *
 * Local.
 *
 * idle   in   [n]; not all true
 * most   in   [n] largest share while there are others without a limit, but the floor is
 * everybody's: 0 = that alone, 1 = no limit share  out  [n], sum 1
 */
void gannet_allocation_shares(const gannet_allocation *allocation, int n, const bool *idle,
                              const double *most, double *share);

/* Deal out q points; those of member i are its count[i].
 *
 * Local.
 */
void gannet_allocation_deal(gannet_allocation *allocation, int n, const bool *idle,
                            const double *most, int q, int *count);

/* Leave a member out: shares and points go to the others.
 *
 * Local.
 *
 * results  in  evaluations told so far
 */
void gannet_allocation_leave_out(gannet_allocation *allocation, int member, int64_t results);

/* Results that there were when a member was left out; -1 = it takes part.
 *
 * Local.
 */
int64_t gannet_allocation_left_out(const gannet_allocation *allocation, int member);

/* Note who proposed a batch: count[i] points of member i, after those of the members before it.
 * Where places are free for some of them only, the points that are judged are spread evenly over
 * the batch, so that members are judged alike.
 *
 * Local.
 *
 * first, step  in  the evaluations of the batch: first, first + step, ...
 * count        in  [n]
 */
void gannet_allocation_note(gannet_allocation *allocation, int64_t first, int64_t step, int n,
                            const int *count);

/* What the decision depends on, by names: of the portfolio "best", of each member "gp-ei/gain" and
 * the like, and "gp-ei/open.3", the evaluation that it proposed and that waits in place 3.
 *
 * Local.
 *
 * own    in  what comes before the names of the values of all
 * parts  in  [n] what comes before the names of each member's values
 */
GANNET_CHECKED gannet_err gannet_allocation_get_state(const gannet_allocation *allocation,
                                                      const char *own, int n,
                                                      char (*parts)[GANNET_STATE_NAME],
                                                      gannet_state *state);
GANNET_CHECKED gannet_err gannet_allocation_set_state(gannet_allocation *allocation,
                                                      const char *own, int n,
                                                      char (*parts)[GANNET_STATE_NAME],
                                                      int64_t evaluations, gannet_state *state);

/* Results that there were when the member of these values was left out; -1 = it takes part.
 *
 * Local.
 */
int64_t gannet_allocation_find_left_out(const gannet_state *state, const char *part);

#endif
