/* Substitutes: other methods that propose a batch while the model of the method fails.
 *
 * A model fails when numbers do not work out: training diverges, a matrix is not positive definite,
 * a prediction is not finite. The campaign then goes on with the first of these that works:
 *
 *   gp-noisy    a Gaussian process, while there are at most 1000 results
 *   forest-ei   a forest, which factorises nothing
 *   sobol       points of a Sobol sequence, which need no model
 *
 * With several objectives these are gp-ts, neural-ts and sobol.
 *
 * A substitute is made for one batch and leaves nothing behind, and the method itself is tried
 * again at every batch. Both are functions of history, saved state and seed, so a restart changes
 * nothing.
 */
#ifndef GANNET_OPTIMIZER_SUBSTITUTE_H
#define GANNET_OPTIMIZER_SUBSTITUTE_H

#include "optimizer/optimizer_impl.h"

/* Whether an error of a model is a failure of its numbers, after which another model may work:
 * numbers, a library's solver, an equation's function that cannot be computed where the model asked
 * for it. Memory, files, arguments and MPI are not.
 *
 * Local.
 */
bool gannet_substitute_helps(gannet_err err);

/* Propose q points instead of a method whose model has failed; the recorded error, which says why,
 * becomes a warning when the substitute is another one than that of the last batch.
 *
 * Collective; the same on all ranks.
 *
 * failed  in   name of the method
 * x_unit  out  [q][d]
 *
 * Errors: those of a substitute that are no failure of its numbers.
 */
GANNET_CHECKED gannet_err gannet_substitute_propose(gannet_optimizer *optimizer, const char *failed,
                                                    int q, double *x_unit);

/* Tell that the method proposes again, if a substitute proposed the last batch.
 *
 * Logically collective.
 */
void gannet_substitute_done(gannet_optimizer *optimizer);

/* Check that q points are numbers, as those of a model that has failed in silence are not.
 *
 * Local.
 *
 * x_unit  in  [q][d]
 *
 * Errors: GANNET_ERR_NUMERIC.
 */
GANNET_CHECKED gannet_err gannet_substitute_check(const gannet_problem *problem, int q,
                                                  const double *x_unit);

#endif
