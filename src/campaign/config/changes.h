/* Differences between a campaign that is resumed and the configuration that was saved with it, for
 * warnings and refusals.
 */
#ifndef GANNET_CAMPAIGN_CONFIG_CHANGES_H
#define GANNET_CAMPAIGN_CONFIG_CHANGES_H

#include "base/context.h"
#include "campaign/config/change_list.h"
#include "campaign/config/config.h"
#include "problem/history.h"

/* What differs, by what it is about. Zero-initialise; free with gannet_changes_release. */
typedef struct {
  gannet_change_list problem;    /* goal, objective, variables, constraints of both kinds */
  gannet_change_list course;     /* batch and method: what is proposed */
  gannet_change_list simulation; /* what is run */
  gannet_change_list recorded;   /* units, and outputs that nothing depends on */
} gannet_changes;

/* Local. */
void gannet_changes_release(gannet_changes *changes);

/* What differs between two problems, by the keys of a campaign file.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_changes_of_problem(const gannet_problem *before,
                                                    const gannet_problem *now,
                                                    gannet_change_list *list);

/* Collect what differs in the settings of objectives that both problems have: threshold, noise,
 * transform and penalties. They are no part of the problem, but the course depends on them.
 *
 * Local.
 */
void gannet_changes_of_objectives(const gannet_problem_spec *before, const gannet_problem_spec *now,
                                  gannet_change_collector *changes);

/* What else differs from the effective configuration of a campaign directory: the last three
 * lists. A configuration that cannot be read is passed over: nothing depends on it.
 *
 * Local.
 *
 * saved  in  path of the effective configuration
 */
GANNET_CHECKED gannet_err gannet_changes_of_settings(const char *saved,
                                                     const gannet_campaign_input *input,
                                                     gannet_changes *changes);

/* Warn of every difference but those of the problem.
 *
 * Local.
 */
void gannet_changes_warn(const gannet_context *context, const gannet_changes *changes);

/* Warn of a new constraint whose name is nearly that of one that is gone: a misspelling makes every
 * result lack a number that is needed.
 *
 * Local.
 */
void gannet_changes_warn_names(const gannet_context *context, const gannet_problem *before,
                               const gannet_problem *now);

/* Warn when designs that were proposed from a list of candidates are not in the list any more.
 *
 * Local.
 */
void gannet_changes_warn_list(const gannet_context *context, const gannet_problem *problem,
                              const gannet_history *history);

/* Whether the models of the method are those of the effective configuration of a campaign
 * directory, so that hyperparameters which were saved with it have the same meaning; not so when
 * it cannot be read.
 *
 * Local.
 *
 * saved  in  path of the effective configuration
 */
bool gannet_changes_none_in_models(const char *saved, const gannet_campaign_input *input);

#endif
