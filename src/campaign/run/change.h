/* Changes of a campaign by a resume: what differs between the campaign file and what the journal
 * knows becomes a record, and the evaluations are read anew in the terms of the new problem.
 */
#ifndef GANNET_CAMPAIGN_RUN_CHANGE_H
#define GANNET_CAMPAIGN_RUN_CHANGE_H

#include "campaign/run/campaign.h"

/* Find what differs, write it down, and take it over. Nothing is written when nothing differs.
 *
 * Collective over the context's communicator; the same on all ranks.
 *
 * campaign  inout  whose ledger is up to the journal, and whose optimiser has no evaluations yet
 *
 * Errors: GANNET_ERR_INPUT when the evaluations make no sense with the change: nothing was changed;
 * those of the journal.
 */
GANNET_CHECKED gannet_err gannet_campaign_change(gannet_campaign *campaign);

/* The same in memory alone, on this process.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_campaign_try_change(gannet_campaign *campaign);

/* "on 2026-11-27 10:00:00 by ann@node-7", of a change.
 *
 * Local.
 *
 * text  out  [size]
 */
void gannet_revision_format(const gannet_revision *revision, char *text, size_t size);

/* What a change meant for the evaluations, as in "12 feasible before, 8 now; 3 are outside of what
 * is allowed now"; "" when none was made.
 *
 * Local.
 *
 * text  out  [size]
 */
void gannet_campaign_change_effect(const gannet_campaign *campaign, char *text, size_t size);

#endif
