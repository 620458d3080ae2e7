/* The inside of an optimiser, for the campaign: its history and what must be saved of it.
 *
 * See gannet/optimizer.h for ask and tell.
 */
#ifndef GANNET_OPTIMIZER_OPTIMIZER_H
#define GANNET_OPTIMIZER_OPTIMIZER_H

#include "gannet/optimizer.h"
#include "optimizer/allocation.h"
#include "optimizer/member.h"

struct gannet_optimizer {
  const gannet_context *context;
  const gannet_problem *problem;
  int *holders; /* of the problem */
  gannet_optimizer_options options;
  gannet_history *history;
  gannet_allocation allocation; /* of portfolios */
  gannet_member *member;        /* [options.n_members] */
  int64_t design;               /* evaluations before the first model */
  gannet_distinct *seen;        /* points of the history, but for the newest ones */
  int64_t batch;                /* number of the next proposal */
  double penalty;               /* the least one at the last ask, minimised; INFINITY = none */
  bool told_constant;           /* that all results so far are equal */
  bool told_repeats;            /* that results repeat exactly (optimizer/repeats.h) */
  double ask_seconds;           /* of the last ask */
  gannet_phases phases;         /* of the last ask */
  gannet_suspicion suspicion;   /* likewise */
  int substitute;               /* who proposed the last batch while a model failed, as the user was
                                   told (optimizer/substitute.c); 0 = nobody had to */
};

/* Everything that the next ask depends on besides seed, options and history: the number of the next
 * batch, then the state of the members.
 *
 * Local. set: logically collective.
 *
 * state  - [gannet_optimizer_state_size]
 */
int gannet_optimizer_state_size(const gannet_optimizer *optimizer);
void gannet_optimizer_get_state(const gannet_optimizer *optimizer, double *state);
GANNET_CHECKED gannet_err gannet_optimizer_set_state(gannet_optimizer *optimizer,
                                                     const double *state);

/* Of a saved state of a portfolio with these options: results that there were when a member was
 * left out because its model failed; -1 = it takes part.
 *
 * Local.
 *
 * state  in  [n_state]; of another length than such a state has: nobody was left out
 */
int64_t gannet_optimizer_left_out(const gannet_optimizer_options *options, int n_state,
                                  const double *state, int member);

/* Bytes held by the models of all members.
 *
 * Local.
 */
size_t gannet_optimizer_model_bytes(const gannet_optimizer *optimizer);

/* Names of the state's values, for the saved file: "batch", "objective.amplitude", ...
 *
 * Local.
 */
void gannet_optimizer_state_name(const gannet_optimizer *optimizer, int i, char *name, size_t size);

#endif
