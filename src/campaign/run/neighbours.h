/* Which evaluations keep all their files by evaluate.keep, and which one a simulation may start
 * from with evaluate.start_from: nearest. */
#ifndef GANNET_CAMPAIGN_RUN_NEIGHBOURS_H
#define GANNET_CAMPAIGN_RUN_NEIGHBOURS_H

#include "campaign/config/keep.h"
#include "campaign/run/campaign.h"

/* Mark the evaluations all of whose files stay: those that the policy names, those without a
 * result, and those whose folders one without a result was given to start from.
 *
 * Local.
 *
 * is_kept  out  [ledger.n] false before
 */
GANNET_CHECKED gannet_err gannet_keep_mark(const gannet_campaign *campaign, const gannet_keep *keep,
                                           bool *is_kept);

/* Choose for each of the rows first .. first + n - 1 of the history, which are being proposed, the
 * nearest evaluation whose folder has a solution: one that was run and told before, is done and
 * feasible, and has all its files. Of two at the same distance it is the one with the lower number.
 *
 * A replay of the journal has told the same results by then, so that it chooses the same.
 *
 * Local; the same on all ranks.
 *
 * start_from  out  [n] -1 = there is none
 */
GANNET_CHECKED gannet_err gannet_neighbours_choose(const gannet_campaign *campaign, int n,
                                                   int64_t first, int64_t *start_from);

#endif
