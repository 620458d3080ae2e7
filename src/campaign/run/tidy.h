/* Removing files of evaluations that have ended, by the policy of evaluate.keep. */
#ifndef GANNET_CAMPAIGN_RUN_TIDY_H
#define GANNET_CAMPAIGN_RUN_TIDY_H

#include "campaign/config/keep.h"
#include "campaign/run/campaign.h"

/* What was removed, or would be. */
typedef struct {
  int64_t evaluations, files, bytes;
  int64_t failed;   /* files and folders that could not be removed */
  int error;        /* errno of the first of them */
  char first[1024]; /* that one, relative to the campaign directory */
} gannet_tidied;

/* Remove the files of all evaluations whose results are in the journal and that the policy does not
 * keep. What gannet itself needs later stays: parameters, results, logs. Symbolic links are removed
 * and never followed. A call that is cut off is made good by the next one.
 *
 * Local.
 *
 * is_dry   in     only count
 * is_tidy  inout  [ledger.n] evaluations that need not be looked at again; NULL = look at all
 *
 * Errors: GANNET_ERR_MEMORY; files that cannot be removed are none.
 */
GANNET_CHECKED gannet_err gannet_tidy(const gannet_campaign *campaign, const gannet_keep *keep,
                                      bool is_dry, bool *is_tidy, gannet_tidied *tidied);

#endif
