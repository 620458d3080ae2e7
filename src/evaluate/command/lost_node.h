/* Nodes of an allocation that fail while gannet runs: what srun says about them. */
#ifndef GANNET_EVALUATE_COMMAND_LOST_NODE_H
#define GANNET_EVALUATE_COMMAND_LOST_NODE_H

#include "evaluate/command/placement.h"

typedef enum {
  GANNET_LOST_GONE,      /* SLURM has taken the node out of the allocation, for good */
  GANNET_LOST_UNREACHED, /* srun could not reach the node, which may pass */
  GANNET_LOST_REFUSED    /* SLURM takes no such step there: for the node, or for what it asks for */
} gannet_lost_kind;

typedef struct {
  gannet_lost_kind kind;
  bool is_confirmed;  /* availability and state of the nodes are from scontrol */
  bool all_available; /* SLURM finds nothing wrong with any of them: the step may be to blame */
  int n_nodes;        /* 0 = nothing points to a node */
  int *node;          /* [n_nodes] of the inventory; owned */
  char words[200];    /* the line of srun */
} gannet_lost_nodes;

/* Find the nodes that failed under an attempt, or that took no step for it, by the end of its
 * stderr.log. The node of gannet is never among them: when it fails, gannet has ended.
 *
 * Local.
 *
 * place  in   where the attempt ran
 * lost   out  its node is to be freed with gannet_free
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_lost_nodes_find(const gannet_placement *placement,
                                                 const gannet_place *place, const char *directory,
                                                 gannet_lost_nodes *lost);

/* Keep only the nodes that SLURM has said to be unavailable or removed. Where all are available,
 * those that refused the step are kept, as SLURM does not see everything that is wrong with a node.
 *
 * Local.
 */
void gannet_lost_nodes_confirm(const gannet_inventory *inventory, gannet_lost_nodes *lost);

/* Leave nodes out: those that are lost for good, others for a while, which doubles each time until
 * a simulation works there. A node that refuses a step again after such a while is lost, too. Logs
 * each change.
 *
 * Local.
 *
 * begun      in  when the attempt began, by gannet_clock_seconds: what began before the last change
 *                of a node says nothing new about it
 * may_lose   in  whether a node that refuses again may be lost
 * id         in  of the evaluation, for the log
 */
void gannet_lost_nodes_leave_out(const gannet_lost_nodes *lost, gannet_inventory *inventory,
                                 double begun, bool may_lose, int64_t id,
                                 const gannet_context *context);

/* Whether a simulation failed because SLURM takes no steps any more for the job that gannet itself
 * runs in, by what srun wrote into its stderr.log. SLURM ends a job's steps first and its batch
 * script, with gannet below it, KillWait seconds later, without a signal before that: gannet learns
 * of the end from the steps that are refused meanwhile.
 *
 * Local.
 *
 * job  in  its number, as in SLURM_JOB_ID; NULL = any job
 */
bool gannet_job_takes_no_steps(const char *directory, const char *job);

#endif
