/* What a campaign file leaves unsaid on a resume, carried over from the problem that the campaign
 * had: the evaluations were made with it.
 *
 *   a variable that is fixed  remains a dimension of the models (varied: yes), with the type, the
 *                             bounds and the values that it had unless the file gives others
 *   a word that is gone       remains in the list of values, retired
 */
#ifndef GANNET_CAMPAIGN_CONFIG_CARRY_OVER_H
#define GANNET_CAMPAIGN_CONFIG_CARRY_OVER_H

#include "campaign/config/tree.h"
#include "gannet/problem.h"

/* Add to the tree of a campaign file what it leaves unsaid.
 *
 * Local.
 *
 * before  in  the problem of the campaign so far
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_config_carry_over(const gannet_problem *before,
                                                   gannet_tree_file *file,
                                                   gannet_complaints *complaints);

#endif
