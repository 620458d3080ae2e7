/* Waiting for rank 0 without burning the cores that simulations need. */
#ifndef GANNET_EVALUATE_SLEEPING_WAIT_H
#define GANNET_EVALUATE_SLEEPING_WAIT_H

#include "base/error.h"

/* A broadcast from rank 0 for which the other ranks sleep, 1 ms at first and 20 ms at last between
 * two looks.
 *
 * Collective over comm.
 */
GANNET_CHECKED gannet_err gannet_sleeping_bcast(MPI_Comm comm, void *bytes, int size);

/* gannet_agree after rank 0 has worked alone; the others wait quietly.
 *
 * Collective over comm.
 */
GANNET_CHECKED gannet_err gannet_sleeping_agree(MPI_Comm comm, gannet_err local);

#endif
