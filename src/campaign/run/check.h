/* What can be seen before a run: that the equations can be used, that directories and programs are
 * there, that simulations are known. */
#ifndef GANNET_CAMPAIGN_RUN_CHECK_H
#define GANNET_CAMPAIGN_RUN_CHECK_H

#include "base/complaints.h"
#include "campaign/run/loop.h"

/* Complain about what would stop a campaign, without running anything.
 *
 * Collective over the campaign's context; rank 0 looks.
 *
 * complaints  inout  on rank 0
 */
GANNET_CHECKED gannet_err gannet_campaign_check(const gannet_campaign *campaign,
                                                const gannet_run_options *options,
                                                gannet_complaints *complaints);

#endif
