/* The parts of reading a suite, one file each; for plan.c only. All complain about what is wrong
 * and fail with GANNET_ERR_MEMORY.
 */
#ifndef GANNET_SUITE_PLAN_PARTS_H
#define GANNET_SUITE_PLAN_PARTS_H

#include "campaign/config/tree.h"
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

/* The campaign input of problem p and method k, from the sections of both.
 *
 * Local.
 */
GANNET_CHECKED gannet_err suite_plan_compose(const suite_plan *plan, const suite_nodes *nodes,
                                             int p, int k, gannet_campaign_input **input,
                                             gannet_complaints *complaints);

/* What follows from the keys of a problem and its first input: sizes, optimum, measures, tables.
 *
 * Local.
 */
GANNET_CHECKED gannet_err suite_plan_complete(suite_plan *plan, const suite_nodes *nodes, int p,
                                              gannet_complaints *complaints);

/* Standard deviations of the noise of problem p, from uniform points.
 *
 * Local; the function must allow that.
 *
 * Errors: GANNET_ERR_INPUT when the problem is no function that can be called so often.
 */
GANNET_CHECKED gannet_err suite_plan_find_noise(suite_plan *plan, int p);

#endif
