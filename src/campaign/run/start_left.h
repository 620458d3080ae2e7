/* The designs to start with: which are left, and entering them as the next proposals. */
#ifndef GANNET_CAMPAIGN_RUN_START_LEFT_H
#define GANNET_CAMPAIGN_RUN_START_LEFT_H

#include "campaign/run/campaign.h"

/* Enter the next designs to start with into the history, at most q evaluations; each is run as
 * often as replicates says. When they are fewer than q, the points of the next ask belong to the
 * same batch.
 *
 * Collective; the same on all ranks.
 *
 * n  out  evaluations that were entered
 *
 * Errors: GANNET_ERR_INPUT when a design that was filled in is not admissible.
 */
GANNET_CHECKED gannet_err gannet_start_enter(gannet_campaign *campaign, int q, int *n);

/* Check that designs which are not allowed have run.
 *
 * Local.
 *
 * start    in  a gannet_start; the type is that of gannet_change_check
 * history  in  of the problem that the designs are of
 *
 * Errors: GANNET_ERR_INPUT with the place of the first that has not, and what is wrong with it.
 */
GANNET_CHECKED gannet_err gannet_start_check_run(const void *start, const gannet_history *history);

#endif
