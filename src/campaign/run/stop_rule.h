/* Reasons to end a campaign before its evaluations are used up, which its file states in the
 * section stop and as budget.cost.
 *
 *   cost        the evaluations have cost as much as stated (campaign/run/budget.h)
 *   target      the best feasible objective is as good as stated, or better
 *   stagnation  so many results in a row have not improved the best feasible objective. Results
 *               count in the order in which they were told, those of the initial design and
 *               failures too. Nothing is counted before there is a feasible design.
 *   regret      with the stated probability no feasible design is better than the best one by more
 *               than stated (optimizer/regret.h)
 *
 * A reason is a function of the results that were told, so that a resumed campaign finds the same
 * one.
 */
#ifndef GANNET_CAMPAIGN_RUN_STOP_RULE_H
#define GANNET_CAMPAIGN_RUN_STOP_RULE_H

#include "campaign/run/campaign.h"
#include "optimizer/regret.h"

/* The first reason that holds but for the regret, "stop.target: the best objective, 0.019
 * (evaluation 7), has reached 0.02".
 *
 * Local.
 *
 * why  out  [size] begins with the key of the campaign file and ':'; "" = none
 */
void gannet_stop_rule_look(const gannet_campaign *campaign, char *why, size_t size);

/* The last estimate of the regret, zeroed before the first. */
typedef struct {
  int64_t told; /* results that it is based on */
  gannet_regret regret;
} gannet_regret_memo;

/* The first reason that holds, the regret included, which is estimated once for the same results. A
 * model that fails is warned of, and no reason.
 *
 * Collective over the campaign's context; the same on all ranks.
 *
 * Errors: those of the model that are no failure of its numbers.
 */
GANNET_CHECKED gannet_err gannet_stop_rule_check(const gannet_campaign *campaign,
                                                 gannet_regret_memo *memo, char *why, size_t size);

#endif
