/* Simulations that are steps of the SLURM job that gannet itself runs in, when that job ends.
 *
 * SLURM ends a job's steps first and its batch script, with gannet below it, KillWait seconds
 * later, without a signal before that: gannet learns of the end from the steps that are refused
 * meanwhile.
 */
#ifndef GANNET_EVALUATE_COMMAND_SLURM_STEP_H
#define GANNET_EVALUATE_COMMAND_SLURM_STEP_H

#include <stdbool.h>

/* Whether a simulation failed because SLURM takes no steps any more for a job, by what srun wrote
 * into its stderr.log.
 *
 * Local.
 *
 * job  in  its number, as in SLURM_JOB_ID; NULL = any job
 */
bool gannet_slurm_step_is_refused(const char *directory, const char *job);

#endif
