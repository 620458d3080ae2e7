/* Improve points along one coordinate after the other, over the whole box. This finds the least of
 * many local minima of a function that is nearly a sum over the coordinates. */
#ifndef GANNET_SEARCH_SWEEP_H
#define GANNET_SEARCH_SWEEP_H

#include "base/context.h"
#include "problem/problem.h"
#include "search/scan.h"

enum { GANNET_SWEEP_POINTS = 64 /* cells of each coordinate */ };

typedef struct {
  const gannet_problem *problem;
  const double *lower, *upper; /* [d] box; NULL = the unit cube */
  int n_lists;
  int sweeps;           /* most passes over all continuous coordinates, >= 1 */
  gannet_scorer scorer; /* of n_lists lists; must not depend on the rank */
  void *user;
} gannet_sweep_spec;

/* Improve point l by the scores of list l: move one continuous coordinate at a time to the centre
 * of the best of its cells. Rank l mod np does so.
 *
 * Collective over the context's communicator; spec the same on all ranks.
 *
 * x_unit  inout  [n_lists][d] admissible, inside the box; never worse; the same on all ranks, bit
 *                for bit on any number of ranks
 *
 * Errors: those of the scorer, from all ranks.
 */
GANNET_CHECKED gannet_err gannet_sweep(const gannet_context *context, const gannet_sweep_spec *spec,
                                       double *x_unit);

#endif
