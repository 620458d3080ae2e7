/* The inside of the command back-end: its options, their check, and rank 0's bookkeeping. */
#ifndef GANNET_EVALUATE_COMMAND_H
#define GANNET_EVALUATE_COMMAND_H

#include <limits.h>

#include "evaluate/contract.h"

typedef struct {
  gannet_text_list command;
  char *shell;
  gannet_text_list templates;
  gannet_text_list pattern;
  gannet_text_list environment;
  double kill_grace;
  gannet_real_list bad_luck_exit_codes;
  gannet_real_list infeasible_exit_codes;
} gannet_command_options;

/* Everything that can be seen to be wrong without running.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_command_check(const void *options,
                                               const gannet_evaluator_setup *setup,
                                               gannet_complaints *complaints);

/* The path of a program: absolute as it is, with a slash relative to input_directory, else searched
 * in PATH. Returns 0, or the errno of the best attempt (EACCES when it exists and cannot be run).
 *
 * Local.
 *
 * path  out  [PATH_MAX]
 */
int gannet_command_find(const char *program, const char *input_directory, char *path);

/* One evaluation that the launcher has. */
typedef struct {
  int64_t id;
  int attempt, slot;
  uint64_t nonce;
  double submitted;
  bool unwanted; /* cancelled: its end is awaited, its result is not */
  char directory[PATH_MAX];
} gannet_flight;

/* What rank 0 has and the others do not. */
typedef struct {
  const gannet_command_options *options;
  const gannet_context *context;
  gannet_contract contract;
  gannet_contract_rules rules;
  gannet_patterns patterns;
  char evaluations[PATH_MAX], input_directory[PATH_MAX], program[PATH_MAX];
  double time_limit;
  gannet_launcher *launcher;
  bool own_launcher;
  int n, capacity;
  gannet_flight *flights;
  int n_ready, ready_capacity;
  char *ready; /* [ready_capacity][record_size] results not yet collected */
  size_t record_size;
  double *constraints; /* [n_constraints] of the record being made */
} gannet_flights;

/* Create on rank 0 only; free with gannet_flights_destroy, also after failure.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_flights_create(const gannet_command_options *options,
                                                const gannet_evaluator_setup *setup,
                                                gannet_flights **flights);
void gannet_flights_destroy(gannet_flights **flights);

/* Prepare and launch; on failure none of them flies. Local. */
GANNET_CHECKED gannet_err gannet_flights_submit(gannet_flights *flights, int n,
                                                const gannet_request *requests);

/* Wait until at least one result is ready, at most so long. Local. */
GANNET_CHECKED gannet_err gannet_flights_wait(gannet_flights *flights, double wait);

/* Forget the first n results that are ready. Local. */
void gannet_flights_pop(gannet_flights *flights, int n);

/* End everything and wait for that. Local. */
GANNET_CHECKED gannet_err gannet_flights_cancel(gannet_flights *flights);

/* Take over what an earlier process completed. Local. */
GANNET_CHECKED gannet_err gannet_flights_recover(gannet_flights *flights,
                                                 const gannet_request *request, bool *taken);

#endif
