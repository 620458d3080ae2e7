/* The inside of an optimiser, for the files of this room alone. */
#ifndef GANNET_OPTIMIZER_OPTIMIZER_IMPL_H
#define GANNET_OPTIMIZER_OPTIMIZER_IMPL_H

#include "optimizer/allocation.h"
#include "optimizer/member.h"
#include "optimizer/optimizer.h"
#include "optimizer/race.h"

struct gannet_optimizer {
  const gannet_context *context;
  const gannet_problem *problem;
  int *holders; /* count of the users of the problem, held until destroy */
  gannet_optimizer_options options;
  gannet_history *history;
  gannet_discarded discarded; /* evaluations that the history has no more */
  gannet_related *related;    /* results of related problems */

  /* Members, [options.n_members]: */
  gannet_member *member;
  char (*part)[GANNET_STATE_NAME];         /* what comes before the names of their saved values */
  char (*meaning)[GANNET_STATE_TEXT_SIZE]; /* digests of what their hyperparameters mean */
  gannet_allocation allocation;            /* how many points each proposes */
  gannet_race race;                        /* of an evolution strategy and the other members */
  int64_t design;                          /* evaluations before the first model */
  gannet_cost_model *cost;                 /* NULL = gains are not weighed by cost */
  int substitute; /* place in the list of substitutes, from 1, of the one that proposed the last
                     batch (optimizer/substitute.c); 0 = the members did */

  int64_t batch;                /* number of the next proposal */
  gannet_distinct *seen;        /* points of the history, as of the last ask */
  gannet_noise_test noise_test; /* of the history, as of the last ask */

  /* What the user was told: */
  /* Least value of each objective that counts as a failure, minimised; INFINITY = none. */
  double penalty[GANNET_OBJECTIVES_MOST];
  bool told_constant[GANNET_OBJECTIVES_MOST]; /* all values of an objective so far are equal */
  bool told_repeats; /* results repeat exactly (optimizer/models/repeats.h) */

  double ask_seconds;   /* of the last ask */
  gannet_phases phases; /* of the last ask */
};

/* The row of an evaluation in the history.
 *
 * Local.
 *
 * Errors: GANNET_ERR_ARG for an id never asked, GANNET_ERR_STATE for one that was discarded.
 */
GANNET_CHECKED gannet_err gannet_optimizer_find_row(const gannet_optimizer *optimizer, int64_t id,
                                                    int64_t *row);

/* Make room for q points, and note the points that came into the history since the last ask: a
 * point that is there never changes.
 *
 * Local.
 *
 * x_unit  out  [q][d]; to be freed with gannet_free
 */
GANNET_CHECKED gannet_err gannet_optimizer_prepare_points(gannet_optimizer *optimizer, int q,
                                                          double **x_unit);

/* The next q points of the first design, after gannet_optimizer_prepare_points.
 *
 * Collective.
 *
 * x_unit  out  [q][d]
 */
GANNET_CHECKED gannet_err gannet_optimizer_propose_first(gannet_optimizer *optimizer, int q,
                                                         double *x_unit);

/* Make a result of the caller's what the history takes. One with a number that is not finite has
 * failed: that is what the simulation makes of the design, and no bad luck.
 *
 * Local.
 *
 * record  inout  its constraints point at [n_constraints]; to be released also after an error
 */
GANNET_CHECKED gannet_err gannet_optimizer_read_result(const gannet_problem *problem,
                                                       const gannet_result *result,
                                                       gannet_result_record *record);

/* Forget all that was learnt, but not the history, and begin with batch 0.
 *
 * Collective.
 */
GANNET_CHECKED gannet_err gannet_optimizer_forget(gannet_optimizer *optimizer);

#endif
