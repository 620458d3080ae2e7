/* Minimise smooth functions in a box: limited-memory quasi-Newton of PETSc/TAO, for likelihoods,
 * training and the polish of acquisition maxima. The only room that knows TAO.
 *
 * Serial: every rank may minimise something else. PETSc must be initialised (minimize/petsc.h).
 */
#ifndef GANNET_MINIMIZE_MINIMIZE_H
#define GANNET_MINIMIZE_MINIMIZE_H

#include <stdbool.h>

#include "base/error.h"

/* Value and gradient [n] at x [n]. Where gannet_minimize_accepts refuses them, the line search
 * steps back. An error ends the minimisation and is passed on. */
typedef gannet_err (*gannet_value_gradient)(void *user, int n, const double *x, double *value,
                                            double *gradient);

typedef struct {
  int max_evaluations;       /* of value and gradient; > 0 */
  double gradient_tolerance; /* on the norm of the projected gradient, absolute; 0 = never */
  double value_tolerance;    /* change in one iteration by max(|old|, |new|, 1); 0 = never */
} gannet_minimize_options;

/* Why a minimisation stopped; none of these is an error. */
typedef enum {
  GANNET_MINIMIZE_CONVERGED,
  GANNET_MINIMIZE_BUDGET,
  GANNET_MINIMIZE_STALLED /* the line search found nothing better */
} gannet_minimize_reason;

typedef struct {
  double value;
  int evaluations;
  gannet_minimize_reason reason;
} gannet_minimize_result;

/* Whether the minimiser can use a value and its gradient [n]: both are finite, and the norm of the
 * gradient is at most 1e150.
 *
 * Local.
 */
bool gannet_minimize_accepts(int n, double value, const double *gradient);

typedef struct gannet_minimizer gannet_minimizer;

/* A minimiser for one minimisation after the other, of n unknowns in one box.
 *
 * Local.
 *
 * lower, upper  in  [n], +-INFINITY where there is no bound; NULL = no bounds at all; copied
 * options       in  copied
 * shielded      in  whether the caller holds a gannet_petsc_push over all runs, as
 *                   gannet_lockstep_run does
 *
 * Errors: GANNET_ERR_ARG; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_minimizer_create(int n, const double *lower, const double *upper,
                                                  const gannet_minimize_options *options,
                                                  bool shielded, gannet_minimizer **minimizer);
void gannet_minimizer_destroy(gannet_minimizer **minimizer);

/* Minimise from x on, as gannet_minimize: what was minimised before changes no bit.
 *
 * Local.
 *
 * x  inout  [n]
 */
GANNET_CHECKED gannet_err gannet_minimizer_run(gannet_minimizer *minimizer, double *x,
                                               gannet_value_gradient function, void *user,
                                               gannet_minimize_result *result);

/* Minimise within lower <= x <= upper, starting at x; x becomes the best point seen, never worse
 * than the start.
 *
 * Local.
 *
 * x             inout  [n], clipped into the box first
 * lower, upper  in     [n], +-INFINITY where there is no bound; NULL = no bounds at all
 *
 * Errors: what the function returns; GANNET_ERR_NUMERIC when gannet_minimize_accepts refuses the
 * start; GANNET_ERR_LIBRARY.
 */
GANNET_CHECKED gannet_err gannet_minimize(int n, double *x, const double *lower,
                                          const double *upper, gannet_value_gradient function,
                                          void *user, const gannet_minimize_options *options,
                                          gannet_minimize_result *result);

#endif
