/* One minimisation on which all ranks work. Rank 0 decides where to evaluate; the gradient is a sum
 * of parts, and each rank makes some of them. The parts are summed in their order, so that the bits
 * do not depend on the number of ranks. */
#ifndef GANNET_SURROGATE_JOINT_H
#define GANNET_SURROGATE_JOINT_H

#include "base/context.h"
#include "minimize/minimize.h"

typedef struct {
  int n;               /* unknowns */
  int parts;           /* of the gradient, >= 1, each taking no longer than the one before */
  const double *start; /* [n] */
  const double *lower, *upper; /* [n] */
  /* Make what all parts need, and the value on rank 0. A value that is not finite, on all ranks or
   * on rank 0 alone, means that there is no gradient at x. May be collective over the context's
   * communicator or less; ranks of a collective call must agree on errors before it. */
  gannet_err (*prepare)(void *user, const double *x, double *value);
  /* Fill one part [n], which is 0 before; must not depend on the rank. */
  void (*part)(void *user, const double *x, int part, double *gradient);
  /* Add to value and gradient what is in no part. */
  void (*finish)(void *user, const double *x, double *value, double *gradient);
  void *user;
  gannet_minimize_options options;
} gannet_joint;

/* The owner of each part, among np workers.
 *
 * Local.
 *
 * owner  out  [parts]
 */
GANNET_CHECKED gannet_err gannet_joint_share(const gannet_joint *joint, int np, int *owner);

/* Call prepare, and make the parts of one owner, which are NAN where the value is not finite.
 *
 * Local. But prepare may be collective.
 *
 * parts  out  [parts][n]; those of others stay
 *
 * Errors: those of prepare.
 */
GANNET_CHECKED gannet_err gannet_joint_work(const gannet_joint *joint, const double *x,
                                            const int *owner, int me, double *parts, double *value);

/* Value and gradient from all parts; the gradient is 0 where the value is not finite.
 *
 * Local.
 *
 * value     inout
 * gradient  out    [n]
 */
void gannet_joint_sum(const gannet_joint *joint, const double *x, const double *parts,
                      double *value, double *gradient);

/* Value and gradient: a gannet_value_gradient whose user is a gannet_joint.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_joint_evaluate(void *joint, int n, const double *x, double *value,
                                                double *gradient);

/* Minimise from the start.
 *
 * Collective over the context's communicator; joint the same on all ranks.
 *
 * best   out  [n]; the start when it has no finite value
 * value  out  INFINITY then
 *
 * Errors: those of prepare, from all ranks; GANNET_ERR_SHAPE for 2^31 numbers in all parts.
 */
GANNET_CHECKED gannet_err gannet_joint_run(const gannet_context *context, const gannet_joint *joint,
                                           double *best, double *value);

#endif
