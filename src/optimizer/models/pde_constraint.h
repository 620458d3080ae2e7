/* The differential equations that the objective obeys: at which points they are imposed, and which
 * methods can use them. */
#ifndef GANNET_OPTIMIZER_PDE_CONSTRAINT_H
#define GANNET_OPTIMIZER_PDE_CONSTRAINT_H

#include "optimizer/options.h"
#include "problem/problem.h"

/* What a method adds to its portfolio because the problem states equations: auto that is left as it
 * is gets pinn-bo. Nothing happens otherwise, and nothing the second time.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_pde_constraint_join(gannet_optimizer_options *options,
                                                     const gannet_problem *problem,
                                                     gannet_complaints *complaints);

/* Complain when no member can use the problem's equations, or the only one transforms the objective
 * so that they do not hold any more; members of portfolios that take equations see the objective as
 * it is. Nothing happens without equations.
 *
 * Local.
 *
 * location  in  of the equations; NULL = none
 */
void gannet_pde_constraint_check(const gannet_optimizer_options *options,
                                 const gannet_problem *problem, const char *location,
                                 gannet_complaints *complaints);

/* Whether a method's own surrogate takes equations, or that of what joins its portfolio.
 *
 * Local.
 */
bool gannet_method_takes_equations(const gannet_method *method);

/* The equations at points of a scrambled Sobol sequence; NULL when there are none.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT when a coefficient or a right side is not finite at one of the points,
 * or all coefficients of an equation are 0 at all of them.
 */
GANNET_CHECKED gannet_err gannet_pde_constraint_create(const gannet_context *context,
                                                       const gannet_problem *problem,
                                                       gannet_pde_residuals **residuals);

/* Whether that works, as far as it can be told before plugins are loaded.
 *
 * Local.
 *
 * equation  out  the one that is wrong, after GANNET_ERR_INPUT; -1 = none of them
 */
GANNET_CHECKED gannet_err gannet_pde_constraint_try(const gannet_context *context,
                                                    const gannet_problem *problem, int *equation);

#endif
