/* What a simulation is told of its place: values of placeholders and variables of its environment,
 * and how an MPI program is started there.
 */
#ifndef GANNET_EVALUATE_PLACES_PLACE_WORDS_H
#define GANNET_EVALUATE_PLACES_PLACE_WORDS_H

#include "base/text.h"
#include "evaluate/places/places.h"

/* What starts the ranks of a simulation: srun, within an allocation, or mpirun. */
typedef enum { GANNET_STARTS_BY_MPIRUN, GANNET_STARTS_BY_SRUN } gannet_place_starter;

typedef struct gannet_place_words {
  char hosts[32768];             /* "n1,n2": with names of 12 letters 2500 nodes */
  char gpus[8192];               /* "0,1"; of each node; 160 parts (MIG) of GPUs */
  char launcher[66560];          /* "mpirun -n 4" */
  char shown[GANNET_PLACE_SIZE]; /* for people: "cores 0-3, gpus 1" */
  char tasks_per_node[32]; /* "4" or "4(x2)", where mpirun is to start more than SLURM's job or
                              step has tasks; "" = as SLURM says */
  int cores;               /* of the whole simulation */
  bool binds_gpus;         /* gannet says which GPUs it has; else SLURM does, and gpus is a guess */
  bool has_gpus;           /* gpus goes into the environment: the campaign says how many it needs */
} gannet_place_words;

/* The starter that the key resources.launcher, the environment and the programs in PATH stand for.
 *
 * Local.
 *
 * of_job  in  it starts simulations in jobs of their own, not beside gannet
 */
gannet_place_starter gannet_place_starter_of(const gannet_resources *resources, bool of_job);

/* Write the words of a place.
 *
 * Local.
 */
void gannet_place_describe(const gannet_inventory *inventory, const gannet_resources *resources,
                           const gannet_place *place, gannet_place_starter starter,
                           gannet_place_words *words);

/* Tell mpirun how many ranks it may start on each node of a job or step of SLURM, where gannet or
 * the step's cores decide this: it starts no more than SLURM_TASKS_PER_NODE says, which is 1 in a
 * job of one task with many cores.
 *
 * Local.
 *
 * n_nodes  in  of the job or step; 0 = it is none
 */
void gannet_place_set_tasks(int n_nodes, int tasks, gannet_place_words *words);

/* Append GANNET_MPIRUN, GANNET_HOSTS, GANNET_CORES, for mpirun SLURM_TASKS_PER_NODE and, where the
 * campaign says how many GPUs a simulation needs, GANNET_GPUS and the variables that CUDA, ROCm and
 * Level Zero read.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_place_environment(const gannet_place_words *words,
                                                   gannet_text_list *list);

/* The hardware threads of a place on the controller's node, for sched_setaffinity.
 *
 * Local.
 *
 * may_use  out  [GANNET_PROCESSORS_MOST]
 *
 * Returns how many these are.
 */
int gannet_place_processors(const gannet_inventory *inventory, const gannet_place *place,
                            bool *may_use);

#endif
