/* Initialising PETSc on behalf of programs that do not use it themselves. */
#ifndef GANNET_MINIMIZE_PREPARE_H
#define GANNET_MINIMIZE_PREPARE_H

#include <stddef.h>

#include "base/error.h"

/* Make sure that PETSc is initialised. A program that uses PETSc initialises it before; then
 * nothing happens here. Otherwise it is initialised on a duplicate of MPI_COMM_SELF, without signal
 * handlers: signals do what they did; and finalised by MPI_Finalize.
 *
 * Local.
 *
 * Errors: GANNET_ERR_STATE when MPI is not initialised; GANNET_ERR_LIBRARY.
 */
GANNET_CHECKED gannet_err gannet_petsc_prepare(void);

/* Versions of PETSc as "3.18.5": what was compiled against, and what is loaded.
 *
 * Local.
 */
void gannet_petsc_version(char *built, char *loaded, size_t size);

#endif
