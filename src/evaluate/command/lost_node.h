/* Nodes of an allocation that fail while gannet runs: what srun says about them. */
#ifndef GANNET_EVALUATE_COMMAND_LOST_NODE_H
#define GANNET_EVALUATE_COMMAND_LOST_NODE_H

#include "evaluate/command/placement.h"

typedef struct {
  bool is_lost;    /* SLURM has taken the nodes out of the allocation, for good */
  bool is_refused; /* SLURM knows no such nodes in the allocation, or not for such a step */
  int n_nodes;     /* 0 = nothing points to a node */
  int *node;       /* [n_nodes] of the inventory; owned */
  char words[200]; /* the line of srun */
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

#endif
