/* Which processors the ranks of a node may use. */
#ifndef GANNET_BASE_PROCESSORS_H
#define GANNET_BASE_PROCESSORS_H

#include <stdbool.h>

#include "base/error.h"

/* Further processors of a machine are not looked at. */
enum { GANNET_PROCESSORS_MOST = 1024 };

/* Processors are hardware threads. The same on all ranks but for own. */
typedef struct {
  int ranks;
  int together;                     /* processors that the ranks may use; 0 = unknown */
  int own;                          /* those of this rank */
  int on_one;                       /* ranks that are bound to the same single processor, at most */
  bool any[GANNET_PROCESSORS_MOST]; /* whether a rank may use it */
} gannet_processors;

/* By the masks that the system, mpirun and SLURM have set; not by quotas of control groups.
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
