/* Reasons to end a campaign before its budget is spent, which its file states in the section stop.
 *
 *   target      the best feasible objective is as good as stated, or better
 *   stagnation  so many results in a row have not improved the best feasible objective. Results
 *               count in the order in which they were told, those of the initial design and
 *               failures too. Nothing is counted before there is a feasible design.
 *
 * A reason is a function of the results that were told, so that a resumed campaign finds the same
 * one.
 */
#ifndef GANNET_CAMPAIGN_RUN_STOP_RULE_H
#define GANNET_CAMPAIGN_RUN_STOP_RULE_H

#include "campaign/run/campaign.h"

/* The first reason that holds, "stop.target: the best objective, 0.019 (evaluation 7), has reached
 * 0.02".
 *
 * Local.
 *
 * why  out  [size] begins with the key of the campaign file and ':'; "" = none
 */
void gannet_stop_rule_look(const gannet_campaign *campaign, char *why, size_t size);

#endif
