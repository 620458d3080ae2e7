/* A campaign opened for a moment, by ask and tell. */
#ifndef GANNET_CLI_SESSION_H
#define GANNET_CLI_SESSION_H

#include "campaign/run/campaign.h"
#include "cli/cli.h"

typedef gannet_err (*cli_session)(const cli_arguments *arguments, gannet_campaign *campaign);

/* Of commands that open one: how long they wait for their turn. */
#define CLI_WAIT_FLAG                                                                         \
  {                                                                                           \
    "wait", 'w', "T", "how long to wait while another process has the campaign (default 1m)", \
        false                                                                                 \
  }

/* Open the campaign directory or campaign file of the first argument, call the function, close.
 * Several may be called at once: each waits for its turn.
 *
 * Collective over world->comm.
 */
GANNET_CHECKED gannet_err cli_in_session(const cli_arguments *arguments, const cli_world *world,
                                         cli_session session);

#endif
