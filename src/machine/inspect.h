/* What gannet finds where it runs: libraries, processors, memory, file system, scheduler; and what
 * to change there. Reports are made on rank 0.
 */
#ifndef GANNET_MACHINE_INSPECT_H
#define GANNET_MACHINE_INSPECT_H

#include "evaluate/launcher/launcher.h"
#include "machine/report.h"

/* Everything is borrowed for the call. */
typedef struct {
  MPI_Comm comm;
  int rank, np;
  gannet_launcher *launcher; /* on rank 0, to ask programs for their version; NULL = do not */
  const char *directory;     /* that a campaign would be in; exists */
  int slots;                 /* simulations of the campaign that run here at a time; 0 = unknown */
  int processes;             /* that each of them starts, >= 1 */
} machine_request;

/* Ranks and the processors that they may use. The same on all ranks but for host. */
typedef struct {
  int nodes;
  int ranks;       /* on the fullest node, the one with the fewest processors per rank */
  int threads;     /* hardware threads there that the ranks may use together; 0 = unknown */
  int cores;       /* and the cores these belong to */
  int least, most; /* hardware threads that a single rank may use */
  int on_one;      /* ranks that are bound to the same single hardware thread, at most */
  char host[64];   /* of this rank */
} machine_places;

/* Look where the ranks are.
 *
 * Collective over comm.
 */
GANNET_CHECKED gannet_err machine_find_places(MPI_Comm comm, machine_places *places);

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

/* Before 23.02 SLURM does not tell a job when it ends: then squeue is asked, and SLURM_JOB_END_TIME
 * set in this process as later versions do. Nothing happens outside of SLURM, or without an answer.
 *
 * Local; on rank 0.
 *
 * launcher  in  NULL = nobody is asked
 */
void machine_learn_job_end(gannet_launcher *launcher);

/* What gannet run writes into its log when it starts. */
typedef struct {
  char line[1024];      /* a JSON object */
  char warning[2][400]; /* about speed, about ranks that differ; "" = none */
} machine_summary;

/* Sum it up.
 *
 * Collective over comm.
 *
 * summary  out  the same on all ranks but for what describes rank 0's node
 */
GANNET_CHECKED gannet_err machine_summarise(MPI_Comm comm, machine_summary *summary);

/* How many cores some hardware threads of this machine belong to.
 *
 * Local.
 *
 * processors  in  [GANNET_PROCESSORS_MOST] whether one is among them
 */
int machine_count_cores(const bool *processors);

#endif
