/* Reading the keys of a suite, for plan.c only. What is wrong is complained about; the only error
 * is GANNET_ERR_MEMORY.
 */
#ifndef GANNET_SUITE_PLAN_PARTS_H
#define GANNET_SUITE_PLAN_PARTS_H

#include "campaign/config/tree.h"
#include "evaluate/simulation.h"
#include "suite/plan.h"

/* The nodes of the tree that problems and methods were read from. */
typedef struct {
  const gannet_tree *root;
  const gannet_tree **problem; /* [n_problems] */
  const gannet_tree **method;  /* [n_methods] */
} suite_nodes;

/* Keys of the suite, then labels and keys of problems and methods.
 *
 * Local.
 *
 * nodes  out  its arrays to be freed by the caller, also after an error
 */
GANNET_CHECKED gannet_err suite_plan_read(const char *file, const gannet_tree *root,
                                          suite_plan *plan, suite_nodes *nodes,
                                          gannet_complaints *complaints);

/* What follows from the keys of a problem and its first input: sizes, optimum, measures, tables.
 *
 * Local.
 */
GANNET_CHECKED gannet_err suite_plan_complete(suite_plan *plan, const suite_nodes *nodes, int p,
                                              gannet_complaints *complaints);

/* Whether a label is the name of a method. Local. */
bool suite_is_method(const char *label);

/* Several objectives of a function. */
typedef struct {
  int m;
  const char *name[GANNET_SIMULATION_QUANTITIES_MOST];
  double reference[GANNET_SIMULATION_QUANTITIES_MOST], hypervolume; /* as published */
} suite_front;

/* The objectives of a function that has several, with the setting evaluate.settings.objectives of
 * the problem, if there is one.
 *
 * Local.
 *
 * node  in  of the problem
 */
GANNET_CHECKED gannet_err suite_plan_front(const gannet_simulation_type *type,
                                           const gannet_tree *node, suite_front *front);

#endif
