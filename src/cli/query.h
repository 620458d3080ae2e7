/* What the commands that only read a campaign directory share. */
#ifndef GANNET_CLI_QUERY_H
#define GANNET_CLI_QUERY_H

#include "campaign/run/campaign.h"
#include "campaign/run/progress.h"
#include "campaign/tables/on_bound.h"
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

/* The evaluation that a model recommends when values are noisy (optimizer/recommend.h). Starts MPI
 * when it does not run.
 *
 * Local.
 */
GANNET_CHECKED gannet_err cli_recommend(const gannet_campaign *campaign,
                                        gannet_recommendation *recommendation);

/* Print "12 of 24 feasible, 3 incomplete" to stderr, beside a table, when the problem has
 * constraints or results lack values.
 *
 * Local.
 */
void cli_show_feasible(const gannet_campaign *campaign);

/* Print how large the front of several objectives is, and the reference of its hypervolume, in a
 * line with this beginning.
 *
 * Local.
 */
void cli_print_front(FILE *out, const char *beginning, const gannet_campaign *campaign,
                     const gannet_tally *tally);

/* Print the bounds that the best design lies on, in lines with this beginning.
 *
 * Local.
 *
 * on  in  [n]
 */
void cli_print_on_bounds(const gannet_problem *problem, const char *beginning, int n,
                         const gannet_on_bound *on);

/* The other columns of the list of candidates (campaign/tables/labels.h). When the list cannot be
 * read any more, a warning on stderr says so and there are no labels.
 *
 * Local.
 *
 * labels  out  to be released
 */
void cli_labels(const gannet_campaign *campaign, gannet_labels *labels);

/* Write a table of evaluations whose last columns are the labels.
 *
 * Local.
 *
 * spec  in  without labels
 *
 * Errors: those of gannet_table_write.
 */
GANNET_CHECKED gannet_err cli_write_table(FILE *out, const gannet_campaign *campaign,
                                          gannet_table_spec spec);

/* The file of --output, or stdout; close with cli_close_output.
 *
 * Local.
 */
GANNET_CHECKED gannet_err cli_open_output(const cli_arguments *arguments, FILE **out);
GANNET_CHECKED gannet_err cli_close_output(FILE *out);

#endif
