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
  gannet_allocation allocation;            /* of portfolios */
  gannet_member *member;                   /* [options.n_members] */
  char (*part)[GANNET_STATE_NAME];         /* [options.n_members] before the names of its values */
  char (*meaning)[GANNET_STATE_TEXT_SIZE]; /* [options.n_members] of its hyper-parameters */
  int64_t design;                          /* evaluations before the first model */
  gannet_distinct *seen;                   /* points of the history, but for the newest ones */
  int64_t batch;                           /* number of the next proposal */
  double penalty;               /* the least one at the last ask, minimised; INFINITY = none */
  bool told_constant;           /* that all results so far are equal */
  bool told_repeats;            /* that results repeat exactly (optimizer/models/repeats.h) */
  double ask_seconds;           /* of the last ask */
  gannet_phases phases;         /* of the last ask */
  gannet_noise_test noise_test; /* likewise */
  int substitute;               /* who proposed the last batch while a model failed, as the user was
                                   told (optimizer/substitute.c); 0 = nobody had to */
};

/* Everything that the next ask depends on besides seed, options and history.
 *
 * Local.
 *
 * state  out  zeroed or filled before; to be released
 */
GANNET_CHECKED gannet_err gannet_optimizer_get_state(const gannet_optimizer *optimizer,
                                                     gannet_state *state);

/* What a state did not have for an optimiser. */
typedef struct {
  int missing;       /* hyper-parameters of members that are in the state */
  int n_members;     /* that are not in it, or mean something else there: their models learn anew */
  char members[300]; /* their names, "gp-ei, quadratic" */
} gannet_state_report;

/* Take a state over: the number of the next batch, what members share, and the values of every
 * member as far as they are in it and mean the same.
 *
 * Logically collective; the history is that of the state.
 *
 * report  out  may be NULL
 *
 * Errors: GANNET_ERR_DAMAGED naming a value that cannot be.
 */
GANNET_CHECKED gannet_err gannet_optimizer_set_state(gannet_optimizer *optimizer,
                                                     gannet_state *state,
                                                     gannet_state_report *report);

/* Of a saved state of a portfolio with these options: results that there were when a member was
 * left out because its model failed; -1 = it takes part.
 *
 * Local.
 */
int64_t gannet_optimizer_left_out(const gannet_optimizer_options *options,
                                  const gannet_state *state, int member);

/* States as version 0.1.0 saved them: bare numbers, one after the other, told apart by how many
 * there are. Whoever reads them must know that they are of the same method and settings.
 */

/* Give numbers their names.
 *
 * Local.
 *
 * optimizer  in   of the method and settings that the numbers are of
 * values     in   [n]
 * state      out  empty when there are not as many as that method has
 */
GANNET_CHECKED gannet_err gannet_state_name_positional(const gannet_optimizer *optimizer, int n,
                                                       const double *values, gannet_state *state);

/* As gannet_optimizer_left_out.
 *
 * Local.
 *
 * values  in  [n]; of another length than a portfolio has: nobody was left out
 */
int64_t gannet_state_positional_left_out(const gannet_optimizer_options *options, int n,
                                         const double *values, int member);

/* Bytes held by the models of all members.
 *
 * Local.
 */
size_t gannet_optimizer_model_bytes(const gannet_optimizer *optimizer);

#endif
