/* A problem in a state file: variables, constraints and goal as datasets "problem/...", for whoever
 * reads the file, and to tell whether the file is of the same problem.
 */
#ifndef GANNET_PROBLEM_PROBLEM_COLUMNS_H
#define GANNET_PROBLEM_PROBLEM_COLUMNS_H

#include "problem/problem.h"
#include "store/state_file.h"

/* Write a problem.
 *
 * Local.
 *
 * Errors: those of the store.
 */
GANNET_CHECKED gannet_err gannet_problem_columns_write(gannet_store *store,
                                                       const gannet_problem *problem);

/* Whether the datasets are those of a problem. Units may have been stated or changed since.
 *
 * Local.
 *
 * Errors: GANNET_ERR_DAMAGED naming the dataset and row that differs; those of the store.
 */
GANNET_CHECKED gannet_err gannet_problem_columns_check(const gannet_store *store,
                                                       const gannet_problem *problem);

#endif
