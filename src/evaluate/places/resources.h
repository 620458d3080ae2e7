/* What one simulation needs of the machine: the keys of evaluate.resources.
 *
 * Terms
 *   need    cores, devices, tasks, memory and nodes of one simulation
 *   corner  a combination of the least and greatest values of the variables in an expression; an
 *           expression that is monotone in each variable is greatest at a corner
 */
#ifndef GANNET_EVALUATE_PLACES_RESOURCES_H
#define GANNET_EVALUATE_PLACES_RESOURCES_H

#include "base/complaints.h"
#include "base/option.h"
#include "problem/problem.h"
#include "problem/variable_expression.h"

/* evaluate.resources.launcher */
enum { GANNET_START_BY_AUTO, GANNET_START_BY_MPIRUN, GANNET_START_BY_SRUN };

typedef struct gannet_resources {
  char *cores, *gpus, *tasks; /* numbers, or expressions in the variables; NULL = not given */
  int64_t memory;             /* bytes of a simulation; 0 = not counted */
  int nodes;
  gannet_text_list devices; /* GPUs to share out; [auto] = those that are found */
  int launcher;
  int reserved_cores; /* of the controller's node, for gannet itself */
  bool oversubscribe;
} gannet_resources;

typedef struct {
  int cores, gpus, tasks, nodes; /* of the whole simulation; each is a multiple of nodes, cores also
                                    of tasks */
  double memory;                 /* bytes on each node; 0 = not counted */
} gannet_need;

/* The expressions of a problem's resources. */
typedef struct {
  const gannet_resources *given; /* borrowed */
  int n_variables;
  gannet_variable_expression *expression[3]; /* cores, gpus, tasks; NULL = not given */
  gannet_need least, most; /* over all corners of the expressions; the same for plain numbers */
  gannet_need allowed;     /* most over the corners that variable constraints allow, if there are
                              any: a need that is larger is met by few designs, or by none */
} gannet_needs;

/* Whether a campaign says what its simulations need; else nothing of all this is done.
 *
 * Local.
 */
bool gannet_resources_are_given(const gannet_resources *resources);

/* Whether keys are set that mean nothing because a campaign does not say what its simulations need.
 *
 * Local.
 */
bool gannet_resources_are_idle(const gannet_resources *resources);

/* Compile the expressions and find the least and the greatest need; complain about what is no
 * expression, and about what is below 1 core or 0 GPUs at some corner.
 *
 * Local.
 *
 * problem  in   may be NULL: then nothing is compiled
 * needs    out  to be released with gannet_needs_release, also after an error
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_needs_create(const gannet_resources *resources,
                                              const gannet_problem *problem,
                                              gannet_complaints *complaints, gannet_needs *needs);
void gannet_needs_release(gannet_needs *needs);

/* The need at a point. Numbers are rounded up: to whole ones, tasks and GPUs to a multiple of
 * nodes, cores to a multiple of tasks. Returns NULL, or the key whose expression has no value there
 * or one below its least.
 *
 * Local.
 *
 * x_user  in  [n_variables]
 */
const char *gannet_needs_at(const gannet_needs *needs, const double *x_user, gannet_need *need);

#endif
