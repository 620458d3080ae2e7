/* What the system leaves to this process and its node: memory, processors, and the limits of
 * control groups (cgroups) of Linux.
 */
#ifndef GANNET_BASE_RESOURCES_H
#define GANNET_BASE_RESOURCES_H

#include <stdbool.h>

#include "base/error.h"

/* Bytes of memory that processes of this node may still take, and bytes that there are; the limits
 * of control groups count. 0 = unknown.
 *
 * Local.
 */
void gannet_memory_of_machine(double *available, double *total);

/* Bytes, swap included, that may still be taken before the system ends a process; INFINITY =
 * unknown.
 *
 * Local.
 */
double gannet_memory_left(void);

/* What control groups (cgroups) leave to this process; INFINITY = there is no limit. */
typedef struct {
  double bytes;      /* least limit of memory of a group that the process is in */
  double bytes_left; /* least memory that such a group may still take */
  double processors; /* least number of processors that such a group may use on average */
} gannet_group;

/* Read the limits of all groups that this process is in, of versions 1 and 2. Groups are nested:
 * schedulers limit the group of a job, and start processes in groups of its steps and tasks.
 *
 * Local.
 *
 * root  in  where proc and sys/fs/cgroup are: "" but in tests
 */
void gannet_group_read(const char *root, gannet_group *group);

enum { GANNET_PROCESSORS_MOST = 1024 }; /* further processors of a machine are ignored */

/* Processors (hardware threads) that the ranks of a node may use. The same on all ranks but for
 * own. */
typedef struct {
  int ranks;                        /* ranks of the node */
  int together;                     /* processors that the ranks may use together; 0 = unknown */
  int own;                          /* processors that this rank may use */
  int on_one;                       /* most ranks that are bound to one and the same processor */
  bool any[GANNET_PROCESSORS_MOST]; /* whether any rank may use a processor */
} gannet_processors;

/* Find processors by the masks that the system, mpirun and SLURM have set. Quotas of control groups
 * do not count.
 *
 * Collective over comm, all of whose ranks are on one node.
 *
 * Errors: GANNET_ERR_MPI.
 */
GANNET_CHECKED gannet_err gannet_processors_find(MPI_Comm comm, gannet_processors *found);

/* Whether some ranks have to share a processor with others of the same communicator.
 *
 * Local.
 */
bool gannet_processors_are_shared(const gannet_processors *found);

#endif
