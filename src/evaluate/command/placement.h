/* The places of simulations that gannet starts itself: what evaluate.resources means for the
 * back-end command.
 */
#ifndef GANNET_EVALUATE_COMMAND_PLACEMENT_H
#define GANNET_EVALUATE_COMMAND_PLACEMENT_H

#include "evaluate/command/command.h"
#include "evaluate/places/claim.h"
#include "evaluate/places/place_words.h"

typedef struct {
  const gannet_resources *resources; /* NULL = simulations have no places */
  gannet_needs needs;
  gannet_inventory inventory;
  gannet_places *places;
  gannet_place_starter starter;
  bool is_bound;      /* gannet starts simulations on their cores; else srun chooses them */
  gannet_claim claim; /* keeps other gannets away */
} gannet_placement;

/* Whether SLURM chooses the GPUs of each simulation when srun starts it, so that gannet does not
 * know them.
 *
 * Local.
 */
bool gannet_placement_leaves_gpus(const gannet_command_options *options,
                                  const gannet_resources *resources);

/* Complain about needs that this machine or allocation cannot fulfil, and about more simulations
 * at once than have room.
 *
 * Local.
 *
 * setup  in  resources are not NULL; without a context, and on other ranks than 0, only the
 *            expressions are checked
 */
GANNET_CHECKED gannet_err gannet_placement_check(const gannet_command_options *options,
                                                 const gannet_evaluator_setup *setup,
                                                 gannet_complaints *complaints);

/* How many simulations run at once on this machine or in this allocation; 0 when that cannot be
 * found out, of which the check tells more.
 *
 * Local.
 *
 * most   in   larger numbers do not matter
 * limit  out  what there is too little of for another one: "cores", "GPUs" or "memory"; may be NULL
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_placement_count(const gannet_command_options *options,
                                                 const gannet_resources *resources,
                                                 const gannet_problem *problem, int most,
                                                 int *count, const char **limit);

/* Find what there is, and claim it.
 *
 * Local.
 *
 * setup      in   campaign NULL = nothing is claimed, because no simulation is to be started
 * launcher   in   that starts the simulations
 * placement  out  not to be moved; to be released, also after an error
 *
 * Errors: GANNET_ERR_BUSY when another gannet shares out the same cores or GPUs; GANNET_ERR_INPUT
 *   when what was checked has changed; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_placement_create(const gannet_command_options *options,
                                                  const gannet_evaluator_setup *setup,
                                                  const gannet_launcher *launcher,
                                                  gannet_placement *placement);
void gannet_placement_release(gannet_placement *placement);

/* The words of the place that a simulation gets at a point while nothing else runs.
 *
 * Local.
 *
 * x_user  in   [n_variables]
 * found   out  false = there is no such place
 *
 * Errors: as gannet_placement_create, but nothing is claimed.
 */
GANNET_CHECKED gannet_err gannet_placement_describe_first(const gannet_command_options *options,
                                                          const gannet_resources *resources,
                                                          const gannet_problem *problem,
                                                          const gannet_launcher *launcher,
                                                          const double *x_user,
                                                          gannet_place_words *words, bool *found);

/* NULL, or why a simulation has no place at a point even when nothing else runs.
 *
 * Local.
 *
 * x_user  in   [n_variables]
 * need    out  what it needs
 * why     out  [GANNET_REASON_SIZE] what is returned
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_placement_need(const gannet_placement *placement,
                                                const double *x_user, gannet_need *need, char *why);

#endif
