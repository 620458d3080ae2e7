/* The inside of an optimiser, for the files of this room alone. */
#ifndef GANNET_OPTIMIZER_OPTIMIZER_IMPL_H
#define GANNET_OPTIMIZER_OPTIMIZER_IMPL_H

#include "optimizer/allocation.h"
#include "optimizer/member.h"
#include "optimizer/optimizer.h"

struct gannet_optimizer {
  const gannet_context *context;
  const gannet_problem *problem;
  int *holders; /* count of the users of the problem, held until destroy */
  gannet_optimizer_options options;
  gannet_history *history;

  /* Members, [options.n_members]: */
  gannet_member *member;
  char (*part)[GANNET_STATE_NAME];         /* what comes before the names of their saved values */
  char (*meaning)[GANNET_STATE_TEXT_SIZE]; /* digests of what their hyper-parameters mean */
  gannet_allocation allocation;            /* how many points each proposes */
  int64_t design;                          /* evaluations before the first model */
  int substitute; /* place in the list of substitutes, from 1, of the one that proposed the last
                     batch (optimizer/substitute.c); 0 = the members did */

  int64_t batch;                /* number of the next proposal */
  gannet_distinct *seen;        /* points of the history, as of the last ask */
  gannet_noise_test noise_test; /* of the history, as of the last ask */

  /* What the user was told: */
  double penalty;     /* least objective that counts as a failure, minimised; INFINITY = none */
  bool told_constant; /* all results so far are equal */
  bool told_repeats;  /* results repeat exactly (optimizer/models/repeats.h) */

  double ask_seconds;   /* of the last ask */
  gannet_phases phases; /* of the last ask */
};

#endif
