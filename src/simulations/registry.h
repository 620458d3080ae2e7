/* The built-in simulations. */
#ifndef GANNET_SIMULATIONS_REGISTRY_H
#define GANNET_SIMULATIONS_REGISTRY_H

#include "base/error.h"
#include "evaluate/simulation.h"

/* Every built-in simulation, NULL-terminated. */
extern const gannet_simulation_type *const gannet_simulations[];

/* Find a built-in simulation by name.
 *
 * Local.
 *
 * Errors: GANNET_ERR_NAME with the known names and the nearest one.
 */
GANNET_CHECKED gannet_err gannet_simulation_find(const char *name,
                                                 const gannet_simulation_type **type);

#endif
