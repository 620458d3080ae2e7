/* The back-ends of this room, for the registry. */
#ifndef GANNET_EVALUATE_BACKENDS_H
#define GANNET_EVALUATE_BACKENDS_H

#include "evaluate/evaluator.h"

extern const gannet_evaluator_type gannet_evaluator_function;
extern const gannet_evaluator_type gannet_evaluator_plugin;
extern const gannet_evaluator_type gannet_evaluator_command;
extern const gannet_evaluator_type gannet_evaluator_slurm;
extern const gannet_evaluator_type gannet_evaluator_manual;

/* Complain about outputs that are read from files or from what is printed, and about folders to
 * start from: this back-end has none of them.
 *
 * Local.
 *
 * instead  in  how numbers are reported there
 */
void gannet_refuse_files(const gannet_evaluator_setup *setup, const char *instead,
                         gannet_complaints *complaints);

#endif
