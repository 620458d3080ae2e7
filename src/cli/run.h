/* Running a campaign, or one step of it, from the command line. */
#ifndef GANNET_CLI_RUN_H
#define GANNET_CLI_RUN_H

#include "cli/cli.h"

/* The run function of gannet run and gannet step. Flags that a command does not have count as not
 * given.
 *
 * Collective over world->comm.
 */
GANNET_CHECKED gannet_err cli_run_campaign(const cli_arguments *arguments, const cli_world *world,
                                           bool is_step, gannet_exit *code);

#endif
