/* Waiting for rank 0 without burning the cores that simulations need. */
#ifndef GANNET_EVALUATE_SLEEPING_WAIT_H
#define GANNET_EVALUATE_SLEEPING_WAIT_H

#include "base/error.h"

/* Broadcast from rank 0. The other ranks sleep while they wait, and look for the message every 1 ms
 * at first and every 20 ms at last.
 *
 * Collective over comm.
 */
GANNET_CHECKED gannet_err gannet_sleeping_bcast(MPI_Comm comm, void *bytes, int size);

/* gannet_agree, for use after rank 0 has worked alone: the other ranks sleep while they wait.
 *
 * Collective over comm.
 */
GANNET_CHECKED gannet_err gannet_sleeping_agree(MPI_Comm comm, gannet_err local);

#endif
