/* Asking SLURM about the nodes of the allocation: two calls of scontrol, beside what gannet does.
 *
 * The words of srun in a stderr.log may be about a node, or about a simulation that asks srun for
 * something that no node has. scontrol tells which.
 */
#ifndef GANNET_EVALUATE_COMMAND_NODE_INQUIRY_H
#define GANNET_EVALUATE_COMMAND_NODE_INQUIRY_H

#include "evaluate/command/tool.h"
#include "evaluate/places/inventory.h"

/* Zero-initialise. */
typedef struct {
  double begun;             /* when the last inquiry began, by gannet_clock_seconds; 0 = never */
  bool is_known;            /* the last inquiry has been answered, for every node */
  int n_open;               /* calls that have not ended */
  gannet_tool_call call[2]; /* for the job, and for its nodes */
  char *answer[2];          /* owned; NULL = none */
} gannet_node_inquiry;

typedef enum {
  GANNET_INQUIRY_RUNS, /* ask again later */
  GANNET_INQUIRY_ANSWERED,
  GANNET_INQUIRY_FAILED /* there is no scontrol, or it does not work */
} gannet_inquiry_state;

/* Whether SLURM was asked after a time, and has answered. If it was not asked, it is asked now.
 *
 * Local.
 *
 * since  in  by gannet_clock_seconds
 */
gannet_inquiry_state gannet_node_inquiry_ask(gannet_node_inquiry *inquiry,
                                             gannet_launcher *launcher,
                                             const gannet_inventory *inventory, double since);

/* Take an event of the launcher that no simulation has. The last one of an inquiry changes the
 * nodes of the inventory.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_node_inquiry_take(gannet_node_inquiry *inquiry,
                                                   const gannet_launch_event *event,
                                                   gannet_inventory *inventory);

/* Forget an inquiry, also one that runs.
 *
 * Local.
 */
void gannet_node_inquiry_release(gannet_node_inquiry *inquiry);

#endif
