/* What a resumed campaign does differently from the one that was saved. */
#ifndef GANNET_CAMPAIGN_CONFIG_CHANGES_H
#define GANNET_CAMPAIGN_CONFIG_CHANGES_H

#include "base/context.h"
#include "campaign/config/config.h"
#include "problem/history.h"

enum { GANNET_CHANGES_TOLD = 6 };

/* "method: neural-bo -> sobol, search.candidates: 500 -> 600": the first changes. Zeroed before. */
typedef struct {
  char text[640];
  size_t used;
  int n, n_told; /* some may have no room */
} gannet_change_list;

/* Append a change.
 *
 * Local.
 *
 * before, now  in  NULL = none
 */
void gannet_changes_add(gannet_change_list *changes, const char *key, const char *before,
                        const char *now);

/* End the text with how many changes are not in it, as in ", and 34 more".
 *
 * Local.
 */
void gannet_changes_end(gannet_change_list *changes);

/* What differs between two problems, by the keys of a campaign file: goal, variables, constraints.
 *
 * Local.
 */
void gannet_changes_compare_problems(const gannet_problem_spec *before,
                                     const gannet_problem_spec *now, gannet_change_list *changes);

/* The same between the effective configuration of a campaign directory and a problem; nothing when
 * it cannot be read.
 *
 * Local.
 *
 * saved  in  path of the effective configuration
 */
void gannet_changes_of_problem(const char *saved, const gannet_problem *problem,
                               gannet_change_list *changes);

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
