/* Differences between a campaign that is resumed and the configuration that was saved with it, for
 * warnings and refusals.
 */
#ifndef GANNET_CAMPAIGN_CONFIG_CHANGES_H
#define GANNET_CAMPAIGN_CONFIG_CHANGES_H

#include "base/context.h"
#include "campaign/config/config.h"
#include "problem/history.h"

enum { GANNET_CHANGES_TEXT = 640 };

/* What differs between the problem of the effective configuration of a campaign directory and
 * another one, by the keys of a campaign file: goal, variables, constraints. False when nothing
 * does, or when the configuration cannot be read.
 *
 * Local.
 *
 * saved  in   path of the effective configuration
 * text   out  [GANNET_CHANGES_TEXT] "variables.x.upper: 2 -> 3, goal: ..., and 4 more"
 */
bool gannet_changes_of_problem(const char *saved, const gannet_problem *problem, char *text);

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

/* Whether the models of the method are those of the effective configuration of a campaign
 * directory, so that hyper-parameters which were saved with it have the same meaning; not so when
 * it cannot be read.
 *
 * Local.
 *
 * saved  in  path of the effective configuration
 */
bool gannet_changes_none_in_models(const char *saved, const gannet_campaign_input *input);

#endif
