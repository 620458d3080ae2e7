/* How many evaluations a campaign may still have, and whether so many failed that it stops. */
#ifndef GANNET_CAMPAIGN_RUN_BUDGET_H
#define GANNET_CAMPAIGN_RUN_BUDGET_H

#include "campaign/run/campaign.h"

/* Evaluations that count in the budget: all but imported ones.
 *
 * Local.
 */
int64_t gannet_budget_used(const gannet_campaign *campaign);

/* How many evaluations may still be proposed; INT64_MAX = no limit, 0 when budget.cost is spent.
 * Points of the user's own count, too; discarded evaluations do not. A list of candidates ends when
 * all of them were proposed, and so do the designs of gannet_budget_designs_left.
 *
 * Local.
 */
int64_t gannet_budget_left(const gannet_campaign *campaign);

/* Designs that were never proposed, where results are exact (noise: 0), so that none is worth two
 * evaluations, and there are at most ten thousand, without a list of candidates; INT64_MAX
 * elsewhere.
 *
 * Local.
 */
int64_t gannet_budget_designs_left(const gannet_campaign *campaign);

/* Evaluations that a campaign is to have by its budget, its designs where these end it, and its
 * list of candidates, whose file is read; 0 = no limit. Of a list that cannot be read any more
 * nothing is known: the budget alone counts then.
 *
 * Local.
 */
int64_t gannet_budget_total(const gannet_campaign_input *input);

/* How many of a total there are: "12 proposed of 24"; "12 proposed" without a limit; "6 proposed (2
 * over the limit of 4)" when it was lowered afterwards, or somebody asked for more by hand.
 *
 * Local.
 *
 * what     in   " proposed", or ""
 * between  in   it and the total, as " of "
 * total    in   gannet_budget_total
 * text     out  [GANNET_BUDGET_TEXT]
 */
enum { GANNET_BUDGET_TEXT = 120 };
void gannet_budget_format(int64_t n, const char *what, const char *between, int64_t total,
                          char *text);

/* What the evaluations have cost whose results were told, by the key cost.from
 * (gannet_cost_spent).
 *
 * Local.
 */
double gannet_budget_cost_spent(const gannet_campaign *campaign);

/* "63.2 of 100 kWh", "3 h 20 min of 4 h 00 min": that and its limit, if there is one.
 *
 * Local.
 *
 * text  out  [GANNET_BUDGET_TEXT]
 */
void gannet_budget_format_cost(const gannet_campaign *campaign, char *text);

/* Whether so many evaluations failed that the campaign stops. Counted by proposal: crashes come
 * back sooner than results, and a share of what has come back would be too high while sound
 * simulations still run.
 *
 * Local.
 *
 * why  out  [size] in words; as it was when not
 */
bool gannet_budget_has_failed(const gannet_campaign *campaign, char *why, size_t size);

#endif
