/* What there is to run simulations on: nodes, cores and GPUs.
 *
 * On a plain machine this is the machine itself: the cores that the affinity mask of the launcher
 * and the control group leave, in the order of hwloc, so that neighbours share caches. Within an
 * allocation of SLURM these are its nodes, by the variables that SLURM sets. Which cores of another
 * node belong to the allocation is not known here: they are only counted, and srun chooses them.
 */
#ifndef GANNET_EVALUATE_PLACES_INVENTORY_H
#define GANNET_EVALUATE_PLACES_INVENTORY_H

#include "base/complaints.h"
#include "base/resources.h"
#include "evaluate/launcher/launcher.h"
#include "evaluate/places/resources.h"
#include "problem/result.h"

enum { GANNET_DEVICE_SIZE = 64, GANNET_CORE_THREADS = 8 };

typedef struct {
  int n; /* hardware threads; 0 = unknown, of another node */
  int thread[GANNET_CORE_THREADS];
} gannet_core;

/* Whether a node can take steps, as scontrol said when it was last asked. */
typedef enum {
  GANNET_NODE_NOT_ASKED,
  GANNET_NODE_AVAILABLE,
  GANNET_NODE_UNAVAILABLE, /* down, drained, failing, or not responding */
  GANNET_NODE_REMOVED      /* it is not a node of the job any longer */
} gannet_node_availability;

typedef struct {
  char host[GANNET_HOST_SIZE];
  bool is_here; /* the controller runs on it */
  bool is_lost; /* it has left the allocation */
  double pause; /* seconds for which it was last left out; 0 = since then it took a step */
  double opens; /* no simulation begins there before, by gannet_clock_seconds */
  gannet_node_availability availability;
  char state[48]; /* of SLURM, as in "DOWN+NOT_RESPONDING"; "" = not asked */
  int n_cores, n_gpus;
  int n_devices;          /* different ones among gpu, where one may be listed several times */
  const char *cores_from; /* what says how many cores there are: "SLURM", "its affinity mask" */
  gannet_core *core;      /* [n_cores] owned */
  char (*gpu)[GANNET_DEVICE_SIZE]; /* [n_gpus] owned; numbers or UUIDs */
  double memory;                   /* bytes; 0 = unknown */
  double memory_of_core; /* bytes that the job has on it for each of its cores; 0 = SLURM does not
                            say */
} gannet_node;

typedef struct {
  char job[32];      /* of the allocation; "" = there is none */
  char gpu_from[48]; /* what named the GPUs: a variable, a key, or "the system"; "" = there are none
                      */
  int n_nodes;
  gannet_node *node; /* [n_nodes] owned; that of the controller is among them */
} gannet_inventory;

/* Find what there is.
 *
 * Local.
 *
 * launcher    in     whose affinity mask counts; NULL = that of this process
 * resources   in     evaluate.resources.devices may name GPUs, which are on every node then
 * complaints  inout  a list of GPUs that is empty, nodes that cannot be read, and a hwloc that does
 *                    not see the cores that the system grants
 * inventory   out    to be released with gannet_inventory_release, also after an error
 *
 * Errors: GANNET_ERR_MEMORY; what is wrong with the machine is a complaint.
 */
GANNET_CHECKED gannet_err gannet_inventory_find(const gannet_launcher *launcher,
                                                const gannet_resources *resources,
                                                gannet_complaints *complaints,
                                                gannet_inventory *inventory);

/* Find only the GPUs of this node, which needs no hwloc: all else of the inventory stays zeroed.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY; what is wrong with a list of GPUs is a complaint.
 */
GANNET_CHECKED gannet_err gannet_inventory_find_gpus(const gannet_resources *resources,
                                                     gannet_complaints *complaints,
                                                     gannet_inventory *inventory);
void gannet_inventory_release(gannet_inventory *inventory);

/* Whether SLURM gives GPUs to the job that gannet runs in, and deals them out to its steps.
 *
 * Local.
 */
bool gannet_job_has_gpus(void);

/* Whether the campaign or the user lists the GPUs, so that gannet chooses among them also in steps
 * of SLURM.
 *
 * Local.
 */
bool gannet_inventory_is_listed(const gannet_inventory *inventory);

/* Whether a node has left the allocation since it was looked at.
 *
 * Local.
 */
bool gannet_inventory_has_lost(const gannet_inventory *inventory);

/* The names of nodes in a list of SLURM such as "n[01-03,7],login": [*n] names, owned.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT when it is no such list; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_hosts_expand(const char *list, gannet_text_list *hosts);

/* The numbers in a list of SLURM such as "4(x2),2", one for each node: 4, 4, 2. Missing ones repeat
 * the last.
 *
 * Local.
 *
 * number  out  [n]
 *
 * Errors: GANNET_ERR_INPUT when it is no such list.
 */
GANNET_CHECKED gannet_err gannet_counts_expand(const char *list, int n, int *number);

/* Set availability and state of every node by what SLURM says.
 *
 * Local.
 *
 * job    in      what `scontrol --oneliner show job` wrote
 * nodes  in      what `scontrol --oneliner show node` wrote
 * is_known  out  whether the two say something about every node of the inventory; if not, no node
 *                is changed
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_inventory_read_scontrol(const char *job, const char *nodes,
                                                         gannet_inventory *inventory,
                                                         bool *is_known);

#endif
