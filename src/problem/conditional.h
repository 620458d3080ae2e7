/* Conditional variables: at which points they are active, and points made canonical, so that two
 * points which differ in inactive variables only are the same point.
 *
 * Every inactive variable has its resting value (gannet_variable_resting), and its coordinates
 * those of that value. All points behind the problem room are canonical: inactive coordinates
 * neither move proposals nor distances. The kernel needs to know nothing of conditions then.
 */
#ifndef GANNET_PROBLEM_CONDITIONAL_H
#define GANNET_PROBLEM_CONDITIONAL_H

#include "base/complaints.h"
#include "base/random.h"
#include "problem/derived.h"
#include "problem/problem.h"

/* Which variables are active at a point; NULL when the problem has no conditional ones.
 *
 * Local.
 *
 * x_user  in  [n_variables] complete
 *
 * Returns [n_variables], which belongs to the problem, up to the next call of this room.
 */
const bool *gannet_conditional_find_active(const gannet_problem *problem, const double *x_user);

/* The same of one variable.
 *
 * Local.
 */
bool gannet_problem_is_active(const gannet_problem *problem, int variable, const double *x_user);

/* Give inactive variables the coordinates of their resting values. Does nothing when the problem
 * has no conditional ones, or a list of candidates.
 *
 * Local.
 *
 * x_unit  inout  [d]
 */
void gannet_conditional_rest(const gannet_problem *problem, double *x_unit);

/* Give inactive variables coordinates that are uniform in the box, with half a step more for
 * integers, so that a step away from the point finds any value of those that it makes active. To be
 * followed by gannet_conditional_rest. Does nothing when the problem has no conditional variables,
 * or a list of candidates.
 *
 * Local.
 *
 * stream, at  in     the random numbers at .. at + d - 1 of a stream
 * x_unit      inout  [d]
 */
void gannet_conditional_refresh(const gannet_problem *problem, gannet_stream stream, uint64_t at,
                                double *x_unit);

/* Set the coordinates of inactive variables in a gradient to 0.
 *
 * Local.
 *
 * x_unit    in     [d]
 * gradient  inout  [d]
 */
void gannet_conditional_hold(const gannet_problem *problem, const double *x_unit, double *gradient);

/* What is known of whether a variable is active, at a point of which some values are open. */
typedef enum { GANNET_IS_ACTIVE, GANNET_IS_INACTIVE, GANNET_IS_OPEN } gannet_activity;

/* Find out which variables of a point that is not complete are active, and give those that are
 * surely inactive their resting values.
 *
 * Local.
 *
 * x_user    inout  [n_variables] NAN = open
 * activity  out    [n_variables] those that are not conditional are active
 */
void gannet_conditional_settle(const gannet_problem *problem, double *x_user,
                               gannet_activity *activity);

/* Give pinned variables that a point does not give, and that are active there, their values.
 *
 * Local.
 *
 * x_user  inout  [n_variables] NAN = not given
 */
void gannet_problem_fill_pins(const gannet_problem *problem, double *x_user);

/* The first free variable that a point needs and does not give; -1 = none.
 *
 * Local.
 *
 * x_user  in  [n_variables] NAN = not given
 */
int gannet_problem_find_not_given(const gannet_problem *problem, const double *x_user);

/* The first variable from a position on that a point gives another value than its resting one
 * although it is inactive there; -1 = none.
 *
 * Local.
 *
 * given  in  [n_variables] NAN = not given
 */
int gannet_problem_find_ignored(const gannet_problem *problem, const double *given, int from);

/* Complain about conditions that are true nowhere, and warn of those that are true everywhere.
 *
 * Local.
 *
 * location  in  [n] "file:line:column" of the variables; NULL = no locations
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_conditional_check(const gannet_derived *derived, int n,
                                                   const gannet_variable *variables,
                                                   const char *const *location,
                                                   gannet_complaints *complaints);

/* List the canonical points of a discrete problem that has conditional variables, unless there are
 * too many; then derived->n_listed is -1. A part of gannet_problem_create.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_conditional_list_points(const gannet_problem *problem);

#endif
