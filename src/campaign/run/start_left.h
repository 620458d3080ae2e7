/* The designs to start with: which are left, and entering them as the next proposals. */
#ifndef GANNET_CAMPAIGN_RUN_START_LEFT_H
#define GANNET_CAMPAIGN_RUN_START_LEFT_H

#include "campaign/run/campaign.h"

/* Enter the next designs to start with into the history, at most q of them. When they are fewer
 * than q, the points of the next ask belong to the same batch.
 *
 * Collective; the same on all ranks.
 *
 * n  out  designs that were entered
 *
 * Errors: GANNET_ERR_INPUT when a design that was filled in is not admissible.
 */
GANNET_CHECKED gannet_err gannet_start_enter(gannet_campaign *campaign, int q, int *n);

#endif
