/* Minimise smooth functions in a box: L-BFGS-B 3.0 (Byrd, Lu, Nocedal and Zhu 1995; Zhu, Byrd, Lu
 * and Nocedal 1997; Morales and Nocedal 2011), for likelihoods, training and the polish of
 * acquisition maxima.
 *
 * gannet_minimize calls a function. Where the points of several minimisations are better evaluated
 * together, the caller owns the loop: gannet_minimizer_start, then gannet_minimizer_tell with value
 * and gradient at gannet_minimizer_point until there is none.
 *
 * Serial: every rank may minimise something else.
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

/* Why a minimisation stopped. */
typedef enum {
  GANNET_MINIMIZE_CONVERGED,
  GANNET_MINIMIZE_BUDGET,
  GANNET_MINIMIZE_STALLED,  /* the line search found nothing better */
  GANNET_MINIMIZE_NO_START, /* gannet_minimize_accepts refuses the start */
  GANNET_MINIMIZE_RUNNING   /* it has not stopped */
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
 *
 * Errors: GANNET_ERR_ARG; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_minimizer_create(int n, const double *lower, const double *upper,
                                                  const gannet_minimize_options *options,
                                                  gannet_minimizer **minimizer);
void gannet_minimizer_destroy(gannet_minimizer **minimizer);

/* Begin at x, clipped into the box. What was minimised before changes no bit.
 *
 * Local.
 *
 * x  in  [n]
 */
void gannet_minimizer_start(gannet_minimizer *minimizer, const double *x);

/* Where value and gradient are wanted next, [n]; NULL when the minimisation has stopped. It belongs
 * to the minimiser, until the next tell.
 *
 * Local.
 */
const double *gannet_minimizer_point(const gannet_minimizer *minimizer);

/* Go on with value and gradient [n] at gannet_minimizer_point, which must not be NULL.
 *
 * Local.
 *
 * Errors: GANNET_ERR_LIBRARY.
 */
GANNET_CHECKED gannet_err gannet_minimizer_tell(gannet_minimizer *minimizer, double value,
                                                const double *gradient);

/* The best point so far and its value: never worse than the start.
 *
 * Local.
 *
 * x  out  [n]
 */
void gannet_minimizer_best(const gannet_minimizer *minimizer, double *x,
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
