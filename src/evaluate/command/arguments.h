/* Arguments of a command that name files: scripts above all. */
#ifndef GANNET_EVALUATE_COMMAND_ARGUMENTS_H
#define GANNET_EVALUATE_COMMAND_ARGUMENTS_H

#include "evaluate/command/command.h"

/* The item of a command that is its script, as in [python3, sim.py], or -1 when there is none, or
 * it cannot be told.
 *
 * Local.
 */
int gannet_command_find_script(const gannet_text_list *command);

/* Complain about the script of the command when it is not where the simulation looks for it, so
 * that every run would fail: [python3, sim.py] without sim.py. Warn of other arguments that name
 * files that are not there; the simulation may make them.
 *
 * Local.
 *
 * setup  in  without a context nothing is warned of
 */
void gannet_command_check_arguments(const gannet_command_options *options,
                                    const gannet_evaluator_setup *setup,
                                    gannet_complaints *complaints);

#endif
