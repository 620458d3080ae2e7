/* What follows from the values of other variables: derived variables, which are computed by an
 * expression, and whether conditional variables are active, which their conditions say.
 *
 * Terms
 *   conditional  a variable that has a meaning only where its condition (when) is true
 *   inactive     of a conditional variable, at a point where its condition is not true: it rests
 *   rest         to have the value of gannet_variable_resting
 *
 * Both kinds may use each other. They are computed in an order in which each comes behind those
 * that it uses.
 */
#ifndef GANNET_PROBLEM_DERIVED_H
#define GANNET_PROBLEM_DERIVED_H

#include "base/complaints.h"
#include "problem/problem.h"
#include "problem/relations.h"
#include "problem/variable_expression.h"

typedef struct gannet_derived {
  int n;
  int *variable; /* [n] derived or conditional, in the order of computing */
  gannet_variable_expression **expression; /* [n_variables] of derived variables, else NULL */
  gannet_condition **condition;            /* [n_variables] of conditional variables, else NULL */
  int n_conditional;
  bool *active;   /* [n_variables] scratch: which are active at the last point that was derived */
  bool *demanded; /* [n_variables] conditional variables that are active at all allowed points; NULL
                     = none */
  bool *open;     /* [n_variables] scratch: of which that is not known */
  double *x_user; /* [n_variables] scratch */
  /* Of a discrete problem with conditional variables: its points, -1 = too many, and their numbers
   * among those of all combinations of values. */
  int64_t n_listed;
  int64_t *listed; /* [n_listed] */
} gannet_derived;

/* Compile the expressions of all derived variables and the conditions of all conditional ones, and
 * find the order of computing. Complain about texts that are no expressions or conditions, unknown
 * names, variables that need themselves, and when no variable is free; then there is nothing to
 * compute with.
 *
 * Local.
 *
 * location  in   [n] "file:line:column" of the variables; NULL = no locations
 * derived   out  to be freed with gannet_derived_destroy; NULL after complaints
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_derived_create(int n, const gannet_variable *variables,
                                                const char *const *location,
                                                gannet_complaints *complaints,
                                                gannet_derived **derived);
void gannet_derived_destroy(gannet_derived **derived, int n_variables);

/* gannet_problem_derive for variables that are no problem yet. Which variables are active is left
 * in derived->active.
 *
 * Local.
 *
 * x_user  inout  [n]
 */
void gannet_derived_apply(const gannet_derived *derived, int n, const gannet_variable *variables,
                          double *x_user);

/* Whether variable u is in the expression or the condition of variable v.
 *
 * Local.
 */
bool gannet_derived_uses(const gannet_derived *derived, int v, int u);

/* The value of a derived variable, from those that it uses; NAN where it has none.
 *
 * Local.
 *
 * variable  in  v of the variables
 * x_user    in  [n_variables]
 */
double gannet_derived_value(const gannet_derived *derived, int v, const gannet_variable *variable,
                            const double *x_user);

/* The first variable of a point that has no value, as that of an expression was not finite; -1 =
 * none. Simulations are not run then.
 *
 * Local.
 *
 * why  out  [size] what to say of it
 */
int gannet_problem_find_undefined(const gannet_problem *problem, const double *x_user, char *why,
                                  size_t size);

#endif
