/* One member of an optimiser: a method with its own models.
 *
 * Most methods are one member. A portfolio has several, which share the history and take turns at
 * proposing. A member never talks to another one: what it proposes is a function of the seed, its
 * options, the history, its saved state, and the points that were chosen in this batch so far.
 */
#ifndef GANNET_OPTIMIZER_MEMBER_H
#define GANNET_OPTIMIZER_MEMBER_H

#include "optimizer/allocation.h"
#include "optimizer/evolution/evolution.h"
#include "optimizer/local/local.h"
#include "optimizer/member_region.h"
#include "optimizer/models/cost_model.h"
#include "optimizer/models/models.h"
#include "search/distinct.h"

/* Parts of an ask, for measurements: conditioning and learning, preparing draws, scoring
 * candidates, polish, and the choice of the batch. */
typedef enum {
  GANNET_PHASE_FIT,
  GANNET_PHASE_SAMPLE,
  GANNET_PHASE_SCAN,
  GANNET_PHASE_POLISH,
  GANNET_PHASE_CHOOSE,
  GANNET_PHASE_COUNT
} gannet_phase;

/* What an ask took, and who is told whenever a part of it ends; several members end parts several
 * times. */
typedef struct {
  double seconds[GANNET_PHASE_COUNT];            /* 0 for phases that it had not */
  void (*ended)(void *user, gannet_phase phase); /* NULL = nobody */
  void *user;
} gannet_phases;

typedef struct {
  const gannet_context *context;
  const gannet_problem *problem;
  const gannet_history *history;
  const gannet_distinct *seen;   /* points of the history */
  gannet_noise_test *noise_test; /* of the history, valid during an ask */
  const gannet_member_options *options;
  int index;                   /* number of the member in the portfolio */
  gannet_models *models;       /* NULL for a member without a surrogate */
  gannet_local *local;         /* the quadratic models of a local member; NULL for others */
  gannet_evolution *evolution; /* of an evolution strategy; NULL for others */
  void *memory; /* of its acquisition function (acquisition/acquisition.h), or NULL */
  gannet_allocation draw_uses; /* shares of the uses of draws (propose/draw_uses.h) */
  gannet_member_region region;
  gannet_phases *phases;         /* what the ask takes; the optimiser's */
  const gannet_cost_model *cost; /* of the optimiser, by which gains are weighed; NULL = none */

  /* Of the batch under way: */
  int64_t batch;        /* its number */
  int n_chosen;         /* points that other members have chosen */
  const double *chosen; /* [n_chosen][d] these; this member's points follow in the same array */

  int64_t scored; /* candidates that the last scan has scored; 0 = all */
} gannet_member;

/* What members of one optimiser have in common; all borrowed until destroy. */
typedef struct {
  const gannet_context *context;
  const gannet_history *history;
  const gannet_distinct *seen; /* points of the history, brought up to date before every ask */
  gannet_phases *phases;
  gannet_noise_test *noise_test; /* of the history, during an ask */
  int64_t design;                /* evaluations before the first model, and of a new trust region */
  const gannet_cost_model *cost; /* NULL = gains are not weighed by cost */
  gannet_related *related;       /* results of related problems; NULL = none */
} gannet_member_common;

/* Fill a zeroed member; its models are not fitted.
 *
 * Collective over the context's communicator.
 *
 * options  in  borrowed until release
 */
GANNET_CHECKED gannet_err gannet_member_create(const gannet_member_common *common,
                                               const gannet_member_options *options, int index,
                                               gannet_member *member);

/* Free what a member holds; accepts a zeroed one.
 *
 * Collective over the context's communicator.
 */
void gannet_member_release(gannet_member *member);

/* Before every proposal: look at the history.
 *
 * Collective; the same on all ranks.
 */
GANNET_CHECKED gannet_err gannet_member_prepare(gannet_member *member, int64_t batch);

/* After that, and only for the sake of time: let the models of n members that are to propose learn
 * at once, as far as they can. Changes nothing after an error.
 *
 * Collective; the same on all ranks.
 *
 * n  in  1 .. GANNET_MEMBERS_MOST
 */
GANNET_CHECKED gannet_err gannet_members_learn(int n, gannet_member *const *members);

/* Fit to what was prepared and propose q points that follow n_chosen others of the same batch.
 *
 * Collective; the same on all ranks.
 *
 * n_chosen  in     points of this batch chosen before
 * points    inout  [n_chosen + q][d] the unit cube; the last q are made here
 */
GANNET_CHECKED gannet_err gannet_member_propose(gannet_member *member, int n_chosen, int q,
                                                double *points);

/* Whether the member has nothing to work on: quadratic models need real variables, and an evolution
 * strategy more (optimizer/evolution/evolution.h).
 *
 * Local.
 */
bool gannet_member_is_idle(const gannet_member *member);

/* Everything that the next proposal depends on besides seed, options and history. Values are put in
 * the order of version 0.1.0, which saved them without names (optimizer/optimizer.h); new
 * ones go last.
 *
 * Local. set: logically collective.
 *
 * part          in     what comes before the names: "gp-ei/"
 * same_meaning  in     false = hyperparameters mean something else and are left to be learnt
 * missing       inout  counts the hyperparameters that are absent and are to be learnt
 */
GANNET_CHECKED gannet_err gannet_member_get_state(const gannet_member *member, const char *part,
                                                  gannet_state *state);
GANNET_CHECKED gannet_err gannet_member_set_state(gannet_member *member, const char *part,
                                                  bool same_meaning, gannet_state *state,
                                                  int *missing);

#endif
