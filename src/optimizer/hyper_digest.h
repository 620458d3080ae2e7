/* A digest of what a member's hyperparameters mean.
 *
 * Saved hyperparameters may be used only by a model for which they mean the same. The digest
 * covers every setting on which that depends; when it differs the model learns anew.
 */
#ifndef GANNET_OPTIMIZER_HYPER_DIGEST_H
#define GANNET_OPTIMIZER_HYPER_DIGEST_H

#include "optimizer/options.h"
#include "optimizer/state.h"
#include "problem/problem.h"

/* Of the type of the member's surrogate and those of its settings that are not the defaults, of how
 * values are transformed and which count, of the noise, and of the equations where it takes any.
 * Settings of defaults do not count, so that an option which a later version adds changes nothing.
 *
 * Local.
 *
 * options  in  of the optimiser
 * text     out sixteen hexadecimal digits; "" for a member without a surrogate
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_hyper_digest(const gannet_problem *problem,
                                              const gannet_optimizer_options *options, int member,
                                              char text[GANNET_STATE_TEXT_SIZE]);

/* What comes before the names of a member's values: "gp-ei/"; of a method that a portfolio has
 * twice the second's are "gp-ei#2/".
 *
 * Local.
 */
void gannet_member_state_prefix(const gannet_optimizer_options *options, int member,
                                char part[GANNET_STATE_NAME]);

#endif
