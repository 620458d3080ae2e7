/* What campaign.c shares with the files that it is divided into; no other file includes it.
 *
 *   campaign            opening a campaign: for a run, a dry run or a query
 *   campaign_directory  where a campaign is, and whether a directory holds one
 *   campaign_optimizer  the optimiser of a campaign: brought up to date, asked, and told
 */
#ifndef GANNET_CAMPAIGN_RUN_CAMPAIGN_PARTS_H
#define GANNET_CAMPAIGN_RUN_CAMPAIGN_PARTS_H

#include "campaign/run/campaign.h"

/* Whether a directory holds a campaign, though files of it may be lost.
 *
 * Local.
 */
bool gannet_directory_has_campaign(const char *directory);

/* Find the directory of the campaign that the options mean, as an absolute path. Nothing is made.
 *
 * Local; looks at files, so that ranks may differ: for rank 0.
 *
 * name  in   of the campaign; NULL = not known
 * path  out  [PATH_MAX]; "" = it depends on the name, which is not known
 *
 * Errors: GANNET_ERR_INPUT when the path is too long; GANNET_ERR_IO.
 */
GANNET_CHECKED gannet_err gannet_directory_locate(const gannet_campaign_start_options *options,
                                                  const char *name, char *path);

/* Whether a directory holds a campaign, and whether a start with these options may meet that.
 *
 * Local; for rank 0.
 *
 * Errors: GANNET_ERR_EXISTS; GANNET_ERR_MISSING.
 */
GANNET_CHECKED gannet_err gannet_directory_check_start(const gannet_campaign_start_options *options,
                                                       const char *directory, int *exists);

/* Check that files can be made in a directory. One that does not exist is made in its nearest
 * parent that does, which is checked instead.
 *
 * Local; for rank 0.
 *
 * Errors: GANNET_ERR_EXISTS when a file is in the way; GANNET_ERR_IO.
 */
GANNET_CHECKED gannet_err gannet_directory_check_writable(const char *directory);

/* Whether gannet wrote a campaign file, though somebody may have changed it since.
 *
 * Local.
 */
bool gannet_file_is_effective(const char *file);

/* Bring an optimiser that knows nothing up to the evaluations that count and to the saved state of
 * the ledger. What the saved state does not have for this method is learnt again, which the log
 * tells.
 *
 * Collective over the context's communicator.
 *
 * Errors: GANNET_ERR_DAMAGED naming a value of the state that cannot be; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_campaign_restore_optimizer(gannet_campaign *campaign);

#endif
