/* One minimisation on which all ranks work: rank 0 decides where to evaluate, and the gradient is a
 * sum of parts that the ranks share out. */
#ifndef GANNET_SURROGATE_JOINT_H
#define GANNET_SURROGATE_JOINT_H

#include "base/context.h"
#include "minimize/minimize.h"

typedef struct {
  int n;               /* unknowns */
  int parts;           /* of the gradient, >= 1, each taking no longer than the one before */
  const double *start; /* [n] */
  const double *lower, *upper; /* [n] */
  /* What all parts need, and the value on rank 0; not finite = nothing more is asked for here,
   * which is so on all ranks or on rank 0. Collective as the user wants it, over the context's
   * communicator or less; an error before the last collective call must be that of all who are in
   * it. */
  gannet_err (*prepare)(void *user, const double *x, double *value);
  /* One part [n], zeroed before; must not depend on the rank. */
  void (*part)(void *user, const double *x, int part, double *gradient);
  /* Add what is in no part to value and gradient. */
  void (*finish)(void *user, const double *x, double *value, double *gradient);
  void *user;
  gannet_minimize_options options;
} gannet_joint;

/* Whom parts belong to, of np.
 *
 * Local.
 *
 * owner  out  [parts]
 */
GANNET_CHECKED gannet_err gannet_joint_share(const gannet_joint *joint, int np, int *owner);

/* prepare, and the parts of one owner: NAN without a value.
 *
 * Local. But prepare may be collective.
 *
 * parts  out  [parts][n]; those of others stay
 *
 * Errors: those of prepare.
 */
GANNET_CHECKED gannet_err gannet_joint_work(const gannet_joint *joint, const double *x,
                                            const int *owner, int me, double *parts, double *value);

/* Value and gradient from all parts; 0 without a value.
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

/* Minimise from the start. Parts are summed in their order, so the bits are those of one rank.
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
