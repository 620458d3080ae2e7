/* Keep what a simulation computes once per process and uses again: a solved field, a trained
 * classifier. A simulation is a function of its input alone and has no object that could hold it.
 * What is kept is a function of its key, and lives until MPI_Finalize.
 */
#ifndef GANNET_SIMULATIONS_ONCE_H
#define GANNET_SIMULATIONS_ONCE_H

#include "base/error.h"

/* What is kept under a key; NULL = nothing.
 *
 * Local.
 */
void *gannet_once_find(const char *key);

/* Keep memory of gannet_alloc under a new key. The memory is taken over, also when this fails.
 *
 * Local. MPI must be initialised.
 *
 * key  in  copied
 *
 * Errors: GANNET_ERR_MEMORY; GANNET_ERR_MPI.
 */
GANNET_CHECKED gannet_err gannet_once_keep(const char *key, void *thing);

#endif
