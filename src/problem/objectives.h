/* The objectives of a problem: one, or several, of which none counts more than another.
 *
 * Terms
 * - quantity: a number that is modelled: the first objective (index 0), or what stands at place k
 * of spec.constraints (index k + 1);
 * - further objective: one after the first. It stands at the end of spec.constraints without
 * bounds, so it is reported, recorded, modelled and translated as a constraint is, and never
 * violated;
 * - front: the evaluations that are feasible, have no penalty, and are not dominated: no other one
 *   is at least as good in every objective and better in one;
 * - threshold: a value of an objective that is not better than this is of no interest. The
 *   thresholds are the reference point of the hypervolume.
 */
#ifndef GANNET_PROBLEM_OBJECTIVES_H
#define GANNET_PROBLEM_OBJECTIVES_H

#include "problem/problem.h"

/* How many objectives there are: at least 1.
 *
 * Local.
 */
int gannet_problem_n_objectives(const gannet_problem *problem);

/* How many of spec.constraints have bounds: those before the further objectives.
 *
 * Local.
 */
int gannet_problem_n_bounded(const gannet_problem *problem);

/* The index of objective m among the quantities, and the objective of a quantity; -1 = it is a
 * constraint.
 *
 * Local.
 */
int gannet_problem_objective_quantity(const gannet_problem *problem, int m);
int gannet_problem_quantity_objective(const gannet_problem *problem, int quantity);

/* Where a quantity stands in arrays that programs see: the objectives, then the constraints with
 * bounds.
 *
 * Local.
 */
int gannet_problem_place(const gannet_problem *problem, int quantity);

/* Objective m in the minimised sense from the user's, and back.
 *
 * Local.
 */
double gannet_problem_flip_objective(const gannet_problem *problem, int m, double value);

/* The noise of a single value of objective m, in its units; 0 = exact, NAN = to be inferred.
 *
 * Local.
 */
double gannet_problem_objective_noise(const gannet_problem *problem, int m);

/* Whether another evaluation of a design tells nothing: all objectives have noise 0.
 *
 * Local.
 */
bool gannet_problem_is_exact(const gannet_problem *problem);

/* The word of a transform: auto, none or log.
 *
 * Local.
 */
const char *gannet_objective_transform_text(gannet_objective_transform transform);

/* The values of all objectives of a result, minimised.
 *
 * Local.
 *
 * objective    in   of the first one, in the user's units; NAN = missing
 * constraints  in   [n_constraints] as in a result; NULL with one objective
 * y            out  [n_objectives] minimised; NAN = missing
 */
void gannet_problem_objectives(const gannet_problem *problem, double objective,
                               const double *constraints, double *y);

/* How many constraints of a specification have bounds: those of a problem's own specification
 * (gannet_problem_get_spec) hold the further objectives, too.
 *
 * Local.
 *
 * spec  in  its arrays are there
 */
int gannet_spec_n_bounded(const gannet_problem_spec *spec);

/* Copy the objectives of a specification, with goal and noise of the first one, and put those after
 * the first behind the constraints. What was copied counts in to, also after an error.
 *
 * Local.
 *
 * to           inout  has its own constraints already
 * constraints  inout  of to, with room for the further objectives
 */
GANNET_CHECKED gannet_err gannet_objectives_copy(const gannet_problem_spec *from,
                                                 gannet_problem_spec *to,
                                                 gannet_constraint *constraints);

#endif
