/* What a simulation reports by name: the objective and the constraints. */
#ifndef GANNET_EVALUATE_CONTRACT_QUANTITIES_H
#define GANNET_EVALUATE_CONTRACT_QUANTITIES_H

#include "problem/problem.h"

/* For messages: a group that takes the number, or nan, or the stars of Fortran. A diverged run must
 * not be taken for an earlier line of it. */
#define GANNET_NUMBER_GROUP "([^ ]*)"

/* 0 = the objective, then the constraints; -1 = none of them.
 *
 * Local.
 */
int gannet_quantity_find(const gannet_problem *problem, const char *name);

/* The names of the constraints with a blank before each, for messages: after the word objective.
 *
 * Local.
 *
 * list  out  [size] as many as fit
 */
void gannet_quantity_list(const gannet_problem *problem, char *list, size_t size);

#endif
