/* Minimisation from several starts that the ranks share out. */
#ifndef GANNET_SURROGATE_MULTISTART_H
#define GANNET_SURROGATE_MULTISTART_H

#include <stdbool.h>

#include "surrogate/joint.h"

typedef struct {
  int starts;          /* >= 1 */
  bool apart;          /* the last of two or more is not compared with the others */
  int n;               /* unknowns */
  const double *start; /* [starts][n] */
  const double *lower; /* [n] */
  const double *upper; /* [n] */
  gannet_value_gradient function;
  void *user;
  gannet_joint *joint; /* not NULL: takes the place of function and user; prepare is local */
  /* Before the first of some starts that a rank does, and after the last of them: memory that is
   * not to be there for all problems at once. May be NULL. */
  gannet_err (*enter)(void *user);
  void (*leave)(void *user);
  gannet_minimize_options options;
} gannet_multistart;

/* Minimise from every start and keep the lowest value; of equal values that of the first start.
 * What a start apart finds comes beside it. One rank does a start, whichever is free, and its
 * result is sent to all; who has none left helps another of its node with a joint
 * (surrogate/work_steal.h). The bits do not depend on how many ranks there are. A start without a
 * finite value, or that fails numerically, only drops out.
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

/* The same for several problems: all their starts go to whichever rank is free. What is found is
 * what _run finds for each, bit for bit; nobody helps with a joint.
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
