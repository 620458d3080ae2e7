/* What the commands that only read a campaign directory share. */
#ifndef GANNET_CLI_QUERY_H
#define GANNET_CLI_QUERY_H

#include "campaign/run/campaign.h"
#include "campaign/tables/table.h"
#include "cli/cli.h"
#include "optimizer/recommend.h"

/* Open the directory of the first positional argument; a warning on stderr tells of a damaged
 * journal. Close with gannet_campaign_close, also after an error.
 *
 * Local.
 *
 * replay  in  see gannet_campaign_query
 *
 * Errors: those of gannet_campaign_query; GANNET_ERR_DAMAGED when only the first records are sound.
 */
GANNET_CHECKED gannet_err cli_query(const cli_arguments *arguments, bool replay,
                                    gannet_campaign *campaign);

/* The evaluation to run with when values are noisy, optimizer/recommend.h. Starts MPI when it does
 * not run.
 *
 * Local.
 */
GANNET_CHECKED gannet_err cli_recommend(const gannet_campaign *campaign,
                                        gannet_recommendation *recommendation);

/* "12 of 24 feasible", on stderr beside a table, when the problem has constraints.
 *
 * Local.
 */
void cli_show_feasible(const gannet_campaign *campaign);

/* What the list of candidates says of the evaluations (campaign/tables/labels.h). A list that
 * cannot be read any more is told on stderr, and there are no labels.
 *
 * Local.
 *
 * labels  out  to be released
 */
void cli_labels(const gannet_campaign *campaign, gannet_labels *labels);

/* --output FILE or stdout; close with cli_close_output.
 *
 * Local.
 */
GANNET_CHECKED gannet_err cli_open_output(const cli_arguments *arguments, FILE **out);
GANNET_CHECKED gannet_err cli_close_output(FILE *out);

#endif
