/* Minimisation from several starts that the ranks share out. */
#ifndef GANNET_SURROGATE_MULTISTART_H
#define GANNET_SURROGATE_MULTISTART_H

#include <stdbool.h>

#include "surrogate/joint.h"

typedef struct {
  int starts;          /* >= 1 */
  bool apart;          /* the result of the last start (of two or more) is kept beside the best */
  int n;               /* unknowns */
  const double *start; /* [starts][n] */
  const double *lower; /* [n] */
  const double *upper; /* [n] */
  gannet_value_gradient function;
  void *user;
  gannet_joint *joint; /* in the place of function and user, with a local prepare; or NULL */
  /* Called before the first and after the last of several starts of this problem on a rank, for
   * memory that should not be there for all problems at once. May be NULL. */
  gannet_err (*enter)(void *user);
  void (*leave)(void *user);
  gannet_minimize_options options;
} gannet_multistart;

/* Minimise from every start and keep the lowest value; of equal values that of the first start.
 * A start apart has its own result. Every start is done by one rank, whichever is free, and its
 * result is sent to all. A rank that finds no start left makes half of the parts of the gradients
 * of another rank of its node, where there is a joint. The bits do not depend on the number of
 * ranks. A start that has no finite value, or fails numerically, drops out.
 *
 * Collective over the context's communicator; arguments the same on all ranks.
 *
 * best   out  [n], or [2][n] with a start apart; the start, or the first of several, where none
 *             succeeded
 * value  out  [1] or [2]; INFINITY where none succeeded
 *
 * Errors: what the function returns, other than GANNET_ERR_NUMERIC.
 */
GANNET_CHECKED gannet_err gannet_multistart_run(const gannet_context *context,
                                                const gannet_multistart *problem, double *best,
                                                double *value);

typedef struct {
  gannet_multistart problem;
  double *best; /* as above */
  double value[2];
} gannet_multistart_task;

/* The same for several problems: all their starts go to whichever rank is free. The results are
 * those of _run for each problem, bit for bit; with several problems nobody helps with a joint.
 *
 * Collective over the context's communicator; arguments the same on all ranks.
 *
 * n      in     >= 0
 * tasks  inout  [n]
 *
 * Errors: as _run; of any of them.
 */
GANNET_CHECKED gannet_err gannet_multistart_run_all(const gannet_context *context, int n,
                                                    gannet_multistart_task *tasks);

#endif
