/* Move a few variables of a point: the candidates around the best points (search/candidates.h), and
 * the box of a trust region (search/region.h), use it.
 *
 * Terms
 *   number   value of a real or integer variable in the user's units
 *   switch   a boolean or a category: it has no steps, it only changes to another value
 *   chance   probability of a variable to move
 */
#ifndef GANNET_SEARCH_PERTURB_H
#define GANNET_SEARCH_PERTURB_H

#include "base/random.h"
#include "problem/problem.h"

/* The number of an integer or real variable at a unit coordinate, and the coordinate of a number.
 *
 * Local.
 */
double gannet_variable_number(const gannet_variable *variable, double x_unit);
double gannet_variable_unit(const gannet_variable *variable, double number);

/* The usual chance: 20 variables move on average, at most all.
 *
 * Local.
 */
double gannet_perturb_chance(int n_variables);

typedef struct {
  const double *lower, *upper; /* [d] box */
  double moving;               /* chance of a real or integer variable */
  double least_moving;         /* > 0: the chance is drawn for every point, log-uniformly between
                                  this and moving; >= moving, and 0: it is moving */
  double switching;            /* chance of a switch; 0 = drawn for every point */
} gannet_perturb_spec;

/* Move a few variables of an admissible point, at least one.
 *
 * - Real and integer variables move by a normal step. Its size as a part of the box is drawn once
 *   per point, log-uniformly between 1e-3 and 0.5. Steps out of the box are reflected.
 * - A variable with steps (gannet_variable_has_steps) stays where the step rounds to nothing.
 * - One variable is drawn that moves in any case. If it has steps, it moves to the next number at
 *   least.
 * - If the chance of switches is drawn, then log-uniformly between moving / (m + 1) and moving, for
 *   m switches. Then a switch is the variable that moves in any case, if there are switches and
 *   continuous variables.
 *
 * The result is not snapped. (The choice of few variables: Regis and Shoemaker 2013, "dycors";
 * Eriksson et al. 2019.)
 *
 * Local.
 *
 * stream  in     of this point; the upper half of its purpose is used
 * x       inout  [d]
 */
void gannet_perturb(const gannet_problem *problem, gannet_stream stream,
                    const gannet_perturb_spec *spec, double *x);

/* Draw which variables may move, and give all others the values of an anchor. In spec switching = 0
 * is the chance moving.
 *
 * Local.
 *
 * anchor  in     [d] admissible
 * x       inout  [d]
 */
void gannet_perturb_hold(const gannet_problem *problem, gannet_stream stream,
                         const gannet_perturb_spec *spec, const double *anchor, double *x);

#endif
