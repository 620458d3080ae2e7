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

#endif
