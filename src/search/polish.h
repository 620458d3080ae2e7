/* Improve candidates by gradients: continuous coordinates move, discrete ones stay.
 *
 * Terms
 *   start      a candidate that is to be improved
 *   list       starts that minimise the same function, minus a score, under the same conditions
 *   condition  g(x) <= 0
 *   question   a point at which a minimiser wants the function, or the conditions
 *
 * Each start is improved by one rank. A rank improves several starts in step: what all of them ask
 * is answered by one call, where that takes less time than one call for each.
 */
#ifndef GANNET_SEARCH_POLISH_H
#define GANNET_SEARCH_POLISH_H

#include "base/context.h"
#include "minimize/minimize.h"
#include "problem/problem.h"

/* The function of a list and its gradient [d]. Must not depend on the rank. */
typedef gannet_err (*gannet_polish_function)(void *user, int list, const double *x_unit,
                                             double *value, double *gradient);

/* The conditions of a list and their gradients [n_conditions][d]. Must not depend on the rank. */
typedef gannet_err (*gannet_polish_conditions)(void *user, int list, const double *x_unit,
                                               double *values, double *gradients);

enum { GANNET_POLISH_MOST = 8 /* starts that a rank improves in step */ };

/* The function, or the conditions, at m <= GANNET_POLISH_MOST points of any lists; the same bits as
 * m single calls give.
 *
 * lists      in   [m]
 * x_unit     in   [m][d]
 * values     out  [m], of conditions [m][n_conditions]
 * gradients  out  [m][d], of conditions [m][n_conditions][d]
 */
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
  /* For starts in step: NULL = one start after the other. With conditions both or none. */
  gannet_polish_several functions, conditions_of_several;
} gannet_polish_spec;

/* Minimisers and their memory, kept from one polish to the next. */
typedef struct gannet_polisher gannet_polisher;

/* Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_polisher_create(gannet_polisher **polisher);
void gannet_polisher_destroy(gannet_polisher **polisher);

/* Improve every start of every list.
 *
 * Conditions are kept by augmented Lagrangians (Hestenes 1969; Powell 1969; Rockafellar 1973): each
 * round minimises f + 1/(2 mu) sum_k (max(0, lambda_k + mu g_k)^2 - lambda_k^2), then lambda_k =
 * max(0, lambda_k + mu g_k). A start where no condition is active takes one round, another at most
 * five. Newton steps along the gradient of the worst condition remove what is left of a violation.
 *
 * Variable constraints of the problem are conditions, too; in the end they hold exactly.
 *
 * Collective over the context's communicator; spec the same on all ranks.
 *
 * polisher  inout  problems of its earlier polishes must still exist; it changes no bit
 * x_unit    out    [n_lists][n_starts][d] admissible, the best of each list first; on equal values
 *                  the earlier start. Without conditions never worse than the starts. The same on
 *                  all ranks, bit for bit on any number of ranks.
 * values    out    [n_lists][n_starts]; INFINITY for a start without a finite value, which stays as
 *                  it was
 *
 * Errors: those of the function and of gannet_minimizer_tell, from all ranks.
 */
GANNET_CHECKED gannet_err gannet_polish(const gannet_context *context, gannet_polisher *polisher,
                                        const gannet_polish_spec *spec, double *x_unit,
                                        double *values);

#endif
