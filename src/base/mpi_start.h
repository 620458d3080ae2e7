/* Starting MPI where a process may be alone: from a shell, inside a SLURM step, or below a
 * launcher.
 *
 * Open MPI decides by variables of the environment whether a launcher connects this process with
 * others. What it finds may mislead it: inside `srun --pty bash` it takes itself for a task of a
 * parallel step and ends the process. The two functions correct the environment before MPI_Init.
 */
#ifndef GANNET_BASE_MPI_START_H
#define GANNET_BASE_MPI_START_H

#include "base/error.h"

/* Prepare the environment of a program for MPI_Init. The program must never call MPI_Comm_spawn.
 *
 * When a launcher of MPI (mpirun, srun --mpi=pmix) connects this process with others, nothing
 * changes. Any other process is alone and speaks to nobody: the variables of launchers and of Open
 * MPI are removed, and it gets neither Open MPI's helper nor a network. So several commands may
 * follow each other in one shell below a launcher. An environment with
 * OMPI_MCA_ess_singleton_isolated is left as it is.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT when srun started several tasks that MPI cannot connect; the message
 *   says what to type instead.
 */
GANNET_CHECKED gannet_err gannet_mpi_prepare_program(void);

/* The rank for messages before MPI_Init: the number of this task in its SLURM step, 0 elsewhere.
 *
 * Local.
 */
int gannet_mpi_early_rank(void);

/* Initialise MPI in a process that needs no others, with MPI_THREAD_SERIALIZED. Below a launcher
 * the process joins its world. The environment is the same afterwards, but for
 * OMPI_MCA_plm_rsh_agent.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MPI.
 */
GANNET_CHECKED gannet_err gannet_mpi_start_alone(void);

#endif
