/* The inside of an optimiser, for the files of this room alone. */
#ifndef GANNET_OPTIMIZER_OPTIMIZER_IMPL_H
#define GANNET_OPTIMIZER_OPTIMIZER_IMPL_H

#include "optimizer/allocation.h"
#include "optimizer/member.h"
#include "optimizer/optimizer.h"

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

#endif
