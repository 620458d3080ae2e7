/* What a resumed campaign does differently from the one that was saved. */
#ifndef GANNET_CAMPAIGN_CHANGES_H
#define GANNET_CAMPAIGN_CHANGES_H

#include "base/context.h"
#include "campaign/input.h"
#include "problem/history.h"

/* Warn of every key of the batch, the method and the simulation that differs from the effective
 * configuration of the campaign directory. A configuration that cannot be read is passed over:
 * nothing depends on it.
 *
 * Local.
 *
 * saved  in  path of the effective configuration
 */
void gannet_changes_warn(const gannet_context *context, const char *saved,
                         const gannet_campaign_input *input);

/* Warn when designs that were proposed from a list of candidates are not in the list any more.
 *
 * Local.
 */
void gannet_changes_warn_list(const gannet_context *context, const gannet_problem *problem,
                              const gannet_history *history);

#endif
