/* Opening a campaign that another process may hold. */
#ifndef GANNET_CLI_OPEN_CAMPAIGN_H
#define GANNET_CLI_OPEN_CAMPAIGN_H

#include "campaign/run/campaign.h"
#include "cli/cli.h"

/* gannet_campaign_start, tried again while another process works on the campaign. After some
 * seconds a line on stderr says which process that is.
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

/* What gannet ask, gannet tell and corrections do with an open campaign. */
typedef gannet_err (*cli_session)(const cli_arguments *arguments, gannet_campaign *campaign,
                                  void *user);

/* The flag of commands with a session: how long they wait for their turn. */
#define CLI_WAIT_FLAG                                                                         \
  {                                                                                           \
    "wait", 'w', "T", "how long to wait while another process has the campaign (default 1m)", \
        false                                                                                 \
  }

/* The seconds of that flag.
 *
 * Local.
 */
GANNET_CHECKED gannet_err cli_patience(const cli_arguments *arguments, double *patience);

/* Open the campaign directory or campaign file of the first argument, call the function, close.
 * Of several processes that do so at once, each waits for its turn.
 *
 * Collective over world->comm.
 */
GANNET_CHECKED gannet_err cli_in_session(const cli_arguments *arguments, const cli_world *world,
                                         cli_session session);

/* The same without waiting, and without telling results that a batch holds back: a run goes on with
 * it as if nothing had been.
 *
 * Collective over world->comm.
 *
 * directory  out  [PATH_MAX] of the campaign, also when another process has it
 *
 * Errors: GANNET_ERR_BUSY when another process has the campaign.
 */
GANNET_CHECKED gannet_err cli_try_session(const cli_arguments *arguments, const cli_world *world,
                                          cli_session session, void *user, char *directory);

#endif
