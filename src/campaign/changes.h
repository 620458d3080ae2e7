/* What a resumed campaign does differently from the one that was saved. */
#ifndef GANNET_CAMPAIGN_CHANGES_H
#define GANNET_CAMPAIGN_CHANGES_H

#include "base/context.h"
#include "campaign/input.h"

/* Warn of every key of the batch and the method that differs from the effective configuration of
 * the campaign directory. A configuration that cannot be read is passed over: nothing depends on
 * it.
 *
 * Local.
 *
 * saved  in  path of the effective configuration
 */
void gannet_changes_warn(const gannet_context *context, const char *saved,
                         const gannet_campaign_input *input);

#endif
