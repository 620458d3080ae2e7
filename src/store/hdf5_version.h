/* Which HDF5 there is. */
#ifndef GANNET_STORE_HDF5_VERSION_H
#define GANNET_STORE_HDF5_VERSION_H

#include <stdbool.h>
#include <stddef.h>

/* Versions as "1.10.8": what was compiled against, and what is loaded.
 *
 * Local.
 */
void gannet_hdf5_version(char *built, char *loaded, size_t size);

/* Whether it was built for MPI.
 *
 * Local.
 */
bool gannet_hdf5_is_parallel(void);

#endif
