/* Variables that are not searched: fixed ones, which have one value, and derived ones, which are
 * computed from others by an expression.
 *
 * Derived variables may use each other. They are computed in an order in which each comes behind
 * those that it uses.
 */
#ifndef GANNET_PROBLEM_DERIVED_H
#define GANNET_PROBLEM_DERIVED_H

#include "base/complaints.h"
#include "problem/problem.h"
#include "problem/variable_expression.h"

typedef struct gannet_derived {
  int n;
  int *variable;                           /* [n] which are derived, in the order of computing */
  gannet_variable_expression **expression; /* [n_variables] NULL where nothing is computed */
} gannet_derived;

/* Compile the expressions of all derived variables and find the order of computing. Complain about
 * texts that are no expressions, unknown names, variables that need themselves, and when no
 * variable is free; then there is nothing to compute with.
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
