/* The inspection of the machine that gannet runs on: libraries, processors, memory, file system,
 * scheduler, and what to change there. Reports are made on rank 0.
 */
#ifndef GANNET_MACHINE_INSPECT_H
#define GANNET_MACHINE_INSPECT_H

#include "evaluate/command/command.h"
#include "evaluate/places/resources.h"
#include "machine/report.h"

/* What to inspect. Everything is borrowed for the call. */
typedef struct {
  MPI_Comm comm;
  int rank, np;
  gannet_launcher *launcher; /* on rank 0, runs programs that tell their version; NULL = run none */
  const char *directory;     /* the directory that a campaign would be in */
  int slots;                 /* simulations that run here at a time; 0 = unknown */
  int processes;             /* processes that each simulation starts, >= 1 */
  /* Of a campaign whose simulations have places; NULL = none. */
  const gannet_resources *resources;
  const gannet_command_options *command;
  const gannet_problem *problem;
} machine_request;

/* Ranks and the processors that they may use. The fullest node is the one with the fewest hardware
 * threads per rank. The same on all ranks but for host. */
typedef struct {
  int nodes;
  int ranks;       /* ranks of the fullest node */
  int threads;     /* hardware threads of the fullest node that ranks may use; 0 = unknown */
  int cores;       /* cores that these threads belong to */
  int least, most; /* fewest and most hardware threads that a single rank may use */
  int on_one;      /* most ranks that are bound to one and the same hardware thread */
  char host[64];   /* host of this rank */
} machine_layout;

/* Find out everything that gannet doctor prints. Makes a small file in the directory and removes
 * it.
 *
 * Collective over request->comm; the directory the same on all ranks.
 *
 * report  out  zeroed before; filled on rank 0
 *
 * Errors: GANNET_ERR_MISSING when there is no such directory, GANNET_ERR_MPI, GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err machine_inspect(const machine_request *request, machine_report *report);

/* Set SLURM_JOB_END_TIME in this process where SLURM before 23.02 did not: squeue is asked when the
 * job ends. Nothing happens outside of SLURM, or without an answer.
 *
 * Local; on rank 0.
 *
 * launcher  in  runs squeue; NULL = nothing happens
 */
void machine_learn_job_end(gannet_launcher *launcher);

/* What gannet run writes into its log when it starts. */
typedef struct {
  char line[1024];      /* a JSON object */
  char warning[2][400]; /* a warning about speed, and one about ranks that differ; "" = none */
} machine_summary;

/* Describe the machine in a line.
 *
 * Collective over comm.
 *
 * summary  out  the same on all ranks but for what describes rank 0's node
 */
GANNET_CHECKED gannet_err machine_summarise(MPI_Comm comm, machine_summary *summary);

/* Number of cores that some hardware threads of this machine belong to.
 *
 * Local.
 *
 * processors  in  [GANNET_PROCESSORS_MOST] whether a thread is among them
 */
int machine_count_cores(const bool *processors);

#endif
