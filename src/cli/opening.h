/* Opening a campaign that somebody else may be working on. */
#ifndef GANNET_CLI_OPENING_H
#define GANNET_CLI_OPENING_H

#include "campaign/run/campaign.h"
#include "cli/cli.h"

/* gannet_campaign_start; while another process works on the campaign it is tried again, and after
 * some seconds a line on stderr says for whom it waits.
 *
 * Collective over world->comm.
 *
 * patience  in  seconds after which the error is returned all the same; 0 = at once
 *
 * Errors: those of gannet_campaign_start.
 */
GANNET_CHECKED gannet_err cli_open_campaign(const cli_world *world,
                                            const gannet_campaign_start_options *options,
                                            double patience, gannet_complaints *complaints,
                                            gannet_campaign *campaign);

#endif
