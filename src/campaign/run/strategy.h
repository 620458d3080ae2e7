/* When points are proposed and when results are told: what synchronous batches and asynchronous
 * refill differ in. Everything else of the loop is the same for both.
 *
 * The journal holds the order in which results were told, so a replay of either proposes the same
 * points; but only synchronous batches tell in an order that does not depend on how long the
 * simulations took.
 */
#ifndef GANNET_CAMPAIGN_RUN_STRATEGY_H
#define GANNET_CAMPAIGN_RUN_STRATEGY_H

#include "campaign/run/batch.h"

typedef struct {
  const char *name; /* first member; as in evaluate.mode */
  /* How many points to propose now, when left more may be. */
  int (*wanted)(const gannet_campaign *campaign, const gannet_batch *batch, int64_t left);
  /* Whether to tell the results that have come in. */
  bool (*is_ripe)(const gannet_campaign *campaign, const gannet_batch *batch);
} gannet_strategy;

/* In the order of the choices of evaluate.mode; all functions local. */
extern const gannet_strategy *const gannet_strategies[];

#endif
