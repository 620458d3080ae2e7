/* Improve candidates by gradients: the continuous coordinates move, the discrete ones stay. */
#ifndef GANNET_SEARCH_POLISH_H
#define GANNET_SEARCH_POLISH_H

#include "base/board.h"
#include "base/context.h"
#include "minimize/minimize.h"
#include "problem/problem.h"

/* What list l minimises (minus a score), with its gradient; both [d]. Must not depend on the rank.
 */
typedef gannet_err (*gannet_polish_function)(void *user, int list, const double *x_unit,
                                             double *value, double *gradient);

/* Conditions g_k(x) <= 0 on list l, with their gradients [n_conditions][d]. Must not depend on the
 * rank. */
typedef gannet_err (*gannet_polish_conditions)(void *user, int list, const double *x_unit,
                                               double *values, double *gradients);

/* The same at m points x_unit [m][d] of lists [m] at once, with the same bits: values [m] and
 * gradients [m][d]; of conditions [m][n_conditions] and [m][n_conditions][d]. */
typedef gannet_err (*gannet_polish_several)(void *user, int m, const int *lists,
                                            const double *x_unit, double *values,
                                            double *gradients);

typedef struct {
  const gannet_problem *problem;
  const double *lower, *upper; /* [d] box; NULL = the unit cube */
  int n_lists;
  int n_starts;         /* per list */
  const double *starts; /* [n_lists][n_starts][d]; made admissible and moved into the box first */
  gannet_polish_function function;
  void *user;
  gannet_minimize_options options;
  int n_conditions; /* 0 = none */
  gannet_polish_conditions conditions;
  /* What takes less for several points at once than one after the other: starts of a rank go on in
   * step. NULL, or both where there are conditions. */
  gannet_polish_several functions, conditions_of_several;
  /* Where the ranks of a node answer together what all of them ask for: functions, which must be
   * given then, are collective over the node, and may use the board, too. For gannet_polish_room(d)
   * numbers at least; borrowed. NULL = every rank answers itself. */
  gannet_board *board;
} gannet_polish_spec;

/* Local. */
size_t gannet_polish_room(int d);

/* What one polish leaves to the next. */
typedef struct gannet_polisher gannet_polisher;

/* Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_polisher_create(gannet_polisher **polisher);
void gannet_polisher_destroy(gannet_polisher **polisher);

/* Polish every start of every list; unit of work list * n_starts + start is done by one rank, and
 * its result sent to all. A rank goes on with as many of them in step as are its share, up to
 * GANNET_LOCKSTEP_MOST, where several points are better asked for at once.
 *
 * Conditions are kept by augmented Lagrangians (Hestenes 1969; Powell 1969; Rockafellar 1973): each
 * round minimises f + 1/(2 mu) sum_k (max(0, lambda_k + mu g_k)^2 - lambda_k^2), then lambda_k =
 * max(0, lambda_k + mu g_k); a start where no condition is active takes one round, another at most
 * five. What is left of a violation is removed by Newton steps along the gradient of the worst
 * condition.
 *
 * Collective over the context's communicator; spec the same on all ranks, but the board, which is
 * that of a node or NULL on all of its ranks.
 *
 * polisher  inout  what polishes before have left, of problems that still exist; changes no bit
 * x_unit    out    [n_lists][n_starts][d] admissible, the best of each list first; on equal values
 *                  the earlier start. Without conditions never worse than the starts. The same on
 *                  all ranks, bit for bit on any number of ranks.
 * values    out    [n_lists][n_starts]; INFINITY for a start without a finite value, which stays as
 *                  it was
 *
 * Errors: those of the function and of gannet_minimize, from all ranks.
 */
GANNET_CHECKED gannet_err gannet_polish(const gannet_context *context, gannet_polisher *polisher,
                                        const gannet_polish_spec *spec, double *x_unit,
                                        double *values);

#endif
