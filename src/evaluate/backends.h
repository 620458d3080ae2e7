/* The back-ends of this room, for the registry. */
#ifndef GANNET_EVALUATE_BACKENDS_H
#define GANNET_EVALUATE_BACKENDS_H

#include "evaluate/evaluator.h"

extern const gannet_evaluator_type gannet_evaluator_function;
extern const gannet_evaluator_type gannet_evaluator_plugin;
extern const gannet_evaluator_type gannet_evaluator_command;
extern const gannet_evaluator_type gannet_evaluator_slurm;
extern const gannet_evaluator_type gannet_evaluator_manual;

#endif
