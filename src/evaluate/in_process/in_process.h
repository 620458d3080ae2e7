/* What the function and plugin back-ends share: simulations as calls on groups of the job's ranks.
 *
 * The communicator is cut into floor(np / ranks_per_simulation) groups; ranks left over idle.
 * Evaluation i of a poll runs on group i mod groups. Because the size of a group is stated and not
 * derived from np, results do not depend on np. A simulation that crashes or never returns takes
 * the job with it: programs that may do so belong to the command back-end.
 */
#ifndef GANNET_EVALUATE_IN_PROCESS_IN_PROCESS_H
#define GANNET_EVALUATE_IN_PROCESS_IN_PROCESS_H

#include <stdbool.h>

#include "evaluate/evaluator.h"

/* Options of both back-ends; only the meaning of target differs. */
typedef struct {
  char *target; /* name of a built-in simulation, or path of a shared object */
  int ranks_per_simulation;
  gannet_text_list settings; /* "key=value" */
} gannet_in_process_options;

/* The rows that both option tables share. */
#define GANNET_IN_PROCESS_OPTIONS                                                           \
  {.key = "ranks_per_simulation",                                                           \
   .type = GANNET_INTEGER,                                                                  \
   .offset = offsetof(gannet_in_process_options, ranks_per_simulation),                     \
   .fallback = "1",                                                                         \
   .lower = 1,                                                                              \
   .upper = 1 << 20,                                                                        \
   .unit = "ranks",                                                                         \
   .help = "ranks that one simulation runs on; they do not depend on the size of the job"}, \
  {                                                                                         \
    .key = "settings", .type = GANNET_TEXT_LIST,                                            \
    .offset = offsetof(gannet_in_process_options, settings),                                \
    .help = "settings of the simulation, each as key=value", .example = "resolution=32"     \
  }

/* How an evaluation is called: gannet_simulation_type.run or a plugin's gannet_simulate. */
typedef struct {
  int (*run)(void *target, const gannet_simulation_input *input, gannet_simulation_output *output);
  void (*release)(void *target); /* at destroy, and when create fails */
  void *target;                  /* given to the evaluator */
  int n_constraints;             /* that the simulation may write; 0 when not known */
} gannet_in_process_call;

/* Complain about settings without "=", and about ranks_per_simulation above the number of ranks;
 * warn about a time limit, which nothing can keep inside a process.
 *
 * Local.
 */
void gannet_in_process_check(const gannet_in_process_options *options,
                             const gannet_evaluator_setup *setup, gannet_complaints *complaints);

/* Whether this process is calling a simulation: if it ends by exit() meanwhile, a message can say
 * so.
 *
 * Local.
 */
bool gannet_in_process_is_running(void);

/* Create the state of a back-end.
 *
 * Collective over the context's communicator.
 *
 * call   in  copied; its target is given, also when creation fails
 * local  in  outcome of making the call on this rank; may differ between ranks
 */
GANNET_CHECKED gannet_err gannet_in_process_create(const gannet_in_process_options *options,
                                                   const gannet_evaluator_setup *setup,
                                                   const gannet_in_process_call *call,
                                                   gannet_err local, void **state);

/* The operations of gannet_evaluator_type.
 *
 * Collective over the context's communicator.
 */
void gannet_in_process_destroy(void *state);
gannet_err gannet_in_process_submit(void *state, int n, const gannet_request *requests);
gannet_err gannet_in_process_poll(void *state, double wait, int capacity, int *n,
                                  gannet_result_record *results);
gannet_err gannet_in_process_cancel(void *state);
gannet_err gannet_in_process_withdraw(void *state, int64_t id);

#endif
