/* Perturbations of a point: part of search/candidates.h. */
#ifndef GANNET_SEARCH_LOCAL_H
#define GANNET_SEARCH_LOCAL_H

#include "base/random.h"
#include "problem/problem.h"

/* Chance of a variable to move unless another one is chosen: 20 variables on average, at most all.
 *
 * Local.
 */
double gannet_local_chance(int n_variables);

/* The number that an integer or real variable has at a unit coordinate, and the coordinate of a
 * number.
 *
 * Local.
 */
double gannet_local_value(const gannet_variable *variable, double x_unit);
double gannet_local_unit(const gannet_variable *variable, double value);

typedef struct {
  const double *lower, *upper; /* [d] */
  double moving;               /* chance of a real or integer variable to move */
  double switching;            /* of a boolean or a category; 0 = drawn for every point */
} gannet_local_spec;

/* Move a few variables of an admissible point, at least one. Real and integer variables move by a
 * normal step, whose size as a part of the box is drawn once per point, log-uniformly between 1e-3
 * and 0.5; an integer, or a real variable of few numbers, stays where that rounds to nothing,
 * unless it is the one that moves in any case: then it moves to the next number at least. Booleans
 * and categories change to another value, with a chance between moving / (m + 1) and moving that is
 * drawn log-uniformly, m being how many there are, and at least one of them does where there are
 * continuous variables. Steps out of the box are reflected. The result is not snapped. (The choice
 * of few variables: Regis and Shoemaker 2013, "dycors"; Eriksson et al. 2019.)
 *
 * Local.
 *
 * stream  in     of this point; the upper half of its purpose is used
 * x       inout  [d]
 */
void gannet_local_perturb(const gannet_problem *problem, gannet_stream stream,
                          const gannet_local_spec *spec, double *x);

/* Give the variables that may not move the values they have elsewhere, here at an anchor.
 *
 * Local.
 *
 * anchor  in     [d] admissible
 * x       inout  [d]
 */
void gannet_local_hold(const gannet_problem *problem, gannet_stream stream,
                       const gannet_local_spec *spec, const double *anchor, double *x);

#endif
