/* What several objectives mean for the settings of an optimiser. */
#ifndef GANNET_OPTIMIZER_OBJECTIVE_OPTIONS_H
#define GANNET_OPTIMIZER_OBJECTIVE_OPTIONS_H

#include "optimizer/options.h"
#include "problem/problem.h"

/* Whether a method chooses points for several objectives; others look at the first one only.
 *
 * Local.
 */
bool gannet_method_takes_several(const gannet_method *method);

/* With several objectives, put the method that is meant for them in the place of a portfolio that
 * has one (with_objectives of gannet_method), as `auto`, with the settings that the user gave.
 * Settings that name another portfolio, or equations, stay as they are.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_objective_options_join(gannet_optimizer_options *options,
                                                        const gannet_problem *problem,
                                                        gannet_complaints *complaints);

/* Complain about settings that do not go with several objectives, or with a single one, after the
 * join; the location of a complaint is the key that it is about.
 *
 * Local.
 */
void gannet_objective_options_check(const gannet_optimizer_options *options,
                                    const gannet_problem *problem, gannet_complaints *complaints);

/* Refuse what there is for a single objective only.
 *
 * Local.
 *
 * what  in  "a recommendation", for the message
 *
 * Errors: GANNET_ERR_STATE.
 */
GANNET_CHECKED gannet_err gannet_objectives_require_one(const gannet_problem *problem,
                                                        const char *what);

#endif
