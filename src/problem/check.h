/* Checks of what a user says about a problem. Each can be used alone, so that the reader of
 * campaign files can complain with line and column.
 */
#ifndef GANNET_PROBLEM_CHECK_H
#define GANNET_PROBLEM_CHECK_H

#include "base/complaints.h"
#include "gannet/problem.h"

/* Complain about one variable, constraint or objective.
 *
 * Local.
 *
 * location  in  "file:line:column" or NULL
 */
void gannet_variable_check(const gannet_variable *variable, const char *location,
                           gannet_complaints *complaints);
void gannet_constraint_check(const gannet_constraint *constraint, const char *location,
                             gannet_complaints *complaints);
void gannet_objective_check(const gannet_objective *objective, const char *location,
                            gannet_complaints *complaints);

/* All checks of a specification, repeated names included.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT with every complaint.
 */
GANNET_CHECKED gannet_err gannet_problem_check_spec(const gannet_problem_spec *spec);

#endif
